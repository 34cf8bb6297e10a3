# SPDX-License-Identifier: MIT
# TEST: timeout=240
"""Operations on tensors and arrays, the job as a block, and what wrong use of them says."""

import concurrent.futures
import inspect

import pytest

import mori
import mori.shmem as s
import pes
from mori import _shmem

np = pytest.importorskip("numpy")


def in_torch():
    return pytest.importorskip("torch")


@pytest.fixture
def alone():
    with s.job() as me:
        yield me


def jobs(n, body):
    """body(me) in a job() of n PEs, as threads."""
    uid = s.get_unique_id()

    def run(rank):
        with s.job(rank=rank, nranks=n, unique_id=uid) as me:
            assert (me.pe, me.n) == (rank, n)
            return body(me)

    with concurrent.futures.ThreadPoolExecutor(n) as threads:
        futures = [threads.submit(run, rank) for rank in range(n)]
        concurrent.futures.wait(futures, return_when="FIRST_EXCEPTION")
        return [f.result(timeout=60) for f in futures]


def make(library, shape, dtype):
    return s.zeros(shape, getattr(in_torch(), dtype) if library == "torch" else dtype)


def local(library, values, dtype):
    a = np.array(values, dtype)
    if library == "torch":
        return in_torch().from_numpy(a)
    return pytest.importorskip("jax.numpy").asarray(a) if library == "jax" else a


@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
def test_put_and_get(library):
    """To the right neighbour, from the left one; whole, as a slice, as a column, and without waiting."""

    def body(me):
        right, left = (me.pe + 1) % me.n, (me.pe - 1) % me.n
        t = make(library, (4, 6), "float32")
        values = np.arange(24, dtype="float32").reshape(4, 6)
        s.put(t, local(library, values + me.pe, "float32"), right)
        s.barrier()
        assert np.array_equal(np.asarray(t), values + left)
        s.barrier()
        for part in ((slice(1, 3), slice(2, 5)), (slice(None), 1), (slice(None, None, 3), slice(5))):
            want = np.array(t)
            want[part] = 100 * left + 7
            mine = local(library, np.full(want[part].shape, 100 * me.pe + 7), "float32")
            s.barrier()
            s.put(t[part], mine, right, nbi=True)
            del mine
            s.quiet()
            s.barrier()
            assert np.array_equal(np.asarray(t), want), part
            got = np.zeros(want[part].shape, "float32")
            s.get(got, t[part], right)
            assert (got == 100 * me.pe + 7).all()
            s.barrier()
        into = np.zeros((4, 12), "float32")  # rows that are apart on this side alone
        s.get(into[:, ::2], t, me.pe, nbi=True)
        s.quiet(me.pe)
        assert np.array_equal(into[:, ::2], np.asarray(t)) and not into[:, 1::2].any()
        s.barrier()
        s.free(t)
        return s.heap_info().blocks

    assert jobs(3, body) == [0, 0, 0]


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("rows", [1, 3])
def test_put_signal(library, rows):
    def body(me):
        right, left = (me.pe + 1) % me.n, (me.pe - 1) % me.n
        t, flag = make(library, (5, 4), "int64"), make(library, 2, "uint64")
        for turn in range(1, 4):
            mine = local(library, np.full((rows, 2), 10 * turn + me.pe), "int64")
            s.put_signal(t[:rows, 1:3], mine, flag[:1], right, 1, "add", nbi=turn == 2)
            s.wait_until(flag[:1], ">=", turn)
            assert set(np.asarray(t)[:rows, 1:3].ravel()) == {10 * turn + left}
            s.barrier()
        s.signal(flag[1:], right, 5)
        s.wait_until(flag[1:], "==", 5, timeout=60)
        s.barrier()
        s.signal(flag[1:], right, 2, op=s.MORI_SHMEM_SIGNAL_ADD)
        s.wait_until(flag[1:], "!=", 5)
        assert s.test(flag[1:], "==", 7) and not s.test(flag[1:], "<", 7)
        assert np.asarray(t).sum() == rows * 2 * (30 + left)
        return True

    assert all(jobs(2, body))


def test_elements():
    """Each operation of the list on one element, for the types it has."""
    torch = in_torch()

    def body(me):
        right = (me.pe + 1) % me.n
        for dtype in ("int8", "uint16", "int32", "uint64", "float32", "float64"):
            t = s.zeros(3, getattr(torch, dtype))
            s.p(t[1], 7, right)
            s.barrier()
            assert t[1].item() == 7 and s.g(t[1], right) == 7 and s.g(src=t[0], pe=right) == 0
            s.barrier()
        for dtype in ("int32", "uint32", "int64", "uint64"):
            a = s.zeros(8, dtype)
            w = a[2:3]
            s.barrier()
            s.atomic_add(w, me.pe + 1, 0)
            s.barrier()
            assert s.atomic_fetch(w, 0) == 3
            s.barrier()
            if me.pe == 1:
                assert s.atomic_fetch_add(w, 2, 0) == 3 and s.atomic_fetch_inc(w, 0) == 5
                assert s.atomic_swap(dest=w, value=12, pe=0) == 6
                assert s.atomic_compare_swap(w, 12, 9, 0) == 12 and s.atomic_fetch(w, 0) == 9
                s.atomic_set(w, 12, 0), s.atomic_and(w, 8, 0), s.atomic_or(w, 3, 0, qp=0)
                s.atomic_xor(w, 1, 0), s.atomic_inc(w, 0)
                assert s.g(w, 0) == 11
            s.barrier()
            assert a.sum() == (0 if me.pe else 11)
        real = s.zeros((), torch.float64)
        s.barrier()
        s.atomic_add(real, 0.25, 0)
        s.barrier()
        assert s.atomic_fetch_add(real, 0, 0) == 0.5
        return True

    assert all(jobs(2, body))


def test_every_element_call_of_the_list():
    types = {"int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()[i]: 0 for i in range(8)}
    for name in _shmem.ops:
        kind, _, call = name.removesuffix("_thread").partition("_")
        if (kind in types or kind in ("float", "double")) and (
            call in ("p", "g", "test") or call.startswith("atomic_")
        ):
            assert call in s.__all__ and call in dir(s) and getattr(s, call).__doc__


def test_waits(alone):
    w = s.zeros(4, "int32")
    s.p(w[2:3], 5, 0)
    assert s.wait_until_any(w, "==", 5) == 2
    assert s.wait_until_some(w, ">", 0, timeout=10) == [2]
    assert s.wait_until_some(w, "<=", 0, skip=[0, 1, 0, 0]) == [0, 3]
    assert s.wait_until_any(w, "==", 5, skip=[True] * 4) is None
    s.wait_until_all(w, s.MORI_SHMEM_CMP_EQ, 0, skip=[0, 0, 1, 0])
    for wait in (s.wait_until_all, s.wait_until_any, s.wait_until_some):
        with pytest.raises(mori.ShmemError) as e:
            wait(w, "==", 77, timeout=0.01)
        assert e.value.status == s.MORI_SHMEM_ETIMEDOUT
    with pytest.raises(ValueError, match="skip has 2 elements, addr 4"):
        s.wait_until_any(w, "==", 5, skip=[1, 1])
    with pytest.raises(ValueError, match="one dimension and be contiguous"):
        s.wait_until_any(w[::2], "==", 5)


def test_making_and_freeing(alone):
    torch = in_torch()
    for shape in (5, (2, 3), (), (0, 4)):
        for dtype in (torch.bfloat16, np.float64, "int16", np.dtype("complex64")):
            t = s.empty(shape, dtype)
            assert tuple(t.shape) == (shape if isinstance(shape, tuple) else (shape,))
            assert t.dtype == dtype and isinstance(t, torch.Tensor) == (dtype == torch.bfloat16)
            s.free(t)
    assert s.heap_info().blocks == 0
    a = s.zeros((4, 4), "float32")
    assert not a.any() and s.query_memobj(a.ctypes.data).addr == a.ctypes.data
    with pytest.raises(ValueError, match="part of an array"):
        s.free(a[1:])
    s.free(a)
    with pytest.raises(ValueError, match="read-only"):
        a[0] = 1
    with pytest.raises(ValueError, match="was freed"):
        s.free(a)
    s.free(s.malloc(64))
    for bad in ((2.9, 2.9), 2.5, (2, 1.0)):
        with pytest.raises(TypeError, match="is not an int or a sequence of ints"):
            s.zeros(bad, "float32")
        with pytest.raises(TypeError, match="is not an int or a sequence of ints"):
            s.mori_shmem_create_tensor(bad, torch.float32)
    for bad in ("flat32", None, object):
        with pytest.raises(TypeError, match="none of torch or numpy"):
            s.empty(3, bad)
    assert s.heap_info().blocks == 0


def test_peer():
    def body(me):
        right, left = (me.pe + 1) % me.n, (me.pe - 1) % me.n
        for t in (s.zeros((2, 3), "int16"), s.zeros((2, 3), in_torch().int16)):
            s.peer(t, right)[1, 2] = me.pe + 1
            s.barrier()
            assert t[1, 2] == left + 1 and t.sum() == left + 1
            assert s.peer(t, me.pe) is t
        with pytest.raises(ValueError, match="not contiguous"):
            s.peer(s.zeros((2, 3), "int16")[:, :1], right)
        return True

    assert all(jobs(2, body))


def test_wrong_arrays(alone):
    torch = in_torch()
    t, c = s.zeros((4, 8), torch.float32), s.zeros(2, torch.int64)
    a = s.zeros(2, "int64")
    for error, text, call in (
        (TypeError, "put: dest is of float32, src of int64", lambda: s.put(t, t.to(torch.int64), 0)),
        (ValueError, r"the shape \(4, 8\), src \(4, 7\)", lambda: s.put(t, t[:, :7], 0)),
        (TypeError, "src is of type list", lambda: s.put(t, [1.0], 0)),
        (ValueError, "p: dest has 2 elements", lambda: s.p(c, 1, 0)),
        (TypeError, "a number, which numpy copies", lambda: s.p(a[0], 1, 0)),
        (TypeError, "int32, uint32, int64, uint64", lambda: s.atomic_and(t[0, 0], 1, 0)),
        (TypeError, "sig is one element", lambda: s.signal(c, 0)),
        (TypeError, "sig is one element", lambda: s.put_signal(t, t, t[0, 0], 0)),
        (ValueError, "cmp '=>' is none of ==, !=", lambda: s.wait_until(c[0], "=>", 1)),
        (ValueError, "op 'sub' is none of set, add", lambda: s.signal(c[0], 0, op="sub")),
        (ValueError, "dest cannot be written", lambda: s.get(bytes(2), c.view(torch.uint8)[:2], 0)),
        (mori.ShmemError, "no PE 99, only 0 to 0", lambda: s.put(t, t, 99)),
        (mori.ShmemError, "not symmetric memory", lambda: s.put(torch.zeros(4), t[0, :4], 0)),
    ):
        with pytest.raises(error, match=text):
            call()
    s.put(c.view(torch.uint8)[:3], b"abc", 0)
    assert bytes(c.view(torch.uint8)[:3].tolist()) == b"abc"
    s.free(t)
    with pytest.raises(ValueError, match="freed already"):
        s.put(t, t, 0)


def test_types_of_typed_calls(alone):
    """An operation of the list takes a tensor of its own type, or bytes."""
    torch = in_torch()
    t = {name: s.zeros(4, getattr(torch, name)) for name in ("float32", "int64", "float16", "uint8")}
    for call, args, text in (
        (s.put_float_thread, (t["float32"], t["int64"], 4, 0, 0), "src has elements of int64"),
        (s.int64_p, (t["float32"], 1, 0, 0), "dest has elements of float32, and the call takes int64_t"),
        (s.double_p, (t["int64"], 1, 0, 0), "dest has elements of int64"),
        (s.float_g, (t["float16"], 0, 0), "src has elements of float16"),
        (s.int32_g, (np.zeros(2, "float32"), 0, 0), "src has elements of float32"),
        (s.uint32_atomic_add_thread, (t["int64"], 1, 0, 0), "dest has elements of int64"),
    ):
        with pytest.raises(TypeError, match=text):
            call(*args)
    s.put_uint64_thread(t["int64"], t["int64"], 4, 0, 0)  # the sign makes no difference
    s.put_int16_thread(t["float16"], t["float16"], 4, 0, 0)  # there is no call of its own
    s.int32_p(t["uint8"], 5, 0, 0)
    s.putmem_thread(t["float32"], t["int64"], 16, 0, 0)


def test_pe_that_does_not_exist(alone):
    t = s.zeros(4, in_torch().int32)
    for pe in (99, -1):
        for call in (
            lambda: s.shmem_ptr(t.data_ptr(), pe),
            lambda: s.shmem_ptr_p2p(t.data_ptr(), 0, pe),
            lambda: s.shmem_ptr_p2p(t.data_ptr(), pe, 0),
            lambda: s.symm_mori_shmem_tensor(t, pe),
            lambda: s.peer(t, pe),
        ):
            with pytest.raises(ValueError, match=f"there is no PE {pe}, only 0 to 0"):
                call()


def test_texts_name_python():
    """Not the calls of C, except those of kernels."""
    for call in (s.shmem_barrier_all, s.barrier, s.my_pe, lambda: s.malloc(8)):
        with pytest.raises(mori.ShmemError, match=r"call mori\.shmem\.init\(\) first") as e:
            call()
        assert "mori_shmem_" not in e.value.text
    env = {"PMI_SIZE": "3", "PMI_RANK": "0"}
    job = pes.start(pes.python(), "-c", "import mori.shmem as s; s.init()", env=env)
    out, _ = job.communicate(timeout=120)
    assert "mori.shmem.shmem_mpi_init()" in out and "shmem_mpi.h" not in out, out


def test_signatures():
    for name, op in _shmem.ops.items():
        assert list(inspect.signature(op).parameters) == [n for n, _ in op.args], name
    for name in dir(_shmem):
        call = getattr(_shmem, name)
        if callable(call) and name != "Op" and not name.startswith("__"):
            assert inspect.signature(call), name
    for name in s.__all__:
        call = getattr(s, name)
        if callable(call):
            assert inspect.signature(call) and call.__doc__, name
    assert str(inspect.signature(s.atomic_compare_swap)) == "(dest, compare, value, pe, *, qp=0)"
    assert str(inspect.signature(s.getmem_thread).parameters["src"]) == "src: 'const void *'"


def test_short_names():
    for name in s.__all__:
        if name.startswith("shmem_"):
            assert name.removeprefix("shmem_") in dir(s), name
    assert s.init is s.shmem_init and s.barrier_all is s.shmem_barrier_all and s.check is s.shmem_check


@pytest.mark.parametrize(
    "module, wrong, right",
    [
        (s, "shmem_maloc", "shmem_malloc"),
        (s, "put_sginal", "put_signal"),
        (s, "putmem_tread", "putmem_thread"),
        (s, "atomic_fetchadd", "atomic_fetch_add"),
        (mori, "shmen", "shmem"),
    ],
)
def test_did_you_mean(module, wrong, right):
    with pytest.raises(AttributeError, match=f"no attribute '{wrong}'; did you mean {right}\\?"):
        getattr(module, wrong)


def test_names_of_arguments(alone):
    t = s.zeros(2, "int32")
    for call, named, text in (
        (s.putmem_thread, {"dest": t, "source": t, "bytes": 4, "pe": 0, "qp": 0}, "source; did you mean src?"),
        (s.put, {"dest": t, "source": t, "pe": 0}, "source; did you mean src?"),
        (s.get, {"dst": t, "src": t, "pe": 0}, "dst; did you mean dest?"),
        (s.p, {"dest": t, "val": 4, "pe": 0}, "val; did you mean value?"),
        (s.quiet, {"peer": 0}, "peer; did you mean pe?"),
    ):
        with pytest.raises(TypeError, match=f"there is no argument {text}".replace("?", r"\?")):
            call(**named)
    with pytest.raises(TypeError, match="dest is given twice"):
        s.int32_p(t, 1, 0, dest=t)
    with pytest.raises(TypeError, match=r"p takes 3 argument\(s\) \(dest, value, pe\), 2 were given"):
        s.p(t, 1)


LEAVING = """
import sys, mori.shmem as s
with s.job() as me:
    if me.pe == 1:
        raise ValueError("my own\\nmistake")
    s.barrier()
"""


def test_exception_in_a_job():
    """It ends with its own traceback, the others with its reason; nobody waits."""
    job = pes.start(pes.mori(), "run", "-n", "3", "--keep-going", "--", pes.python(), "-c", LEAVING)
    out, _ = job.communicate(timeout=120)
    assert job.returncode == 1
    assert "ValueError: my own\nmistake" in out, out
    assert out.count("ShmemError: ") == 2, out
    assert "PE 1 has ended the job: ValueError: my own (MORI_SHMEM_EPEER)" in out, out


def test_job_is_left_once(alone):
    with pytest.raises(SystemExit), s.job():
        raise SystemExit(0)  # the same job, which is left like any
    assert not s.is_initialized()
    s.init()


def test_ways_into_a_job():
    uid = s.get_unique_id()
    with s.job(rank=0, nranks=1, unique_id=uid) as me:
        assert (me.pe, me.n) == (0, 1)
    for bad in ({"rank": 0}, {"rank": 0, "nranks": 1}, {"group": "default", "comm": 3}):
        with pytest.raises(ValueError, match="job: "):
            s.job(**bad)
    with pytest.raises(TypeError, match="communicator"), s.job(comm=42):
        pass
    with s.job() as me:
        s.finalize()
        assert me.n == 1
        s.init()
