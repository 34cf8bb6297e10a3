# SPDX-License-Identifier: MIT
"""The library beside PyTorch and JAX in one process, a process a PE: each sees the heap, and every call leaves
the thread's current context and device as they were.

    mori run -n N python3 gpu_beside.py [jax]
"""

import ctypes
import os
import sys
import threading

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"

import torch

import mori
import mori.shmem as ms

N = 4099
driver = ctypes.CDLL("libcuda.so.1")
wrong = []


def check(what, good):
    if not good:
        wrong.append(what)
        print(f"PE {me}: wrong: {what}", flush=True)


def context():
    at = ctypes.c_void_p()
    assert driver.cuCtxGetCurrent(ctypes.byref(at)) == 0
    return at.value


def calls():
    """Each entry of the library once, by name; collective ones too."""
    host = ctypes.create_string_buffer(4096)
    at = ctypes.addressof(host)
    own = torch.zeros(1024, dtype=torch.int64, device="cuda")
    torch.cuda.synchronize()
    yield "malloc", lambda: state.update(p=ms.shmem_malloc(4096))
    yield "calloc", lambda: state.update(q=ms.shmem_calloc(4, 1024))
    yield "put", lambda: ms.putmem_thread(state["p"], at, 4096, right, 0)
    yield "get", lambda: ms.getmem_thread(at, state["p"], 4096, right, 0)
    yield "p", lambda: ms.int64_p(state["q"], 5, right, 0)
    yield "g", lambda: ms.int64_g(state["q"], right, 0)
    yield "atomic", lambda: ms.uint64_atomic_fetch_add_thread(state["q"] + 8, 3, right, 0)
    yield "signal", lambda: ms.signal_op_thread(state["q"] + 16, 1, ms.MORI_SHMEM_SIGNAL_SET, right, 0)
    yield "wait", lambda: ms.uint64_wait_until_equals(state["q"] + 16, 1)
    yield "quiet", lambda: ms.quiet_thread()
    yield "barrier", lambda: ms.shmem_barrier_all()
    yield "barrier_on_stream", lambda: ms.shmem_barrier_on_stream(torch.cuda.current_stream())
    yield "buffer_register", lambda: ms.shmem_buffer_register(at & ~4095, 4096)
    yield "buffer_deregister", lambda: ms.shmem_buffer_deregister(at & ~4095, 4096)
    yield "symmetric_register", lambda: ms.shmem_symmetric_register(own.data_ptr(), 8192)
    yield "symmetric_deregister", lambda: ms.shmem_symmetric_deregister(own.data_ptr(), 8192)
    yield "heap_info", lambda: ms.shmem_heap_info()
    yield "info", lambda: ms.shmem_info()
    yield "check", lambda: ms.shmem_check()
    yield "device_state", lambda: ms.shmem_device_state()
    yield "query_memobj", lambda: ms.shmem_query_memobj(state["q"])
    yield "free", lambda: ms.shmem_free(state["q"])
    yield "free again", lambda: ms.shmem_free(state["p"])


def guarded(where):
    """Nothing of the thread is changed by any call."""
    for name, call in calls():
        before, device = context(), torch.cuda.current_device()
        call()
        check(f"{where}: the context after {name}", context() == before)
        check(f"{where}: the device after {name}", torch.cuda.current_device() == device)


def without_context():
    """A thread that has no context has none afterwards, and its calls find the PE."""
    try:
        before = context()
        p = ms.shmem_malloc(64)
        ms.int64_p(p, me, right, 0)
        ms.shmem_barrier_all()
        check("a thread without a context", before is None and context() is None)
        check("its value", ms.int64_g(p, me, 0) == (me - 1) % n)
        ms.shmem_free(p)
    except BaseException as error:
        check(f"a thread without a context: {error}", False)


def in_thread(body):
    thread = threading.Thread(target=body)
    thread.start()
    thread.join()


def worker():
    torch.cuda.set_device(0)
    check("a worker thread finds the PE", ms.shmem_mype() == me)
    guarded("a worker thread")


def with_jax():
    import jax
    import jax.numpy as jnp

    if jax.default_backend() not in ("gpu", "cuda"):
        print(f"PE {me}: skipped: JAX here has no GPU, but {jax.default_backend()}", flush=True)
        return
    p = ms.shmem_malloc(N * 4)
    mine = torch.from_dlpack(ms.MoriShmemBuffer(p, N * 4, "float32"))
    mine.copy_(torch.arange(N, dtype=torch.float32) + 100 * me)
    torch.cuda.synchronize()
    ms.shmem_barrier_all()
    before = context()
    view = jnp.from_dlpack(ms.MoriShmemBuffer(ms.shmem_ptr(p, right), N * 4, "float32"))
    total = float(jax.jit(jnp.sum)(view.astype(jnp.float64 if jax.config.jax_enable_x64 else jnp.float32)))
    want = float((torch.arange(N, dtype=torch.float64) + 100 * right).sum())
    check(f"a sum by JAX of a peer's memory: {total} {want}", abs(total - want) < 1e-3 * want + 1)
    made = jnp.arange(N, dtype=jnp.float32) * 2 + me
    made.block_until_ready()
    check("the context with JAX", context() == before)
    ms.putmem_thread(p, made.unsafe_buffer_pointer(), N * 4, me, 0)
    ms.shmem_barrier_all()
    check("memory of JAX put", bool((mine.cpu() == torch.arange(N) * 2 + me).all()))
    guarded("beside JAX")
    ms.shmem_barrier_all()
    del view, mine
    ms.shmem_free(p)
    print(f"PE {me}: beside JAX {jax.__version__}", flush=True)


torch.cuda.set_device(0)
torch.zeros(1, device="cuda")
state, before = {}, context()
ms.shmem_init()
me, n = ms.shmem_mype(), ms.shmem_npes()
right = (me + 1) % n
check("the context after init", context() == before)
guarded("beside torch")
in_thread(worker)
in_thread(without_context)
if len(sys.argv) > 1:
    with_jax()
ms.shmem_finalize()
check("the context after finalize", context() == before)
check("torch still works", int(torch.arange(10, device="cuda").sum()) == 45)
print(f"PE {me} of {n}: {'wrong' if wrong else 'all right'} beside torch {torch.__version__}", flush=True)
sys.exit(1 if wrong else 0)
