# SPDX-License-Identifier: MIT
"""Every PE fetches a message from its left neighbour, with a get that waits and with one that does not: each
program of the grid fetches a part of its own."""

import common
import torch
import triton
import triton.language as tl

import mori.ir.triton as mori_shmem_device


@triton.jit
def get(dest, src, n, NBI: tl.constexpr):
    left = (mori_shmem_device.my_pe() - 1 + mori_shmem_device.n_pes()) % mori_shmem_device.n_pes()
    part = tl.cdiv(n, tl.num_programs(0))
    first = tl.minimum(tl.program_id(0) * part, n)
    nbytes = tl.minimum(part, n - first) * 4
    if NBI:
        mori_shmem_device.getmem_nbi_block(dest + first, src + first, nbytes, left, 0)
        mori_shmem_device.quiet_block()
    else:
        mori_shmem_device.getmem_block(dest + first, src + first, nbytes, left, 0)


def run(job, n=10007):
    src = job.symmetric((n,), torch.int32, 0)
    words = torch.arange(n, dtype=torch.int32)
    src.copy_(words + 1000000 * job.me)
    left = (job.me - 1) % job.n
    job.barrier()
    for nbi in (False, True):
        dest = job.symmetric((n,), torch.int32, -1)
        job.barrier()
        get[(3,)](dest, src, n, NBI=nbi, extern_libs=job.libs)
        how = "without waiting" if nbi else "at once"
        job.check(f"fetched {how} from PE {left}", dest, words + 1000000 * left)


if __name__ == "__main__":
    common.main(run)
