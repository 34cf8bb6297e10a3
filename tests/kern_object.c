// SPDX-License-Identifier: MIT
/*
 * Object forms from kernels: an object and an offset do what the address would, in every scope; a
 * range that leaves its object is refused, and nothing is moved.
 */
/* TEST: pes=3 modes=procs,threads net=procs,threads,nodes */
#define COVER_LIST(S, V, S0, V0)                                                                   \
	MORI_OPS_OBJ(S, thread) MORI_OPS_OBJ(S, warp) MORI_OPS_OBJ(S, block)
#include "kern_slots.h"

#define MOST 256 /* calls of a batch */
#define ROOM (1 << 19)

#define ROW_OF(body, scope, ...) scope
#define ROW(name, params, call)	 { #name, CALL_##name, ROW_OF call },

static const struct row {
	const char *name;
	uint32_t op;
	enum dev_scope scope;
} rows[] = { COVER_LIST(ROW, , , ) };

struct shared {
	struct call_module module;
	unsigned char *area; /* symmetric: ROOM bytes a sender */
	unsigned char *buf;  /* the PE's own, registered: ROOM bytes */
	uint64_t *sig;	     /* symmetric: MOST words a sender */
	mori_shmem_memobj_t area_obj, buf_obj, sig_obj;
};

static int gets(const struct row *r)
{
	return !strncmp(r->name, "getmem", 6);
}

static int signals(const struct row *r)
{
	return strstr(r->name, "signal") != NULL;
}

static int moves(const struct row *r)
{
	return strncmp(r->name, "signal_op", 9) != 0;
}

/* Where places are, by object and offset; the offsets travel in fields of their own. */
static void set_call(struct batch *b, const struct row *r, struct shared *s,
		     const struct slots *slots, size_t k)
{
	struct call *c = batch_call(b, k, r->op);
	size_t there = (size_t)me * ROOM;

	c->quiet = strstr(r->name, "_nbi_") != NULL;
	c->arg[0] = address(gets(r) ? &s->buf_obj : &s->area_obj);
	c->arg[1] = address(gets(r) ? &s->area_obj : &s->buf_obj);
	c->arg[2] = slots->slot[k].len;
	c->arg[3] = (uint64_t)target_of(me, k);
	c->arg[5] = address(&s->sig_obj);
	c->arg[6] = 1000 * (uint64_t)(me + 1) + k;
	c->arg[7] = k % 2 ? MORI_SHMEM_SIGNAL_ADD : MORI_SHMEM_SIGNAL_SET;
	c->from = (gets(r) ? 0 : there) + slots->slot[k].off + GUARD + slots->slot[k].to;
	c->to = slots->slot[k].off + GUARD + slots->slot[k].from;
	c->len = ((size_t)me * MOST + k) * 8;
}

static void start(struct batch *b, const struct row *r, struct shared *s, const struct slots *slots,
		  const struct grid *g)
{
	MUST(slots->size <= ROOM && slots->n <= MOST ? 0 : MORI_SHMEM_ENOMEM);
	for (int from = 0; from < n_pes; from++)
		poison(s->area + (size_t)from * ROOM, slots->size);
	poison(s->buf, slots->size);
	if (gets(r)) {
		for (size_t k = 0; k < slots->n; k++)
			fill(slot_from(slots, s->area, k), slot_seed(me, 0, k), slots->slot[k].len);
	} else {
		slots_fill(slots, s->buf);
	}
	for (size_t i = 0; i < (size_t)n_pes * MOST; i++)
		s->sig[i] = 7;
	batch_open(b, g, slots->n);
	for (size_t k = 0; k < slots->n; k++)
		set_call(b, r, s, slots, k);
	BARRIER();
}

static void check_signals(const struct row *r, struct shared *s, size_t n, size_t but)
{
	size_t wrong = 0;

	for (int from = 0; from < n_pes; from++) {
		for (size_t k = 0; k < MOST; k++) {
			uint64_t value = 1000 * (uint64_t)(from + 1) + k + (k % 2 ? 7 : 0);
			int came = signals(r) && k < n && k != but && target_of(from, k) == me;

			wrong += s->sig[(size_t)from * MOST + k] != (came ? value : 7);
		}
	}
	CHECK_EQ("signals that are wrong", wrong, 0);
}

static void check_data(const struct row *r, struct shared *s, const struct slots *slots, size_t but)
{
	size_t wrong = 0;

	for (size_t k = 0; k < slots->n; k++) {
		for (int from = 0; from < n_pes && !gets(r); from++) {
			int came = moves(r) && k != but && target_of(from, k) == me;

			wrong += !slot_good(slots, s->area + (size_t)from * ROOM, k,
					    came ? slot_seed(from, me, k) : -1);
		}
		if (gets(r))
			wrong += !slot_good(slots, s->buf, k,
					    k == but ? -1 : slot_seed(target_of(me, k), 0, k));
	}
	CHECK_EQ(r->name, wrong, 0);
}

static void run_on(const struct row *r, struct shared *s, const struct slots *slots,
		   const struct grid *g)
{
	struct batch b;

	start(&b, r, s, slots, g);
	batch_run(&b, &s->module, "object");
	batch_good(&b, r->name, SIZE_MAX);
	BARRIER();
	check_data(r, s, slots, SIZE_MAX);
	check_signals(r, s, slots->n, SIZE_MAX);
	batch_close(&b);
}

/* What makes the call of one actor wrong. */
enum { BAD_PE, BAD_DEST, BAD_DEST_FAR, BAD_SRC, BAD_NONE, BAD_SIG, BAD_SIG_ODD, BAD_OP, BAD_END };

/* Whether it is wrong for that operation, once set. */
static int spoil(const struct row *r, struct shared *s, struct call *c, int how,
		 const mori_shmem_memobj_t *none)
{
	const mori_shmem_memobj_t *dest = gets(r) ? &s->buf_obj : &s->area_obj;
	const mori_shmem_memobj_t *src = gets(r) ? &s->area_obj : &s->buf_obj;

	switch (how) {
	case BAD_PE:
		c->arg[3] = (uint64_t)n_pes;
		return 1;
	case BAD_DEST:
		c->from = dest->size - c->arg[2] + 1;
		return moves(r);
	case BAD_DEST_FAR:
		c->from = SIZE_MAX - 3;
		return moves(r);
	case BAD_SRC:
		c->to = src->size - c->arg[2] + 1;
		return moves(r);
	case BAD_NONE:
		c->arg[moves(r) ? 0 : 5] = address(none);
		return 1;
	case BAD_SIG:
		c->len = s->sig_obj.size - 7;
		return signals(r);
	case BAD_SIG_ODD:
		c->len += 4;
		return signals(r);
	default:
		c->arg[7] = 1;
		return signals(r);
	}
}

static void refuse(const struct row *r, struct shared *s, const struct slots *slots, int how)
{
	mori_shmem_memobj_t *none = calloc(1, sizeof(*none)); /* where a GPU can access it, too */
	const struct grid *g = grid_first(r->scope);
	size_t bad = wrong_actor(g);
	struct batch b;

	start(&b, r, s, slots, g);
	if (spoil(r, s, &b.calls[bad], how, none)) {
		batch_run(&b, &s->module, "object");
		batch_good(&b, r->name, bad);
		CHECK_EQ(r->name, batch_result(&b, r->name, bad), MORI_SHMEM_EINVAL);
		batch_fault(&b, r->name, bad, MORI_SHMEM_EINVAL,
			    how == BAD_PE ? n_pes : target_of(me, bad));
		BARRIER();
		check_data(r, s, slots, bad);
		check_signals(r, s, slots->n, bad);
	}
	batch_close(&b);
	free(none);
}

static void run_row(const struct row *r, struct shared *s)
{
	struct slots slots;

	test_at(r->name);
	cover(r->name);
	slots_open(&slots, KERN_SMALL ? 32 : MOST, 1);
	run_on(r, s, &slots, grid_first(r->scope));
	slots_close(&slots);
	slots_open(&slots, 20, 1);
	for (size_t i = 0; i < TEST_LEN(grids); i++) {
		if (grid_chosen(&grids[i], r->scope, r->op))
			run_on(r, s, &slots, &grids[i]);
	}
	slots_close(&slots);
	slots_open(&slots, grid_actors(grid_first(r->scope)), 1);
	if (!slots.slot[wrong_actor(grid_first(r->scope))].len)
		slots.slot[wrong_actor(grid_first(r->scope))].len = 16;
	for (int how = 0; how < BAD_END; how++)
		refuse(r, s, &slots, how);
	slots_close(&slots);
}

static int test_pe(void)
{
	struct shared s = { .module = call_kern_load("object") };

	if (!s.module.own)
		SKIP(KERN_NONE);
	s.area = pes_malloc((size_t)n_pes * ROOM);
	s.buf = pes_private(ROOM);
	s.sig = pes_malloc((size_t)n_pes * MOST * 8);
	MUST(mori_shmem_buffer_register(s.buf, ROOM));
	MUST(mori_shmem_query_memobj(s.area, &s.area_obj));
	MUST(mori_shmem_query_memobj(s.buf, &s.buf_obj));
	MUST(mori_shmem_query_memobj(s.sig, &s.sig_obj));
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		for (size_t i = 0; i < TEST_LEN(rows); i++)
			run_row(&rows[i], &s);
	}
	cover_all();
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	MUST(mori_shmem_buffer_deregister(s.buf, ROOM));
	MUST(mori_shmem_free(s.sig));
	MUST(mori_shmem_free(s.area));
	call_unload(&s.module);
	free(s.buf);
	return 0;
}
