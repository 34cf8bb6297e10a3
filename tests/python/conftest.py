# SPDX-License-Identifier: MIT
"""What every Python test has: a clean start, no PE left behind, and small heaps by default."""

import os

import pytest

os.environ.setdefault("MORI_SHMEM_HEAP_SIZE", "64M")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.pop("PYTHONUNBUFFERED", None)  # it would tear the lines of PEs apart


@pytest.fixture(autouse=True)
def no_pe_left():
    import mori.shmem as s

    yield
    left = s.shmem_is_initialized()
    if left:
        s.shmem_finalize()
    assert not left, "the test left a PE behind"
