#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=180 waits=1
# PEs that wait for what does not come: the others learn at once why, and what is said meanwhile.
set -u
. "$SRC/tests/sh_lib.bash"

cat >"$tmp/host.c" <<'H'
#include <fcntl.h>
#include <mori/shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* How many signals the process handles. */
static int handled(void)
{
	struct sigaction a;
	int n = 0;

	for (int i = 1; i < 32; i++)
		n += !sigaction(i, NULL, &a) && a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN;
	return n;
}
static void own(int sig)
{
	(void)sig;
}
/* Over the network, to a PE that is stopped. */
static int ask(const char *what, int64_t *box)
{
	int64_t mine = 7;

	if (!strcmp(what, "get"))
		return mori_shmem_getmem_thread(&mine, &box[2], sizeof(mine), 1, 0);
	if (!strcmp(what, "atomic"))
		return mori_shmem_int64_atomic_fetch_thread(&box[2], 1, 0) != 0;
	if (mori_shmem_putmem_nbi_thread(&box[2], &mine, sizeof(mine), 1, 0))
		return 1;
	return !strcmp(what, "quiet") && mori_shmem_quiet_thread();
}
static int failed(const char *what)
{
	printf("%s: %s\n", what, mori_shmem_last_error());
	return 1;
}
int main(int argc, char **argv)
{
	const char *rank = getenv("MORI_RANK");

	if (argc > 2 && !strcmp(argv[1], "gone") && !strcmp(rank, "1"))
		return atoi(argv[2]);
	int before = handled();
	char up[200];
	if (argc > 1 && !strcmp(argv[1], "own"))
		signal(SIGUSR2, own);
	if (mori_shmem_init())
		return failed("init");
	if (argc > 1 && (!strcmp(argv[1], "own") || !strcmp(argv[1], "handlers"))) {
		int during = handled();

		return mori_shmem_finalize() || printf("%d, %d\n", during - before, handled() - before) < 0;
	}
	int me = mori_shmem_my_pe();
	int64_t *box = mori_shmem_calloc(8, sizeof(*box));

	/* PE 0 waits for a while; PE 1 goes on when the test says so. */
	if (argc > 1 && !strcmp(argv[1], "word") && me == 0 &&
	    mori_shmem_int64_wait_until(&box[2], MORI_SHMEM_CMP_GE, 7))
		return failed("wait");
	if (argc > 1 && (!strcmp(argv[1], "word") || !strcmp(argv[1], "barrier")) && me == 1) {
		snprintf(up, sizeof(up), "%s.up", argv[2]); /* from here on signals may come */
		close(creat(up, 0600));
		while (access(argv[2], F_OK))
			usleep(10000);
	}
	if (argc > 1 && !strcmp(argv[1], "word") && me == 1)
		mori_shmem_int64_p(&box[2], 7, 0, 0);
	if (argc > 3 && !strcmp(argv[1], "net") &&
	    (mori_shmem_int64_g(&box[2], 1, 0) || mori_shmem_barrier_all()))
		return failed("net");
	if (argc > 3 && !strcmp(argv[1], "net") && me == 1) {
		FILE *f = fopen(argv[3], "w");

		fprintf(f, "%d\n", (int)getpid());
		fclose(f);
		raise(SIGSTOP);
	}
	if (argc > 3 && !strcmp(argv[1], "net") && me == 0) {
		snprintf(up, sizeof(up), "%s.stopped", argv[3]);
		while (access(up, F_OK))
			usleep(10000);
		if (ask(argv[2], box))
			return failed(argv[2]);
	}
	/* Nobody comes: PE 0 is in finalize, or waits as well. */
	if (argc > 1 && !strcmp(argv[1], "left") && me == 0)
		return mori_shmem_finalize() ? failed("finalize") : 0;
	if (argc > 1 && (!strcmp(argv[1], "left") || !strcmp(argv[1], "all"))) {
		int err = mori_shmem_int64_wait_until_equals(&box[2], 7);

		printf("%d: ", err);
		failed("wait");
		return mori_shmem_finalize() ? failed("finalize") : 0;
	}
	if (argc > 2 && !strcmp(argv[1], "exit") && me == 1)
		return atoi(argv[2]);
	if (argc > 1 && mori_shmem_barrier_all())
		return failed("barrier");
	return mori_shmem_finalize() ? failed("finalize") : 0;
}
H
$CC $CFLAGS -I"$SRC/include" "$tmp/host.c" -o "$tmp/host" -L"$BUILD/lib" -lmori_shmem -Wl,-rpath,"$BUILD/lib"
check "the program" [ $? = 0 ]
out_count() { [ "$(grep -c -- "$1" "$tmp/out")" = "$2" ]; }

nodes='MORI_NODE_ID=$((MORI_RANK / 2)) exec "$0" "$@"'
quiet_job() { job "$@" && err_is_empty; }

# A process that ends before it joins: the limit of init is far away.
gone='init: PE 1 (process [0-9]* on host .*) exited with code'
job_code "a PE that never joins" 1 -n 3 --keep-going -x MORI_BOOTSTRAP_TIMEOUT=10000 "$tmp/host" gone 0
check "the others know" out_count "$gone 0 and cannot come to mori_shmem_init()" 2
job_code "the same with a failure" 5 -n 3 --keep-going -x MORI_BOOTSTRAP_TIMEOUT=10000 "$tmp/host" gone 5
check "the others know" out_count "$gone 5 and" 2
check "the cause is blamed" err_has 'run: PE 1 (process [0-9]*) exited with code 5$'
job_code "the cause with code 0" 1 -n 2 "$tmp/host" gone 0
check "is blamed" err_has 'run: PE 1 (process [0-9]*) exited with code 0 without mori_shmem_init(); then PE 0 (process [0-9]*) exited with code 1'

# A process that exits without finalize.
job_code "no finalize" 1 -n 3 "$tmp/host" exit 0
check "the others know" out_count 'barrier: .*PE 1 (process [0-9]* on host .*) was lost: it has exited without mori_shmem_finalize()' 2
check "it is blamed" err_has 'run: PE 1 (process [0-9]*) exited with code 0 without mori_shmem_finalize(); then PE [02] (process [0-9]*) exited with code 1'
job_code "no finalize, and nobody minds" 0 -n 1 "$tmp/host" exit 0

# late WHAT PATTERN ARGUMENTS...: a job says so twice, then it goes on and ends well.
twice() { [ "$(grep -c -- "$1" "$tmp/err")" -ge 2 ]; }
late() {
	local what=$1 pattern=$2
	shift 2
	rm -f "$tmp/go"
	MORI_SHMEM_WAIT_REPORT=0.1 "$MORI" run "$@" "$tmp/go" >"$tmp/out" 2>"$tmp/err" &
	check "$what: it says so, twice" wait_for twice "$pattern"
	touch "$tmp/go"
	check "$what: it ends well" wait $!
}
word='PE 0: mori_shmem_int64_wait_until has waited for [0-9.]* s: 0x[0-9a-f]* (heap + 0x10) >= 7, which is 0$'
late "a word" "$word" -n 2 "$tmp/host" word
late "a word over the network" "$word" -n 2 -x MORI_DISABLE_P2P=1 "$tmp/host" word
barrier='PE 0: mori_shmem_barrier_all has waited for [0-9.]* s for other PEs: PE 1$'
late "a barrier" "$barrier" -n 4 "$tmp/host" barrier
late "a barrier of nodes" "$barrier" -n 3 sh -c "$nodes" "$tmp/host" barrier
# A PE that is late for init: who is missing, said by the rendezvous, here and to SIGUSR1.
rm -f "$tmp/go"
missing='PE 0-2: mori_shmem_init has waited for [0-9.]* s for PE 3 to call it$'
MORI_SHMEM_WAIT_REPORT=0.1 "$MORI" run -n 4 sh -c \
	'while [ $MORI_RANK = 3 ] && [ ! -e "$1" ]; do sleep 0.1; done; exec "$0" none' \
	"$tmp/host" "$tmp/go" >"$tmp/out" 2>"$tmp/err" &
launcher=$!
init_asked() {
	kill -USR1 $launcher
	sleep 0.1
	err_has "run: $missing"
}
check "init: it says so, twice" wait_for twice "warning: $missing"
check "init: so does SIGUSR1" wait_for init_asked
touch "$tmp/go"
check "init: it ends well" wait $launcher
# The same where nobody answers yet: rank 0 is to serve the others.
rm -f "$tmp/go"
alone() {
	MASTER_ADDR=127.0.0.1 MASTER_PORT=$port WORLD_SIZE=2 RANK=$1 MORI_SHMEM_WAIT_REPORT=0.1 \
		"$tmp/host" none
}
port=$((20000 + $$ % 20000))
alone 1 >"$tmp/out" 2>"$tmp/err" &
launcher=$!
check "rank 0 is missing: it says so, twice" wait_for twice \
	"mori_shmem_init has waited for [0-9.]* s: nobody hands out the unique id at 127.0.0.1 "
check "rank 0 is missing: it comes" alone 0
check "rank 0 is missing: it ends well" wait $launcher

# net WHAT NAME REST: PE 0 waits for PE 1, which is stopped, and says so here and to SIGUSR1.
stopped() { grep -q '^State:.T' "/proc/$(cat "$tmp/pid")/status"; } 2>/dev/null
net_asked() {
	kill -USR1 "$1"
	sleep 0.1
	err_has "run: $net"
}
net() {
	local launcher
	rm -f "$tmp/pid" "$tmp/pid.stopped"
	net="PE 0: $2 has waited for [0-9.]* s: PE 1 has not answered over the network$3\$"
	MORI_SHMEM_WAIT_REPORT=0.1 "$MORI" run -n 2 -x MORI_DISABLE_P2P=1 "$tmp/host" net "$1" \
		"$tmp/pid" >"$tmp/out" 2>"$tmp/err" &
	launcher=$!
	check "$1 over the network: PE 1 is stopped" wait_for stopped
	touch "$tmp/pid.stopped"
	check "$1 over the network: PE 0 says so, twice" wait_for twice "warning: $net"
	check "$1 over the network: so does SIGUSR1" wait_for net_asked $launcher
	kill -CONT "$(cat "$tmp/pid")"
	check "$1 over the network: it ends well" wait $launcher
}
net get "a get" ' (heap + 0x10, 8 bytes)'
net atomic "an atomic" ' (heap + 0x10)'
net quiet "a quiet" ""
net barrier "mori_shmem_barrier_all" ""
MORI_SHMEM_WAIT_REPORT=0 job -n 2 "$tmp/host" none
check "nothing without waits" err_is_empty

# Jobs that take some seconds each, side by side: begin NAME ARGUMENTS...; ended NAME WHAT CODE.
declare -A jobs
begin() {
	"$MORI" run "${@:2}" >"$tmp/$1.out" 2>"$tmp/$1.err" &
	jobs[$1]=$!
}
ended() {
	wait "${jobs[$1]}"
	code=$?
	mv "$tmp/$1.out" "$tmp/out"
	mv "$tmp/$1.err" "$tmp/err"
	check "$2: exit code $code" [ $code = "$3" ]
}
begin left -n 2 --keep-going "$tmp/host" left
begin nodes -n 3 --keep-going sh -c "$nodes" "$tmp/host" left
begin all -n 2 --keep-going -x MORI_SHMEM_DEADLOCK=error -x MORI_SHMEM_WAIT_REPORT=0 "$tmp/host" all
begin threads -n 4 --threads 4 -x MORI_BOOTSTRAP_TIMEOUT=4 "$tmp/host"
begin timeout -n 4 --timeout 5 sh -c '[ $MORI_RANK != 3 ] || exec sleep 100; exec "$0" "$@"' "$tmp/host" none

# Waits that nobody can end: the others are in finalize, or wait as well.
where='0x[0-9a-f]* (heap + 0x10) == 7, which is 0$'
left="-4: wait: mori_shmem_int64_wait_until_equals: no PE is left that could end this wait (in mori_shmem_finalize(): PE 0"
ended left "finalize and a wait" 0
check "the wait ends" out_count "^$left): $where" 1
ended nodes "over nodes" 0
check "both waits end" out_count "^$left; the others wait, too): $where" 2
ended all "all wait" 0
check "both waits end" out_count "^-5: wait: .*: all PEs wait for each other (MORI_SHMEM_DEADLOCK=error): $where" 2
check "it is reported" err_count 'all PEs wait for each other: no PE of this job' 1
check "with each wait" err_count "PE [01]: mori_shmem_int64_wait_until_equals has waited for [0-9.]* s: $where" 2

# A program without threads: it says what is wrong long before the limit.
ended threads "--threads without threads" 1
check "how to do it" err_count '1 of the 4 PEs of this process has called .*MORI_THREADS.*docs/job.md' 1
ended timeout "--timeout" 124
check "--timeout says who is missing" err_has 'run: PE [-0-2, ]*: mori_shmem_init has waited for [0-9.]* s for PE .*3 to call it$'

# Who waits for what, on demand. PE 1 is on its own, PE 2 in a barrier.
rm -f "$tmp/go" "$tmp/go.up"
"$MORI" run -n 3 "$tmp/host" word "$tmp/go" >"$tmp/out" 2>"$tmp/err" &
launcher=$!
check "PE 1 is up" wait_for [ -e "$tmp/go.up" ]
asked() {
	kill -USR1 $launcher
	sleep 0.1
	err_has "run: PE 0: mori_shmem_int64_wait_until has waited for [0-9.]* s: 0x.* (heap + 0x10) >= 7, which is 0$" &&
		err_has 'run: PE 1: waits in no call of the library$' &&
		err_has 'run: PE 2: mori_shmem_barrier_all has waited for [0-9.]* s for other PEs: PE 0-1$'
}
check "SIGUSR1: all PEs" wait_for asked
touch "$tmp/go"
check "SIGUSR1: the job goes on" wait $launcher
job_code "no handler by default" 0 -n 1 "$tmp/host" handlers
check "no handler by default" out_is "0, 0"
job_code "a handler on demand" 0 -n 1 -x MORI_SHMEM_DUMP_SIGNAL=SIGUSR2 "$tmp/host" handlers
check "a handler on demand, while there is a PE" out_is "1, 0"
job_code "a handler of the program's own" 0 -n 1 -x MORI_SHMEM_DUMP_SIGNAL=usr2 "$tmp/host" own
check "it stays" out_is "1, 1"
check "and the program is told" err_has 'MORI_SHMEM_DUMP_SIGNAL: the program handles or ignores signal 12'
rm -f "$tmp/go" "$tmp/go.up"
MORI_SHMEM_DUMP_SIGNAL=usr2 "$MORI" run -n 2 "$tmp/host" word "$tmp/go" >"$tmp/out" 2>"$tmp/err" &
launcher=$!
dumped() {
	kill -USR2 $launcher
	sleep 0.1
	err_has 'warning: PE 0: mori_shmem_int64_wait_until has waited for .* >= 7, which is 0$' &&
		err_has 'warning: PE 1: waits in no call of the library$'
}
check "PE 1 is up" wait_for [ -e "$tmp/go.up" ]
check "a process says it, too" wait_for dumped
touch "$tmp/go"
check "the job goes on" wait $launcher

check "nothing where all come" quiet_job -n 4 --threads 1 "$tmp/host"
finish
