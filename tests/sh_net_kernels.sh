#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=400 quick=0
# The example kernels in C, LLVM IR and MLIR over queues alone, as processes and as threads,
# in two formats: sh_kernels.sh, whose data each PE checks.
set -u
export MORI_DISABLE_P2P=1 KERNEL_TARGETS=
kernels=(bash "$SRC/tests/sh_kernels.sh")

KERNEL_PES=2 KERNEL_MODES=procs "${kernels[@]}" || exit
KERNEL_PES=4 KERNEL_MODES=threads "${kernels[@]}" || exit
LD_LIBRARY_PATH=$BUILD/tests/formats${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
	MORI_NIC_FORMAT=mlx5 KERNEL_PES=2 KERNEL_MODES=procs "${kernels[@]}"
