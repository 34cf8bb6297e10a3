// SPDX-License-Identifier: MIT
/*
 * Several worlds at a time in one process, joined, used and left from many threads
 * at once, with a second process in each of them. They never mix.
 */
#include "boot/helper.h"

#define WORLDS 5
#define PES    3 /* of each world in each process */
#define TURNS  4

struct world_pe {
	struct pe pe;
	int world;
};

static unsigned char uids[WORLDS][BOOT_UID_BYTES];

static void *pe_main(void *arg)
{
	struct world_pe *w = arg;
	struct pe *p = &w->pe;

	for (int turn = 0; turn < TURNS; turn++) {
		int mine = 100 * w->world + p->rank, all[2 * PES];

		if (!CHECK(pe_join(p) == 0, "world %d rank %d", w->world, p->rank))
			return NULL;
		CHECK(boot_allgather(p->b, p->rank, &mine, sizeof(mine), all, WAIT_S) == 0);
		for (int i = 0; i < 2 * PES; i++)
			CHECK(all[i] == 100 * w->world + i, "world %d: %d", w->world, all[i]);
		check_collectives(p, turn + w->world);
		boot_leave(p->b, p->rank);
	}
	return NULL;
}

static void run(int first)
{
	static struct world_pe pes[WORLDS * PES];

	for (int i = 0; i < WORLDS * PES; i++) {
		int world = i % WORLDS;

		pes[i].world = world;
		pes[i].pe = (struct pe){ .uid = uids[world],
					 .rank = first + i / WORLDS,
					 .nranks = 2 * PES,
					 .timeout_s = WAIT_S };
		CHECK(pthread_create(&pes[i].pe.thread, NULL, pe_main, &pes[i]) == 0);
	}
	for (int i = 0; i < WORLDS * PES; i++)
		pthread_join(pes[i].pe.thread, NULL);
}

/* The ids come through a pipe: they are too many for the arguments. */
static pid_t start(int first)
{
	unsigned char none[BOOT_UID_BYTES] = { 0 };
	int ends[2];
	pid_t pid;

	CHECK(pipe(ends) == 0);
	pid = spawn("pe", none, 2, ends[0], first);
	CHECK(write(ends[1], uids, sizeof(uids)) == sizeof(uids));
	close(ends[0]);
	close(ends[1]);
	return pid;
}

int main(int argc, char **argv)
{
	struct boot_config c = test_config(WAIT_S);
	int fds, threads;
	pid_t a, b;

	test_deadline(120);
	if (argc > 1) {
		CHECK(read(atoi(argv[3]), uids, sizeof(uids)) == sizeof(uids));
		fds = count_fds();
		threads = count_threads();
		run(atoi(argv[4]));
		CHECK(count_fds() == fds && threads_are(threads));
		return test_result();
	}
	for (int i = 0; i < WORLDS; i++)
		CHECK(boot_open_rdv(&c, uids[i]) == 0);
	a = start(0);
	b = start(PES);
	CHECK(reap(a) == 0);
	CHECK(reap(b) == 0);
	for (int i = 0; i < WORLDS; i++)
		boot_close_rdv(uids[i]);
	return test_result();
}
