// SPDX-License-Identifier: MIT
/*
 * Every put, blocking and not, of bytes and of each type, from every PE to every PE: the bytes
 * arrive, nothing beside them is touched, and the source may be reused after the call (or the
 * quiet).
 */
#define COVER_LIST(S, V, S0, V0) MORI_OPS_PUT(S, thread)
#include "cover.h"

#define MAX						 65537
#define BIG						 (1 << 20)
#define STRIDE						 (2 * GUARD + 16 + MAX)
#define SRC_LEN						 (MAX + 32)
#define SIZE_OF(body, scope, dest, src, n, size, pe, qp) size

struct row {
	const char *name;
	size_t size; /* of an element */
	int (*put)(void *dest, const void *src, size_t n, int pe);
};

#define FORWARD(name, params, call)                                                                \
	static int do_##name(void *dest, const void *src, size_t n, int pe)                        \
	{                                                                                          \
		return CALL(name, dest, src, n, pe, 0);                                            \
	}
#define ROW(name, params, call) { #name, SIZE_OF call, do_##name },
MORI_OPS_PUT(FORWARD, thread)
static const struct row rows[] = { MORI_OPS_PUT(ROW, thread) };

static const size_t sizes[] = { 0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 1000, 4096, MAX };
static const size_t shifts[][2] = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 3, 5 }, { 7, 7 }, { 8, 4 } };

/* What PE @from sends to PE @to. */
static int seed(int from, int to)
{
	return from * 1009 + to * 7 + 1;
}

static void put_all(const struct row *r, unsigned char *area, unsigned char *src, size_t n,
		    size_t to, size_t from)
{
	size_t bytes = n * r->size, size = 2 * GUARD + to + bytes;

	for (int pe = 0; pe < n_pes; pe++)
		poison(area + (size_t)pe * STRIDE, size);
	BARRIER();
	for (int pe = 0; pe < n_pes; pe++) {
		fill(src + from, seed(me, pe), bytes);
		CHECK_EQ(r->name,
			 r->put(area + (size_t)me * STRIDE + GUARD + to, src + from, n, pe), 0);
		if (strstr(r->name, "_nbi_"))
			MUST(mori_shmem_quiet_thread());
		memset(src + from, SPENT, bytes);
	}
	BARRIER();
	for (int pe = 0; pe < n_pes; pe++)
		CHECK_AREA(r->name, area + (size_t)pe * STRIDE, size, GUARD + to, seed(pe, me),
			   bytes);
}

static void put_row(const struct row *r, unsigned char *area, unsigned char *src)
{
	size_t n_shifts = strncmp(r->name, "putmem", 6) ? 1 : TEST_LEN(shifts);

	for (size_t i = 0; i < TEST_LEN(sizes); i++) {
		for (size_t k = 0; k < n_shifts; k++)
			put_all(r, area, src, sizes[i] / r->size, shifts[k][0], shifts[k][1]);
	}
}

/* A megabyte to the next PE, through each form. */
static void put_big(const struct row *r)
{
	unsigned char *dest = pes_malloc(BIG + 2 * GUARD), *src = pes_private(BIG);
	int next = (me + 1) % n_pes, prev = (me + n_pes - 1) % n_pes;

	fill(src, seed(me, next), BIG);
	BARRIER();
	CHECK_EQ(r->name, r->put(dest + GUARD, src, BIG / r->size, next), 0);
	BARRIER();
	CHECK_AREA(r->name, dest, BIG + 2 * GUARD, GUARD, seed(prev, me), BIG);
	free(src);
	MUST(mori_shmem_free(dest));
}

static int test_pe(void)
{
	unsigned char *area = pes_malloc((size_t)n_pes * STRIDE), *src = pes_private(SRC_LEN);

	memset(src, SPENT, SRC_LEN);
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		for (size_t i = 0; i < TEST_LEN(rows); i++) {
			test_at(rows[i].name);
			put_row(&rows[i], area, src);
			put_big(&rows[i]);
		}
	}
	cover_all();
	free(src);
	MUST(mori_shmem_free(area));
	return 0;
}
