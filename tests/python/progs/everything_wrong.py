# SPDX-License-Identifier: MIT
"""Kernels that must not compile, and the words that must be in the error; and some that do."""

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


@triton.jit
def in_a_split_loop(a, b, n, f):
    for i in tl.range(n, warp_specialize=True):
        d.uint64_p(a, i, 0, 0)


@triton.jit
def told(a, i):
    d.uint64_atomic_add_thread(a, i, 0, 0)


@triton.jit
def told_twice(a, i):
    told(a, i)
    told(a + 8, i)


@triton.jit
def below_a_split_loop(a, b, n, f):
    for i in tl.range(n, warp_specialize=True):
        told_twice(a, i)


@triton.jit
def before_a_split_loop(a, b, n, f):
    d.uint64_wait_until_equals_block(a, 1)
    for i in tl.range(n, warp_specialize=True):
        tl.store(a + i, 1)


@triton.jit
def put_all(a, n):
    if n > 3:
        d.putmem_obj_block((a, 64, 0), 0, (a, 64, 0), 0, 64, 0, 0)


@triton.jit
def after_a_split_loop(a, b, n, f):
    for i in tl.range(n, warp_specialize=True):
        tl.store(a + i, 1)
    put_all(a, n)


@triton.jit(noinline=True)
def apart(a):
    d.uint64_wait_until_equals(a, 1)


@triton.jit
def call_apart(a):
    apart(a)


@triton.jit
def in_another_function(a, b, n, f):
    call_apart(a)
    tl.store(a, tl.load(a) + 1)


@triton.jit
def two_blocks(a, b, n, f):
    d.signal_op_block(a, 1, d.SIGNAL_ADD, 0, 0)


SPLIT_LOOP = "warp_specialize=True"

# With the options of each.
KERNELS = [
    (tensor_argument, ["putmem_block", "dest", "scalars"], {}),
    (too_few, ["putmem_block", "'qp'"], {}),
    (wrong_keyword, ["putmem_block", "queue"], {}),
    (no_object, ["putmem_obj_block", "dest", "memory object"], {}),
    (unknown, ["putmem_everywhere"], {}),
    (in_a_split_loop, ["in_a_split_loop: uint64_p is called in a loop", SPLIT_LOOP, "outside the loop"], {}),
    (below_a_split_loop, ["below_a_split_loop: uint64_atomic_add_thread is called in a loop", SPLIT_LOOP], {}),
    (
        before_a_split_loop,
        ["before_a_split_loop: uint64_wait_until_equals_block is called in a kernel", SPLIT_LOOP, "another kernel"],
        {},
    ),
    (after_a_split_loop, ["after_a_split_loop: putmem_block is called in a kernel", SPLIT_LOOP, "thread form"], {}),
    (
        in_another_function,
        ["in_another_function: uint64_wait_until_equals is called in apart,", "noinline=True", "leave noinline out"],
        {},
    ),
    (two_blocks, ["signal_op_block", "num_ctas > 1", "several blocks"], {"num_ctas": 2}),
]


@triton.jit
def right_by_threads(a, b, n, f):
    d.uint64_wait_until_equals(a, 1)
    d.mori_block_sync()
    for i in tl.range(n, warp_specialize=True):
        tl.store(a + i, d.my_pe())
    d.uint64_p(a, 1, 0, 0)


@triton.jit(noinline=True)
def give(a):
    d.uint64_p_block(a, 1, 0, 0)


@triton.jit
def right_apart(a, b, n, f):
    give(a)


@triton.jit
def right_by_two(a, b, n, f):
    d.uint64_p(a, 1, 0, 0)


# Beside these, what may be compiled.
RIGHT = [(right_by_threads, {}), (right_apart, {}), (right_by_two, {"num_ctas": 2})]
