# SPDX-License-Identifier: MIT
# TEST: timeout=300 quick=0
"""Tensors on the heap: every dtype, peers' views, freeing, and what numpy, torch, jax and cupy make of them."""

import gc
import sys

import pytest

import mori
import mori.shmem as s
import pes

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")

DTYPES = [
    torch.float32,
    torch.float64,
    torch.float16,
    torch.bfloat16,
    torch.float8_e4m3fn,
    torch.float8_e5m2,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
    torch.uint8,
    torch.uint16,
    torch.uint32,
    torch.uint64,
    torch.bool,
    torch.complex64,
]


@pytest.fixture
def alone():
    s.shmem_init()
    yield
    s.shmem_finalize()


def blocks():
    return s.shmem_heap_info().blocks


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes_between_pes(dtype):
    """Each PE reads every other's tensor through its view, and writes into its right neighbour's."""

    def body(me):
        n = s.shmem_npes()
        t = s.mori_shmem_create_tensor((3, 5), dtype)
        assert (
            t.dtype == dtype and t.shape == (3, 5) and t.is_contiguous() and t.device.type == "cpu"
        )
        assert s.shmem_query_memobj(t.data_ptr()).addr == t.data_ptr()
        bits = t.view(torch.uint8)
        for i in range(bits.numel()):
            bits.view(-1)[i] = (16 * me + i) % 2 if dtype == torch.bool else (16 * me + i) % 120
        s.shmem_barrier_all()
        for pe in range(n):
            peer = s.symm_mori_shmem_tensor(t, pe)
            assert peer.dtype == dtype and peer.shape == t.shape
            assert peer.data_ptr() == s.shmem_ptr_p2p(t.data_ptr(), me, pe)
            raw = peer.view(torch.uint8).view(-1)
            most = 2 if dtype == torch.bool else 120
            assert raw.tolist() == [(16 * pe + i) % most for i in range(raw.numel())]
            del peer, raw
        s.shmem_barrier_all()
        right = s.symm_mori_shmem_tensor(t, (me + 1) % n)
        right.view(torch.uint8).fill_(1 if me % 2 else 0)
        s.shmem_barrier_all()
        left = (me + n - 1) % n
        assert set(bits.view(-1).tolist()) == {left % 2}
        del bits, right
        s.shmem_barrier_all()
        s.mori_shmem_free_tensor(t)
        assert t.numel() == 0 and blocks() == 0
        return True

    assert all(pes.threads(3, body))


def test_shapes(alone):
    for shape in (7, (7,), [2, 3], (), (2, 0, 3), torch.Size([4])):
        t = s.mori_shmem_create_tensor(shape, torch.float32)
        assert t.shape == (torch.Size([7]) if shape == 7 else torch.Size(shape))
        s.mori_shmem_free_tensor(t)
    assert blocks() == 0


def test_list():
    def body(me):
        ts = s.mori_shmem_create_tensor_list_intra_node((4,), torch.int32, 3)
        assert len(ts) == 3
        ts[me].fill_(10 + me)
        s.shmem_barrier_all()
        assert [t[0].item() for t in ts] == [10, 11, 12]
        s.shmem_barrier_all()
        s.mori_shmem_free_tensor(ts[me])
        assert [t.numel() for t in ts] == [0, 0, 0] and blocks() == 0
        return True

    assert all(pes.threads(3, body))


def test_collected_tensor_frees_nothing(alone):
    t = s.mori_shmem_create_tensor(1000, torch.float32)
    ptr = t.data_ptr()
    del t
    gc.collect()
    assert blocks() == 1 and s.shmem_query_memobj(ptr).addr == ptr
    s.shmem_free(ptr)
    assert blocks() == 0


def test_nothing_is_remembered(alone):
    """Of tensors that are gone, freed or not, no note is kept."""
    from mori.shmem import _tensor

    for i in range(20):
        t = s.mori_shmem_create_tensor(4, torch.float32)
        if i % 2:
            s.mori_shmem_free_tensor(t)
        del t
    gc.collect()
    assert not _tensor._made


def view_slice(t):
    return t[1:]


def view_numpy(t):
    return t.numpy()


def view_dlpack(t):
    return np.from_dlpack(t)


def view_alias(t):
    return t.detach()


@pytest.mark.parametrize("make", [view_slice, view_numpy, view_dlpack, view_alias])
def test_free_with_a_view(alone, make):
    """It is a clear error, nothing is freed, and without the view the call works."""
    t = s.mori_shmem_create_tensor(6, torch.float32)
    t.fill_(2)
    v = make(t)
    with pytest.raises(mori.ShmemError, match="still use the memory") as e:
        s.mori_shmem_free_tensor(t)
    assert e.value.status == s.MORI_SHMEM_ESTATE and blocks() == 1
    assert v.sum() >= 10 and t.sum() == 12
    del v, e
    gc.collect()
    s.mori_shmem_free_tensor(t)
    assert blocks() == 0


def test_free_a_reshaped_tensor(alone):
    t = s.mori_shmem_create_tensor(12, torch.bfloat16).view(3, 4)
    s.mori_shmem_free_tensor(t)
    assert blocks() == 0 and t.numel() == 0


def test_free_with_a_view_of_a_peer():
    """A slice of a peer's tensor counts as a use; the peer's tensor itself goes with the free."""

    def body(me):
        t = s.mori_shmem_create_tensor(8, torch.int64)
        t.fill_(me)
        s.shmem_barrier_all()
        peer = s.symm_mori_shmem_tensor(t, 1 - me)
        part = peer[2:4]
        with pytest.raises(mori.ShmemError, match="still use"):
            s.mori_shmem_free_tensor(t)
        assert part.tolist() == [1 - me] * 2
        del part
        s.shmem_barrier_all()
        s.mori_shmem_free_tensor(t)
        assert peer.numel() == 0 and blocks() == 0
        return True

    assert all(pes.threads(2, body))


def test_tensor_outlives_the_job():
    s.shmem_init()
    t = s.mori_shmem_create_tensor(1000, torch.int32)
    t.copy_(torch.arange(1000))
    n = np.asarray(s.MoriShmemBuffer(t.data_ptr(), 4000, torch.int32))
    s.shmem_finalize()
    assert t.sum().item() == 499500 == n.sum()
    t.fill_(3)
    assert set(n.tolist()) == {3}
    del t, n
    gc.collect()


def test_outlives_many_jobs():
    """What views hold is let go with them: the mappings of this process do not grow."""

    def mappings():
        with open("/proc/self/maps") as f:
            return sum("mori-heap" in line for line in f)

    before = mappings()
    kept = []
    for i in range(5):
        s.shmem_init()
        kept.append(s.mori_shmem_create_tensor(10, torch.int64).fill_(i))
        s.shmem_finalize()
    assert [t.sum().item() for t in kept] == [0, 10, 20, 30, 40] and mappings() == before + 5
    kept.clear()
    gc.collect()
    assert mappings() == before


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8", "bool", "float16", "complex64"])
def test_buffer_views(alone, dtype):
    """Each library sees the same memory, with the same type."""
    item = np.dtype(dtype).itemsize
    ptr = s.shmem_calloc(16, item)
    b = s.MoriShmemBuffer(ptr, 16 * item, dtype)
    assert (b.ptr, b.nbytes, b.shape, len(b)) == (ptr, 16 * item, (16,), 16)
    a = np.asarray(b)
    assert a.dtype == dtype and a.ctypes.data == ptr
    a[3] = 1
    assert np.from_dlpack(b)[3] == 1
    t = torch.from_dlpack(b)
    assert t.data_ptr() == ptr and str(t.dtype) == f"torch.{dtype}"
    t[4] = 1
    assert a[4] == 1 and torch.as_tensor(a).data_ptr() == ptr


def test_jax(alone):
    jnp = pytest.importorskip("jax.numpy")
    for dtype in ("float32", "bfloat16", "int32"):
        t = s.mori_shmem_create_tensor(64, getattr(torch, dtype))
        t.copy_(torch.arange(64))
        j = jnp.from_dlpack(t)
        assert str(j.dtype) == dtype and float(j.sum()) == 2016
        b = jnp.from_dlpack(s.MoriShmemBuffer(t.data_ptr(), t.nbytes, dtype))
        assert str(b.dtype) == dtype and b.unsafe_buffer_pointer() == t.data_ptr()


def test_protocols(alone):
    """What cupy and others look at: versions of DLPack, devices, and one interface for one device."""
    b = s.MoriShmemBuffer(s.shmem_malloc(64), 64, "float32")
    about = b.__array_interface__
    assert about == {
        "shape": (16,),
        "typestr": "<f4",
        "data": (b.ptr, False),
        "strides": None,
        "version": 3,
    }
    assert not hasattr(b, "__cuda_array_interface__")
    assert b.__dlpack_device__() == (1, 0)
    assert '"dltensor"' in repr(b.__dlpack__())
    assert '"dltensor_versioned"' in repr(b.__dlpack__(max_version=(1, 0)))
    assert '"dltensor"' in repr(b.__dlpack__(max_version=(0, 8), dl_device=(1, 0), copy=False))
    for bad in ({"copy": True}, {"dl_device": (2, 0)}):
        with pytest.raises(BufferError):
            b.__dlpack__(**bad)
    # As a CUDA PE would show it to cupy.
    b.device = (2, 0)
    about = b.__cuda_array_interface__
    assert about["version"] == 3 and about["data"] == (b.ptr, False) and about["typestr"] == "<f4"
    assert not hasattr(b, "__array_interface__")


def test_capsules_are_let_go(alone):
    b = s.MoriShmemBuffer(s.shmem_malloc(64), 64, "float32")
    before = sys.getrefcount(b)
    for _ in range(100):
        b.__dlpack__()
        np.from_dlpack(b)
        torch.from_dlpack(b)
    gc.collect()
    assert sys.getrefcount(b) == before


def test_collective_between_threads_and_torch():
    """A ring with tensors: the result is what torch computes alone."""

    def body(me):
        n = s.shmem_npes()
        x = s.mori_shmem_create_tensor((n, 256), torch.float32)
        mine = torch.arange(256, dtype=torch.float32) * (me + 1)
        for pe in range(n):
            s.symm_mori_shmem_tensor(x, pe)[me].copy_(mine)
        s.shmem_barrier_all()
        want = torch.arange(256, dtype=torch.float32) * (n * (n + 1) // 2)
        assert torch.equal(x.sum(0), want)
        s.shmem_barrier_all()
        s.mori_shmem_free_tensor(x)
        return True

    assert all(pes.threads(4, body))
