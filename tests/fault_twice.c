// SPDX-License-Identifier: MIT
/*
 * Two processes die, one after the other or at once, one of them with the
 * rendezvous: who is left knows of both, or is told that nothing can be met.
 */
#include "fault.h"
#include "left.h"

#define PES 5

static void actor(void)
{
	mori_shmem_uniqueid_t uid;
	struct left before;
	int64_t *words;
	int a, b;

	left_start(&before);
	MUST(sscanf(fault_hear(), "%d %d", &a, &b) == 2);
	fault_join();
	words = mori_shmem_calloc((size_t)fault_n, sizeof(*words));
	MUST(words != NULL);
	CHECK_OK(mori_shmem_barrier_all());
	fault_say("ready");
	while (!strcmp(fault_hear(), "call")) {
		if (fault_rank == a || fault_rank == b)
			continue;
		fault_report(fault_rank, mori_shmem_barrier_all());
		fault_report(fault_rank, mori_shmem_int64_wait_until_equals(words, 9));
		fault_report(fault_rank, mori_shmem_int64_p(words, 1, a, 0));
		fault_report(fault_rank, mori_shmem_int64_p(words, 0, b, 0));
		CHECK_OK(mori_shmem_int64_p(&words[fault_rank], 3, (fault_rank + 1) % 2, 0));
	}
	CHECK_EQ("finalize", mori_shmem_finalize(), MORI_SHMEM_EPEER);
	CHECK_NOTHING_LEFT(&before);
	fault_meet(&uid);
	fault_good_job(fault_rank, fault_n - 2, &uid);
	CHECK_NOTHING_LEFT(&before);
}

const struct fault_role fault_roles[] = { { "actor", actor }, { NULL, NULL } };

/* PEs 3 and 4 die, in this order; @both: before anybody is asked. */
static void lose_two(int host, int both)
{
	struct fault_pe pes[PES], *all[PES];
	int n = PES - 2;

	for (int i = 0; i < PES; i++) {
		all[i] = &pes[i];
		fault_start(&pes[i], "actor", i, PES, NULL);
		fault_tell(&pes[i], "3 4");
	}
	fault_share(all, PES, &pes[host]);
	for (int i = 0; i < PES; i++)
		fault_want(&pes[i], FAULT_LATE, "ready");
	for (int turn = both; turn < 2; turn++) {
		if (turn == both)
			fault_kill(&pes[3]);
		if (turn == 1)
			fault_kill(&pes[4]);
		fault_sleep(0.2); /* let the news of both spread, for the texts */
		for (int i = 0; i < n; i++)
			fault_tell(&pes[i], "call");
		for (int i = 0; i < n; i++) {
			fault_want_report(&pes[i], FAULT_SOON, MORI_SHMEM_EPEER, "PE 3 ");
			fault_want_report(&pes[i], FAULT_SOON, MORI_SHMEM_EPEER, "PE 3 ");
			fault_want_report(&pes[i], FAULT_SOON, MORI_SHMEM_EPEER, "PE 3 ");
			/* With the rendezvous went the news of whoever died after it. */
			fault_want_report(&pes[i], FAULT_SOON,
					  turn && host != 3 ? MORI_SHMEM_EPEER : 0,
					  turn && host != 3 ? "PE 4 " : "");
		}
	}
	for (int i = 0; i < n; i++)
		fault_tell(&pes[i], "end");
	fault_share(all, n, &pes[1]);
	for (int i = 0; i < n; i++)
		fault_end(&pes[i]);
}

static void fault_test(void)
{
	test_at("one after the other");
	lose_two(0, 0);
	test_at("both");
	lose_two(0, 1);
	test_at("one after the other, the first with the rendezvous");
	lose_two(3, 0);
	test_at("one after the other, the second with the rendezvous");
	lose_two(4, 0);
}
