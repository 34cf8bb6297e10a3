// SPDX-License-Identifier: MIT
/*
 * One value to and from every PE by kernels, for each type, at the edges of the type,
 * by threads and by blocks: the bits arrive as they are, every lane gets them, and
 * nothing beside them is touched.
 */
/* TEST: pes=3 modes=procs,threads net=procs,threads,nodes formats=mlx5,bnxt,ionic */
#define COVER_LIST(S, V, S0, V0)                                                                   \
	MORI_OPS_VALUE(S, V, , thread) MORI_OPS_IMM(S) MORI_OPS_VALUE(S, V, _block, block)
#include "kern_call.h"

#define MOST  256 /* calls of a batch */
#define PLACE 64  /* bytes of a call: the value follows GAP and a shift */
#define GAP   16

#define ROW_P(body, scope, dest, value, size, pe, qp) scope, size
#define ROW_G(body, scope, src, size, pe, qp)	      scope, size
#define ROW_PUT(name, params, call)		      { #name, CALL_##name, 0, ROW_P call },
#define ROW_GET(ret, bad, name, params, call)	      { #name, CALL_##name, 1, ROW_G call },

static const struct row {
	const char *name;
	uint32_t op;
	int gets;
	enum dev_scope scope;
	size_t size;
} rows[] = { MORI_OPS_VALUE(ROW_PUT, ROW_GET, , thread)
		     MORI_OPS_VALUE(ROW_PUT, ROW_GET, _block, block) };
static const struct row imm = { "put_size_imm_nbi_thread", CALL_put_size_imm_nbi_thread, 0,
				DEV_thread, 0 };

struct shared {
	struct call_module module;
	unsigned char *area; /* symmetric: MOST places a sender */
	uint64_t own[MOST][2];
};

/* By call and PE, so that a value of the wrong one is seen; edges of every width. */
static uint64_t bits_of(size_t k, int pe)
{
	static const uint64_t edges[] = { 0,
					  1,
					  0x7f7f7f7f7f7f7f7f,
					  0x8080808080808080,
					  0x7fffffffffffffff,
					  0x8000000000000000,
					  0xffffffffffffffff,
					  0x7fc012347fc01234, /* NaN with a payload */
					  0xfff8000000abcdef,
					  0x8000000080000000 };

	if (k < TEST_LEN(edges))
		return edges[k];
	return 0x0123456789abcdef * (uint64_t)(pe + 2) ^ k * 0x0101010101010101;
}

static unsigned char *place(struct shared *s, int from, size_t k, size_t size)
{
	size_t step = size > 8 ? 8 : size;

	return s->area + ((size_t)from * MOST + k) * PLACE + GAP + k % (16 / step) * step;
}

static void start(struct batch *b, const struct row *r, struct shared *s, const struct grid *g,
		  size_t n, size_t size)
{
	MUST(n <= MOST ? 0 : MORI_SHMEM_ENOMEM);
	poison(s->area, (size_t)n_pes * MOST * PLACE);
	batch_open(b, g, n);
	for (size_t k = 0; k < n; k++) {
		struct call *c = batch_call(b, k, r->op);
		uint64_t bits[2] = { bits_of(k, me), ~bits_of(k, me) };

		c->arg[0] = address(place(s, r->gets ? 0 : me, k, size));
		c->arg[1] = bits[0];
		c->arg[2] = size;
		c->arg[3] = (uint64_t)target_of(me, k);
		if (r->gets)
			memcpy(place(s, 0, k, size), bits, size);
		if (!r->size) {
			memcpy(s->own[k], bits, sizeof(bits));
			c->arg[1] = address(s->own[k]);
			c->quiet = 1;
		}
	}
	BARRIER();
}

/* Places hold what was put there, and poison around it. */
static void check_put(struct shared *s, const char *name, size_t n, size_t size, size_t but)
{
	unsigned char want[PLACE];
	size_t wrong = 0;

	for (int from = 0; from < n_pes; from++) {
		for (size_t k = 0; k < MOST; k++) {
			unsigned char *at = s->area + ((size_t)from * MOST + k) * PLACE;
			uint64_t bits[2] = { bits_of(k, from), ~bits_of(k, from) };

			poison(want, PLACE);
			if (k < n && k != but && target_of(from, k) == me)
				memcpy(want + (place(s, from, k, size) - at), bits, size);
			wrong += memcmp(at, want, PLACE) != 0;
		}
	}
	CHECK_EQ(name, wrong, 0);
}

static void check_got(const struct batch *b, const struct row *r, size_t but)
{
	size_t wrong = 0;

	for (size_t k = 0; k < b->n; k++) {
		uint64_t want = bits_of(k, target_of(me, k)), got = batch_result(b, r->name, k);

		if (r->size < 8)
			want &= (1ull << 8 * r->size) - 1;
		wrong += got != (k == but ? 0 : want);
	}
	CHECK_EQ(r->name, wrong, 0);
}

static void run_on(const struct row *r, struct shared *s, const struct grid *g, size_t size,
		   const struct wrong *w)
{
	size_t actors = grid_actors(g), n = w || actors > 48 ? actors : 48;
	size_t bad = w ? wrong_actor(g) : SIZE_MAX;
	struct batch b;

	start(&b, r, s, g, n, size);
	if (w)
		b.calls[bad].arg[w->arg] = w->value;
	batch_run(&b, &s->module, "value");
	if (r->gets)
		check_got(&b, r, bad);
	else
		batch_good(&b, r->name, bad);
	if (w && !r->gets)
		CHECK_EQ(r->name, batch_result(&b, r->name, bad), MORI_SHMEM_EINVAL);
	if (w)
		batch_fault(&b, r->name, bad, MORI_SHMEM_EINVAL, w->pe);
	BARRIER();
	if (!r->gets)
		check_put(s, r->name, n, size, bad);
	batch_close(&b);
}

static void run_row(const struct row *r, struct shared *s, size_t size)
{
	unsigned char mine[16] = { 0 };
	int to = target_of(me, wrong_actor(grid_first(r->scope)));
	const struct wrong wrong[] = {
		{ 3, UINT64_MAX, -1 },
		{ 3, (uint64_t)n_pes, n_pes },
		{ 3, INT_MAX, INT_MAX },
		{ 0, address(mine), to },
		{ 0, 0, to },
		{ 0, UINT64_MAX - 15, to },
	};

	test_at(r->name);
	cover(r->name);
	for (size_t i = 0; i < TEST_LEN(grids); i++) {
		if (grid_chosen(&grids[i], r->scope, r->op))
			run_on(r, s, &grids[i], size, NULL);
	}
	for (size_t i = 0; i < TEST_LEN(wrong); i++) {
		if (chosen(i, TEST_LEN(wrong), r->op))
			run_on(r, s, grid_first(r->scope), size, &wrong[i]);
	}
	CHECK(!memcmp(mine, (const unsigned char[16]){ 0 }, 16));
}

static int test_pe(void)
{
	static const size_t sizes[] = { 1, 2, 4, 8, 16 }, bad[] = { 0, 3, 5, 7, 9, 17, 32 };
	struct shared *s = calloc(1, sizeof(*s));
	int to = target_of(me, wrong_actor(grid_first(DEV_thread)));

	s->module = call_kern_load("value");
	if (!s->module.own) {
		free(s);
		SKIP(KERN_NONE);
	}
	s->area = pes_malloc((size_t)n_pes * MOST * PLACE);
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		for (size_t i = 0; i < TEST_LEN(rows); i++)
			run_row(&rows[i], s, rows[i].size);
		for (size_t i = 0; i < TEST_LEN(sizes); i++)
			run_row(&imm, s, sizes[i]);
		for (size_t i = 0; i < TEST_LEN(bad); i++)
			run_on(&imm, s, grid_first(DEV_thread), 16,
			       &(const struct wrong){ 2, bad[i], to });
	}
	cover_all();
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	MUST(mori_shmem_free(s->area));
	call_unload(&s->module);
	free(s);
	return 0;
}
