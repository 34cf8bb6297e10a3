// SPDX-License-Identifier: MIT
/*
 * Waits and tests, every comparison for each type with the sign the type has;
 * several words at once with some skipped; deadlines; words that a peer changes.
 */
#define COVER_LIST(S, V, S0, V0) MORI_OPS_WAIT(S, V, , thread)
#include "cover.h"
#include "compare.h"

#define SHORT 2000000u	   /* ns: for what must not happen */
#define LONG  60000000000u /* ns: for what must */

/* All values travel as 64 bits. */
struct row {
	const char *name;
	size_t size;
	int is_signed;
	int (*until)(void *a, int cmp, uint64_t v);
	int (*until_for)(void *a, int cmp, uint64_t v, uint64_t ns);
	int (*test)(void *a, int cmp, uint64_t v);
	int (*equals)(void *a, uint64_t v);
	int (*equals_for)(void *a, uint64_t v, uint64_t ns);
	uint64_t (*greater)(void *a, uint64_t v);
	uint64_t (*greater_for)(void *a, uint64_t v, uint64_t ns);
	int (*all)(void *a, size_t n, const int *skip, int cmp, uint64_t v);
	int (*all_for)(void *a, size_t n, const int *skip, int cmp, uint64_t v, uint64_t ns);
	size_t (*any)(void *a, size_t n, const int *skip, int cmp, uint64_t v);
	size_t (*any_for)(void *a, size_t n, const int *skip, int cmp, uint64_t v, uint64_t ns);
	size_t (*some)(void *a, size_t n, size_t *out, const int *skip, int cmp, uint64_t v);
	size_t (*some_for)(void *a, size_t n, size_t *out, const int *skip, int cmp, uint64_t v,
			   uint64_t ns);
};

#define DO(ret, id, params, call)                                                                  \
	static ret id params                                                                       \
	{                                                                                          \
		return (ret)(call);                                                                \
	}
#define ONE(t, type, ...)                                                                          \
	DO(int, until_##t, (void *a, int cmp, uint64_t v), CALL(t##_wait_until, a, cmp, (type)v))  \
	DO(int, until_for_##t, (void *a, int cmp, uint64_t v, uint64_t ns),                        \
	   CALL(t##_wait_until_for, a, cmp, (type)v, ns))                                          \
	DO(int, test_##t, (void *a, int cmp, uint64_t v), CALL(t##_test, a, cmp, (type)v))
#define NAMED(t, type, ...)                                                                        \
	DO(int, equals_##t, (void *a, uint64_t v), CALL(t##_wait_until_equals, a, (type)v))        \
	DO(int, equals_for_##t, (void *a, uint64_t v, uint64_t ns),                                \
	   CALL(t##_wait_until_equals_for, a, (type)v, ns))                                        \
	DO(uint64_t, greater_##t, (void *a, uint64_t v),                                           \
	   CALL(t##_wait_until_greater_than, a, (type)v))                                          \
	DO(uint64_t, greater_for_##t, (void *a, uint64_t v, uint64_t ns),                          \
	   CALL(t##_wait_until_greater_than_for, a, (type)v, ns))
#define ALL(t, type, ...)                                                                          \
	DO(int, all_##t, (void *a, size_t n, const int *skip, int cmp, uint64_t v),                \
	   CALL(t##_wait_until_all, a, n, skip, cmp, (type)v))                                     \
	DO(int, all_for_##t,                                                                       \
	   (void *a, size_t n, const int *skip, int cmp, uint64_t v, uint64_t ns),                 \
	   CALL(t##_wait_until_all_for, a, n, skip, cmp, (type)v, ns))
#define ANY(t, type, ...)                                                                          \
	DO(size_t, any_##t, (void *a, size_t n, const int *skip, int cmp, uint64_t v),             \
	   CALL(t##_wait_until_any, a, n, skip, cmp, (type)v))                                     \
	DO(size_t, any_for_##t,                                                                    \
	   (void *a, size_t n, const int *skip, int cmp, uint64_t v, uint64_t ns),                 \
	   CALL(t##_wait_until_any_for, a, n, skip, cmp, (type)v, ns))
#define SOME(t, type, ...)                                                                         \
	DO(size_t, some_##t,                                                                       \
	   (void *a, size_t n, size_t *out, const int *skip, int cmp, uint64_t v),                 \
	   CALL(t##_wait_until_some, a, n, out, skip, cmp, (type)v))                               \
	DO(size_t, some_for_##t,                                                                   \
	   (void *a, size_t n, size_t *out, const int *skip, int cmp, uint64_t v, uint64_t ns),    \
	   CALL(t##_wait_until_some_for, a, n, out, skip, cmp, (type)v, ns))
MORI_EACH_AMO_TYPE(ONE, )
MORI_EACH_AMO_TYPE(NAMED, )
MORI_EACH_AMO_TYPE(ALL, )
MORI_EACH_AMO_TYPE(ANY, )
MORI_EACH_AMO_TYPE(SOME, )
#define ROW(t, type, ...)                                                                          \
	{ #t,	      sizeof(type),   (type) - 1 < 1, until_##t,       until_for_##t, test_##t,    \
	  equals_##t, equals_for_##t, greater_##t,    greater_for_##t, all_##t,	      all_for_##t, \
	  any_##t,    any_for_##t,    some_##t,	      some_for_##t },
static const struct row rows[] = { MORI_EACH_AMO_TYPE(ROW, ) };

static const uint64_t values[] = { 0,	       1,	   2,	      UINT64_MAX, 0x7fffffff,
				   0x80000000, 0xffffffff, INT64_MAX, 1ull << 63 };

static void compare(const struct row *r, void *word, int cmp, uint64_t a, uint64_t b)
{
	int holds = compare_holds(r->size, r->is_signed, cmp, a, b);

	compare_put(r->size, word, 0, a);
	CHECK_EQ(r->name, r->test(word, cmp, b), holds);
	CHECK_EQ(r->name, r->until_for(word, cmp, b, 0), holds ? 0 : MORI_SHMEM_ETIMEDOUT);
	if (holds)
		CHECK_EQ(r->name, r->until(word, cmp, b), 0);
	if (holds && cmp == MORI_SHMEM_CMP_EQ)
		CHECK_EQ(r->name, r->equals(word, b), 0);
	if (cmp == MORI_SHMEM_CMP_EQ)
		CHECK_EQ(r->name, r->equals_for(word, b, 0), holds ? 0 : MORI_SHMEM_ETIMEDOUT);
	if (holds && cmp == MORI_SHMEM_CMP_GT) {
		CHECK_EQ(r->name, compare_widen(r->size, r->is_signed, r->greater(word, b)),
			 compare_widen(r->size, r->is_signed, a));
		CHECK_EQ(r->name, compare_widen(r->size, r->is_signed, r->greater_for(word, b, 0)),
			 compare_widen(r->size, r->is_signed, a));
	}
}

static void comparisons(const struct row *r, void *word)
{
	for (int cmp = 0; cmp <= MORI_SHMEM_CMP_LE; cmp++) {
		for (size_t i = 0; i < TEST_LEN(values) * TEST_LEN(values); i++)
			compare(r, word, cmp, values[i / TEST_LEN(values)],
				values[i % TEST_LEN(values)]);
	}
}

/* Six words: 10 20 30 40 50 60. */
static void several(const struct row *r, void *words)
{
	const int none[6] = { 0 }, every[6] = { 1, 1, 1, 1, 1, 1 }, outer[6] = { 1, 0, 0, 0, 0, 1 };
	size_t at[6] = { 9, 9, 9, 9, 9, 9 };

	for (size_t i = 0; i < 6; i++)
		compare_put(r->size, words, i, 10 * (i + 1));
	CHECK_EQ("all", r->all(words, 6, NULL, MORI_SHMEM_CMP_GE, 10), 0);
	CHECK_EQ("all", r->all(words, 6, outer, MORI_SHMEM_CMP_LT, 60), 0);
	CHECK_EQ("all", r->all_for(words, 6, none, MORI_SHMEM_CMP_LT, 60, SHORT),
		 MORI_SHMEM_ETIMEDOUT);
	CHECK_EQ("all of the skipped", r->all(words, 6, every, MORI_SHMEM_CMP_EQ, 1), 0);
	CHECK_EQ("all of none", r->all_for(NULL, 0, NULL, MORI_SHMEM_CMP_EQ, 1, SHORT), 0);
	CHECK_EQ("any", r->any(words, 6, NULL, MORI_SHMEM_CMP_GT, 25), 2);
	CHECK_EQ("any", r->any(words, 6, outer, MORI_SHMEM_CMP_LE, 50), 1);
	CHECK_EQ("no fault yet", mori_shmem_check(NULL), 0);
	CHECK_EQ("any", r->any_for(words, 6, outer, MORI_SHMEM_CMP_GT, 50, SHORT), SIZE_MAX);
	CHECK_EQ("says why", mori_shmem_check(NULL), MORI_SHMEM_ETIMEDOUT);
	CHECK_EQ("any of the skipped", r->any(words, 6, every, MORI_SHMEM_CMP_NE, 1), SIZE_MAX);
	CHECK_EQ("any of none", r->any(NULL, 0, NULL, MORI_SHMEM_CMP_NE, 1), SIZE_MAX);
	CHECK_EQ("some", r->some(words, 6, at, outer, MORI_SHMEM_CMP_GE, 40), 2);
	CHECK_EQ("first", at[0], 3);
	CHECK_EQ("second", at[1], 4);
	CHECK_EQ("no third", at[2], 9);
	CHECK_EQ("some", r->some_for(words, 6, at, NULL, MORI_SHMEM_CMP_NE, 30, LONG), 5);
	CHECK_EQ("third", at[2], 3);
	CHECK_EQ("some of the skipped", r->some(words, 6, at, every, MORI_SHMEM_CMP_NE, 1), 0);
	CHECK_EQ("some of none", r->some(words, 0, at, NULL, MORI_SHMEM_CMP_NE, 1), 0);
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	CHECK_EQ("some", r->some_for(words, 6, at, NULL, MORI_SHMEM_CMP_EQ, 31, SHORT), 0);
	CHECK_EQ("says why", mori_shmem_check(NULL), MORI_SHMEM_ETIMEDOUT);
	(void)r->greater_for(words, 1000, SHORT);
	CHECK_EQ("says why", mori_shmem_check(NULL), MORI_SHMEM_ETIMEDOUT);
}

static void refused(const struct row *r, void *words)
{
	static const int bad[] = { -1, 6, 100 };
	char *odd = (char *)words + r->size / 2;

	for (size_t i = 0; i < TEST_LEN(bad); i++) {
		CHECK_EQ("comparison", r->until(words, bad[i], 1), MORI_SHMEM_EINVAL);
		CHECK_EQ("comparison", r->all(words, 2, NULL, bad[i], 1), MORI_SHMEM_EINVAL);
		CHECK_EQ("comparison", r->any(words, 2, NULL, bad[i], 1), SIZE_MAX);
		CHECK_EQ("says why", mori_shmem_check(NULL), MORI_SHMEM_EINVAL);
		CHECK_EQ("comparison", r->test(words, bad[i], 1), 0);
		CHECK_EQ("says why", mori_shmem_check(NULL), MORI_SHMEM_EINVAL);
	}
	CHECK_EQ("NULL", r->until(NULL, MORI_SHMEM_CMP_EQ, 1), MORI_SHMEM_EINVAL);
	CHECK_EQ("NULL", r->equals(NULL, 1), MORI_SHMEM_EINVAL);
	CHECK_EQ("not aligned", r->until(odd, MORI_SHMEM_CMP_NE, 1), MORI_SHMEM_EINVAL);
	CHECK_EQ("nowhere to write", r->some(words, 2, NULL, NULL, MORI_SHMEM_CMP_NE, 1), 0);
	CHECK_EQ("says why", mori_shmem_check(NULL), MORI_SHMEM_EINVAL);
}

/* The next PE's word @i, by an atomic, after a while. */
static void poke(const struct row *r, void *words, size_t i, uint64_t v, int next)
{
	void *at = (char *)words + i * r->size;

	usleep(300);
	MUST(mori_shmem_atomic_size_nonfetch_thread(at, &v, r->size, MORI_SHMEM_AMO_SET, next, 0));
}

/* Round the ring: each form waits for what the PE before has to send. */
static void from_peer(const struct row *r, void *words)
{
	int next = (me + 1) % n_pes;
	size_t at[4];

	memset(words, 0, 16 * r->size);
	BARRIER();
	poke(r, words, 0, 7, next);
	CHECK_EQ("equals", r->equals(words, 7), 0);
	poke(r, words, 1, 8, next);
	CHECK_EQ("until", r->until((char *)words + r->size, MORI_SHMEM_CMP_GE, 5), 0);
	poke(r, words, 2, 11, next);
	CHECK_EQ("greater", r->greater((char *)words + 2 * r->size, 10), 11);
	poke(r, words, 5, 1, next);
	CHECK_EQ("any", r->any((char *)words + 4 * r->size, 4, NULL, MORI_SHMEM_CMP_EQ, 1), 1);
	poke(r, words, 11, 1, next);
	CHECK_EQ("some", r->some((char *)words + 8 * r->size, 4, at, NULL, MORI_SHMEM_CMP_EQ, 1),
		 1);
	CHECK_EQ("which", at[0], 3);
	for (size_t i = 12; i < 16; i++)
		poke(r, words, i, i, next);
	CHECK_EQ("all",
		 r->all_for((char *)words + 12 * r->size, 4, NULL, MORI_SHMEM_CMP_GE, 12, LONG), 0);
	BARRIER();
}

static int test_pe(void)
{
	uint64_t *words = pes_malloc(16 * 8);

	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		for (size_t i = 0; i < TEST_LEN(rows); i++) {
			test_at(rows[i].name);
			comparisons(&rows[i], words);
			several(&rows[i], words);
			refused(&rows[i], words);
			from_peer(&rows[i], words);
		}
	}
	cover_all();
	MUST(mori_shmem_free(words));
	return 0;
}
