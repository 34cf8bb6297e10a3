# SPDX-License-Identifier: MIT
"""The functions of the device library under Triton's interpreter, executed by the host library.

A program counts as a block of ``32 * num_warps`` threads: a function of a thread or a warp that changes
something each time it is called, such as an atomic, is carried out that many times, as on a GPU.
Waits let the other programs of the grid run (:mod:`mori.ir.triton.grid`).
"""

from __future__ import annotations

import ctypes
import re
import threading
import time
import warnings
import weakref
from typing import Any, Callable

import numpy as np
import triton.language as tl
from triton.runtime import interpreter as _triton

from mori import ShmemError, _shmem
from mori._ops import constants, ops
from mori.ir.ops import MORI_DEVICE_FUNCTIONS
from mori.ir.triton import grid, runtime
from mori.ir.triton.ops import _TYPES, LIBRARY
from mori.ir.triton.runtime import interpreting

WARP = 32

_ESTATE = constants["MORI_SHMEM_ESTATE"]
_ETIMEDOUT = constants["MORI_SHMEM_ETIMEDOUT"]

_CMP = {"equals": 0, "greater_than": 2}
_CMP_TEXT = ["==", "!=", ">", ">=", "<", "<="]
_WAIT = re.compile(r"(u?int\d\d)_wait_until(?:_(equals|greater_than|all|any|some))?(_for)?")

_NONE = (1 << 64) - 1  # an index that is none

_told: weakref.WeakSet = weakref.WeakSet()  # kernels that a GPU would not run as they are launched

# Functions that change something at every call.
_COUNTING = {"atomic", "signal", "put_signal"}


def host_name(name: str) -> str:
    """The host's function for one of the device: one thread does everything."""
    meta = MORI_DEVICE_FUNCTIONS[name]
    scope = meta["scope"]
    if scope not in ("warp", "block"):
        return name
    return name.replace(f"_{scope}", "" if meta["family"] in ("value", "wait") else "_thread")


def _plain(value: Any) -> Any:
    """What a kernel passed, as a number, an array of numbers, or a tuple of numbers."""
    value = getattr(value, "value", value) if isinstance(value, tl.constexpr) else value
    if isinstance(value, tl.tensor):
        data = value.handle.data
        return data.item() if data.size == 1 and not value.type.is_block() else data
    if isinstance(value, (tuple, list, tl.tuple)):
        return tuple(_plain(v) for v in value)
    return value


def _convert(name: str, param: str, value: Any, kind: str) -> Any:
    """Converts as C does when a value is passed: truncated, with the sign of the type."""
    if kind == "memobj":
        return tuple(int(v) for v in value)
    if kind.startswith("float"):
        return float(value)
    if not isinstance(value, (int, float, np.number, bool)):
        raise TypeError(f"{name}: {param} is {type(value).__name__}; a scalar was expected")
    bits = int(kind.lstrip("uint"))
    value = int(value) & ((1 << bits) - 1)
    return value - (1 << bits) if kind[0] == "i" and value >> (bits - 1) else value


def _result(value: Any, kind: str) -> tl.tensor:
    dtype = _TYPES[kind]
    data = np.asarray(value).astype(_triton._get_np_dtype(dtype))
    ty = dtype if data.size == 1 and data.ndim == 0 else tl.block_type(dtype, list(data.shape))
    return tl.tensor(_triton.TensorHandle(data.reshape(1) if data.ndim == 0 else data, dtype), ty)


def _not_here(name: str) -> RuntimeError:
    if interpreting():
        return RuntimeError(f"{name}: set TRITON_INTERPRET=1 before mori.ir.triton is imported, or call it in a kernel")
    return RuntimeError(
        f"{name} is for kernels: call it in a function with @triton.jit. On the host, mori.shmem has the operations."
    )


def _op(name: str) -> Callable[..., Any]:
    """An operation of the host, for a kernel: it does not report the kernel's earlier failures."""
    return ops[name].silent


def call(name: str, values: list[Any]) -> tl.tensor | None:
    """One call in the running program."""
    launch = grid.current()
    if launch is None or launch.current is None:
        raise _not_here(name)
    _as_on_a_gpu(launch)
    meta = MORI_DEVICE_FUNCTIONS[name]
    given = [_plain(v) for v in values]
    if meta["family"] == "grid":
        return _grid_fact(name, meta, launch)
    if any(isinstance(v, np.ndarray) for v in given):
        if not meta["pure"]:
            raise ValueError(f"{name}: an argument is a tensor; the function takes scalars")
        shape = np.broadcast_shapes(*(np.shape(v) for v in given))
        rows = zip(*(np.broadcast_to(v, shape).ravel() for v in given))
        found = [_once(name, meta, launch, list(row)) for row in rows]
        return _result(np.array(found).reshape(shape), meta["ret"])
    return _result(_once(name, meta, launch, given), meta["ret"])


def _once(name: str, meta: dict[str, Any], launch: grid.Launch, given: list[Any]) -> Any:
    args = [_convert(name, *pair) for pair in zip(meta["params"], given, meta["args"])]
    if meta["family"] == "wait" and "_wait_until" in name:
        return _wait(name, meta, launch, args)
    if meta["family"] == "barrier":
        return _barrier(name, launch, args)
    result = _guarded(name, launch, args, lambda: _repeated(name, meta, launch, args))
    if not meta["status"] and not meta["pure"]:
        launch.give_way()  # it may be polling
    return result


def _repeated(name: str, meta: dict[str, Any], launch: grid.Launch, args: list[Any]) -> Any:
    counting = meta["family"] in _COUNTING or (meta["family"] == "object" and "sig" in meta["params"])
    times = {"thread": WARP * launch.num_warps, "warp": launch.num_warps}.get(meta["scope"], 1)
    op = _op(host_name(name))
    result = op(*args)
    for _ in range(times - 1 if counting else 0):
        op(*args)
    return result


def _as_on_a_gpu(launch: grid.Launch) -> None:
    """Warns once per kernel of what is missing here but required on a GPU."""
    if not runtime.hooked:
        why = "neither get_extern_libs() nor install_hook() was called before: a GPU would not know whose it is"
    elif launch.libraries is None or (launch.libraries and LIBRARY not in dict(launch.libraries)):
        why = "was launched without extern_libs=get_extern_libs(): for a GPU it would not compile"
    else:
        return
    if launch.fn not in _told:
        _told.add(launch.fn)
        text = f"the kernel {launch.name} calls the MORI library and {why}"
        warnings.warn(text, RuntimeWarning, stacklevel=3)


def _leave(name: str, launch: grid.Launch, args: list[Any], status: int) -> None:
    """Keeps a failure for ``shmem_check()`` and for the later report, as a kernel on a GPU does."""
    given = dict(zip(MORI_DEVICE_FUNCTIONS[name]["params"], args))
    first = ("src", "dest") if "get" in name else ("dest", "addr", "addrs", "sig", "src")
    where = next((given[param] for param in first if param in given), 0)
    address = where[0] if isinstance(where, tuple) else where
    _shmem.leave_fault(status, name.removeprefix("ctx_"), given.get("pe", -1), address, launch.current.index)


def _guarded(name: str, launch: grid.Launch, args: list[Any], run: Callable[[], Any]) -> Any:
    """A failing call returns a status to the kernel and is kept by the PE, as on a GPU; without a PE it raises."""
    try:
        return run()
    except ShmemError as error:
        if error.status == _ESTATE:
            raise
        _leave(name, launch, args, error.status)
        return error.status if MORI_DEVICE_FUNCTIONS[name]["status"] else _nothing(name)


def _nothing(name: str) -> int:
    """The result of a failed call that should return a value."""
    return _NONE if "_wait_until_any" in name else 0


def _grid_fact(name: str, meta: dict[str, Any], launch: grid.Launch) -> tl.tensor | None:
    """A program stands for the first thread of its block."""
    builder = _triton.interpreter_builder
    axis = {"_y": 1, "_z": 2}.get(name[-2:], 0)
    facts = {
        "mori_block_id": builder.grid_idx[axis],
        "mori_grid_size": builder.grid_dim[axis],
        "mori_block_size": 1 if axis else WARP * launch.num_warps,
        "mori_thread_id": 0,
        "mori_lane_id": 0,
        "mori_warp_size": WARP,
        "mori_clock_ns": time.monotonic_ns(),
        "mori_block_sync": None,
    }
    fact = name[:-2] if axis else name
    if fact not in facts:
        raise NotImplementedError(f"{name}: an interpreted program has no such thing")
    return None if facts[fact] is None else _result(facts[fact], meta["ret"])


class _Words:
    """What a wait polls: words of one type, a comparison and a value."""

    def __init__(self, form: re.Match, ctx: list[int], args: dict[str, Any]):
        self.type, self.form, bounded = form.groups()
        self.ctx, self.bounded = ctx, bool(bounded)
        self.first = args.get("addr", args.get("addrs"))
        self.size = 4 if self.type.endswith("32") else 8
        self.cmp = args.get("cmp", _CMP.get(self.form, 0))
        self.value = args["value"]
        self.ns = args.get("ns")
        self.indices = args.get("indices", 0)
        skip = args.get("skip", 0)
        self.at = [i for i in range(args.get("n", 1)) if not (skip and _load(skip + 4 * i, "int32"))]
        self.prefix = "ctx_" if ctx else ""

    def wrong(self) -> bool:
        nowhere = self.form == "some" and not self.indices
        return not self.first or self.first % self.size or not 0 <= self.cmp < len(_CMP_TEXT) or nowhere

    def holds(self, i: int) -> bool:
        """Acquires: a program that sees the condition hold sees what came before."""
        test = _op(f"{self.prefix}{self.type}_test")
        return bool(test(*self.ctx, self.first + i * self.size, self.cmp, self.value))

    def ready(self) -> bool:
        if self.form in ("any", "some"):
            return any(map(self.holds, self.at)) or not self.at
        while self.at and self.holds(self.at[0]):
            self.at.pop(0)
        return not self.at

    def doze(self, nap: float) -> None:
        """Tests the first word; the library detects lost PEs."""
        wait = _op(f"{self.prefix}{self.type}_wait_until_for")
        try:
            wait(*self.ctx, self.first + self.at[0] * self.size, self.cmp, self.value, int(nap * 1e9))
        except ShmemError as error:
            if error.status != _ETIMEDOUT:
                raise

    def __str__(self) -> str:
        count = f"{len(self.at)} words from " if self.form in ("all", "any", "some") else ""
        compare = _CMP_TEXT[self.cmp] if 0 <= self.cmp < len(_CMP_TEXT) else f"(comparison {self.cmp})"
        return f"{count}0x{self.first:x} {compare} {self.value}"


def _load(addr: int, kind: str) -> int:
    """An aligned word of this process's memory."""
    return getattr(ctypes, f"c_{kind}").from_address(addr).value


def _wait(name: str, meta: dict[str, Any], launch: grid.Launch, args: list[Any]) -> int:
    """A wait of any form. One without a limit of its own raises when it cannot end."""
    named = dict(zip(meta["params"], args))
    ctx = [named["ctx"]] if "ctx" in named else []
    form = _WAIT.fullmatch(host_name(name).removeprefix("ctx_"))
    words = _Words(form, ctx, named)
    if words.wrong():
        # The library reports what is wrong with it.
        return _guarded(name, launch, args, lambda: _op(host_name(name))(*args))
    everything = list(words.at)
    left = words.ns / 1e9 if words.bounded else grid.seconds("MORI_SHMEM_WAIT_TIMEOUT", 0)
    held = launch.wait(grid.Wait(f"{name}({words})", words.ready, words.doze, left))
    if held:
        return _seen(words, everything)
    if words.bounded:
        _leave(name, launch, args, _ETIMEDOUT)
        return _ETIMEDOUT if meta["status"] else _nothing(name)
    text = f"{launch.where()}: {name}({words}) did not come within {left:g} s (MORI_SHMEM_WAIT_TIMEOUT)"
    raise ShmemError(_ETIMEDOUT, text)


def _seen(words: _Words, everything: list[int]) -> int:
    """The result of the wait when its condition held."""
    if words.form == "greater_than":
        return _load(words.first, words.type)
    if words.form in ("any", "some"):
        found = [i for i in everything if words.holds(i)]
        if words.form == "any":
            return found[0] if found else _NONE
        (ctypes.c_uint64 * len(found)).from_address(words.indices)[:] = found
        return len(found)
    return 0


def _barrier(name: str, launch: grid.Launch, args: list[Any]) -> int:
    """Blocks if no other program of the grid is left; else a thread waits in the barrier meanwhile."""
    where = launch.where()
    try:
        if launch.alone():
            return _op(host_name(name))(*args)
        return _stand_in(name, launch, args)
    except ShmemError as error:
        raise grid.named(error, f"{where}: {name}") from None


def _stand_in(name: str, launch: grid.Launch, args: list[Any]) -> int:
    ctx = args or [_shmem.device_state()]
    op = _op(host_name(name if args else f"ctx_{name}"))
    outcome: list[Any] = []

    def stand() -> None:
        try:
            outcome.append(op(*ctx))
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=stand, name=f"mori {name}", daemon=True)
    thread.start()
    launch.wait(grid.Wait(name, lambda: not thread.is_alive(), thread.join))
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]


install = grid.install
