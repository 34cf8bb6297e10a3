// SPDX-License-Identifier: MIT
/*
 * Quiet and fence from kernels in all their forms, and what a kernel can ask: who it
 * is, where memory of a peer lies, what went wrong.
 */
/* TEST: pes=3 modes=procs,threads net=procs,threads,nodes */
#define COVER_LIST(S, V, S0, V0)                                                                   \
	MORI_OPS_QUERY(S, V, S0, V0)                                                               \
	MORI_OPS_ORDER(S0, thread)                                                                 \
	MORI_OPS_ORDER_PE(S) MORI_OPS_ORDER(S0, warp) MORI_OPS_ORDER(S0, block)
#include "kern_call.h"

#define MOST 256

#define ROW_OF(body, scope, ...)    scope
#define ROW_ALL(name, call)	    { #name, CALL_##name, ROW_OF call },
#define ROW_ONE(name, params, call) { #name, CALL_##name, ROW_OF call },

static const struct row {
	const char *name;
	uint32_t op;
	enum dev_scope scope;
} orders[] = { MORI_OPS_ORDER(ROW_ALL, thread) MORI_OPS_ORDER_PE(ROW_ONE)
		       MORI_OPS_ORDER(ROW_ALL, warp) MORI_OPS_ORDER(ROW_ALL, block) };

struct shared {
	struct call_module module;
	uint64_t *words; /* symmetric: MOST a sender */
	uint64_t own[MOST], back[MOST];
};

static uint64_t word_of(int from, size_t k)
{
	return (uint64_t)(from + 1) << 40 | k;
}

/* A put, the call, a get of the same: the value is there. */
static void order_on(const struct row *r, struct shared *s, const struct grid *g,
		     const struct wrong *w)
{
	size_t n = grid_actors(g), bad = w ? wrong_actor(g) : SIZE_MAX, wrong = 0;
	struct batch b;

	poison(s->words, (size_t)n_pes * MOST * 8);
	poison(s->back, sizeof(s->back));
	batch_open(&b, g, n);
	for (size_t k = 0; k < n; k++) {
		struct call *c = batch_call(&b, k, r->op);

		s->own[k] = word_of(me, k);
		c->arg[0] = (uint64_t)target_of(me, k);
		c->arg[2] = address(s->words + (size_t)me * MOST + k);
		c->arg[3] = address(&s->own[k]);
		c->arg[4] = address(&s->back[k]);
	}
	if (w) {
		b.calls[bad].arg[w->arg] = w->value;
		b.calls[bad].arg[2] = 0;
	}
	BARRIER();
	batch_run(&b, &s->module, "order");
	batch_good(&b, r->name, bad);
	if (w) {
		CHECK_EQ(r->name, batch_result(&b, r->name, bad), MORI_SHMEM_EINVAL);
		batch_fault(&b, r->name, bad, MORI_SHMEM_EINVAL, w->pe);
	}
	for (size_t k = 0; k < n; k++)
		wrong += k != bad && s->back[k] != word_of(me, k);
	BARRIER();
	for (size_t i = 0; i < (size_t)n_pes * MOST; i++) {
		size_t k = i % MOST;
		int from = (int)(i / MOST), came = k < n && k != bad && target_of(from, k) == me;

		wrong += came ? s->words[i] != word_of(from, k) : not_poison(&s->words[i], 8) != 8;
	}
	CHECK_EQ(r->name, wrong, 0);
	batch_close(&b);
}

static void order(const struct row *r, struct shared *s)
{
	const struct wrong wrong[] = { { 0, UINT64_MAX, -1 },
				       { 0, (uint64_t)n_pes, n_pes },
				       { 0, INT_MAX, INT_MAX },
				       { 0, (uint64_t)INT_MIN, INT_MIN } };

	test_at(r->name);
	cover(r->name);
	for (size_t i = 0; i < TEST_LEN(grids); i++) {
		if (grids[i].scope == r->scope)
			order_on(r, s, &grids[i], NULL);
	}
	for (size_t i = 0; strstr(r->name, "_pe") && i < TEST_LEN(wrong); i++)
		order_on(r, s, grid_first(r->scope), &wrong[i]);
}

/* One question of all threads of a grid, and the answer all must get. */
static void ask(struct shared *s, const char *name, uint32_t op, uint64_t addr, int of, int pe,
		uint64_t want)
{
	const struct grid *g = grid_first(DEV_thread);
	size_t n = grid_actors(g), wrong = 0;
	struct batch b;

	batch_open(&b, g, n);
	for (size_t k = 0; k < n; k++) {
		struct call *c = batch_call(&b, k, op);

		c->arg[0] = addr;
		c->arg[1] = (uint64_t)of;
		c->arg[2] = (uint64_t)pe;
	}
	batch_run(&b, &s->module, "query");
	for (size_t k = 0; k < n; k++)
		wrong += batch_result(&b, name, k) != want;
	CHECK_EQ(name, wrong, 0);
	cover(name);
	batch_close(&b);
}
#define ASK(name, addr, of, pe, want) ask(s, #name, CALL_##name, addr, of, pe, want)

static void questions(struct shared *s)
{
	uint64_t addr = address(s->words), mine;

	ASK(my_pe, 0, 0, 0, (uint64_t)me);
	ASK(n_pes, 0, 0, 0, (uint64_t)n_pes);
	ASK(status, 0, 0, 0, 0);
	for (int pe = 0; pe < n_pes; pe++) {
		uint64_t there = mori_shmem_ptr(addr, pe);

		CHECK_EQ("p2p", there != 0, pes_p2p(pe));
		ASK(ptr, addr, 0, pe, there);
		ASK(ptr, addr + 77, 0, pe, there ? there + 77 : 0);
		ASK(ptr_p2p, addr, me, pe, there);
		ASK(ptr_p2p, there + 5, pe, me, there ? addr + 5 : 0);
	}
	ASK(ptr, address(&mine), 0, me, 0);
	ASK(ptr, 0, 0, me, 0);
	ASK(ptr, addr, 0, n_pes, 0);
	ASK(ptr, addr, 0, -1, 0);
	ASK(ptr_p2p, addr, me, INT_MAX, 0);
	ASK(ptr_p2p, addr, -1, me, 0);
	ASK(status, 0, 0, 0, 0);
	(void)mori_shmem_uint64_g(s->words, -7, 0);
	CHECK_EQ("looked at", mori_shmem_status(), MORI_SHMEM_EINVAL);
	ASK(status, 0, 0, 0, (uint64_t)MORI_SHMEM_EINVAL);
	CHECK_EQ("check", mori_shmem_check(NULL), MORI_SHMEM_EINVAL);
	ASK(status, 0, 0, 0, 0);
}

static int test_pe(void)
{
	struct shared *s = calloc(1, sizeof(*s));
	uint64_t back[2 * 33], *out = back, wrong = 0;

	s->module = call_kern_load("meet");
	if (!s->module.own) {
		free(s);
		SKIP(KERN_NONE);
	}
	s->words = pes_malloc((size_t)n_pes * MOST * 8);
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		for (size_t i = 0; i < TEST_LEN(orders); i++)
			order(&orders[i], s);
		questions(s);
	}
	cover_all();
	memset(back, 1, sizeof(back));
	CHECK_OK(RUN_KERNEL(s->module.own, "tick", 2, 33, &out));
	for (size_t i = 0; i < TEST_LEN(back); i++)
		wrong += back[i];
	CHECK_EQ("steps back of the clock", wrong, 0);
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	MUST(mori_shmem_free(s->words));
	call_unload(&s->module);
	free(s);
	return 0;
}
