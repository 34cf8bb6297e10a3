# SPDX-License-Identifier: MIT
"""Compiles kernels that load what they have waited for, for GPUs that are not here: triton_order.py
FOLDER [all | NAME...]. Leaves <kernel>.<target>.<num_stages> with the assembly there, and the same
with ".ttgir"; forms.<i>.<target> with ``tl.dot`` beside the block forms, and split.sm_100.<0 or 1>.
Without ``all`` the kernels share out the targets and stages, except for the first one, and of each
form one type is taken. With names only these kernels.
"""

import inspect
import os
import sys

os.environ.update(TRITON_INTERPRET="0", TRITON_ALWAYS_COMPILE="1", TRITON_DEFAULT_FP_FUSION="1")
os.environ["TRITON_CACHE_DIR"] = os.path.join(sys.argv[1], "cache")

import triton
import triton.language as tl
import triton_forms
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend

import mori.ir.triton as md
from mori.ir.triton import get_extern_libs

TARGETS = {
    "sm_80": GPUTarget("cuda", 80, 32),
    "sm_90": GPUTarget("cuda", 90, 32),
    "sm_100": GPUTarget("cuda", 100, 32),
    "gfx942": GPUTarget("hip", "gfx942", 64),
    "gfx950": GPUTarget("hip", "gfx950", 64),
}
STAGES = (1, 2, 3, 4)
POINTERS = ("a", "b", "c", "sig")


@triton.jit
def wait(a, b, c, sig, K, S: tl.constexpr):
    i = tl.arange(0, S)
    at = i[:, None] * S + i[None, :]
    acc = tl.zeros((S, S), dtype=tl.float32)
    for k in range(K):
        md.uint64_wait_until_equals_block(sig + k, 1)
        acc += tl.dot(tl.load(a + k * S * S + at), tl.load(b + k * S * S + at))
    tl.store(c + at, acc)


@triton.jit
def wait_thread(a, b, c, sig, K, S: tl.constexpr):
    i = tl.arange(0, S)
    at = i[:, None] * S + i[None, :]
    acc = tl.zeros((S, S), dtype=tl.float32)
    for k in range(K):
        md.uint64_wait_until_equals(sig + k, 1)
        acc += tl.dot(tl.load(a + k * S * S + at), tl.load(b + k * S * S + at))
    tl.store(c + at, acc)


@triton.jit
def same_place(a, b, c, sig, K, S: tl.constexpr):
    """Loads that are the same in each round, but for what they find."""
    i = tl.arange(0, S)
    at = i[:, None] * S + i[None, :]
    acc = tl.zeros((S, S), dtype=tl.float32)
    for k in range(K):
        md.uint64_wait_until_equals_block(sig, k)
        acc += tl.dot(tl.load(a + at), tl.load(b + at))
    tl.store(c + at, acc)


@triton.jit
def now_and_then(a, b, c, sig, K, S: tl.constexpr):
    i = tl.arange(0, S)
    at = i[:, None] * S + i[None, :]
    acc = tl.zeros((S, S), dtype=tl.float32)
    for k in range(K):
        if k % 4 == 0:
            md.uint64_wait_until_equals_block(sig + k, 1)
        acc += tl.dot(tl.load(a + k * S * S + at), tl.load(b + k * S * S + at))
    tl.store(c + at, acc)


@triton.jit
def no_dot(a, b, c, sig, K, S: tl.constexpr):
    i = tl.arange(0, S)
    at = i[:, None] * S + i[None, :]
    acc = tl.zeros((S, S), dtype=tl.float32)
    for k in tl.range(K, num_stages=3):
        md.uint64_wait_until_equals_block(sig + k, 1)
        acc += tl.load(a + k * S * S + at).to(tl.float32)
    tl.store(c + at, acc)


@triton.jit
def one_loop_of_two(a, b, c, sig, K, S: tl.constexpr):
    i = tl.arange(0, S)
    at = i[:, None] * S + i[None, :]
    acc = tl.zeros((S, S), dtype=tl.float32)
    for k in tl.range(K, flatten=True):
        md.uint64_wait_until_equals_block(sig + k, 1)
        for h in range(4):
            acc += tl.dot(tl.load(a + (k * 4 + h) * S * S + at), tl.load(b + (k * 4 + h) * S * S + at))
    tl.store(c + at, acc)


@triton.jit
def test(a, b, c, sig, K, S: tl.constexpr):
    i = tl.arange(0, S)
    at = i[:, None] * S + i[None, :]
    acc = tl.zeros((S, S), dtype=tl.float32)
    for k in range(K):
        if md.uint64_test_block(sig + k, md.CMP_EQ, 1) != 0:
            acc += tl.dot(tl.load(a + k * S * S + at), tl.load(b + k * S * S + at))
    tl.store(c + at, acc)


@triton.jit
def barrier(a, b, c, sig, K, S: tl.constexpr):
    i = tl.arange(0, S)
    at = i[:, None] * S + i[None, :]
    acc = tl.zeros((S, S), dtype=tl.float32)
    for k in range(K):
        md.barrier_all_block()
        acc += tl.dot(tl.load(a + k * S * S + at), tl.load(b + k * S * S + at))
    tl.store(c + at, acc)


@triton.jit
def quiet(a, b, c, sig, K, S: tl.constexpr):
    i = tl.arange(0, S)
    at = i[:, None] * S + i[None, :]
    acc = tl.zeros((S, S), dtype=tl.float32)
    for k in range(K):
        md.quiet_block()
        acc += tl.dot(tl.load(a + k * S * S + at), tl.load(b + k * S * S + at))
    tl.store(c + at, acc)


@triton.jit
def fetch(a, b, c, sig, K, S: tl.constexpr):
    i = tl.arange(0, S)
    at = i[:, None] * S + i[None, :]
    acc = tl.zeros((S, S), dtype=tl.float32)
    for k in range(K):
        md.uint64_atomic_fetch_add_block(sig, 1, 0, 0)
        acc += tl.dot(tl.load(a + k * S * S + at), tl.load(b + k * S * S + at))
    tl.store(c + at, acc)


@triton.jit
def descriptor(a, b, c, sig, K, S: tl.constexpr):
    """By the TMA engine of NVIDIA."""
    i = tl.arange(0, S)
    x = tl.make_tensor_descriptor(a, [K * S, S], [S, 1], [S, S])
    y = tl.make_tensor_descriptor(b, [K * S, S], [S, 1], [S, S])
    acc = tl.zeros((S, S), dtype=tl.float32)
    for k in range(K):
        md.uint64_wait_until_equals_block(sig + k, 1)
        acc += tl.dot(x.load([k * S, 0]), y.load([k * S, 0]))
    tl.store(c + i[:, None] * S + i[None, :], acc)


@triton.jit
def between(a, b, c, sig, K, S: tl.constexpr):
    """What lies between two waits is pipelined."""
    i = tl.arange(0, S)
    at = i[:, None] * S + i[None, :]
    acc = tl.zeros((S, S), dtype=tl.float32)
    for k in range(K):
        md.uint64_wait_until_equals_block(sig + k, 1)
        for h in range(8):
            acc += tl.dot(tl.load(a + (k * 8 + h) * S * S + at), tl.load(b + (k * 8 + h) * S * S + at))
    tl.store(c + at, acc)


@triton.jit
def twice(a, b, c, sig, K, S: tl.constexpr):
    """The same load before and after each kind of call that may change what it finds."""
    i = tl.arange(0, S)
    first = tl.load(a + i)
    md.uint64_wait_until_equals_block(sig, 1)
    waited = tl.load(a + i)
    md.getmem_block(a, b, S * 2, 1, 0)
    got = tl.load(a + i)
    md.barrier_all_block()
    met = tl.load(a + i)
    md.quiet_block()
    quiet = tl.load(a + i)
    md.uint64_g_block(sig, 1, 0)
    last = tl.load(a + i)
    tl.store(c + i, first)
    tl.store(c + S + i, waited)
    tl.store(c + 2 * S + i, got)
    tl.store(c + 3 * S + i, met)
    tl.store(c + 4 * S + i, quiet)
    tl.store(c + 5 * S + i, last)


@triton.jit
def split(a, b, c, sig, K, S: tl.constexpr, CALLS: tl.constexpr):
    """Forms for threads and warps beside a loop that Triton splits up among warps."""
    i = tl.arange(0, S)
    x = tl.make_tensor_descriptor(a, [K * S, S], [S, 1], [S, S])
    y = tl.make_tensor_descriptor(b, [K * S, S], [S, 1], [S, S])
    acc = tl.zeros((S, S), dtype=tl.float32)
    if CALLS:
        md.uint64_wait_until_equals(sig, 1)
    for k in tl.range(K, warp_specialize=True):
        acc += tl.dot(x.load([k * S, 0]), y.load([k * S, 0]))
    tl.store(c + i[:, None] * S + i[None, :], acc)
    if CALLS:
        md.putmem_warp(a, c, 64, 1, 0)
        md.quiet_thread()
        md.uint64_p(sig, 2, 1, 0)


# In these every load stands behind a call that acquires.
BEHIND = [wait, wait_thread, same_place, now_and_then, no_dot, one_loop_of_two, test, barrier, quiet, fetch, descriptor]


def matrix(everything):
    """(kernel, target, num_stages)."""
    pairs = [(t, s) for t in TARGETS for s in STAGES]
    for n, kernel in enumerate([*BEHIND, between, twice]):
        if everything or kernel is wait:
            some = pairs
        elif kernel is between:
            some = [(t, 3) for t in TARGETS]
        else:  # two of the pairs with stages to fill
            deep = [(t, s) for t in TARGETS for s in (3, 4, 2)]
            some = [deep[n * 4 % 15], deep[(n * 4 + 8) % 15]]
        if kernel is descriptor:
            some = [(t, s) for t, s in pairs if t in ("sm_90", "sm_100") and (everything or s == 3)]
        yield from ((kernel, t, s) for t, s in some)


def assembly(source, target, options):
    """The stages of a compilation by name, down to the assembly."""
    backend = make_backend(target)
    options = backend.parse_options({"extern_libs": get_extern_libs(target, p2p=True), **options})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    args = [options, backend.get_codegen_implementation(options), backend.get_module_map(), context]
    if "target" in inspect.signature(source.make_ir).parameters:
        args.insert(0, target)
    module = source.make_ir(*args)
    stages, made = {}, {}
    extra = [source.language] if "language" in inspect.signature(backend.add_stages).parameters else []
    backend.add_stages(stages, options, *extra)
    metadata = {"target": target, **options.__dict__}
    for name, stage in stages.items():
        if name in ("cubin", "hsaco"):
            break
        module = stage(module, metadata)
        made[name] = str(module)
    return made


def source(kernel, signature, constants, pointers):
    names = list({**signature, **constants})
    attrs = {(names.index(p),): [["tt.divisibility", 16]] for p in pointers}
    return ASTSource(kernel, {**signature, **dict.fromkeys(constants, "constexpr")}, constants, attrs)


def write(folder, name, made):
    for stage, suffix in (("ptx", ""), ("amdgcn", ""), ("ttgir", ".ttgir")):
        if stage in made:
            with open(os.path.join(folder, name + suffix), "w") as file:
                file.write(made[stage])


SIGNATURE = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "sig": "*i64", "K": "i32"}


def compile_split(folder):
    """With the calls, and without; Triton splits loops up for sm_100. For sm_90 its own pass fails
    over most calls."""
    for calls in (0, 1):
        src = source(split, SIGNATURE, {"S": 128, "CALLS": calls}, POINTERS)
        write(folder, f"split.sm_100.{calls}", assembly(src, TARGETS["sm_100"], {"num_stages": 2}))


def compile_order(folder, everything, only=()):
    for kernel, target, stages in matrix(everything):
        if only and f"{kernel.__name__}.{target}.{stages}" not in only:
            continue
        src = source(kernel, SIGNATURE, {"S": 64}, POINTERS)
        made = assembly(src, TARGETS[target], {"num_stages": stages})
        write(folder, f"{kernel.__name__}.{target}.{stages}", made)


def compile_forms(folder, everything):
    """Every form for every target; several to a kernel."""
    forms = list(triton_forms.forms().values())
    names = [name for form in forms for name in (form if everything else form[-1:])]
    groups = [names[i::5] for i in range(5)] if not everything else forms
    for i, kernel in enumerate(triton_forms.load(folder, [[], *groups])):
        for target in TARGETS:
            src = source(kernel, triton_forms.SIGNATURE, triton_forms.CONSTANTS, triton_forms.DIVISIBLE)
            write(folder, f"forms.{i}.{target}", assembly(src, TARGETS[target], {}))


if __name__ == "__main__":
    print(triton.__version__, flush=True)
    everything, only = sys.argv[2:] == ["all"], sys.argv[2:]
    compile_order(sys.argv[1], everything, () if everything else only)
    if everything or not only:
        compile_split(sys.argv[1])
        compile_forms(sys.argv[1], everything)
