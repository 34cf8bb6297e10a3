#!/bin/bash
# SPDX-License-Identifier: MIT
# The sample that a plain run takes (cmake/sample.cmake) contains every pair of program, mode and
# path that occurs in any test, and leaves something out.
. "$(dirname "$0")/common.inc"

# pairs ARGUMENT...: the pairs of the tests that `ctest -N ARGUMENT...` lists.
pairs() {
	ctest --test-dir "$BUILD" -N "$@" | sed -nE 's/^ *Test *#[0-9]+: //p' | awk -F. '
	NF == 3 && $1 ~ /^(pe|kern)_/ {
		mode = $2; path = "p2p"
		if ($2 ~ /^net/) {
			mode = $3 == "nodes" ? "procs" : $3
			path = $3 == "nodes" ? "nodes" : $2
		}
		print $1 "/" mode "\n" $1 "/" path "\n" mode "/" path
	}' | sort -u
}

looked=$(pairs | wc -l)
while IFS= read -r pair; do
	bad "$pair is not in the sample"
done < <(comm -23 <(pairs) <(pairs -LE rest))
[ "$(ctest --test-dir "$BUILD" -N -L rest | grep -c ' Test ')" -gt 0 ] || bad "the sample is everything"
finish
