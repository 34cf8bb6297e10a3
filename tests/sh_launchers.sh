#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=240 serial=1
# mori_shmem_init() under other launchers: PMIx of Open MPI's mpirun, PMI of MPICH's, torchrun's
# variables, and launchers that give processes no way to find each other.
set -u

hello=$BUILD/bin/mori-hello
out=$(mktemp)
trap 'rm -f "$out"' EXIT
bad=0

# A launcher's own memory is not ours to check.
export LSAN_OPTIONS=detect_leaks=0 ASAN_OPTIONS=detect_leaks=0
export MORI_BOOTSTRAP_TIMEOUT=60

fail() {
	echo "$*"
	sed 's/^/    | /' "$out"
	bad=$((bad + 1))
}

# The output is that of a job of $2 PEs.
right() {
	local pe
	for ((pe = 0; pe < $2; pe++)); do
		grep -qx "PE $pe of $2: my neighbour gave me $((100 + (pe + $2 - 1) % $2))" "$out" ||
			fail "$1, $2 processes: PE $pe is wrong"
	done
}

if command -v mpirun.openmpi >/dev/null; then
	for n in 2 4; do
		timeout 100 mpirun.openmpi --oversubscribe --allow-run-as-root -n $n "$hello" \
			>"$out" 2>&1 || fail "Open MPI, $n processes: not 0"
		right "Open MPI" $n
	done
else
	echo "without mpirun.openmpi"
fi

# torchrun's variables, first as it starts ranks together, then rank 0 last.
torchrun() {
	local n=$1 order=$2 port=$((20000 + RANDOM % 20000)) rank pids=
	: >"$out"
	for rank in $order; do
		RANK=$rank WORLD_SIZE=$n LOCAL_RANK=$rank LOCAL_WORLD_SIZE=$n MASTER_ADDR=127.0.0.1 \
			MASTER_PORT=$port timeout 100 "$hello" >>"$out" 2>&1 &
		pids="$pids $!"
		[ "$3" = 0 ] || sleep "$3"
	done
	for pid in $pids; do
		wait "$pid" || fail "torchrun, $n processes: not 0"
	done
	right torchrun "$n"
}
torchrun 2 "0 1" 0
torchrun 2 "1 0" 0.5
torchrun 4 "0 1 2 3" 0
torchrun 4 "3 2 1 0" 0.1

# Without PMIx and torchrun's variables a job of several processes must not become several jobs.
refused() {
	"${@:2}" >"$out" 2>&1 && fail "$1: init worked without a way to meet"
	grep -q "PE 0 of 1" "$out" && fail "$1: a job of one PE each"
	grep -qi "shmem_mpi.h" "$out" || fail "$1: the error does not say what to do"
}
if command -v mpirun.mpich >/dev/null; then
	for n in 2 4; do
		timeout 100 mpirun.mpich -n $n "$hello" >"$out" 2>&1 || fail "MPICH, $n processes: not 0"
		right "MPICH, PMI-1," $n
		timeout 100 mpirun.mpich -n $n env PMI_JOBID=job "$hello" >"$out" 2>&1 ||
			fail "MPICH, PMI-2, $n processes: not 0"
		right "MPICH, PMI-2," $n
	done
	# Their PMI is the MPI library's.
	mpi=$(ldd "$BUILD/bin/mori-mpi-mpich" 2>/dev/null | sed -n 's/.*=> *\(.*libmpich[^ ]*\).*/\1/p')
	if [ -n "$mpi" ] && [ -z "${SANITIZE:-}" ]; then
		refused "a loaded MPI" timeout 100 mpirun.mpich -n 2 env LD_PRELOAD="$mpi" "$hello"
		grep -q "PMI_FD belongs to this process's libmpich" "$out" || fail "a loaded MPI: no word of it"
	fi
else
	echo "without mpirun.mpich"
fi
refused PMI_SIZE env PMI_SIZE=2 PMI_RANK=0 "$hello"
refused SLURM_STEP_NUM_TASKS env SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 "$hello"
refused OMPI_COMM_WORLD_SIZE env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$hello"

[ "$bad" = 0 ] && echo "the launchers are right"
[ "$bad" = 0 ]
