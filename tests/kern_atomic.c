// SPDX-License-Identifier: MIT
/*
 * Every atomic from kernels, by code and by name, for each type, at the edges of the
 * type, by threads, warps and blocks: the new value, the old one on every lane, nothing
 * beside the word; each call acts once, and none is lost where many meet.
 */
/* TEST: pes=3 modes=procs,threads net=procs,threads,nodes formats=mlx5,bnxt,ionic */
#define COVER_LIST(S, V, S0, V0)                                                                   \
	MORI_OPS_AMO(S, V, thread)                                                                 \
	MORI_OPS_AMO_SIZE(S) MORI_OPS_AMO(S, V, warp) MORI_OPS_AMO(S, V, block)
#include "kern_call.h"

#define MOST 512 /* calls of a batch */

struct row {
	const char *name;
	uint32_t op;
	enum dev_scope scope;
	size_t size;
	int code; /* 0: any of those that the kind takes; REAL: add a real number */
	int fetches;
};
#define REAL 100

#define ROW(full, scope, type, code, fetches)                                                      \
	{ #full, CALL_##full, DEV_##scope, sizeof(type), code, fetches },
#define BY_CODE(name, type, scope)                                                                 \
	ROW(atomic_##name##_nonfetch_##scope, scope, type, 0, 0)                                   \
	ROW(atomic_##name##_fetch_##scope, scope, type, 0, 1)
#define PLAIN(name, type, scope)                                                                   \
	ROW(name##_atomic_inc_##scope, scope, type, MORI_SHMEM_AMO_INC, 0)                         \
	ROW(name##_atomic_fetch_##scope, scope, type, MORI_SHMEM_AMO_FETCH, 1)                     \
	ROW(name##_atomic_fetch_inc_##scope, scope, type, MORI_SHMEM_AMO_FETCH_INC, 1)             \
	ROW(name##_atomic_compare_swap_##scope, scope, type, MORI_SHMEM_AMO_COMPARE_SWAP, 1)
#define NAMED(op, CODE, name, type, scope)                                                         \
	ROW(name##_atomic_##op##_##scope, scope, type, MORI_SHMEM_AMO_##CODE,                      \
	    MORI_SHMEM_AMO_##CODE >= MORI_SHMEM_AMO_FETCH)
#define ALL_NAMED(name, type, scope)                                                               \
	MORI_EACH_AMO_POST(NAMED, name, type, scope)                                               \
	MORI_EACH_AMO_FETCH(NAMED, name, type, scope)
#define REALS(name, type, scope)                                                                   \
	ROW(name##_atomic_add_##scope, scope, type, REAL, 0)                                       \
	ROW(name##_atomic_fetch_add_##scope, scope, type, REAL, 1)
#define ROWS(scope)                                                                                \
	MORI_EACH_AMO_TYPE(BY_CODE, scope)                                                         \
	MORI_EACH_AMO_TYPE(PLAIN, scope)                                                           \
	MORI_EACH_AMO_TYPE(ALL_NAMED, scope)                                                       \
	MORI_EACH_REAL_TYPE(REALS, scope)
static const struct row rows[] = {
	ROWS(thread) ROWS(warp) ROWS(block) ROW(atomic_size_nonfetch_thread, thread, uint32_t, 0, 0)
		ROW(atomic_size_nonfetch_thread, thread, uint64_t, 0, 0)
};

static const uint64_t values[] = { 0,	       1,
				   UINT64_MAX, 0x7fffffff,
				   0x80000000, 0x7fffffffffffffff,
				   1ull << 63, 0x5555aaaa12345678,
				   0xf0f0f0f0f };
static const double numbers[] = { 0.0, -0.0, 1.5, -3.25, 1e-40, 16777216.0, 1e300, -1e308 };

struct shared {
	struct call_module module;
	unsigned char *area; /* symmetric: MOST places of three words a sender */
	uint64_t own[MOST];  /* values of atomic_size */
};

/* What one call finds and adds: by call and sender. */
struct operands {
	uint64_t old, v, c; /* bits */
	double real;
};

static struct operands operands_of(const struct row *r, int from, size_t k)
{
	const size_t n = TEST_LEN(values), m = TEST_LEN(numbers);
	struct operands o = { values[k % n] + (uint64_t)from, values[k / n % n], 0,
			      numbers[k / m % m] };
	double d = numbers[k % m] + from;
	float f = (float)d;

	o.c = k / n / n % 2 ? o.old : o.old + 1;
	if (r->code == REAL) {
		o.old = 0;
		memcpy(&o.old, r->size == 8 ? (void *)&d : (void *)&f, r->size);
	}
	if (r->size == 4)
		o.old = (uint32_t)o.old;
	return o;
}

static uint64_t add_real(const struct row *r, const struct operands *o)
{
	uint64_t bits = 0;
	double d;
	float f;

	if (r->size == 8) {
		memcpy(&d, &o->old, 8);
		d += o->real;
		memcpy(&bits, &d, 8);
	} else {
		memcpy(&f, &o->old, 4);
		f += (float)o->real;
		memcpy(&bits, &f, 4);
	}
	return bits;
}

static uint64_t model(const struct row *r, int code, const struct operands *o)
{
	uint64_t mask = r->size == 4 ? UINT32_MAX : UINT64_MAX;

	switch (code) {
	case REAL:
		return add_real(r, o);
	case MORI_SHMEM_AMO_INC:
	case MORI_SHMEM_AMO_FETCH_INC:
		return o->old + 1;
	case MORI_SHMEM_AMO_SET:
	case MORI_SHMEM_AMO_SWAP:
		return o->v;
	case MORI_SHMEM_AMO_ADD:
	case MORI_SHMEM_AMO_FETCH_ADD:
		return o->old + o->v;
	case MORI_SHMEM_AMO_AND:
	case MORI_SHMEM_AMO_FETCH_AND:
		return o->old & o->v;
	case MORI_SHMEM_AMO_OR:
	case MORI_SHMEM_AMO_FETCH_OR:
		return o->old | o->v;
	case MORI_SHMEM_AMO_XOR:
	case MORI_SHMEM_AMO_FETCH_XOR:
		return o->old ^ o->v;
	case MORI_SHMEM_AMO_COMPARE_SWAP:
		return (o->old & mask) == (o->c & mask) ? o->v : o->old;
	default:
		return o->old;
	}
}

static unsigned char *place(struct shared *s, int from, size_t k)
{
	return s->area + ((size_t)from * MOST + k) * 24;
}

/* The place of a call: poison, the word, poison. */
static void set_place(unsigned char *at, uint64_t word, size_t size)
{
	poison(at, 24);
	memcpy(at + 8, &word, size);
}

static void start(struct batch *b, const struct row *r, int code, struct shared *s,
		  const struct grid *g, size_t n)
{
	MUST(n < MOST ? 0 : MORI_SHMEM_ENOMEM);
	for (int from = 0; from < n_pes; from++) {
		for (size_t k = 0; k <= n; k++)
			set_place(place(s, from, k), operands_of(r, from, k).old, r->size);
	}
	batch_open(b, g, n);
	for (size_t k = 0; k < n; k++) {
		struct call *c = batch_call(b, k, r->op);
		struct operands o = operands_of(r, me, k);

		s->own[k] = o.v;
		c->arg[0] = address(place(s, me, k) + 8);
		c->arg[1] = strstr(r->name, "atomic_size") ? address(&s->own[k]) : o.v;
		if (code == REAL)
			memcpy(&c->arg[1], &o.real, 8);
		c->arg[2] = r->size;
		c->arg[3] = (uint64_t)target_of(me, k);
		c->arg[5] = o.c;
		c->arg[6] = (uint64_t)code;
	}
	BARRIER();
}

/* Which of the many NaNs a sum is differs between devices. */
static int same_nan(const struct row *r, const unsigned char *got, const unsigned char *want)
{
	double d[2];
	float f[2];

	if (r->code != REAL || memcmp(got, want, 8) ||
	    memcmp(got + 8 + r->size, want + 8 + r->size, 16 - r->size))
		return 0;
	memcpy(&f[0], got + 8, 4);
	memcpy(&f[1], want + 8, 4);
	memcpy(&d[0], got + 8, 8);
	memcpy(&d[1], want + 8, 8);
	return r->size == 4 ? f[0] != f[0] && f[1] != f[1] : d[0] != d[0] && d[1] != d[1];
}

static void check_words(const struct row *r, int code, struct shared *s, size_t n, size_t but)
{
	unsigned char want[24];
	size_t wrong = 0;

	for (size_t i = 0; i < (size_t)n_pes * (n + 1); i++) {
		int from = (int)(i / (n + 1));
		size_t k = i % (n + 1);
		struct operands o = operands_of(r, from, k);
		int came = k < n && k != but && target_of(from, k) == me;

		set_place(want, came ? model(r, code, &o) : o.old, r->size);
		if (same_nan(r, place(s, from, k), want))
			continue;
		if (memcmp(place(s, from, k), want, 24) != 0 && !wrong++)
			CHECK_MEM(r->name, place(s, from, k), want, 24);
	}
	CHECK_EQ(r->name, wrong, 0);
}

static void check_fetched(const struct batch *b, const struct row *r, size_t but)
{
	uint64_t mask = r->size == 4 ? UINT32_MAX : UINT64_MAX;
	size_t wrong = 0;

	for (size_t k = 0; k < b->n; k++) {
		uint64_t got = batch_result(b, r->name, k) & mask;

		wrong += got != (k == but ? 0 : operands_of(r, me, k).old & mask);
	}
	CHECK_EQ(r->name, wrong, 0);
}

static void run_on(const struct row *r, int code, struct shared *s, const struct grid *g, size_t n,
		   const struct wrong *w)
{
	size_t bad = w ? wrong_actor(g) : SIZE_MAX;
	struct batch b;

	start(&b, r, code, s, g, n);
	if (w)
		b.calls[bad].arg[w->arg] = w->value;
	batch_run(&b, &s->module, "atomic");
	if (r->fetches)
		check_fetched(&b, r, bad);
	else
		batch_good(&b, r->name, bad);
	if (w && !r->fetches)
		CHECK_EQ(r->name, batch_result(&b, r->name, bad), MORI_SHMEM_EINVAL);
	if (w)
		batch_fault(&b, r->name, bad, MORI_SHMEM_EINVAL, w->pe);
	BARRIER();
	check_words(r, code, s, n, bad);
	batch_close(&b);
}

/* All actors of all PEs count on one word of PE 0: how many calls, and no ticket twice. */
static void count_on(const struct row *r, int code, struct shared *s, const struct grid *g)
{
	size_t n = (MOST / grid_actors(g) < 4 ? MOST / grid_actors(g) : 4) * grid_actors(g);
	uint64_t all = n * (uint64_t)n_pes, mask = r->size == 4 ? UINT32_MAX : UINT64_MAX;
	unsigned char *taken = calloc(all, 1);
	size_t wrong = 0;
	struct batch b;

	start(&b, r, code, s, g, n);
	set_place(place(s, 0, 0), 0, 8);
	for (size_t k = 0; k < n; k++) {
		b.calls[k].arg[0] = address(place(s, 0, 0) + 8);
		b.calls[k].arg[1] = strstr(r->name, "atomic_size") ? b.calls[k].arg[1] : 1;
		b.calls[k].arg[3] = 0;
		s->own[k] = 1;
	}
	BARRIER();
	batch_run(&b, &s->module, "atomic");
	for (size_t k = 0; k < n; k++) {
		uint64_t got = batch_result(&b, r->name, k) & mask;

		wrong += r->fetches ? got >= all || taken[got]++ : got != 0;
	}
	CHECK_EQ("tickets that are wrong", wrong, 0);
	BARRIER();
	CHECK_EQ("one step a call", *(uint64_t *)(place(s, 0, 0) + 8), me ? 0 : all);
	batch_close(&b);
	free(taken);
}

static int counts(int code)
{
	return code == MORI_SHMEM_AMO_INC || code == MORI_SHMEM_AMO_ADD ||
	       code == MORI_SHMEM_AMO_FETCH_INC || code == MORI_SHMEM_AMO_FETCH_ADD;
}

static void run_code(const struct row *r, int code, struct shared *s)
{
	size_t all = 2 * TEST_LEN(values) * TEST_LEN(values);

	run_on(r, code, s, grid_first(r->scope),
	       KERN_SMALL ? grid_actors(grid_first(r->scope)) : all, NULL);
	for (size_t i = 0; i < TEST_LEN(grids); i++) {
		if (!grid_chosen(&grids[i], r->scope, r->op + (uint32_t)code))
			continue;
		if (&grids[i] != grid_first(r->scope))
			run_on(r, code, s, &grids[i], 2 * grid_actors(&grids[i]), NULL);
		if (counts(code))
			count_on(r, code, s, &grids[i]);
	}
}

/* Codes that the kind does not take, invalid words, PEs that do not exist. */
static void refuse_row(const struct row *r, struct shared *s)
{
	const struct grid *g = grid_first(r->scope);
	size_t bad = wrong_actor(g), n = grid_actors(g);
	int code = r->code ? r->code : r->fetches ? MORI_SHMEM_AMO_SWAP : MORI_SHMEM_AMO_SET;
	int to = target_of(me, bad);
	uint64_t mine[2] = { 9, 9 };
	const struct wrong wrong[] = {
		{ 3, UINT64_MAX, -1 },
		{ 3, (uint64_t)n_pes, n_pes },
		{ 3, INT_MAX, INT_MAX },
		{ 0, address(mine), to },
		{ 0, 0, to },
		{ 0, address(place(s, me, bad)) + 8 + r->size / 2, to },
		{ 0, address(place(s, me, bad)) + 9, to },
	};

	for (size_t i = 0; i < TEST_LEN(wrong); i++) {
		if (chosen(i, TEST_LEN(wrong), r->op))
			run_on(r, code, s, g, n, &wrong[i]);
	}
	CHECK_EQ("memory that is not symmetric", mine[0] + mine[1], 18);
	for (int op = -1; op < 24 && !r->code; op++) {
		int post = op >= MORI_SHMEM_AMO_INC && op <= MORI_SHMEM_AMO_XOR;
		int fetch = op >= MORI_SHMEM_AMO_FETCH && op <= MORI_SHMEM_AMO_COMPARE_SWAP;

		if (!(r->fetches ? fetch : post) && chosen((size_t)op + 1, 25, r->op))
			run_on(r, code, s, g, n, &(const struct wrong){ 6, (uint64_t)op, to });
	}
	for (uint64_t size = 0; strstr(r->name, "atomic_size") && size < 17; size++) {
		if (size != 4 && size != 8)
			run_on(r, code, s, g, n, &(const struct wrong){ 2, size, to });
	}
}

static void run_row(const struct row *r, struct shared *s)
{
	int first = r->fetches ? MORI_SHMEM_AMO_FETCH : MORI_SHMEM_AMO_INC;
	int last = r->fetches ? MORI_SHMEM_AMO_COMPARE_SWAP : MORI_SHMEM_AMO_XOR;

	test_at(r->name);
	cover(r->name);
	for (int code = first; code <= last && !r->code; code++)
		run_code(r, code, s);
	if (r->code)
		run_code(r, r->code, s);
	refuse_row(r, s);
}

static int test_pe(void)
{
	struct shared *s = calloc(1, sizeof(*s));

	s->module = call_kern_load("atomic");
	if (!s->module.own) {
		free(s);
		SKIP(KERN_NONE);
	}
	s->area = pes_malloc((size_t)n_pes * MOST * 24);
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		for (size_t i = 0; i < TEST_LEN(rows); i++)
			run_row(&rows[i], s);
	}
	cover_all();
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	MUST(mori_shmem_free(s->area));
	call_unload(&s->module);
	free(s);
	return 0;
}
