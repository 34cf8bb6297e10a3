// SPDX-License-Identifier: MIT
/*
 * PEs as processes, as threads and mixed join, see the same table, and do
 * collectives with data of their own; more than one round with the same id.
 */
#include "boot/helper.h"

static void *pe_main(void *arg)
{
	struct pe *p = arg;

	if (!CHECK(pe_join(p) == 0, "rank %d", p->rank))
		return NULL;
	check_table(p);
	for (int turn = 0; turn < 3; turn++)
		check_collectives(p, turn);
	CHECK(boot_barrier(p->b, p->rank, WAIT_S) == 0);
	boot_leave(p->b, p->rank);
	return NULL;
}

static void run_threads(const unsigned char *uid, int first, int n, int nranks)
{
	struct pe *pes = calloc((size_t)n, sizeof(*pes));

	pes_start(pes, n, first, nranks, uid, pe_main);
	pes_join(pes, n);
	free(pes);
}

/* @procs processes of @threads PEs each; the first one may be this process. */
static void run_job(int procs, int threads, int here)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	pid_t pids[16];

	if (!CHECK(boot_open_rdv(&c, uid) == 0))
		return;
	for (int i = here; i < procs; i++)
		pids[i] = spawn("pe", uid, 3, i * threads, threads, procs * threads);
	if (here)
		run_threads(uid, 0, threads, procs * threads);
	for (int i = here; i < procs; i++)
		CHECK(reap(pids[i]) == 0, "process %d of %d", i, procs);
	boot_close_rdv(uid); /* nothing where boot_leave() did it */
}

int main(int argc, char **argv)
{
	unsigned char uid[BOOT_UID_BYTES];

	test_deadline(120);
	if (argc > 1) {
		test_uid(argc, argv, uid);
		run_threads(uid, atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
		return test_result();
	}
	run_job(1, 1, 1);
	run_job(1, 5, 1);
	run_job(4, 1, 0);
	run_job(4, 1, 1);
	run_job(3, 3, 0);
	run_job(2, 4, 1);
	return test_result();
}
