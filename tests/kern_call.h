// SPDX-License-Identifier: MIT
/*
 * The host's side of kernels/call.h: grids, batches of calls that a kernel makes,
 * the result of each on every lane, and the sticky status of one that was refused.
 * Define COVER_LIST as the part of the list the test is about (see cover.h).
 */
#ifndef MORI_TESTS_KERN_CALL_H
#define MORI_TESTS_KERN_CALL_H

#include "cover.h"
#include "kern.h"

#include "kernels/call.h"

#include <limits.h>

struct grid {
	enum dev_scope scope;
	unsigned blocks, x, y; /* a block has x * y threads; where it is of warps, of 32 lanes */
};

/* Of each scope the first has many actors, of which some are short. */
static const struct grid grids[] = {
	{ DEV_thread, 3, 40, 1 }, { DEV_thread, 1, 1, 1 }, { DEV_thread, 5, 3, 2 },
	{ DEV_warp, 3, 40, 1 },	  { DEV_warp, 1, 32, 1 },  { DEV_warp, 2, 5, 7 },
	{ DEV_warp, 2, 1, 1 },	  { DEV_block, 3, 33, 1 }, { DEV_block, 1, 128, 1 },
	{ DEV_block, 2, 32, 1 },  { DEV_block, 4, 1, 1 },  { DEV_block, 2, 5, 7 },
};

static inline const char *scope_name(enum dev_scope scope)
{
	static const char *const names[] = { "thread", "warp", "block" };

	return names[scope];
}

static inline const struct grid *grid_first(enum dev_scope scope)
{
	size_t i = 0;

	while (grids[i].scope != scope)
		i++;
	return &grids[i];
}

/* Grids of warps are wider where a warp is. */
static inline unsigned grid_x(const struct grid *g)
{
	return g->scope == DEV_warp && g->x > 1 ? g->x * kern_warp() / 32 : g->x;
}

static inline size_t grid_lanes(const struct grid *g)
{
	return (size_t)grid_x(g) * g->y;
}

/* Actors of one block. */
static inline size_t grid_each(const struct grid *g)
{
	size_t lanes = grid_lanes(g);

	return g->scope == DEV_thread ? lanes :
	       g->scope == DEV_warp   ? (lanes + kern_warp() - 1) / kern_warp() :
					1;
}

static inline size_t grid_actors(const struct grid *g)
{
	return g->blocks * grid_each(g);
}

/* The lanes of actor @a, as numbers in its block: from *first up to the one given. */
static inline size_t grid_span(const struct grid *g, size_t a, size_t *first)
{
	size_t lanes = grid_lanes(g), at = a % grid_each(g), warp = kern_warp();

	*first = g->scope == DEV_thread ? at : at * warp;
	if (g->scope == DEV_thread)
		return at + 1;
	return g->scope == DEV_warp && *first + warp < lanes ? *first + warp : lanes;
}

/*
 * A module of this PE and, for the forms with a context, the same one of the next PE of
 * this process, if there is one: a form that uses the module's state then acts for another PE.
 */
struct call_module {
	mori_shmem_module_t *own, *other;
};

static inline struct call_module call_kern_load(const char *name)
{
	mori_shmem_t *self = mori_shmem_current(), *other = mori_shmem_find((me + 1) % n_pes);
	struct call_module m = { kern_load(name), NULL };

	if (m.own)
		kern_warp(); /* now, and not while kernels of others run */
	if (m.own && other && other != self) {
		MUST(mori_shmem_bind(other));
		m.other = kern_load(name);
		MUST(mori_shmem_bind(self));
	}
	return m;
}

static inline mori_shmem_module_t *call_module(const struct call_module *m)
{
	return use_ctx && m->other ? m->other : m->own;
}

static inline void call_unload(struct call_module *m)
{
	MUST(mori_shmem_module_unload(m->own));
	if (m->other)
		MUST(mori_shmem_module_unload(m->other));
}

struct batch {
	const struct grid *g;
	size_t n, rounds; /* call k is made by actor k % actors in round k / actors */
	struct call *calls;
	uint64_t *out; /* a word a lane and round */
};

static inline void batch_open(struct batch *b, const struct grid *g, size_t n)
{
	size_t actors = grid_actors(g);

	b->g = g;
	b->n = n;
	b->rounds = (n + actors - 1) / actors;
	b->calls = calloc(b->rounds * actors + 1, sizeof(*b->calls));
	b->out = pes_private(b->rounds * g->blocks * grid_lanes(g) * 8 + 8);
}

static inline void batch_close(struct batch *b)
{
	free(b->calls);
	free(b->out);
}

/* Call @k: of operation @op, in the form that use_ctx says. */
static inline struct call *batch_call(struct batch *b, size_t k, uint32_t op)
{
	b->calls[k].op = op;
	b->calls[k].form = (uint32_t)use_ctx;
	return &b->calls[k];
}

/* Lets the kernel <family>_<scope> make the calls. */
static inline void batch_run(struct batch *b, const struct call_module *m, const char *family)
{
	const unsigned grid[3] = { b->g->blocks, 1, 1 }, block[3] = { grid_x(b->g), b->g->y, 1 };
	uint64_t rounds = b->rounds, lanes = grid_lanes(b->g), wrong = 0;
	void *args[] = { &b->calls, &rounds, &ctx, &b->out };
	size_t words = b->rounds * b->g->blocks * lanes;
	char kernel[64];

	snprintf(kernel, sizeof(kernel), "%s_%s", family, scope_name(b->g->scope));
	CHECK_OK(mori_shmem_kernel_launch(call_module(m), kernel, grid, block, 0, args, NULL));
	for (size_t i = 0; i < words; i++)
		wrong += b->out[i] == 0xa5a5a5a5a5a5a5a5u;
	CHECK_EQ("lanes without a result", wrong, 0);
	CHECK_EQ("behind the results", b->out[words], (long long)0xa5a5a5a5a5a5a5a5u);
}

/* What call @k gave; every lane of its actor must have got the same. */
static inline uint64_t batch_result(const struct batch *b, const char *name, size_t k)
{
	size_t actors = grid_actors(b->g), a = k % actors, first, end, wrong = 0;
	const uint64_t *out =
		b->out + (k / actors * b->g->blocks + a / grid_each(b->g)) * grid_lanes(b->g);

	end = grid_span(b->g, a, &first);
	for (size_t i = first; i < end; i++)
		wrong += out[i] != out[first];
	if (wrong) {
		fprintf(stderr, "%s: call %zu: lanes %zu to %zu differ\n", name, k, first, end);
		CHECK_EQ("lanes that differ", wrong, 0);
	}
	return out[first];
}

/* All calls but @but (if it is one) gave 0. */
static inline void batch_good(const struct batch *b, const char *name, size_t but)
{
	size_t wrong = 0;

	for (size_t k = 0; k < b->n; k++) {
		uint64_t got = batch_result(b, name, k);

		if (k == but || !got)
			continue;
		if (!wrong++)
			fprintf(stderr, "%s: call %zu gave %lld\n", name, k, (long long)got);
	}
	CHECK_EQ(name, wrong, 0);
}

/* The sticky status is that of call @k in the first round, and is cleared then. */
static inline void batch_fault(const struct batch *b, const char *name, size_t k, int code, int pe)
{
	mori_shmem_fault_t f;
	size_t first, end = grid_span(b->g, k, &first), lane;

	memset(&f, POISON, sizeof(f));
	f.struct_size = sizeof(f);
	CHECK_EQ(name, mori_shmem_status(), code);
	CHECK_EQ(name, mori_shmem_check(&f), code);
	if (f.code != code)
		return;
	CHECK_EQ("PE of the fault", f.pe, pe);
	if (!CHECK(!strcmp(f.op, name)))
		fprintf(stderr, "%s is in the sticky status as %s\n", name, f.op);
	CHECK_EQ("block of the fault", f.block[0], k / grid_each(b->g));
	lane = (size_t)f.thread[0] + grid_x(b->g) * (size_t)f.thread[1];
	CHECK(lane >= first && lane < end);
	CHECK_EQ("cleared", mori_shmem_check(NULL), 0);
}

/* An argument that makes a call one that cannot be. */
struct wrong {
	int arg;
	uint64_t value;
	int pe; /* as the sticky status must have it */
};

/* The actor that makes it, in the midst of others: the second block's, and a short warp. */
static inline size_t wrong_actor(const struct grid *g)
{
	return grid_each(g) + (g->scope == DEV_thread ? 5 : g->scope == DEV_warp ? 1 : 0);
}

/* The target of call @k of PE @from: every PE, itself included, as k grows. */
static inline int target_of(int from, size_t k)
{
	return (int)(((size_t)from + 1 + k) % (size_t)n_pes);
}

/* The PE whose call @k has this PE as its target. */
static inline int sender_of(size_t k)
{
	return (int)(((size_t)me + (size_t)n_pes * (k + 1) - 1 - k) % (size_t)n_pes);
}

/*
 * Whether variant @i of @n is for operation @op: under a sanitizer one stands for all,
 * for each operation and form another.
 */
static inline int chosen(size_t i, size_t n, uint32_t op)
{
	return !KERN_SMALL || i == (op + 3 * (uint32_t)use_ctx) % n;
}

/* The same of the grids of a scope; the first is for all. */
static inline int grid_chosen(const struct grid *g, enum dev_scope scope, uint32_t op)
{
	const struct grid *first = grid_first(scope);
	size_t n = 0;

	while (first + n < grids + TEST_LEN(grids) && first[n].scope == scope)
		n++;
	return g->scope == scope && (g == first || chosen((size_t)(g - first) - 1, n - 1, op));
}

static inline uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

#endif
