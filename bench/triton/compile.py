# SPDX-License-Identifier: MIT
"""What linking the device library adds to compiling a Triton kernel.

    PYTHONPATH=build/python python bench/triton/compile.py [repeats]

For each target it compiles, ahead of time, a kernel without the library, the same with one call of it, and one with
a put, a signal and a wait; the last also with the whole library, queues of NICs included. It prints medians of the time
of the processor, ptxas included, so that other work on the machine does not count (but a busy machine is slower), and
whether what was added is below the limit for kernels of P2P peers. Nothing is launched.
"""

import os
import resource
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

LIMIT = 0.2  # seconds that linking may add to a kernel of P2P peers

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
    usage = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in usage)


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
    print(f"triton {triton.__version__}, median of {repeats}, seconds of processor time; limit {LIMIT}")
    print(f"{'target':8} {'kernel':8} {'library':8} {'compile':>8} {'added':>8} {'limit':>6} {'link and optimise':>18} {'added':>8}")
    for target in TARGETS:
        p2p, whole_library = get_extern_libs(target, p2p=True), get_extern_libs(target, p2p=False)
        base = None
        rows = (nothing, "-", {}), (query, "p2p", p2p), (message, "p2p", p2p), (message, "whole", whole_library)
        for kernel, library, libs in rows:
            times = [measure(kernel, target, libs) for _ in range(repeats + 1)][1:]
            whole, llir = (statistics.median(column) for column in zip(*times))
            base = base or (whole, llir)
            added = whole - base[0]
            verdict = ("ok" if added < LIMIT else "over") if library == "p2p" else ""
            print(
                f"{str(target.arch):8} {kernel.__name__:8} {library:8} {whole:8.3f} {added:8.3f} {verdict:>6} "
                f"{llir:18.3f} {llir - base[1]:8.3f}"
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
