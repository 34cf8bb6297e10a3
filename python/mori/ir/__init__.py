# SPDX-License-Identifier: MIT
"""The device library for compilers: where its bitcode is and what functions it has.

Any compiler that links LLVM bitcode can use it. For Triton, :mod:`mori.ir.triton` has the functions
ready to call; kernels in C, LLVM IR and MLIR go through ``mori cc``.

    >>> from mori.ir import MORI_DEVICE_FUNCTIONS, find_bitcode
    >>> MORI_DEVICE_FUNCTIONS["putmem_nbi_block"]["symbol"]
    'mori_shmem_putmem_nbi_block'
    >>> find_bitcode("sm_90")
    '.../nvptx64/libmori_shmem_device.bc'
"""

from mori.ir.bitcode import find_bitcode, get_bitcode_path
from mori.ir.ops import MORI_DEVICE_FUNCTIONS, SIGNAL_ADD, SIGNAL_SET

__all__ = ["MORI_DEVICE_FUNCTIONS", "SIGNAL_ADD", "SIGNAL_SET", "find_bitcode", "get_bitcode_path"]
