# SPDX-License-Identifier: MIT
"""mori.ir: the table against the list and against the bitcode itself, and how the bitcode is found."""

import os
import re
import shutil
import subprocess
import sys

import pes
import pytest

import mori.ir
from mori._paths import native
from mori.ir import MORI_DEVICE_FUNCTIONS, SIGNAL_ADD, SIGNAL_SET, find_bitcode, get_bitcode_path

ROOT = os.path.dirname(os.path.dirname(pes.HERE))


def folder(path):
    return os.path.basename(os.path.dirname(path))


def test_table_is_the_list():
    """python/mori/ir/_table.py is what mori-list --python prints."""
    command = native("bin", "mori-list")
    if not os.path.exists(command):
        pytest.skip("no mori-list: the package is not that of a build folder")
    made = subprocess.run([command, "--python"], check=True, capture_output=True, text=True).stdout
    with open(os.path.join(os.path.dirname(mori.ir.__file__), "_table.py")) as file:
        assert file.read() == made, "run make generate"


def test_table_is_the_symbols():
    with open(os.path.join(ROOT, "tests", "abi", "device.syms")) as file:
        assert sorted(meta["symbol"] for meta in MORI_DEVICE_FUNCTIONS.values()) == sorted(file.read().split())


def test_entries():
    put = MORI_DEVICE_FUNCTIONS["putmem_nbi_block"]
    assert put["symbol"] == "mori_shmem_putmem_nbi_block"
    assert put["args"] == ["uint64", "uint64", "uint64", "int32", "int32"]
    assert put["params"] == ["dest", "src", "bytes", "pe", "qp"]
    assert (put["ret"], put["pure"], put["scope"], put["family"]) == ("int32", False, "block", "put")
    ctx = MORI_DEVICE_FUNCTIONS["ctx_float_g"]
    assert (ctx["symbol"], ctx["ret"]) == ("mori_shmem_ctx_float_g", "float32")
    assert ctx["args"] == ["uint64", "uint64", "int32", "int32"]
    statuses = {name for name, meta in MORI_DEVICE_FUNCTIONS.items() if meta["status"]}
    assert {"putmem_block", "int_p", "int32_atomic_add_warp", "int32_wait_until_all_block", "quiet_thread"} <= statuses
    assert not {"my_pe", "int_g", "int_g_block", "int32_g", "int32_test_block", "ctx_status", "signal_fetch"} & statuses
    assert {n for n, m in MORI_DEVICE_FUNCTIONS.items() if m["pure"] and m["family"] != "grid"} == {
        f"{form}{name}" for form in ("", "ctx_") for name in ("my_pe", "n_pes", "ptr", "ptr_p2p")
    }
    assert (SIGNAL_SET, SIGNAL_ADD) == (9, 10)


LLVM = {f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)} | {"float32": "float", "float64": "double", "void": "void"}


@pytest.mark.parametrize("target", ["nvptx64", "amdgcn", "cpu"])
def test_table_is_the_bitcode(target):
    """The types of every function, as the bitcode defines it; addresses are integers in the table."""
    pes.need_compiler()
    dis = next(filter(None, (shutil.which(f"llvm-dis{v}") for v in ("-19", "-20", "-21", "-22", ""))), None)
    if dis is None:
        pytest.skip("no llvm-dis (package llvm-19)")
    text = subprocess.run([dis, find_bitcode(target), "-o", "-"], check=True, capture_output=True, text=True).stdout
    defined = {}
    for line in re.findall(r"^define .*", text, re.M):
        found = re.match(r"define .*?(\w+) @(mori_\w+)\((.*?)\)(?: [^%]*)?$", line)
        if not found:
            continue
        ret, name, args = found.groups()
        defined[name] = (ret, [a.split()[0] for a in args.split(", ") if a and "byval" not in a and "%" in a])
    for name, meta in MORI_DEVICE_FUNCTIONS.items():
        if "memobj" in meta["args"]:  # each target passes a struct in its own way
            assert meta["symbol"] in defined
            continue
        ret, args = defined[meta["symbol"]]
        assert ret == LLVM[meta["ret"].replace("uint", "int")] or (ret == "ptr" and meta["ret"] == "uint64"), name
        assert len(args) == len(meta["args"]), name
        for got, kind in zip(args, meta["args"]):
            assert got == LLVM[kind.replace("uint", "int")] or (got == "ptr" and kind == "uint64"), name


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        *((t, "nvptx64") for t in "cuda cuda:0 cuda:90 sm_70 sm_90 sm_90a sm_100 SM_120 nvptx64".split()),
        *((t, "amdgcn") for t in "hip hip:gfx942 gfx90a gfx942 gfx950 gfx1100 gfx9-4-generic amdgcn".split()),
        ("cpu", os.uname().machine),
        (os.uname().machine, os.uname().machine),
    ],
)
def test_find(target, kind):
    pes.need_compiler()
    path = find_bitcode(target)
    assert folder(path) == kind and os.path.isabs(path)
    with open(path, "rb") as file:
        assert file.read(2) == b"BC"
    assert get_bitcode_path(target) == path


@pytest.mark.parametrize("target", ["sm_60", "sm_", "gfx", "gfx9x", "opencl", "", 90])
def test_unknown_target(target):
    with pytest.raises(ValueError, match="unknown target"):
        find_bitcode(target)


def test_present_device(monkeypatch):
    pes.need_compiler()
    cpu = os.uname().machine
    for device, kind in (("cuda", "nvptx64"), ("hip", "amdgcn"), ("cpu", cpu), ("CPU", cpu)):
        monkeypatch.setenv("MORI_SHMEM_DEVICE", device)
        assert folder(find_bitcode()) == kind


def test_named_file(monkeypatch, tmp_path):
    path = tmp_path / "mine.bc"
    monkeypatch.setenv("MORI_SHMEM_BC", str(path))
    with pytest.raises(FileNotFoundError, match=r"MORI_SHMEM_BC.*mine\.bc"):
        find_bitcode("sm_90")
    path.write_bytes(b"BC")
    assert find_bitcode("sm_90") == find_bitcode() == str(path)


def test_nothing_there(monkeypatch, tmp_path):
    from mori.ir import bitcode

    monkeypatch.setattr(bitcode, "_places", lambda: [tmp_path / "a", tmp_path / "b"])
    text = (
        r"clang-19 and llvm-19 and install the package again.*MORI_BITCODE_DIR.*build_shmem_bitcode"
        r".*MORI_SHMEM_BC.*a/nvptx64.*b/nvptx64"
    )
    with pytest.raises(FileNotFoundError, match=text):
        find_bitcode("sm_90")
    pytest.importorskip("triton", reason="triton is not installed (tools/venv.sh)")
    from mori.ir.triton import get_extern_libs

    with pytest.raises(FileNotFoundError, match=text):
        get_extern_libs("sm_90")


def test_imports_little():
    """mori.ir is for any compiler: it brings none of torch, triton and numpy."""
    code = "import sys, mori.ir; print(*({'torch', 'triton', 'numpy'} & set(sys.modules)))"
    made = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert made.stdout.strip() == ""


def test_docstrings_say_the_scope():
    pytest.importorskip("triton", reason="triton is not installed (tools/venv.sh)")
    import mori.ir.triton as d

    for name, meta in MORI_DEVICE_FUNCTIONS.items():
        function = getattr(d, name)
        words = {"thread": "once for every thread", "warp": "once for every warp", "block": "once a program"}
        assert words.get(meta["scope"], "") in function.__doc__ and meta["symbol"] in function.__doc__
        assert name in dir(d) and name in d.__all__ and function is getattr(d, name)
    assert "putmem_block" in d.putmem_thread.__doc__
    with pytest.raises(AttributeError, match="putmem_everywhere"):
        d.putmem_everywhere
