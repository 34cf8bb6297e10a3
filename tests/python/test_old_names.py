# SPDX-License-Identifier: MIT
"""Names that changed: the former ones work, with a warning that has the new one."""

import os

import pes
import pytest

import mori.shmem
from mori.ir import find_bitcode


@pytest.mark.parametrize("near", [True, False])
def test_find_bitcode(near):
    pes.need_compiler()
    with pytest.warns(DeprecationWarning, match="near= is now p2p=") as caught:
        path = find_bitcode("sm_90", near=near)
    assert path == find_bitcode("sm_90", p2p=near)
    assert [w.filename for w in caught] == [__file__]


@pytest.mark.parametrize("near", [True, False])
def test_get_extern_libs(near):
    pes.need_compiler()
    pytest.importorskip("triton")
    from mori.ir.triton import get_extern_libs

    with pytest.warns(DeprecationWarning, match="near= is now p2p=") as caught:
        libs = get_extern_libs("gfx942", near=near)
    assert libs == get_extern_libs("gfx942", p2p=near)
    assert [w.filename for w in caught] == [__file__]
    assert os.path.basename(libs["mori"]) == f"libmori_shmem_{'p2p' if near else 'device'}.bc"


def test_heap_info():
    mori.shmem.shmem_init()
    try:
        info = mori.shmem.shmem_heap_info()
        assert info.p2p == 1 and "near" not in info._fields
        with pytest.warns(DeprecationWarning, match=r"HeapInfo\.near is now HeapInfo\.p2p") as caught:
            assert info.near == info.p2p
        assert [w.filename for w in caught] == [__file__]
    finally:
        mori.shmem.shmem_finalize()
