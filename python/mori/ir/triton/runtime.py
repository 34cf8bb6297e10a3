# SPDX-License-Identifier: MIT
"""What a program needs besides its kernels: the library to link, and the hook that fills in to
which PE they belong."""

from __future__ import annotations

import threading
import warnings
import weakref
from typing import Any, Callable

from mori.ir.bitcode import P2P, find_bitcode, renamed_near
from mori.ir.triton.ops import LIBRARY

SYMBOL = "globalGpuStates"

_ESTATE, _ENOENT, _ENOTSUP = -10, -3, -8

# Kernels with our symbol and the thread that compiled them: its next init fills them in again.
_kernels: list[tuple[weakref.ref, int]] = []
_compiling = threading.local()  # .now: the compile hook of this thread loads a module itself

hooked = False  # whether the program has called install_hook() or get_extern_libs()


def interpreting() -> bool:
    """Whether Triton interprets kernels on the CPU (``TRITON_INTERPRET=1``)."""
    from triton import knobs

    return bool(knobs.runtime.interpret)


def _all_p2p() -> bool | None:
    """Whether this PE reaches all memory of every other by load and store; None if there is no PE yet."""
    from mori import shmem

    if not shmem.shmem_is_initialized():
        return None
    return shmem.shmem_heap_info().p2p == shmem.shmem_npes()


def _warn_without_gpu() -> None:
    """Before the launch, at which Triton reports "0 active drivers ([])" and not what to do."""
    from triton.backends import backends

    if not any(backend.driver.is_active() for backend in backends.values()):
        warnings.warn(
            "Triton finds no GPU here: set TRITON_INTERPRET=1 before triton is imported to run kernels on the CPU, "
            "or pass a target to compile for a GPU that is not here",
            RuntimeWarning,
            stacklevel=3,
        )


def get_extern_libs(target: Any = None, *, p2p: bool | None = None, near: bool | None = None) -> dict[str, str]:
    """What to pass to a kernel as ``extern_libs=``; installs the hook, too (:func:`install_hook`).

    :param target: as for :func:`mori.ir.find_bitcode`; needed only to compile for a device that is not
        here.
    :param p2p: whether the kernel's peers all have load and store: it then carries no code for NICs, and compiles
        much sooner. ``None``: as it is for this PE. Before init nothing is known of the job, and the kernel carries
        all: call it after init, or say ``True`` where load and store will reach all PEs. Such a kernel is refused
        on a PE that needs NICs.
    :param near: the former name of *p2p*; deprecated.
    """
    p2p = renamed_near(p2p, near)
    install_hook()
    if target is None and not interpreting():
        _warn_without_gpu()
    try:
        return {LIBRARY: find_bitcode(target, p2p=bool(_all_p2p()) if p2p is None else p2p)}
    except FileNotFoundError:
        if target is None and interpreting():  # nothing is linked then
            return {}
        raise


def _holds_symbol(kernel: Any) -> bool:
    """Whether the code of a compiled kernel contains our symbol."""
    for stage in ("ptx", "amdgcn", "llir"):
        text = kernel.asm.get(stage)
        if isinstance(text, str):
            return SYMBOL in text
    return False


def _linked(kernel: Any) -> str | None:
    """Which of our libraries it was compiled with: with the forms that take a context it needs no symbol."""
    libs = getattr(getattr(kernel, "metadata", None), "extern_libs", None) or ()
    return dict(libs).get(LIBRARY)


def _check_p2p(path: str | None, name: str) -> None:
    """Refuses a kernel without queues that has no symbol, as the library refuses one with it."""
    import mori

    if path and path.endswith((P2P, "libmori_shmem_near.bc")) and _all_p2p() is False:
        raise mori.ShmemError(
            _ENOTSUP,
            f"the Triton kernel {name} was compiled without queues, and only a queue reaches some memory of other PEs: "
            "use get_extern_libs(p2p=False)",
        )


def _fill(module: Any, name: str) -> bool:
    """Assigns a loaded module to its PE; False if there is no PE yet."""
    import mori
    import mori.shmem

    try:
        mori.shmem.shmem_module_init(module)
    except mori.ShmemError as error:
        if error.status == _ENOENT:
            return True
        if error.status != _ESTATE:
            raise mori.ShmemError(error.status, f"the Triton kernel {name}: {error.text}") from None
        warnings.warn(
            f"the Triton kernel {name} uses the MORI library and was compiled before this PE was "
            "initialised: launched before that, its first call ends the launch by a trap, and on a GPU the context "
            "is lost. Initialise first.",
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
    cache = fn.jit_function.device_caches[compile["device"]][0]
    kernel = cache.get(key)
    if kernel is None or not (_holds_symbol(kernel) or _linked(kernel)):
        return
    _compiling.now = True
    try:
        kernel._init_handles()
        if _holds_symbol(kernel):
            _fill(kernel.module, fn.name)
            _kernels.append((weakref.ref(kernel), threading.get_ident()))
        else:
            _check_p2p(_linked(kernel), fn.name)
    except BaseException:
        cache.pop(key, None)  # the next launch must not take it for one that is ready
        raise
    finally:
        _compiling.now = False


def _after_load(module: Any, function: Any, name: str, metadata_group: dict[str, str], hash: str) -> None:
    """For kernels that are loaded without the JIT, such as those of ``triton.compile()``."""
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
    """Our hook in front of the existing one, which still decides."""

    def hook(*args: Any, **kwargs: Any) -> Any:
        try:
            _after_compile(kwargs["key"], kwargs["fn"], kwargs["compile"])
        finally:
            result = before(*args, **kwargs) if before else None
        return result

    hook.mori = True
    return hook


def install_hook() -> None:
    """Makes Triton assign every kernel that uses the library to its PE, once it is compiled.

    :func:`get_extern_libs` does it, too; again does no harm. It adds to a hook that is there already and
    touches only modules that hold the library's symbol. A kernel that uses the library and is
    compiled before init is named in a ``RuntimeWarning``, and is filled in when init has been made.
    Under the interpreter it is only noted.
    """
    global hooked
    from triton import knobs

    hooked = True
    if interpreting():
        return
    if not getattr(knobs.runtime.jit_post_compile_hook, "mori", False):
        knobs.runtime.jit_post_compile_hook = _chained(knobs.runtime.jit_post_compile_hook)
    loaded = getattr(knobs.runtime, "kernel_load_end_hook", None)
    if hasattr(loaded, "add"):
        loaded.add(_after_load)


def refill() -> None:
    """Fills in the kernels that this thread compiled before its PE was initialised, or in a job that is over.

    ``mori.shmem`` calls it after init. The PE is there whatever comes of a kernel, which may never be launched again:
    one that cannot be this PE's is only named.
    """
    import mori

    _kernels[:] = [(ref, thread) for ref, thread in _kernels if ref() is not None]
    for ref, thread in _kernels:
        kernel = ref()
        if kernel is not None and thread == threading.get_ident():
            try:
                _fill(kernel.module, kernel.name)
            except mori.ShmemError as error:
                warnings.warn(str(error), RuntimeWarning, stacklevel=2)
