// SPDX-License-Identifier: MIT
/* TEST: net=procs */
/*
 * Two processes die, one after the other or at once, one of them with the
 * rendezvous: the survivors know of both, or learn that no barrier is possible.
 */
#include "fault.h"
#include "left.h"

#define PES 5

/* The news of a loss takes a moment, and which of two comes first is chance. */
static void until_lost(int64_t *words, int pe)
{
	double end = fault_now() + FAULT_SOON;

	while (mori_shmem_int64_p(words, 0, pe, 0) == 0 && fault_now() < end)
		fault_sleep(0.002);
}

static void actor(void)
{
	mori_shmem_uniqueid_t uid;
	struct left before;
	int64_t *words;
	int a, b, news;

	left_start(&before);
	MUST(sscanf(fault_hear(), "%d %d", &a, &b) == 2);
	fault_join();
	words = mori_shmem_calloc((size_t)fault_n, sizeof(*words));
	MUST(words != NULL);
	CHECK_OK(mori_shmem_barrier_all());
	fault_say("ready");
	while (sscanf(fault_hear(), "lost %d", &news) == 1) {
		until_lost(words, a);
		if (news == 2)
			until_lost(words, b);
		fault_report(fault_rank, mori_shmem_barrier_all());
		fault_report(fault_rank, mori_shmem_int64_wait_until_equals(words, 9));
		fault_report(fault_rank, mori_shmem_int64_p(words, 1, a, 0));
		/* Before the last report: after it the others may be asked to end. */
		CHECK_OK(mori_shmem_int64_p(&words[fault_rank], 3, (fault_rank + 1) % 2, 0));
		CHECK_OK(mori_shmem_quiet_thread_pe((fault_rank + 1) % 2));
		fault_report(fault_rank, mori_shmem_int64_p(words, 0, b, 0));
	}
	CHECK_EQ("finalize", mori_shmem_finalize(), MORI_SHMEM_EPEER);
	CHECK_NOTHING_LEFT(&before);
	fault_meet(&uid);
	fault_good_job(fault_rank, fault_n - 2, &uid);
	CHECK_NOTHING_LEFT(&before);
}

const struct fault_role fault_roles[] = { { "actor", actor }, { NULL, NULL } };

/* The path over the network ends with PE 4, even if no report of it arrives. */
static void want_of_second(struct fault_pe *pe, int turn, int news)
{
	int rank, status = 1;

	if (news == 2 || !turn || !getenv("MORI_DISABLE_P2P")) {
		fault_want_report(pe, FAULT_SOON, news == 2 ? MORI_SHMEM_EPEER : 0,
				  news == 2 ? "PE 4 " : "");
		return;
	}
	if (fault_want(pe, FAULT_SOON, "")) {
		CHECK(sscanf(pe->line, "%d %d", &rank, &status) == 2);
		CHECK(!status || status == MORI_SHMEM_EPEER);
		CHECK_TEXT(pe->line, status ? "PE 4 " : "");
	}
}

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
		/* Without the rendezvous no later death is reported. */
		int news = turn && host != 3 ? 2 : 1;

		if (turn == both)
			fault_kill(&pes[3]);
		if (turn == 1)
			fault_kill(&pes[4]);
		for (int i = 0; i < n; i++)
			fault_tell(&pes[i], "lost %d", news);
		for (int i = 0; i < n; i++) {
			fault_want_report(&pes[i], FAULT_SOON, MORI_SHMEM_EPEER, "PE 3 ");
			fault_want_report(&pes[i], FAULT_SOON, MORI_SHMEM_EPEER, "PE 3 ");
			fault_want_report(&pes[i], FAULT_SOON, MORI_SHMEM_EPEER, "PE 3 ");
			want_of_second(&pes[i], turn, news);
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
