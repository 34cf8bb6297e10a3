# SPDX-License-Identifier: MIT
# TEST: timeout=120 quick=0
"""Failures in kernels that nobody has checked: a warning, or an exception on request."""

import os
import subprocess
import warnings

import pytest

import mori
import mori.kernel
from mori import _shmem
import mori.shmem as s
import pes

BAD = b"""
#include <mori/shmem_device.h>
MORI_KERNEL void bad(int64_t *x, int n)
{
	for (int i = 0; i < n; i++)
		mori_shmem_int64_p(x, 7, 99, 0);
}
"""
WORDS = "mori_shmem_int64_p in a kernel: there is no PE 99, only 0 to 0"


@pytest.fixture(scope="module", autouse=True)
def compiler():
    pes.need_compiler()


@pytest.fixture
def bad():
    s.shmem_init()
    x = s.shmem_calloc(8, 8)
    module = mori.kernel.load(BAD)
    yield lambda n: module.launch(1, 1, x, n)
    module.unload()
    s.shmem_finalize()


def unseen(call, *args):
    """What it warns of."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call(*args)
    assert all(w.category is RuntimeWarning for w in seen)
    return [str(w.message) for w in seen]


def test_warned_once(bad):
    assert unseen(bad, 3) == []
    (text,) = unseen(s.shmem_barrier_all)
    assert WORDS in text and "; 2 more" in text
    assert unseen(s.shmem_barrier_all) == []
    assert s.shmem_check().op == "int64_p"


@pytest.mark.parametrize("by", [s.shmem_sync_all, s.barrier_all_thread])
def test_warned_by(bad, by):
    assert unseen(bad, 1) == []
    (text,) = unseen(by)
    assert WORDS in text and " more" not in text
    s.shmem_check()


CALLS = {
    "malloc": lambda: s.shmem_malloc(0),
    "my_pe": s.shmem_mype,
    "p": lambda: s.int64_p(s.shmem_malloc(8), 1, 0, 0),
    "heap_info": s.shmem_heap_info,
    "device_state": s.shmem_device_state,
    "info": s.shmem_info,
    "deregister": lambda: s.shmem_symmetric_deregister(0, 0),
    "tell": s.tell,
    "load": lambda: mori.kernel.load(BAD),
}


@pytest.mark.parametrize("by", CALLS)
def test_warned_by_every_call(bad, by):
    assert unseen(bad, 1) == []
    try:
        (text,) = unseen(CALLS[by])
    except mori.ShmemError:  # of its own comes first
        (text,) = unseen(s.shmem_mype)
    assert WORDS in text
    assert unseen(s.shmem_mype) == []
    s.shmem_check()


def test_warned_again(bad):
    # Python's default shows a text once a line; each of these is news, at the line of the program.
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(3):
            bad(1)
            s.shmem_barrier_all()
    assert [w.filename for w in seen] == [__file__] * 3
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("once")
        for _ in range(3):
            bad(2)
            s.shmem_mype()
    assert len(seen) == 1
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("ignore")
        bad(1)
        s.shmem_mype()
    assert seen == []
    s.shmem_check()


def test_warned_by_the_next_launch(bad):
    assert unseen(bad, 1) == []
    (text,) = unseen(bad, 0)
    assert WORDS in text
    s.shmem_check()


def test_looked_at(bad):
    assert unseen(bad, 100) == []
    fault = s.shmem_check()
    assert fault.code == s.MORI_SHMEM_EINVAL and fault.block == (0, 0, 0)
    assert unseen(s.shmem_barrier_all) == []
    # An exception is a look, however many there are.
    for _ in range(100):
        with pytest.raises(mori.ShmemError, match="there is no PE 99"):
            s.int64_g(0, 99, 0)
    assert unseen(s.shmem_barrier_all) == []
    s.shmem_check()


def test_a_warning_that_is_an_error(bad):
    bad(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="there is no PE 99"):
            s.shmem_barrier_all()
    assert unseen(s.shmem_barrier_all) == []
    s.shmem_check()


def test_warned_by_finalize():
    s.shmem_init()
    x = s.shmem_calloc(8, 8)
    module = mori.kernel.load(BAD)
    module.launch(1, 1, x, 1)
    (text,) = unseen(s.shmem_finalize)
    assert WORDS in text


def test_strict(monkeypatch):
    monkeypatch.setenv("MORI_SHMEM_STRICT", "1")
    s.shmem_init()
    x = s.shmem_calloc(8, 8)
    module = mori.kernel.load(BAD)
    with pytest.raises(mori.ShmemError, match=WORDS) as e:
        module.launch(1, 1, x, 1)
    assert e.value.status == s.MORI_SHMEM_EINVAL
    assert unseen(s.shmem_barrier_all) == []
    module.launch(1, 1, x, 0)
    s.shmem_check()
    _shmem.leave_fault(s.MORI_SHMEM_EINVAL, "int64_p", 99, x, (0, 0, 0))
    with pytest.raises(mori.ShmemError, match=WORDS):
        s.shmem_mype()
    assert s.shmem_mype() == 0
    s.shmem_check()
    assert unseen(s.shmem_finalize) == []


PROGRAM = """
import mori.kernel, mori.shmem as s
s.shmem_init()
x = s.shmem_calloc(8, 8)
mori.kernel.load({bad!r}).launch(1, 1, x, 1)
{then}
"""


@pytest.mark.parametrize("then, code", [("s.shmem_check()", 0), ("s.shmem_finalize()", 125), ("", 125)])
def test_what_mori_run_says(tmp_path, then, code):
    (tmp_path / "prog.py").write_text(PROGRAM.format(bad=BAD, then=then))
    done = subprocess.run(
        [pes.mori(), "run", "-n", "2", pes.python(), tmp_path / "prog.py"],
        capture_output=True,
        text=True,
        timeout=100,
        env={**os.environ},
    )
    assert done.returncode == code, done.stderr
    assert ("there is no PE 99" in done.stderr) == (code != 0)
    assert ("RuntimeWarning" in done.stderr) == (code != 0)
