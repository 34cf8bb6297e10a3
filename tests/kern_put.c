// SPDX-License-Identifier: MIT
/*
 * Every put from kernels: of bytes and of each type, by threads, warps and blocks,
 * in both forms, with every size and alignment; many calls at once, each to its own
 * place; every lane gets the status, and what is refused writes nothing.
 */
/* TEST: pes=3 modes=procs,threads net=procs,threads,nodes formats=mlx5,bnxt,ionic */
#define COVER_LIST(S, V, S0, V0)                                                                   \
	MORI_OPS_PUT(S, thread) MORI_OPS_PUT(S, warp) MORI_OPS_PUT(S, block)
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
	unsigned char *area; /* symmetric: an area a sender */
	unsigned char *src;
	size_t room; /* of an area */
};

static void set_call(struct batch *b, const struct row *r, struct shared *s,
		     const struct slots *slots, size_t k)
{
	struct call *c = batch_call(b, k, r->op);

	c->quiet = strstr(r->name, "_nbi_") != NULL;
	c->arg[0] = address(slot_to(slots, s->area + (size_t)me * slots->size, k));
	c->arg[1] = address(slot_from(slots, s->src, k));
	c->arg[2] = slots->slot[k].len / r->elem;
	c->arg[3] = (uint64_t)target_of(me, k);
}

static void start(struct batch *b, const struct row *r, struct shared *s, const struct slots *slots,
		  const struct grid *g)
{
	MUST(slots->size <= s->room ? 0 : MORI_SHMEM_ENOMEM);
	poison(s->area, (size_t)n_pes * slots->size);
	slots_fill(slots, s->src);
	batch_open(b, g, slots->n);
	for (size_t k = 0; k < slots->n; k++)
		set_call(b, r, s, slots, k);
	BARRIER();
}

static void put_on(const struct row *r, struct shared *s, const struct slots *slots,
		   const struct grid *g)
{
	struct batch b;

	start(&b, r, s, slots, g);
	batch_run(&b, &s->module, "put");
	memset(s->src, SPENT, slots->size);
	batch_good(&b, r->name, SIZE_MAX);
	BARRIER();
	slots_check(slots, r->name, s->area, SIZE_MAX);
	batch_close(&b);
}

static void put_row(const struct row *r, struct shared *s)
{
	int mem = !strncmp(r->name, "putmem", 6);
	struct slots slots;

	slots_sweep(r, s, put_on, r->op, r->scope, r->elem, mem);
	if (!mem && strncmp(r->name, "put_double", 10) != 0)
		return;
	slots_open_big(&slots, 2, r->elem, BIG);
	put_on(r, s, &slots, grid_first(r->scope));
	if (r->scope == DEV_block)
		put_on(r, s, &slots, &(const struct grid){ DEV_block, 2, 128, 1 });
	slots_close(&slots);
}

/* One actor in the midst of others makes a call that cannot be. */
static void refuse(const struct row *r, struct shared *s, const struct wrong *w)
{
	const struct grid *g = grid_first(r->scope);
	size_t bad = wrong_actor(g);
	struct slots slots;
	struct batch b;

	slots_open(&slots, grid_actors(g), r->elem);
	slots.slot[bad].len = slots.slot[bad].len ? slots.slot[bad].len : 16;
	start(&b, r, s, &slots, g);
	b.calls[bad].arg[w->arg] = w->value;
	batch_run(&b, &s->module, "put");
	batch_good(&b, r->name, bad);
	CHECK_EQ(r->name, batch_result(&b, r->name, bad), MORI_SHMEM_EINVAL);
	batch_fault(&b, r->name, bad, MORI_SHMEM_EINVAL, w->pe);
	BARRIER();
	slots_check(&slots, r->name, s->area, bad);
	batch_close(&b);
	slots_close(&slots);
}

static void refuse_row(const struct row *r, struct shared *s)
{
	unsigned char *mine = pes_private(8192);
	int to = target_of(me, wrong_actor(grid_first(r->scope)));
	const struct wrong wrong[] = {
		{ 3, UINT64_MAX, -1 },
		{ 3, (uint64_t)n_pes, n_pes },
		{ 3, INT_MAX, INT_MAX },
		{ 0, address(mine), to },
		{ 0, 0, to },
		{ 0, UINT64_MAX - 15, to },
		{ 2, SIZE_MAX / r->elem, to },			      /* to the end of memory */
		{ 2, SIZE_MAX / r->elem + 2, r->elem > 1 ? -1 : to }, /* wraps, for a type */
	};

	for (size_t i = 0; i < TEST_LEN(wrong); i++) {
		if ((r->elem > 1 || i < TEST_LEN(wrong) - 1) && chosen(i, TEST_LEN(wrong), r->op))
			refuse(r, s, &wrong[i]);
	}
	CHECK_EQ("memory that is not symmetric", not_poison(mine, 8192), 8192);
	free(mine);
}

static int test_pe(void)
{
	struct shared s = { .module = call_kern_load("copy"), .room = 4 * BIG };

	if (!s.module.own)
		SKIP(KERN_NONE);
	s.area = pes_malloc((size_t)n_pes * s.room);
	s.src = pes_private(s.room);
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		for (size_t i = 0; i < TEST_LEN(rows); i++) {
			test_at(rows[i].name);
			cover(rows[i].name);
			put_row(&rows[i], &s);
			refuse_row(&rows[i], &s);
		}
	}
	cover_all();
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	free(s.src);
	MUST(mori_shmem_free(s.area));
	call_unload(&s.module);
	return 0;
}
