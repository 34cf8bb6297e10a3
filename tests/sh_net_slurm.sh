#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=300 quick=0
# Jobs under a Slurm of its own, with a slurmd on each of two nodes (bench/nodes): by PMIx, by
# PMI-2, and by srun's variables alone. All of its daemons end with the nodes.
set -u

for command in munged slurmctld slurmd srun salloc sbatch; do
	command -v $command >/dev/null && continue
	echo "skipped: $command is not installed"
	exit 77
done
. "$SRC/tests/net/nodes.bash"
export LSAN_OPTIONS=detect_leaks=0 ASAN_OPTIONS=detect_leaks=0
export MORI_BOOTSTRAP_TIMEOUT=60

if [ -z "${NODES:-}" ]; then
	on -n 2 -- bash "$0"
	verdict
	exit
fi

hello=$BUILD/bin/mori-hello
tmp=$(mktemp -d) daemons=
# shellcheck disable=SC2086 # numbers
trap 'kill $daemons && wait; rm -rf "$tmp"' EXIT
out=$tmp/out
checks=0
unset MORI_SOCKET_IFNAME
export SLURM_CONF=$tmp/slurm.conf
cat >"$SLURM_CONF" <<END
ClusterName=nodes
SlurmctldHost=node0(10.99.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$tmp/munge/socket
CredType=cred/munge
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool-%n
TmpFS=$tmp/tmp-%n
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd-%n.pid
SlurmctldLogFile=$tmp/slurmctld.log
SlurmdLogFile=$tmp/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
MpiDefault=none
NodeName=node0 NodeAddr=10.99.0.1 CPUs=8
NodeName=node1 NodeAddr=10.99.0.2 CPUs=8
PartitionName=all Nodes=node0,node1 Default=YES State=UP
END
mkdir "$tmp"/{state,spool-node0,spool-node1,tmp-node0,tmp-node1}
printf '127.0.0.1 localhost\n10.99.0.1 node0\n10.99.0.2 node1\n' >"$tmp/hosts"

fail() {
	echo "$*"
	sed 's/^/    | /' "$out"
	bad=$((bad + 1))
}

# A munge of its own, with a key of its own; both nodes reach its socket, which is a file.
mkdir -m 711 "$tmp/munge"
(umask 077 && head -c 1024 /dev/urandom >"$tmp/munge/key")
munged --foreground --force --key-file="$tmp/munge/key" --socket="$tmp/munge/socket" \
	--pid-file="$tmp/munge/pid" --log-file="$tmp/munge/log" --seed-file="$tmp/munge/seed" \
	>"$tmp/munged.out" 2>&1 &
daemons=$!
for ((i = 0; i < 600; i++)); do
	[ -S "$tmp/munge/socket" ] && break
	sleep 0.1
done

# The names of the hosts are the nodes' own.
for node in 0 1; do
	"$NODES_PROGRAM" --on $node mount --bind "$tmp/hosts" /etc/hosts || exit 1
done
"$NODES_PROGRAM" --on 0 slurmctld -D -c >"$tmp/slurmctld.out" 2>&1 &
daemons="$daemons $!"
for node in 0 1; do
	"$NODES_PROGRAM" --on $node slurmd -D -N node$node >"$tmp/slurmd-$node.out" 2>&1 &
	daemons="$daemons $!"
done

# slurm COMMAND...: on node 0, with its output in $out.
slurm() { timeout 150 "$NODES_PROGRAM" --on 0 "$@" >"$out" 2>&1 </dev/null; }

up() {
	local i
	for ((i = 0; i < 600; i++)); do
		slurm sinfo -h -N -t idle -o %N && [ "$(sort -u "$out" | wc -l)" = 2 ] && return
		sleep 0.1
	done
	cat "$tmp"/*.out "$tmp"/*.log >>"$out"
	fail "Slurm does not start"
	exit 1
}
up

# The output is that of a job of $2 PEs.
right() {
	local pe
	checks=$((checks + 1))
	for ((pe = 0; pe < $2; pe++)); do
		grep -qx "PE $pe of $2: my neighbour gave me $((100 + (pe + $2 - 1) % $2))" "$out" ||
			fail "$1, $2 processes: PE $pe is wrong"
	done
}

# step WHAT N ARGUMENTS...: N processes, in an allocation of both nodes.
step() {
	slurm srun -Q --jobid="$job" --overlap -n "$2" "${@:3}" || fail "$1, $2 processes: exit code $?"
	right "$1" "$2"
}

slurm salloc -Q --no-shell -N 2 -n 8 || fail "salloc: exit code $?"
job=$(squeue -h -o %i)
for way in none pmi2 pmix; do
	if ! srun --mpi=list 2>&1 | grep -qw $way; then
		echo "without srun --mpi=$way"
		continue
	fi
	step "$way on a node" 2 --mpi=$way -N 1 "$hello"
	step "$way on two nodes" 4 --mpi=$way -N 2 "$hello"
done
# Rank 0 is not on the step's first host.
printf 'node1\nnode0\nnode0\n' >"$tmp/hostfile"
SLURM_HOSTFILE=$tmp/hostfile step "none, in any order" 3 --mpi=none --distribution=arbitrary "$hello"
# A process whose PMI is an MPI library's.
mpi=$(ldd "$BUILD/bin/mori-mpi-mpich" 2>/dev/null | sed -n 's/.*=> *\(.*libmpich[^ ]*\).*/\1/p')
if [ -n "$mpi" ] && [ -z "${SANITIZE:-}" ]; then
	step "pmi2 beside an MPI" 4 --mpi=pmi2 -N 2 env LD_PRELOAD="$mpi" "$hello"
else
	echo "without MPICH"
fi
scancel "$job"
# A batch script is no step, though it has variables that speak of several tasks.
slurm sbatch -Q -W -n 4 -o "$tmp/batch" --wrap "$hello" || fail "sbatch: exit code $?"
cp "$tmp/batch" "$out"
right batch 1

[ "$bad" = 0 ] && echo "$checks jobs are right under Slurm"
verdict
