#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=600 quick=0
# Random operations on every path, every byte verified. SOAK_SECONDS is how long each of the five
# paths takes; `make soak` has longer ones, and net/soak.c says how to run it by hand.
set -u
. "$SRC/tests/net/nodes.bash"
each=${SOAK_SECONDS:-6}
seed=${SOAK_SEED:-$RANDOM$RANDOM}
soak=$BUILD/tests/soak

path() {
	local title=$1
	shift
	echo "== $title"
	"$@"
}
run() { "$MORI" run "$@" </dev/null || bad=$((bad + 1)); }

path "load and store" run -n 4 -- "$soak" --seconds "$each" --seed "$seed" --kernels
path "network on one node" run -n 4 -x MORI_DISABLE_P2P=1 -- "$soak" --seconds "$each" --seed "$seed" --kernels
path "network, threads" run -n 4 --threads 4 -x MORI_DISABLE_P2P=1 -- "$soak" --seconds "$each" --seed "$seed" --kernels
path "two nodes of two PEs: both" on -n 2 -- "$SRC/tests/net/mori" run -n 4 -- "$soak" --seconds "$each" --seed "$seed" --kernels
path "four nodes" on -n 4 -- "$SRC/tests/net/mori" run -n 4 -- "$soak" --seconds "$each" --seed "$seed" --kernels
verdict
