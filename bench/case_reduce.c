// SPDX-License-Identifier: MIT
/*
 * All-reduce of floats. Over MORI Shmem it is written here, in two phases: every PE
 * adds up its share of the vector from all PEs and stores the sums to all
 * them. A library with a reduction of its own is measured with that.
 */
#include "bench.h"

#include <string.h>

enum { CHUNK = 1024 }; /* floats that stay in the first cache between adding and storing */

static float value_at(const struct bench *b, size_t i, int pe)
{
	/* Whole numbers, so that sums are exact in any order. */
	return (float)((i * 31 + b->seed * 17 + (uint64_t)pe * 101) % 1021);
}

static void add_to(float *restrict sum, const float *restrict a, const float *restrict c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum[i] = a[i] + c[i];
}

#if API_HAS_REDUCE
static int run_reduce(struct bench *b, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = api_reduce((float *)b->dst, (const float *)b->src, b->len, b->scratch,
				 (unsigned)b->base++);
	return err;
}

static size_t scratch_len(const struct bench *b)
{
	return api_reduce_scratch(b->len);
}

static void scratch_prepare(struct bench *b)
{
	api_reduce_prepare(b->scratch);
}
#else
static void accumulate(float *restrict sum, const float *restrict a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum[i] += a[i];
}

/* @n floats of PE @pe at @src, readable here: in place, or copied to @buf. */
static const float *fetch(float *src, size_t n, int pe, float *buf)
{
	const float *at = api_ptr(src, pe);

	if (!at && !api_get(buf, src, n * sizeof(float), pe))
		at = buf;
	return at;
}

static int reduce_chunk(struct bench *b, size_t lo, size_t n)
{
	float *src = (float *)b->src + lo, *dst = (float *)b->dst + lo, buf[CHUNK];
	int err = 0, next = (b->me + 1) % b->n_pes;
	const float *from = fetch(src, n, next, buf);

	if (!from)
		return -1;
	add_to(dst, src, from, n);
	for (int i = 2; i < b->n_pes; i++) {
		from = fetch(src, n, (b->me + i) % b->n_pes, buf);
		if (!from)
			return -1;
		accumulate(dst, from, n);
	}
	for (int i = 1; i < b->n_pes && !err; i++)
		err = api_put_nbi(dst, dst, n * sizeof(float), (b->me + i) % b->n_pes);
	return err;
}

static int run_reduce(struct bench *b, size_t n)
{
	size_t share = (b->len / (size_t)b->n_pes + 16) / 16 * 16; /* whole cache lines */
	size_t lo = share * (size_t)b->me, hi = lo + share < b->len ? lo + share : b->len;
	int err = 0;

	for (size_t k = 0; k < n && !err; k++) {
		err = api_barrier(); /* every source is ready, every earlier result is read */
		for (size_t i = lo; i < hi && !err; i += CHUNK)
			err = reduce_chunk(b, i, hi - i < CHUNK ? hi - i : CHUNK);
		err |= api_barrier(); /* completes the puts */
	}
	return err;
}

static size_t scratch_len(const struct bench *b)
{
	(void)b;
	return 8;
}

static void scratch_prepare(struct bench *b)
{
	(void)b;
}
#endif

static int limit_reduce(struct bench *b, size_t n)
{
	for (size_t i = 0; i < n && b->me == 0; i++) {
		add_to((float *)b->dst, (const float *)b->src, b->peer_src, b->len);
		bench_keep();
	}
	return 0;
}

static int sums_right(const struct bench *b)
{
	for (size_t i = 0; i < b->len; i++) {
		float sum = 0;

		for (int pe = 0; pe < b->n_pes; pe++)
			sum += value_at(b, i, pe);
		if (((const float *)b->dst)[i] != sum)
			return 0;
	}
	return 1;
}

int case_allreduce(struct bench *b)
{
	int err = bench_open_buffers(b, b->len * sizeof(float)), right = 1;

	b->scratch = err ? NULL : api_malloc(scratch_len(b));
	if (!b->scratch)
		return -1;
	b->seed++;
	scratch_prepare(b);
	for (size_t i = 0; i < b->len; i++)
		((float *)b->src)[i] = value_at(b, i, b->me);
	bench_poison(b->dst, b->len * sizeof(float));
	err = api_barrier();
	if (!err)
		err = bench_together(b, run_reduce, &b->op);
	bench_spoil(b, b->dst, b->len * sizeof(float));
	right = sums_right(b);
	if (!err)
		err = api_barrier();
	if (!err)
		err = bench_together(b, limit_reduce, &b->limit);
	if (!err)
		err = bench_agree(b, right, &right);
	if (!err)
		err = api_free(b->scratch);
	if (!err)
		err = bench_close_buffers(b);
	return err || !right ? -1 : bench_row(b, "us", 1);
}
