// SPDX-License-Identifier: MIT
/*
 * Barriers in all their forms, many in a row, with PEs that come late: nobody
 * leaves before all have come, and what was put before is there after.
 */
/* TEST: pes=4,7 */
#define COVER_LIST(S, V, S0, V0) MORI_OPS_BARRIER(S0, thread)
#include "cover.h"

#define ROUNDS pes_rounds(TEST_SCALE(2000))

struct shared {
	uint32_t *came;	 /* for each PE, on every PE: the last round it reached */
	uint32_t *total; /* on PE 0: how many have arrived so far, in all rounds */
};

static int meet(int form)
{
	switch (form) {
	case 0:
		return mori_shmem_barrier_all();
	case 1:
		return CALL(barrier_all_thread);
	case 2:
		return mori_shmem_sync_all();
	default:
		return CALL(sync_all_thread);
	}
}

/* Now and then one PE is late, each time another. */
static void lag(uint32_t round)
{
	if (round % 16 == 0 && (int)(round / 16) % n_pes == me)
		usleep(500);
}

/* @round counts over all forms, so that nothing left from before can pass. */
static void one_round(struct shared *s, int form, uint32_t round)
{
	lag(round);
	for (int pe = 0; pe < n_pes; pe++)
		MUST(mori_shmem_uint32_p(&s->came[me], round, pe, 0));
	MUST(mori_shmem_uint32_atomic_inc_thread(s->total, 0, 0));
	if (form >= 2) /* a sync alone completes nothing */
		MUST(mori_shmem_quiet_thread());
	CHECK_OK(meet(form));
	for (int pe = 0; pe < n_pes; pe++) {
		/* One that has left may be in the next round already, but no further. */
		uint32_t seen = mori_shmem_uint32_g(&s->came[pe], me, 0);

		CHECK(seen == round || seen == round + 1);
	}
	CHECK(mori_shmem_uint32_atomic_fetch_thread(s->total, 0, 0) >= round * (uint32_t)n_pes);
}

static int test_pe(void)
{
	struct shared s = { pes_malloc((size_t)n_pes * 4), pes_malloc(4) };
	uint32_t round = 0;

	memset(s.came, 0, (size_t)n_pes * 4);
	*s.total = 0;
	BARRIER();
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		for (int form = 0; form < 4; form++) {
			for (int i = 0; i < ROUNDS; i++)
				one_round(&s, form, ++round);
		}
	}
	use_ctx = 0;
	for (int i = 0; i < ROUNDS; i++) /* the forms may take turns */
		one_round(&s, i % 4, ++round);
	BARRIER();
	if (me == 0)
		CHECK_EQ("all came, always", *s.total, round * (uint32_t)n_pes);
	cover_all();
	MUST(mori_shmem_free(s.total));
	MUST(mori_shmem_free(s.came));
	return 0;
}
