#!/bin/bash
# SPDX-License-Identifier: MIT
# TEST: timeout=300 serial=1
# Hundreds of processes that all turn to one PE over the network: each is served, and what a PE costs
# stays small, because the queues that only kernels use take no memory before they do.
set -u
. "$SRC/tests/sh_lib.bash"

n=300
[ -z "${TEST_ALL:-}" ] || n=1024
[ -z "$SANITIZE" ] || n=24
limit=16384 # KiB of its own for a PE: with 1024 they must fit a machine of 24 GiB easily
ulimit -n "$(ulimit -Hn)"

cat >"$tmp/crowd.c" <<'H'
#include <mori/shmem.h>
#include <stdio.h>

/* KiB that this process alone has. */
static long own_memory(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[200];
	long kib = -1;

	while (f && fgets(line, sizeof(line), f) && sscanf(line, "Private_Dirty: %ld", &kib) != 1)
		;
	if (f)
		fclose(f);
	return kib;
}

int main(void)
{
	uint64_t *box = mori_shmem_init() ? NULL : mori_shmem_calloc(1, sizeof(*box));
	int me = mori_shmem_my_pe(), n = mori_shmem_n_pes();

	if (!box || mori_shmem_uint64_atomic_add_thread(box, 1, 0, 0) || mori_shmem_barrier_all()) {
		fprintf(stderr, "PE %d: %s\n", me, mori_shmem_last_error());
		return 1;
	}
	if (me == 0)
		printf("%d\n", (int)*box);
	if (me == 0 || me == n - 1)
		printf("PE %d: %ld KiB\n", me, own_memory());
	return mori_shmem_free(box) || mori_shmem_finalize();
}
H
$CC $CFLAGS -I"$SRC/include" "$tmp/crowd.c" -o "$tmp/crowd" -L"$BUILD/lib" -lmori_shmem -Wl,-rpath,"$BUILD/lib"
check "the program" [ $? = 0 ]
job_code "$n processes" 0 -n $n --heap-size 64K -x MORI_DISABLE_P2P=1 "$tmp/crowd"
check "each is served" grep -qx $n "$tmp/out"
cat "$tmp/out"
small() { awk '/KiB$/ { n++; if ($3 < 0 || $3 > '$limit') bad++ } END { exit n != 2 || bad }' "$tmp/out"; }
[ -n "$SANITIZE" ] || check "a PE has less than $limit KiB" small
finish
