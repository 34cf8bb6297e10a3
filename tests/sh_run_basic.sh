# SPDX-License-Identifier: MIT
# `mori run`: what the PEs are given, exit codes, and wrong use.
. "$SRC/tests/sh_lib.bash"

show='echo $MORI_RANK/$MORI_WORLD_SIZE/$MORI_LOCAL_RANK/$MORI_THREADS/${#MORI_UNIQUE_ID}'

job_code "environment" 0 -n 4 sh -c "$show"
check "environment" sorted_is "0/4/0/1/256
1/4/1/1/256
2/4/2/1/256
3/4/3/1/256"
check "nothing is said" err_is_empty
job_code "threads" 0 -n 10 --threads 4 sh -c "$show"
check "threads split the ranks" sorted_is "0/10/0/4/256
4/10/4/4/256
8/10/8/2/256"
job_code "more threads than PEs" 0 -n 3 -t 100 sh -c "$show"
check "more threads than PEs" sorted_is "0/3/0/3/256"
MORI_RANK=77 MORI_UNIQUE_ID=x job_code "a job within a job" 0 -n 1 sh -c "$show"
check "a job within a job" sorted_is "0/1/0/1/256"
job_code "one id" 0 -n 3 sh -c 'echo $MORI_UNIQUE_ID'
check "all have the same id" [ "$(sort -u "$tmp/out" | wc -l)" = 1 ]

A=kept job_code "-x" 0 -n 2 -x A -x B=b=c --env C= sh -c 'echo "$A|$B|$C|${C+set}"'
check "-x" sorted_is "kept|b=c||set
kept|b=c||set"
job_code "shortcuts" 0 -n 1 --heap-size 12M --mode vmm_heap --device cpu --log-level error \
	sh -c 'echo $MORI_SHMEM_HEAP_SIZE $MORI_SHMEM_MODE $MORI_SHMEM_DEVICE $MORI_SHMEM_LOG_LEVEL'
check "shortcuts" out_is "12M vmm_heap cpu error"
job_code "interface" 0 -n 1 sh -c 'echo "${MORI_SOCKET_IFNAME-unset}"'
check "the launcher's own settings stay with it" out_is unset

mkdir "$tmp/dir"
printf '#!/bin/sh\necho here $1\n' >"$tmp/dir/prog"
printf 'echo script $1\n' >"$tmp/dir/plain"
chmod +x "$tmp/dir/prog" "$tmp/dir/plain"
job_code "--wdir" 0 -n 1 --wdir "$tmp/dir" sh -c 'pwd'
check "--wdir" out_is "$tmp/dir"
job_code "--wdir with a relative program" 0 -n 1 --wdir "$tmp/dir" ./prog 1
check "--wdir with a relative program" out_is "here 1"
job_code "a file without #!" 0 -n 1 "$tmp/dir/plain" 2
check "a file without #!" out_is "script 2"
PATH=$tmp/dir:$PATH job_code "PATH" 0 -n 1 -- prog -3
check "PATH, and an argument like an option" out_is "here -3"
job_code "--bind core" 0 -n 2 --bind core sh -c 'grep Cpus_allowed_list /proc/self/status'
check "--bind core: one core each" [ "$(grep -c '[[:space:]][0-9]*$' "$tmp/out")" = 2 ]

echo "one two" >"$tmp/in"
"$MORI" run -n 3 sh -c 'echo $MORI_RANK $(cat)' <"$tmp/in" >"$tmp/out" 2>"$tmp/err"
check "input goes to rank 0" sorted_is "0 one two
1
2"
job_code "input of the others" 0 -n 2 sh -c '[ $MORI_RANK = 0 ] || readlink /proc/self/fd/0'
check "input of the others is empty" out_is /dev/null

job_code "success" 0 -n 3 true
job_code "one code" 9 -n 3 sh -c '[ $MORI_RANK != 1 ] || exit 9'
check "who failed" err_has 'mori run: PE 1 (process [0-9]*) exited with code 9$'
job_code "a signal" 134 -n 3 sh -c '[ $MORI_RANK != 2 ] || kill -ABRT $$'
check "who was killed" err_has 'mori run: PE 2 (process [0-9]*) was killed by signal 6 (Aborted)'
job_code "of several PEs a process" 5 -n 8 -t 4 sh -c '[ $MORI_RANK != 4 ] || exit 5'
check "who failed" err_has 'mori run: PEs 4-7 (process [0-9]*) exited with code 5$'

job_code "not found" 127 -n 2 no-such-program-here
check "not found" err_has 'no-such-program-here: no such program'
job_code "no such file" 127 -n 2 ./no/such/file
check "no such file" err_has './no/such/file: No such file'
printf '#!/no/such/shell\n' >"$tmp/dir/orphan"
chmod +x "$tmp/dir/orphan"
job_code "no interpreter" 127 -n 1 "$tmp/dir/orphan"
check "no interpreter" err_has 'interpreter'
job_code "not executable" 126 -n 2 "$SRC/tests/sh_lib.bash"
check "not executable" err_has 'sh_lib.bash: Permission denied'
job_code "a folder" 126 -n 2 /
job_code "no such wdir" 1 -n 2 --wdir /no/such/dir true
check "no such wdir" err_has '/no/such/dir: No such file'

job_code "typo" 2 -n 2 --thread 2 --tagoutput true
check "typo" err_has 'unknown option --tagoutput; did you mean --tag-output?'
job_code "unknown short" 2 -n 2 -q true
check "unknown short" err_has 'unknown option -q'
job_code "value missing" 2 -n
check "value missing" err_has '-n needs a value'
job_code "value not wanted" 2 -n 1 --keep-going=1 true
check "value not wanted" err_has '--keep-going takes no value'
for n in 0 -1 x 1.5 99999999999 ''; do
	job_code "-n $n" 2 -n "$n" true
	check "-n $n" err_has "-n $n: a whole number"
done
job_code "threads 0" 2 -n 2 --threads 0 true
job_code "no -n" 2 true
check "no -n" err_has '-n N is needed'
job_code "no program" 2 -n 2
check "no program" err_has 'a program is needed'
job_code "-x of nothing" 2 -n 1 -x NO_SUCH_VARIABLE true
job_code "bad seconds" 2 -n 1 --timeout soon true
job_code "bad bind" 2 -n 1 --bind socket true
job_code "bad heap" 2 -n 2 --heap-size 12q true
check "bad heap: said once, before anything starts" err_count 'MORI_SHMEM_HEAP_SIZE="12q"' 1
job_code "too many" 1 -n 2000000000 true
check "too many" err_has 'cannot start 2000000000 processes'
job_code "help" 0 --help
check "help" grep -q -- --tag-output "$tmp/out"

"$MORI" rum >"$tmp/out" 2>"$tmp/err"
check "unknown command: exit code" [ $? = 2 ]
check "unknown command" err_has "unknown command 'rum'; did you mean 'run'?"
"$MORI" --nothing >"$tmp/out" 2>"$tmp/err"
check "unknown option: exit code" [ $? = 2 ]
check "--version" grep -q '^mori [0-9]*\.[0-9]*\.[0-9]*$' <("$MORI" --version)
check "--help" grep -q '^  run ' <("$MORI" --help)
finish
