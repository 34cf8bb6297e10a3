# SPDX-License-Identifier: MIT
# TEST: timeout=180 waits=1
# `mori run`: a PE that fails ends the job, signals reach all PEs, and time is
# limited. Bounds on time are wide: the machine may be busy.
. "$SRC/tests/sh_lib.bash"

seconds() { SECONDS=0; }

seconds
job_code "a PE fails" 3 -n 4 -x MARK=$mark sh -c '[ $MORI_RANK != 2 ] || exit 3; exec sleep 100'
check "the others are ended" [ $SECONDS -lt 50 ]
check "none is left" none_marked
check "the cause is named" err_has 'PE 2 (process [0-9]*) exited with code 3'
check "only the cause" err_count '(process' 1

seconds
job_code "SIGTERM is ignored" 137 -n 3 --grace 0.2 -x MARK=$mark \
	sh -c '[ $MORI_RANK != 1 ] || kill -KILL $$; trap "" TERM; sleep 100; sleep 100'
check "SIGKILL follows" [ $SECONDS -lt 50 ]
check "none is left" none_marked
check "the cause is named" err_has 'PE 1 (process [0-9]*) was killed by signal 9 (Killed)'

# The other notices by itself and has the time to say so.
rm -f "$tmp/up"
job_code "a moment to notice" 7 -n 2 -x TMP_UP="$tmp/up" sh -c 'if [ $MORI_RANK = 0 ]; then
		until [ -s $TMP_UP ]; do sleep 0.02; done; exit 7; fi
	trap "echo early; exit 1" TERM; echo >>$TMP_UP; sleep 0.2; echo noticed; exit 1'
check "a moment to notice" out_is noticed
check "a consequence is not reported" err_count '(process' 1

job_code "--keep-going" 4 -n 3 --keep-going sh -c \
	'[ $MORI_RANK != 0 ] || exit 4; sleep 2.5; echo $MORI_RANK; [ $MORI_RANK != 2 ] || exit 5'
check "the others go on" sorted_is "1
2"
check "each failure is reported" err_count '(process' 2

seconds
job_code "--timeout" 124 -n 2 --timeout 0.5 -x MARK=$mark sleep 100
check "--timeout" [ $SECONDS -lt 50 ]
check "--timeout says so" err_has 'did not end within 0.5 s'
check "none is left" none_marked
job_code "in time" 0 -n 2 --timeout 60 true

# background ARGUMENTS...: start a job whose PEs write a line each into $tmp/up.
background() {
	rm -f "$tmp/up"
	env --default-signal=INT,QUIT "$MORI" run -x MARK=$mark -x TMP_UP="$tmp/up" "$@" \
		>"$tmp/out" 2>"$tmp/err" &
	launcher=$!
}
launcher_gone() { [ -z "$(jobs -pr | grep -x $launcher)" ]; }
await_end() {
	wait $launcher
	code=$?
}

for sig in INT TERM HUP QUIT; do
	background -n 3 sh -c "trap 'echo got $sig; exit 0' $sig"'
		echo >>$TMP_UP; while :; do sleep 0.05; done'
	check "$sig: PEs are up" wait_for has_lines "$tmp/up" 3
	kill -$sig $launcher
	await_end
	check "$sig: a PE may handle it" [ $code = 0 ]
	check "$sig: all PEs got it" [ "$(grep -c "got $sig" "$tmp/out")" = 3 ]
done
# SIGUSR1 is the launcher's own: tests/sh_run_waits.sh.
background -n 2 sh -c "trap 'echo got it' USR2; trap 'echo got USR1' USR1; trap 'exit 6' TERM"'
	echo >>$TMP_UP; while :; do sleep 0.05; done'
check "USR2: PEs are up" wait_for has_lines "$tmp/up" 2
kill -USR1 $launcher
check "USR1: the launcher answers" wait_for err_has 'mori run: no PE has called mori_shmem_init()'
kill -USR2 $launcher
check "USR2: all PEs got it and go on" wait_for has_lines "$tmp/out" 2
kill -TERM $launcher
await_end
check "USR2: code after the end" [ $code = 6 ]
check "USR1: no PE got it" sorted_is "got it
got it"

background -n 3 sh -c 'echo >>$TMP_UP; exec sleep 100'
check "INT: PEs are up" wait_for has_lines "$tmp/up" 3
kill -INT $launcher
await_end
check "INT: code" [ $code = 130 ]
check "INT: said so" err_has 'ended by signal 2 (Interrupt)'
check "INT: no PE is blamed" err_count 'PE' 0
check "INT: none is left" none_marked

# Whatever the PEs ignore, SIGKILL follows.
for sig in INT TERM HUP; do
	background -n 2 --grace 0.2 sh -c 'trap "" INT TERM HUP; echo >>$TMP_UP
		while :; do sleep 0.05; done'
	check "ignored $sig: PEs are up" wait_for has_lines "$tmp/up" 2
	kill -$sig $launcher
	check "ignored $sig: the job ends" wait_for launcher_gone
	launcher_gone || kill -KILL $launcher
	await_end
	check "ignored $sig: code" [ $code = 137 ]
	check "ignored $sig: said so" err_has 'ended by signal'
	check "ignored $sig: none is left" wait_for none_marked
done

# Of two signals that nobody handled, the second does not count.
taken() { [ $((0x$(awk '/^ShdPnd/ { print $2 }' "/proc/$launcher/status") & $1)) = 0 ]; }
for sig in INT TERM; do
	bit=$((1 << ($(kill -l $sig) - 1)))
	background -n 3 --grace 100 sh -c 'trap "" INT TERM; echo >>$TMP_UP
		while :; do sleep 0.05; done'
	check "second $sig: PEs are up" wait_for has_lines "$tmp/up" 3
	kill -$sig $launcher
	wait_for taken $bit
	sleep 0.3
	check "second $sig: the first is survived" kill -0 $launcher
	kill -$sig $launcher
	check "second $sig: the job ends" wait_for launcher_gone
	launcher_gone || kill -KILL $launcher
	await_end
	check "second $sig: code" [ $code = 137 ]
	check "second $sig: none is left" wait_for none_marked
done

# Nobody reads the output: a launcher that waits to write still listens.
mkfifo "$tmp/fifo"
sleep 100 <"$tmp/fifo" &
reader=$!
env --default-signal=INT,QUIT "$MORI" run -n 2 --grace 100 -x MARK=$mark --tag-output sh -c 'trap "" INT; yes' \
	>"$tmp/fifo" 2>"$tmp/err" &
launcher=$!
check "stuck output: PEs are up" wait_for eval '[ "$(marked | wc -l)" -ge 2 ]'
sleep 0.5
kill -INT $launcher
wait_for taken 2
sleep 0.3
check "stuck output: the first is survived" kill -0 $launcher
kill -INT $launcher
await_end
check "stuck output: code" [ $code = 137 ]
check "stuck output: none is left" none_marked
kill $reader

state() { sed 's/.*) //' "/proc/$1/stat" | cut -c1; }
all_in_state() {
	local p
	for p in $(marked) $launcher; do
		[ "$(state "$p")" = "$1" ] || return 1
	done
}
background -n 2 sh -c 'echo >>$TMP_UP; exec sleep 100'
check "TSTP: PEs are up" wait_for has_lines "$tmp/up" 2
kill -TSTP $launcher
check "TSTP: everything stops" wait_for all_in_state T
kill -CONT $launcher
check "CONT: everything goes on" wait_for all_in_state S
kill -TERM $launcher
await_end
check "CONT: ended as usual" [ $code = 143 ]
finish
