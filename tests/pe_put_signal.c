// SPDX-License-Identifier: MIT
/*
 * Put with signal, every form: a PE that has seen the signal sees the data, without a
 * barrier; there is exactly one signal a call, also for no bytes; a call that is
 * refused leaves data and signal alone.
 */
#define COVER_LIST(S, V, S0, V0) MORI_OPS_PUT_SIGNAL(S, thread)
#include "cover.h"

#define MAX								 4096
#define STRIDE								 (2 * GUARD + MAX)
#define SIZE_OF(body, scope, dest, src, n, size, sig, value, op, pe, qp) size

struct row {
	const char *name;
	size_t size; /* of an element */
	int (*put)(void *dest, const void *src, size_t n, void *sig, uint64_t value, int op,
		   int pe);
};

#define FORWARD(name, params, call)                                                                \
	static int do_##name(void *dest, const void *src, size_t n, void *sig, uint64_t value,     \
			     int op, int pe)                                                       \
	{                                                                                          \
		return CALL(name, dest, src, n, sig, value, op, pe, 0);                            \
	}
#define ROW(name, params, call) { #name, SIZE_OF call, do_##name },
MORI_OPS_PUT_SIGNAL(FORWARD, thread)
static const struct row rows[] = { MORI_OPS_PUT_SIGNAL(ROW, thread) };

static const int ops[] = { MORI_SHMEM_SIGNAL_SET, MORI_SHMEM_SIGNAL_ADD, 3, 4 };

struct shared {
	unsigned char *area; /* STRIDE bytes for each sender */
	uint64_t *sig;	     /* a word for each sender, and one behind */
	unsigned char *src;  /* the PE's own */
};

static int seed(int from, int to)
{
	return from * 1009 + to * 7 + 1;
}

/* The word starts at @from's and is to become this. */
static uint64_t signal_start(int from)
{
	return 0xfffffffffffffff0u + (uint64_t)from; /* an add carries over the edge */
}

static uint64_t signal_end(int from, int to, int op)
{
	uint64_t value = 1000u + (uint64_t)from * 100 + (uint64_t)to;

	return op == MORI_SHMEM_SIGNAL_ADD || op == 4 ? signal_start(from) + value : value;
}

static void send(const struct row *r, struct shared *s, size_t n, int op)
{
	for (int pe = 0; pe < n_pes; pe++) {
		fill(s->src, seed(me, pe), n * r->size);
		CHECK_EQ(r->name,
			 r->put(s->area + (size_t)me * STRIDE + GUARD, s->src, n, &s->sig[me],
				1000u + (uint64_t)me * 100 + (uint64_t)pe, op, pe),
			 0);
		if (strstr(r->name, "_nbi_"))
			MUST(mori_shmem_quiet_thread());
		memset(s->src, SPENT, MAX);
	}
}

static void round_of(const struct row *r, struct shared *s, size_t n, int op)
{
	poison(s->area, (size_t)n_pes * STRIDE);
	for (int pe = 0; pe <= n_pes; pe++)
		s->sig[pe] = signal_start(pe);
	BARRIER();
	send(r, s, n, op);
	for (int pe = 0; pe < n_pes; pe++) {
		AWAIT(&s->sig[pe], signal_end(pe, me, op));
		CHECK_AREA(r->name, s->area + (size_t)pe * STRIDE, 2 * GUARD + n * r->size, GUARD,
			   seed(pe, me), n * r->size);
	}
	BARRIER();
	for (int pe = 0; pe < n_pes; pe++)
		CHECK_EQ("once", s->sig[pe], signal_end(pe, me, op));
	CHECK_EQ("the word behind", s->sig[n_pes], signal_start(n_pes));
}

static void refused(const struct row *r, struct shared *s)
{
	static const int bad[] = { -1, 0, 1, 2, 5, 8, 11, 19, 1000 };

	poison(s->area, (size_t)n_pes * STRIDE);
	for (int pe = 0; pe <= n_pes; pe++)
		s->sig[pe] = signal_start(pe);
	fill(s->src, me, MAX);
	BARRIER();
	for (size_t i = 0; i < TEST_LEN(bad); i++)
		CHECK_EQ("wrong op", r->put(s->area, s->src, 8, &s->sig[me], 1, bad[i], me),
			 MORI_SHMEM_EINVAL);
	CHECK_EQ("signal not aligned",
		 r->put(s->area, s->src, 8, (char *)&s->sig[me] + 4, 1, ops[0], me),
		 MORI_SHMEM_EINVAL);
	CHECK_EQ("signal not symmetric", r->put(s->area, s->src, 8, s->src, 1, ops[0], me),
		 MORI_SHMEM_EINVAL);
	CHECK_EQ("data not symmetric", r->put(s->src, s->area, 8, &s->sig[me], 1, ops[0], me),
		 MORI_SHMEM_EINVAL);
	CHECK_EQ("no such PE", r->put(s->area, s->src, 8, &s->sig[me], 1, ops[0], n_pes),
		 MORI_SHMEM_EINVAL);
	BARRIER();
	CHECK_EQ("no data", not_poison(s->area, (size_t)n_pes * STRIDE), (size_t)n_pes * STRIDE);
	CHECK_EQ("own source", differs(s->src, me, MAX), MAX);
	for (int pe = 0; pe <= n_pes; pe++)
		CHECK_EQ("no signal", s->sig[pe], signal_start(pe));
}

static int test_pe(void)
{
	static const size_t counts[] = { 0, 1, 33, 500 };
	struct shared s = { pes_malloc((size_t)n_pes * STRIDE), pes_malloc(((size_t)n_pes + 1) * 8),
			    pes_private(MAX) };

	memset(s.src, SPENT, MAX);
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		for (size_t i = 0; i < TEST_LEN(rows); i++) {
			test_at(rows[i].name);
			for (size_t k = 0; k < TEST_LEN(counts) * TEST_LEN(ops); k++)
				round_of(&rows[i], &s, counts[k / 4], ops[k % 4]);
			refused(&rows[i], &s);
		}
	}
	cover_all();
	free(s.src);
	MUST(mori_shmem_free(s.sig));
	MUST(mori_shmem_free(s.area));
	return 0;
}
