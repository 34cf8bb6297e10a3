# SPDX-License-Identifier: MIT
"""What an operation needs to know of an array, whichever library made it: torch, numpy, jax, cupy, or an
object with the buffer protocol."""

from __future__ import annotations

import itertools
import math
import sys
from typing import Any, Iterator, NamedTuple

from mori._errors import type_error, value_error

# Type characters of the buffer protocol, and what the others call that type.
_FORMATS = {
    "?": "bool",
    "c": "uint8",
    "e": "float16",
    "f": "float32",
    "d": "float64",
} | {
    char: f"{sign}int{8 * size}"
    for chars, size in (("b", 1), ("h", 2), ("i", 4), ("l", 8), ("q", 8))
    for char, sign in ((chars, ""), (chars.upper(), "u"))
}


class Span(NamedTuple):
    """Elements in memory. *memory* is the address of the first, or a memoryview of all of them."""

    memory: Any
    dtype: str
    itemsize: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]  # in bytes
    writable: bool

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def contiguous(self) -> bool:
        return not self.size or self.strides == _row_major(self.shape, self.itemsize)

    def at(self, offset: int) -> Any:
        """What the operations of the library take for the memory from *offset* bytes on."""
        return self.memory + offset if isinstance(self.memory, int) else self.memory[offset:]


def _row_major(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    return tuple(itemsize * math.prod(shape[i + 1 :]) for i in range(len(shape)))


def _interface(x: Any, about: dict[str, Any]) -> Span:
    address, readonly = about["data"]
    itemsize, shape = int(about["typestr"][2:]), tuple(about["shape"])
    strides = about.get("strides") or _row_major(shape, itemsize)
    return Span(address, str(x.dtype), itemsize, shape, tuple(strides), not readonly)


def _buffer(what: str, name: str, x: Any) -> Span:
    try:
        view = memoryview(x)
    except TypeError:
        raise type_error(
            f"{what}: {name} is of type {type(x).__name__}; it must be a tensor, an array, or an object with a buffer"
        ) from None
    dtype = _FORMATS.get(view.format.lstrip("@=<"))
    if dtype is None or not view.c_contiguous:
        raise type_error(
            f"{what}: {name} has a buffer of format {view.format!r}"
            + ("" if dtype else "; numpy.asarray() makes an array of it")
            + ("" if view.c_contiguous else " that is not contiguous")
        )
    raw = view.cast("B") if view.nbytes else memoryview(b"")
    strides = _row_major(view.shape, view.itemsize)
    return Span(raw, dtype, view.itemsize, view.shape, strides, not view.readonly)


def span(what: str, name: str, x: Any) -> Span:
    """The elements of *x*, which is the argument *name* of *what*."""
    if hasattr(x, "data_ptr"):
        if getattr(x, "_mori_shmem", None) == "freed":
            raise value_error(f"{what}: {name} is a tensor that was freed already")
        shape, itemsize = tuple(x.shape), x.itemsize
        strides = (
            tuple(n * itemsize for n in x.stride())
            if hasattr(x, "stride")
            else _row_major(shape, itemsize)
        )
        dtype = str(x.dtype).removeprefix("torch.")
        return Span(x.data_ptr(), dtype, itemsize, shape, strides, True)
    if hasattr(x, "unsafe_buffer_pointer"):  # jax, whose arrays nobody may write
        shape, itemsize = tuple(x.shape), x.dtype.itemsize
        strides = _row_major(shape, itemsize)
        return Span(x.unsafe_buffer_pointer(), str(x.dtype), itemsize, shape, strides, False)
    numpy = sys.modules.get("numpy")
    if numpy and isinstance(x, numpy.generic):
        raise type_error(
            f"{what}: {name} is a number, which numpy copies out of its array; pass a slice of one element, a[0:1]"
        )
    for interface in ("__cuda_array_interface__", "__array_interface__"):
        about = getattr(x, interface, None)
        if about is not None:
            return _interface(x, about)
    return _buffer(what, name, x)


def pair(what: str, dest: Any, src: Any) -> tuple[Span, Span]:
    """The elements of both sides of a copy, which must be alike."""
    d, s = span(what, "dest", dest), span(what, "src", src)
    if d.dtype != s.dtype:
        raise type_error(f"{what}: dest is of {d.dtype}, src of {s.dtype}")
    if d.shape != s.shape:
        raise value_error(f"{what}: dest has the shape {d.shape}, src {s.shape}")
    return d, s


def rows(d: Span, s: Span) -> tuple[int, list[tuple[Any, Any]]]:
    """The bytes of a row, and the memory of each in *d* and *s*: rows are as long as both are contiguous."""
    row, outer = d.itemsize, len(d.shape)
    while outer and (
        d.shape[outer - 1] == 1 or d.strides[outer - 1] == s.strides[outer - 1] == row
    ):
        outer -= 1
        row *= d.shape[outer]
    if not d.size:
        return 0, [(d.memory, s.memory)]

    def offsets(strides: tuple[int, ...]) -> Iterator[int]:
        places = itertools.product(*map(range, d.shape[:outer]))
        return (sum(map(int.__mul__, place, strides)) for place in places)

    return row, [(d.at(i), s.at(j)) for i, j in zip(offsets(d.strides), offsets(s.strides))]
