// SPDX-License-Identifier: MIT
/*
 * Every get, blocking and not, of bytes and of each type, by every PE from every
 * PE: the bytes are those of that PE and place, and nothing beside them is touched.
 */
#define COVER_LIST(S, V, S0, V0) MORI_OPS_GET(S, thread)
#include "cover.h"

#define MAX						 65537
#define BIG						 (1 << 20)
#define SIZE_OF(body, scope, dest, src, n, size, pe, qp) size

struct row {
	const char *name;
	size_t size; /* of an element */
	int (*get)(void *dest, const void *src, size_t n, int pe);
};

#define FORWARD(name, params, call)                                                                \
	static int do_##name(void *dest, const void *src, size_t n, int pe)                        \
	{                                                                                          \
		return CALL(name, dest, src, n, pe, 0);                                            \
	}
#define ROW(name, params, call) { #name, SIZE_OF call, do_##name },
MORI_OPS_GET(FORWARD, thread)
static const struct row rows[] = { MORI_OPS_GET(ROW, thread) };

static const size_t sizes[] = { 0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 1000, 4096, MAX };
static const size_t shifts[][2] = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 3, 5 }, { 7, 7 }, { 8, 4 } };

/* @want: what PE @pe has at @src, made here. */
static void get_one(const struct row *r, const unsigned char *src, const unsigned char *want,
		    unsigned char *dest, size_t n, size_t to, size_t from, int pe)
{
	size_t bytes = n * r->size, off = GUARD + to;

	poison(dest, off + bytes + GUARD);
	CHECK_EQ(r->name, r->get(dest + off, src + from, n, pe), 0);
	if (strstr(r->name, "_nbi_"))
		MUST(mori_shmem_quiet_thread());
	CHECK_EQ("guard before", not_poison(dest, off), off);
	CHECK_MEM(r->name, dest + off, want + from, bytes);
	CHECK_EQ("guard after", not_poison(dest + off + bytes, GUARD), GUARD);
}

static void get_row(const struct row *r, const unsigned char *src, const unsigned char *want,
		    unsigned char *dest, int pe)
{
	for (size_t i = 0; i < TEST_LEN(sizes); i++) {
		for (size_t k = 0; k < TEST_LEN(shifts); k++) {
			if (r->size == 1 || !((shifts[k][0] | shifts[k][1]) % r->size))
				get_one(r, src, want, dest, sizes[i] / r->size, shifts[k][0],
					shifts[k][1], pe);
		}
	}
	get_one(r, src, want, dest, BIG / r->size, 0, 0, pe);
}

static int test_pe(void)
{
	unsigned char *src = pes_malloc(BIG + 16), *want = pes_private(BIG + 16);
	unsigned char *dest = pes_private(BIG + 16 + 2 * GUARD);
	unsigned char *mine = pes_private(BIG + 16);

	fill(src, me + 1, BIG + 16);
	memcpy(mine, src, BIG + 16);
	BARRIER();
	for (int pe = 0; pe < n_pes; pe++) {
		fill(want, pe + 1, BIG + 16);
		for (use_ctx = 0; use_ctx < 2; use_ctx++) {
			for (size_t i = 0; i < TEST_LEN(rows); i++) {
				test_at(rows[i].name);
				get_row(&rows[i], src, want, dest, pe);
			}
		}
	}
	use_ctx = 0;
	BARRIER();
	CHECK_MEM("the source is as it was", src, mine, BIG + 16);
	cover_all();
	free(mine);
	free(dest);
	free(want);
	MUST(mori_shmem_free(src));
	return 0;
}
