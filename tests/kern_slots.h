// SPDX-License-Identifier: MIT
/*
 * Bytes of many calls at once: a slot for each, of every size and alignment, with
 * guards around it, at the same place in the areas of all PEs.
 */
#ifndef MORI_TESTS_KERN_SLOTS_H
#define MORI_TESTS_KERN_SLOTS_H

#include "kern_call.h"

struct slot {
	size_t off;	 /* of its first guard in an area */
	size_t len;	 /* bytes to copy */
	size_t to, from; /* how far destination and source are from a multiple of 16 */
};

struct slots {
	size_t n, size; /* slots, and bytes of an area */
	size_t elem;	/* bytes of an element: lengths and shifts are multiples of it */
	struct slot *slot;
};

static inline size_t slot_room(size_t len)
{
	return (2 * GUARD + 16 + len + 15) & ~(size_t)15;
}

/* @n slots of elements of @elem bytes: shifts first, so that 256 / elem^2 slots have all. */
static inline void slots_open(struct slots *s, size_t n, size_t elem)
{
	static const size_t lens[] = { 0,  1,  17, 2, 4097, 15,	  8,  33,   3, 64,
				       16, 31, 65, 4, 100,  1000, 63, 4095, 7, 4096 };
	size_t shifts = 16 / elem;

	*s = (struct slots){ .n = n, .elem = elem, .slot = calloc(n, sizeof(*s->slot)) };
	for (size_t k = 0; k < n; k++) {
		s->slot[k] = (struct slot){ s->size, lens[k % TEST_LEN(lens)] / elem * elem,
					    k % shifts * elem, k / shifts % shifts * elem };
		s->size += slot_room(s->slot[k].len);
	}
}

/* One size for all, at odd places. */
static inline void slots_open_big(struct slots *s, size_t n, size_t elem, size_t len)
{
	slots_open(s, n, elem);
	s->size = 0;
	for (size_t k = 0; k < n; k++) {
		s->slot[k] = (struct slot){ s->size, len / elem * elem, k % 16 / elem * elem,
					    (k * 5 + 3) % 16 / elem * elem };
		s->size += slot_room(len);
	}
}

static inline void slots_close(struct slots *s)
{
	free(s->slot);
}

/* What PE @from sends to PE @to in call @k. */
static inline int slot_seed(int from, int to, size_t k)
{
	return from * 10007 + to * 1009 + (int)k * 7 + 1;
}

static inline unsigned char *slot_to(const struct slots *s, unsigned char *area, size_t k)
{
	return area + s->slot[k].off + GUARD + s->slot[k].to;
}

static inline unsigned char *slot_from(const struct slots *s, unsigned char *area, size_t k)
{
	return area + s->slot[k].off + GUARD + s->slot[k].from;
}

/* Sources of what this PE sends; around them what must not arrive. */
static inline void slots_fill(const struct slots *s, unsigned char *src)
{
	memset(src, SPENT, s->size);
	for (size_t k = 0; k < s->n; k++)
		fill(slot_from(s, src, k), slot_seed(me, target_of(me, k), k), s->slot[k].len);
}

/* A slot holds what @seed says, or is poison if that is negative. */
static inline int slot_good(const struct slots *s, const unsigned char *area, size_t k, int seed)
{
	const struct slot *t = &s->slot[k];
	size_t room = slot_room(t->len), before = GUARD + t->to, after = room - before - t->len;
	const unsigned char *p = area + t->off;

	if (seed < 0)
		return not_poison(p, room) == room;
	return not_poison(p, before) == before && differs(p + before, seed, t->len) == t->len &&
	       not_poison(p + before + t->len, after) == after;
}

static inline void slot_show(const struct slots *s, const char *name, const unsigned char *area,
			     size_t k, int seed)
{
	const struct slot *t = &s->slot[k];
	size_t room = slot_room(t->len);

	fprintf(stderr, "%s: call %zu, %zu bytes, 16-byte places %zu and %zu\n", name, k, t->len,
		t->to, t->from);
	if (seed < 0)
		CHECK_EQ("must be untouched", not_poison(area + t->off, room), room);
	else
		CHECK_AREA(name, area + t->off, room, GUARD + t->to, seed, t->len);
}

/*
 * What all PEs have put here: @area has one area a sender. Call @but of every PE must
 * have left no trace.
 */
static inline void slots_check(const struct slots *s, const char *name, const unsigned char *area,
			       size_t but)
{
	size_t wrong = 0;

	for (int from = 0; from < n_pes; from++) {
		const unsigned char *here = area + (size_t)from * s->size;

		for (size_t k = 0; k < s->n; k++) {
			int seed =
				target_of(from, k) == me && k != but ? slot_seed(from, me, k) : -1;

			if (slot_good(s, here, k, seed))
				continue;
			if (!wrong++)
				slot_show(s, name, here, k, seed);
		}
	}
	CHECK_EQ("slots that are wrong", wrong, 0);
}

/* A row of the test that includes this, and what it shares between its rows. */
struct row;
struct shared;
typedef void slots_fn(const struct row *r, struct shared *s, const struct slots *slots,
		      const struct grid *g);

/*
 * The calls of a row on every grid of its scope: all alignments on the first; under a sanitizer
 * only if @all. Bytes take all alignments, a type those it can have.
 */
static inline void slots_sweep(const struct row *r, struct shared *s, slots_fn *on, uint32_t op,
			       enum dev_scope scope, size_t elem, int all)
{
	size_t classes = 16 / elem * (16 / elem), n = classes < 20 ? 20 : classes;
	struct slots slots;

	slots_open(&slots, all || !KERN_SMALL ? n : 24, elem);
	on(r, s, &slots, grid_first(scope));
	slots_close(&slots);
	slots_open(&slots, 20, elem);
	for (size_t i = 0; i < TEST_LEN(grids); i++) {
		if (grid_chosen(&grids[i], scope, op) && &grids[i] != grid_first(scope))
			on(r, s, &slots, &grids[i]);
	}
	slots_close(&slots);
}

#endif
