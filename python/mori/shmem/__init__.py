# SPDX-License-Identifier: MIT
"""The job, the symmetric heap, tensors on it, and every operation of a host thread.

Every call acts for one PE: the one its thread is bound to, else the only one of the process.
A failure raises mori.ShmemError with the library's text and status. Calls that block release the GIL.

Besides what is defined here, each operation of <mori/shmem.h> is an attribute under its name without
``mori_shmem_``, such as ``putmem_thread`` or ``uint64_wait_until``: see ``mori._ops``.
"""

from typing import Any

from mori._ops import constants as _constants
from mori._ops import ops as _ops
from mori.shmem._api import *  # noqa: F403
from mori.shmem._api import __all__ as _api_names
from mori.shmem._tensor import *  # noqa: F403
from mori.shmem._tensor import __all__ as _tensor_names

globals().update(_constants)
__all__ = [*_api_names, *_tensor_names, *_constants]


def __getattr__(name: str) -> Any:
    try:
        return _ops[name]
    except KeyError:
        raise AttributeError(f"module 'mori.shmem' has no attribute '{name}'") from None


def __dir__() -> list[str]:
    return sorted([*__all__, *_ops])
