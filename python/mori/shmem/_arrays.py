# SPDX-License-Identifier: MIT
"""Operations on tensors and arrays: one name each, without type, scope and sizes, which come from the arguments.

Symmetric memory (``dest`` of a put, ``src`` of a get, signals, words of atomics) is a tensor or an array on this
PE's heap, or a slice of one; *pe* says on which PE the same place is meant. The other side of a copy is any
tensor, array or buffer of the same type and shape. Slices that are not contiguous go row by row.

The functions on one element (``p``, ``g`` and ``atomic_...``) are made of the list of operations.
"""

from __future__ import annotations

import functools
import inspect
import re
import threading
from typing import Any, Callable, Sequence

from mori import _shmem
from mori._errors import type_error, value_error, wrong_arguments
from mori.shmem import _tensor
from mori.shmem._api import check_pe
from mori.shmem._span import Span, pair, rows, span

_op = _shmem.ops

# p, wait_until, atomic_fetch_add and so on: {dtype: operation}.
_typed: dict[str, dict[str, Any]] = {}
_TYPED_NAME = re.compile(
    r"(u?int(?:8|16|32|64)|float|double)_(p|g|test|wait_until(?:_any|_all|_some)?(?:_for)?|atomic_\w+?)(?:_thread)?"
)
for _name, _operation in _op.items():
    if _match := _TYPED_NAME.fullmatch(_name):
        _dtype = {"float": "float32", "double": "float64"}.get(_match[1], _match[1])
        _typed.setdefault(_match[2], {})[_dtype] = _operation

_CMPS = {"==": "EQ", "!=": "NE", ">": "GT", ">=": "GE", "<": "LT", "<=": "LE"}
_CMPS = {sign: _shmem.constants[f"MORI_SHMEM_CMP_{name}"] for sign, name in _CMPS.items()}
_SIGNAL_OPS = {name: _shmem.constants[f"MORI_SHMEM_SIGNAL_{name.upper()}"] for name in ("set", "add")}

_thread = threading.local()  # held: what operations with nbi=True still use


def _hold(*objects: Any) -> None:
    _thread.__dict__.setdefault("held", []).extend(objects)


def _let_go() -> None:
    _thread.__dict__.pop("held", None)


def _spelt(f: Callable[..., Any]) -> Callable[..., Any]:
    """*f*, with an error that helps for names of arguments that it does not have."""
    names = tuple(inspect.signature(f).parameters)

    @functools.wraps(f)
    def call(*args: Any, **named: Any) -> Any:
        if not named.keys() <= set(names):
            raise wrong_arguments(f.__name__, names, len(args), named)
        return f(*args, **named)

    return call


def _code(what: str, name: str, value: Any, codes: dict[str, int]) -> int:
    if value in codes:
        return codes[value]
    if isinstance(value, int):
        return value
    raise value_error(f"{what}: {name} {value!r} is none of {', '.join(codes)}")


def _copy(
    what: str, direction: str, dest: Any, src: Any, pe: int, nbi: bool, qp: int, rest: tuple = ()
) -> None:
    """*rest*: signal, value and op behind the last row."""
    d, s = pair(what, dest, src)
    if direction == "get" and not d.writable:
        raise value_error(f"{what}: dest cannot be written")
    row, pieces = rows(d, s)
    post = _op[f"{direction}mem_nbi_thread"]
    kind = ("_nbi" if nbi else "") + ("_signal" if rest else "")
    for to, of in pieces[:-1]:
        post(to, of, row, pe, qp)
    if rest and len(pieces) > 1:
        _op["fence_thread_pe"](pe)
    to, of = pieces[-1]
    _op[f"{direction}mem{kind}_thread"](to, of, row, *rest, pe, qp)
    if nbi:
        _hold(dest, src)
    elif len(pieces) > 1:
        _op["quiet_thread_pe"](pe)


@_spelt
def put(dest: Any, src: Any, pe: int, *, nbi: bool = False, qp: int = 0) -> None:
    """Write *src* into PE *pe*'s copy of *dest*. With *nbi* it may return before it is there: see quiet()."""
    _copy("put", "put", dest, src, pe, nbi, qp)


@_spelt
def get(dest: Any, src: Any, pe: int, *, nbi: bool = False, qp: int = 0) -> None:
    """Read PE *pe*'s copy of *src* into *dest*. With *nbi* it may return before it is there: see quiet()."""
    _copy("get", "get", dest, src, pe, nbi, qp)


def _signal(what: str, sig: Any) -> Any:
    word = span(what, "sig", sig)
    if word.dtype not in ("int64", "uint64") or word.size != 1:
        raise type_error(
            f"{what}: sig is one element of int64 or uint64, not {word.size} of {word.dtype}"
        )
    return word.memory


@_spelt
def put_signal(
    dest: Any,
    src: Any,
    sig: Any,
    pe: int,
    value: int = 1,
    op: str | int = "set",
    *,
    nbi: bool = False,
    qp: int = 0,
) -> None:
    """As put(), then update the signal *sig* of PE *pe*: "set" it to *value*, or "add" *value* to it."""
    rest = (_signal("put_signal", sig), value, _code("put_signal", "op", op, _SIGNAL_OPS))
    _copy("put_signal", "put", dest, src, pe, nbi, qp, rest)


@_spelt
def signal(sig: Any, pe: int, value: int = 1, op: str | int = "set", *, qp: int = 0) -> None:
    """Update the signal *sig* of PE *pe*: "set" it to *value*, or "add" *value* to it."""
    code = _code("signal", "op", op, _SIGNAL_OPS)
    _op["signal_op_thread"](_signal("signal", sig), value, code, pe, qp)


def _of_type(what: str, call: str, name: str, x: Any) -> tuple[Any, Span]:
    """The operation for the type of *x*, and where that lies."""
    s = span(what, name, x)
    found = _typed[call].get(s.dtype)
    if not found:
        raise type_error(
            f"{what}: {name} is of {s.dtype}; there is {what}() for {', '.join(_typed[call])}"
        )
    return found, s


def _one(what: str, call: str, name: str, x: Any) -> tuple[Any, Any]:
    found, s = _of_type(what, call, name, x)
    if s.size != 1:
        raise value_error(
            f"{what}: {name} has {s.size} elements, and the call is about one; pass a slice of it"
        )
    return found, s.memory


def _element_call(name: str) -> Callable[..., Any]:
    """The operation *name* of the list on one element, of the type of its first argument."""
    example = next(iter(_typed[name].values()))
    names = tuple(arg for arg, _ in example.args[:-1])  # without qp

    def call(*args: Any, qp: int = 0, **named: Any) -> Any:
        if len(args) != len(names) or named:
            rest = names[len(args) :]
            if len(args) + len(named) != len(names) or any(n not in named for n in rest):
                raise wrong_arguments(name, names, len(args), named)
            args += tuple(named[n] for n in rest)
        found, address = _one(name, name, names[0], args[0])
        return found(address, *args[1:], qp)

    kinds = inspect.Parameter
    call.__name__ = call.__qualname__ = name
    call.__signature__ = inspect.Signature(
        [
            *(kinds(n, kinds.POSITIONAL_OR_KEYWORD) for n in names),
            kinds("qp", kinds.KEYWORD_ONLY, default=0),
        ]
    )
    call.__doc__ = (
        f"mori_shmem_<type>_{name}() for the type of {names[0]}: {', '.join(_typed[name])}."
    )
    return call


_ELEMENT_CALLS = [name for name in _typed if name in ("p", "g") or name.startswith("atomic_")]
globals().update({name: _element_call(name) for name in _ELEMENT_CALLS})


def _wait(
    call: str, addr: Any, cmp: Any, value: int, timeout: float | None, many: tuple | None = None
) -> Any:
    """*many*: what stands behind the address of several words."""
    name = call + ("" if timeout is None else "_for")
    if many is None:
        found, address = _one(call, name, "addr", addr)
    else:
        found, words = _of_type(call, name, "addr", addr)
        address = words.memory
        if words.strides != (words.itemsize,):
            raise value_error(f"{call}: addr must have one dimension and be contiguous")
        many = (words.size, *many)
    limit = () if timeout is None else (max(0, int(timeout * 1e9)),)
    return found(address, *(many or ()), _code(call, "cmp", cmp, _CMPS), value, *limit)


def _skips(call: str, addr: Any, skip: Sequence[bool] | None) -> Any:
    if skip is None:
        return None
    if len(skip) != len(addr):
        raise value_error(f"{call}: skip has {len(skip)} elements, addr {len(addr)}")
    return b"".join(int(bool(s)).to_bytes(4, "little") for s in skip)


@_spelt
def wait_until(addr: Any, cmp: str | int, value: int, *, timeout: float | None = None) -> None:
    """Wait until this PE's word *addr* compares so with *value*, as in wait_until(flag, ">=", 3).

    *timeout* is in seconds; after it MORI_SHMEM_ETIMEDOUT is raised. None: as MORI_SHMEM_WAIT_TIMEOUT says.
    """
    _wait("wait_until", addr, cmp, value, timeout)


@_spelt
def wait_until_all(
    addr: Any,
    cmp: str | int,
    value: int,
    *,
    skip: Sequence[bool] | None = None,
    timeout: float | None = None,
) -> None:
    """As wait_until() for all words of *addr*, but for those that *skip* leaves out."""
    _wait("wait_until_all", addr, cmp, value, timeout, (_skips("wait_until_all", addr, skip),))


@_spelt
def wait_until_any(
    addr: Any,
    cmp: str | int,
    value: int,
    *,
    skip: Sequence[bool] | None = None,
    timeout: float | None = None,
) -> int | None:
    """As wait_until() for any word of *addr*: its index; None if *skip* leaves out all."""
    i = _wait("wait_until_any", addr, cmp, value, timeout, (_skips("wait_until_any", addr, skip),))
    return i if i < len(addr) else None


@_spelt
def wait_until_some(
    addr: Any,
    cmp: str | int,
    value: int,
    *,
    skip: Sequence[bool] | None = None,
    timeout: float | None = None,
) -> list[int]:
    """As wait_until_any(): the indices of all words that compare so."""
    found = memoryview(bytearray(8 * len(addr))).cast("N")
    many = (found, _skips("wait_until_some", addr, skip))
    n = _wait("wait_until_some", addr, cmp, value, timeout, many)
    return found.tolist()[:n]


@_spelt
def test(addr: Any, cmp: str | int, value: int) -> bool:
    """Whether this PE's word *addr* compares so with *value* now."""
    return bool(_wait("test", addr, cmp, value, None))


@_spelt
def quiet(pe: int | None = None) -> None:
    """Complete what this thread issued, or that of it for PE *pe*."""
    if pe is not None:
        _op["quiet_thread_pe"](pe)
        return
    _op["quiet_thread"]()
    _let_go()


@_spelt
def fence(pe: int | None = None) -> None:
    """Order what this thread issued before what it issues next, on each PE or on PE *pe*."""
    _op["fence_thread"]() if pe is None else _op["fence_thread_pe"](pe)


def barrier() -> None:
    """Complete what this PE issued, then synchronise with all PEs; collective."""
    _op["barrier_all"]()
    _let_go()


def sync() -> None:
    """Synchronise with all PEs; collective. Completes nothing."""
    _op["sync_all"]()


@_spelt
def empty(shape: int | Sequence[int], dtype: Any) -> Any:
    """A tensor or an array on the symmetric heap, not initialised; collective.

    A dtype of torch gives a torch tensor; one of numpy or ml_dtypes, or its name, gives a numpy array, which
    jax.numpy.from_dlpack() takes. Give it back with free().
    """
    return _tensor.create("empty", shape, dtype, _op["malloc"])


@_spelt
def zeros(shape: int | Sequence[int], dtype: Any) -> Any:
    """As empty(), zero on every PE when it returns."""
    return _tensor.create("zeros", shape, dtype, lambda nbytes: _op["calloc"](nbytes, 1))


@_spelt
def free(t: Any) -> None:
    """Give a tensor or an array of empty() or zeros(), or an address of malloc(), back; collective.

    A tensor is empty afterwards; an array cannot be written any more.
    """
    _tensor.free(t)


@_spelt
def peer(t: Any, pe: int) -> Any:
    """PE *pe*'s copy of *t* as a tensor or an array over that PE's memory, for load and store; not collective."""
    check_pe("peer", pe)
    return _tensor.peer(t, pe)


__all__ = [
    *_ELEMENT_CALLS,
    "barrier",
    "empty",
    "fence",
    "free",
    "get",
    "peer",
    "put",
    "put_signal",
    "quiet",
    "signal",
    "sync",
    "test",
    "wait_until",
    "wait_until_all",
    "wait_until_any",
    "wait_until_some",
    "zeros",
]
