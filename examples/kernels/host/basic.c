// SPDX-License-Identifier: MIT
/* The host side of hello, put_ring, get, put_signal, value and atomics. */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>

#define WORDS 10007 /* not a multiple of any block size */

/* The value of PE @pe in word i. */
static int word_of(int pe, int i)
{
	return pe * 1000003 + i * 7 + 1;
}

int run_hello(struct host *h)
{
	int *out = mori_shmem_calloc(2, sizeof(*out)), seen[2];
	void *args[] = { &out };
	int err = out ? launch(h, 1, 1, args) : MORI_SHMEM_ENOMEM;

	if (!err)
		err = from_heap(h, seen, out, sizeof(seen));
	if (err)
		return err;
	printf("PE %d of %d: my kernel says PE %d of %d\n", h->me, h->n_pes, seen[0], seen[1]);
	err = mori_shmem_free(out);
	return err ? err : (seen[0] != h->me) + (seen[1] != h->n_pes);
}

/* A message of @from must be in @dest, and nothing after it. */
static int check_words(struct host *h, const int *dest, int from, int *words)
{
	int wrong = 0, err = from_heap(h, words, dest, (WORDS + 1) * sizeof(*words));

	for (int i = 0; !err && i < WORDS; i++)
		wrong += words[i] != word_of(from, i);
	return err ? err : wrong + (words[WORDS] != -1);
}

/* put_ring and get: the same message and the same sizes, moved by one side or the other. */
static int move_words(struct host *h, unsigned blocks, unsigned threads, const char *how)
{
	int *src = mori_shmem_malloc((WORDS + 1) * sizeof(*src));
	int *dest = mori_shmem_malloc((WORDS + 1) * sizeof(*dest));
	int *words = malloc((WORDS + 1) * sizeof(*words)), left = (h->me + h->n_pes - 1) % h->n_pes;
	uint64_t n = WORDS;
	void *args[] = { &dest, &src, &n };
	int err = src && dest && words ? 0 : MORI_SHMEM_ENOMEM;

	for (int i = 0; !err && i <= WORDS; i++)
		words[i] = i < WORDS ? word_of(h->me, i) : -1;
	if (!err)
		err = to_heap(h, src, words, (WORDS + 1) * sizeof(*words));
	for (int i = 0; !err && i <= WORDS; i++)
		words[i] = -1;
	if (!err)
		err = to_heap(h, dest, words, (WORDS + 1) * sizeof(*words));
	if (!err)
		err = mori_shmem_barrier_all();
	if (!err)
		err = launch(h, blocks, threads, args);
	if (!err)
		err = check_words(h, dest, left, words);
	if (err >= 0)
		printf("PE %d: %d words %s PE %d, %d wrong\n", h->me, WORDS, how, left, err);
	free(words);
	if (!err)
		err = mori_shmem_free(dest) || mori_shmem_free(src);
	return err;
}

int run_put_ring(struct host *h)
{
	return move_words(h, 1, 96, "put here by");
}

int run_get(struct host *h)
{
	return move_words(h, 3, 80, "got from");
}

int run_put_signal(struct host *h)
{
	int *box = mori_shmem_calloc(WORDS, sizeof(*box));
	int *next = mori_shmem_malloc(WORDS * sizeof(*next));
	uint64_t *signal = mori_shmem_calloc(1, sizeof(*signal)), n = WORDS;
	int *words = malloc(WORDS * sizeof(*words)), wrong = 0, sum = 0;
	void *args[] = { &box, &next, &n, &signal };
	int err = box && next && signal && words ? launch(h, 1, 64, args) : MORI_SHMEM_ENOMEM;

	if (!err)
		err = from_heap(h, words, box, WORDS * sizeof(*words));
	/* PE p gets what the PEs before it have added; PE 0 what all have added. */
	for (int pe = 0; pe < (h->me ? h->me : h->n_pes); pe++)
		sum += pe;
	for (int i = 0; !err && i < WORDS; i++)
		wrong += words[i] != sum;
	free(words);
	if (err)
		return err;
	printf("PE %d: %d words came with the signal, each %d, %d wrong\n", h->me, WORDS, sum,
	       wrong);
	err = mori_shmem_free(signal) || mori_shmem_free(next) || mori_shmem_free(box);
	return err ? err : wrong;
}

int run_value(struct host *h)
{
	size_t n = (size_t)h->n_pes;
	long *table = mori_shmem_calloc(n, sizeof(*table)),
	     *sum = mori_shmem_calloc(n, sizeof(*sum));
	long *seen = malloc(n * sizeof(*seen)), want;
	void *args[] = { &table, &sum };
	int wrong = 0, err = table && sum && seen ? launch(h, 1, 32, args) : MORI_SHMEM_ENOMEM;

	if (!err)
		err = from_heap(h, seen, table, n * sizeof(*seen));
	for (long pe = 0; !err && pe < h->n_pes; pe++)
		wrong += seen[pe] != 1000 * pe + h->me;
	if (!err)
		err = from_heap(h, seen, sum, n * sizeof(*seen));
	for (long pe = 0; !err && pe < h->n_pes; pe++) {
		want = 1000L * h->n_pes * (h->n_pes - 1) / 2 + pe * h->n_pes;
		wrong += seen[pe] != want;
	}
	free(seen);
	if (err)
		return err;
	printf("PE %d: wrote to %d PEs with p and read %d values with g, %d wrong\n", h->me,
	       h->n_pes, h->n_pes * h->n_pes, wrong);
	err = mori_shmem_free(sum) || mori_shmem_free(table);
	return err ? err : wrong;
}

/* Tickets rise in the order they were drawn, so a thread's must differ from all others. */
static int check_tickets(const uint64_t *tickets, int n, uint64_t all)
{
	char *drawn = calloc(all, 1);
	int wrong = drawn ? 0 : 1;

	for (int i = 0; drawn && i < n; i++)
		wrong += tickets[i] >= all || drawn[tickets[i]]++;
	free(drawn);
	return wrong;
}

int run_atomics(struct host *h)
{
	enum { BLOCKS = 4, THREADS = 48, N = BLOCKS * THREADS };
	uint64_t *next = mori_shmem_calloc(1, sizeof(*next)), count = 0, mine[N];
	uint64_t *tickets = mori_shmem_calloc(N, sizeof(*tickets));
	float *total = mori_shmem_calloc(1, sizeof(*total)), sum = 0;
	int32_t *first = mori_shmem_malloc(sizeof(*first)), nobody = -1, who = -1;
	void *args[] = { &next, &total, &first, &tickets };
	int wrong, err = next && tickets && total && first ? 0 : MORI_SHMEM_ENOMEM;

	if (!err)
		err = to_heap(h, first, &nobody, sizeof(nobody)) || mori_shmem_barrier_all();
	if (!err)
		err = launch(h, BLOCKS, THREADS, args);
	if (!err)
		err = mori_shmem_getmem_thread(&count, next, sizeof(count), 0, 0) ||
		      mori_shmem_getmem_thread(&sum, total, sizeof(sum), 0, 0) ||
		      mori_shmem_getmem_thread(&who, first, sizeof(who), 0, 0) ||
		      from_heap(h, mine, tickets, sizeof(mine));
	if (err)
		return err;
	wrong = check_tickets(mine, N, (uint64_t)N * (uint64_t)h->n_pes) +
		(count != (uint64_t)N * (uint64_t)h->n_pes) + (sum != 0.5f * N * (float)h->n_pes) +
		(who < 0 || who >= h->n_pes);
	printf("PE %d: %d of %llu tickets, PE %d was first, the sum is %g, %d wrong\n", h->me, N,
	       (unsigned long long)count, who, sum, wrong);
	err = mori_shmem_free(first) || mori_shmem_free(total) || mori_shmem_free(tickets) ||
	      mori_shmem_free(next);
	return err ? err : wrong;
}
