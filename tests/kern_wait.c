// SPDX-License-Identifier: MIT
/*
 * Waits and tests from kernels, by threads and by blocks: every comparison for each
 * type with the sign the type has; several words with some skipped; deadlines; words
 * that a kernel of a peer changes. Every lane gets the result.
 */
/* TEST: pes=3 modes=procs,threads net=procs,threads,nodes */
#define COVER_LIST(S, V, S0, V0) MORI_OPS_WAIT(S, V, , thread) MORI_OPS_WAIT(S, V, _block, block)
#include "kern_call.h"
#include "compare.h"

#define LONG  60000000000u /* ns: for what must happen */
#define WORDS 6		   /* of a call */
#define EACH  64	   /* bytes of a call */
#define MOST  600	   /* calls of a batch */

enum kind { UNTIL, TEST, EQUALS, GREATER, ALL, ANY, SOME };

struct row {
	const char *name;
	uint32_t op;
	enum dev_scope scope;
	size_t size;
	int is_signed;
	enum kind kind;
	int ends; /* has a time of its own */
};

#define ROW(full, scope, type, kind, ends)                                                         \
	{ #full, CALL_##full, DEV_##scope, sizeof(type), (type) - 1 < 1, kind, ends },
#define TIMED(t, type, op, kind, sfx, scope)                                                       \
	ROW(t##_wait_until##op##sfx, scope, type, kind, 0)                                         \
	ROW(t##_wait_until##op##_for##sfx, scope, type, kind, 1)
#define ROWS(t, type, sfx, scope)                                                                  \
	ROW(t##_test##sfx, scope, type, TEST, 1)                                                   \
	TIMED(t, type, , UNTIL, sfx, scope)                                                        \
	TIMED(t, type, _equals, EQUALS, sfx, scope)                                                \
	TIMED(t, type, _greater_than, GREATER, sfx, scope)                                         \
	TIMED(t, type, _all, ALL, sfx, scope)                                                      \
	TIMED(t, type, _any, ANY, sfx, scope)                                                      \
	TIMED(t, type, _some, SOME, sfx, scope)
static const struct row rows[] = { MORI_EACH_AMO_TYPE(ROWS, , thread)
					   MORI_EACH_AMO_TYPE(ROWS, _block, block) };

static const uint64_t values[] = { 0,	       1,	   2,	      UINT64_MAX, 0x7fffffff,
				   0x80000000, 0xffffffff, INT64_MAX, 1ull << 63 };

struct shared {
	struct call_module module;
	unsigned char *words; /* symmetric: EACH bytes a call */
	size_t at[MOST][WORDS + 1];
	uint64_t want[MOST];
};

static struct call *set_call(struct batch *b, const struct row *r, struct shared *s, size_t k,
			     int cmp, uint64_t v, uint64_t ns)
{
	struct call *c = batch_call(b, k, r->op);

	MUST(k < MOST ? 0 : MORI_SHMEM_ENOMEM);
	memset(s->at[k], POISON, sizeof(s->at[k]));
	c->arg[0] = address(s->words + k * EACH);
	c->arg[1] = (uint64_t)cmp;
	c->arg[2] = v;
	c->arg[3] = ns;
	c->arg[4] = 1;
	c->arg[6] = address(s->at[k]);
	return c;
}

/* What a wait for one word gives. */
static uint64_t one_result(const struct row *r, int holds, uint64_t seen)
{
	switch (r->kind) {
	case TEST:
		return (uint64_t)holds;
	case GREATER:
		return compare_widen(r->size, r->is_signed, seen);
	case ANY:
		return holds ? 0 : SIZE_MAX;
	case SOME:
		return (uint64_t)holds;
	default:
		return holds ? 0 : (uint64_t)MORI_SHMEM_ETIMEDOUT;
	}
}

/* Runs what was set up; the sticky status shows whether any wait timed out. */
static void finish(struct batch *b, const struct row *r, struct shared *s, size_t n, size_t late)
{
	mori_shmem_fault_t f = { .struct_size = sizeof(f) };
	size_t wrong = 0;

	b->n = n;
	batch_run(b, &s->module, "wait");
	for (size_t k = 0; k < n; k++) {
		uint64_t got = batch_result(b, r->name, k);

		if (got != s->want[k] && !wrong++)
			CHECK_EQ(r->name, got, s->want[k]);
	}
	CHECK_EQ(r->name, wrong, 0);
	CHECK_EQ(r->name, mori_shmem_check(&f), late ? MORI_SHMEM_ETIMEDOUT : 0);
	if (late && !CHECK(!strcmp(f.op, r->name)))
		fprintf(stderr, "%s is in the sticky status as %s\n", r->name, f.op);
	batch_close(b);
}

/* Every comparison of two values; a wait without an end only where it holds. */
static void comparisons(const struct row *r, struct shared *s, const struct grid *g)
{
	const size_t m = KERN_SMALL ? 5 : TEST_LEN(values);
	int first = r->kind == GREATER ? MORI_SHMEM_CMP_GT : 0;
	int last = r->kind == GREATER ? MORI_SHMEM_CMP_GT : MORI_SHMEM_CMP_LE;
	size_t n = 0, late = 0;
	struct batch b;

	batch_open(&b, g, MOST);
	if (r->kind == EQUALS)
		last = 0;
	for (int cmp = first; cmp <= last; cmp++) {
		for (size_t i = 0; i < m * m; i++) {
			uint64_t a = values[i / m], v = values[i % m];
			int holds = compare_holds(r->size, r->is_signed, cmp, a, v);

			if (!holds && !r->ends)
				continue;
			compare_put(r->size, s->words + n * EACH, 0, a);
			set_call(&b, r, s, n, cmp, v, 0);
			s->want[n++] = one_result(r, holds, a);
			late += !holds && r->kind != TEST;
		}
	}
	finish(&b, r, s, n, late);
}

/* What a wait for several words returns; -1: it would wait forever. @at: indices. */
static int64_t many_result(const struct row *r, size_t n, const int *skip, int cmp, uint64_t v,
			   size_t *at, int *late)
{
	size_t looked = 0, found = 0;

	memset(at, POISON, (WORDS + 1) * sizeof(*at));
	for (size_t i = 0; i < n; i++) {
		if (skip && skip[i])
			continue;
		looked++;
		if (compare_holds(r->size, r->is_signed, cmp, 10 * (i + 1), v))
			at[found++] = i;
	}
	*late = r->kind == ALL ? found < looked : looked && !found;
	if (r->kind == ALL)
		return found < looked ? MORI_SHMEM_ETIMEDOUT : 0;
	if (r->kind == ANY)
		return found ? (int64_t)at[0] : -1;
	return (int64_t)found;
}

/* Six words, 10 to 60, some of them skipped. */
static void several(const struct row *r, struct shared *s, const struct grid *g)
{
	static const int masks[][WORDS] = {
		{ 0 }, { 1, 1, 1, 1, 1, 1 }, { 1, 0, 0, 0, 0, 1 }, { 0, 1, 0, 7, 0, -1 }
	};
	int(*skips)[WORDS] = malloc(sizeof(masks)); /* where a GPU can access them, too */
	static const size_t counts[] = { 0, 1, 5, WORDS };
	static const uint64_t limits[] = { 10, 25, 60, 5, 70 };
	size_t n = 0, late = 0, wrong = 0;
	size_t(*at)[WORDS + 1] = calloc(MOST, sizeof(*at));
	struct batch b;

	memcpy(skips, masks, sizeof(masks));
	batch_open(&b, g, MOST);
	for (size_t i = 0; i < TEST_LEN(counts) * 5 * 6 * TEST_LEN(limits); i++) {
		size_t count = counts[i % 4];
		const int *skip = i / 4 % 5 ? skips[i / 4 % 5 - 1] : NULL;
		int cmp = (int)(i / 20 % 6), is_late;
		uint64_t v = limits[i / 120];
		struct call *c;

		s->want[n] = (uint64_t)many_result(r, count, skip, cmp, v, at[n], &is_late);
		if (is_late && !r->ends)
			continue;
		for (size_t k = 0; k < WORDS; k++)
			compare_put(r->size, s->words + n * EACH, k, 10 * (k + 1));
		c = set_call(&b, r, s, n, cmp, v, 0);
		c->arg[0] = count ? c->arg[0] : 0;
		c->arg[4] = count;
		c->arg[5] = address(skip);
		late += (size_t)is_late;
		n++;
	}
	finish(&b, r, s, n, late);
	for (size_t k = 0; k < n && r->kind == SOME; k++)
		wrong += memcmp(at[k], s->at[k], sizeof(at[k])) != 0;
	CHECK_EQ("indices", wrong, 0);
	free(skips);
	free(at);
}

/* One actor makes an invalid call; the waits of the others succeed. */
static void refuse(const struct row *r, struct shared *s, const struct wrong *w)
{
	const struct grid *g = grid_first(r->scope);
	size_t bad = wrong_actor(g);
	int cmp = r->kind == GREATER ? MORI_SHMEM_CMP_GT : MORI_SHMEM_CMP_EQ;
	uint64_t v = r->kind == GREATER ? 4 : 5, want;
	struct batch b;

	if ((r->kind == GREATER || r->kind == EQUALS) && w->arg == 1)
		return;
	batch_open(&b, g, grid_actors(g));
	for (size_t k = 0; k < b.n; k++) {
		compare_put(r->size, s->words + k * EACH, 0, 5);
		set_call(&b, r, s, k, cmp, v, LONG);
	}
	b.calls[bad].arg[w->arg] = w->value;
	batch_run(&b, &s->module, "wait");
	want = r->kind == TEST || r->kind == GREATER || r->kind == SOME ? 0 :
	       r->kind == ANY						? UINT64_MAX :
									  (uint64_t)MORI_SHMEM_EINVAL;
	for (size_t k = 0; k < b.n; k++)
		CHECK_EQ(r->name, batch_result(&b, r->name, k),
			 k == bad ? want : one_result(r, 1, 5));
	batch_fault(&b, r->name, bad, MORI_SHMEM_EINVAL, me);
	batch_close(&b);
}

static void refuse_row(const struct row *r, struct shared *s)
{
	size_t bad = wrong_actor(grid_first(r->scope));
	const struct wrong wrong[] = {
		{ 1, UINT64_MAX, me },
		{ 1, 6, me },
		{ 1, INT_MAX, me },
		{ 0, 0, me },
		{ 0, address(s->words + bad * EACH) + r->size / 2, me },
		{ 6, 0, me },
	};

	for (size_t i = 0; i < TEST_LEN(wrong); i++) {
		if ((wrong[i].arg != 6 || r->kind == SOME) && chosen(i, TEST_LEN(wrong), r->op))
			refuse(r, s, &wrong[i]);
	}
}

/*
 * Round the ring: PE 0 sets a word of the next and then waits, the others wait and
 * then set. Of four words the third decides.
 */
static void from_peer(const struct row *r, struct shared *s, const struct grid *g)
{
	size_t n = 2 * grid_actors(g);
	int many = r->kind >= ALL;
	struct batch b;

	if (r->kind == TEST)
		return;
	batch_open(&b, g, n);
	for (size_t k = 0; k < n; k++) {
		uint64_t v = 100 + k;
		int cmp = r->kind == GREATER ? MORI_SHMEM_CMP_GT : MORI_SHMEM_CMP_EQ;
		struct call *c = set_call(&b, r, s, k, cmp, r->kind == GREATER ? v - 1 : v, LONG);

		for (size_t i = 0; i < 4; i++)
			compare_put(r->size, s->words + k * EACH, i,
				    r->kind == ALL && i != 2 ? v : 7);
		c->arg[4] = 4;
		c->from = address(s->words + k * EACH) + (many ? 2 * r->size : 0);
		c->to = v;
		c->len = r->size;
		c->value = me == 0;
		s->want[k] = r->kind == GREATER ? v : r->kind == ANY ? 2 : r->kind == SOME;
	}
	BARRIER();
	finish(&b, r, s, n, 0);
	for (size_t k = 0; k < n && r->kind == SOME; k++)
		CHECK_EQ("which", s->at[k][0], 2);
	BARRIER();
}

/* Every lane of a block sees the same value of a word that moves. */
static void chase(struct shared *s)
{
	uint64_t rounds = TEST_SCALE(200), threads = 48, last = 0, wrong = 0;
	uint64_t *out = pes_private(rounds * threads * 8), *word = (uint64_t *)s->words;

	*word = 0;
	BARRIER();
	CHECK_OK(RUN_KERNEL(s->module.own, "chase", 2, (unsigned)threads, &word, &rounds, &out));
	for (uint64_t i = 0; i < rounds * threads; i++) {
		wrong += out[i] != out[i / threads * threads];
		wrong += out[i] < last;
		last = out[i];
	}
	CHECK_EQ("lanes that differ", wrong, 0);
	free(out);
	BARRIER();
}

static void run_row(const struct row *r, struct shared *s)
{
	test_at(r->name);
	cover(r->name);
	for (size_t i = 0; i < TEST_LEN(grids); i++) {
		if (!grid_chosen(&grids[i], r->scope, r->op))
			continue;
		if (&grids[i] == grid_first(r->scope) || (grids[i].blocks == 1 && r->kind <= TEST))
			comparisons(r, s, &grids[i]);
		if (&grids[i] == grid_first(r->scope) && r->kind >= ALL)
			several(r, s, &grids[i]);
		from_peer(r, s, &grids[i]);
	}
	refuse_row(r, s);
}

static int test_pe(void)
{
	struct shared *s = calloc(1, sizeof(*s));

	s->module = call_kern_load("wait");
	if (!s->module.own) {
		free(s);
		SKIP(KERN_NONE);
	}
	s->words = pes_malloc(MOST * EACH);
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		for (size_t i = 0; i < TEST_LEN(rows); i++)
			run_row(&rows[i], s);
	}
	chase(s);
	cover_all();
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	MUST(mori_shmem_free(s->words));
	call_unload(&s->module);
	free(s);
	return 0;
}
