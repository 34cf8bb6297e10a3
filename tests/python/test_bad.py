# SPDX-License-Identifier: MIT
# TEST: timeout=300 quick=0
"""Wrong use is an exception with a sentence that helps, in this thread, and never a crash."""

import os
import re
import signal
import sys
import threading
import time

import pytest

import mori
import mori.shmem as s
import pes


@pytest.fixture
def alone():
    s.shmem_init()
    yield
    s.shmem_finalize()


BEFORE_INIT = [
    lambda: s.shmem_mype(),
    lambda: s.shmem_npes(),
    lambda: s.shmem_num_qp_per_pe(),
    lambda: s.shmem_finalize(),
    lambda: s.shmem_barrier_all(),
    lambda: s.shmem_barrier_on_stream(),
    lambda: s.shmem_malloc(8),
    lambda: s.shmem_malloc_align(64, 8),
    lambda: s.shmem_ext_malloc_with_flags(8, 0),
    lambda: s.shmem_free(4096),
    lambda: s.shmem_buffer_register(4096, 8),
    lambda: s.shmem_ptr_p2p(4096, 0, 0),
    lambda: s.shmem_module_init(4096),
    lambda: s.shmem_current(),
    lambda: s.shmem_find(0),
    lambda: s.shmem_heap_info(),
    lambda: s.shmem_check(),
    lambda: s.shmem_device_state(),
    lambda: s.shmem_query_memobj(4096),
    lambda: s.shmem_abort("x"),
    lambda: s.int32_p(4096, 1, 0, 0),
    lambda: s.int32_g(4096, 0, 0),
    lambda: s.ctx_int32_g(4096, 4096, 0, 0),
    lambda: s.MoriShmemBuffer(4096, 8, "uint8"),
    lambda: mori.kernel.load(b"\x7fELF"),
]


@pytest.mark.parametrize("i", range(len(BEFORE_INIT)))
def test_before_init(i):
    with pytest.raises(mori.ShmemError) as e:
        BEFORE_INIT[i]()
    assert e.value.status == s.MORI_SHMEM_ESTATE
    assert "init" in e.value.text


def test_tensor_before_init():
    torch = pytest.importorskip("torch")
    with pytest.raises(mori.ShmemError, match="init"):
        s.mori_shmem_create_tensor(3, torch.float32)
    with pytest.raises(mori.ShmemError, match="init"):
        s.mori_shmem_free_tensor(torch.empty(3))


@pytest.mark.parametrize("uid", [b"", b"x", bytes(127), bytes(129), bytearray(5)])
def test_length_of_unique_id(uid):
    with pytest.raises(ValueError, match=f"has {len(uid)} bytes.*128"):
        s.shmem_init_attr(pes.UNIQUEID, 0, 1, uid)


@pytest.mark.parametrize("uid", ["x" * 128, None, 5])
def test_type_of_unique_id(uid):
    with pytest.raises(TypeError, match="128 bytes"):
        s.shmem_init_attr(pes.UNIQUEID, 0, 1, uid)


def test_unique_id_that_is_none():
    with pytest.raises(mori.ShmemError):
        s.shmem_init_attr(pes.UNIQUEID, 0, 1, bytes(128))
    with pytest.raises(mori.ShmemError):
        s.shmem_init_attr(pes.UNIQUEID, 0, 1, os.urandom(128))


@pytest.mark.parametrize("rank, n", [(-1, 1), (1, 1), (0, 0), (5, -3)])
def test_ranks(rank, n):
    with pytest.raises(mori.ShmemError, match="rank"):
        s.shmem_init_attr(pes.UNIQUEID, rank, n, s.shmem_get_unique_id())


def test_flags():
    uid = s.shmem_get_unique_id()
    with pytest.raises(ValueError, match="shmem_mpi_init"):
        s.shmem_init_attr(s.MORI_SHMEM_INIT_WITH_MPI_COMM, 0, 1, uid)
    with pytest.raises(mori.ShmemError, match="flags"):
        s.shmem_init_attr(9, 0, 1, uid)


def test_init_twice(alone):
    with pytest.raises(mori.ShmemError, match="bind") as e:
        s.shmem_init_attr(pes.UNIQUEID, 0, 1, s.shmem_get_unique_id())
    assert e.value.status == s.MORI_SHMEM_ESTATE
    assert s.shmem_init() == 0  # the same again is no error


def test_init_in_two_threads_at_once():
    """Both as the same PE: each raises or one is accepted; nothing hangs and nothing breaks."""
    os.environ["MORI_BOOTSTRAP_TIMEOUT"] = "5"
    try:
        for _ in range(3):
            uid = s.shmem_get_unique_id()
            seen, gate = [], threading.Barrier(2)

            def join():
                gate.wait()
                try:
                    s.shmem_init_attr(pes.UNIQUEID, 0, 2, uid)
                    seen.append("in")
                    s.shmem_finalize()
                except mori.ShmemError as e:
                    seen.append(e)

            both = [threading.Thread(target=join) for _ in range(2)]
            for t in both:
                t.start()
            for t in both:
                t.join(30)
            assert len(seen) == 2 and "in" not in seen
            assert any("two PEs have rank 0" in e.text for e in seen), seen
    finally:
        del os.environ["MORI_BOOTSTRAP_TIMEOUT"]


def test_shmem_init_in_two_threads_at_once():
    """A process that hosts one PE: one thread gets it, the other is told how to act for it."""
    seen, gate = [], threading.Barrier(2)
    done = threading.Event()

    def join():
        gate.wait()
        try:
            s.shmem_init()
            seen.append("in")
            done.wait(20)
            s.shmem_finalize()
        except mori.ShmemError as e:
            seen.append(e)
            done.set()

    both = [threading.Thread(target=join) for _ in range(2)]
    for t in both:
        t.start()
    for t in both:
        t.join(30)
    texts = [e for e in seen if e != "in"]
    assert len(seen) == 2 and len(texts) == 1 and "bind" in texts[0].text


def test_free(alone):
    ptr = s.shmem_malloc(64)
    for bad in (ptr + 8, 4096, 2**63):
        with pytest.raises(mori.ShmemError) as e:
            s.shmem_free(bad)
        assert e.value.status == s.MORI_SHMEM_EINVAL
    s.shmem_free(ptr)
    with pytest.raises(mori.ShmemError, match="freed twice"):
        s.shmem_free(ptr)


def test_addresses(alone):
    ptr = s.shmem_malloc(64)
    for bad, error in (
        (-1, ValueError),
        (2**64, ValueError),
        ("x", TypeError),
        (1.5, TypeError),
        ([], TypeError),
    ):
        with pytest.raises(error):
            s.shmem_free(bad)
    with pytest.raises(mori.ShmemError, match="not symmetric memory"):
        s.int32_p(bytearray(8), 1, 0, 0)
    with pytest.raises(mori.ShmemError, match="NULL"):
        s.int32_p(None, 1, 0, 0)
    with pytest.raises(mori.ShmemError, match="no PE 3"):
        s.int32_p(ptr, 1, 3, 0)
    with pytest.raises(TypeError, match="writable"):
        s.getmem_thread(bytes(8), ptr, 8, 0, 0)


def test_room(alone):
    """Memory whose size is known is not written or read past its end."""
    ptr = s.shmem_malloc(64)
    s.getmem_thread(bytearray(64), ptr, 64, 0, 0)
    for size in (0, 8, 63):
        with pytest.raises(ValueError, match=f"dest has {size} bytes, and the call needs 64 bytes"):
            s.getmem_thread(bytearray(size), ptr, 64, 0, 0)
    with pytest.raises(ValueError, match="src has 12 bytes, and the call needs 4 elements of 4 bytes"):
        s.put_int32_thread(ptr, bytes(12), 4, 0, 0)
    s.put_int32_thread(ptr, bytes(16), 4, 0, 0)
    with pytest.raises(ValueError, match="indices has 8 bytes"):
        s.uint64_wait_until_some_for(ptr, 2, bytearray(8), None, s.MORI_SHMEM_CMP_GE, 0, 1000)
    with pytest.raises(ValueError, match="has 5 bytes"):
        s.put_int64_thread(ptr, bytes(5), 2**63, 0, 0)


def test_tensors_of_operations(alone):
    torch = pytest.importorskip("torch")
    t = s.mori_shmem_create_tensor(16, torch.int32)
    s.put_int32_thread(t, torch.arange(16, dtype=torch.int32), 16, 0, 0)
    assert t.tolist() == list(range(16))
    with pytest.raises(ValueError, match="src is a tensor that is not contiguous"):
        s.put_int32_thread(t, torch.arange(32, dtype=torch.int32)[::2], 16, 0, 0)
    with pytest.raises(ValueError, match="src has 60 bytes"):
        s.put_int32_thread(t, torch.arange(15, dtype=torch.int32), 16, 0, 0)


def test_arguments(alone):
    with pytest.raises(TypeError, match="takes 4"):
        s.int32_p(1, 2, 3)
    with pytest.raises(TypeError, match="missing"):
        s.int32_p(1, 2, 3, queue=0)
    with pytest.raises(TypeError, match="not an integer"):
        s.int32_p(1, "2", 0, 0)
    with pytest.raises(TypeError, match="not a number"):
        s.float_p(1, "2", 0, 0)
    for size in (-1, 2**64):
        with pytest.raises(ValueError, match="size_t"):
            s.shmem_malloc(size)
    with pytest.raises(mori.ShmemError) as e:
        s.shmem_malloc(2**60)
    assert e.value.status == s.MORI_SHMEM_ENOMEM and "MORI_SHMEM_HEAP_SIZE" in e.value.text
    with pytest.raises(mori.ShmemError):
        s.shmem_malloc_align(3, 64)
    with pytest.raises(TypeError, match="query_memobj"):
        s.putmem_obj_thread((1, 2), 0, (1, 2, 3), 0, 8, 0, 0)
    with pytest.raises(mori.ShmemError, match="not a PE"):
        s.shmem_bind(4096)


def test_tensors(alone):
    torch = pytest.importorskip("torch")
    t = s.mori_shmem_create_tensor((4, 4), torch.float32)
    for bad in ("float32", float, None, 3):
        with pytest.raises(TypeError, match="torch.dtype"):
            s.mori_shmem_create_tensor((2, 2), bad)
    with pytest.raises(TypeError, match="quantized"):
        s.mori_shmem_create_tensor((2, 2), torch.qint8)
    for bad, error in (
        ((2, -1), ValueError),
        ("ab", TypeError),
        (None, TypeError),
        ((2, None), TypeError),
    ):
        with pytest.raises(error, match="shape"):
            s.mori_shmem_create_tensor(bad, torch.float32)
    for call in (s.mori_shmem_free_tensor, lambda x: s.symm_mori_shmem_tensor(x, 0)):
        with pytest.raises(ValueError, match="not on this PE's symmetric heap"):
            call(torch.empty(4))
        with pytest.raises(ValueError, match="not contiguous"):
            call(t.t())
        with pytest.raises(ValueError, match="not contiguous"):
            call(t[:, ::2])
        with pytest.raises(TypeError, match="not a torch.Tensor"):
            call(t.tolist())
    with pytest.raises(ValueError, match="part of a tensor"):
        s.mori_shmem_free_tensor(t[1:])
    with pytest.raises(mori.ShmemError, match="PE 5"):
        s.symm_mori_shmem_tensor(t, 5)
    with pytest.raises(ValueError, match="num_ranks"):
        s.mori_shmem_create_tensor_list_intra_node(3, torch.int8, 2)
    s.mori_shmem_free_tensor(t)
    for call in (s.mori_shmem_free_tensor, lambda x: s.symm_mori_shmem_tensor(x, 0)):
        with pytest.raises(ValueError, match="freed already"):
            call(t)
    s.shmem_check()


def test_tensor_whose_block_was_freed(alone):
    torch = pytest.importorskip("torch")
    t = s.mori_shmem_create_tensor(4, torch.float32)
    s.shmem_free(t.data_ptr())
    with pytest.raises(ValueError, match="was freed"):
        s.mori_shmem_free_tensor(t)
    with pytest.raises(ValueError, match="was freed"):
        s.symm_mori_shmem_tensor(t, 0)
    assert t.fill_(1).sum() == 4  # no harm done


def test_buffers(alone):
    ptr = s.shmem_malloc(64)
    with pytest.raises(ValueError, match="leaves its block"):
        s.MoriShmemBuffer(ptr, 1 << 20, "float32")
    with pytest.raises(ValueError, match="no number of"):
        s.MoriShmemBuffer(ptr, 63, "float32")
    with pytest.raises(TypeError, match="dtype"):
        s.MoriShmemBuffer(ptr, 64, "float33")
    with pytest.raises(TypeError, match="integers"):
        s.MoriShmemBuffer("x", 64, "float32")
    with pytest.raises(mori.ShmemError, match="not in the symmetric heap"):
        s.MoriShmemBuffer(4096, 64, "float32")
    s.shmem_free(ptr)
    with pytest.raises(ValueError, match="freed"):
        s.MoriShmemBuffer(ptr, 64, "float32")


def test_different_calls_of_pes():
    def body(me):
        try:
            return s.shmem_malloc(64) if me else s.shmem_barrier_all()
        except mori.ShmemError as e:
            return e

    for e in pes.threads(2, body, finalize=True):
        assert e.status == s.MORI_SHMEM_EMISMATCH and "mori.shmem.malloc" in e.text


def test_mpi_comm():
    with pytest.raises(TypeError, match="communicator"):
        s.shmem_mpi_init(comm=42)


def test_group_name():
    pytest.importorskip("torch")
    with pytest.raises(TypeError, match="string"):
        s.shmem_torch_process_group_init(3)
    with pytest.raises(ValueError, match="init_process_group"):
        s.shmem_torch_process_group_init("default")


def test_environment(monkeypatch):
    monkeypatch.setenv("MORI_SHMEM_HEAP_SIZE", "much")
    with pytest.raises(mori.ShmemError, match='MORI_SHMEM_HEAP_SIZE="much"'):
        s.shmem_init()


def test_errors_travel():
    import copy
    import pickle

    e = mori.ShmemError(-4, "PE 2 was lost")
    for other in (pickle.loads(pickle.dumps(e)), copy.copy(e)):
        assert (other.status, other.text, other.name) == (-4, "PE 2 was lost", "MORI_SHMEM_EPEER")
    assert str(e) == "PE 2 was lost (MORI_SHMEM_EPEER)"
    assert issubclass(mori.ShmemValueError, (ValueError, mori.ShmemError))


# Two PEs as processes: PE 1 waits and is interrupted there, PE 0 waits for a word. An interrupt that comes before the
# wait is an ordinary one, without a note: then it waits again.
BLOCKED = """
import os, signal, threading, mori, mori.shmem as s
signal.signal(signal.SIGINT, signal.default_int_handler)
s.shmem_init()
word, me = s.shmem_calloc(1, 8), s.shmem_mype()
source = b'''
#include <mori/shmem_device.h>
MORI_KERNEL void k(uint64_t *w) { mori_shmem_uint64_wait_until_equals(w, 1); }
'''
kernel = NEEDED and mori.kernel.load(source)

def say(*words):
    print("PE", me, *words, flush=True)

def wait():
    WAIT

while True:
    try:
        if me == 1:
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
            wait()
        else:
            s.uint64_wait_until(word, s.MORI_SHMEM_CMP_EQ, 1)
    except KeyboardInterrupt as e:
        if not hasattr(e, "__notes__"):
            continue
        say("interrupted", *e.__notes__)
        s.shmem_check()  # what the end of the job was for a kernel
        try:
            s.shmem_barrier_all()
        except mori.ShmemError as e:
            say("then", e)
    except mori.ShmemError as e:
        say("raised", e)
    break
try:
    s.shmem_finalize()
except mori.ShmemError as e:
    say("left", e.name)
"""

WAITS = {
    "barrier": "s.shmem_barrier_all()",
    "malloc": "s.shmem_malloc(64)",
    "wait": "s.uint64_wait_until(word, s.MORI_SHMEM_CMP_EQ, 1)",
    "kernel": "kernel.launch(4, 8, word)",
}


@pytest.mark.parametrize("what, nodes", [*((what, 1) for what in WAITS), ("barrier", 2)])
def test_interrupt(what, nodes):
    """Ctrl-C ends a blocked call; the job is ended and both PEs say by whom and why."""
    if what == "kernel":
        pes.need_compiler()
    code = BLOCKED.replace("    WAIT", f"    {WAITS[what]}").replace(
        "NEEDED", str(what == "kernel")
    )
    if nodes == 2:  # PEs that take each other for another node meet over the network
        code = "import os; os.environ['MORI_NODE_ID'] = os.environ['MORI_RANK']\n" + code
    out = pes.run(pes.mori(), "run", "-n", "2", "--", pes.python(), "-c", code, timeout=240)
    assert "PE 1 interrupted" in out and "the job is ended" in out, out
    for which in ("PE 1 then", "PE 0 raised"):
        assert re.search(f"{which}.*PE 1 has ended the job: interrupted", out), out
    assert "PE 0 left MORI_SHMEM_EPEER" in out and "PE 1 left MORI_SHMEM_EPEER" in out, out


def test_interrupt_while_joining():
    code = (
        "import signal, mori.shmem as s\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "uid = s.shmem_get_unique_id()\n"
        "print('ready', flush=True)\n"
        "try: s.shmem_init_attr(1, 0, 2, uid)\n"
        "except KeyboardInterrupt: print('interrupted', flush=True)\n"
        "print(s.shmem_is_initialized(), s.shmem_init(), s.shmem_finalize())\n"
    )
    job = pes.start(pes.python(), "-c", code)
    assert job.stdout.readline() == "ready\n"
    time.sleep(0.5)
    os.kill(job.pid, signal.SIGINT)
    assert pes.finish(job).split() == ["interrupted", "False", "0", "0"]


def test_interrupt_with_threads():
    """The main thread is a PE beside others of the process: they all end."""
    code = (
        "import signal, threading, os, time, mori, mori.shmem as s\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "uid, out, gate = s.shmem_get_unique_id(), [], threading.Barrier(4)\n"
        "def join(rank):\n"
        "    s.shmem_init_attr(1, rank, 4, uid)\n"
        "    gate.wait()\n"
        "def pe(rank):\n"
        "    join(rank)\n"
        "    try:\n"
        "        if rank == 0: threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "        s.shmem_barrier_all()\n"
        "    except KeyboardInterrupt: out.append('interrupted')\n"
        "    except mori.ShmemError as e: out.append(e.text)\n"
        "ts = [threading.Thread(target=pe, args=(i,)) for i in (1, 2)]\n"
        "ts.append(threading.Thread(target=join, args=(3,)))\n"
        "for t in ts: t.start()\n"
        "pe(0)\n"
        "for t in ts: t.join()\n"
        "out.sort()\n"
        "assert out[0] == 'interrupted' and len(out) == 3, out\n"
        "assert all(text.endswith('PE 0 has ended the job: interrupted') for text in out[1:]), out\n"
        "print('well')\n"
    )
    assert pes.run(pes.python(), "-c", code, timeout=240).splitlines()[-1] == "well"


def test_other_signals_do_not_end_a_wait():
    code = (
        "import signal, threading, os, time, mori.shmem as s\n"
        "seen = []\n"
        "signal.signal(signal.SIGUSR1, lambda *a: seen.append(1))\n"
        "s.shmem_init()\n"
        "word = s.shmem_calloc(1, 8)\n"
        "pe = s.shmem_current()\n"
        "def later():\n"
        "    s.shmem_bind(pe)\n"
        "    for i in range(3):\n"
        "        time.sleep(0.2)\n"
        "        os.kill(os.getpid(), signal.SIGUSR1)\n"
        "        while len(seen) <= i: time.sleep(0.01)\n"
        "    time.sleep(0.2)\n"
        "    s.uint64_p(word, 1, 0, 0)\n"
        "threading.Thread(target=later).start()\n"
        "s.uint64_wait_until(word, s.MORI_SHMEM_CMP_EQ, 1)\n"
        "assert len(seen) == 3, seen\n"
        "s.shmem_finalize()\n"
    )
    assert pes.run(pes.python(), "-c", code, timeout=240) == ""


def test_abort():
    def body(me):
        if me == 1:
            s.shmem_abort("out of coffee")
        with pytest.raises(mori.ShmemError, match="PE 1 has ended the job: out of coffee") as e:
            s.shmem_barrier_all()
        assert e.value.status == s.MORI_SHMEM_EPEER
        with pytest.raises(mori.ShmemError):
            s.shmem_finalize()
        return True

    assert all(pes.threads(3, body, finalize=False))


def test_lost_pe():
    """A process that dies is an exception elsewhere, not a hang."""
    code = (
        "import os, mori, mori.shmem as s\n"
        "s.shmem_init()\n"
        "if s.shmem_mype() == 1: os._exit(0)\n"
        "try: s.shmem_barrier_all()\n"
        "except mori.ShmemError as e: print(e.name, e.text, flush=True)\n"
    )
    job = pes.start(pes.mori(), "run", "-n", "2", "--", pes.python(), "-c", code)
    out, _ = job.communicate(timeout=240)
    assert re.search(r"MORI_SHMEM_EPEER .*PE 1 \(process \d+ on host .*\) was lost", out), out


def test_no_thread_state_is_left():
    assert threading.active_count() == 1 and sys.exc_info() == (None, None, None)
