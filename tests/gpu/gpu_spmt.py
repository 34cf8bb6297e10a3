# SPDX-License-Identifier: MIT
"""PEs as threads of one process on one GPU, with Triton kernels of one module for all: the forms that take a context.

    CUDA_DEVICE_MAX_CONNECTIONS=32 gpu_spmt.py N
"""

import faulthandler
import sys
import threading

import torch
import triton
import triton.language as tl

import mori
import mori.ir.triton as d
import mori.shmem as ms
from mori.ir.triton import get_extern_libs, install_hook

N, ROUNDS = 64 * 7168, 3
wrong = []


@triton.jit
def ring(ctx, dest, src, nbytes):
    right = (d.ctx_my_pe(ctx) + 1) % d.ctx_n_pes(ctx)
    d.ctx_putmem_nbi_block(ctx, dest, src, nbytes, right, 0)
    d.ctx_barrier_all_block(ctx)


@triton.jit
def reduce(ctx, out, data, n, ready, round, BLOCK: tl.constexpr):
    """Kernel A of the examples."""
    me = d.ctx_my_pe(ctx)
    n_pes = d.ctx_n_pes(ctx)
    flags = ready + tl.program_id(0) * n_pes
    for pe in range(n_pes):
        d.ctx_signal_op_block(ctx, flags + me, round, d.SIGNAL_SET, pe, 0)
    d.ctx_uint64_wait_until_all_block(ctx, flags, n_pes, 0, d.CMP_GE, round)
    mine = data.to(tl.uint64, bitcast=True)
    for first in range(tl.program_id(0) * BLOCK, n, tl.num_programs(0) * BLOCK):
        at = first + tl.arange(0, BLOCK)
        total = tl.load(data + at, mask=at < n, other=0.0).to(tl.float32)
        for step in range(1, n_pes):
            theirs = d.ctx_ptr_p2p(ctx, mine, me, (me + step) % n_pes)
            theirs = theirs.to(tl.pointer_type(tl.bfloat16), bitcast=True)
            total += tl.load(theirs + at, mask=at < n, other=0.0).to(tl.float32)
        tl.store(out + at, total.to(tl.bfloat16), mask=at < n)


def check(what, rank, got, want):
    torch.cuda.current_stream().synchronize()
    bad = int((got.cpu() != want.cpu()).sum())
    if bad:
        wrong.append(f"PE {rank}: {what}: {bad} of {got.numel()} wrong")


def part(pe, round):
    place = torch.arange(N, dtype=torch.int32)
    return ((place * 7 + pe * 13 + round * 29) % 31 - 15).to(torch.bfloat16)


def body(rank, n, libs):
    ctx = ms.shmem_device_state()
    dest = ms.mori_shmem_create_tensor((N,), torch.bfloat16)
    src = ms.mori_shmem_create_tensor((N,), torch.bfloat16)
    ready = ms.mori_shmem_create_tensor((8 * n,), torch.int64)
    ready.fill_(0)
    out = torch.zeros(N, dtype=torch.bfloat16, device="cuda")
    with compiling:  # everywhere, before anybody's kernel waits
        ring.warmup(ctx, dest, src, N * 2, grid=(1,), extern_libs=libs)
        for round in (1, 2):  # 1 is a constant to Triton
            reduce.warmup(ctx, out, src, N, ready, round, BLOCK=4096, num_warps=8, grid=(8,), extern_libs=libs)
    for round in range(1, ROUNDS + 1):
        src.copy_(part(rank, round))
        torch.cuda.current_stream().synchronize()
        ms.shmem_barrier_all()
        ring[(1,)](ctx, dest, src, N * 2, extern_libs=libs)
        check("put ring", rank, dest, part((rank - 1) % n, round))
        reduce[(8,)](ctx, out, src, N, ready, round, BLOCK=4096, num_warps=8, extern_libs=libs)
        want = torch.stack([part(pe, round) for pe in range(n)]).float().sum(dim=0).to(torch.bfloat16)
        check("all-reduce", rank, out, want)
        ms.shmem_barrier_on_stream(torch.cuda.current_stream())
        torch.cuda.current_stream().synchronize()
    try:
        ms.shmem_barrier_on_stream(None)
        wrong.append("the default stream of several PEs was not refused")
    except mori.ShmemError:
        pass
    for tensor in (ready, src, dest):
        ms.mori_shmem_free_tensor(tensor)


def run(rank, n, uid, libs):
    try:
        torch.cuda.set_device(0)
        ms.shmem_init_attr(ms.MORI_SHMEM_INIT_WITH_UNIQUEID, rank, n, uid)
        with torch.cuda.stream(torch.cuda.Stream()):
            body(rank, n, libs)
        ms.shmem_finalize()
    except BaseException as error:
        wrong.append(f"PE {rank}: {type(error).__name__}: {error}")
        if ms.shmem_is_initialized():
            ms.shmem_abort("failed")


compiling = threading.Lock()
faulthandler.dump_traceback_later(50, exit=True)
torch.cuda.init()
install_hook()
pes, uid, libs = int(sys.argv[1]), ms.shmem_get_unique_id(), get_extern_libs()
threads = [threading.Thread(target=run, args=(rank, pes, uid, libs), daemon=True) for rank in range(pes)]
for t in threads:
    t.start()
for t in threads:
    t.join(40)
if any(t.is_alive() for t in threads):
    wrong.append("threads still run after 40 s")
print("\n".join(wrong) or f"{pes} PEs as threads: all right", flush=True)
sys.exit(1 if wrong else 0)
