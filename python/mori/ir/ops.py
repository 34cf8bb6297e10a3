# SPDX-License-Identifier: MIT
"""What kernels can call: one entry per function of the device library.

:data:`MORI_DEVICE_FUNCTIONS` maps a name to a dict with

``symbol``
    the name in ``libmori_shmem_device.bc``;
``args``
    the types of its arguments: ``int8`` to ``int64``, ``uint8`` to ``uint64``, ``float32``,
    ``float64``; pointers are addresses, ``uint64``; ``memobj`` is the struct
    ``mori_shmem_memobj_t`` by value;
``ret``
    the type of its result, ``void`` for none;
``pure``
    whether a compiler may leave out, repeat or move a call;
``acquires``
    whether it acquires or completes: loads behind a call of it must not be moved before it;
``status``
    whether the result is a status, 0 or a negative code, and no value;
``params``, ``family``, ``scope``
    the names of the arguments, the group as in the manual, and who calls it: ``thread``,
    ``warp`` or ``block``, ``none`` where it makes no difference, ``grid`` for the facts of a grid.

A name is that of the C function without ``mori_shmem_``; ``ctx_<name>`` takes the context of a
PE first. It all comes from the list of operations in ``src/ops/shmem_list.h``.
"""

from __future__ import annotations

import re
from typing import Any

from mori.ir._table import PROTOTYPES

SIGNAL_SET = 9
SIGNAL_ADD = 10

CMP_EQ, CMP_NE, CMP_GT, CMP_GE, CMP_LT, CMP_LE = range(6)

_SCALARS = {
    "void": "void",
    "char": "int8",
    "signed char": "int8",
    "unsigned char": "uint8",
    "short": "int16",
    "unsigned short": "uint16",
    "int": "int32",
    "unsigned int": "uint32",
    "long": "int64",
    "unsigned long": "uint64",
    "long long": "int64",
    "unsigned long long": "uint64",
    "size_t": "uint64",
    "float": "float32",
    "double": "float64",
    "mori_shmem_memobj_t": "memobj",
    "mori_shmem_team_t": "int32",
} | {f"{sign}int{bits}_t": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}

_LINE = re.compile(r"(\w+) (\w+) (acquires|-) ([\w ]+?) (\*?) ?(\w+)\((.*)\)")
_PARAM = re.compile(r"(?:const )?([\w ]+?) (\*?)(\w+)")

# Facts that do not change while a kernel runs.
_PURE = {"my_pe", "n_pes", "ptr_p2p", "ptr"}
# A status is an int; these return an int as a value.
_INT_VALUE = re.compile(r"my_pe|n_pes|status|int_g(_block)?|\w+_test(_block)?")


def _param(text: str) -> tuple[str, str]:
    ctype, star, name = _PARAM.fullmatch(text).groups()
    return name, "uint64" if star else _SCALARS[ctype]


def _entries(line: str) -> list[tuple[str, dict[str, Any]]]:
    """The entry of one line of the table, and that of its form with a context."""
    family, scope, order, returns, star, name, params = _LINE.fullmatch(line).groups()
    pairs = [_param(p) for p in params.split(", ")] if params else []
    common = {
        "ret": "uint64" if star else _SCALARS[returns],
        "status": returns == "int" and not _INT_VALUE.fullmatch(name),
        "family": family,
        "scope": scope,
        "acquires": order == "acquires",
    }
    pure = name in _PURE or (family == "grid" and scope == "grid" and returns == "uint32_t")

    def entry(symbol: str, pairs: list[tuple[str, str]]) -> dict[str, Any]:
        args = [kind for _, kind in pairs]
        return {"symbol": symbol, "args": args, **common, "pure": pure, "params": [n for n, _ in pairs]}

    if family == "grid":
        return [(name, entry(name, pairs))]
    return [
        (name, entry(f"mori_shmem_{name}", pairs)),
        (f"ctx_{name}", entry(f"mori_shmem_ctx_{name}", [("ctx", "uint64"), *pairs])),
    ]


#: Every function of the device library, by name.
MORI_DEVICE_FUNCTIONS: dict[str, dict[str, Any]] = dict(
    entry for line in PROTOTYPES.splitlines() for entry in _entries(line)
)
