# SPDX-License-Identifier: MIT
"""Every host operation of the library, called from Python.

The extension module makes one callable of each from the list the C headers come from:
``ops["putmem_thread"]`` is mori_shmem_putmem_thread() and so on for put, get, signals, atomics,
waits, tests, order and barriers, with their ``ctx_`` forms, the ``_on_stream`` forms and the plain
host calls. ``mori.shmem`` shows them as attributes: ``mori.shmem.putmem_thread``.

    call("int32_test", addr, MORI_SHMEM_CMP_GE, 3)      # 1 or 0, never blocks
    call("putmem_signal_thread", dest, src, 64, sig, 1, MORI_SHMEM_SIGNAL_ADD, pe, 0)

Arguments go by position or by the C parameter's name. An address is an int, None (NULL), an object
with ``data_ptr()`` or one with the buffer protocol. The GIL is released while the library runs; a failure,
also of calls that return a value, raises ShmemError. ``op.args`` and ``op.returns`` have the types in C,
``op.family`` its page in the manual.
"""

import inspect
from typing import Any

from mori._shmem import Op, constants, ops

__all__ = ["call", "constants", "ops"]


def call(name: str, *args: Any, **kwargs: Any) -> Any:
    """Run the operation *name* (without ``mori_shmem_``)."""
    return ops[name](*args, **kwargs)


def signature(op: Op) -> inspect.Signature:
    """What inspect.signature() gives of an operation: the parameters of C."""
    return inspect.Signature(
        [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=ctype)
            for name, ctype in op.args
        ],
        return_annotation=op.returns,
    )
