#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=400 quick=0
# The example kernels, in C, LLVM IR and MLIR: each runs on the CPU with 2, 4 and 8 PEs,
# as processes and as threads, checks its own data on every PE and says so; and each
# compiles for the GPUs.
set -u
. "$SRC/tests/sh_lib.bash"
. "$SRC/tests/codegen/tools.inc"

need_bitcode
examples=$SRC/examples

# A sanitizer has room for some hundred fibers a process.
counts=${KERNEL_PES:-2 4 8} modes=${KERNEL_MODES:-procs threads} targets=${KERNEL_TARGETS-sm_90 gfx942 gfx950} size=64
[ -z "$SANITIZE" ] || counts="2 4" modes="procs" size=4

# run NAME IMAGE PES MODE
run() {
	local threads=()
	[ "$4" = procs ] || threads=(--threads "$3")
	job_code "$1 with $3 PEs as $4" 0 -n "$3" "${threads[@]}" "$BUILD/bin/mori-kernels" "$1" "$2" "$size"
	for ((pe = 0; pe < $3; pe++)); do
		if [ "$1" = hello ]; then
			check "$1: PE $pe" grep -qx "PE $pe of $3: my kernel says PE $pe of $3" "$tmp/out"
		else
			check "$1: PE $pe" grep -qE "^PE $pe: .*, 0 wrong$" "$tmp/out"
		fi
	done
}

# example NAME SOURCE: everywhere.
example() {
	"$MORI" cc "$2" -Wall -Wextra -Werror -o "$tmp/$1.so" 2>"$tmp/err"
	check "$2 for the CPU" [ $? = 0 ]
	for n in $counts; do
		for mode in $modes; do
			run "$1" "$tmp/$1.so" "$n" "$mode"
		done
	done
	[ -z "$SANITIZE" ] || return
	for target in $targets; do
		case $target in gfx950) has_llvm 20 || continue ;; esac
		"$MORI" cc "$2" -Wall -Wextra -Werror --target "$target" -o "$tmp/$1.$target" 2>"$tmp/err"
		check "$2 for $target" [ $? = 0 ]
	done
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

# A kernel that does not do its work is found out: this one forgets the last word.
sed 's/dest, src, n, right/dest, src, n - 1, right/' "$examples/kernels/put_ring.c" >"$tmp/broken.c"
"$MORI" cc "$tmp/broken.c" -o "$tmp/broken.so"
job -n 2 "$BUILD/bin/mori-kernels" put_ring "$tmp/broken.so"
check "a broken kernel is found out" [ "$code" != 0 ]
check "a broken kernel: one word" grep -q ', 1 wrong$' "$tmp/out"
finish
