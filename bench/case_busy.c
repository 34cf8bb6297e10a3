// SPDX-License-Identifier: MIT
/*
 * Operations on a PE that computes and makes no call of the library: for 80 ms at a
 * time PE 1 only counts. These cases show whether PE 0's operations complete meanwhile,
 * or only when PE 1 is done.
 */
#include "bench.h"

#include <time.h>

enum { BUSY_MS = 80, SETTLE_MS = 5, SPAN_MS = 60, LEAST_ROUNDS = 3, MOST_SAMPLES = 20000 };

static void compute(double ns)
{
	double end = bench_now() + ns;
	volatile uint64_t work = 1;

	while (bench_now() < end) {
		for (int i = 0; i < 1000; i++)
			work = work * 6364136223846793005u + 1442695040888963407u;
	}
}

static int put_once(struct bench *b)
{
	return api_put(b->dst, b->src, b->len, 1) | api_quiet();
}

static int get_once(struct bench *b)
{
	return api_get(b->dst, b->src, b->len, 1);
}

static int add_once(struct bench *b)
{
	return api_fetch_add(&b->board->word, 1, 1) == b->base++ ? 0 : -1;
}

/* While PE 1 computes: at least one, and as many as fit well before the end. */
static int busy_round(struct bench *b, int (*once)(struct bench *))
{
	struct timespec settle = { .tv_nsec = SETTLE_MS * 1000000 };
	double start = bench_now(), last, now;
	int err = 0;

	if (b->me == 1)
		compute(BUSY_MS * 1e6);
	if (b->me)
		return 0;
	nanosleep(&settle, NULL);
	do {
		last = bench_now();
		err = once(b);
		now = bench_now();
		if (b->op.n < MOST_SAMPLES)
			b->op.ns[b->op.n++] = now - last;
	} while (!err && now - start < SPAN_MS * 1e6);
	return err;
}

static int measure(struct bench *b, int (*once)(struct bench *), int from, int at)
{
	int err = bench_open_buffers(b, b->len), right = 1;
	uint64_t rounds = (uint64_t)(b->opt->row_ns / (BUSY_MS * 1e6)), expect = 0;

	b->seed++;
	b->base = b->seed << 32;
	b->op.n = b->limit.n = b->plain.n = 0;
	bench_fill(b, b->src, b->len, b->me);
	bench_poison(b->dst, b->len);
	__atomic_store_n(&b->board->word, b->base, __ATOMIC_RELAXED);
	if (!err)
		err = api_barrier();
	for (uint64_t i = 0; i < LEAST_ROUNDS + rounds && !err; i++) {
		err = busy_round(b, once);
		err |= api_barrier();
	}
	if (!err)
		err = bench_tell(b, b->base, &expect);
	bench_spoil(b, at < 0 ? (void *)&b->board->word : b->dst, 8);
	if (b->me == at)
		right = bench_right(b, b->dst, b->len, from);
	else if (at < 0 && b->me == 1)
		right = __atomic_load_n(&b->board->word, __ATOMIC_RELAXED) == expect;
	if (!err)
		err = bench_agree(b, right, &right);
	if (!err)
		err = bench_close_buffers(b);
	return err || !right ? -1 : bench_row(b, "us", 1);
}

int case_put_busy(struct bench *b)
{
	return measure(b, put_once, 0, 1);
}

int case_get_busy(struct bench *b)
{
	return measure(b, get_once, 1, 0);
}

int case_fetch_add_busy(struct bench *b)
{
	return measure(b, add_once, 0, -1);
}
