# SPDX-License-Identifier: MIT
"""Refuses, while it is compiled, a kernel in which Triton would not execute the library's calls as written.

All are known only when the whole kernel is there as Triton's IR, since a call may stand in a
function that is called elsewhere: a loop with ``warp_specialize=True``, whose calls Triton gives to
some of the warps or drops; a block form anywhere beside such a loop, since Triton starts further
warps for it, which never come to the call but count among the threads of its block; and a function
with ``noinline=True``, across whose calls it moves the caller's loads. Whether Triton splits the
loop up is not known here, and differs by GPU and version: a kernel is refused for all or none.
"""

from __future__ import annotations

import functools
import re
import threading
from typing import Any, Iterator

from triton.compiler import compiler as _compiler

from mori.ir.ops import MORI_DEVICE_FUNCTIONS

_SYMBOLS = {meta["symbol"]: name for name, meta in MORI_DEVICE_FUNCTIONS.items()}

_FUNCTION = re.compile(r"\s*tt\.func .*?@([^\s(]+)\(")
_EXTERN = re.compile(r'tt\.extern_elementwise .*pure = false, symbol = "(\w+)"')
_CALL = re.compile(r"tt\.call @([^\s(]+)\(")

_seen = threading.local()  # .any: the kernel that this thread compiles calls the library


def note_call() -> None:
    """Note that the kernel being compiled calls the library."""
    _seen.any = True


class _Region:
    """The calls between two braces: names of the library, and functions of the kernel as ``@name``."""

    def __init__(self, head: str):
        self.head = head
        self.calls: set[str] = set()


class _Kernel:
    """The functions of a module, those that are not inlined, and the loops that are split up among warps."""

    def __init__(self, text: str):
        self.functions: dict[str, set[str]] = {}
        self.apart: list[str] = []
        self.split: list[set[str]] = []
        stack = [_Region("")]
        for line in text.splitlines():
            if line.lstrip().startswith("}") and len(stack) > 1:
                self._close(stack.pop(), stack[-1], line)
            for symbol in _EXTERN.findall(line):
                if symbol in _SYMBOLS:
                    stack[-1].calls.add(_SYMBOLS[symbol])
            stack[-1].calls.update(f"@{name}" for name in _CALL.findall(line))
            if line.rstrip().endswith("{"):
                stack.append(_Region(line))

    def _close(self, region: _Region, around: _Region, line: str) -> None:
        around.calls |= region.calls
        if "tt.warp_specialize" in line:
            self.split.append(region.calls)
        function = _FUNCTION.match(region.head)
        if function:
            self.functions[function[1]] = region.calls
            if "noinline = true" in region.head:
                self.apart.append(function[1])

    def reached(self, calls: set[str]) -> Iterator[str]:
        """The library's functions among ``calls``, and in what these call."""
        known, todo = set(), list(calls)
        while todo:
            name = todo.pop()
            if name in known:
                continue
            known.add(name)
            if name.startswith("@"):
                todo += self.functions.get(name[1:], ())
            else:
                yield name


def _plain(function: str) -> str:
    """A function's name as in the source: Triton puts its module before it and its types after it."""
    return re.sub(r"(?<=.)__.*", "", function.strip('"').rpartition(".")[2])


def check(text: str, kernel: str) -> None:
    """Raises ValueError for a module, Triton's IR as text, that must not be compiled."""
    module = _Kernel(text)
    _check_split(module, kernel)
    for function in module.apart:
        for name in sorted(module.reached({f"@{function}"})):
            if MORI_DEVICE_FUNCTIONS[name]["acquires"]:
                raise ValueError(
                    f"{kernel}: {name} is called in {_plain(function)}, a function with "
                    "noinline=True. Triton moves its caller's loads to before it: leave noinline out"
                )


def _check_split(module: _Kernel, kernel: str) -> None:
    """For loops that are split up among warps: no call in them, and no block form beside them."""
    for calls in module.split:
        for name in sorted(module.reached(calls)):
            raise ValueError(
                f"{kernel}: {name} is called in a loop with warp_specialize=True. Triton gives such a call to some "
                "of the warps, or drops it: call it outside the loop, or leave warp_specialize out"
            )
    if not module.split:
        return
    for name in sorted(module.reached({f"@{function}" for function in module.functions})):
        if MORI_DEVICE_FUNCTIONS[name]["scope"] == "block":
            raise ValueError(
                f"{kernel}: {name} is called in a kernel with a loop with warp_specialize=True. Triton starts "
                "further warps for the loop, and the call would wait for them in vain: call it in another kernel, "
                "leave warp_specialize out, or use a thread form where each thread may make the call"
            )


def install() -> None:
    """Makes Triton's compiler run these checks. Safe to repeat."""
    source = _compiler.ASTSource
    original = source.make_ir
    if getattr(original, "mori", False):
        return

    @functools.wraps(original)
    def make_ir(self: Any, *args: Any, **kwargs: Any) -> Any:
        _seen.any = False
        module = original(self, *args, **kwargs)
        if _seen.any:
            text = str(module)
            if "tt.warp_specialize" in text or "noinline = true" in text:
                check(text, getattr(self.fn, "__name__", "kernel"))
        return module

    make_ir.mori = True
    source.make_ir = make_ir
