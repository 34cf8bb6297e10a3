// SPDX-License-Identifier: MIT
/*
 * Queues under load: many threads on one, on all, more posts than a ring has slots, and often
 * enough round the ring that the counters of every format wrap; sizes around the limits of an
 * entry. Every word is checked where it went and by who sent it.
 */
/* TEST: pes=2,3 timeout=240 net=procs,threads,nodes formats=mlx5,bnxt,ionic */
#include "kern.h"

#include "kernels/queue.h"

#define MOST 200000u
#define MUCH (9u << 20) /* more than the network asks for at a time */

struct ticket {
	uint64_t old, add;
};

static int by_old(const void *a, const void *b)
{
	const struct ticket *p = a, *q = b;

	return p->old < q->old ? -1 : p->old > q->old;
}

/* Every thread added something else: each must have found what the one before it left. */
static void check_tickets(const uint64_t *old, unsigned threads, uint64_t each)
{
	struct ticket *all = pes_private(threads * each * sizeof(*all));
	uint64_t next = 0, wrong = 0;

	for (uint64_t i = 0; i < threads * each; i++)
		all[i] = (struct ticket){ old[i], i / each + 1 };
	qsort(all, threads * each, sizeof(*all), by_old);
	for (uint64_t i = 0; i < threads * each; i++) {
		wrong += all[i].old != next;
		next = all[i].old + all[i].add;
	}
	CHECK_EQ("results of another's atomic", wrong, 0);
	free(all);
}

static void crowd(mori_shmem_module_t *m, unsigned blocks, unsigned threads, uint64_t rounds,
		  int32_t qps)
{
	unsigned all = blocks * threads;
	uint64_t *at = pes_malloc((1 + (size_t)all * QUEUE_WORDS) * 8), wrong = 0;
	uint64_t *own = pes_private(2 * (size_t)all * QUEUE_WORDS * 8);
	uint64_t *out = pes_private(all * 8), *tickets = pes_private(all * (rounds / 8) * 8);
	uint64_t added = (uint64_t)all * (all + 1) / 2;
	int32_t pe = (me + 1) % n_pes;
	int from = (me + n_pes - 1) % n_pes;

	poison(at, (1 + (size_t)all * QUEUE_WORDS) * 8);
	poison(out, all * 8);
	at[0] = 0;
	BARRIER();
	CHECK_OK(RUN_KERNEL(m, "crowd", blocks, threads, &out, &at, &own, &tickets, &rounds, &pe,
			    &qps));
	BARRIER();
	check_tickets(tickets, all, rounds / 8);
	for (unsigned t = 0; t < all; t++) {
		for (unsigned i = 0; i < QUEUE_WORDS; i++)
			wrong += at[1 + t * QUEUE_WORDS + i] !=
				 ((uint64_t)(from + 1) << 56 | (uint64_t)t << 32 | rounds) + i;
		CHECK_EQ("a thread's own view", out[t], 0);
	}
	CHECK_EQ("words that arrived wrong", wrong, 0);
	CHECK_EQ("count", at[0], added * (rounds / 8));
	CHECK_EQ("sticky", mori_shmem_check(NULL), 0);
	BARRIER();
	MUST(mori_shmem_free(at));
	free(own);
	free(out);
	free(tickets);
}

static void sizes(mori_shmem_module_t *m, unsigned threads, uint64_t least, uint64_t most)
{
	char *at = pes_malloc(most + 1), *own = pes_private(2 * most + 1);
	uint64_t *out = pes_private(threads * 8);

	poison(out, threads * 8);
	CHECK_OK(RUN_KERNEL(m, "sizes", 1, threads, &out, &at, &own, &least, &most));
	for (unsigned t = 0; t < threads; t++)
		CHECK_EQ("wrong bytes", out[t], 0);
	BARRIER();
	MUST(mori_shmem_free(at));
	free(own);
	free(out);
}

static int test_pe(void)
{
	mori_shmem_module_t *m = kern_load("queue");

	if (!m)
		SKIP(KERN_NONE);
	crowd(m, 1, 1, TEST_SCALE(800), 1);
	crowd(m, KERN_SMALL ? 1 : 3, 128, TEST_SCALE(96), 1); /* more than 65536 slots */
	crowd(m, 2, 64, 16, 4);
	sizes(m, 1, 1, MOST);
	sizes(m, 96, 1, MOST);
	sizes(m, 32, MUCH, MUCH);
	MUST(mori_shmem_module_unload(m));
	return 0;
}
