# SPDX-License-Identifier: MIT
"""The functions of the device library as Triton sees them, made from the table as they are used.

In a compiled kernel each becomes a call of the bitcode; under Triton's interpreter it is
carried out by the host library.
"""

from __future__ import annotations

import inspect
import re
from typing import Any, Callable

import triton.language as tl
from triton.language import core

from mori.ir import ops as table
from mori.ir.ops import MORI_DEVICE_FUNCTIONS
from mori.ir.triton import checks

#: The name under which Triton knows the library. On AMD it links a library only if its name is part of
#: the name of a function that the kernel calls.
LIBRARY = "mori"

_TYPES = {
    name: getattr(tl, name)
    for name in "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split()
}

_SCOPES = {
    "thread": "Runs once for every thread of the block, 32 * num_warps times a program with a warp of 32.",
    "warp": "Runs once for every warp of the block, num_warps times a program.",
    "block": "Runs once for the block, that is, once a program: all its threads take part.",
    "none": "Gives every thread the same; how many call makes no difference.",
    "grid": "A fact of the grid or of the calling thread.",
}

SIGNAL_SET = tl.constexpr(table.SIGNAL_SET)
SIGNAL_ADD = tl.constexpr(table.SIGNAL_ADD)
CMP_EQ = tl.constexpr(table.CMP_EQ)
CMP_NE = tl.constexpr(table.CMP_NE)
CMP_GT = tl.constexpr(table.CMP_GT)
CMP_GE = tl.constexpr(table.CMP_GE)
CMP_LT = tl.constexpr(table.CMP_LT)
CMP_LE = tl.constexpr(table.CMP_LE)

CONSTANTS = [n for n in list(globals()) if n.startswith(("SIGNAL_", "CMP_"))]


def block_form(name: str) -> str | None:
    """The name of the same function for the whole block, if there is one."""
    for other in (name.replace("_thread", "_block").replace("_warp", "_block"), f"{name}_block"):
        if other != name and other in MORI_DEVICE_FUNCTIONS:
            return other
    return None


def _doc(name: str, meta: dict[str, Any]) -> str:
    scope = meta["scope"]
    lines = [f"``{meta['symbol']}()`` of ``<mori/shmem_device.h>``, family {meta['family']}.", "", _SCOPES[scope]]
    other = block_form(name) if scope in ("thread", "warp") else None
    if other:
        lines.append(f"What a Triton kernel wants is :func:`{other}`.")
    if scope == "block":
        lines.append("The arguments must be the same for all threads, as scalars of a program are.")
    if "memobj" in meta["args"]:
        lines.append("A memory object is a tuple (address, size, kind), as ``shmem_query_memobj()`` gives it.")
    if name.startswith("ctx_"):
        lines.append("``ctx`` says for which PE: ``mori.shmem.shmem_device_state()``.")
    if meta["ret"] != "void":
        value = "a status: 0, or a negative code" if meta["status"] else "the value"
        lines.append(f"Returns {value} (``{meta['ret']}``).")
    return "\n".join(lines)


def _scalar(name: str, param: str, value: Any, kind: str, pure: bool, semantic: Any) -> tl.tensor:
    """An argument as Triton's scalar of the type the function takes; addresses as integers."""
    value = core.cast(value, _TYPES[kind], _semantic=semantic)
    if value.type.is_block() and not pure:
        raise ValueError(f"{name}: {param} is a tensor of shape {value.shape}; the function takes scalars")
    return value


def _emit(name: str, args: list[Any], semantic: Any) -> tl.tensor:
    """A call of the function in the kernel that is being compiled."""
    meta = MORI_DEVICE_FUNCTIONS[name]
    if "memobj" in meta["args"]:
        return _emit_object(name, args, semantic)
    if meta["ret"] == "void":  # mori_block_sync: Triton has its own, and knows no calls without a result
        return core.debug_barrier(_semantic=semantic)
    if meta["scope"] == "block" and semantic.builder.options.num_ctas > 1:
        raise ValueError(f"{name}: with num_ctas > 1 a program is several blocks, and each would make the call")
    checks.note_call()
    pure = meta["pure"]
    values = [
        _scalar(name, param, value, kind, pure, semantic)
        for param, value, kind in zip(meta["params"], args, meta["args"], strict=True)
    ]
    key = tuple(_TYPES[kind] for kind in meta["args"])
    result = core.extern_elementwise(
        LIBRARY, "", values, {key: (meta["symbol"], _TYPES[meta["ret"]])}, is_pure=pure, _semantic=semantic
    )
    if meta["acquires"]:
        _hold_loads(semantic)
    return result


def _hold_loads(semantic: Any) -> None:
    """No later load of the kernel is moved before this.

    Triton's passes know nothing of what an external function does to memory: its pipeliner takes loads of later
    rounds of a loop to before the loop, and some versions merge two equal loads with a call between them. Of what
    it has, only its barrier stops all of them. Loads by tensor descriptors go through another proxy to memory, for
    which NVIDIA asks for a fence of its own.
    """
    options = semantic.builder.options
    if options.backend_name == "cuda" and int(re.search(r"\d+", str(options.arch))[0]) >= 90:
        fence = "fence.proxy.async.global; mov.b32 $0, 0;"
        core.inline_asm_elementwise(fence, "=r", [], tl.int32, False, 1, _semantic=semantic)
    core.debug_barrier(_semantic=semantic)


def _emit_object(name: str, args: list[Any], semantic: Any) -> tl.tensor:
    """An object form, by the form that takes addresses.

    No target passes a struct as scalars, which is all that Triton has. What does not lie in its object
    goes to PE -1, which gives the status that the object form gives.
    """
    meta = MORI_DEVICE_FUNCTIONS[name]
    given = dict(zip(meta["params"], args, strict=True))

    def u64(value: Any) -> tl.tensor:
        return _scalar(name, "an offset, a size or a part of an object", value, "uint64", False, semantic)

    inside, plain = None, []
    for param, kind in zip(meta["params"], meta["args"]):
        if kind != "memobj":
            if not param.endswith("_off"):
                plain.append(given[param])
            continue
        if len(given[param]) != 3:
            raise ValueError(f"{name}: {param} is not a memory object (address, size, kind)")
        addr, size = u64(given[param][0]), u64(given[param][1])
        off, length = u64(given[f"{param}_off"]), u64(8 if param == "sig" else given["bytes"])
        for holds in (
            addr.__ne__(u64(0), _semantic=semantic),
            off.__le__(size, _semantic=semantic),
            length.__le__(size.__sub__(off, _semantic=semantic), _semantic=semantic),
        ):
            inside = holds if inside is None else inside.__and__(holds, _semantic=semantic)
        plain.append(addr.__add__(off, _semantic=semantic))
    other = name.replace("_obj", "")
    at = MORI_DEVICE_FUNCTIONS[other]["params"].index("pe")
    pe = _scalar(name, "pe", plain[at], "int32", False, semantic)
    nobody = _scalar(name, "pe", -1, "int32", False, semantic)
    plain[at] = core.where(inside, pe, nobody, _semantic=semantic)
    return _emit(other, plain, semantic)


def make(name: str) -> Callable[..., Any]:
    """The function with this name, to be called in ``@triton.jit`` functions."""
    meta = MORI_DEVICE_FUNCTIONS[name]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    params = [inspect.Parameter(p, kind) for p in meta["params"]]
    signature = inspect.Signature(params)

    def function(*args: Any, _semantic: Any = None, **kwargs: Any) -> Any:
        try:
            values = list(signature.bind(*args, **kwargs).args)
        except TypeError as error:
            raise TypeError(f"{name}{signature}: {error}") from None
        if _semantic is not None:
            return _emit(name, values, _semantic)
        from mori.ir.triton import interpreter

        return interpreter.call(name, values)

    function.__name__ = function.__qualname__ = name
    function.__module__ = __package__
    function.__doc__ = _doc(name, meta)
    hidden = inspect.Parameter("_semantic", inspect.Parameter.KEYWORD_ONLY, default=None)
    function.__signature__ = inspect.Signature([*params, hidden])
    setattr(function, core.TRITON_BUILTIN, True)
    return function


def __getattr__(name: str) -> Callable[..., Any]:
    """Makes a function at its first use: there are many, and a kernel uses few."""
    if name not in MORI_DEVICE_FUNCTIONS:
        raise AttributeError(f"mori.ir.triton has no function {name!r}")
    globals()[name] = function = make(name)
    return function


checks.install()


def __dir__() -> list[str]:
    return sorted({*globals(), *MORI_DEVICE_FUNCTIONS})
