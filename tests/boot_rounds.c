// SPDX-License-Identifier: MIT
/*
 * One id, held by a launcher that is not a PE, serves round after round, and worlds that overlap in
 * one process. Afterwards no descriptor and no thread is left.
 */
#include "boot/helper.h"

#define ROUNDS 20

/* Every PE joins and leaves in its own time: a fast one is a round ahead of a slow one. */
static void *pe_rounds(void *arg)
{
	struct pe *p = arg;

	for (int i = 0; i < ROUNDS; i++) {
		if (!CHECK(pe_join(p) == 0, "rank %d round %d", p->rank, i))
			return NULL;
		if (i % 5 == 0)
			check_table(p);
		check_collectives(p, i);
		boot_leave(p->b, p->rank);
	}
	return NULL;
}

static void run_threads(const unsigned char *uid, int first, int n, int nranks)
{
	struct pe *pes = calloc((size_t)n, sizeof(*pes));

	pes_start(pes, n, first, nranks, uid, pe_rounds);
	pes_join(pes, n);
	free(pes);
}

/* Two worlds of one process and one id at the same time. */
static void run_two_worlds(const unsigned char *uid)
{
	struct pe a = { .uid = uid, .nranks = 1, .timeout_s = WAIT_S }, b = a;

	CHECK(pe_join(&a) == 0);
	CHECK(pe_join(&b) == 0);
	CHECK(a.b != b.b);
	CHECK(memcmp(boot_secret(a.b), boot_secret(b.b), 16) != 0);
	check_collectives(&a, 1);
	check_collectives(&b, 2);
	boot_leave(a.b, 0);
	check_collectives(&b, 3);
	boot_leave(b.b, 0);
}

int main(int argc, char **argv)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	int fds, threads;
	pid_t pids[3];

	test_deadline(120);
	if (argc > 1) {
		test_uid(argc, argv, uid);
		fds = count_fds();
		threads = count_threads();
		run_threads(uid, atoi(argv[3]), atoi(argv[4]), 6);
		CHECK(count_fds() == fds, "%d before, %d after", fds, count_fds());
		CHECK(threads_are(threads));
		return test_result();
	}
	fds = count_fds();
	threads = count_threads();
	CHECK(boot_open_rdv(&c, uid) == 0);
	for (int i = 0; i < 3; i++)
		pids[i] = spawn("pe", uid, 2, 2 * i, 2);
	for (int i = 0; i < 3; i++)
		CHECK(reap(pids[i]) == 0, "process %d", i);
	boot_close_rdv(uid);
	CHECK(boot_open_rdv(&c, uid) == 0);
	run_two_worlds(uid);
	CHECK(count_fds() == fds, "%d before, %d after", fds, count_fds());
	CHECK(threads_are(threads));
	return test_result();
}
