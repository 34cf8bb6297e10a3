#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=600 serial=1 quick=0
# The examples on two nodes: the programs, and the kernels in C, LLVM IR and MLIR.
set -u
. "$SRC/tests/net/nodes.bash"

on -n 2 -- bash "$SRC/tests/sh_examples.sh"
export KERNEL_PES=4 KERNEL_MODES=procs KERNEL_TARGETS=
if [ -d "$BUILD/lib/mori" ]; then
	on -n 2 -- bash "$SRC/tests/sh_kernels.sh"
else
	echo "this build has no device library: no kernels were tried"
fi
verdict
