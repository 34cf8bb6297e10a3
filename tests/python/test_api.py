# SPDX-License-Identifier: MIT
# TEST: timeout=120
"""The names of the contract, the list of operations, and what each call returns."""

import inspect
import json
import os
import subprocess
import sys
import threading
import time

import pytest

import mori
import mori.shmem as s
import pes
from mori import _ops, _shmem

# Name and arguments, as programs rely on them.
CONTRACT = {
    "shmem_torch_process_group_init": "group_name",
    "shmem_mpi_init": "comm",
    "shmem_get_unique_id": "",
    "shmem_init_attr": "flags rank nranks unique_id",
    "shmem_finalize": "",
    "shmem_module_init": "hip_module",
    "shmem_mype": "",
    "shmem_npes": "",
    "shmem_num_qp_per_pe": "",
    "shmem_barrier_all": "",
    "shmem_barrier_on_stream": "stream",
    "shmem_malloc": "size",
    "shmem_malloc_align": "alignment size",
    "shmem_ext_malloc_with_flags": "size flags",
    "shmem_free": "ptr",
    "shmem_buffer_register": "ptr size",
    "shmem_buffer_deregister": "ptr size",
    "shmem_ptr_p2p": "dest_ptr my_pe dest_pe",
    "mori_shmem_create_tensor": "shape dtype",
    "mori_shmem_free_tensor": "t",
    "symm_mori_shmem_tensor": "t peer",
    "mori_shmem_create_tensor_list_intra_node": "shape dtype num_ranks",
    "MoriShmemBuffer": "ptr nbytes dtype",
    "shmem_current": "",
    "shmem_bind": "pe",
    "shmem_find": "rank",
    "shmem_heap_info": "",
    "shmem_check": "",
    "shmem_device_state": "",
}


@pytest.fixture
def alone():
    s.shmem_init()
    yield
    s.shmem_finalize()


@pytest.mark.parametrize("name", CONTRACT)
def test_contract(name):
    assert name in s.__all__ and name in dir(s)
    call = getattr(s, name)
    assert call.__doc__
    names = list(inspect.signature(call).parameters)
    assert names == CONTRACT[name].split()
    hints = inspect.signature(call)
    assert name == "MoriShmemBuffer" or hints.return_annotation is not inspect.Signature.empty


def test_defaults():
    assert inspect.signature(s.shmem_mpi_init).parameters["comm"].default is None
    assert inspect.signature(s.shmem_barrier_on_stream).parameters["stream"].default is None


def test_constants():
    assert (s.MORI_SHMEM_INIT_WITH_MPI_COMM, s.MORI_SHMEM_INIT_WITH_UNIQUEID) == (0, 1)
    assert (s.MORI_SHMEM_SIGNAL_SET, s.MORI_SHMEM_SIGNAL_ADD) == (9, 10)
    assert (s.MORI_SHMEM_EINVAL, s.MORI_SHMEM_EIO) == (-1, -12)


def test_import_is_light():
    code = (
        "import sys, mori, mori.shmem, mori.kernel, mori.ir\n"
        "print([m for m in ('torch', 'triton', 'numpy', 'jax', 'mpi4py') if m in sys.modules])"
    )
    assert pes.run(sys.executable, "-c", code) == "[]\n"


def test_version():
    out = pes.run(pes.mori(), "--version")
    assert out.split() == ["mori", mori.__version__]


def host_list():
    """The list of the library that was built: what mori-list prints."""
    path = os.path.join(os.path.dirname(pes.mori()), "mori-list")
    if not os.path.exists(path):
        pytest.skip("mori-list is in the build folder only")
    return json.loads(subprocess.run([path, "--json"], capture_output=True, check=True).stdout)


# Host calls that take or fill structs, and where Python has them.
BY_HAND = {
    "get_unique_id": _shmem.get_unique_id,
    "set_attr_uniqueid_args": _shmem.init_attr,
    "init_attr": _shmem.init_attr,
    "heap_info": _shmem.heap_info,
    "team_split_strided": _shmem.team_split_strided,
    "team_split_2d": _shmem.team_split_2d,
    "team_split_list": _shmem.team_split_list,
    "heap_hold": _shmem.Memory,
    "heap_release": _shmem.Memory,
    "query_memobj": _shmem.query_memobj,
    "module_load": _shmem.module_load,
    "module_kernel": _shmem.module_kernels,
    "kernel_params": _shmem.kernel_params,
    "kernel_launch": _shmem.kernel_launch,
    "check": _shmem.check,
    "leave_fault": _shmem.leave_fault,
    "device_state": _shmem.device_state,
    "info": _shmem.info,
    "take_error": mori.ShmemError,
    "on_wait": KeyboardInterrupt,
    "on_fault": RuntimeWarning,
}


def test_every_call_of_the_list():
    rows = host_list()
    seen = set()
    for row in rows:
        name = row["name"].removeprefix("mori_shmem_")
        if row["family"] == "grid":
            continue
        seen.add(name)
        if row["family"] == "host":
            assert (name in _ops.ops) != (name in BY_HAND), name
            continue
        op = _ops.ops[name]
        assert op.family == row["family"] and op.returns == row["returns"]
        params = ", ".join(f"{t}{'' if t.endswith('*') else ' '}{n}" for n, t in op.args)
        assert f"({params})".replace("* ", "*") == row["params"].replace("* ", "*"), name
        assert _ops.ops["ctx_" + name].args == (("ctx", "uint64_t"), *op.args)
    assert {n.removeprefix("ctx_") for n in _ops.ops} <= seen
    assert set(BY_HAND) <= seen
    assert len(_ops.ops) > 500


def test_op_is_documented():
    op = s.putmem_signal_thread
    assert op.__name__ == "putmem_signal_thread"
    assert "dest: void *" in op.__doc__ and "mori_shmem_putmem_signal_thread()" in op.__doc__
    with pytest.raises(AttributeError, match="no_such_call"):
        s.no_such_call


def test_returns(alone):
    assert s.shmem_num_qp_per_pe() == 1  # there are no queues
    assert s.shmem_barrier_all() == s.shmem_sync_all() == s.shmem_barrier_on_stream() == 0
    ptr = s.shmem_malloc(100)
    assert isinstance(ptr, int) and ptr % 256 == 0
    assert s.shmem_malloc(0) == 0
    assert s.shmem_free(0) == 0
    big = s.shmem_malloc_align(4096, 64)
    assert big % 4096 == 0
    zero = s.shmem_ext_malloc_with_flags(64, s.MORI_SHMEM_MALLOC_ZERO)
    assert [s.uint64_g(zero + 8 * i, 0, 0) for i in range(8)] == [0] * 8
    info = s.shmem_heap_info()
    assert info.blocks == 3 and info.used + info.free == info.size
    for p in (ptr, big, zero):
        assert s.shmem_free(p) == 0
    assert s.shmem_heap_info().blocks == 0
    assert s.shmem_ptr_p2p(ptr, 0, 0) == ptr and s.shmem_ptr(ptr, 0) == ptr
    assert s.shmem_device_of(0) == 0
    assert s.shmem_device_state() > 0
    assert s.shmem_check() is None
    assert ("library", "version", mori.__version__) in [row[:3] for row in s.shmem_info()]


def test_register(alone):
    local = bytearray(4096)
    assert s.shmem_buffer_register(local, 4096) == 0
    assert s.shmem_query_memobj(local).kind == 3
    assert s.shmem_buffer_deregister(local, 4096) == 0
    with pytest.raises(mori.ShmemError) as e:
        s.shmem_buffer_deregister(local, 4096)
    assert e.value.name == "MORI_SHMEM_ENOENT"


@pytest.mark.parametrize(
    "name, values",
    [
        ("int8", [-128, 127]),
        ("uint8", [0, 255]),
        ("int16", [-32768, 32767]),
        ("uint16", [65535]),
        ("int32", [-(2**31), 2**31 - 1]),
        ("uint32", [2**32 - 1]),
        ("int64", [-(2**63), 2**63 - 1]),
        ("uint64", [2**64 - 1]),
        ("float", [1.5, -0.25]),
        ("double", [1e300]),
    ],
)
def test_value_types(alone, name, values):
    """Both edges of each type go there and back; one more does not fit."""
    ptr = s.shmem_malloc(16)
    for v in values:
        getattr(s, name + "_p")(ptr, v, 0, 0)
        assert getattr(s, name + "_g")(ptr, 0, 0) == v
    if name not in ("float", "double"):
        with pytest.raises(ValueError, match="does not fit"):
            getattr(s, name + "_p")(ptr, max(values) + 1, 0, 0)
        with pytest.raises(ValueError, match="does not fit"):
            getattr(s, name + "_p")(ptr, min(values) - 1 if min(values) < 0 else -1, 0, 0)


def test_operations_between_pes():
    def body(me):
        n = s.shmem_npes()
        right = (me + 1) % n
        data, sig, count = s.shmem_calloc(1, 64), s.shmem_calloc(1, 8), s.shmem_calloc(1, 8)
        s.putmem_signal_thread(
            data, bytes([me] * 64), 64, sig, 7, s.MORI_SHMEM_SIGNAL_ADD, right, 0
        )
        s.uint64_wait_until(sig, s.MORI_SHMEM_CMP_EQ, 7)
        mine = bytearray(64)
        s.getmem_thread(mine, data, 64, me, 0)
        assert mine == bytes([(me + n - 1) % n] * 64)
        assert s.signal_fetch(sig) == 7
        old = s.uint64_atomic_fetch_add_thread(count, me + 1, 0, 0)
        assert 0 <= old < n * (n + 1) // 2
        s.shmem_barrier_all()
        assert s.uint64_g(count, 0, 0) == n * (n + 1) // 2
        assert s.uint64_test(sig, s.MORI_SHMEM_CMP_GT, 7) == 0
        # By name, with a context, and as objects.
        ctx = s.shmem_device_state()
        s.ctx_int64_p(ctx=ctx, dest=data, value=100 + me, pe=right, qp=0)
        s.shmem_barrier_all()
        assert s.ctx_int64_g(ctx, data, me, 0) == 100 + (me + n - 1) % n
        src, dst = s.shmem_query_memobj(data), s.shmem_query_memobj(count)
        s.shmem_barrier_all()
        s.putmem_obj_thread(dst, 0, src, 0, 8, right, 0)
        s.shmem_barrier_all()
        assert s.int64_g(count, me, 0) == 100 + (me + 2 * n - 2) % n
        for p in (data, sig, count):
            s.shmem_free(p)
        return True

    assert all(pes.threads(4, body))


def test_failed_value_raises_and_stays(alone):
    ptr = s.shmem_malloc(8)
    with pytest.raises(mori.ShmemError, match="no PE 7") as e:
        s.int32_g(ptr, 7, 0)
    assert e.value.status == s.MORI_SHMEM_EINVAL and "MORI_SHMEM_EINVAL" in str(e.value)
    fault = s.shmem_check()
    assert (fault.code, fault.pe, fault.op) == (s.MORI_SHMEM_EINVAL, 7, "int32_g")
    assert s.shmem_check() is None
    assert s.int32_g(ptr, 0, 0) is not None


def test_none_is_no_memory(alone):
    ptr = s.shmem_malloc(8)
    for call, args in ((s.putmem_thread, (ptr, None)), (s.getmem_thread, (None, ptr))):
        with pytest.raises(mori.ShmemError, match="an address is NULL") as e:
            call(*args, 8, 0, 0)
        assert e.value.status == s.MORI_SHMEM_EINVAL
        call(*args, 0, 0, 0)


def test_deadline(alone):
    word = s.shmem_calloc(1, 8)
    with pytest.raises(mori.ShmemError) as e:
        s.uint64_wait_until_for(word, s.MORI_SHMEM_CMP_NE, 0, 1000000)
    assert e.value.status == s.MORI_SHMEM_ETIMEDOUT
    with pytest.raises(mori.ShmemError) as e:
        s.uint64_wait_until_any_for(word, 1, None, s.MORI_SHMEM_CMP_NE, 0, 1000000)
    assert e.value.status == s.MORI_SHMEM_ETIMEDOUT


def test_blocked_call_lets_python_run():
    """A PE that waits must not keep the other threads from Python: else no thread would ever signal."""

    def body(me):
        word = s.shmem_calloc(1, 8)
        s.shmem_barrier_all()
        if me == 0:
            s.uint64_wait_until(word, s.MORI_SHMEM_CMP_EQ, 5)
        else:
            end = time.monotonic() + 0.3
            turns = 0
            while time.monotonic() < end:
                turns += 1
            s.uint64_p(word, 5, 0, 0)
            assert turns > 1000
        return True

    assert all(pes.threads(2, body))


def test_streams(alone):
    class Stream:
        cuda_stream = 0

    assert s.shmem_barrier_on_stream(Stream()) == s.shmem_barrier_on_stream(stream=0) == 0
    with pytest.raises(mori.ShmemError, match="no streams"):
        s.shmem_barrier_on_stream(77)
    with pytest.raises(TypeError, match="cuda_stream"):
        s.shmem_barrier_on_stream("x")


def test_command():
    assert "library" in pes.run(sys.executable, "-m", "mori", "info")
    out = pes.run(sys.executable, "-m", "mori", "run", "-n", "2", "true")
    assert out == ""


def test_threads_do_not_mix_errors(alone):
    """The text of a failure is the thread's own."""
    ptr = s.shmem_malloc(8)
    bad = []

    def run(pe):
        for _ in range(200):
            try:
                s.int32_g(ptr, pe, 0)
            except mori.ShmemError as e:
                if f"no PE {pe}," not in e.text:
                    bad.append(e.text)

    all_threads = [threading.Thread(target=run, args=(100 + i,)) for i in range(4)]
    for t in all_threads:
        t.start()
    for t in all_threads:
        t.join()
    assert not bad
    s.shmem_check()


def test_stub_of_the_extension():
    """The types that editors and checkers see are those that are there."""
    import ast

    path = os.path.join(os.path.dirname(mori.__file__), "_shmem.pyi")
    with open(path) as f:
        tree = ast.parse(f.read())
    names = {
        getattr(n, "name", None) or getattr(getattr(n, "target", None), "id", None)
        for n in tree.body
    } - {None}
    assert names == {n for n in dir(_shmem) if not n.startswith("__")} | {"__version__"}
    assert os.path.exists(os.path.join(os.path.dirname(mori.__file__), "py.typed"))
