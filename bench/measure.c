// SPDX-License-Identifier: MIT
/*
 * Sampling, statistics, patterns and rows of the bench program. A sample is the
 * time of a batch, long enough for the clock not to matter, divided by the batch.
 */
#include "bench.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MIN_SAMPLES = 9,
	MAX_SAMPLES = 20000,
	MAX_BATCH = 1 << 20,
};

void bench_wait(const struct bench *b, uint64_t *word, uint64_t value)
{
	/* Acquire: pairs with the release store of the thread that ran before. */
	for (unsigned i = 1; __atomic_load_n(word, __ATOMIC_ACQUIRE) < value; i++) {
		if (i % b->spins == 0)
			sched_yield();
#if defined(__x86_64__)
		else
			__builtin_ia32_pause();
#endif
	}
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15ull;
	return x ^ (x >> 29);
}

static uint64_t pattern_start(const struct bench *b, int pe)
{
	return mix(b->seed * 2654435761u + (uint64_t)pe + 1);
}

void bench_fill(struct bench *b, void *buf, size_t len, int pe)
{
	uint64_t at = pattern_start(b, pe);
	unsigned char *out = buf;

	for (size_t i = 0; i < len; i += 8) {
		uint64_t word = mix(at + i);

		memcpy(out + i, &word, len - i < 8 ? len - i : 8);
	}
}

int bench_right(struct bench *b, const void *buf, size_t len, int pe)
{
	uint64_t at = pattern_start(b, pe);
	const unsigned char *in = buf;

	for (size_t i = 0; i < len; i += 8) {
		uint64_t word = mix(at + i);

		if (memcmp(in + i, &word, len - i < 8 ? len - i : 8))
			return 0;
	}
	return 1;
}

void bench_poison(void *buf, size_t len)
{
	memset(buf, 0xa5, len);
}

void bench_spoil(struct bench *b, void *buf, size_t len)
{
	if (b->opt->spoil && len)
		((unsigned char *)buf)[len / 2] ^= 0x10;
}

int bench_open_buffers(struct bench *b, size_t len)
{
	b->src = api_malloc(len);
	b->dst = b->src ? api_malloc(len) : NULL;
	if (!b->dst)
		return -1;
	b->peer_src = b->n_pes > 1 ? api_ptr(b->src, 1) : b->src;
	b->peer_dst = b->n_pes > 1 ? api_ptr(b->dst, 1) : b->dst;
	b->path = b->peer_dst ? "p2p" : "net";
	if (!b->peer_src || !b->peer_dst) {
		b->peer_src = b->src;
		b->peer_dst = b->dst;
	}
	return 0;
}

int bench_close_buffers(struct bench *b)
{
	int err = api_free(b->dst);

	return api_free(b->src) || err ? -1 : 0;
}

static void sample_add(struct samples *s, double ns)
{
	if (s->n < MAX_SAMPLES)
		s->ns[s->n++] = ns;
}

static int timed(struct bench *b, bench_fn op, size_t batch, double *ns)
{
	double start = bench_now();
	int err;

	b->clock_ns = 0;
	err = op(b, batch);
	*ns = b->clock_ns > 0 ? b->clock_ns : bench_now() - start;
	return err;
}

/*
 * How many calls make a batch; the attempts are the warm-up. Something may have come
 * between, so a batch that was long enough is tried again.
 */
static int calibrate(struct bench *b, bench_fn op, size_t *batch)
{
	double ns = 0, again = 0;
	int err = timed(b, op, 1, &ns);

	*batch = 1;
	while (!err && *batch < MAX_BATCH) {
		err = timed(b, op, *batch, &ns);
		if (!err && ns >= b->batch_ns)
			err = timed(b, op, *batch, &again);
		if (ns >= b->batch_ns && again >= b->batch_ns)
			break;
		*batch *= 2;
	}
	return err;
}

/* Over a network the other end may have to be woken first; that is not counted. */
static int sample(struct bench *b, bench_fn op, size_t batch, struct samples *out)
{
	double ns = 0;
	int err = op && bench_over_net(b) ? op(b, 1) : 0;

	if (op && !err)
		err = timed(b, op, batch, &ns);
	if (op)
		sample_add(out, ns / (double)batch);
	return err;
}

int bench_turns(struct bench *b, bench_fn op, bench_fn limit, bench_fn plain, size_t *batch)
{
	size_t limit_batch = 1, plain_batch = 1;
	double end;
	int err = calibrate(b, op, batch);

	if (!err && limit)
		err = calibrate(b, limit, &limit_batch);
	if (!err && plain)
		err = calibrate(b, plain, &plain_batch);
	b->op.n = b->limit.n = b->plain.n = 0;
	end = bench_now() + (1 + !!limit + !!plain) * b->opt->row_ns;
	while (!err && b->op.n < MAX_SAMPLES && (b->op.n < MIN_SAMPLES || bench_now() < end)) {
		err = sample(b, op, *batch, &b->op);
		if (!err)
			err = sample(b, limit, limit_batch, &b->limit);
		if (!err)
			err = sample(b, plain, plain_batch, &b->plain);
	}
	return err;
}

int bench_alone(struct bench *b, bench_fn op, struct samples *out)
{
	size_t batch = 1;
	int err = calibrate(b, op, &batch);
	double end = bench_now() + b->opt->row_ns;

	out->n = 0;
	while (!err && out->n < MAX_SAMPLES && (out->n < MIN_SAMPLES || bench_now() < end))
		err = sample(b, op, batch, out);
	return err;
}

int bench_again(struct bench *b, bench_fn op, size_t batch)
{
	double ns = 0;
	int err = timed(b, op, batch, &ns);

	/* The caches are cold for this one, so it is checked but not counted. */
	return err;
}

int bench_tell(struct bench *b, uint64_t value, uint64_t *out)
{
	int err = 0;

	for (int pe = 0; b->me == 0 && !err && pe < b->n_pes; pe++)
		err = api_p(&b->board->told, value, pe);
	if (err || api_barrier())
		return -1;
	*out = api_g(&b->board->told, b->me);
	return api_barrier();
}

/* PE 0 times what all do; it distributes the number, so that all do the same. */
static int together_batch(struct bench *b, bench_fn op, uint64_t *batch, double *ns)
{
	uint64_t next = 1;
	int err = op(b, 1);

	while (!err) {
		*batch = next;
		err = timed(b, op, *batch, ns);
		next = *ns < b->batch_ns && *batch < MAX_BATCH ? *batch * 2 : 0;
		if (!err)
			err = bench_tell(b, next, &next);
		if (!next)
			break;
	}
	return err;
}

int bench_together(struct bench *b, bench_fn op, struct samples *out)
{
	uint64_t batch = 1, rounds = MIN_SAMPLES;
	double ns = 0;
	int err = together_batch(b, op, &batch, &ns);

	if (!err && b->me == 0 && ns > 0)
		rounds = (uint64_t)fmin(fmax(b->opt->row_ns / ns, MIN_SAMPLES), MAX_SAMPLES);
	if (!err)
		err = bench_tell(b, rounds, &rounds);
	out->n = 0;
	for (uint64_t i = 0; !err && i < rounds; i++) {
		err = timed(b, op, batch, &ns);
		sample_add(out, ns / (double)batch);
	}
	return err;
}

int bench_agree(struct bench *b, int right, int *all)
{
	uint64_t wrong = 0;
	int err = 0;

	if (!right) {
		fprintf(stderr, "mori-bench: %s, size %zu, %s, grid %s: wrong data on PE %d\n",
			b->opt->name, b->len, b->scope, b->grid, b->me);
		err = api_add(&b->board->wrong, 1, 0);
	}
	if (err || api_barrier())
		return -1;
	if (b->me == 0)
		wrong = api_g(&b->board->wrong, 0);
	err = bench_tell(b, wrong, &wrong);
	*all = !wrong;
	return err;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct stats bench_stats(struct samples *s)
{
	struct stats st = { 0, 0 };

	if (s->n) {
		qsort(s->ns, s->n, sizeof(*s->ns), by_value);
		st.p50 = s->ns[s->n / 2];
		st.p99 = s->ns[(s->n - 1) * 99 / 100];
	}
	return st;
}

static double in_unit(const char *unit, double ns, double per)
{
	if (!strcmp(unit, "GB/s"))
		return per / ns;
	if (!strcmp(unit, "M/s"))
		return per / ns * 1e3;
	return ns / per / (strcmp(unit, "ms") ? 1e3 : 1e6);
}

static int row_write(struct bench *b, const char *who, const char *path, const char *unit,
		     struct stats st, double per)
{
	char line[256];
	int len = snprintf(line, sizeof(line), "%s,%zu,%d,%s,%s,%.6g,%.6g,%s,%s,%s\n", b->opt->name,
			   b->len, b->n_pes, who, path, in_unit(unit, st.p50, per),
			   in_unit(unit, st.p99, per), unit, b->scope, b->grid);

	return write(b->opt->out, line, (size_t)len) == len ? 0 : -1;
}

int bench_row(struct bench *b, const char *unit, double per)
{
	int err = 0;

	if (b->me)
		return 0;
	if (b->op.n)
		err = row_write(b, API_NAME, b->path, unit, bench_stats(&b->op), per);
	if (!err && b->limit.n)
		err = row_write(b, "limit", API_NAME, unit, bench_stats(&b->limit), per);
	if (!err && b->plain.n)
		err = row_write(b, "plain", API_NAME, unit, bench_stats(&b->plain), per);
	return err;
}
