# SPDX-License-Identifier: MIT
"""Families and forms that the examples do not use, on PEs of the CPU, for triton_jobs.py: body(),
and lose(), in which the last PE ends while the others wait for it."""

import os
import sys
import threading
import time
import warnings

os.environ.update(TRITON_INTERPRET="1", OMP_NUM_THREADS="1", MORI_SHMEM_DEVICE="cpu", MORI_SHMEM_TIMEOUT="100")

import forked
import torch
import triton
import triton.language as tl

import mori
import mori.ir.triton as d
import mori.shmem as ms
from mori.ir.triton import get_extern_libs, install_hook, int32_p_block

wrong = []
LIBS = {}  # get_extern_libs()


def check(what, got, want):
    got = got.tolist() if isinstance(got, torch.Tensor) else got
    if got != want:
        wrong.append(what)
        forked.say(f"{what}: got {got}, want {want}")


def symmetric(n, dtype=torch.int64, fill=0):
    t = ms.mori_shmem_create_tensor((n,), dtype)
    t.fill_(fill)
    return t


@triton.jit
def right_of(me, n):
    return (me + 1) % n


@triton.jit
def values(word, real, out):
    """One value; by keyword; a name imported by itself; a function of the kernel's own."""
    right = right_of(d.my_pe(), d.n_pes())
    int32_p_block(word, 100 + d.my_pe(), right, 0)
    d.float_p_block(dest=real, value=0.5 + d.my_pe(), pe=right, qp=0)
    d.quiet_block()
    d.barrier_all_block()
    tl.store(out, d.int32_g_block(word, right, 0))
    tl.store(out + 1, d.float_g_block(real, right, 0).to(tl.int32))


def test_values(me, n):
    word, real, out = symmetric(1, torch.int32, -1), symmetric(1, torch.float32), symmetric(2, torch.int32)
    ms.shmem_barrier_all()
    values[(1,)](word, real, out, extern_libs=LIBS)
    check("p", word, [100 + (me - 1) % n])
    check("g", out, [100 + me, me])


@triton.jit
def atomics(counts, out):
    to = right_of(d.my_pe(), d.n_pes())
    d.uint64_atomic_add_thread(counts, 1, to, 0)
    d.uint64_atomic_add_warp(counts + 1, 1, to, 0)
    d.uint64_atomic_add_block(counts + 2, 1, to, 0)
    d.signal_op_block(counts + 3, 5, d.SIGNAL_ADD, to, 0)
    d.barrier_all_block()
    tl.store(out, d.uint64_atomic_fetch_add_block(counts + 2, 10, to, 0).to(tl.int64))
    tl.store(out + 1, d.uint64_atomic_compare_swap_block(counts + 3, 5, 77, to, 0).to(tl.int64))
    d.barrier_all_block()


def test_atomics(me, n):
    counts, out = symmetric(4), symmetric(2)
    ms.shmem_barrier_all()
    atomics[(1,)](counts, out, num_warps=2, extern_libs=LIBS)
    check("once a thread, a warp, a block", counts, [64, 2, 11, 77])
    check("what was there", out, [1, 5])


@triton.jit
def relay(flags, order, clock, n):
    """Program i waits for program i + 1, and the last for another PE: none can run to its end at once."""
    i = tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)
    me = d.my_pe()
    if i == n - 1:
        d.uint64_atomic_add_block(flags + n, 1, right_of(me, d.n_pes()), 0)
    d.uint64_wait_until_block(flags + i + 1, d.CMP_NE, 0)
    tl.store(order + i, tl.atomic_add(clock, 1))
    if tl.program_id(0) * tl.num_programs(1) + tl.program_id(1) == i:
        d.uint64_p_block(flags + i, 1, me, 0)


def test_relay(me, n):
    count = 12
    flags, order, clock = symmetric(count + 1), symmetric(count, fill=-1), symmetric(1)
    ms.shmem_barrier_all()
    relay[(4, 3)](flags, order, clock, count, extern_libs=LIBS)
    check("the last comes first, and knows its index after the wait", order, list(range(count))[::-1])


@triton.jit
def meet(flag, out):
    """PE 1 comes to the barrier when program 1 of PE 0 has told it to, which begins after program 0 stands in it."""
    if tl.program_id(0) == 0:
        if d.my_pe() == 1:
            d.uint64_wait_until_equals_block(flag, 1)
        tl.store(out, d.barrier_all_block())
    else:
        if d.my_pe() == 0:
            d.uint64_p_block(flag, 1, 1, 0)
            d.uint64_wait_until_equals_block(flag, 2)
        if d.my_pe() == 1:
            d.uint64_wait_until_equals_block(flag, 1)
            d.uint64_p_block(flag, 2, 0, 0)


def test_meet(me, n):
    flag, out = symmetric(1), symmetric(1, torch.int32, -1)
    ms.shmem_barrier_all()
    meet[(2,)](flag, out, extern_libs=LIBS)
    check("barrier beside a wait", out, [0])


@triton.jit
def waits(words, skip, indices, out):
    """Every form of a wait that holds already, or has a time of its own."""
    tl.store(out, d.uint64_wait_until_greater_than_block(words + 3, 5).to(tl.int64))
    tl.store(out + 1, d.uint64_wait_until_any_block(words, 4, 0, d.CMP_EQ, 7).to(tl.int64))
    tl.store(out + 2, d.uint64_wait_until_any_block(words, 4, skip, d.CMP_EQ, 7).to(tl.int64))
    tl.store(out + 3, d.uint64_wait_until_some_block(words, 4, indices, 0, d.CMP_EQ, 7).to(tl.int64))
    tl.store(out + 4, d.uint64_wait_until_all_block(words, 4, skip, d.CMP_GE, 7))
    tl.store(out + 5, d.uint64_wait_until_for_block(words, d.CMP_EQ, 1, 20000000))
    tl.store(out + 6, d.uint64_wait_until_any_for_block(words, 4, 0, d.CMP_EQ, 1, 1000).to(tl.int64))
    tl.store(out + 7, d.uint64_test_block(words + 1, d.CMP_EQ, 7))
    tl.store(out + 8, d.uint64_test_block(words, d.CMP_EQ, 7))
    tl.store(out + 9, d.signal_fetch(words + 1).to(tl.int64))


def test_waits(me, n):
    words = torch.tensor([2, 7, 7, 9])
    skip = torch.tensor([1, 1, 0, 0], dtype=torch.int32)
    indices, out = torch.full((4,), -1), torch.full((10,), -99)
    waits[(1,)](words, skip, indices, out, extern_libs=LIBS)
    check("waits", out, [9, 1, 2, 2, 0, -5, -1, 1, 0, 7])
    check("indices", indices, [1, 2, -1, -1])


@triton.jit
def poll(flag, out):
    """Programs that look for themselves."""
    i = tl.program_id(0)
    if i == 0:
        while tl.load(flag, volatile=True) == 0:
            pass
        tl.store(out, 1)
    elif i == 1:
        while tl.atomic_add(flag + 1, 0) == 0:
            pass
        tl.store(flag, 1)
    elif i == 2:
        while d.uint64_test_block(flag + 2, d.CMP_EQ, 1) == 0:
            pass
        tl.store(flag + 1, 1)
    else:
        tl.store(flag + 2, 1)


def test_poll(me, n):
    flag, out = symmetric(3), symmetric(1)
    poll[(4,)](flag, out, extern_libs=LIBS)
    check("polling", out, [1])


@triton.jit
def with_context(ctx, data, out, sig):
    me = d.ctx_my_pe(ctx)
    n = d.ctx_n_pes(ctx)
    to = (me + 1) % n
    d.ctx_putmem_signal_block(ctx, out, data, 16, sig, 1, d.SIGNAL_SET, to, 0)
    d.ctx_uint64_wait_until_equals_block(ctx, sig, 1)
    d.ctx_barrier_all_block(ctx)


def test_context(me, n):
    data, out, sig = symmetric(2, fill=me + 40), symmetric(2), symmetric(1)
    ms.shmem_barrier_all()
    with_context[(1,)](ms.shmem_device_state(), data, out, sig, extern_libs=LIBS)
    check("ctx forms", out, [40 + (me - 1) % n] * 2)


@triton.jit
def objects(dest, src, status):
    to = right_of(d.my_pe(), d.n_pes())
    tl.store(status, d.putmem_obj_block(dest, 8, src, 0, 8, to, 0))
    tl.store(status + 1, d.putmem_obj_block(dest, 1048576, src, 0, 8, to, 0))
    d.barrier_all_block()


def test_objects(me, n):
    dest, src, status = symmetric(2), symmetric(2, fill=me + 7), symmetric(2, torch.int32, 1)
    ms.shmem_barrier_all()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        objects[(1,)](tuple(ms.shmem_query_memobj(dest)), tuple(ms.shmem_query_memobj(src)), status, extern_libs=LIBS)
    check("objects", dest, [0, (me - 1) % n + 7])
    check("status of the second, which does not fit", status, [0, -1])
    said = [(w.category, "putmem_thread" in str(w.message) or "putmem_obj_block" in str(w.message)) for w in caught]
    check("a warning for it, by the barrier", said, [(RuntimeWarning, True)])


@triton.jit
def facts(out, data, addrs, N: tl.constexpr):
    tl.store(out, d.mori_block_id().to(tl.int64))
    tl.store(out + 1, d.mori_grid_size().to(tl.int64))
    tl.store(out + 2, d.mori_block_size().to(tl.int64))
    tl.store(out + 3, d.mori_warp_size().to(tl.int64))
    d.mori_block_sync()
    pes = tl.arange(0, N)
    tl.store(addrs + pes, d.ptr_p2p(data.to(tl.uint64, bitcast=True), d.my_pe(), pes).to(tl.int64))


def test_facts(me, n):
    data = symmetric(1)
    out, addrs = torch.zeros(4, dtype=torch.int64), torch.zeros(4, dtype=torch.int64)
    facts[(1,)](out, data, addrs, N=4, num_warps=8, extern_libs=LIBS)
    check("facts", out, [0, 1, 256, 32])
    want = [ms.shmem_ptr_p2p(data.data_ptr(), me, pe) if pe < n else 0 for pe in range(4)]
    check("ptr_p2p of a tensor of PEs", addrs, want)


@triton.jit
def bad(box, out):
    tl.store(out, d.putmem_block(box, box, 8, 99, 0))
    tl.store(out + 1, d.status())


def test_bad(me, n):
    box, out = symmetric(1), symmetric(2, torch.int32)
    ms.shmem_check()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bad[(1,)](box, out, extern_libs=LIBS)
    check("a PE that is none", out, [-1, -1])
    check("told later, unless somebody looks", [str(w.message) for w in caught], [])
    fault = ms.shmem_check()
    check("the PE keeps it", (fault.code, fault.op, fault.pe), (-1, "putmem_block", 99))
    check("where", (fault.addr, fault.block, fault.thread), (box.data_ptr(), (0, 0, 0), (0, 0, 0)))
    check("once", ms.shmem_check(), None)


@triton.jit
def bad_late(words, out):
    """The third program fails: by a value, and by a wait that ends."""
    if tl.program_id(0) == 2:
        tl.store(out, d.int64_g_block(words, -7, 0))
        tl.store(out + 1, d.uint64_wait_until_equals_for_block(words, 5, 1000))
        tl.store(out + 2, d.status())


def test_bad_late(me, n):
    words, out = symmetric(1), symmetric(3)
    ms.shmem_check()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bad_late[(3,)](words, out, extern_libs=LIBS)
    check("no value, too late, sticky", out, [0, -5, -1])
    fault = ms.shmem_check()
    check("the first is kept", (fault.code, fault.pe), (-1, -7))
    late[(1,)](words, out, extern_libs=LIBS)
    fault, name = ms.shmem_check(), "uint64_wait_until_equals_for_block"
    check("a wait that ends", (fault.code, fault.op, fault.addr), (-5, name, words.data_ptr()))


@triton.jit
def late(words, out):
    tl.store(out, d.uint64_wait_until_equals_for_block(words, 5, 1000))


@triton.jit
def forgets(out):
    tl.store(out, d.my_pe())


@triton.jit
def forgets_too(out):
    tl.store(out, d.my_pe())


@triton.jit
def needs_nothing(out):
    tl.store(out, 77)


def check_forgotten(me):
    """What a GPU could not do without is said once a kernel; before anything is called."""
    out = torch.zeros(1, dtype=torch.int32)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        needs_nothing[(2,)](out)
        for _ in range(2):
            forgets[(2,)](out, extern_libs={"mori": "x"})
    check("it runs all the same", out, [me])
    check("a hook that was forgotten", [(w.category, "forgets" in str(w.message), "install_hook()" in str(w.message))
                                        for w in caught], [(RuntimeWarning, True, True)])
    get_extern_libs()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for libs in ({"mori": "x"}, {}, None, {"other": "x"}):
            forgets_too[(2,)](out, extern_libs=libs)
        forgets[(2,)](out)  # it was named before
    check("libraries that were forgotten", [(w.category, "forgets_too" in str(w.message), "extern_libs" in
                                             str(w.message)) for w in caught], [(RuntimeWarning, True, True)])


@triton.jit
def stay(word, value):
    d.uint64_wait_until_equals_block(word + tl.program_id(0), value)


@triton.jit
def hold(word, value):
    d.uint64_wait_until_equals_block(word, value)
    return value


@triton.jit
def stay_deep(word, out):
    """Waits in a function that the kernel calls, once for what comes and once for what does not."""
    i = tl.program_id(0)
    if i == 0:
        tl.store(out, hold(word, 1) + i)
        hold(word, 3)
    else:
        d.uint64_p_block(word, 1, d.my_pe(), 0)


def fails(what, status, words, run):
    begin = time.monotonic()
    try:
        run()
        check(what, "nothing raised", status)
    except mori.ShmemError as error:
        check(what, error.status, status)
        for word in words:
            if word not in str(error):
                check(what, str(error), f"a text with {word}")
    return time.monotonic() - begin


def test_deadlines(me, n):
    word = symmetric(3)
    os.environ["MORI_SHMEM_WAIT_TIMEOUT"] = "0.2"
    fails("a wait that ends", -5, ["program (1, 0, 0)", "stay", "uint64_wait_until_equals_block", "== 4"],
          lambda: (word.copy_(torch.tensor([4, 0, 4])), stay[(3,)](word, 4, extern_libs=LIBS)))
    out = symmetric(1)
    fails("in a function of the kernel", -5, ["program (0, 0, 0)", "stay_deep", "== 3"],
          lambda: (word.zero_(), stay_deep[(2,)](word, out, extern_libs=LIBS)))
    check("it had gone on before", out, [1])
    del os.environ["MORI_SHMEM_WAIT_TIMEOUT"]
    os.environ["MORI_SHMEM_TIMEOUT"] = "0.3"
    fails("a grid that is stuck", -5, ["stay", "program (0, 0, 0)", "program (2, 0, 0)", "MORI_SHMEM_TIMEOUT"],
          lambda: (word.zero_(), stay[(3,)](word, 4, extern_libs=LIBS)))
    os.environ["MORI_SHMEM_TIMEOUT"] = "100"
    stay[(3,)](word, 0, extern_libs=LIBS)  # and it works again


def test_one_at_a_time(me, n):
    """A second launch while one waits is refused: the interpreter has one builder."""
    word, seen = symmetric(1), []

    def second():
        try:
            stay[(1,)](word, 0, extern_libs=LIBS)
        except RuntimeError as error:
            seen.append("one at a time" in str(error))
        ms.uint64_p(word, 1, me, 0)

    thread = threading.Timer(0.1, second)
    thread.start()
    stay[(1,)](word, 1, extern_libs=LIBS)
    thread.join()
    check("a second launch", seen, [True])


ADD = tl.constexpr(10)


@triton.jit
def by_hand(inbox, data, sums, signal, me: int, n: int, nbytes, MOST: tl.constexpr, N: tl.constexpr):
    """The ways other programs for this library are written: thread forms, casts, constants of their own."""
    at = tl.arange(0, N)
    to = tl.program_id(0)
    if to < n:
        if to == me:
            tl.store(inbox + me * N + at, tl.load(data + at))
            tl.atomic_add(signal + me, 1, sem="release")
        else:
            d.putmem_nbi_signal_block(
                inbox + me * N, data, tl.cast(nbytes, tl.uint64), signal + me, tl.full([], 1, tl.uint64), ADD, to, 0
            )
            d.quiet_thread()
    for pe in tl.static_range(MOST):
        if pe < n:
            d.uint64_wait_until_equals(signal + pe, tl.cast(1, tl.uint64))
    total = tl.zeros([N], dtype=tl.float32)
    for pe in tl.static_range(MOST):
        if pe < n:
            total += tl.load(inbox + pe * N + at).to(tl.float32)
    tl.store(sums + at, total.to(tl.bfloat16))
    d.int32_p(signal + n, 7, (me + 1) % n, 0)
    d.putmem_nbi_thread(signal + n + 1, signal + n, 8, me, 0)


def test_by_hand(me, n):
    inbox, signal = symmetric(64 * n, torch.bfloat16), symmetric(n + 2)
    torch.manual_seed(me)
    data = torch.randn(64).to(torch.bfloat16)
    sums = torch.zeros(64, dtype=torch.bfloat16)
    ms.shmem_barrier_all()
    by_hand[(8,)](inbox, data, sums, signal, me, n, 128, MOST=8, N=64, extern_libs=LIBS)
    ms.shmem_barrier_all()
    parts = [torch.manual_seed(pe) and torch.randn(64).to(torch.bfloat16).float() for pe in range(n)]
    check("as others write it", sums, sum(parts).to(torch.bfloat16).tolist())
    check("signals", signal[: n + 1], [1] * n + [7])


def test_host_call(me, n):
    try:
        d.my_pe()
        check("a call on the host", "nothing raised", "RuntimeError")
    except RuntimeError as error:
        check("a call on the host", "in a kernel" in str(error), True)


TESTS = [f for name, f in sorted(globals().items()) if name.startswith("test_")]


def body(me, n):
    check_forgotten(me)
    LIBS.update(get_extern_libs())
    install_hook()
    for test in TESTS:
        ms.shmem_barrier_all()
        test(me, n)
    ms.shmem_barrier_all()
    ms.shmem_finalize()
    fails("after finalize", -10, ["init"], lambda: stay[(1,)](torch.zeros(1, dtype=torch.int64), 1, extern_libs=LIBS))
    forked.say(f"PE {me}: {len(TESTS)} tests, wrong: {wrong}")
    return 1 if wrong else 0


@triton.jit
def stay_in_barrier(word):
    if tl.program_id(0) == 0:
        d.barrier_all_block()
    else:
        d.uint64_wait_until_equals_block(word, 1)


def lose(me, n):
    word = symmetric(4)
    ms.shmem_barrier_all()
    if me == n - 1:
        time.sleep(0.3)
        os._exit(0)
    lost = [f"PE {n - 1}"]
    words = [*lost, "stay", "uint64_wait_until_equals_block"]
    fails("waits of a PE that is lost", -4, words, lambda: stay[(4,)](word, 1, extern_libs=LIBS))
    fails("a wait that begins then", -4, lost, lambda: stay[(1,)](word, 1, extern_libs=LIBS))
    for programs in (1, 2):
        words = [*lost, "stay_in_barrier", "barrier_all_block" if programs == 1 else "program"]
        fails("a barrier", -4, words, lambda: stay_in_barrier[(programs,)](word, extern_libs=LIBS))
    stay[(4,)](word, 0, extern_libs=LIBS)
    forked.say(f"PE {me}: wrong: {wrong}")
    return 1 if wrong else 0
