// SPDX-License-Identifier: MIT
/*
 * Signals alone from kernels: set and add by either code, one a call whatever the
 * number of lanes, many at once to one word; nothing where the call is refused.
 */
/* TEST: pes=3 modes=procs,threads net=procs,threads,nodes formats=mlx5,bnxt,ionic */
#define COVER_LIST(S, V, S0, V0)                                                                   \
	MORI_OPS_SIGNAL(S, thread)                                                                 \
	MORI_OPS_SIGNAL_FETCH(V) MORI_OPS_SIGNAL(S, warp) MORI_OPS_SIGNAL(S, block)
#include "kern_call.h"

#define MOST			 512 /* calls of a batch */
#define ROW_OF(body, scope, ...) scope
#define ROW(name, params, call)	 { #name, CALL_##name, ROW_OF call },

static const struct row {
	const char *name;
	uint32_t op;
	enum dev_scope scope;
} rows[] = { MORI_OPS_SIGNAL(ROW, thread) MORI_OPS_SIGNAL(ROW, warp) MORI_OPS_SIGNAL(ROW, block) };

static const int ops[] = { MORI_SHMEM_SIGNAL_SET, MORI_SHMEM_SIGNAL_ADD, 3, 4 };
static const uint64_t values[] = { 0, 1, 0x80000000u, 0xffffffffu, 1ull << 63, UINT64_MAX, 12345 };

struct shared {
	struct call_module module;
	uint64_t *sig; /* symmetric: MOST words a sender */
};

static uint64_t before(int from, size_t k)
{
	return UINT64_MAX - 5000 + (uint64_t)from * 1000 + k;
}

static uint64_t value_of(int from, size_t k)
{
	return values[k % TEST_LEN(values)] + (uint64_t)from * 3;
}

static uint64_t after(int from, size_t k)
{
	return k % 2 ? before(from, k) + value_of(from, k) : value_of(from, k);
}

static void start(struct batch *b, const struct row *r, struct shared *s, const struct grid *g,
		  size_t n)
{
	MUST(n <= MOST ? 0 : MORI_SHMEM_ENOMEM);
	for (int from = 0; from < n_pes; from++) {
		for (size_t k = 0; k < MOST; k++)
			s->sig[(size_t)from * MOST + k] = before(from, k);
	}
	batch_open(b, g, n);
	for (size_t k = 0; k < n; k++) {
		struct call *c = batch_call(b, k, r->op);

		c->arg[3] = (uint64_t)target_of(me, k);
		c->arg[5] = address(s->sig + (size_t)me * MOST + k);
		c->arg[6] = value_of(me, k);
		c->arg[7] = (uint64_t)ops[k % 4];
	}
	BARRIER();
}

static void check_words(struct shared *s, const char *name, size_t n, size_t but)
{
	size_t wrong = 0;

	for (int from = 0; from < n_pes; from++) {
		for (size_t k = 0; k < MOST; k++) {
			int came = k < n && k != but && target_of(from, k) == me;

			wrong += s->sig[(size_t)from * MOST + k] !=
				 (came ? after(from, k) : before(from, k));
		}
	}
	CHECK_EQ(name, wrong, 0);
}

static void send_on(const struct row *r, struct shared *s, const struct grid *g)
{
	size_t actors = grid_actors(g), n = actors < 28 ? 28 : actors;
	struct batch b;

	start(&b, r, s, g, n);
	batch_run(&b, &s->module, "signal");
	batch_good(&b, r->name, SIZE_MAX);
	BARRIER();
	check_words(s, r->name, n, SIZE_MAX);
	batch_close(&b);
}

/* All actors of all PEs, several times, to one word of the last PE. */
static void count_on(const struct row *r, struct shared *s, const struct grid *g)
{
	size_t n = 4 * grid_actors(g);
	struct batch b;

	start(&b, r, s, g, n);
	for (size_t k = 0; k < n; k++) {
		b.calls[k].arg[3] = (uint64_t)n_pes - 1;
		b.calls[k].arg[5] = address(s->sig);
		b.calls[k].arg[6] = (uint64_t)me + 1;
		b.calls[k].arg[7] = (uint64_t)ops[k % 2 ? 1 : 3];
	}
	batch_run(&b, &s->module, "signal");
	batch_good(&b, r->name, SIZE_MAX);
	BARRIER();
	CHECK_EQ("one signal a call", s->sig[0] - before(0, 0),
		 me == n_pes - 1 ? n * (size_t)n_pes * ((size_t)n_pes + 1) / 2 : 0);
	batch_close(&b);
}

static void refuse(const struct row *r, struct shared *s)
{
	const struct grid *g = grid_first(r->scope);
	size_t bad = wrong_actor(g), n = grid_actors(g);
	int to = target_of(me, bad);
	uint64_t mine = 5;
	const struct wrong wrong[] = {
		{ 3, UINT64_MAX, -1 },
		{ 3, (uint64_t)n_pes, n_pes },
		{ 3, INT_MAX, INT_MAX },
		{ 5, address(&mine), to },
		{ 5, 0, to },
		{ 5, address(s->sig + (size_t)me * MOST + bad) + 4, to },
		{ 7, 0, to },
		{ 7, 2, to },
		{ 7, 5, to },
		{ 7, 8, to },
		{ 7, 11, to },
		{ 7, 14, to },
		{ 7, UINT64_MAX, to },
	};

	for (size_t i = 0; i < TEST_LEN(wrong); i++) {
		struct batch b;

		start(&b, r, s, g, n);
		b.calls[bad].arg[wrong[i].arg] = wrong[i].value;
		batch_run(&b, &s->module, "signal");
		batch_good(&b, r->name, bad);
		CHECK_EQ(r->name, batch_result(&b, r->name, bad), MORI_SHMEM_EINVAL);
		batch_fault(&b, r->name, bad, MORI_SHMEM_EINVAL, wrong[i].pe);
		BARRIER();
		check_words(s, "no signal of a call that was refused", n, bad);
		batch_close(&b);
	}
	CHECK_EQ("memory that is not symmetric", mine, 5);
}

/* Every thread reads a word of its own; an invalid word returns 0 and leaves a fault. */
static void fetch(struct shared *s)
{
	const struct grid *g = grid_first(DEV_thread);
	size_t n = grid_actors(g), bad = wrong_actor(g), wrong = 0;
	struct batch b;

	for (int round = 0; round < 3; round++) {
		batch_open(&b, g, n);
		for (size_t k = 0; k < n; k++) {
			s->sig[k] = value_of(me, k);
			batch_call(&b, k, CALL_signal_fetch)->arg[5] = address(s->sig + k);
		}
		if (round)
			b.calls[bad].arg[5] = round == 1 ? 0 : address(s->sig + bad) + 1;
		batch_run(&b, &s->module, "signal");
		for (size_t k = 0; k < n; k++)
			wrong += batch_result(&b, "signal_fetch", k) !=
				 (round && k == bad ? 0 : value_of(me, k));
		CHECK_EQ("signal_fetch", wrong, 0);
		if (round)
			batch_fault(&b, "signal_fetch", bad, MORI_SHMEM_EINVAL, me);
		batch_close(&b);
	}
	cover("signal_fetch");
	BARRIER();
}

static int test_pe(void)
{
	struct shared s = { .module = call_kern_load("signal") };

	if (!s.module.own)
		SKIP(KERN_NONE);
	s.sig = pes_malloc((size_t)n_pes * MOST * 8);
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		for (size_t i = 0; i < TEST_LEN(rows); i++) {
			test_at(rows[i].name);
			cover(rows[i].name);
			for (size_t k = 0; k < TEST_LEN(grids); k++) {
				if (grids[k].scope != rows[i].scope)
					continue;
				send_on(&rows[i], &s, &grids[k]);
				count_on(&rows[i], &s, &grids[k]);
			}
			refuse(&rows[i], &s);
		}
		fetch(&s);
	}
	cover_all();
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	MUST(mori_shmem_free(s.sig));
	call_unload(&s.module);
	return 0;
}
