#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=900 quick=0
# The same for the programs with kernels: every function, scope and type from kernels to
# PEs on other nodes, through the queues; a sample of them on two nodes of two PEs.
set -u
. "$SRC/tests/net/nodes.bash"
suite=$SRC/tests/net/suite

if [ -n "${SANITIZE:-}" ]; then
	on -n 2 -- "$suite" 2 1 kern_paths
	verdict
	exit
fi
SHARE=3 on -n 2 -- "$suite" 4 1 'kern_*'
on -n 4 -- "$suite" 4 1 kern_put kern_get kern_atomic kern_barrier
on -n 2 -- "$suite" 4 2 kern_put_signal kern_signal
verdict
