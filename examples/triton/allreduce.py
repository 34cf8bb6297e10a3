# SPDX-License-Identifier: MIT
"""All-reduce of 64 x 7168 bf16, two ways, several times over.

Kernel A reads the input of all PEs straight from their heaps: for peers that load and store can reach. Kernel B
puts chunks to everybody, each with a signal, and works over every path.

Programs wait for programs of other PEs, so all of a grid must be on the device at once.
"""

import common
import torch
import triton
import triton.language as tl

import mori.ir.triton as mori_shmem_device
import mori.shmem as ms


@triton.jit
def allreduce_read(out, data, n, ready, round, BLOCK: tl.constexpr):
    """Kernel A. Program b tells program b of every PE that its input is ready, and waits for theirs."""
    me = mori_shmem_device.my_pe()
    n_pes = mori_shmem_device.n_pes()
    flags = ready + tl.program_id(0) * n_pes
    for pe in range(n_pes):
        mori_shmem_device.signal_op_block(flags + me, round, mori_shmem_device.SIGNAL_SET, pe, 0)
    mori_shmem_device.uint64_wait_until_all_block(flags, n_pes, 0, mori_shmem_device.CMP_GE, round)
    mine = data.to(tl.uint64, bitcast=True)
    for first in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        at = first + tl.arange(0, BLOCK)
        total = tl.load(data + at, mask=at < n, other=0.0).to(tl.float32)
        for step in range(1, n_pes):
            theirs = mori_shmem_device.ptr_p2p(mine, me, (me + step) % n_pes)
            theirs = theirs.to(tl.pointer_type(tl.bfloat16), bitcast=True)
            total += tl.load(theirs + at, mask=at < n, other=0.0).to(tl.float32)
        tl.store(out + at, total.to(tl.bfloat16), mask=at < n)


@triton.jit
def allreduce_put(out, data, n, inbox, came, chunks, round, BLOCK: tl.constexpr):
    """Kernel B. Program (peer, chunk) puts its chunk to its peer, then adds up a share of that chunk when everybody's
    has come. The round picks one of two halves of the inbox: a PE may be one round ahead."""
    me = mori_shmem_device.my_pe()
    n_pes = mori_shmem_device.n_pes()
    peer = (me + tl.program_id(0) // chunks) % n_pes
    chunk = tl.program_id(0) % chunks
    first = n * chunk // chunks
    length = n * (chunk + 1) // chunks - first
    half = inbox + round % 2 * n * n_pes
    mori_shmem_device.putmem_nbi_signal_block(
        half + me * n + first,
        data + first,
        length * 2,
        came + me * chunks + chunk,
        1,
        mori_shmem_device.SIGNAL_ADD,
        peer,
        0,
    )
    for pe in range(n_pes):
        mori_shmem_device.uint64_wait_until_block(came + pe * chunks + chunk, mori_shmem_device.CMP_GE, round)
    end = first + length * (peer + 1) // n_pes
    for start in range(first + length * peer // n_pes, end, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total = tl.load(half + at, mask=at < end, other=0.0).to(tl.float32)
        for pe in range(1, n_pes):
            total += tl.load(half + pe * n + at, mask=at < end, other=0.0).to(tl.float32)
        tl.store(out + at, total.to(tl.bfloat16), mask=at < end)


def inputs(job, n, round):
    """What each PE brings in a round: numbers whose sums are exact, different for each PE, place and round."""
    place = torch.arange(n, dtype=torch.int32)
    return [((place * 7 + pe * 13 + round * 29) % 31 - 15).to(torch.bfloat16) for pe in range(job.n)]


def expected(parts):
    return torch.stack(parts).float().sum(dim=0).to(torch.bfloat16)


def run(job, rounds=3):
    n = 64 * 7168
    programs = min(8, job.room())
    data = job.symmetric((n,), torch.bfloat16, 0)
    near = all(ms.shmem_ptr_p2p(data.data_ptr(), job.me, pe) for pe in range(job.n))
    chunks = min(8, max(1, job.room() // job.n)) if near else 1  # a message over a queue has a price of its own
    block = 4096 if common.ON_GPU else 16384  # the interpreter's price is by the call
    ready = job.symmetric((programs * job.n,), torch.int64, 0)
    inbox = job.symmetric((2 * job.n * n,), torch.bfloat16, 0)
    came = job.symmetric((job.n * chunks,), torch.int64, 0)
    for round in range(1, rounds + 1):
        parts = inputs(job, n, round)
        out_a = torch.zeros(n, dtype=torch.bfloat16, device=job.device)
        out_b = torch.zeros(n, dtype=torch.bfloat16, device=job.device)
        data.copy_(parts[job.me])
        if near:
            allreduce_read[(programs,)](out_a, data, n, ready, round, BLOCK=block, num_warps=8, extern_libs=job.libs)
            job.check(f"all-reduce by reading, round {round}", out_a, expected(parts))
        grid = (job.n * chunks,)
        allreduce_put[grid](
            out_b, data, n, inbox, came, chunks, round, BLOCK=block, num_warps=8, extern_libs=job.libs
        )
        job.check(f"all-reduce by put and signal, round {round}", out_b, expected(parts))
        job.barrier()  # nobody reads the input any more


if __name__ == "__main__":
    common.main(run)
