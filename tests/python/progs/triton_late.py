# SPDX-License-Identifier: MIT
"""Kernels that wait for tiles of other PEs and multiply them: for a GPU (gpu/gpu_order.py) and for the interpreter of
AMD's code (amd/triton_run.py), each of which has a kernel that sends the tiles late.
"""

import torch
import triton
import triton.language as tl

import mori.ir.triton as md

K, SIDE = 8, 64


@triton.jit
def wait_load(a, b, c, sig, pe, K: tl.constexpr, SIDE: tl.constexpr):
    i = tl.arange(0, SIDE)
    at = i[:, None] * SIDE + i[None, :]
    acc = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    for k in range(K):
        md.uint64_wait_until_equals_block(sig + k, 1)
        x = tl.load(a + k * SIDE * SIDE + at)
        y = tl.load(b + k * SIDE * SIDE + at)
        acc += tl.dot(x, y)
    tl.store(c + at, acc)


@triton.jit
def poll_load(a, b, c, sig, pe, K: tl.constexpr, SIDE: tl.constexpr):
    i = tl.arange(0, SIDE)
    at = i[:, None] * SIDE + i[None, :]
    acc = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    for k in range(K):
        while md.uint64_test_block(sig + k, md.CMP_EQ, 1) == 0:
            pass
        x = tl.load(a + k * SIDE * SIDE + at)
        y = tl.load(b + k * SIDE * SIDE + at)
        acc += tl.dot(x, y)
    tl.store(c + at, acc)


@triton.jit
def wait_get(a, b, c, sig, pe, K: tl.constexpr, SIDE: tl.constexpr):
    """The tile is fetched by the consumer itself, from the PE's own memory into the upper half of ``a``."""
    i = tl.arange(0, SIDE)
    at = i[:, None] * SIDE + i[None, :]
    acc = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    for k in range(K):
        md.uint64_wait_until_equals(sig + k, 1)
        tile = a + (K + k) * SIDE * SIDE
        md.getmem_block(tile, a + k * SIDE * SIDE, SIDE * SIDE * 2, md.my_pe(), 0)
        x = tl.load(tile + at)
        y = tl.load(b + k * SIDE * SIDE + at)
        acc += tl.dot(x, y)
    tl.store(c + at, acc)


@triton.jit
def two_loops(a, b, c, sig, pe, K: tl.constexpr, SIDE: tl.constexpr):
    """What lies between two waits is pipelined: halves of a tile in an inner loop."""
    HALF: tl.constexpr = SIDE // 2
    i = tl.arange(0, SIDE)
    j = tl.arange(0, HALF)
    acc = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    for k in range(K):
        md.uint64_wait_until_equals_block(sig + k, 1)
        for h in range(2):
            x = tl.load(a + k * SIDE * SIDE + i[:, None] * SIDE + h * HALF + j[None, :])
            y = tl.load(b + k * SIDE * SIDE + (h * HALF + j[:, None]) * SIDE + i[None, :])
            acc += tl.dot(x, y)
    tl.store(c + i[:, None] * SIDE + i[None, :], acc)


def numbers(seed, device):
    """K tiles of small whole numbers: their products are exact."""
    at = torch.arange(K * SIDE * SIDE, device=device, dtype=torch.int64).reshape(K * SIDE, SIDE)
    return ((at * 7 + at // SIDE * 3 + seed * 5) % 11 - 5).to(torch.float16)


def product(tiles, b):
    """The sum of the products of K tiles each."""
    parts = zip(tiles.view(K, SIDE, SIDE), b.view(K, SIDE, SIDE))
    return sum(x.double() @ y.double() for x, y in parts).to(torch.float32)
