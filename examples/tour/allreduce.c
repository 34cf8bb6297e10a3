// SPDX-License-Identifier: MIT
/*
 * The last step of the host: the all-reduce of a tensor-parallel layer, 64 x 7168 values in
 * bf16, added in fp32. Each PE adds one slice of all PEs' inputs and writes the sum
 * to every PE: every value crosses once in each direction, and there are two barriers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tour.h"

#define ROWS   64
#define COLS   7168
#define COUNT  ((size_t)ROWS * COLS)
#define CHUNK  1024 /* sums held at a time, in the first-level cache */
#define REPEAT 11

static float from_bf16(uint16_t v)
{
	uint32_t bits = (uint32_t)v << 16;
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

/* Round to nearest, ties to even; there are no NaNs here. */
static uint16_t to_bf16(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/*
 * The inputs: whole numbers, exact in bf16, and their sums exact in fp32, so the
 * reference does not depend on the order of adding; but not exact in bf16, so a
 * sum that was kept in bf16 is detected.
 */
#define PERIOD 509

static int part_of_pe(int pe, size_t i)
{
	return (int)((pe * 7919u + i * (2 * pe + 3u) * 31u) % 193) - 96;
}

static int part_of_place(size_t i)
{
	return (int)(i / PERIOD * 7 % 61) - 30;
}

static uint64_t count_wrong(const struct tour *t, const uint16_t *out)
{
	uint64_t bad = 0;
	float sum[PERIOD];

	for (size_t i = 0; i < PERIOD; i++) {
		sum[i] = 0;
		for (int pe = 0; pe < t->n; pe++)
			sum[i] += part_of_pe(pe, i);
	}
	for (size_t i = 0; i < COUNT; i++) {
		float want = sum[i % PERIOD] + (float)t->n * part_of_place(i);

		bad += out[i] != to_bf16(want);
	}
	return bad;
}

struct reduce {
	const uint16_t **peer; /* input of each PE if a load reaches it, else NULL */
	uint16_t *in, *out;    /* symmetric */
	uint16_t *all;	       /* as many values, in memory of the host */
	uint16_t far[CHUNK];   /* what had to be fetched */
	float sum[CHUNK];
};

/* The sum of all PEs' values first .. first + n - 1, in memory of the host. */
static void add_chunk(const struct tour *t, struct reduce *x, size_t first, size_t n)
{
	memset(x->sum, 0, sizeof(x->sum));
	for (int pe = 0; pe < t->n; pe++) {
		const uint16_t *v = x->peer[pe] ? x->peer[pe] + first : x->far;

		if (!x->peer[pe])
			must(mori_shmem_get_uint16_thread(x->far, x->in + first, n, pe, 0), "get");
		for (size_t i = 0; i < n; i++)
			x->sum[i] += from_bf16(v[i]);
	}
	for (size_t i = 0; i < n; i++)
		x->all[first + i] = to_bf16(x->sum[i]);
}

static void allreduce(const struct tour *t, struct reduce *x)
{
	size_t first = COUNT * t->me / t->n, end = COUNT * (t->me + 1) / t->n;

	must(mori_shmem_barrier_all(), "barrier_all"); /* all inputs are written */
	for (size_t at = first; at < end; at += CHUNK)
		add_chunk(t, x, at, end - at < CHUNK ? end - at : CHUNK);
	for (int by = 0; by < t->n; by++) /* not all to the same PE at the same time */
		must(mori_shmem_put_uint16_nbi_thread(x->out + first, x->all + first, end - first,
						      (t->me + by) % t->n, 0),
		     "put");
	must(mori_shmem_barrier_all(), "barrier_all"); /* all sums have arrived */
}

void step_allreduce(struct tour *t, struct result *r)
{
	struct reduce *x = must_have(calloc(1, sizeof(*x)), "calloc");
	double ns[REPEAT];

	x->in = must_have(mori_shmem_malloc(COUNT * sizeof(*x->in)), "malloc");
	x->out = must_have(mori_shmem_calloc(COUNT, sizeof(*x->out)), "calloc");
	x->peer = must_have(calloc(t->n, sizeof(*x->peer)), "calloc");
	x->all = must_have(calloc(COUNT, sizeof(*x->all)), "calloc");
	for (int pe = 0; t->plain && pe < t->n; pe++)
		x->peer[pe] = (const uint16_t *)(uintptr_t)mori_shmem_ptr_p2p((uintptr_t)x->in,
									      t->me, pe);
	for (size_t i = 0; i < COUNT; i++)
		x->all[i] = to_bf16(part_of_pe(t->me, i % PERIOD) + part_of_place(i));
	to_heap(t, x->in, x->all, COUNT * sizeof(*x->in));

	for (int i = 0; i < REPEAT; i++) {
		uint64_t t0 = mori_clock_ns();

		allreduce(t, x);
		ns[i] = mori_clock_ns() - t0;
	}
	from_heap(t, x->all, x->out, COUNT * sizeof(*x->out));
	r->bad = count_wrong(t, x->all);

	r->title = "all-reduce";
	r->how = t->plain ? "plain loads through mori_shmem_ptr_p2p, "
			    "mori_shmem_put_uint16_nbi_thread, barriers" :
			    "mori_shmem_get_uint16_thread, mori_shmem_put_uint16_nbi_thread, "
			    "barriers";
	snprintf(r->what, sizeof(r->what),
		 "%d x %d bf16 values of each PE, added in fp32, the sum compared on every PE.",
		 ROWS, COLS);
	r->ns = median(ns, REPEAT);
	r->unit = "an all-reduce";

	free(x->all);
	free(x->peer);
	must(mori_shmem_free(x->out), "free");
	must(mori_shmem_free(x->in), "free");
	free(x);
}
