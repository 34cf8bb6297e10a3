#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=400 quick=0
# The example kernels in C, LLVM IR and MLIR over queues alone, as processes and as threads,
# in two formats. Each checks its own data on every PE.
set -u
. "$SRC/tests/sh_lib.bash"
. "$SRC/tests/codegen/tools.inc"

need_bitcode
examples=$SRC/examples
size=64
[ -z "$SANITIZE" ] || size=4

# run NAME IMAGE PES HOW...
run() {
	local name=$1 image=$2 n=$3
	shift 3
	job_code "$name, $n PEs, $*" 0 -n "$n" "$@" "$BUILD/bin/mori-kernels" "$name" "$image" "$size"
	for ((pe = 0; pe < n; pe++)); do
		if [ "$name" = hello ]; then
			check "$name: PE $pe" grep -qx "PE $pe of $n: my kernel says PE $pe of $n" "$tmp/out"
		else
			check "$name: PE $pe" grep -qE "^PE $pe: .*, 0 wrong$" "$tmp/out"
		fi
	done
}

# example NAME SOURCE
example() {
	"$MORI" cc "$2" -Wall -Wextra -Werror -o "$tmp/$1.so" 2>"$tmp/err"
	check "$2 compiles" [ $? = 0 ]
	run "$1" "$tmp/$1.so" 2 -x MORI_DISABLE_P2P=1
	run "$1" "$tmp/$1.so" 4 --threads 4 -x MORI_DISABLE_P2P=1
	run "$1" "$tmp/$1.so" 2 -x MORI_DISABLE_P2P=1 -x MORI_NIC_FORMAT=mlx5
}

for source in "$examples"/kernels/*.c; do
	example "$(basename "$source" .c)" "$source"
done
for name in hello put_ring get; do
	"$examples/llvm/generate.sh" "$name" >"$tmp/$name.ll"
	example "$name" "$tmp/$name.ll"
done
if llvm_tool mlir-translate >/dev/null; then
	for name in hello put_ring; do
		example "$name" "$examples/mlir/$name.mlir"
	done
else
	echo "mlir-19-tools is not installed: .mlir was not tried"
fi
finish
