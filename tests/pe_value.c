// SPDX-License-Identifier: MIT
/*
 * One value to and from every PE, for each type, at the edges of the type; the
 * bits arrive as they are. Values by address and size too, with wrong sizes refused.
 */
#define COVER_LIST(S, V, S0, V0) MORI_OPS_VALUE(S, V, , thread) MORI_OPS_IMM(S)
#include "cover.h"

/* By PE, so that a value of the wrong PE is seen; bit patterns, edges of every width. */
static uint64_t edge(int i, int pe)
{
	static const uint64_t edges[] = { 0,
					  1,
					  0x7f7f7f7f7f7f7f7f,
					  0x8080808080808080,
					  0x7fffffffffffffff,
					  0x8000000000000000,
					  0xffffffffffffffff,
					  0x7fc012347fc01234, /* NaN with a payload, both halves */
					  0xfff8000000abcdef,
					  0x8000000080000000,
					  0x0123456789abcdef };

	if (i < (int)TEST_LEN(edges))
		return edges[i];
	return edges[10] * (uint64_t)(pe + 2) ^ (uint64_t)i;
}
#define EDGES 16

#define DO_P(name, type, ...)                                                                      \
	static int p_##name(void *dest, uint64_t bits, int pe)                                     \
	{                                                                                          \
		type v;                                                                            \
		memcpy(&v, &bits, sizeof(v));                                                      \
		return CALL(name##_p, dest, v, pe, 0);                                             \
	}
#define DO_G(name, type, ...)                                                                      \
	static void g_##name(const void *src, void *out, int pe)                                   \
	{                                                                                          \
		type v = CALL(name##_g, src, pe, 0);                                               \
		memcpy(out, &v, sizeof(v));                                                        \
	}
#define ROW(name, type, ...) { #name, sizeof(type), p_##name, g_##name },
MORI_EACH_VALUE_TYPE(DO_P, )
MORI_EACH_VALUE_TYPE(DO_G, )
static const struct row {
	const char *name;
	size_t size;
	int (*p)(void *dest, uint64_t bits, int pe);
	void (*g)(const void *src, void *out, int pe);
} rows[] = { MORI_EACH_VALUE_TYPE(ROW, ) };

/*
 * Every PE has a place of three words on every PE, of which only what begins at
 * the middle one may change.
 */
static unsigned char *place(unsigned char *words, int pe)
{
	return words + (size_t)pe * 24;
}

static void check_words(const char *name, unsigned char *words, int i, size_t size)
{
	for (int pe = 0; pe < n_pes; pe++) {
		const unsigned char *w = place(words, pe);
		uint64_t bits[2] = { edge(i, pe * 97 + me), ~edge(i, pe * 97 + me) };

		CHECK_EQ("before", not_poison(w, 8), 8);
		CHECK_MEM(name, w + 8, bits, size);
		CHECK_EQ("after", not_poison(w + 8 + size, 16 - size), 16 - size);
	}
}

static void try_type(const struct row *r, unsigned char *words, int i)
{
	for (int pe = 0; pe < n_pes; pe++)
		CHECK_EQ(r->name, r->p(place(words, me) + 8, edge(i, me * 97 + pe), pe), 0);
	BARRIER();
	check_words(r->name, words, i, r->size);
	for (int pe = 0; pe < n_pes; pe++) {
		uint64_t got = 0, want = edge(i, me * 97 + pe);

		r->g(place(words, me) + 8, &got, pe);
		CHECK_MEM(r->name, &got, &want, r->size);
	}
	BARRIER();
}

static void try_types(unsigned char *words)
{
	for (size_t r = 0; r < TEST_LEN(rows); r++) {
		test_at(rows[r].name);
		for (int i = 0; i < EDGES; i++) {
			poison(words, (size_t)n_pes * 24);
			BARRIER();
			try_type(&rows[r], words, i);
		}
	}
}

static void try_imm(unsigned char *words)
{
	static const size_t sizes[] = { 1, 2, 4, 8, 16 }, bad[] = { 0, 3, 5, 6, 7, 9, 15, 17, 32 };
	uint64_t bits[2];

	for (size_t s = 0; s < TEST_LEN(sizes); s++) {
		poison(words, (size_t)n_pes * 24);
		BARRIER();
		for (int pe = 0; pe < n_pes; pe++) {
			bits[0] = edge(15, me * 97 + pe);
			bits[1] = ~bits[0];
			CHECK_OK(CALL(put_size_imm_nbi_thread, place(words, me) + 8, bits, sizes[s],
				      pe, 0));
			bits[0] = bits[1] = 0; /* an immediate: taken when the call returns */
		}
		BARRIER();
		check_words("put_size_imm", words, 15, sizes[s]);
		BARRIER();
	}
	poison(words, (size_t)n_pes * 24);
	bits[0] = bits[1] = 5;
	BARRIER();
	for (size_t s = 0; s < TEST_LEN(bad); s++)
		CHECK_EQ("wrong size",
			 CALL(put_size_imm_nbi_thread, place(words, me), bits, bad[s], me, 0),
			 MORI_SHMEM_EINVAL);
	BARRIER();
	CHECK_EQ("untouched", not_poison(words, (size_t)n_pes * 24), (size_t)n_pes * 24);
}

static int test_pe(void)
{
	unsigned char *words = pes_malloc((size_t)n_pes * 24);

	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		try_types(words);
		try_imm(words);
	}
	cover_all();
	MUST(mori_shmem_free(words));
	return 0;
}
