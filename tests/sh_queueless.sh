#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=120
# The device library without queues, made for the CPU, and a peer that load and store do
# not reach.
set -u
. "$SRC/tests/sh_lib.bash"
. "$SRC/tests/codegen/tools.inc"

need_bitcode
mkdir -p "$tmp/tree/src" "$tmp/tree/tools" "$tmp/kernels"
cp -r "$SRC/include" "$tmp/tree/"
cp -r "$SRC/src/dev" "$SRC/src/abi" "$SRC/src/nic" "$tmp/tree/src/"
cp "$SRC/tools/build_shmem_bitcode.sh" "$tmp/tree/tools/"
sed -i 's/^#ifdef MORI_NEAR$/#if 1/' "$tmp/tree/src/dev/dev.h"
target=$(uname -m)
"$tmp/tree/tools/build_shmem_bitcode.sh" "$tmp/bc" "$target" >"$tmp/out" 2>&1
check "a library without queues" [ $? = 0 ]
cp "$BUILD/tests/queueless" "$tmp/queueless"
MORI_SHMEM_BC=$tmp/bc/$target/libmori_shmem_device.bc "$MORI" cc "$SRC/tests/kernels/soak.c" --target cpu \
	-o "$tmp/kernels/soak.so"
check "the kernel compiles" [ $? = 0 ]
job -n 2 -x LD_LIBRARY_PATH="$BUILD/lib" -x MORI_DISABLE_P2P=1 "$tmp/queueless"
check "a kernel without queues" [ "$code" = 0 ]
finish
