# SPDX-License-Identifier: MIT
"""The device library in Triton kernels.

Every function of :data:`mori.ir.MORI_DEVICE_FUNCTIONS` is here under its name::

    import triton
    import triton.language as tl
    import mori.shmem as ms
    import mori.ir.triton as mori_shmem_device
    from mori.ir.triton import get_extern_libs

    @triton.jit
    def pass_on(box, n: tl.constexpr):
        right = (mori_shmem_device.my_pe() + 1) % mori_shmem_device.n_pes()
        mori_shmem_device.putmem_block(box, box + n, n * 4, right, 0)

    ms.shmem_init()
    pass_on[(1,)](tensor, n, extern_libs=get_extern_libs())

Triton calls a function from every thread of the block. The ``block`` forms are what a kernel wants: they
act once a program. The others act once a thread or once a warp, as their docstrings say.

With ``TRITON_INTERPRET=1`` the same kernels run on PEs of the CPU; programs that wait let the others run.
"""

from __future__ import annotations

from typing import Any, Callable

from mori.ir.ops import MORI_DEVICE_FUNCTIONS
from mori.ir.triton import ops as _ops
from mori.ir.triton.ops import (
    CMP_EQ,
    CMP_GE,
    CMP_GT,
    CMP_LE,
    CMP_LT,
    CMP_NE,
    SIGNAL_ADD,
    SIGNAL_SET,
)
from mori.ir.triton.runtime import get_extern_libs, install_hook, interpreting

__all__ = [*MORI_DEVICE_FUNCTIONS, *_ops.CONSTANTS, "get_extern_libs", "install_hook"]


def __getattr__(name: str) -> Callable[..., Any]:
    return getattr(_ops, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *MORI_DEVICE_FUNCTIONS})


if interpreting():
    from mori.ir.triton import interpreter as _interpreter

    _interpreter.install()
