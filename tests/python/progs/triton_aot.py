# SPDX-License-Identifier: MIT
"""Compiles the kernels of examples/triton for GPUs that are not here: triton_aot.py FOLDER. Leaves there
<kernel>.<target> with the assembly, <kernel>.<target>.ll with the final IR, and every function of the table as Triton's
own IR in all.ttir."""

import importlib.util
import inspect
import os
import sys

os.environ.update(TRITON_INTERPRET="0", TRITON_ALWAYS_COMPILE="1", TRITON_DEFAULT_FP_FUSION="1")
os.environ["TRITON_CACHE_DIR"] = os.path.join(sys.argv[1], "cache")
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../../examples/triton"))

import allreduce
import get
import hello
import put_ring
import put_signal
import triton
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend

from mori.ir import MORI_DEVICE_FUNCTIONS
from mori.ir.triton import get_extern_libs

TARGETS = {
    "sm_90": GPUTarget("cuda", 90, 32),
    "sm_100": GPUTarget("cuda", 100, 32),
    "gfx942": GPUTarget("hip", "gfx942", 64),
    "gfx950": GPUTarget("hip", "gfx950", 64),
}

KERNELS = [
    (hello.hello, "hello", {"out": "*i32"}, {}),
    (put_ring.put_ring, "put_ring", {"dest": "*i32", "src": "*i32", "nbytes": "i32"}, {}),
    (get.get, "get", {"dest": "*i32", "src": "*i32", "n": "i32"}, {"NBI": False}),
    (get.get, "get_nbi", {"dest": "*i32", "src": "*i32", "n": "i32"}, {"NBI": True}),
    (
        put_signal.put_signal,
        "put_signal",
        {"box": "*i32", "next_box": "*i32", "signal": "*i64", "n": "i32"},
        {"BLOCK": 1024},
    ),
    (
        allreduce.allreduce_read,
        "allreduce_read",
        {"out": "*bf16", "data": "*bf16", "n": "i32", "ready": "*i64", "round": "i32"},
        {"BLOCK": 4096},
    ),
    (
        allreduce.allreduce_put,
        "allreduce_put",
        {"out": "*bf16", "data": "*bf16", "n": "i32", "inbox": "*bf16", "came": "*i64"} | dict(chunks="i32", round="i32"),
        {"BLOCK": 4096},
    ),
]


def source(kernel, signature, constants):
    return ASTSource(kernel, {**signature, **dict.fromkeys(constants, "constexpr")}, constants)


def write(folder, name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


def compile_all(folder):
    for kernel, name, signature, constants in KERNELS:
        for target_name, target in TARGETS.items():
            src = source(kernel, signature, constants)
            made = triton.compile(src, target=target, options={"extern_libs": get_extern_libs(target, p2p=True)})
            stages = made.asm
            write(folder, f"{name}.{target_name}", stages["ptx" if target.backend == "cuda" else "amdgcn"])
            write(folder, f"{name}.{target_name}.ll", stages["llir"])
            assert len(stages["cubin" if target.backend == "cuda" else "hsaco"]) > 500


ARGUMENT = {"float32": "f", "float64": "f", "memobj": "(a, b, b)"}


def call_text(name, meta):
    args = [ARGUMENT.get(kind, "a" if kind == "uint64" else "n") for kind in meta["args"]]
    return f"    d.{name}({', '.join(args)})\n"


def ttir(kernel, target, options=None):
    backend = make_backend(target)
    options = backend.parse_options({"extern_libs": get_extern_libs(target), **(options or {})})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    src = source(kernel, {"a": "*i8", "b": "i64", "n": "i32", "f": "fp32"}, {})
    args = [options, backend.get_codegen_implementation(options), backend.get_module_map(), context]
    if "target" in inspect.signature(src.make_ir).parameters:
        args.insert(0, target)
    module = src.make_ir(*args)
    return str(module)


def call_everything(folder):
    """Every function once, with a pointer where it takes an address; some 100 to a kernel."""
    names = list(MORI_DEVICE_FUNCTIONS)
    parts = [names[i : i + 100] for i in range(0, len(names), 100)]
    text = "import triton\nimport triton.language as tl\nimport mori.ir.triton as d\n\n\n"
    for i, part in enumerate(parts):
        calls = "".join(call_text(name, MORI_DEVICE_FUNCTIONS[name]) for name in part)
        text += f"@triton.jit\ndef part_{i}(a, b, n, f):\n{calls}\n\n"
    write(folder, "everything.py", text)
    spec = importlib.util.spec_from_file_location("everything", os.path.join(folder, "everything.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = [ttir(getattr(module, f"part_{i}"), TARGETS["sm_90"]) for i in range(len(parts))]
    write(folder, "all.ttir", "\n".join(made))


def refusals():
    """What cannot be right is refused with a sentence, while compiling."""
    import everything_wrong

    for kernel, options in everything_wrong.RIGHT:
        ttir(kernel, TARGETS["sm_90"], options)
    for kernel, words, options in everything_wrong.KERNELS:
        try:
            ttir(kernel, TARGETS["sm_90"], options)
        except Exception as error:
            text = ""
            while error is not None:
                text, error = f"{text}\n{error}", error.__cause__
            assert all(word in text for word in words), f"{kernel.__name__}: {text}"
        else:
            raise AssertionError(f"{kernel.__name__} compiled")


print(triton.__version__, flush=True)
call_everything(sys.argv[1])
refusals()
compile_all(sys.argv[1])
