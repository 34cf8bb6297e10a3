# SPDX-License-Identifier: MIT
"""Who am I, how many are we: asked by a kernel."""

import common
import torch
import triton
import triton.language as tl

import mori.ir.triton as mori_shmem_device


@triton.jit
def hello(out):
    tl.store(out, mori_shmem_device.my_pe())
    tl.store(out + 1, mori_shmem_device.n_pes())


def run(job):
    out = torch.zeros(2, dtype=torch.int32, device=job.device)
    hello[(1,)](out, extern_libs=job.libs)
    job.check("its number and how many there are", out, [job.me, job.n])


if __name__ == "__main__":
    common.main(run)
