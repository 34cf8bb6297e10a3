# SPDX-License-Identifier: MIT
"""Launches Triton's kernels on PEs of the interpreter: import this first, and ``kernel[grid](...)`` compiles for the
GPU that AMD_TARGET names and runs the code object by mori.kernel. Code objects go to the folder that AMD_FOLDER names,
where a scan finds them; Triton's cache is there too, and one PE compiles for all.
"""

import fcntl
import os
import warnings

os.environ["TRITON_INTERPRET"] = "0"
FOLDER = os.path.abspath(os.environ["AMD_FOLDER"])
os.environ["TRITON_CACHE_DIR"] = os.path.join(FOLDER, "cache")
os.makedirs(FOLDER, exist_ok=True)

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import mori.kernel
from mori.ir.triton import get_extern_libs

warnings.filterwarnings("ignore", "Triton finds no GPU")
TARGET = os.environ["AMD_TARGET"]
LANES = 64
TYPES = {
    torch.int32: "i32",
    torch.int64: "i64",
    torch.uint8: "u8",
    torch.float16: "fp16",
    torch.bfloat16: "bf16",
    torch.float32: "fp32",
    torch.float8_e4m3fn: "fp8e4nv",
    torch.float8_e5m2: "fp8e5",
    torch.float8_e4m3fnuz: "fp8e4b8",
    torch.float8_e5m2fnuz: "fp8e5b16",
}
OPTIONS = ("num_warps", "num_stages", "extern_libs", "waves_per_eu", "matrix_instr_nonkdim", "kpack")
loaded = {}


def libs():
    return get_extern_libs(TARGET)


def type_of(arg):
    if isinstance(arg, torch.Tensor):
        return "*" + TYPES[arg.dtype]
    return "fp32" if isinstance(arg, float) else "i32" if -(2**31) <= arg < 2**31 else "i64"


def compile_kernel(function, signature, constants, aligned, options):
    """Triton's kernel; one PE makes it, the others find it in the cache."""
    names = list(signature)
    attrs = {(names.index(name),): [["tt.divisibility", 16]] for name in aligned}
    source = ASTSource(function, signature, constants, attrs)
    with open(os.path.join(FOLDER, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = triton.compile(source, target=GPUTarget("hip", TARGET, LANES), options=options)
    with open(os.path.join(FOLDER, f"{function.__name__}.{made.hash[:12]}.hsaco"), "wb") as file:
        file.write(made.asm["hsaco"])
    return made


def bind(function, args, options):
    """The kernel of a call, compiled once, and its arguments at run time."""
    given = dict(zip(function.arg_names, args)) | {k: v for k, v in options.items() if k in function.arg_names}
    constants = {p.name: given[p.name] for p in function.params if p.is_constexpr}
    values = {name: given[name] for name in function.arg_names if name not in constants}
    signature = {name: "constexpr" if name in constants else type_of(given[name]) for name in function.arg_names}
    aligned = tuple(n for n, v in values.items() if isinstance(v, torch.Tensor) and v.data_ptr() % 16 == 0)
    options = {k: v for k, v in options.items() if k in OPTIONS}
    key = (function, tuple(signature.items()), tuple(constants.items()), aligned, str(options))
    if key not in loaded:
        made = compile_kernel(function, signature, constants, aligned, options)
        loaded[key] = mori.kernel.load(made.asm["hsaco"]), made.metadata
    return *loaded[key], list(values.values())


def run(self, *args, grid, warmup, **options):
    module, metadata, values = bind(self, args, options)
    if warmup:
        return
    kernel = module[metadata.name]
    # Behind the kernel's own parameters Triton has pointers to scratch memory, which these do not use.
    values += [None] * (len(kernel.params) - len(values))
    kernel.launch(grid, metadata.num_warps * LANES, *values, shared=metadata.shared)


triton.runtime.JITFunction.run = run
