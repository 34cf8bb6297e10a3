# SPDX-License-Identifier: MIT
# TEST: timeout=300 quick=0
"""mori.kernel: C, LLVM IR, MLIR and finished images, every kind of argument, and wrong ones."""

import ctypes
import os
import shutil
import subprocess

import pytest

import mori
import mori.kernel
import mori.shmem as s
import pes

ROOT = os.path.dirname(os.path.dirname(pes.HERE))
EXAMPLES = os.path.join(ROOT, "examples")

ARGS = b"""
#include <mori/shmem_device.h>
struct pair { int32_t a; double b; };
MORI_KERNEL void args(double *out, int8_t i8, uint16_t u16, int32_t i32, uint64_t u64, float f, double d,
		      struct pair p, mori_shmem_memobj_t m, void *null)
{
	out[0] = i8; out[1] = u16; out[2] = i32; out[3] = u64; out[4] = f; out[5] = d;
	out[6] = p.a; out[7] = p.b; out[8] = m.kind; out[9] = null == 0; out[10] = mori_shmem_my_pe();
}
MORI_KERNEL void where(int *out)
{
	unsigned block = mori_block_id() + mori_grid_size() * (mori_block_id_y() + mori_grid_size_y() * mori_block_id_z());
	unsigned threads = mori_block_size() * mori_block_size_y() * mori_block_size_z();
	unsigned thread = mori_thread_id() + mori_block_size() * (mori_thread_id_y() + mori_block_size_y() * mori_thread_id_z());
	out[block * threads + thread] = 1000 * block + thread;
	mori_shmem_fence_thread();
}
"""


class Pair(ctypes.Structure):
    _fields_ = [("a", ctypes.c_int32), ("b", ctypes.c_double)]


@pytest.fixture(scope="module", autouse=True)
def compiler():
    pes.need_compiler()


@pytest.fixture
def alone():
    s.shmem_init()
    yield
    s.shmem_finalize()


def llvm_ir():
    return subprocess.run(
        ["sh", os.path.join(EXAMPLES, "llvm", "generate.sh"), "put_ring"],
        capture_output=True,
        check=True,
    ).stdout


def sources(tmp_path):
    """put_ring in every form that can be loaded."""
    image = tmp_path / "put_ring.so"
    c = os.path.join(EXAMPLES, "kernels", "put_ring.c")
    pes.run(pes.mori(), "cc", c, "-o", image)
    forms = {
        "C": c,
        "LLVM IR": llvm_ir(),
        "an image": str(image),
        "an image's bytes": image.read_bytes(),
    }
    if any(shutil.which(f"mlir-translate-{v}") for v in (19, 20, 21, 22)):
        mlir = os.path.join(EXAMPLES, "mlir", "put_ring.mlir")
        forms["MLIR"] = mlir
        with open(mlir, "rb") as f:
            forms["MLIR's bytes"] = f.read()
    return forms


def test_every_form_on_three_pes(tmp_path):
    torch = pytest.importorskip("torch")
    forms = sources(tmp_path)

    def body(me):
        n = s.shmem_npes()
        for i, form in enumerate(forms.values()):
            k = mori.kernel.load(form)
            assert k.kernels == ["put_ring"]
            assert repr(k["put_ring"]) == "<kernel put_ring(pointer, pointer, int64)>"
            dest = s.mori_shmem_create_tensor(100, torch.int32).fill_(-1)
            src = torch.arange(100, dtype=torch.int32) + 1000 * me + i
            s.shmem_barrier_all()
            k.launch(1, 64, dest, src, 90)
            left = (me + n - 1) % n
            assert dest.tolist() == [1000 * left + i + j for j in range(90)] + [-1] * 10
            s.shmem_barrier_all()
            s.mori_shmem_free_tensor(dest)
        return True

    assert all(pes.threads(3, body))


def test_processes(tmp_path):
    """Kernels that wait for each other, in processes."""
    path = os.path.join(EXAMPLES, "kernels", "put_ring.c")
    code = (
        "import mori.kernel, mori.shmem as s\n"
        "s.shmem_init()\n"
        "me, n = s.shmem_mype(), s.shmem_npes()\n"
        "box, mine = s.shmem_malloc(64), s.shmem_malloc(64)\n"
        "s.int32_p(mine, 70 + me, me, 0)\n"
        f"k = mori.kernel.load({path!r})\n"
        "s.shmem_barrier_all()\n"
        "k.launch(1, 8, box, mine, 1)\n"
        "assert s.int32_g(box, me, 0) == 70 + (me + n - 1) % n\n"
        "s.shmem_finalize()\n"
    )
    assert pes.run(pes.mori(), "run", "-n", "4", "--", pes.python(), "-c", code) == ""


def test_arguments(alone):
    k = mori.kernel.load(ARGS)
    assert sorted(k.kernels) == ["args", "where"]
    assert [p.kind for p in k["args"].params] == [
        "pointer", "int", "int", "int", "int", "float", "float", "struct", "struct", "pointer",
    ]  # fmt: skip
    assert [p.size for p in k["args"].params] == [8, 1, 2, 4, 8, 4, 8, 16, 24, 8]
    out = (ctypes.c_double * 11)()
    obj = s.shmem_query_memobj(s.shmem_malloc(64))
    k["args"].launch(
        1,
        1,
        ctypes.addressof(out),
        -128,
        65535,
        -(2**31),
        2**53,
        1.5,
        1e300,
        Pair(7, 2.5),
        obj,
        None,
    )
    assert list(out) == [-128, 65535, -(2**31), 2**53, 1.5, 1e300, 7, 2.5, 1, 1, 0]
    k.launch(
        1, 1, ctypes.addressof(out), ctypes.c_int8(3), ctypes.c_uint16(4), True, 6, 7, 8, bytes(Pair(9, 10)), obj, 0,
        kernel="args",
    )  # fmt: skip
    assert list(out)[:8] == [3, 4, 1, 6, 7, 8, 9, 10]


def test_arrays(alone):
    np = pytest.importorskip("numpy")
    torch = pytest.importorskip("torch")
    k = mori.kernel.load(ARGS)["where"]
    for out in (np.zeros(24, "i4"), torch.zeros(24, dtype=torch.int32), np.zeros((2, 3, 4), "i4")):
        k.launch((3, 2), (2, 2), out)
        assert out.reshape(-1).tolist() == [1000 * b + t for b in range(6) for t in range(4)]
    box = s.MoriShmemBuffer(s.shmem_malloc(96), 96, "int32")
    k.launch([1, 2, 3], [1, 2, 2], box)
    assert np.asarray(box).tolist() == [1000 * b + t for b in range(6) for t in range(4)]
    k.launch(np.int64(6), 4, np.zeros(24, "i4"))


def test_wrong_arguments(alone):
    np = pytest.importorskip("numpy")
    k = mori.kernel.load(ARGS)
    where, good = k["where"], np.zeros(64, "i4")
    with pytest.raises(TypeError, match="has 1 parameter.*pointer.*2 argument"):
        where.launch(1, 1, good, 5)
    for bad in (1.5, "x", b"x", object(), [1]):
        with pytest.raises(TypeError, match="argument 0"):
            where.launch(1, 1, bad)
    with pytest.raises(ValueError, match="not contiguous"):
        where.launch(1, 1, good[::2])
    with pytest.raises(ValueError, match="not contiguous"):
        where.launch(1, 1, np.zeros((4, 4), "i4").T)
    ints = [good, 1, 1, 1, 1, 1.0, 1.0, bytes(16), (0, 0, 0), None]
    for i, bad, error in [
        (1, 256, ValueError),
        (1, -129, ValueError),
        (3, 2**32, ValueError),
        (3, 1.5, TypeError),
        (3, good, TypeError),
        (5, "1", TypeError),
        (5, 1e300, ValueError),
        (7, bytes(15), ValueError),
        (7, 5, TypeError),
        (4, ctypes.c_int32(1), ValueError),
    ]:
        args = [*ints[:i], bad, *ints[i + 1 :]]
        with pytest.raises(error, match=f"kernel args, argument {i}"):
            k["args"].launch(1, 1, *args)
    for grid, block in [(0, 1), (1, 0), (1, 2000)]:
        with pytest.raises(mori.ShmemError):
            where.launch(grid, block, good)
    for grid in ((), (1, 1, 1, 1), -1, 2**32):
        with pytest.raises(ValueError, match="grid"):
            where.launch(grid, 1, good)
    with pytest.raises(TypeError, match="block"):
        where.launch(1, "x", good)
    with pytest.raises(mori.ShmemError, match="no streams"):
        where.launch(1, 1, good, stream=5)
    with pytest.raises(ValueError, match="several kernels.*args.*where"):
        k.launch(1, 1, good)
    with pytest.raises(mori.ShmemError, match="no kernel nobody"):
        k["nobody"]


def test_wrong_images(alone, tmp_path):
    with pytest.raises(mori.ShmemError, match="(?s)could not compile.*expected"):
        mori.kernel.load(b"int x")
    with pytest.raises(mori.ShmemError, match="ELF"):
        mori.kernel.load(b"\x7fELF and so on")
    with pytest.raises(ValueError, match="No such file"):
        mori.kernel.load("/nowhere.so")
    with pytest.raises(ValueError, match="no file"):
        mori.kernel.load("/nowhere.c")
    with pytest.raises(TypeError, match="neither a path nor bytes"):
        mori.kernel.load(42)
    with pytest.raises(ValueError, match="kind"):
        mori.kernel.load(b"", kind="cu")
    with pytest.raises(mori.ShmemError) as e:
        mori.kernel.load(b"#include <mori/shmem_device.h>\nMORI_KERNEL void k(int *x) { *x = 1; }")
    assert e.value.status == s.MORI_SHMEM_ENOENT


def test_fault_is_an_exception(alone):
    k = mori.kernel.load(ARGS)["where"]
    with pytest.raises(mori.ShmemError, match="thread") as e:
        k.launch(2, 2, 16)
    assert e.value.status == s.MORI_SHMEM_EFAULT
    fault = s.shmem_check()
    assert fault.code == s.MORI_SHMEM_EFAULT and fault.op == "where" and fault.addr == 16
    out = (ctypes.c_int * 4)()
    k.launch(2, 2, ctypes.addressof(out))
    assert list(out) == [0, 1, 1000, 1001]


def test_after_finalize():
    s.shmem_init()
    k = mori.kernel.load(ARGS)
    where = k["where"]
    s.shmem_finalize()
    with pytest.raises(mori.ShmemError, match="finalized") as e:
        where.launch(1, 1, 0)
    assert e.value.status == s.MORI_SHMEM_ESTATE
    k.unload()
    k.unload()
    with pytest.raises(mori.ShmemError, match="NULL"):
        where.launch(1, 1, 0)


def test_module_init(alone, tmp_path):
    """A module that was loaded by the device's own means."""
    image = tmp_path / "ring.so"
    pes.run(pes.mori(), "cc", os.path.join(EXAMPLES, "kernels", "hello.c"), "-o", image)
    lib = ctypes.CDLL(str(image))
    assert s.shmem_module_init(lib._handle) == 0
    with pytest.raises(mori.ShmemError):
        s.shmem_module_init(0)
    for bad in (4096, 12345, lib._handle + 8):
        with pytest.raises(mori.ShmemError, match="not a module"):
            s.shmem_module_init(bad)
    with pytest.raises(mori.ShmemError) as e:
        s.shmem_module_init(ctypes.CDLL(None)._handle)
    assert e.value.status == s.MORI_SHMEM_ENOENT


def test_launches_of_threads():
    """Kernels of PEs that are threads wait for each other: a launch must not keep Python to itself."""
    torch = pytest.importorskip("torch")

    def body(me):
        n = s.shmem_npes()
        k = mori.kernel.load(
            b"#include <mori/shmem_device.h>\n"
            b"MORI_KERNEL void ring(uint64_t *flag, int me, int n)\n"
            b"{\n"
            b"\tif (me) mori_shmem_uint64_wait_until_equals(flag, me);\n"
            b"\tmori_shmem_uint64_p(flag, me + 1, (me + 1) % n, 0);\n"
            b"\tif (!me) mori_shmem_uint64_wait_until_equals(flag, n);\n"
            b"}\n"
        )
        flag = s.mori_shmem_create_tensor(1, torch.int64).fill_(0)
        s.shmem_barrier_all()
        k.launch(1, 1, flag, me, n)
        s.shmem_barrier_all()
        assert flag.item() == (me or n)
        return True

    assert all(pes.threads(6, body))
