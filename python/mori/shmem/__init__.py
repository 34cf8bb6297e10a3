# SPDX-License-Identifier: MIT
"""The job, the symmetric heap, tensors and arrays on it, and every operation of a host thread.

Every call acts for one PE: the one its thread is bound to, else the only one of the process.
A failure raises mori.ShmemError with the library's text and status. Calls that block release the GIL.

    with mori.shmem.job() as me:
        box = mori.shmem.zeros(8, "float32")
        mori.shmem.put(box, numpy.ones(8, "float32"), (me.pe + 1) % me.n)
        mori.shmem.barrier()

What takes tensors and arrays is in ``mori.shmem._arrays``. Besides, each operation of <mori/shmem.h> is an
attribute under its name without ``mori_shmem_``, such as ``putmem_thread``: see ``mori._ops``. What is called
``shmem_malloc`` here has the name ``malloc`` as well, and so have the others that begin with ``shmem_``.
"""

from typing import Any

from mori._errors import did_you_mean as _did_you_mean
from mori._ops import constants as _constants
from mori._ops import ops as _ops
from mori.shmem._api import *  # noqa: F403
from mori.shmem._api import __all__ as _api_names
from mori.shmem._arrays import *  # noqa: F403
from mori.shmem._arrays import __all__ as _array_names
from mori.shmem._tensor import *  # noqa: F403
from mori.shmem._tensor import __all__ as _tensor_names

globals().update(_constants)
__all__ = [*_api_names, *_array_names, *_tensor_names, *_constants]
_short = {
    name.removeprefix("shmem_"): name for name in _api_names if name.startswith("shmem_")
}
for _name in _short:
    globals().setdefault(_name, globals()[_short[_name]])
_names = {*__all__, *_short, *_ops}


def __getattr__(name: str) -> Any:
    try:
        return _ops[name]
    except KeyError:
        near = "" if name.startswith("__") else _did_you_mean(name, _names)
        raise AttributeError(f"module 'mori.shmem' has no attribute '{name}'{near}") from None


def __dir__() -> list[str]:
    return sorted(_names)
