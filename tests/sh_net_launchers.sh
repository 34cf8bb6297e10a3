#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=300 serial=1 quick=0
# Jobs over two nodes by other launchers: Open MPI's mpirun (PMIx; nodes.c takes the place
# of ssh), torchrun itself with an agent on each node, and torchrun's variables alone.
set -u
. "$SRC/tests/net/nodes.bash"
# A launcher's own memory is not ours to check.
export LSAN_OPTIONS=detect_leaks=0 ASAN_OPTIONS=detect_leaks=0
export MORI_BOOTSTRAP_TIMEOUT=60

if [ -z "${NODES:-}" ]; then
	on -n 2 -- bash "$0"
	verdict
	exit
fi

hello=$BUILD/bin/mori-hello
out=$(mktemp)
trap 'rm -f "$out"' EXIT
checks=0

# The output is that of a job of 4 PEs.
right() {
	local pe
	checks=$((checks + 1))
	for pe in 0 1 2 3; do
		grep -qx "PE $pe of 4: my neighbour gave me $((100 + (pe + 3) % 4))" "$out" && continue
		echo "$1: PE $pe is wrong"
		sed 's/^/    | /' "$out"
		bad=$((bad + 1))
	done
}

# PEs find the others by their own network.
unset MORI_SOCKET_IFNAME
if command -v mpirun.openmpi >/dev/null; then
	timeout 100 mpirun.openmpi --allow-run-as-root --oversubscribe --host node0:2,node1:2 \
		--mca plm_rsh_agent "$NODES_PROGRAM --ssh" -n 4 "$hello" >"$out" 2>&1 </dev/null
	right mpirun
else
	echo "without mpirun.openmpi"
fi

# agents COMMAND...: on each node, with its rank in NODE_RANK.
agents() {
	local node pids=
	: >"$out"
	for node in 0 1; do
		NODE_RANK=$node timeout 100 "$NODES_PROGRAM" --on $node "$@" >>"$out" 2>&1 </dev/null &
		pids="$pids $!"
	done
	for node in $pids; do
		wait "$node" || bad=$((bad + 1))
	done
}

python=$SRC/.cache/venv/bin/python
if [ -z "${SANITIZE:-}" ] && "$python" -c 'import torch.distributed.run' 2>/dev/null; then
	# shellcheck disable=SC2016 # for the shell on the node
	agents sh -c '"$0" -m torch.distributed.run --nnodes 2 --nproc-per-node 2 --node-rank $NODE_RANK \
		--master-addr 10.99.0.1 --master-port 29400 --no-python "$1"' "$python" "$hello"
	right torchrun
else
	echo "without torchrun"
fi

# shellcheck disable=SC2016 # for the shell on the node
agents sh -c 'for k in 0 1; do
	RANK=$((2 * NODE_RANK + k)) LOCAL_RANK=$k WORLD_SIZE=4 MASTER_ADDR=10.99.0.1 MASTER_PORT=29500 "$0" & done
	wait' "$hello"
right "torchrun's variables"
[ "$bad" = 0 ] && echo "$checks launchers are right over two nodes"
verdict
