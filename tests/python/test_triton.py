# SPDX-License-Identifier: MIT
# TEST: timeout=600 quick=0
"""Triton kernels on PEs of the CPU: the examples, every form of a call, deadlines and lost PEs."""

import os
import re
import sys

import pes
import pytest
import triton_versions

triton_versions.need()

EXAMPLES = os.path.join(triton_versions.ROOT, "examples", "triton")


@pytest.fixture(scope="module", params=triton_versions.both())
def jobs(request):
    found = triton_versions.Jobs(request.param)
    yield found
    found.close()


def none_wrong(out, n, lines):
    """Every PE has checked all it had to, and nothing was wrong."""
    for pe in range(n):
        found = re.findall(rf"^PE {pe} of {n}: .* elements, (\d+) wrong$", out, re.M)
        assert found == ["0"] * lines, out


@pytest.mark.parametrize(("n", "rounds"), [(2, 3), (4, 2), (8, 1)])
def test_examples(jobs, n, rounds):
    out = jobs.run("examples", n, rounds)
    # By reading where load and store reach everybody.
    near = os.environ.get("MORI_DISABLE_P2P") != "1" and "NODES" not in os.environ
    none_wrong(out, n, 5 + (1 + near) * rounds)


@pytest.mark.parametrize("n", [2, 3])
def test_operations(jobs, n):
    out = jobs.run("operations", n)
    for pe in range(n):
        assert re.search(rf"^PE {pe}: \d+ tests, wrong: \[\]$", out, re.M), out


def test_lost(jobs):
    out = jobs.run("lost", 3)
    assert len(re.findall(r"^PE \d: wrong: \[\]$", out, re.M)) == 2, out


@pytest.mark.parametrize("launcher", ["torchrun", "mori run"])
def test_launchers(launcher):
    """The scripts by themselves, as their README starts them."""
    start = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node=2"]
    if launcher == "mori run":
        start = [pes.mori(), "run", "-n", "2", sys.executable]
    env = {**triton_versions.environment(None), "MORI_SHMEM_DEVICE": "cpu"}
    for script, lines in (("put_signal.py", 1), ("get.py", 2)):
        out = pes.run(*start, os.path.join(EXAMPLES, script), env=env, timeout=200)
        none_wrong(out, 2, lines)


def test_guide(tmp_path):
    """The program of docs/triton.md, and what it compiles to for a GPU that is not here."""
    with open(os.path.join(triton_versions.ROOT, "docs", "triton.md")) as file:
        program, compiling = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
    path = tmp_path / "pass_on.py"
    path.write_text(program)
    env = triton_versions.environment(None)
    out = pes.run(pes.mori(), "run", "-n", "4", sys.executable, path, env={**env, "TRITON_INTERPRET": "1"}, timeout=200)
    said = re.findall(r"PE \d of 4 has \d{3}", out)  # lines of several processes may run together
    assert sorted(said) == [f"PE {pe} of 4 has {100 + (pe - 1) % 4}" for pe in range(4)], out
    pes.need_compiler()
    path.write_text(program.split("ms.shmem_init()")[0] + compiling)
    assert "global_store" in pes.run(sys.executable, path, env={**env, "TRITON_INTERPRET": "0"})


FAILS = """
import torch, triton, warnings
import mori.ir.triton as mori_shmem_device
import mori.shmem as ms
from mori.ir.triton import get_extern_libs

@triton.jit
def fails(box):
    for _ in range(3):
        mori_shmem_device.int64_p_block(box, 7, 99, 0)

ms.shmem_init()
box = ms.mori_shmem_create_tensor((1,), torch.int64)
with warnings.catch_warnings():
    warnings.simplefilter("error")  # what a kernel has left is told after it
    fails[(1,)](box, extern_libs=get_extern_libs())
{then}
"""


@pytest.mark.parametrize("strict", ["0", "1"])
@pytest.mark.parametrize(("then", "code"), [("assert ms.shmem_check().op == 'int64_p_block'", 0), ("", 125)])
def test_failures(tmp_path, then, code, strict):
    """An interpreted kernel's failures are told as a GPU's are, and `mori run` ends with a code of its own."""
    path = tmp_path / "fails.py"
    path.write_text(FAILS.format(then=then))
    env = {**triton_versions.environment(None), "TRITON_INTERPRET": "1", "MORI_SHMEM_STRICT": strict}
    process = pes.start(pes.mori(), "run", "-n", "1", sys.executable, path, env=env)
    out, _ = process.communicate(timeout=200)
    assert process.returncode == code, out
    assert ("int64_p_block in a kernel: there is no PE 99" in out) == (code != 0), out
