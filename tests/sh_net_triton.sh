#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=600 serial=1 quick=0
# Triton's kernels under its interpreter, each PE a process, on two nodes.
set -u
. "$SRC/tests/net/nodes.bash"

[ -z "${SANITIZE:-}" ] || {
	echo "skipped: the Python package is not built with a sanitizer"
	exit 77
}
on -n 2 -- bash "$SRC/tests/python/run.sh" "$SRC/tests/python/test_triton.py" \
	-k "(test_examples and 4-2 or test_operations and 2 or test_lost) and not triton-3.6"
verdict
