#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=180 waits=1
# PEs that wait for what does not come: the others learn at once why, and what is said meanwhile.
set -u
. "$SRC/tests/sh_lib.bash"

cat >"$tmp/host.c" <<'H'
#include <mori/shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	if (mori_shmem_init())
		return failed("init");
	return mori_shmem_finalize() ? failed("finalize") : 0;
}
H
$CC $CFLAGS -I"$SRC/include" "$tmp/host.c" -o "$tmp/host" -L"$BUILD/lib" -lmori_shmem -Wl,-rpath,"$BUILD/lib"
check "the program" [ $? = 0 ]
out_count() { [ "$(grep -c -- "$1" "$tmp/out")" = "$2" ]; }

quiet_job() { job "$@" && err_is_empty; }

# A process that ends before it joins: the limit of init is far away.
gone='init: PE 1 (process [0-9]* on host .*) exited with code'
job_code "a PE that never joins" 1 -n 3 --keep-going -x MORI_BOOTSTRAP_TIMEOUT=10000 "$tmp/host" gone 0
check "the others know" out_count "$gone 0 and cannot come to mori_shmem_init()" 2
job_code "the same with a failure" 5 -n 3 --keep-going -x MORI_BOOTSTRAP_TIMEOUT=10000 "$tmp/host" gone 5
check "the others know" out_count "$gone 5 and" 2

# A program without threads: it says what is wrong long before the limit.
job_code "--threads without threads" 1 -n 4 --threads 4 -x MORI_BOOTSTRAP_TIMEOUT=4 "$tmp/host"
check "how to do it" err_count '1 of the 4 PEs of this process has called .*MORI_THREADS.*docs/job.md' 1
check "nothing where all come" quiet_job -n 4 --threads 1 "$tmp/host"
finish
