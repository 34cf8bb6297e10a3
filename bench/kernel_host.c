// SPDX-License-Identifier: MIT
/*
 * What a host does for its kernels: the barrier on a stream, symmetric memory, and init,
 * which bench.c has timed already.
 */
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 4096, MOST_BLOCKS = 256 };

static int run_barriers(struct bench *b, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = api_barrier_on_stream(b->kernel->stream);
	return err ? err : kernel_wait(b);
}

/* An empty launch is the least that any operation on a stream costs. */
static int run_empty(struct bench *b, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = kernel_start(b, b->kernel->own, "empty", NULL);
	return err ? err : kernel_wait(b);
}

/* What the left neighbour wrote before the barrier on the stream is there after it. */
static int barrier_holds(struct bench *b, uint64_t *wrong)
{
	uint64_t *word = &b->kernel->words->word, seen = 0;
	int left = (b->me + b->n_pes - 1) % b->n_pes, err = 0;

	for (uint64_t i = 1; i <= 8 && !err; i++) {
		err = api_p(word, i << 20 | (uint64_t)b->me, (b->me + 1) % b->n_pes);
		if (!err)
			err = run_barriers(b, 1);
		if (!err)
			err = kernel_spoil(b, word, sizeof(*word));
		if (!err)
			err = kernel_read(b, &seen, word, sizeof(seen));
		*wrong += seen != (i << 20 | (uint64_t)left);
		if (!err)
			err = run_barriers(b, 1);
	}
	return err;
}

static int row_barrier(struct bench *b)
{
	uint64_t wrong = 0;
	int right = 1, err = bench_together(b, run_barriers, &b->op);

	if (!err && kernel_limits(b))
		err = bench_together(b, run_empty, &b->plain);
	if (!err)
		err = barrier_holds(b, &wrong);
	if (!err)
		err = bench_agree(b, !wrong, &right);
	snprintf(b->grid, sizeof(b->grid), "-");
	return err || !right ? -1 : bench_row(b, "us", 1);
}

/* Only the mallocs are timed; blocks do not overlap, and each is the same on every PE. */
static int run_malloc(struct bench *b, size_t n)
{
	char **block = b->scratch;
	size_t some = n < MOST_BLOCKS ? n : MOST_BLOCKS;
	double ns = 0, start;
	int err = 0;

	for (size_t done = 0; done < n && !err; done += some) {
		start = bench_now();
		for (size_t i = 0; i < some; i++)
			block[i] = api_malloc(BLOCK);
		ns += bench_now() - start;
		for (size_t i = 0; i < some && !err; i++) {
			err = block[i] ? 0 : -1;
			for (size_t k = 0; k < i && !err; k++)
				err = labs(block[i] - block[k]) < BLOCK ? -1 : 0;
		}
		for (size_t i = some; i-- > 0 && !err;)
			err = api_free(block[i]);
	}
	b->clock_ns = ns;
	return err;
}

/* The other PEs can access a block too. */
static int malloc_holds(struct bench *b, uint64_t *wrong)
{
	uint64_t *word = api_malloc(BLOCK), seen = 0;
	int left = (b->me + b->n_pes - 1) % b->n_pes;
	int err = word ? api_p(word, b->seed + (uint64_t)b->me, (b->me + 1) % b->n_pes) : -1;

	if (!err)
		err = api_barrier();
	if (!err)
		err = kernel_spoil(b, word, sizeof(*word));
	if (!err)
		err = kernel_read(b, &seen, word, sizeof(seen));
	*wrong += seen != b->seed + (uint64_t)left;
	return err ? err : api_free(word);
}

static int row_malloc(struct bench *b)
{
	char *block[MOST_BLOCKS];
	uint64_t wrong = 0;
	int right = 1, err;

	b->scratch = block;
	err = bench_together(b, run_malloc, &b->op);
	if (!err)
		err = malloc_holds(b, &wrong);
	if (!err)
		err = bench_agree(b, !wrong, &right);
	snprintf(b->grid, sizeof(b->grid), "-");
	b->len = BLOCK;
	return err || !right ? -1 : bench_row(b, "us", 1);
}

/* A barrier, and a word that went round, show that the world is complete. */
static int row_init(struct bench *b)
{
	uint64_t wrong = 0;
	int right = 1, err = malloc_holds(b, &wrong);

	return err || bench_agree(b, !wrong, &right) || !right ? -1 : 0;
}

int kernel_host(struct bench *b)
{
	return kernel_rows(b, "data", "sync",
			   !strcmp(b->opt->name, "init")       ? row_init :
			   !strcmp(b->opt->name, "sym_malloc") ? row_malloc :
								 row_barrier);
}
