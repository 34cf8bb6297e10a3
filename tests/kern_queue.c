// SPDX-License-Identifier: MIT
/*
 * Queues under load: many threads on one, on all, more posts than a ring has slots, and often
 * enough round the ring that the counters of every format wrap; sizes around the limits of an
 * entry; every atomic. Every word is checked where it went and by who sent it. Memory of the
 * heap is touched by kernels and calls alone, so that it may be a GPU's: gpu/run runs this too.
 */
/* TEST: pes=2,3 timeout=240 net=procs,threads,nodes formats=mlx5,bnxt,ionic */
#include "kern.h"

#include "kernels/queue.h"

#define MOST 200000u
#define MUCH (9u << 20) /* more than the network requests at a time */

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

/* Symmetric words as they are now; the caller frees them. */
static uint64_t *words(const uint64_t *heap, size_t n)
{
	uint64_t *copy = pes_private(n * 8);

	heap_get(copy, heap, n * 8);
	return copy;
}

/* What each thread says of itself, and the status that the kernel left. */
static void check_threads(const uint64_t *out, unsigned threads)
{
	uint64_t *said = words(out, threads);

	for (unsigned t = 0; t < threads; t++)
		CHECK_EQ("what a thread found wrong", said[t], 0);
	CHECK_EQ("sticky", mori_shmem_check(NULL), 0);
	free(said);
}

/* Memory for @n words that a kernel writes without fail. */
static uint64_t *room(size_t n)
{
	uint64_t *at = heap_malloc(n ? n * 8 : 8), *bad = pes_private(n * 8);

	heap_set(at, bad, n * 8);
	free(bad);
	return at;
}

static void crowd(mori_shmem_module_t *m, unsigned blocks, unsigned threads, uint64_t rounds,
		  int32_t qps)
{
	unsigned all = blocks * threads;
	uint64_t *at = room(1 + (size_t)all * QUEUE_WORDS), *own = room(2 * all * QUEUE_WORDS);
	uint64_t *out = room(all), *tickets = room(all * (rounds / 8)), *seen, wrong = 0;
	uint64_t added = (uint64_t)all * (all + 1) / 2;
	int32_t pe = (me + 1) % n_pes;
	int from = (me + n_pes - 1) % n_pes;

	heap_set(at, &(uint64_t){ 0 }, 8);
	BARRIER();
	CHECK_OK(RUN_KERNEL(m, "crowd", blocks, threads, &out, &at, &own, &tickets, &rounds, &pe,
			    &qps));
	BARRIER();
	check_threads(out, all);
	seen = words(tickets, all * (rounds / 8));
	check_tickets(seen, all, rounds / 8);
	free(seen);
	seen = words(at, 1 + (size_t)all * QUEUE_WORDS);
	for (unsigned t = 0; t < all; t++) {
		for (unsigned i = 0; i < QUEUE_WORDS; i++)
			wrong += seen[1 + t * QUEUE_WORDS + i] !=
				 ((uint64_t)(from + 1) << 56 | (uint64_t)t << 32 | rounds) + i;
	}
	CHECK_EQ("words that arrived wrong", wrong, 0);
	CHECK_EQ("count", seen[0], added * (rounds / 8));
	free(seen);
	BARRIER();
	MUST(mori_shmem_free(tickets));
	MUST(mori_shmem_free(out));
	MUST(mori_shmem_free(own));
	MUST(mori_shmem_free(at));
}

static void sizes(mori_shmem_module_t *m, unsigned threads, uint64_t least, uint64_t most)
{
	char *at = heap_malloc(most + 1), *own = heap_malloc(2 * most + 1);
	uint64_t *out = room(threads);

	BARRIER();
	CHECK_OK(RUN_KERNEL(m, "sizes", 1, threads, &out, &at, &own, &least, &most));
	BARRIER();
	check_threads(out, threads);
	MUST(mori_shmem_free(out));
	MUST(mori_shmem_free(own));
	MUST(mori_shmem_free(at));
}

/* Every atomic, on words of 8 bytes and on either half of one. */
static void atoms(mori_shmem_module_t *m, unsigned threads)
{
	uint64_t *at = heap_malloc(threads * QUEUE_ATOMS * 8), *out = room(threads), *seen;
	int32_t pe = (me + 1) % n_pes;

	BARRIER();
	CHECK_OK(RUN_KERNEL(m, "atoms", 1, threads, &out, &at, &pe));
	BARRIER();
	check_threads(out, threads);
	seen = words(at, threads * QUEUE_ATOMS);
	for (unsigned t = 0; t < threads; t++) {
		const uint64_t *w = seen + (size_t)t * QUEUE_ATOMS;

		CHECK_EQ("beside the first half", w[1] >> 32 | w[4] >> 32, 0);
		CHECK_EQ("beside the second half", (uint32_t)w[2] | (uint32_t)w[5], 0);
	}
	free(seen);
	BARRIER();
	MUST(mori_shmem_free(out));
	MUST(mori_shmem_free(at));
}

static int test_pe(void)
{
	mori_shmem_module_t *m = kern_load("queue");

	if (!m)
		SKIP(KERN_NONE);
	crowd(m, 1, 1, TEST_SCALE(800), 1);
	crowd(m, KERN_SMALL ? 1 : 3, 128, TEST_SCALE(96), 1); /* more than 65536 slots */
	crowd(m, 2, 64, 16, 4);
	atoms(m, 1);
	atoms(m, 40);
	sizes(m, 1, 1, MOST);
	sizes(m, 96, 1, MOST);
	sizes(m, 32, MUCH, MUCH);
	MUST(mori_shmem_module_unload(m));
	return 0;
}
