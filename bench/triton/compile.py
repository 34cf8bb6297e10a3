# SPDX-License-Identifier: MIT
"""What linking the device library adds to compiling a Triton kernel.

    PYTHONPATH=build/python python bench/triton/compile.py [repeats]

For each target it compiles, ahead of time, a kernel without the library, the same with one call of it, and one with
a put, a signal and a wait. It prints medians of the time of the processor, ptxas included, so that other work on the
machine does not count. Nothing is launched.
"""

import os
import statistics
import sys

os.environ["TRITON_ALWAYS_COMPILE"] = "1"
os.environ["TRITON_INTERPRET"] = "0"
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import mori.ir.triton as mori_shmem_device
from mori.ir.triton import get_extern_libs

TARGETS = [
    GPUTarget("cuda", 90, 32),
    GPUTarget("cuda", 100, 32),
    GPUTarget("hip", "gfx942", 64),
    GPUTarget("hip", "gfx950", 64),
]


@triton.jit
def nothing(box, sig, n):
    tl.store(box, n)


@triton.jit
def query(box, sig, n):
    tl.store(box, n + mori_shmem_device.my_pe())


@triton.jit
def message(box, sig, n):
    right = (mori_shmem_device.my_pe() + 1) % mori_shmem_device.n_pes()
    mori_shmem_device.putmem_nbi_signal_block(box, box + n, n * 4, sig, 1, mori_shmem_device.SIGNAL_ADD, right, 0)
    mori_shmem_device.uint64_wait_until_equals_block(sig, 1)
    tl.store(box, n)


def spent():
    """Seconds of processor time of this process and of those it has waited for."""
    return sum(os.times()[:4])


def measure(kernel, target, libs):
    """Seconds of all stages, and of the one that links and optimises."""
    source = ASTSource(kernel, {"box": "*i32", "sig": "*i64", "n": "i32"})
    options = {"extern_libs": libs} if libs else {}
    stages = {}
    backend = triton.compiler.make_backend(target)
    original = type(backend).add_stages

    def timed(self, table, *args, **kwargs):
        original(self, table, *args, **kwargs)
        for name, stage in list(table.items()):
            table[name] = clock(name, stage)

    def clock(name, stage):
        def run(*args):
            begin = spent()
            result = stage(*args)
            stages[name] = spent() - begin
            return result

        return run

    type(backend).add_stages = timed
    try:
        triton.compile(source, target=target, options=options)
    finally:
        type(backend).add_stages = original
    return sum(stages.values()), stages["llir"]


def main(repeats=5):
    print(f"triton {triton.__version__}, median of {repeats}, seconds of processor time")
    print(f"{'target':8} {'kernel':8} {'compile':>8} {'added':>8} {'link and optimise':>18} {'added':>8}")
    for target in TARGETS:
        libs = get_extern_libs(target)
        base = None
        for kernel, with_libs in ((nothing, {}), (query, libs), (message, libs)):
            rows = [measure(kernel, target, with_libs) for _ in range(repeats + 1)][1:]
            whole, llir = (statistics.median(column) for column in zip(*rows))
            base = base or (whole, llir)
            added = f"{whole - base[0]:8.3f} {llir:18.3f} {llir - base[1]:8.3f}"
            print(f"{str(target.arch):8} {kernel.__name__:8} {whole:8.3f} {added}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
