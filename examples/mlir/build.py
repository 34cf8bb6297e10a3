# SPDX-License-Identifier: MIT
"""Builds kernels as an MLIR module with Python bindings and prints it.

    python3 build.py hello | put_ring [--target any|nvvm|rocdl]

The module is in the LLVM dialect; functions of the device library are declared in
it and called. A kernel is marked by the attribute that mori cc looks for, by
nvvm.kernel or by rocdl.kernel: mori cc takes each of them for every target. The
bindings come with jaxlib, or with an LLVM that was built with them.
"""

import argparse
import sys

try:
    from jaxlib.mlir import ir
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext
    from jaxlib.mlir.dialects import llvm

    def register(registry):
        _jax_mlir_ext.register_dialects(registry)

except ImportError:
    from mlir import ir
    from mlir.dialects import llvm

    def register(registry):
        """Such bindings know every dialect by themselves."""


def pointer():
    return ir.Type.parse("!llvm.ptr")


def i32():
    return ir.IntegerType.get_signless(32)


def i64():
    return ir.IntegerType.get_signless(64)


def function_type(result, params):
    result = str(result) if result else "void"
    return ir.TypeAttr.parse(f"!llvm.func<{result} ({', '.join(map(str, params))})>")


class Kernel:
    """One kernel of a module, and the functions it calls."""

    def __init__(self, module, name, params, mark):
        self.module = module
        self.declared = set()
        with ir.InsertionPoint(module.body):
            func = llvm.LLVMFuncOp(name, function_type(None, params))
        if mark == "any":
            func.operation.attributes["passthrough"] = ir.Attribute.parse('["mori_kernel"]')
        else:
            func.operation.attributes[f"{mark}.kernel"] = ir.UnitAttr.get()
        self.block = func.operation.regions[0].blocks.append(*params)

    def declare(self, name, result, params):
        if name not in self.declared:
            self.declared.add(name)
            with ir.InsertionPoint.at_block_begin(self.module.body):
                llvm.LLVMFuncOp(name, function_type(result, params))

    def call(self, name, *args):
        """Call a function of the device library that returns an int."""
        self.declare(name, i32(), [a.type for a in args])
        attributes = {
            "callee": ir.FlatSymbolRefAttr.get(name),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(args), 0]),
            "op_bundle_sizes": ir.DenseI32ArrayAttr.get([]),
        }
        op = ir.Operation.create(
            "llvm.call", results=[i32()], operands=list(args), attributes=attributes
        )
        return op.results[0]

    @staticmethod
    def constant(value):
        return llvm.ConstantOp(i32(), ir.IntegerAttr.get(i32(), value)).result


def hello(module, mark):
    k = Kernel(module, "hello", [pointer()], mark)
    with ir.InsertionPoint(k.block):
        out = k.block.arguments[0]
        llvm.StoreOp(k.call("mori_shmem_my_pe"), out)
        second = llvm.GEPOp(
            pointer(), out, [], ir.DenseI32ArrayAttr.get([1]), ir.TypeAttr.get(i32()), 0
        )
        llvm.StoreOp(k.call("mori_shmem_n_pes"), second.result)
        llvm.ReturnOp()


def put_ring(module, mark):
    k = Kernel(module, "put_ring", [pointer(), pointer(), i64()], mark)
    with ir.InsertionPoint(k.block):
        dest, src, n = k.block.arguments
        me, n_pes = k.call("mori_shmem_my_pe"), k.call("mori_shmem_n_pes")
        flags = ir.Attribute.parse("#llvm.overflow<none>")
        after = llvm.AddOp(me, k.constant(1), overflowFlags=flags)
        right = llvm.SRemOp(after.result, n_pes)
        k.call("mori_shmem_put_int32_block", dest, src, n, right.result, k.constant(0))
        k.call("mori_shmem_barrier_all_block")
        llvm.ReturnOp()


def main():
    parser = argparse.ArgumentParser(description="build a kernel as an MLIR module")
    parser.add_argument("kernel", choices=["hello", "put_ring"])
    parser.add_argument("--target", choices=["any", "nvvm", "rocdl"], default="any")
    args = parser.parse_args()
    registry = ir.DialectRegistry()
    register(registry)
    with ir.Context() as context, ir.Location.unknown():
        context.append_dialect_registry(registry)
        context.load_all_available_dialects()
        context.allow_unregistered_dialects = True
        module = ir.Module.create()
        {"hello": hello, "put_ring": put_ring}[args.kernel](module, args.target)
        if not module.operation.verify():
            sys.exit("the module is not valid")
        print(module)


if __name__ == "__main__":
    main()
