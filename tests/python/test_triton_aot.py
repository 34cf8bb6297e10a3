# SPDX-License-Identifier: MIT
# TEST: timeout=600 quick=0
"""The kernels of examples/triton compiled for GPUs that are not here: what is in the code, and what is not."""

import os
import re

import pytest
import triton_versions
from flow import TRITON_BARRIER, Flow

triton_versions.need()

from mori.ir import MORI_DEVICE_FUNCTIONS

SM = ("sm_90", "sm_100")
GFX = ("gfx942", "gfx950")

# What the code of a kernel must have, by kind of GPU.
CODE = {
    "hello": {"sm": [r"ld\.global\.(nc\.)?b64.*globalGpuStates"], "gfx": [r"globalGpuStates"]},
    "put_ring": {
        "sm": [r"fence\.acq_rel\.sys", r"st\.relaxed\.sys\.b64", r"ld\.acquire\.sys\.b64", r"st\.(global\.)?v[24]"],
        "gfx": [r"buffer_wbl2 sc0 sc1", r"buffer_inv sc0 sc1", r"(global|flat)_store_dwordx4"],
    },
    "get": {"sm": [r"ld\.(global\.)?v[24]"], "gfx": [r"(global|flat)_load_dwordx4"]},
    "get_nbi": {"sm": [r"fence\.(sc|acq_rel)\.sys"], "gfx": [r"(global|flat)_load_dwordx4"]},
    "put_signal": {
        "sm": [r"st\.release\.sys\.global\.b64", r"ld\.acquire\.sys\.b64"],
        "gfx": [r"buffer_wbl2 sc0 sc1", r"(global|flat)_store_dwordx2 .*sc0 sc1", r"buffer_inv sc0 sc1"],
    },
    "allreduce_read": {
        "sm": [r"st\.release\.sys\.global\.b64", r"ld\.acquire\.sys\.b64"],
        "gfx": [r"buffer_wbl2 sc0 sc1", r"(global|flat)_load_dwordx2 .*sc0 sc1", r"buffer_inv sc0 sc1"],
    },
    "allreduce_put": {
        "sm": [r"red\.release\.sys\.global\.add\.u64", r"ld\.acquire\.sys\.b64"],
        "gfx": [r"buffer_wbl2 sc0 sc1", r"(global|flat)_atomic_add_x2 .*sc1", r"buffer_inv sc0 sc1"],
    },
}


@pytest.fixture(scope="module", params=triton_versions.named(), ids=triton_versions.title)
def code(request, tmp_path_factory):
    """(kernel, target) -> assembly, and the same with ".ll"; "all.ttir"."""
    return triton_versions.compiled("triton_aot.py", tmp_path_factory.mktemp("aot"), older=request.param)


@pytest.mark.parametrize("target", SM + GFX)
@pytest.mark.parametrize("kernel", CODE)
def test_instructions(code, kernel, target):
    text = code[f"{kernel}.{target}"]
    for pattern in CODE[kernel]["sm" if target in SM else "gfx"]:
        assert re.search(pattern, text), f"{kernel} for {target} has no {pattern}"
    if target in SM:
        assert re.search(rf"^\.target {target}", text, re.M)
        assert not re.search(r"^\s*\.extern \.func", text, re.M)
        assert not re.search(r"\batom\.(global\.)?(add|exch|or|and|xor)\.", text), "an atomic that lost its scope"
    else:
        assert target in text


@pytest.mark.parametrize("target", SM + GFX)
@pytest.mark.parametrize("kernel", CODE)
def test_nothing_else(code, kernel, target):
    """No symbol is left over, and of the library only what the kernel calls, inlined but for what it calls twice."""
    text = code[f"{kernel}.{target}.ll"]
    assert not [line for line in re.findall(r"^declare .*", text, re.M) if "@llvm." not in line]
    program = kernel.partition("_read")[0].partition("_put")[0] if kernel.startswith("all") else kernel
    source = open(os.path.join(triton_versions.ROOT, "examples", "triton", f"{program.removesuffix('_nbi')}.py")).read()
    called = {f"mori_shmem_{name}" for name in re.findall(r"mori_shmem_device\.(\w+)\(", source)}
    assert set(re.findall(r"^define .*@(mori_\w+)", text, re.M)) <= called
    assert "globalGpuStates" in text


def test_small(code):
    """A kernel that queries its PE contains neither copies nor waits, and calls only what reports that there is no PE."""
    for target in SM:
        text = "\n".join(Flow(code[f"hello.{target}"], "hello").lines)
        assert not re.search(r"\.sys\b|bar\.sync", text)
        assert set(re.findall(r"\bcall(?:\.uni)?\s+(?:\([^)]*\),\s*)?(\w+),", text)) == {"lib_closed"}
    for target in GFX:
        text = "\n".join(Flow(code[f"hello.{target}"], "hello").lines)
        assert not re.search(r"buffer_wbl2|s_barrier", text)
        assert set(re.findall(r"(\w+)@rel32@lo", text)) <= {"lib_closed", "globalGpuStates"}


def test_every_function(code):
    """Each is called once, by its symbol, with arguments of the right types."""
    short = {"int": "i", "uint": "i", "float": "f"}

    def mlir(kind):
        name, bits = re.fullmatch(r"([a-z]+)(\d+)", kind).groups()
        return short[name] + bits

    calls = {}
    for symbol, args, ret in re.findall(
        r'tt\.extern_elementwise .*symbol = "(\w+)"\} : \(([^)]*)\) -> (\w+)', code["all.ttir"]
    ):
        calls.setdefault(symbol, []).append(([a for a in args.split(", ") if a], ret))
    for name, meta in MORI_DEVICE_FUNCTIONS.items():
        if meta["ret"] == "void" or "memobj" in meta["args"]:
            continue
        want = ([mlir(a) for a in meta["args"]], mlir(meta["ret"]))
        assert want in calls.get(meta["symbol"], []), f"{name}: {want}, {calls.get(meta['symbol'])}"
    # An object form is a call of the form with addresses.
    assert len(calls["mori_shmem_putmem_nbi_block"]) == 2


def test_acquires(code):
    """Behind a call that acquires, and behind no other, stands what keeps loads there."""
    acquires = {meta["symbol"]: meta["acquires"] for meta in MORI_DEVICE_FUNCTIONS.values()}
    calls = re.split(r'tt\.extern_elementwise .*symbol = "(\w+)".*', code["all.ttir"])[1:]
    seen = set()
    for symbol, behind in zip(calls[::2], calls[1::2]):
        seen.add(symbol)
        held = bool(re.search(TRITON_BARRIER, behind))
        fenced = "fence.proxy.async.global" in behind
        last = symbol == "mori_warp_size"  # before mori_block_sync, which is Triton's own barrier
        assert last or held == fenced == acquires[symbol], f"{symbol}: acquires {acquires[symbol]}, held {held}, {fenced}"
    assert {s for s, a in acquires.items() if a} - seen == {s for s in acquires if acquires[s] and "_obj_" in s}


#: What acquires or completes, in the words of docs/triton.md, and the names it means.
ACQUIRE = {
    "waits": r"\w+_wait_until\w*",
    "tests": r"\w+_test(_block)?",
    "blocking gets": r"get(mem|_[a-z0-9]+|mem_obj)_(thread|warp|block)",
    "`g`": r"[a-z0-9]+_g(_block)?",
    "atomics with a result": r"\w+_atomic_(fetch|fetch_\w+|swap|compare_swap)_(thread|warp|block)|atomic_[a-z0-9]+_fetch_\w+",
    "`signal_fetch`": r"signal_fetch",
    "`quiet`": r"quiet_\w+",
    "barriers": r"barrier_all_(thread|block)",
    "syncs": r"sync_all_(thread|block)",
    "collectives": r"(team_sync|barrier|broadcast|f?collect|alltoall|reduce|reducescatter)_(thread|warp|block)",
}


def test_what_acquires():
    """The marks are what the page says: what has seen something, brought it or completed it."""
    with open(os.path.join(triton_versions.ROOT, "docs", "triton.md")) as file:
        said = re.search(r"call of the\s+library that acquires or completes: ([^.]*)\.", file.read())[1]
    assert re.split(r",\s+|\s+and\s+", said) == list(ACQUIRE)
    means = {what: {n for n in MORI_DEVICE_FUNCTIONS if re.fullmatch(rf"(ctx_)?({p})", n)} for what, p in ACQUIRE.items()}
    assert all(means.values())
    marked = {name for name, meta in MORI_DEVICE_FUNCTIONS.items() if meta["acquires"]}
    assert set().union(*means.values()) == marked
