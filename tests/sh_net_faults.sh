#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=420 quick=0
# What may happen to a network: a cable that is out for a while, and for good; 2% of the
# packets lost and 50 ms of delay; a PE killed, and one that stops, in the middle of a
# transfer; strangers. Completion with the right data, or an error that names the PE,
# within the time; nothing left behind (mori-nodes looks).
set -u
. "$SRC/tests/net/nodes.bash"
fault=$BUILD/tests/fault
wait_s=6 # how long PEs wait for each other before they give up

# each FAULT...: one after the other, each on nodes of its own.
each() {
	local fault cables
	for fault in "$@"; do
		cables=
		[ "$fault" != bad_line ] || cables="--loss 2 --delay 50"
		echo "== $fault"
		mkdir "$DIR/$fault"
		# shellcheck disable=SC2086 # a list of words
		DIR=$DIR/$fault on -n 2 $cables -- bash "$0" "$fault"
	done
	verdict
}

# Two at a time: they mostly wait.
if [ -z "${NODES:-}" ]; then
	export DIR
	DIR=$(mktemp -d)
	trap 'rm -rf "$DIR"' EXIT
	each cable_out killed strangers >"$DIR/log" 2>&1 &
	each cable_gone stopped bad_line
	bad=$?
	wait $! || bad=1
	cat "$DIR/log"
	verdict
	exit
fi

# transfer SECONDS PES: in the background; its output is in $DIR/out.
transfer() {
	rm -f "$DIR"/pid.* "$DIR/out"
	MORI_SHMEM_TIMEOUT=$wait_s timeout 100 "$MORI" run -n "$2" --keep-going -- "$fault" "$1" \
		"$DIR/pid" >"$DIR/out" 2>&1 </dev/null &
	job=$!
	for ((i = 0; i < 600; i++)); do
		[ "$(cat "$DIR"/pid.* 2>/dev/null | wc -l)" = "$2" ] && break
		sleep 0.05
	done
	sleep 1
}

# ended WHAT CODE: the job has ended with that code.
ended() {
	local code
	wait "$job"
	code=$?
	sed 's/^/    | /' "$DIR/out"
	[ "$code" = "$2" ] && return
	echo "$1: exit code $code, not $2"
	bad=$((bad + 1))
}

# says PATTERN: a line of the job's output.
says() {
	grep -qE "$1" "$DIR/out" && return
	echo "no line with \"$1\""
	bad=$((bad + 1))
}

none_wrong() { says "^PE [0-9]+: [0-9]+ blocks, 0 wrong"; }

cable_out() {
	wait_s=40
	transfer 6 2
	ip link set v1 down
	sleep 2
	ip link set v1 up
	ended "a cable out for 2 s" 0
	none_wrong
}

cable_gone() {
	transfer 60 2
	ip link set v1 down
	ended "a cable out for good" 3
	says "^PE 0: after .*PE 1"
	says "^PE 1: after .*(PE 0|the rendezvous \(process)"
	none_wrong
}

killed() {
	wait_s=40 # noticed by its connection, not by time
	transfer 60 3
	kill -9 "$(cat "$DIR/pid.2")"
	ended "a PE killed" 137
	says "^PE 0: after .*PE 2"
}

# Nothing of it answers, yet its kernel takes what fits into the sockets.
stopped() {
	transfer 60 3
	kill -STOP "$(cat "$DIR/pid.2")"
	for ((i = 0; i < 1200; i++)); do
		grep -q "^PE 0: after" "$DIR/out" && break
		sleep 0.05
	done
	says "^PE 0: after .*PE 2"
	kill -9 "$(cat "$DIR/pid.2")"
	wait "$job"
	sed 's/^/    | /' "$DIR/out"
}

# Where somebody listens: on the nodes, and beside the hub the launcher's rendezvous.
ports() {
	local node
	for node in 0 1; do
		"$NODES_PROGRAM" --on $node ss -Hltn
	done | awk '{ print $4 }'
	ss -Hltn | awk '{ print $4 }'
}

# A stranger without the secret: sends nothing, noise, a greeting of its own, one that was overheard.
strangers() {
	local at n=0 listener
	"$BUILD/tests/stranger" overhear 8 &
	listener=$!
	transfer 12 2
	for at in $(ports); do
		n=$((n + 1))
		echo "$at"
		"$BUILD/tests/stranger" "${at%:*}" "${at##*:}" || bad=$((bad + 1))
	done
	wait $listener || bad=$((bad + 1))
	echo "$n ports were tried"
	[ $n -ge 3 ] || bad=$((bad + 1))
	ended "strangers" 0
	none_wrong
}

bad_line() {
	wait_s=60
	transfer 8 2
	ended "2% lost, 50 ms late" 0
	none_wrong
	MORI_SHMEM_TIMEOUT=60 timeout 100 "$MORI" run -n 2 -- "$BUILD/tests/soak" --seconds 3 </dev/null ||
		bad=$((bad + 1))
}

"$1"
verdict
