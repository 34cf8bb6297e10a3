// SPDX-License-Identifier: MIT
/*
 * Every put with signal from kernels. Kernels of all PEs send and wait at the same
 * time: a thread that has seen the signal finds the data, copied in the kernel at that moment.
 * Each call signals once, also for no bytes; what is refused leaves data and signal
 * alone.
 */
/* TEST: pes=3 modes=procs,threads net=procs,threads,nodes formats=mlx5,bnxt,ionic */
#define COVER_LIST(S, V, S0, V0)                                                                   \
	MORI_OPS_PUT_SIGNAL(S, thread) MORI_OPS_PUT_SIGNAL(S, warp) MORI_OPS_PUT_SIGNAL(S, block)
#include "kern_slots.h"

#define MOST								256 /* calls of a batch */
#define ROW_OF(body, scope, dest, src, n, size, sig, value, op, pe, qp) scope, size
#define ROW(name, params, call)						{ #name, CALL_##name, ROW_OF call },

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
	unsigned char *seen; /* what lay in the slots when their signals came */
	uint64_t *sig;	     /* symmetric: MOST words a sender, and one behind */
	size_t room;	     /* of an area */
};

static const int ops[] = { MORI_SHMEM_SIGNAL_SET, MORI_SHMEM_SIGNAL_ADD, 3, 4 };

/* The signal starts at this; a sum carries over the edge. */
static uint64_t before(int from, size_t k)
{
	return UINT64_MAX - 900 + (uint64_t)from * 256 + k;
}

static uint64_t value_of(int from, size_t k)
{
	return 100000 + (uint64_t)from * 1000 + k;
}

static uint64_t after(int from, size_t k)
{
	return k % 2 ? before(from, k) + value_of(from, k) : value_of(from, k);
}

static void set_call(struct batch *b, const struct row *r, struct shared *s,
		     const struct slots *slots, size_t k)
{
	struct call *c = batch_call(b, k, r->op);
	int from = sender_of(k);

	c->quiet = strstr(r->name, "_nbi_") != NULL;
	c->arg[0] = address(slot_to(slots, s->area + (size_t)me * slots->size, k));
	c->arg[1] = address(slot_from(slots, s->src, k));
	c->arg[2] = slots->slot[k].len / r->elem;
	c->arg[3] = (uint64_t)target_of(me, k);
	c->arg[5] = address(s->sig + (size_t)me * MOST + k);
	c->arg[6] = value_of(me, k);
	c->arg[7] = (uint64_t)ops[k % 4];
	c->word = address(s->sig + (size_t)from * MOST + k);
	c->value = after(from, k);
	c->from = address(s->area + (size_t)from * slots->size + slots->slot[k].off);
	c->to = address(s->seen + slots->slot[k].off);
	c->len = slot_room(slots->slot[k].len);
}

static void start(struct batch *b, const struct row *r, struct shared *s, const struct slots *slots,
		  const struct grid *g)
{
	MUST(slots->size <= s->room && slots->n <= MOST ? 0 : MORI_SHMEM_ENOMEM);
	poison(s->area, (size_t)n_pes * slots->size);
	memset(s->seen, 0, slots->size);
	slots_fill(slots, s->src);
	for (int from = 0; from < n_pes; from++) {
		for (size_t k = 0; k < MOST; k++)
			s->sig[(size_t)from * MOST + k] = before(from, k);
	}
	batch_open(b, g, slots->n);
	for (size_t k = 0; k < slots->n; k++)
		set_call(b, r, s, slots, k);
	BARRIER();
}

/* Each word has the value that one call gives it; call @but had no effect on any PE. */
static void check_signals(struct shared *s, const char *name, size_t n, size_t but)
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

static void check_seen(const struct row *r, struct shared *s, const struct slots *slots)
{
	size_t wrong = 0;

	for (size_t k = 0; k < slots->n; k++) {
		int seed = slot_seed(sender_of(k), me, k);

		if (!slot_good(slots, s->seen, k, seed) && !wrong++)
			slot_show(slots, r->name, s->seen, k, seed);
	}
	CHECK_EQ("slots not there with their signal", wrong, 0);
}

static void send_on(const struct row *r, struct shared *s, const struct slots *slots,
		    const struct grid *g)
{
	struct batch b;

	start(&b, r, s, slots, g);
	batch_run(&b, &s->module, "put_signal");
	memset(s->src, SPENT, slots->size);
	batch_good(&b, r->name, SIZE_MAX);
	check_seen(r, s, slots);
	BARRIER();
	slots_check(slots, r->name, s->area, SIZE_MAX);
	check_signals(s, r->name, slots->n, SIZE_MAX);
	batch_close(&b);
}

/* All actors of all PEs add to one word of PE 0; the bytes go to a slot of each. */
static void count_on(const struct row *r, struct shared *s, const struct grid *g, size_t len)
{
	size_t actors = grid_actors(g);
	struct slots slots;
	struct batch b;

	slots_open_big(&slots, actors < MOST ? actors : MOST, r->elem, len);
	start(&b, r, s, &slots, g);
	for (size_t k = 0; k < slots.n; k++) {
		b.calls[k].arg[3] = 0;
		b.calls[k].arg[5] = address(s->sig);
		b.calls[k].arg[6] = 1;
		b.calls[k].arg[7] = (uint64_t)ops[k % 2 ? 1 : 3];
		b.calls[k].word = 0;
	}
	batch_run(&b, &s->module, "put_signal");
	batch_good(&b, r->name, SIZE_MAX);
	BARRIER();
	CHECK_EQ("one signal a call", s->sig[0] - before(0, 0), me ? 0 : slots.n * (size_t)n_pes);
	for (size_t k = 0; k < slots.n && !me; k++)
		CHECK(slot_good(&slots, s->area, k, slot_seed(0, target_of(0, k), k)));
	batch_close(&b);
	slots_close(&slots);
}

static void send_row(const struct row *r, struct shared *s)
{
	int mem = !strncmp(r->name, "putmem", 6);

	slots_sweep(r, s, send_on, r->op, r->scope, r->elem, mem);
	count_on(r, s, grid_first(r->scope), 0);
	count_on(r, s, grid_first(r->scope), 40);
	if (r->scope == DEV_block)
		count_on(r, s, &(const struct grid){ DEV_block, 1, 64, 1 }, 0);
}

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
	b.calls[bad].word = 0;
	batch_run(&b, &s->module, "put_signal");
	batch_good(&b, r->name, bad);
	CHECK_EQ(r->name, batch_result(&b, r->name, bad), MORI_SHMEM_EINVAL);
	batch_fault(&b, r->name, bad, MORI_SHMEM_EINVAL, w->pe);
	BARRIER();
	slots_check(&slots, r->name, s->area, bad);
	check_signals(s, "no signal of a call that was refused", slots.n, bad);
	batch_close(&b);
	slots_close(&slots);
}

static void refuse_row(const struct row *r, struct shared *s)
{
	unsigned char *mine = pes_private(8192);
	size_t bad = wrong_actor(grid_first(r->scope));
	int to = target_of(me, bad);
	const struct wrong wrong[] = {
		{ 3, UINT64_MAX, -1 },
		{ 3, (uint64_t)n_pes, n_pes },
		{ 3, INT_MAX, INT_MAX },
		{ 0, address(mine), to },
		{ 0, 0, to },
		{ 5, address(mine), to },
		{ 5, 0, to },
		{ 5, address(s->sig + (size_t)me * MOST + bad) + 4, to },
		{ 7, 0, to },
		{ 7, 5, to },
		{ 7, 11, to },
		{ 7, UINT64_MAX, to },
		{ 2, SIZE_MAX / r->elem, to },
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
	struct shared s = { .module = call_kern_load("signal"), .room = 1 << 20 };

	if (!s.module.own)
		SKIP(KERN_NONE);
	s.area = pes_malloc((size_t)n_pes * s.room);
	s.sig = pes_malloc(((size_t)n_pes * MOST + 1) * 8);
	s.src = pes_private(s.room);
	s.seen = pes_private(s.room);
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		for (size_t i = 0; i < TEST_LEN(rows); i++) {
			test_at(rows[i].name);
			cover(rows[i].name);
			send_row(&rows[i], &s);
			refuse_row(&rows[i], &s);
		}
	}
	cover_all();
	CHECK_EQ("behind the signals", not_poison(s.sig + (size_t)n_pes * MOST, 8), 8);
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	free(s.src);
	free(s.seen);
	MUST(mori_shmem_free(s.sig));
	MUST(mori_shmem_free(s.area));
	call_unload(&s.module);
	return 0;
}
