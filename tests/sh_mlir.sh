#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=120 quick=0
# The kernels that examples/mlir/build.py makes with MLIR's Python bindings: with each
# mark of a kernel they run on the CPU and compile for the GPUs, and the text beside the
# script is what it prints.
set -u
. "$SRC/tests/sh_lib.bash"
. "$SRC/tests/codegen/tools.inc"

need_bitcode
llvm_tool mlir-translate >/dev/null || skip "mlir-19-tools is not installed"
python=$SRC/.cache/venv/bin/python # of tools/venv.sh
[ -z "${MORI_MLIR_PYTHON:-}" ] || python=$MORI_MLIR_PYTHON
"$python" -c 'import jaxlib.mlir.dialects.llvm' 2>/dev/null || skip "jaxlib, which has MLIR's Python bindings, is not installed"

for name in hello put_ring; do
	for mark in any nvvm rocdl; do
		"$python" "$SRC/examples/mlir/build.py" $name --target $mark >"$tmp/$name.mlir" 2>"$tmp/err"
		check "$name with $mark is built" [ $? = 0 ]
		for target in cpu sm_90 gfx942; do
			"$MORI" cc "$tmp/$name.mlir" --target $target -o "$tmp/$name.$target" 2>"$tmp/err"
			check "$name with $mark for $target" [ $? = 0 ]
		done
		job_code "$name with $mark" 0 -n 2 "$BUILD/bin/mori-kernels" $name "$tmp/$name.cpu"
		check "$name with $mark: both PEs" [ "$(wc -l <"$tmp/out")" = 2 ]
	done
	"$python" "$SRC/examples/mlir/build.py" $name >"$tmp/$name.mlir"
	grep -v '^//' "$SRC/examples/mlir/$name.mlir" >"$tmp/kept"
	check "$name.mlir is what the script prints" diff -B "$tmp/kept" "$tmp/$name.mlir"
done
finish
