# SPDX-License-Identifier: MIT
"""What a program needs beside its kernels: the library to link, and the hook that fills in whose
kernels they are."""

from __future__ import annotations

import threading
import warnings
import weakref
from typing import Any, Callable

from mori.ir.bitcode import find_bitcode
from mori.ir.triton.ops import LIBRARY

SYMBOL = "globalGpuStates"

_ESTATE, _ENOENT = -10, -3

# Kernels with our symbol and the thread that compiled them: its next init fills them in again.
_kernels: list[tuple[weakref.ref, int]] = []
_compiling = threading.local()  # .now: the compile hook of this thread loads a module itself


def interpreting() -> bool:
    """Whether Triton interprets kernels on the CPU (``TRITON_INTERPRET=1``)."""
    from triton import knobs

    return bool(knobs.runtime.interpret)


def _all_near() -> bool:
    """Whether this PE reaches every other by load and store; true where there is no PE."""
    from mori import shmem

    return not shmem.shmem_is_initialized() or shmem.shmem_heap_info().near == shmem.shmem_npes()


def get_extern_libs(target: Any = None, *, near: bool | None = None) -> dict[str, str]:
    """What to pass to a kernel as ``extern_libs=``.

    :param target: as for :func:`mori.ir.find_bitcode`; needed only to compile for a device that is not
        here.
    :param near: whether the kernel's peers all have load and store: it then carries no code for NICs, and compiles
        much sooner. ``None``: as it is for this PE, and true before init; say ``False`` to compile ahead of time for
        a job of several nodes.
    """
    try:
        return {LIBRARY: find_bitcode(target, near=_all_near() if near is None else near)}
    except FileNotFoundError:
        if target is None and interpreting():  # nothing is linked then
            return {}
        raise


def _holds_symbol(kernel: Any) -> bool:
    """Whether the code of a compiled kernel holds our symbol."""
    for stage in ("ptx", "amdgcn", "llir"):
        text = kernel.asm.get(stage)
        if isinstance(text, str):
            return SYMBOL in text
    return False


def _links_library(kernel: Any) -> bool:
    """Whether it was compiled with our library: with the forms that take a context it needs no symbol."""
    libs = getattr(getattr(kernel, "metadata", None), "extern_libs", None) or ()
    return any(name == LIBRARY for name, _ in (libs.items() if isinstance(libs, dict) else libs))


def _fill(module: Any, name: str) -> bool:
    """Tells a loaded module which PE it belongs to; False if there is no PE yet."""
    import mori
    import mori.shmem

    try:
        mori.shmem.shmem_module_init(module)
    except mori.ShmemError as error:
        if error.status == _ENOENT:
            return True
        if error.status != _ESTATE:
            raise
        warnings.warn(
            f"the Triton kernel {name} uses the MORI library and was compiled before this PE was "
            "initialised: until mori.shmem is, every call in it gives MORI_SHMEM_ESTATE. Initialise first.",
            RuntimeWarning,
            stacklevel=2,
        )
        return False
    return True


def _after_compile(key: Any, fn: Any, compile: dict[str, Any]) -> None:
    """Loads a kernel that uses the library and fills it in.

    At once, not at its first launch: loading a module may wait for kernels that run, and these for the one that
    is being loaded.
    """
    kernel = fn.jit_function.device_caches[compile["device"]][0].get(key)
    if kernel is None or not (_holds_symbol(kernel) or _links_library(kernel)):
        return
    _compiling.now = True
    try:
        kernel._init_handles()
    finally:
        _compiling.now = False
    if _holds_symbol(kernel):
        _kernels.append((weakref.ref(kernel), threading.get_ident()))
        _fill(kernel.module, fn.name)


def _after_load(module: Any, function: Any, name: str, metadata_group: dict[str, str], hash: str) -> None:
    """For kernels that come to be loaded without the JIT, as those of ``triton.compile()`` do."""
    del function, hash
    if getattr(_compiling, "now", False):
        return
    for path in map(str, metadata_group.values()):
        if path.endswith((".ptx", ".amdgcn", ".llir")):
            with open(path, encoding="utf-8", errors="replace") as file:
                if SYMBOL in file.read():
                    _fill(module, name)
            return


def _chained(before: Callable[..., Any] | None) -> Callable[..., Any]:
    """Our hook in front of the one that was there, which keeps its say."""

    def hook(*args: Any, **kwargs: Any) -> Any:
        try:
            _after_compile(kwargs["key"], kwargs["fn"], kwargs["compile"])
        finally:
            result = before(*args, **kwargs) if before else None
        return result

    hook.mori = True
    return hook


def install_hook() -> None:
    """Has Triton tell every kernel that uses the library which PE it belongs to, once it is compiled.

    Call it once, before the first launch; again does no harm. It adds to a hook that is there already and
    touches only modules that hold the library's symbol. A kernel that uses the library and is
    compiled before init is named in a ``RuntimeWarning``, and is filled in when init has been made.
    Under the interpreter there is nothing to do.
    """
    from triton import knobs

    if interpreting():
        return
    if not getattr(knobs.runtime.jit_post_compile_hook, "mori", False):
        knobs.runtime.jit_post_compile_hook = _chained(knobs.runtime.jit_post_compile_hook)
    loaded = getattr(knobs.runtime, "kernel_load_end_hook", None)
    if hasattr(loaded, "add"):
        loaded.add(_after_load)


def refill() -> None:
    """Fills in the kernels that this thread compiled before its PE was initialised, or in a job that is over.

    ``mori.shmem`` calls it after init.
    """
    _kernels[:] = [(ref, thread) for ref, thread in _kernels if ref() is not None]
    for ref, thread in _kernels:
        kernel = ref()
        if kernel is not None and thread == threading.get_ident():
            _fill(kernel.module, kernel.name)
