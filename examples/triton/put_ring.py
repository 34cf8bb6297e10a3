# SPDX-License-Identifier: MIT
"""Every PE puts a message into the heap of its right neighbour; the barrier says that all have arrived."""

import common
import torch
import triton

import mori.ir.triton as mori_shmem_device


@triton.jit
def put_ring(dest, src, nbytes):
    right = (mori_shmem_device.my_pe() + 1) % mori_shmem_device.n_pes()
    mori_shmem_device.putmem_nbi_block(dest, src, nbytes, right, 0)
    mori_shmem_device.barrier_all_block()


def run(job, n=10007):
    dest = job.symmetric((n,), torch.int32, -1)
    src = job.symmetric((n,), torch.int32, 0)
    words = torch.arange(n, dtype=torch.int32)
    src.copy_(words + 1000000 * job.me)
    job.barrier()
    put_ring[(1,)](dest, src, n * 4, extern_libs=job.libs)
    left = (job.me - 1) % job.n
    job.check(f"put here by PE {left}", dest, words + 1000000 * left)


if __name__ == "__main__":
    common.main(run)
