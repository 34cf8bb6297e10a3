// SPDX-License-Identifier: MIT
/*
 * Every atomic, by code and by name, for each type, at the edges of the type, to
 * every PE: the new value, the old one, and nothing beside the word. Contention
 * is pe_contend.c's.
 */
#define COVER_LIST(S, V, S0, V0) MORI_OPS_AMO(S, V, thread) MORI_OPS_AMO_SIZE(S)
#include "cover.h"

/* All values travel as 64 bits; a 32-bit type uses the lower half. */
typedef uint64_t (*amo_fn)(void *dest, uint64_t v, uint64_t c, int op, int pe);

struct row {
	const char *name;
	size_t size;
	int op;	     /* its code; decides what the row must do */
	amo_fn call; /* returns the old value, or the status for a code without one */
};

#define DO_AMO(id, expr)                                                                           \
	static uint64_t id(void *d, uint64_t v, uint64_t c, int op, int pe)                        \
	{                                                                                          \
		(void)v, (void)c, (void)op;                                                        \
		return (uint64_t)(expr);                                                           \
	}
#define BY_CODE(name, type, ...)                                                                   \
	DO_AMO(post_##name, CALL(atomic_##name##_nonfetch_thread, d, (type)v, op, pe, 0))          \
	DO_AMO(fetch_##name, CALL(atomic_##name##_fetch_thread, d, (type)v, (type)c, op, pe, 0))
#define PLAIN(name, type, ...)                                                                     \
	DO_AMO(inc_##name, CALL(name##_atomic_inc_thread, d, pe, 0))                               \
	DO_AMO(plain_fetch_##name, CALL(name##_atomic_fetch_thread, d, pe, 0))                     \
	DO_AMO(fetch_inc_##name, CALL(name##_atomic_fetch_inc_thread, d, pe, 0))                   \
	DO_AMO(cas_##name, CALL(name##_atomic_compare_swap_thread, d, (type)c, (type)v, pe, 0))
#define NAMED(op, CODE, name, type)                                                                \
	DO_AMO(op##_##name, CALL(name##_atomic_##op##_thread, d, (type)v, pe, 0))
#define ALL_NAMED(name, type, ...)                                                                 \
	MORI_EACH_AMO_POST(NAMED, name, type) MORI_EACH_AMO_FETCH(NAMED, name, type)
MORI_EACH_AMO_TYPE(BY_CODE, )
MORI_EACH_AMO_TYPE(PLAIN, )
MORI_EACH_AMO_TYPE(ALL_NAMED, )
DO_AMO(post_size4, CALL(atomic_size_nonfetch_thread, d, &v, 4, op, pe, 0))
DO_AMO(post_size8, CALL(atomic_size_nonfetch_thread, d, &v, 8, op, pe, 0))

#define ROW_CODE(op, CODE, name, type)                                                             \
	{ #op "_" #name, sizeof(type), MORI_SHMEM_AMO_##CODE, op##_##name },
#define ROW_NAMED(name, type, ...)                                                                 \
	MORI_EACH_AMO_POST(ROW_CODE, name, type) MORI_EACH_AMO_FETCH(ROW_CODE, name, type)
#define ROW_PLAIN(name, type, ...)                                                                 \
	{ "inc_" #name, sizeof(type), MORI_SHMEM_AMO_INC, inc_##name },                            \
		{ "fetch_" #name, sizeof(type), MORI_SHMEM_AMO_FETCH, plain_fetch_##name },        \
		{ "fetch_inc_" #name, sizeof(type), MORI_SHMEM_AMO_FETCH_INC, fetch_inc_##name },  \
		{ "cas_" #name, sizeof(type), MORI_SHMEM_AMO_COMPARE_SWAP, cas_##name },
static const struct row named[] = { MORI_EACH_AMO_TYPE(ROW_NAMED, )
					    MORI_EACH_AMO_TYPE(ROW_PLAIN, ) };

/* These take a code: one row covers all codes of the kind. */
#define ROW_POST(name, type, ...)  { "nonfetch " #name, sizeof(type), 0, post_##name },
#define ROW_FETCH(name, type, ...) { "fetch " #name, sizeof(type), 0, fetch_##name },
static const struct row posts[] = { MORI_EACH_AMO_TYPE(ROW_POST, ){ "size 4", 4, 0, post_size4 },
				    { "size 8", 8, 0, post_size8 } };
static const struct row fetches[] = { MORI_EACH_AMO_TYPE(ROW_FETCH, ) };

static const uint64_t values[] = { 0,
				   1,
				   UINT64_MAX,
				   0x7fffffff,
				   0x80000000,
				   0x7fffffffffffffff,
				   0x8000000000000000,
				   0x5555aaaa12345678,
				   0xf0f0f0f00f0f0f0f };

static int is_post(int op)
{
	return op < MORI_SHMEM_AMO_FETCH;
}

static uint64_t model(int op, uint64_t old, uint64_t v, uint64_t c)
{
	switch (op) {
	case MORI_SHMEM_AMO_INC:
	case MORI_SHMEM_AMO_FETCH_INC:
		return old + 1;
	case MORI_SHMEM_AMO_SET:
	case MORI_SHMEM_AMO_SWAP:
		return v;
	case MORI_SHMEM_AMO_ADD:
	case MORI_SHMEM_AMO_FETCH_ADD:
		return old + v;
	case MORI_SHMEM_AMO_AND:
	case MORI_SHMEM_AMO_FETCH_AND:
		return old & v;
	case MORI_SHMEM_AMO_OR:
	case MORI_SHMEM_AMO_FETCH_OR:
		return old | v;
	case MORI_SHMEM_AMO_XOR:
	case MORI_SHMEM_AMO_FETCH_XOR:
		return old ^ v;
	case MORI_SHMEM_AMO_COMPARE_SWAP:
		return old == c ? v : old;
	default:
		return old;
	}
}

/* @words: three for each PE; mine, on PE @pe, become poison, @old, poison. */
static void set_words(uint64_t *words, uint64_t old, size_t size, int pe)
{
	unsigned char fresh[24];

	poison(fresh, sizeof(fresh));
	memcpy(fresh + 8, &old, size);
	MUST(mori_shmem_putmem_thread(&words[3 * me], fresh, sizeof(fresh), pe, 0));
	MUST(mori_shmem_quiet_thread());
}

static void check_words(const char *name, uint64_t *words, uint64_t want, size_t size, int pe)
{
	unsigned char got[24];

	MUST(mori_shmem_quiet_thread()); /* an atomic without a value is complete after it */
	MUST(mori_shmem_getmem_thread(got, &words[3 * me], sizeof(got), pe, 0));
	CHECK_EQ("before", not_poison(got, 8), 8);
	CHECK_MEM(name, got + 8, &want, size);
	CHECK_EQ("after", not_poison(got + 8 + size, 16 - size), 16 - size);
}

static void try_one(const struct row *r, int op, uint64_t *words, uint64_t old, uint64_t v,
		    uint64_t c, int pe)
{
	uint64_t mask = r->size == 4 ? UINT32_MAX : UINT64_MAX, got;

	set_words(words, old, r->size, pe);
	got = r->call(&words[3 * me + 1], v, c, op, pe);
	if (is_post(op))
		CHECK_EQ(r->name, got, 0);
	else
		CHECK_EQ(r->name, got & mask, old & mask);
	check_words(r->name, words, model(op, old & mask, v, c & mask), r->size, pe);
}

static void try_row(const struct row *r, int op, uint64_t *words)
{
	test_at(r->name);
	for (int pe = 0; pe < n_pes; pe++) {
		/* Over the network each is three round trips: a third of the pairs. */
		size_t step = pes_p2p(pe) ? 1 : 3;

		for (size_t i = 0; i < TEST_LEN(values); i++) {
			for (size_t k = i % step; k < TEST_LEN(values); k += step) {
				uint64_t old = values[i] + (uint64_t)pe;

				try_one(r, op, words, old, values[k], old, pe);
				try_one(r, op, words, old, values[k], old + 1, pe);
			}
		}
	}
}

/* A code that the kind does not have does nothing and returns an error. */
static void wrong_codes(uint64_t *words)
{
	for (int op = -1; op < 40; op++) {
		int post = op >= MORI_SHMEM_AMO_INC && op <= MORI_SHMEM_AMO_XOR;
		int fetch = op >= MORI_SHMEM_AMO_FETCH && op <= MORI_SHMEM_AMO_COMPARE_SWAP;

		for (size_t i = 0; i < TEST_LEN(posts) && !post; i++) {
			set_words(words, 123, 8, 0);
			CHECK_EQ(posts[i].name, posts[i].call(&words[3 * me + 1], 1, 1, op, 0),
				 (uint64_t)MORI_SHMEM_EINVAL);
			check_words("untouched", words, 123, 8, 0);
		}
		for (size_t i = 0; i < TEST_LEN(fetches) && !fetch; i++) {
			set_words(words, 123, 8, 0);
			CHECK_EQ(fetches[i].name, fetches[i].call(&words[3 * me + 1], 1, 1, op, 0),
				 0);
			CHECK_EQ("sticky", mori_shmem_check(NULL), MORI_SHMEM_EINVAL);
			check_words("untouched", words, 123, 8, 0);
		}
	}
}

static void wrong_places(uint64_t *words)
{
	static const size_t bad[] = { 0, 1, 2, 3, 5, 16 };
	uint64_t mine = 9, one = 1;

	set_words(words, 123, 8, 0);
	for (size_t i = 0; i < TEST_LEN(posts); i++) {
		const struct row *r = &posts[i];
		void *word = &words[3 * me + 1], *off = (char *)word + r->size / 2;

		CHECK_EQ("not aligned", r->call(off, 1, 1, 4, 0), (uint64_t)MORI_SHMEM_EINVAL);
		CHECK_EQ("no such PE", r->call(word, 1, 1, 4, -1), (uint64_t)MORI_SHMEM_EINVAL);
		CHECK_EQ("not symmetric", r->call(&mine, 1, 1, 4, 0), (uint64_t)MORI_SHMEM_EINVAL);
	}
	for (size_t i = 0; i < TEST_LEN(bad); i++)
		CHECK_EQ("wrong size",
			 CALL(atomic_size_nonfetch_thread, &words[3 * me + 1], &one, bad[i], 4, 0,
			      0),
			 MORI_SHMEM_EINVAL);
	CHECK_EQ("untouched", mine, 9);
	check_words("untouched", words, 123, 8, 0);
}

#define ADD(name, type, ...)                                                                       \
	static int add_##name(void *d, double v, int pe)                                           \
	{                                                                                          \
		return CALL(name##_atomic_add_thread, d, (type)v, pe, 0);                          \
	}
#define FETCH_ADD(name, type, ...)                                                                 \
	static void fetch_add_##name(void *d, double v, void *out, int pe)                         \
	{                                                                                          \
		type old = CALL(name##_atomic_fetch_add_thread, d, (type)v, pe, 0);                \
		memcpy(out, &old, sizeof(old));                                                    \
	}
MORI_EACH_REAL_TYPE(ADD, )
MORI_EACH_REAL_TYPE(FETCH_ADD, )

/* @old and @sum are bits; both forms start from @old. */
static void try_real(uint64_t *words, size_t size, uint64_t old, double add, uint64_t sum, int pe)
{
	void *d = &words[3 * me + 1];
	uint64_t got = 0;

	set_words(words, old, size, pe);
	CHECK_EQ("add", size == 8 ? add_double(d, add, pe) : add_float(d, add, pe), 0);
	check_words("sum", words, sum, size, pe);
	set_words(words, old, size, pe);
	if (size == 8)
		fetch_add_double(d, add, &got, pe);
	else
		fetch_add_float(d, add, &got, pe);
	CHECK_EQ("old", got, old);
	check_words("sum", words, sum, size, pe);
}

static void reals(uint64_t *words)
{
	static const double numbers[] = { 0.0, -0.0, 1.5, -3.25, 1e-40, 16777216.0, 1e300, -1e308 };
	const size_t n = TEST_LEN(numbers);

	for (int pe = 0; pe < n_pes; pe++) {
		for (size_t i = 0; i < n * n; i++) {
			double old = numbers[i / n] + pe, add = numbers[i % n], sum = old + add;
			float old_f = (float)old, sum_f = old_f + (float)add;
			uint64_t from = 0, to = 0;

			memcpy(&from, &old, 8);
			memcpy(&to, &sum, 8);
			try_real(words, 8, from, add, to, pe);
			from = to = 0;
			memcpy(&from, &old_f, 4);
			memcpy(&to, &sum_f, 4);
			try_real(words, 4, from, add, to, pe);
		}
	}
}

static int test_pe(void)
{
	uint64_t *words = pes_malloc((size_t)n_pes * 24);

	BARRIER();
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		for (size_t i = 0; i < TEST_LEN(named); i++)
			try_row(&named[i], named[i].op, words);
		for (int op = MORI_SHMEM_AMO_INC; op <= MORI_SHMEM_AMO_XOR; op++) {
			for (size_t i = 0; i < TEST_LEN(posts); i++)
				try_row(&posts[i], op, words);
		}
		for (int op = MORI_SHMEM_AMO_FETCH; op <= MORI_SHMEM_AMO_COMPARE_SWAP; op++) {
			for (size_t i = 0; i < TEST_LEN(fetches); i++)
				try_row(&fetches[i], op, words);
		}
		wrong_codes(words);
		wrong_places(words);
		reals(words);
	}
	cover_all();
	BARRIER();
	MUST(mori_shmem_free(words));
	return 0;
}
