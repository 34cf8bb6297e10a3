#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=240
# Every example runs with 2, 4 and 8 PEs and prints what it should. The tour has a
# test of its own, and so has the one for MPI.
set -u

bin=$BUILD/bin
out=$(mktemp)
trap 'rm -f "$out"' EXIT
bad=0

fail() {
	echo "$*"
	sed 's/^/    | /' "$out"
	bad=$((bad + 1))
}

for n in 2 4 8; do
	"$MORI" run -n $n "$bin/mori-hello" >"$out" 2>&1 || fail "hello, $n PEs: not 0"
	for ((pe = 0; pe < n; pe++)); do
		grep -qx "PE $pe of $n: my neighbour gave me $((100 + (pe + n - 1) % n))" "$out" ||
			fail "hello, $n PEs: PE $pe is wrong"
	done

	for args in "" "100000 7 3" "3 5 2"; do
		# shellcheck disable=SC2086 # arguments
		"$MORI" run -n $n "$bin/mori-ring" $args >"$out" 2>&1 || fail "ring $args, $n PEs: not 0"
		[ "$(grep -c ', 0 wrong$' "$out")" = $n ] || fail "ring $args, $n PEs: wrong"
	done

	"$bin/mori-threads" $n >"$out" 2>&1 || fail "threads $n: not 0"
	grep -qx "$n PEs in one process: every sum is right" "$out" || fail "threads $n: wrong"
done

# Alone, each is a job of one PE.
for one in mori-hello mori-ring "mori-threads 1"; do
	# shellcheck disable=SC2086 # arguments
	"$bin"/$one >"$out" 2>&1 || fail "$one alone: not 0"
done

[ "$bad" = 0 ] && echo "the examples are right"
[ "$bad" = 0 ]
