// SPDX-License-Identifier: MIT
/*
 * Every get from kernels: of bytes and of each type, by threads, warps and blocks, in both forms,
 * with every size and alignment; the bytes are those of the target PE, and nothing beside them is
 * touched, here or there.
 */
/* TEST: pes=3 modes=procs,threads net=procs,threads,nodes formats=mlx5,bnxt,ionic */
#define COVER_LIST(S, V, S0, V0)                                                                   \
	MORI_OPS_GET(S, thread) MORI_OPS_GET(S, warp) MORI_OPS_GET(S, block)
#include "kern_slots.h"

#define BIG						((1 << 20) + 5)
#define ROW_OF(body, scope, dest, src, n, size, pe, qp) scope, size
#define ROW(name, params, call)				{ #name, CALL_##name, ROW_OF call },

static const struct row {
	const char *name;
	uint32_t op;
	enum dev_scope scope;
	size_t elem;
} rows[] = { COVER_LIST(ROW, , , ) };

struct shared {
	struct call_module module;
	unsigned char *area; /* symmetric: what may be fetched */
	unsigned char *dest;
	size_t room;
};

/* Call @k gets what the PE has there for everybody. */
static void set_calls(struct batch *b, const struct row *r, struct shared *s,
		      const struct slots *slots)
{
	memset(s->area, SPENT, slots->size);
	for (size_t k = 0; k < slots->n; k++)
		fill(slot_from(slots, s->area, k), slot_seed(me, 0, k), slots->slot[k].len);
	for (size_t k = 0; k < slots->n; k++) {
		struct call *c = batch_call(b, k, r->op);

		c->quiet = strstr(r->name, "_nbi_") != NULL;
		c->arg[0] = address(slot_to(slots, s->dest, k));
		c->arg[1] = address(slot_from(slots, s->area, k));
		c->arg[2] = slots->slot[k].len / r->elem;
		c->arg[3] = (uint64_t)target_of(me, k);
	}
}

static void check_got(const struct row *r, struct shared *s, const struct slots *slots, size_t but)
{
	size_t wrong = 0, spoiled = 0;

	for (size_t k = 0; k < slots->n; k++) {
		int seed = k == but ? -1 : slot_seed(target_of(me, k), 0, k);

		if (!slot_good(slots, s->dest, k, seed) && !wrong++)
			slot_show(slots, r->name, s->dest, k, seed);
		spoiled += differs(slot_from(slots, s->area, k), slot_seed(me, 0, k),
				   slots->slot[k].len) != slots->slot[k].len;
	}
	CHECK_EQ("slots that are wrong", wrong, 0);
	CHECK_EQ("sources that were written", spoiled, 0);
}

static void get_on(const struct row *r, struct shared *s, const struct slots *slots,
		   const struct grid *g, const struct wrong *w)
{
	size_t bad = w ? wrong_actor(g) : SIZE_MAX;
	struct batch b;

	MUST(slots->size <= s->room ? 0 : MORI_SHMEM_ENOMEM);
	batch_open(&b, g, slots->n);
	set_calls(&b, r, s, slots);
	poison(s->dest, slots->size);
	if (w)
		b.calls[bad].arg[w->arg] = w->value;
	BARRIER();
	batch_run(&b, &s->module, "get");
	batch_good(&b, r->name, bad);
	if (w) {
		CHECK_EQ(r->name, batch_result(&b, r->name, bad), MORI_SHMEM_EINVAL);
		batch_fault(&b, r->name, bad, MORI_SHMEM_EINVAL, w->pe);
	}
	BARRIER();
	check_got(r, s, slots, bad);
	batch_close(&b);
}

static void get_all(const struct row *r, struct shared *s, const struct slots *slots,
		    const struct grid *g)
{
	get_on(r, s, slots, g, NULL);
}

static void get_row(const struct row *r, struct shared *s)
{
	int mem = !strncmp(r->name, "getmem", 6);
	struct slots slots;

	slots_sweep(r, s, get_all, r->op, r->scope, r->elem, mem);
	if (!mem && strncmp(r->name, "get_double", 10) != 0)
		return;
	slots_open_big(&slots, 2, r->elem, BIG);
	get_on(r, s, &slots, grid_first(r->scope), NULL);
	if (r->scope == DEV_block)
		get_on(r, s, &slots, &(const struct grid){ DEV_block, 2, 128, 1 }, NULL);
	slots_close(&slots);
}

static void refuse_row(const struct row *r, struct shared *s)
{
	const struct grid *g = grid_first(r->scope);
	size_t bad = wrong_actor(g);
	uint64_t mine[2] = { 5, 5 };
	int from = target_of(me, bad);
	const struct wrong wrong[] = {
		{ 3, UINT64_MAX, -1 },
		{ 3, (uint64_t)n_pes, n_pes },
		{ 3, INT_MAX, INT_MAX },
		{ 1, address(mine), from },
		{ 1, 0, from },
		{ 1, UINT64_MAX - 15, from },
		{ 2, SIZE_MAX / r->elem, from },			/* to the end of memory */
		{ 2, SIZE_MAX / r->elem + 2, r->elem > 1 ? -1 : from }, /* wraps, for a type */
	};
	struct slots slots;

	slots_open(&slots, grid_actors(g), r->elem);
	if (!slots.slot[bad].len)
		slots.slot[bad].len = 16;
	for (size_t i = 0; i < TEST_LEN(wrong); i++) {
		if ((r->elem > 1 || i < TEST_LEN(wrong) - 1) && chosen(i, TEST_LEN(wrong), r->op))
			get_on(r, s, &slots, g, &wrong[i]);
	}
	slots_close(&slots);
}

static int test_pe(void)
{
	struct shared s = { .module = call_kern_load("copy"), .room = 3 * BIG };

	if (!s.module.own)
		SKIP(KERN_NONE);
	s.area = pes_malloc(s.room);
	s.dest = pes_private(s.room);
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		for (size_t i = 0; i < TEST_LEN(rows); i++) {
			test_at(rows[i].name);
			cover(rows[i].name);
			get_row(&rows[i], &s);
			refuse_row(&rows[i], &s);
		}
	}
	cover_all();
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	free(s.dest);
	MUST(mori_shmem_free(s.area));
	call_unload(&s.module);
	return 0;
}
