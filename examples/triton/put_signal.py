# SPDX-License-Identifier: MIT
"""A message goes round the ring: PE 0 starts it, every PE adds its number to each word and passes it on together
with a signal, and PE 0 gets it back. Whoever has seen the signal may read the message."""

import common
import torch
import triton
import triton.language as tl

import mori.ir.triton as mori_shmem_device


@triton.jit
def put_signal(box, next_box, signal, n, BLOCK: tl.constexpr):
    me = mori_shmem_device.my_pe()
    right = (me + 1) % mori_shmem_device.n_pes()
    if me != 0:
        mori_shmem_device.uint64_wait_until_equals_block(signal, 1)
    for first in range(0, n, BLOCK):
        at = first + tl.arange(0, BLOCK)
        words = tl.load(box + at, mask=at < n, other=0)
        tl.store(next_box + at, words + me, mask=at < n)
    # The block forms bring the threads of the program together: all have stored before the put.
    mori_shmem_device.putmem_signal_block(
        box, next_box, n * 4, signal, 1, mori_shmem_device.SIGNAL_SET, right, 0
    )
    if me == 0:
        mori_shmem_device.uint64_wait_until_equals_block(signal, 1)


def run(job, n=5003):
    box = job.symmetric((n,), torch.int32, 0)
    next_box = torch.zeros(n, dtype=torch.int32, device=job.device)
    signal = job.symmetric((1,), torch.int64, 0)
    words = torch.arange(n, dtype=torch.int32)
    if job.me == 0:
        box.copy_(words)
    job.barrier()
    put_signal[(1,)](box, next_box, signal, n, BLOCK=1024, extern_libs=job.libs)
    job.barrier()
    before = sum(range(job.me)) if job.me else sum(range(job.n))
    job.check("the message with the numbers of those before", box, words + before)


if __name__ == "__main__":
    common.main(run)
