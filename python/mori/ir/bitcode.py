# SPDX-License-Identifier: MIT
"""Finds the device library: one bitcode file per kind of device, whatever the model, and for GPUs a smaller
one for kernels whose peers all have load and store.

It lies with the native parts of the package, be that installed or imported from a build tree, else in the
source's own build tree or where the library was installed: in ``mori`` of the library folder of a prefix.
``MORI_SHMEM_BC`` names a file to use instead.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, Iterator

from mori._paths import native

FILE = "libmori_shmem_device.bc"
P2P = "libmori_shmem_p2p.bc"  # of GPUs: without the queues of NICs

_HOST = platform.machine()
_KINDS = {
    "cuda": "nvptx64",
    "nvptx64": "nvptx64",
    "hip": "amdgcn",
    "rocm": "amdgcn",
    "amdgcn": "amdgcn",
    "cpu": _HOST,
    "x86_64": "x86_64",
    "aarch64": "aarch64",
}


def _kind(target: Any) -> str:
    """The folder for a target: a name, or an object of Triton's with ``backend``."""
    name = str(getattr(target, "backend", target)).lower()
    first = name.split(":")[0]
    sm = re.fullmatch(r"sm_(\d+)[af]?", first)
    if first in _KINDS:
        return _KINDS[first]
    if sm and int(sm[1]) >= 70:
        return "nvptx64"
    if re.fullmatch(r"gfx\d[0-9a-f]{2,4}|gfx\d+(-\d+)*-generic", first):
        return "amdgcn"
    raise ValueError(
        f"unknown target {target!r}: use 'cpu', 'cuda' or 'sm_70' and later, 'hip' or a gfx number, "
        "'x86_64', 'aarch64'"
    )


def present_target() -> str:
    """``'cuda'``, ``'hip'`` or ``'cpu'``: what kernels of this process run on.

    ``MORI_SHMEM_DEVICE`` decides if it names one; then PyTorch, if it is loaded; then the
    devices the system shows.
    """
    named = os.environ.get("MORI_SHMEM_DEVICE", "").strip().lower()
    if named in ("cpu", "cuda", "hip"):
        return named
    if named == "amd-emu":
        return "hip"
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "cuda"):
        if not torch.cuda.is_available():
            return "cpu"
        return "hip" if getattr(torch.version, "hip", None) else "cuda"
    if os.path.exists("/dev/nvidiactl"):
        return "cuda"
    return "hip" if os.path.exists("/dev/kfd") else "cpu"


def _places() -> Iterator[Path]:
    """The places where it may be, the most likely first."""
    yield Path(native("lib", "mori"))
    yield Path(__file__).resolve().parents[3] / "build" / "lib" / "mori"
    command = shutil.which("mori")
    prefixes = [Path(command).resolve().parents[1]] if command else []
    prefixes += [Path(prefix) for prefix in (sys.prefix, "/usr/local", "/usr")]
    for prefix in dict.fromkeys(prefixes):
        # The folders for libraries that distributions use; Debian's has the name of the machine.
        for libdir in ("lib", f"lib/{_HOST}-linux-gnu", "lib64"):
            yield prefix / libdir / "mori"
    if shutil.which("pkg-config"):
        asked = subprocess.run(
            ["pkg-config", "--variable=bitcodedir", "mori_shmem"], capture_output=True, text=True
        )
        if asked.stdout.strip():
            yield Path(asked.stdout.strip())


def renamed_near(p2p: bool | None, near: bool | None) -> bool | None:
    """*p2p*, or what a caller gave for it under its former name."""
    if near is None:
        return p2p
    warnings.warn("near= is now p2p=", DeprecationWarning, stacklevel=3)
    return near


def find_bitcode(target: Any = None, *, cov: int | None = None, p2p: bool = False, near: bool | None = None) -> str:
    """The path of ``libmori_shmem_device.bc`` for a target.

    :param target: ``None`` for the device that is present; ``"cuda"``, ``"sm_90"``, ``"hip"``,
        ``"gfx942"``, ``"cpu"``, ``"x86_64"``, ``"aarch64"``, or a ``triton`` ``GPUTarget``.
    :param cov: taken and not needed: the bitcode links with any code object version of AMD.
    :param p2p: for a GPU, ``libmori_shmem_p2p.bc`` instead: kernels compile sooner and need fewer registers, and
        every call about a PE that only a NIC reaches gives ``MORI_SHMEM_ENOTSUP``.
    :param near: the former name of *p2p*; deprecated.
    :raises FileNotFoundError: if there is none; the text lists the places searched.
    :raises ValueError: for an unknown target.
    """
    del cov
    p2p = renamed_near(p2p, near)
    kind = _kind(present_target() if target is None else target)
    named = os.environ.get("MORI_SHMEM_BC")
    if named:
        if os.path.isfile(named):
            return os.path.abspath(named)
        raise FileNotFoundError(f"MORI_SHMEM_BC names {named}, which is not a file")
    looked = []
    for place in _places():
        for name in (P2P, FILE) if p2p and kind in ("nvptx64", "amdgcn") else (FILE,):
            path = place / kind / name
            if path.is_file():
                return str(path)
        looked.append(str(path))
    raise FileNotFoundError(
        f"no device library for {kind}: the package was installed without clang 19. Install clang-19 and llvm-19 and "
        "install the package again, or have MORI_BITCODE_DIR lead that install to device libraries made elsewhere, or "
        "build one with tools/build_shmem_bitcode.sh and set MORI_SHMEM_BC. "
        f"Looked for: {', '.join(looked)}"
    )


def get_bitcode_path(target: Any = None, *, cov: int | None = None) -> str:
    """The same as :func:`find_bitcode`."""
    return find_bitcode(target, cov=cov)
