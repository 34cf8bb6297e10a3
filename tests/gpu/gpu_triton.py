# SPDX-License-Identifier: MIT
"""Triton kernels on a GPU, a process a PE: the examples; tensors on the heap, of peers and registered ones; a kernel
that is kept across finalize acts for another rank in the next job.

    torchrun --nproc_per_node=N gpu_triton.py
"""

import os
import sys
import warnings

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../examples/triton"))

import allreduce
import common
import get
import hello
import put_ring
import put_signal
import torch
import triton

import mori.ir.triton as mori_shmem_device
import mori.shmem as ms

N = 5003


def examples(job):
    for program in (hello, put_ring, get, put_signal):
        program.run(job)
    allreduce.run(job)


def tensors(job):
    """A tensor of a peer is that peer's memory, whichever PE writes it."""
    mine = job.symmetric((N,), torch.float32, -1.0)
    right = (job.me + 1) % job.n
    words = torch.arange(N, dtype=torch.float32, device="cuda")
    job.barrier()
    theirs = ms.symm_mori_shmem_tensor(mine, right)
    theirs.copy_(words + 10000 * job.me)
    job.barrier()
    job.check("by torch into a peer's tensor", mine, words + 10000 * ((job.me - 1) % job.n))
    buffer = ms.MoriShmemBuffer(mine.data_ptr(), N * 4, "float32")
    job.check("by the array interface", torch.as_tensor(buffer, device="cuda"), mine)
    job.check("by DLPack", torch.from_dlpack(buffer), mine)
    del theirs, buffer


def registered(job):
    """Memory of torch's own allocator, in the midst of one of its segments."""
    spare = torch.zeros(12345, device="cuda")
    words = torch.arange(N, dtype=torch.int32, device="cuda")
    src = words + 1000000 * job.me
    dest = torch.full((N,), -1, dtype=torch.int32, device="cuda")
    torch.cuda.synchronize()
    ms.shmem_symmetric_register(src.data_ptr(), N * 4)
    left = (job.me - 1) % job.n
    get.get[(3,)](dest, src, N, NBI=False, extern_libs=job.libs)
    job.check("fetched from a registered tensor", dest, words + 1000000 * left)
    job.barrier()
    ms.getmem_thread(dest.data_ptr(), src.data_ptr(), N * 4, (job.me + 1) % job.n, 0)
    job.check("the same by the host", dest, words + 1000000 * ((job.me + 1) % job.n))
    ms.shmem_symmetric_deregister(src.data_ptr(), N * 4)
    del spare


def on_stream(job):
    """The barrier is in the order of torch's stream."""
    box = job.symmetric((job.n,), torch.int64, -1)
    job.barrier()
    for pe in range(job.n):
        ms.symm_mori_shmem_tensor(box, pe)[job.me] = 7 * job.me + pe
    ms.shmem_barrier_on_stream(torch.cuda.current_stream())
    job.check("after a barrier on the stream", box, [7 * pe + job.me for pe in range(job.n)])


@triton.jit
def bad(x):
    mori_shmem_device.signal_op_block(x, 1, mori_shmem_device.SIGNAL_SET, 99, 0)


def unseen(job):
    """Failures that nobody checks: one warning, of the next barrier."""
    x = job.symmetric((1,), torch.int64, 0)
    bad[(3,)](x, extern_libs=job.libs)
    torch.cuda.synchronize()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        ms.shmem_barrier_all()
        ms.shmem_barrier_all()
    words = "signal_op_block in a kernel: there is no PE 99", "; 2 more"
    said = [all(w in str(one.message) for w in words) for one in seen]
    job.check("the warning", torch.tensor(said), [True])
    fault = ms.shmem_check()
    job.check("what is left for a check", torch.tensor([fault.code, fault.pe]), [ms.MORI_SHMEM_EINVAL, 99])


def kept(job):
    """The same compiled kernel: a status without a job, and then another rank."""
    ids = job.symmetric((128,), torch.uint8, 0)
    if job.me == 0:
        ids.copy_(torch.frombuffer(bytearray(ms.shmem_get_unique_id()), dtype=torch.uint8))
    job.barrier()
    mine = torch.zeros(128, dtype=torch.uint8, device="cuda")
    ms.getmem_thread(mine.data_ptr(), ids.data_ptr(), 128, 0, 0)
    uid = bytes(mine.cpu().tolist())
    me, n = job.me, job.n
    libs = job.libs  # another library would be another module, without a state
    del ids
    bad = job.leave()
    out = torch.zeros(2, dtype=torch.int32, device="cuda")
    hello.hello[(1,)](out, extern_libs=libs)
    bad += out.tolist() != [ms.MORI_SHMEM_ESTATE] * 2
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        ms.shmem_init_attr(ms.MORI_SHMEM_INIT_WITH_UNIQUEID, n - 1 - me, n, uid)
    bad += ["since it has finalized" in str(w.message) for w in seen] != [True]
    job = common.Job()
    bad += job.me != n - 1 - me
    hello.run(job)
    put_ring.run(job)
    return bad + job.leave()


def main():
    job = common.Job()
    for part in (examples, tensors, registered, on_stream, unseen):
        part(job)
    bad = kept(job)
    sys.stdout.write(f"PE {job.me} of {job.n}: {'wrong' if bad else 'all right'}\n")
    sys.exit(1 if bad else 0)


main()
