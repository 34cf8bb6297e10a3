# SPDX-License-Identifier: MIT
# /* TEST: timeout=180 */
# `mori run` leaves nothing behind, and touches nothing that is not its own.
. "$SRC/tests/sh_lib.bash"

job_code "children in the background" 0 -n 2 -x MARK=$mark sh -c 'sleep 100 & exit 0'
check "children in the background" none_marked
job_code "children in a session of their own" 0 -n 2 -x MARK=$mark \
	sh -c 'setsid sleep 100 & sleep 0.3; exit 0'
check "children in a session of their own" none_marked
job_code "children of children" 0 -n 2 -x MARK=$mark \
	sh -c 'setsid sh -c "setsid sleep 100 & sleep 100" & sleep 0.5; exit 0'
check "children of children" none_marked
job_code "with output captured" 0 -n 2 --tag-output -x MARK=$mark \
	sh -c 'setsid sleep 100 & echo kept; sleep 0.3; exit 0'
check "with output captured" none_marked
check "with output captured" [ "$(grep -c kept "$tmp/out")" = 2 ]
job_code "a failure" 8 -n 3 --grace 0.1 -x MARK=$mark \
	sh -c 'sleep 100 & setsid sleep 100 & [ $MORI_RANK != 1 ] || exit 8; wait'
check "a failure" none_marked
job_code "one cannot start" 127 -n 3 -x MARK=$mark /no/such/program
check "one cannot start" none_marked

# What the launcher had before it became one is not of the job.
(
	env OTHER=1 sleep 100 &
	echo $! >"$tmp/other"
	exec "$MORI" run -n 2 true
)
other=$(cat "$tmp/other")
check "children from before stay" kill -0 "$other"
kill "$other"

# Linux before 5.9 has no close_range(), and old sandboxes refuse it: the keeper ends all the same.
timeout -k 1 60 "$BUILD/tests/deny" close_range "$MORI" run -n 2 echo said >"$tmp/out" 2>"$tmp/err"
check "no close_range(): exit code" [ $? = 0 ]
check "no close_range()" out_is "said
said"

# Where the system forbids to connect, init says so and does not wait.
MORI_BOOTSTRAP_TIMEOUT=600 timeout -k 1 60 "$BUILD/tests/deny" connect "$MORI" run -n 2 \
	"$BUILD/bin/mori-hello" >"$tmp/out" 2>"$tmp/err"
check "no connect()" grep -q "may not connect to the rendezvous at .*: Permission denied" "$tmp/err"

# kill_launcher ARGUMENTS...: a job of long PEs; its launcher is killed.
kill_launcher() {
	rm -f "$tmp/up"
	"$MORI" run -x MARK=$mark -x TMP_UP="$tmp/up" "$@" >"$tmp/out" 2>"$tmp/err" &
	launcher=$!
	check "PEs are up" wait_for has_lines "$tmp/up" 3
	kill -KILL $launcher
	wait $launcher 2>/dev/null
	check "PEs die with the launcher" wait_for none_marked
}
kill_launcher -n 3 sh -c 'echo >>$TMP_UP; exec sleep 100'
kill_launcher -n 3 sh -c 'trap "" TERM HUP INT; echo >>$TMP_UP; sleep 100; sleep 100'
kill_launcher -n 3 --tag-output sh -c 'echo >>$TMP_UP; sleep 100 | cat'
check "nothing of shared memory is left" [ -z "$(ls /dev/shm | grep -i mori)" ]
finish
