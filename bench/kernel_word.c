// SPDX-License-Identifier: MIT
/*
 * p, g and fetch-add from kernels of PE 0 on memory of PE 1. Every word that p wrote, every
 * sum of g and every result of fetch-add is checked.
 */
#include "kernel.h"

#include <stdlib.h>

enum { WORDS = 64, STEP = 3, WORD = 8 }; /* words per caller; between neighbouring values */

/* The callers with words of their own: threads, or in block scope one. */
static size_t callers(const struct bench *b)
{
	return strcmp(b->scope, "block") ? b->kernel->threads : 1;
}

static int is(const struct bench *b, const char *name)
{
	return !strcmp(b->opt->name, name);
}

/* kernel_timed() passes b->len to the kernel: words per caller. */
static int run_named(struct bench *b, const char *name, const char *scope, size_t n)
{
	int err;

	b->len = WORDS;
	err = kernel_timed(b, name, scope, n, 1);
	b->len = WORD;
	return err;
}

static int run_word(struct bench *b, size_t n)
{
	return run_named(b, b->opt->name, b->scope, n);
}

static int run_plain(struct bench *b, size_t n)
{
	return run_named(b,
			 is(b, "p") ? "plain_p" :
			 is(b, "g") ? "plain_g" :
				      "plain_fetch_add",
			 NULL, n);
}

static int write_words(struct bench *b, void *heap, uint64_t first, uint64_t step, size_t n)
{
	uint64_t *words = malloc(n * sizeof(*words));
	int err = words ? 0 : -1;

	for (size_t i = 0; i < n && !err; i++)
		words[i] = first + step * i;
	if (!err)
		err = kernel_write(b, heap, words, n * sizeof(*words));
	free(words);
	return err;
}

/* Values for p come from @base; those for g are written; the counter starts at a seed. */
static int fresh(struct bench *b)
{
	size_t n = callers(b) * WORDS;
	int err;

	b->seed++;
	b->kernel->base = is(b, "p") ? b->seed << 40 | 1 : is(b, "fetch_add") ? 2 * b->seed + 1 : 0;
	err = write_words(b, b->src, b->seed << 40 | (uint64_t)b->me << 32, STEP, n);
	if (!err)
		err = write_words(b, b->dst, b->seed, 0, n + 1);
	if (!err)
		err = write_words(b, b->kernel->out, ~0ull, 0, b->kernel->threads);
	return err ? err : api_barrier();
}

/* On PE 1: the words of p, and none after them. */
static uint64_t wrong_p(struct bench *b, const uint64_t *words)
{
	uint64_t wrong = words[callers(b) * WORDS] != b->seed;

	for (size_t i = 0; i < callers(b) * WORDS; i++)
		wrong += words[i] != b->kernel->base + STEP * i;
	return wrong;
}

/* On PE 0: the sums of what PE 1 has. */
static uint64_t wrong_g(struct bench *b, const uint64_t *sums, size_t n)
{
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < callers(b); i++) {
		uint64_t first = (b->seed << 40 | 1ull << 32) + STEP * WORDS * i;

		wrong += sums[i] != n * (WORDS * first + STEP * (WORDS * (WORDS - 1) / 2));
	}
	return wrong;
}

/*
 * On PE 0: every call got a different value of the counter, which started as the seed and
 * has counted @groups calls per round. Lanes of a group get the same value.
 */
static uint64_t wrong_sums(struct bench *b, const uint64_t *sums, size_t n, uint64_t groups)
{
	uint64_t threads = b->kernel->threads, calls = n * groups, sum = 0, wrong = 0, lanes;

	if (!groups || groups > threads || (b->scope[0] == 't' && groups != threads) ||
	    (b->scope[0] == 'b' && groups != 1))
		return 1;
	for (lanes = 1; (threads + lanes - 1) / lanes > groups;)
		lanes *= 2; /* the width of a warp depends on the device */
	for (uint64_t i = 0; i < threads; i++) {
		wrong += sums[i] != sums[i / lanes * lanes];
		sum += i % lanes ? 0 : sums[i];
	}
	return wrong + (sum != calls * b->seed + b->kernel->base * (calls * (calls - 1) / 2));
}

static int check_add(struct bench *b, const uint64_t *sums, size_t n, uint64_t *wrong)
{
	uint64_t counter = 0, round = b->kernel->base * n;
	int err = api_get(&counter, b->dst, sizeof(counter), 1);

	counter -= b->seed;
	*wrong += counter % round || wrong_sums(b, sums, n, counter / round);
	return err;
}

static int check(struct bench *b, size_t n, uint64_t *wrong)
{
	size_t words = is(b, "p") ? callers(b) * WORDS + 1 : b->kernel->threads;
	void *from = is(b, "p") ? (void *)b->dst : (void *)b->kernel->out;
	uint64_t *seen = malloc(words * sizeof(*seen));
	int err = seen ? 0 : -1;

	if (b->me == is(b, "p") && !err) {
		err = kernel_spoil(b, from, WORD);
		if (!err)
			err = kernel_read(b, seen, from, words * sizeof(*seen));
		if (!err && is(b, "fetch_add"))
			err = check_add(b, seen, n, wrong);
		else if (!err)
			*wrong += is(b, "p") ? wrong_p(b, seen) : wrong_g(b, seen, n);
	}
	free(seen);
	return err;
}

static int row(struct bench *b)
{
	size_t batch = 1, n = callers(b) * WORDS + 1;
	int err = bench_open_buffers(b, n * WORD), right = 1;
	uint64_t wrong = 0;

	b->kernel->word = b->kernel->out;
	if (!err)
		err = fresh(b);
	if (!err && b->me == 0)
		err = bench_turns(b, run_word, NULL, kernel_limits(b) ? run_plain : NULL, &batch);
	if (!err)
		err = api_barrier();
	if (!err)
		err = fresh(b);
	if (!err && b->me == 0)
		err = bench_again(b, run_word, batch);
	if (!err)
		err = api_barrier();
	if (!err)
		err = check(b, batch, &wrong);
	if (!err)
		err = bench_agree(b, !wrong, &right);
	if (!err)
		err = bench_close_buffers(b);
	if (err || !right)
		return -1;
	if (is(b, "p"))
		return bench_row(b, "M/s", (double)(WORDS * callers(b)));
	return bench_row(b, "us", is(b, "g") ? WORDS : 1);
}

int kernel_word(struct bench *b)
{
	return kernel_rows(b, "data", "word", row);
}
