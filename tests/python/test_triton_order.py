# SPDX-License-Identifier: MIT
# TEST: timeout=600 quick=0
"""The order of loads and the library's calls in the final code of Triton kernels, and their shared memory.

MORI_TEST_TRITON names the folders of other Tritons to take, and MORI_TEST_ALL=1 takes every combination:
tests/python/triton_matrix.sh does both. MORI_TEST_ONLY names some of the files to be looked at
(wait.sm_90.3), for one test over them (pytest -k).
"""

import os
import re

import pytest
import triton_versions
from flow import TRITON_BARRIER, Flow

triton_versions.need()

SM = ("sm_80", "sm_90", "sm_100")
GFX = ("gfx942", "gfx950")
EVERYTHING = os.environ.get("MORI_TEST_ALL", "") == "1"
ONLY = os.environ.get("MORI_TEST_ONLY", "").split()

# Instructions: where a call acquires or completes, where a tile is loaded, where it is used.
ACQUIRES = {
    "sm": {"quiet": r"fence\.sc\.", "fetch": r"atom\.relaxed\.sys\.global\.add", None: r"ld\.acquire\.sys"},
    "gfx": {"quiet": r"buffer_wbl2 sc0 sc1", "fetch": r"global_atomic_add_x2", None: r"buffer_inv sc0 sc1"},
}
# The second where there is none of the first; the library's own copies and state (at 40) are read
# otherwise.
LOADS = {
    "sm": (r"cp\.async\.c[ag]\.shared|ld\.global\.v4\.b32|cp\.async\.bulk\.tensor",),
    "gfx": (r"buffer_load_dwordx[24]|buffer_load_dword .*lds", r"global_load_dwordx4 (?!.* off offset:40\b)"),
}
USES = {"sm": r"wgmma\.mma|mma\.sync|tcgen05\.mma|add\.f32|add\.rn\.f32", "gfx": r"v_mfma|v_(pk_)?add_f32"}
BARRIERS = {"sm": r"\bbar(rier)?\.(cta\.)?(sync|red)", "gfx": r"s_barrier"}
PROXY = r"fence\.proxy\.async\.global"


@pytest.fixture(scope="module", params=triton_versions.named(), ids=triton_versions.title)
def code(request, tmp_path_factory):
    """File name -> text, as progs/triton_order.py leaves them."""
    folder, which = tmp_path_factory.mktemp("order"), ["all"] if EVERYTHING else ONLY
    timeout = 7200 if EVERYTHING else 550
    return triton_versions.compiled("triton_order.py", folder, *which, older=request.param, timeout=timeout)


def compiled(code, *kernels):
    """(name, kernel, kind of GPU, text) of what was compiled of these kernels; without names of those
    whose loads all stand behind calls."""
    found = []
    for name, text in sorted(code.items()):
        parts = name.split(".")
        if len(parts) != 3 or parts[0] in ("forms", "between", "twice", "split") and parts[0] not in kernels:
            continue
        if not kernels or parts[0] in kernels:
            found.append((name, parts[0], "sm" if parts[1] in SM else "gfx", text))
    assert found
    return found


def calls(flow, kernel, gpu):
    return flow.find(ACQUIRES[gpu].get(kernel, ACQUIRES[gpu][None]))


def marks(flow, kernel, gpu):
    """Where calls acquire, where tiles are loaded, and where they are used. Of a block one lane acquires, and the others do
    when they meet it: at the first barrier after that, or at the one that stands behind the call, also one that failed."""
    acquires = calls(flow, kernel, gpu)
    for _ in range(2):
        acquires |= flow.first(acquires, flow.find(BARRIERS[gpu]))
    loads = next(filter(None, map(flow.find, LOADS[gpu])), set())
    uses = flow.find(USES[gpu])
    assert acquires and loads, "found no acquire, or no load"
    return acquires, loads, uses


def test_no_load_before(code):
    """No way from the start of a kernel to a load goes past the call."""
    for name, kernel, gpu, text in compiled(code):
        if kernel in ("now_and_then", "one_loop_of_two"):  # the code has such ways, which nothing goes
            continue
        flow = Flow(text, kernel)
        acquires, loads, _ = marks(flow, kernel, gpu)
        early = flow.reach([-1], acquires) & loads
        assert not early, f"{name}: {[flow.lines[i] for i in sorted(early)][:3]}"


def test_no_load_before_a_loop(code):
    """Triton has taken none out of a loop."""
    for name, *_ in compiled(code):
        before, loop, _ = code[f"{name}.ttgir"].partition("scf.for")
        assert loop and not re.search(r"tt\.load|buffer_load|async_copy_global|async_tma_copy", before), name


def test_no_load_ahead(code):
    """Nor does one from the use of a tile to the load of the next: none is loaded in a round before its own."""
    for name, kernel, gpu, text in compiled(code):
        if kernel in ("now_and_then", "one_loop_of_two"):  # not every round waits
            continue
        flow = Flow(text, kernel)
        acquires, loads, uses = marks(flow, kernel, gpu)
        assert uses, f"{name}: found no use of a tile"
        ahead = flow.reach(uses, acquires) & loads
        assert not ahead, f"{name}: {[flow.lines[i] for i in sorted(ahead)][:3]}"


def test_all_there(code):
    """The whole matrix: five targets, one to four stages."""
    assert {name for name, *_ in compiled(code, "wait")} == {f"wait.{t}.{s}" for t in SM + GFX for s in (1, 2, 3, 4)}


def test_proxy(code):
    """Between a wait and a load by the TMA engine stands the fence that NVIDIA asks for."""
    for name, kernel, gpu, text in compiled(code, "descriptor"):
        flow = Flow(text, kernel)
        bulk, fences = flow.find(r"cp\.async\.bulk\.tensor"), flow.find(PROXY)
        assert bulk and fences, name
        assert not flow.reach(calls(flow, kernel, gpu), fences) & bulk, f"{name}: a bulk load without {PROXY}"


def test_no_proxy_fence_elsewhere(code):
    for name, _, gpu, text in compiled(code):
        if ".sm_80." in name or gpu == "gfx":
            assert not re.search(PROXY, text), name


def test_pipelined_between(code):
    """What lies between two waits is still loaded ahead, but never before the first of them."""
    for name, kernel, gpu, text in compiled(code, "between"):
        flow = Flow(text, kernel)
        acquires, loads, uses = marks(flow, kernel, gpu)
        assert not flow.reach([-1], acquires) & loads, name
        assert flow.reach(uses, calls(flow, kernel, gpu)) & loads, f"{name}: nothing is loaded ahead"


def test_not_merged(code):
    """Equal loads with calls between them stay as many as they were."""
    for name, _, _, _ in compiled(code, "twice"):
        loads = re.findall(r"= (tt\.load|amdg\.buffer_load|amdgpu\.buffer_load) ", code[f"{name}.ttgir"])
        assert len(loads) == 6, f"{name}: {len(loads)} of 6 loads"


def test_split_among_warps(code):
    """Beside a loop that is split up among warps, calls of threads and warps are made by the warps of
    the program alone, which meet without the others; and these load what was waited for when they
    are told to begin."""
    flow = Flow(code["split.sm_100.1"], "split")
    calls = flow.find(r"ld\.acquire\.sys|st\.relaxed\.sys|fence\.sc\.")
    loads = flow.find(r"cp\.async\.bulk\.tensor")
    assert len(calls) >= 3 and loads
    # At the first branch the further warps leave the kernel's own way, and come to no call.
    ways = [flow.reach([i]) for i in flow.next[min(flow.find(r"^\s*@\S+\s+bra\b"))]]
    assert sorted(bool(way & calls) for way in ways) == [False, True]
    assert sorted(bool(way & loads) for way in ways) == [False, True]
    assert not any(way & calls and way & loads for way in ways)

    def barriers(part):
        lines = Flow(code[f"split.sm_100.{part}"], "split").lines
        return {re.sub(r"\s+", " ", line.strip()) for line in lines if re.search(BARRIERS["sm"], line)}

    assert barriers(1) == barriers(0)
    behind = flow.first(flow.find(r"ld\.acquire\.sys"), flow.find(BARRIERS["sm"]))
    assert behind and all(re.search(r"\b0, 128\b", flow.lines[i]) for i in behind)
    begin = flow.find(r"\bbarrier\.sync\s+1\b")
    assert not flow.reach(flow.find(r"ld\.acquire\.sys"), flow.find(PROXY)) & begin
    before, split, after = code["split.sm_100.1.ttgir"].partition("ttg.warp_specialize")
    assert split and "mori_shmem_uint64_wait_until_equals" in before
    assert "async_tma_copy" not in before and "async_tma_copy" in after


def forms(code, gpu):
    found = [(n, t) for n, t in sorted(code.items()) if re.fullmatch(rf"forms\.\d+\.({'|'.join(gpu)})", n)]
    assert len(found) >= 5 * len(gpu)
    return found


def test_no_shared_memory_nvidia(code):
    """Of shared memory there is the kernel's own, which the launch gives it and which so begins where it is aligned."""
    for name, text in forms(code, SM):
        declared = re.findall(r"^\s*(?:\.\w+\s+)*\.shared\b.*", text, re.M)
        assert len(declared) == 1 and re.search(r"\.extern \.shared .*global_smem\[\]", declared[0]), f"{name}: {declared}"


def test_no_shared_memory_amd(code):
    for name, text in forms(code, GFX):
        assert re.search(r"\.amdhsa_group_segment_fixed_size 0\b", text), name
        assert re.search(r"\.group_segment_fixed_size: 0\b", text), name
        assert not re.search(r"^\s*\.lds\b|\.amdgpu_lds (?!global_smem)", text, re.M), name


def waits_before(lines, i):
    """Whether a wave that comes to line ``i`` has waited for its stores and not used memory since."""
    for line in reversed(lines[:i]):
        if re.match(r"s_waitcnt vmcnt\(0\) expcnt\(0\) lgkmcnt\(0\)", line):  # as the library says it
            return True
        if not re.match(r"[sv]_(?!load|store|branch|cbranch|setpc|swappc|barrier|endpgm)|\.loc\b", line):
            return False
    return False


def test_waves_wait(code):
    """On AMD every wave waits for its own stores before each barrier of the library: those before
    which none does are Triton's own, as many as the kernel without calls has and as its IR says
    beside them."""
    bare = {t: len(re.findall(r"^\s*s_barrier", code[f"forms.0.{t}"], re.M)) for t in GFX}
    for name, text in forms(code, GFX):
        lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith(";")]
        waited = [waits_before(lines, i) for i, line in enumerate(lines) if line.startswith("s_barrier")]
        own = bare[name.rpartition(".")[2]] + len(re.findall(TRITON_BARRIER, code[f"{name}.ttgir"]))
        assert waited.count(False) == own, f"{name}: {waited.count(False)} of {len(waited)} barriers without a wait"
        assert any(waited) or name.startswith("forms.0."), name
