# SPDX-License-Identifier: MIT
"""Kernels from Python: load C, LLVM IR, MLIR or a finished image, and launch it on the PE's device.

    k = mori.kernel.load("ring.c")
    k.launch(8, 128, tensor, next_pe)

Sources go through ``mori cc`` for the device of the PE this thread acts for. A module acts for that PE. On the
CPU a launch returns when the grid has ended, and arguments are checked against the kernel's parameters.
"""

from __future__ import annotations

import ctypes
import operator
import os
import re
import struct
import subprocess
import tempfile
import threading
from concurrent.futures import Future
from typing import Any, Sequence

from mori import _shmem
from mori._errors import ShmemError, type_error, value_error
from mori._paths import command
from mori.shmem._api import _stream

__all__ = ["Kernel", "Module", "Param", "load"]

_EINVAL = _shmem.constants["MORI_SHMEM_EINVAL"]
_ENOTSUP = _shmem.constants["MORI_SHMEM_ENOTSUP"]
_KINDS = ("int", "float", "pointer", "struct", "unknown")
_FLOATS = {2: "<e", 4: "<f", 8: "<d"}
_SOURCES = (".c", ".ll", ".mlir", ".bc")


class Param:
    """A parameter of a kernel: ``kind`` is int, float, pointer, struct or unknown, ``size`` its bytes."""

    def __init__(self, kind: str, size: int):
        self.kind = kind
        self.size = size

    def __repr__(self) -> str:
        return self.kind if self.kind == "pointer" else f"{self.kind}{8 * self.size}"


def _address(arg: Any) -> int | None:
    """The address of an array or tensor, which must be contiguous; None if it is neither."""
    if isinstance(arg, ctypes.c_void_p):
        return arg.value or 0
    if hasattr(arg, "data_ptr"):
        if hasattr(arg, "is_contiguous") and not arg.is_contiguous():
            raise value_error(
                f"a tensor of shape {tuple(arg.shape)} is not contiguous; pass a contiguous one"
            )
        return arg.data_ptr()
    for name in ("__cuda_array_interface__", "__array_interface__"):
        about = getattr(arg, name, None)
        if about is None:
            continue
        if about.get("strides") is not None and not _is_compact(about, arg):
            raise value_error(
                f"an array of shape {about['shape']} is not contiguous; pass a contiguous one"
            )
        return about["data"][0]
    return None


def _is_compact(about: dict[str, Any], arg: Any) -> bool:
    stride = int(about["typestr"][2:])
    for size, step in zip(reversed(about["shape"]), reversed(about["strides"])):
        if size != 1 and step != stride:
            return False
        stride *= size
    return True


def _pack_int(value: int, size: int) -> bytes:
    try:
        return value.to_bytes(size, "little", signed=value < 0)
    except OverflowError:
        raise value_error(f"{value} does not fit {size} bytes") from None


def _pack_struct(arg: Any, size: int) -> bytes:
    if isinstance(arg, tuple) and size == 8 * len(arg):
        return struct.pack(f"<{len(arg)}Q", *arg)
    try:
        data = bytes(memoryview(arg))
    except TypeError:
        raise type_error(
            f"{type(arg).__name__} is no struct: pass bytes, a ctypes.Structure or a MemObj"
        ) from None
    if len(data) != size:
        raise value_error(f"the struct has {len(data)} bytes, the parameter {size}")
    return data


def _pack_number(arg: Any, size: int, kind: str) -> bytes:
    """An int or a float for a parameter of @size bytes."""
    if kind in ("int", "unknown"):
        try:
            return _pack_int(operator.index(arg), size)
        except TypeError:
            pass
    if kind in ("float", "unknown") and size in _FLOATS and not isinstance(arg, (str, bytes)):
        try:
            return struct.pack(_FLOATS[size], float(arg))
        except (TypeError, ValueError):
            pass
        except OverflowError:
            raise value_error(f"{arg} does not fit a float of {size} bytes") from None
    raise type_error(f"{type(arg).__name__} cannot be passed for it")


def _pack(arg: Any, param: Param) -> bytes:
    """The bytes of an argument for a parameter."""
    if isinstance(arg, ctypes._SimpleCData) and not isinstance(arg, ctypes.c_void_p):
        return _pack_struct(arg, param.size)
    if param.kind == "struct":
        return _pack_struct(arg, param.size)
    if param.kind == "float":
        return _pack_number(arg, param.size, "float")
    if arg is None and param.kind != "int":
        return bytes(param.size)
    at = _address(arg)
    if at is not None and param.size == 8:
        return _pack_int(at, 8)
    if at is not None and (param.kind == "pointer" or getattr(arg, "ndim", 1) > 0):
        raise type_error(f"a tensor or array is an address, which does not fit {param.size} bytes")
    return _pack_number(arg, param.size, "int" if param.kind == "pointer" else param.kind)


def _pack_unknown(arg: Any) -> bytes:
    """An argument of a kernel whose parameters the device does not report."""
    if isinstance(arg, (float, complex)):
        raise type_error(
            "the device does not report how wide the parameter is; pass ctypes.c_float or ctypes.c_double"
        )
    if isinstance(arg, bytes):
        return arg
    if isinstance(arg, ctypes._SimpleCData) and not isinstance(arg, ctypes.c_void_p):
        return bytes(arg)
    # A device reads as many bytes as the parameter has; the lowest come first.
    return _pack(arg, Param("pointer", 8))


def _dims(what: str, sizes: int | Sequence[int]) -> tuple[int, int, int]:
    given: Any = sizes if isinstance(sizes, (tuple, list)) else [sizes]
    try:
        given = [operator.index(n) for n in given]
    except TypeError:
        raise type_error(f"{what} {sizes!r} is not an int or up to three") from None
    if not 1 <= len(given) <= 3 or any(not 0 <= n < 2**32 for n in given):
        raise value_error(f"{what} {sizes!r} is not one to three sizes of 1 or more")
    x, y, z = (*given, 1, 1)[:3]
    return x, y, z


class Kernel:
    """A kernel of a module."""

    def __init__(self, module: Module, name: str):
        self.module = module
        self.name = name
        self.params: list[Param] | None = None
        try:
            found = _shmem.kernel_params(module.handle, name)
            self.params = [
                Param(_KINDS[kind] if kind < 5 else "unknown", size) for kind, size in found
            ]
        except ShmemError as e:
            if e.status != _ENOTSUP:
                raise

    def __repr__(self) -> str:
        if self.params is None:
            return f"<kernel {self.name}>"
        return f"<kernel {self.name}({', '.join(map(repr, self.params))})>"

    def _arguments(self, args: tuple[Any, ...]) -> tuple[bytes, ...]:
        packed = []
        if self.params is not None and len(args) != len(self.params):
            raise type_error(
                f"kernel {self.name} has {len(self.params)} parameter(s) {self.params}, {len(args)} argument(s) were given"
            )
        for i, arg in enumerate(args):
            try:
                packed.append(
                    _pack_unknown(arg) if self.params is None else _pack(arg, self.params[i])
                )
            except ShmemError as e:
                about = "" if self.params is None else f" ({self.params[i]!r})"
                raise type(e)(
                    e.status, f"kernel {self.name}, argument {i}{about}: {e.text}"
                ) from None
        return tuple(packed)

    def launch(
        self,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        *args: Any,
        shared: int = 0,
        stream: Any = None,
    ) -> None:
        """Run it: *grid* blocks of *block* threads, each an int or a tuple of up to three.

        Arguments are ints, floats, None, tensors and arrays (their address), ctypes values, and for structs bytes,
        ctypes structures or a MemObj.
        """
        _shmem.kernel_launch(
            self.module.handle,
            self.name,
            _dims("grid", grid),
            _dims("block", block),
            shared,
            self._arguments(args),
            _stream(stream),
        )


class Module:
    """Loaded kernels. ``kernels`` has their names; module[name] is one of them."""

    def __init__(self, image: bytes):
        self.handle = 0
        self.handle = _shmem.module_load(image)
        self._known: dict[str, Kernel] = {}
        try:
            self.kernels = _shmem.module_kernels(self.handle)
        except ShmemError as e:
            if e.status != _ENOTSUP:
                raise
            self.kernels = []

    def __repr__(self) -> str:
        return f"<module with {', '.join(self.kernels) or 'unnamed kernels'}>"

    def __getitem__(self, name: str) -> Kernel:
        if name not in self._known:
            self._known[name] = Kernel(self, name)
        return self._known[name]

    def launch(
        self,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        *args: Any,
        kernel: str | None = None,
        shared: int = 0,
        stream: Any = None,
    ) -> None:
        """Kernel.launch() of the only kernel, or of the one named *kernel*."""
        if kernel is None and len(self.kernels) != 1:
            names = ", ".join(self.kernels) or "their names are unknown"
            raise value_error(f"the module has several kernels ({names}): say kernel=name")
        self[kernel or self.kernels[0]].launch(grid, block, *args, shared=shared, stream=stream)

    def unload(self) -> None:
        """Free it; this also happens when nothing refers to it any more, and at finalize."""
        handle, self.handle = self.handle, 0
        if handle:
            _shmem.ops["module_unload"](handle)

    def __del__(self) -> None:
        try:
            self.unload()
        except (TypeError, AttributeError):
            pass  # while Python goes down


def _guess(data: bytes) -> str:
    """The kind of the bytes: "image", or the suffix of a source."""
    if data.startswith((b"\x7fELF", b"__CLANG_OFFLOAD_BUNDLE__")) or re.search(
        rb"^\.version \d", data[:4096], re.M
    ):
        return "image"
    if data.startswith((b"BC\xc0\xde", b"\xde\xc0\x17\x0b")):
        return ".bc"
    if re.search(rb"^\s*(module\b|llvm\.func|func\.func|gpu\.module)", data, re.M):
        return ".mlir"
    if re.search(rb"^(define|declare|target|source_filename)\b", data, re.M):
        return ".ll"
    return ".c"


def _target() -> str:
    """The target of ``mori cc`` for this PE's device."""
    device = _shmem.ops["device_name"]()
    if device == "cpu":
        return "cpu"
    number = _shmem.ops["device_of"](_shmem.ops["my_pe"]())
    for section, key, value, note in _shmem.info():
        found = re.search(r"\b(sm_\d+a?|gfx[0-9a-f]+)\b", f"{value} {note}")
        if (
            section == "device"
            and found
            and key == f"{device}.{number}"
        ):
            return found.group(1)
    raise value_error(
        f"which target is device {device} {number}? Say target=, such as target='sm_90'"
    )


_running: dict[tuple, Future] = {}
_lock = threading.Lock()


def _compile(source: str, key: Any, target: str, flags: Sequence[str]) -> bytes:
    """If PEs that are threads load the same source at once, one of them compiles it for all."""
    key = (key, target, *flags)
    with _lock:
        mine = key not in _running
        future = _running.setdefault(key, Future())
    if not mine:
        return future.result()
    try:
        future.set_result(_run_compiler(source, target, flags))
    except BaseException as e:
        future.set_exception(e)
    finally:
        with _lock:
            del _running[key]
    return future.result()


def _run_compiler(source: str, target: str, flags: Sequence[str]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="mori-kernel-") as folder:
        out = os.path.join(folder, "image")
        done = subprocess.run(
            [command(), "cc", source, "--target", target, "-o", out, *flags],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise ShmemError(
                _EINVAL, f"mori cc could not compile {source} for {target}:\n{done.stderr.strip()}"
            )
        with open(out, "rb") as f:
            return f.read()


def load(
    path_or_bytes: Any,
    *,
    kind: str | None = None,
    target: str | None = None,
    flags: Sequence[str] = (),
) -> Module:
    """Load kernels for the PE for which this thread acts.

    *path_or_bytes* is the path of a file, or its contents as bytes: C, LLVM IR, LLVM bitcode or MLIR, which
    ``mori cc`` compiles with *flags* for *target* (default: the PE's device), or what ``mori cc`` wrote before. *kind*
    ("c", "ll", "bc", "mlir", "image") says what bytes are where a look at them would not.
    """
    _shmem.ops["current"]()  # without a PE there is nothing to compile for
    if kind is not None and kind != "image" and f".{kind}" not in _SOURCES:
        raise value_error(f"kind {kind!r} is none of c, ll, bc, mlir, image")
    if isinstance(path_or_bytes, (str, os.PathLike)):
        path = os.fspath(path_or_bytes)
        ending = os.path.splitext(path)[1]
        if kind is None and ending in _SOURCES:
            if not os.path.exists(path):
                raise value_error(f"there is no file {path}")
            return Module(_compile(path, path, target or _target(), flags))
        try:
            with open(path, "rb") as f:
                data = f.read()
        except OSError as e:
            raise value_error(f"cannot read {path}: {e.strerror}") from e
    else:
        try:
            data = bytes(memoryview(path_or_bytes))
        except TypeError:
            raise type_error(
                f"load: {type(path_or_bytes).__name__} is neither a path nor bytes; encode a source that is a string"
            ) from None
    what = _guess(data) if kind is None else kind if kind == "image" else f".{kind}"
    if what == "image":
        return Module(data)
    with tempfile.TemporaryDirectory(prefix="mori-kernel-") as folder:
        source = os.path.join(folder, "kernel" + what)
        with open(source, "wb") as f:
            f.write(data)
        return Module(_compile(source, data, target or _target(), flags))
