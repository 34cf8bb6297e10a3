#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=900 quick=0
# The programs of PEs, unchanged, on nodes joined by TCP: a sample of them on two nodes of two
# PEs (P2P within a node, the network between), the main ones on four nodes, on two of one
# PE, and as threads. TEST_ALL=1: all of them.
set -u
. "$SRC/tests/net/nodes.bash"
suite=$SRC/tests/net/suite
main="pe_put pe_get pe_atomic pe_put_signal pe_signal pe_barrier pe_heap pe_register"

if [ -n "${SANITIZE:-}" ]; then
	on -n 2 -- "$suite" 4 1 pe_put pe_put_signal pe_barrier
	verdict
	exit
fi
SHARE=3 on -n 2 -- "$suite" 4 1 'pe_*'
# shellcheck disable=SC2086 # a list
on -n 4 -- "$suite" 4 1 $main
on -n 2 -- "$suite" 2 1 pe_put pe_get pe_put_signal pe_litmus
on -n 4 -- "$suite" 8 1 pe_put pe_barrier pe_signal
on -n 2 -- "$suite" 4 2 pe_put pe_get pe_atomic pe_barrier pe_wait
verdict
