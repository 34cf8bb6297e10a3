# SPDX-License-Identifier: MIT
"""Kernels that must not compile, and the words that must be in the error."""

import triton
import triton.language as tl

import mori.ir.triton as d


@triton.jit
def tensor_argument(a, b, n, f):
    d.putmem_block(a + tl.arange(0, 16), a, 8, 0, 0)


@triton.jit
def too_few(a, b, n, f):
    d.putmem_block(a, a, 8, 0)


@triton.jit
def wrong_keyword(a, b, n, f):
    d.putmem_block(a, a, 8, 0, queue=0)


@triton.jit
def no_object(a, b, n, f):
    d.putmem_obj_block((a, b), 0, (a, b, b), 0, 8, 0, 0)


@triton.jit
def unknown(a, b, n, f):
    d.putmem_everywhere(a)


KERNELS = [
    (tensor_argument, ["putmem_block", "dest", "scalars"]),
    (too_few, ["putmem_block", "'qp'"]),
    (wrong_keyword, ["putmem_block", "queue"]),
    (no_object, ["putmem_obj_block", "dest", "memory object"]),
    (unknown, ["putmem_everywhere"]),
]
