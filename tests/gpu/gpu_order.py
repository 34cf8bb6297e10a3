# SPDX-License-Identifier: MIT
"""What Triton's compiler does around the library's calls, on a GPU, a process a PE: tiles that come late from
another PE are read after the wait for them and never before, whatever loop they are loaded in; and ``tl.dot`` beside
every block form gives the exact product.

    torchrun --nproc_per_node=N gpu_order.py
"""

import os
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../examples/triton"))
sys.path.insert(0, os.path.join(here, "../python/progs"))

import common
import torch
import triton
import triton.language as tl
import triton_forms
from triton.tools.tensor_descriptor import TensorDescriptor
from triton_late import SIDE, K, numbers, poll_load, product, two_loops, wait_get, wait_load

import mori.ir.triton as md
import mori.shmem as ms

LATE_NS = 50_000


@triton.jit
def produce(dest, src, sig, pe, ns, K: tl.constexpr, SIDE: tl.constexpr):
    """Tile after tile to a PE, each late."""
    for k in range(K):
        start = md.mori_clock_ns()
        while md.mori_clock_ns() - start < ns:
            pass
        off = k * SIDE * SIDE
        md.putmem_signal_block(dest + off, src + off, SIDE * SIDE * 2, sig + k, 1, md.SIGNAL_SET, pe, 0)


@triton.jit
def wait_descriptor(a, b, c, sig, pe, K: tl.constexpr, SIDE: tl.constexpr):
    """The same by tensor descriptors, which the TMA engine reads."""
    i = tl.arange(0, SIDE)
    acc = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    for k in range(K):
        md.uint64_wait_until_equals_block(sig + k, 1)
        acc += tl.dot(a.load([k * SIDE, 0]), b.load([k * SIDE, 0]))
    tl.store(c + i[:, None] * SIDE + i[None, :], acc)


def late(job):
    """Each PE reads tiles that its left neighbour sends late."""
    tiles = job.symmetric((2 * K * SIDE, SIDE), torch.float16, 100.0)
    sig = job.symmetric((K,), torch.int64, 0)
    right, left = (job.me + 1) % job.n, (job.me - 1) % job.n
    mine, b = numbers(job.me, "cuda"), numbers(100, "cuda")
    want = product(numbers(left, "cuda"), b)
    c = torch.empty((SIDE, SIDE), device="cuda")
    streams = torch.cuda.Stream(), torch.cuda.Stream()
    shape = [SIDE, SIDE]
    descriptors = TensorDescriptor.from_tensor(tiles, shape), TensorDescriptor.from_tensor(b, shape)
    kernels = [wait_load, poll_load, wait_get, two_loops]
    if torch.cuda.get_device_capability()[0] >= 9:
        kernels.append(wait_descriptor)
    for kernel in kernels:
        for stages in (1, 2, 3, 4):
            args = descriptors if kernel is wait_descriptor else (tiles, b)
            meta = dict(K=K, SIDE=SIDE, num_stages=stages, extern_libs=job.libs)
            kernel.warmup(*args, c, sig, right, grid=(1,), **meta)
            produce.warmup(tiles, mine, sig, right, LATE_NS, K=K, SIDE=SIDE, grid=(1,), extern_libs=job.libs)
            tiles.fill_(100.0)
            sig.zero_()
            c.fill_(-1.0)
            job.barrier()
            with torch.cuda.stream(streams[0]):
                kernel[(1,)](*args, c, sig, right, **meta)
            with torch.cuda.stream(streams[1]):
                produce[(1,)](tiles, mine, sig, right, LATE_NS, K=K, SIDE=SIDE, extern_libs=job.libs)
            job.check(f"{kernel.__name__} with num_stages={stages}", c, want)
            job.barrier()


def forms(job):
    """A kernel a form; each is called for the PE to the right."""
    a, b = numbers(job.me, "cuda")[:SIDE].contiguous(), numbers(200, "cuda")[:SIDE].contiguous()
    want = (a.double() @ b.double()).to(torch.float32)
    box = job.symmetric((64,), torch.int64, 0)
    words = job.symmetric((16,), torch.int64, 5)
    c = torch.empty((SIDE, SIDE), device="cuda")
    groups = triton_forms.forms()
    with tempfile.TemporaryDirectory() as folder:
        kernels = triton_forms.load(folder, groups.values())
        for kernel in kernels:
            kernel.warmup(a, b, c, box, words, 0, N=SIDE, grid=(1,), extern_libs=job.libs)
    for form, kernel in zip(groups, kernels):
        c.fill_(-1.0)
        job.barrier()
        kernel[(1,)](a, b, c, box, words, (job.me + 1) % job.n, N=SIDE, extern_libs=job.libs)
        job.check(f"tl.dot beside {form}", c, want)
    job.barrier()
    job.wrong += ms.shmem_check() is not None


job = common.Job()
for part in (late, forms):
    part(job)
bad = job.leave()
sys.stdout.write(f"PE {job.me} of {job.n}: {'wrong' if bad else 'all right'}\n")
sys.exit(bad)
