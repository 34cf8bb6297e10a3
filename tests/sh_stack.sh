#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=120
# Kernels of mori cc that overflow their stack are reported, also by a frame that reaches
# behind the end of it without touching the end; whether optimised or not.
set -u
. "$SRC/tests/sh_lib.bash"
. "$SRC/tests/codegen/tools.inc"

need_bitcode
[ "$(uname -m)" = x86_64 ] || skip "only on x86_64 frames look at the stack before they take it"
[ -z "$SANITIZE" ] || skip "the sanitizer has stacks of its own"

mkdir -p "$tmp/kernels"
cp "$BUILD/tests/kern_fault" "$tmp/"
export LD_LIBRARY_PATH=$BUILD/lib
for level in 0 2; do
	"$MORI" cc "$SRC/tests/kernels/fault.c" "-O$level" -o "$tmp/kernels/fault.so" 2>"$tmp/err"
	check "-O$level" [ $? = 0 ]
	job_code "processes, -O$level" 0 -n 2 "$tmp/kern_fault" leaps
	job_code "threads, -O$level" 0 -n 2 --threads 2 "$tmp/kern_fault" leaps
done
finish
