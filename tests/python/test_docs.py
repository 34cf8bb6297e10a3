# SPDX-License-Identifier: MIT
# TEST: timeout=180 quick=0
"""The pieces of Python in docs/python.md are one program, which runs; and the page names every call of the contract."""

import os
import re

import pytest

import pes
from test_api import CONTRACT

PAGE = os.path.join(os.path.dirname(os.path.dirname(pes.HERE)), "docs", "python.md")


def pieces():
    with open(PAGE) as f:
        return re.findall(r"^```python\n(.*?)^```$", f.read(), re.M | re.S)


def test_pieces_run(tmp_path):
    n = 3
    pytest.importorskip("torch")
    pytest.importorskip("numpy")
    pes.need_compiler()
    program = tmp_path / "page.py"
    program.write_text("".join(pieces()))
    assert len(pieces()) >= 9
    out = pes.run(pes.mori(), "run", "-n", n, "--", pes.python(), program)
    for me in range(n):
        assert f"PE {me} of {n}: my neighbour gave me {100 + (me - 1) % n}" in out


def test_page_is_whole():
    with open(PAGE) as f:
        text = f.read()
    missing = [name for name in CONTRACT if name not in text]
    assert not missing
