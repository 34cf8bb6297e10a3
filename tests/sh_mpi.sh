#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=240 serial=1
# examples/mpi with each MPI that is installed, by its own mpirun.
set -u

out=$(mktemp)
trap 'rm -f "$out"' EXIT
bad=0 ran=0

fail() {
	echo "$*"
	sed 's/^/    | /' "$out"
	bad=$((bad + 1))
}

# An MPI's own memory is not ours to check; UCX under MPICH patches what a sanitizer patches too.
export UCX_MEM_EVENTS=n
export LSAN_OPTIONS=detect_leaks=0 ASAN_OPTIONS=detect_leaks=0

for which in openmpi mpich; do
	program=$BUILD/bin/mori-mpi-$which
	mpirun=$(command -v mpirun.$which) || continue
	[ -x "$program" ] || continue
	case $which in
	openmpi) args="--oversubscribe --allow-run-as-root" ;;
	*) args= ;;
	esac
	ran=$((ran + 1))
	for n in 2 4; do
		# shellcheck disable=SC2086 # arguments
		timeout 100 "$mpirun" $args -n $n "$program" >"$out" 2>&1 || fail "$which, $n processes: not 0"
		grep -qx "world: $n PEs, every table is what MPI says" "$out" ||
			fail "$which, $n processes: the world is wrong"
		[ "$(grep -c "half: $((n / 2)) PEs, every table is what MPI says" "$out")" = 2 ] ||
			fail "$which, $n processes: the halves are wrong"
	done
done

if [ $ran = 0 ]; then
	echo "skipped: neither mpirun.openmpi nor mpirun.mpich with its compiler is installed"
	exit 77
fi
[ "$bad" = 0 ] && echo "$ran MPI libraries are right"
[ "$bad" = 0 ]
