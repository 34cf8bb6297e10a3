# SPDX-License-Identifier: MIT
"""Corrects differences between Triton's interpreter and a GPU that kernels with the library would notice."""

from __future__ import annotations

from typing import Any

import numpy as np
import triton.language as tl
from triton._C.libtriton import ir
from triton.runtime import interpreter as _triton


def _index() -> None:
    """``range()`` over a scalar: Triton up to 3.6 makes an int of an array of one element, which NumPy 2.4 no
    longer takes."""
    patch = _triton._patch_lang_tensor

    def patched(tensor: Any, *rest: Any) -> None:
        patch(tensor, *rest)
        tensor.__index__ = lambda self: int(self.handle.data.item())

    _triton._patch_lang_tensor = patched


def _bfloat16() -> None:
    """Sums in float32 that become bfloat16 are rounded to the nearest, ties to even, as GPUs and PyTorch do; the
    interpreter cuts them off. It is also the slowest part of an all-reduce there."""
    convert = _triton._convert_float

    def converted(data: np.ndarray, source: Any, target: Any, rounding: Any) -> np.ndarray:
        if source == tl.bfloat16 and target == tl.float32:
            return data.astype(np.uint32) << np.uint32(16)
        if source != tl.float32 or target != tl.bfloat16 or rounding == ir.ROUNDING_MODE.RTZ:
            return convert(data, source, target, rounding)
        bits = np.ascontiguousarray(data, dtype=np.float32).view(np.uint32)
        rounded = (bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))) >> np.uint32(16)
        quiet_nan = (bits >> np.uint32(16)) | np.uint32(0x40)
        return np.where(np.isnan(data), quiet_nan, rounded).astype(np.uint16)

    _triton._convert_float = converted


def install() -> None:
    _index()
    _bfloat16()
