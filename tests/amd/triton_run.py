# SPDX-License-Identifier: MIT
"""Triton's kernels on the interpreter of AMD's code, a process a PE, for the GPU that AMD_TARGET names:

    mori run -n N --device amd-emu python triton_run.py [all | sample] [examples | dot | reduce | late | forms]...

examples: the programs of examples/triton. dot: ``tl.dot`` in every type. reduce: sums and maxima. late: an all-gather
with a product, whose tiles come late. forms: ``tl.dot`` beside every block form. Every result must be exact. "sample"
takes one num_stages for each kernel, as TEST_SEED has it.
"""

import os
import sys
import tempfile
import threading
import zlib

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../examples/triton"))
sys.path.insert(0, os.path.join(here, "../python/progs"))

import triton_emu  # before all that imports triton

import allreduce
import common
import get
import hello
import put_ring
import put_signal
import torch
import triton
import triton.language as tl
import triton_forms
from triton_late import SIDE, K, numbers, poll_load, product, two_loops, wait_get, wait_load

import mori.ir.triton as md
import mori.shmem as ms

SAMPLE = sys.argv[1] == "sample"
LATE_NS = 3_000_000
FP8 = {
    "gfx942": (torch.float8_e4m3fnuz, torch.float8_e5m2fnuz),
    "gfx950": (torch.float8_e4m3fn, torch.float8_e5m2),
}
TYPES = (torch.float16, torch.bfloat16, torch.float32, *FP8[triton_emu.TARGET])


@triton.jit
def dot(a, b, c, who, DEPTH: tl.constexpr, SIDE: tl.constexpr):
    tl.store(who, md.my_pe())
    i = tl.arange(0, SIDE)
    acc = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    for k in range(0, DEPTH, SIDE):
        x = tl.load(a + i[:, None] * DEPTH + k + i[None, :])
        y = tl.load(b + (k + i[:, None]) * SIDE + i[None, :])
        acc = tl.dot(x, y, acc, input_precision="ieee")
    tl.store(c + i[:, None] * SIDE + i[None, :], acc)


@triton.jit
def reduce(a, out, who, SIDE: tl.constexpr):
    """Sums of rows and the largest of columns: lanes take from other lanes."""
    tl.store(who, md.my_pe())
    i = tl.arange(0, SIDE)
    x = tl.load(a + i[:, None] * SIDE + i[None, :])
    tl.store(out + i, tl.sum(x, axis=1))
    tl.store(out + SIDE + i, tl.max(x, axis=0))


@triton.jit
def gather(dest, src, sig, ns, K: tl.constexpr, SIDE: tl.constexpr):
    """Every PE gives each of its tiles to all, late: tile k is that of PE k modulo their number."""
    me = md.my_pe()
    n_pes = md.n_pes()
    for k in range(K):
        if k % n_pes == me:
            start = md.mori_clock_ns()
            while md.mori_clock_ns() - start < ns:
                pass
            off = k * SIDE * SIDE
            for pe in range(n_pes):
                md.putmem_signal_block(dest + off, src + off, SIDE * SIDE * 2, sig + k, 1, md.SIGNAL_SET, pe, 0)


def stages(name):
    """The values of num_stages that a kernel is compiled with."""
    if not SAMPLE:
        return (1, 2, 3, 4)
    return (1 + zlib.crc32(f"{os.environ.get('TEST_SEED', '1')} {triton_emu.TARGET} {name}".encode()) % 4,)


def examples(job):
    for program in (hello, put_ring, get, put_signal):
        program.run(job)
    allreduce.run(job, rounds=1)


def products(job):
    """Each PE multiplies numbers of its own."""
    depth = 4 * SIDE
    at = torch.arange(depth * SIDE, dtype=torch.int64)
    for dtype in TYPES:
        a = ((at * 7 + at // depth * 3 + job.me) % 9 - 4).view(SIDE, depth).float()
        b = ((at * 5 + at // SIDE) % 9 - 4).view(depth, SIDE).float()
        for n in stages(str(dtype)):
            c = torch.full((SIDE, SIDE), -1.0)
            who = torch.full((1,), -1, dtype=torch.int32)
            dot[(1,)](a.to(dtype), b.to(dtype), c, who, DEPTH=depth, SIDE=SIDE, num_stages=n, extern_libs=job.libs)
            job.check(f"product of {dtype} with num_stages={n}", c, a @ b)
            job.check("by the PE", who, [job.me])


def reductions(job):
    at = torch.arange(SIDE * SIDE, dtype=torch.int64)
    a = ((at * 37 + at // SIDE * 11 + job.me) % 101 - 50).view(SIDE, SIDE)
    for dtype in (torch.float32, torch.int32):
        x = a.to(dtype)
        out = torch.zeros(2 * SIDE, dtype=dtype)
        who = torch.full((1,), -1, dtype=torch.int32)
        reduce[(1,)](x, out, who, SIDE=SIDE, extern_libs=job.libs)
        job.check(f"sums and maxima of {dtype}", out, torch.cat([x.sum(1).to(dtype), x.max(0).values]))
        job.check("by the PE", who, [job.me])


def launch(kernel, *args, **meta):
    """A launch in a thread, because on this device it returns when the kernel has ended; its failure, if any."""
    failed = []

    def body():
        try:
            kernel[(1,)](*args, **meta)
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    return thread, failed


def late(job):
    """All tiles of all PEs, each of which is sent late."""
    tiles = job.symmetric((2 * K * SIDE, SIDE), torch.float16, 100.0)
    sig = job.symmetric((K,), torch.int64, 0)
    mine, b = numbers(job.me, "cpu"), numbers(100, "cpu")
    every = [numbers(pe, "cpu").view(K, SIDE, SIDE) for pe in range(job.n)]
    want = product(torch.cat([every[k % job.n][k] for k in range(K)]), b)
    c = torch.empty((SIDE, SIDE))
    for kernel in (wait_load, poll_load, wait_get, two_loops):
        for n in stages(kernel.__name__):
            meta = dict(K=K, SIDE=SIDE, num_stages=n, extern_libs=job.libs)
            sends = dict(K=K, SIDE=SIDE, extern_libs=job.libs)
            kernel.warmup(tiles, b, c, sig, 0, grid=(1,), **meta)
            gather.warmup(tiles, mine, sig, LATE_NS, grid=(1,), **sends)
            tiles.fill_(100.0)
            sig.zero_()
            c.fill_(-1.0)
            job.barrier()
            thread, failed = launch(kernel, tiles, b, c, sig, 0, **meta)
            gather[(1,)](tiles, mine, sig, LATE_NS, **sends)
            thread.join()
            for error in failed:
                raise error
            job.check(f"{kernel.__name__} with num_stages={n}", c, want)
            job.barrier()


def forms(job):
    """A kernel a form; each is called for the PE to the right."""
    a, b = numbers(job.me, "cpu")[:SIDE].contiguous(), numbers(200, "cpu")[:SIDE].contiguous()
    want = (a.double() @ b.double()).to(torch.float32)
    box = job.symmetric((64,), torch.int64, 0)
    words = job.symmetric((16,), torch.int64, 5)
    c = torch.empty((SIDE, SIDE))
    groups = triton_forms.forms()
    with tempfile.TemporaryDirectory() as folder:
        kernels = triton_forms.load(folder, groups.values())
        for form, kernel in zip(groups, kernels):
            kernel.warmup(a, b, c, box, words, 0, N=SIDE, grid=(1,), extern_libs=job.libs)
            c.fill_(-1.0)
            job.barrier()
            kernel[(1,)](a, b, c, box, words, (job.me + 1) % job.n, N=SIDE, extern_libs=job.libs)
            job.check(f"tl.dot beside {form}", c, want)
    job.barrier()
    job.wrong += ms.shmem_check() is not None


PARTS = {"examples": examples, "dot": products, "reduce": reductions, "late": late, "forms": forms}
job = common.Job()
job.libs = triton_emu.libs()
for name in sys.argv[2:] or (["examples", "dot", "reduce", "late"] if SAMPLE else PARTS):
    PARTS[name](job)
sys.exit(job.leave())
