// SPDX-License-Identifier: MIT
/*
 * One word at a time: p, g and atomics of PE 0 on PE 1's memory, compared with the
 * plain instruction on the same word. Results of calls are checked as they come.
 */
#include "bench.h"

enum {
	WORDS = 1024, /* one run of p or g; 8 KiB, so that the cache is not the limit */
	STEP = 3,     /* between the values of neighbours */
};

static uint64_t value_at(const struct bench *b, size_t i)
{
	return b->seed * 0x100000001b3ull + i * STEP + 1;
}

static int run_p(struct bench *b, size_t n)
{
	uint64_t *dst = (uint64_t *)b->dst;
	int err = 0;

	for (size_t k = 0; k < n; k++) {
		uint64_t value = value_at(b, 0);

		for (size_t i = 0; i < WORDS; i++, value += STEP)
			err |= api_p(dst + i, value, 1);
	}
	return err | api_quiet();
}

static int limit_p(struct bench *b, size_t n)
{
	uint64_t *dst = b->peer_dst;

	for (size_t k = 0; k < n; k++) {
		uint64_t value = value_at(b, 0);

		for (size_t i = 0; i < WORDS; i++, value += STEP)
			__atomic_store_n(dst + i, value, __ATOMIC_RELAXED);
	}
	return 0;
}

static uint64_t sum_of_words(const struct bench *b)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < WORDS; i++)
		sum += value_at(b, i);
	return sum;
}

static int run_g(struct bench *b, size_t n)
{
	const uint64_t *src = (const uint64_t *)b->src;
	uint64_t sum = 0;

	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < WORDS; i++)
			sum += api_g(src + i, 1);
	}
	b->base |= sum != n * sum_of_words(b);
	return 0;
}

static int limit_g(struct bench *b, size_t n)
{
	uint64_t *src = b->peer_src, sum = 0;

	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < WORDS; i++)
			sum += __atomic_load_n(src + i, __ATOMIC_RELAXED);
	}
	b->base |= sum != n * sum_of_words(b);
	return 0;
}

static int fresh(struct bench *b)
{
	b->seed++;
	bench_poison(b->dst, WORDS * 8);
	for (size_t i = 0; i < WORDS; i++)
		((uint64_t *)b->src)[i] = value_at(b, i);
	return api_barrier();
}

static int words_right(struct bench *b, const void *buf)
{
	for (size_t i = 0; i < WORDS; i++) {
		if (((const uint64_t *)buf)[i] != value_at(b, i))
			return 0;
	}
	return 1;
}

static int wire_words(struct bench *b, size_t n)
{
	return bench_wire(b, n * WORDS, 8, 8);
}

static int measure_words(struct bench *b, bench_fn op, bench_fn limit, int put)
{
	int err = bench_open_buffers(b, WORDS * 8), right = 1;
	size_t batch = 1;

	b->base = 0;
	if (!err)
		err = bench_limit(b, limit, wire_words, &limit);
	if (!err)
		err = fresh(b);
	if (!err && b->me == 0)
		err = bench_turns(b, op, limit, NULL, &batch);
	if (!err)
		err = api_barrier();
	if (!err)
		err = fresh(b);
	if (!err && b->me == 0)
		err = bench_again(b, op, batch);
	if (!err)
		err = api_barrier();
	bench_spoil(b, put ? (void *)b->dst : &b->base, 8);
	if (put && b->me == 1)
		right = words_right(b, b->dst);
	else if (!put && b->me == 0)
		right = !b->base;
	if (!err)
		err = bench_agree(b, right, &right);
	if (!err)
		err = bench_limit_end(b);
	return err || !right ? -1 : 0;
}

int case_p(struct bench *b)
{
	return measure_words(b, run_p, limit_p, 1) ? -1 : bench_row(b, "M/s", WORDS);
}

int case_g(struct bench *b)
{
	return measure_words(b, run_g, limit_g, 0) ? -1 : bench_row(b, "us", WORDS);
}

/*
 * Atomics count: PE 1's word must stand at b->base, which every call here moves
 * on by one. A result that is not the value before is wrong.
 */
static int run_fetch_add(struct bench *b, size_t n)
{
	uint64_t bad = 0;

	for (size_t i = 0; i < n; i++)
		bad |= api_fetch_add(&b->board->word, 1, 1) ^ b->base++;
	return bad ? -1 : 0;
}

static int run_compare_swap(struct bench *b, size_t n)
{
	uint64_t bad = 0;

	for (size_t i = 0; i < n; i++, b->base++)
		bad |= api_compare_swap(&b->board->word, b->base, b->base + 1, 1) ^ b->base;
	return bad ? -1 : 0;
}

static int run_add(struct bench *b, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n; i++)
		err |= api_add(&b->board->word, 1, 1);
	b->base += n;
	return err | api_quiet();
}

static int limit_fetch_add(struct bench *b, size_t n)
{
	uint64_t *word = b->peer_dst, old = __atomic_load_n(word, __ATOMIC_RELAXED), bad = 0;

	for (size_t i = 0; i < n; i++)
		bad |= __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST) ^ old++;
	return bad ? -1 : 0;
}

static int limit_compare_swap(struct bench *b, size_t n)
{
	uint64_t *word = b->peer_dst, old = __atomic_load_n(word, __ATOMIC_RELAXED);
	int ok = 1;

	for (size_t i = 0; i < n; i++, old++) {
		uint64_t expect = old;

		ok &= __atomic_compare_exchange_n(word, &expect, old + 1, 0, __ATOMIC_SEQ_CST,
						  __ATOMIC_SEQ_CST);
	}
	return ok ? 0 : -1;
}

static int limit_add(struct bench *b, size_t n)
{
	uint64_t *word = b->peer_dst;

	for (size_t i = 0; i < n; i++)
		(void)__atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static int wire_word(struct bench *b, size_t n)
{
	return bench_wire(b, n, 8, 8);
}

static int measure_atomic(struct bench *b, bench_fn op, bench_fn limit)
{
	uint64_t expect = 0;
	size_t batch = 1;
	int err = bench_open_buffers(b, 128), right = 1;

	b->seed++;
	b->base = b->seed << 32; /* both halves of the word change */
	__atomic_store_n(&b->board->word, b->base, __ATOMIC_RELAXED);
	bench_poison(b->dst, 128);
	if (!err)
		err = bench_limit(b, limit, wire_word, &limit);
	if (!err)
		err = api_barrier();
	if (!err && b->me == 0)
		err = bench_turns(b, op, limit, NULL, &batch);
	if (!err)
		err = bench_tell(b, b->base, &expect);
	bench_spoil(b, &b->board->word, 8);
	if (b->me == 1)
		right = __atomic_load_n(&b->board->word, __ATOMIC_RELAXED) == expect;
	if (!err)
		err = bench_agree(b, right, &right);
	if (!err)
		err = bench_limit_end(b);
	return err || !right ? -1 : bench_row(b, "us", 1);
}

int case_fetch_add(struct bench *b)
{
	return measure_atomic(b, run_fetch_add, limit_fetch_add);
}

int case_compare_swap(struct bench *b)
{
	return measure_atomic(b, run_compare_swap, limit_compare_swap);
}

int case_add(struct bench *b)
{
	return measure_atomic(b, run_add, limit_add);
}
