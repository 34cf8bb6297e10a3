// SPDX-License-Identifier: MIT
/*
 * Barriers and syncs of kernels, many in a row, by one thread and by blocks of every
 * size: no PE leaves before all have arrived, and what was put before is there after.
 */
/* TEST: pes=3,4 modes=procs,threads net=procs,threads,nodes formats=mlx5,bnxt,ionic */
#define COVER_LIST(S, V, S0, V0) MORI_OPS_BARRIER(S0, thread) MORI_OPS_BARRIER(S0, block)
#include "kern_call.h"

#define ROUNDS TEST_SCALE(100)

#define ROW_OF(body, scope) scope
#define ROW(name, call)	    { #name, CALL_##name, ROW_OF call },

static const struct row {
	const char *name;
	uint32_t op;
	enum dev_scope scope;
} rows[] = { COVER_LIST(, , ROW, ) };

struct shared {
	struct call_module module;
	uint64_t *came; /* symmetric: the round that each PE has reached */
	uint64_t round; /* the last, over all operations */
};

static void meet(const struct row *r, struct shared *s, unsigned blocks, unsigned threads)
{
	const char *kernel = r->scope == DEV_block ? "meet_block" : "meet_thread";
	struct call call = { .op = r->op, .form = (uint32_t)use_ctx }, *c = &call;
	uint64_t first = s->round + 1, last = s->round + ROUNDS, wrong = 0;
	uint64_t *out = calloc(threads, 8);

	test_at(r->name);
	cover(r->name);
	CHECK_OK(RUN_KERNEL(call_module(&s->module), kernel, blocks, threads, &c, &s->came, &first,
			    &last, &ctx, &out));
	for (unsigned i = 0; i < threads; i++)
		wrong += out[i];
	CHECK_EQ(r->name, wrong, 0);
	for (int pe = 0; pe < n_pes; pe++) {
		uint64_t seen = mori_shmem_signal_fetch(s->came + pe);

		CHECK(seen == last || seen == last + 1);
	}
	s->round = last;
	free(out);
}

static void meet_row(const struct row *r, struct shared *s)
{
	static const unsigned sizes[] = { 1, 32, 33, 128 };

	if (r->scope == DEV_thread) {
		meet(r, s, 1, 1);
		meet(r, s, 3, 40);
		return;
	}
	for (size_t i = 0; i < TEST_LEN(sizes); i++)
		meet(r, s, 1, sizes[i]);
}

static int test_pe(void)
{
	struct shared s = { .module = call_kern_load("meet") };

	if (!s.module.own)
		SKIP(KERN_NONE);
	s.came = pes_malloc((size_t)n_pes * 8);
	memset(s.came, 0, (size_t)n_pes * 8);
	BARRIER();
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		for (size_t i = 0; i < TEST_LEN(rows); i++)
			meet_row(&rows[i], &s);
	}
	cover_all();
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	MUST(mori_shmem_free(s.came));
	call_unload(&s.module);
	return 0;
}
