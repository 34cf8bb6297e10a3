# SPDX-License-Identifier: MIT
"""MORI Shmem: symmetric memory for kernels and host programs.

``mori.shmem`` has the job, the heap, tensors and every operation, ``mori.kernel`` runs kernels,
``mori.ir`` holds the device library for compilers. Importing this imports none of torch,
triton and numpy.
"""

from importlib import import_module as _import_module
from typing import Any

from mori._errors import ShmemError, ShmemTypeError, ShmemValueError
from mori._errors import did_you_mean as _did_you_mean
from mori._shmem import __version__

__all__ = [
    "ShmemError",
    "ShmemTypeError",
    "ShmemValueError",
    "__version__",
    "ir",
    "kernel",
    "shmem",
]


def __getattr__(name: str) -> Any:
    if name in ("ir", "kernel", "shmem"):
        return _import_module("mori." + name)
    raise AttributeError(f"module 'mori' has no attribute '{name}'{_did_you_mean(name, __all__)}")


def __dir__() -> list[str]:
    return sorted(__all__)
