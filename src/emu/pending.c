// SPDX-License-Identifier: MIT
/* The order in which vector memory instructions of a wave are performed. */
#include "emu/pending.h"

#include "emu/cache.h"

#include <stdlib.h>
#include <time.h>

#define PENDING_MOST 63u /* what the counter vmcnt can hold */
/* Long enough for another process to have its turn on a busy machine. */
#define HOLD_MOST_NS 8000000u

static void pending_range(struct emu_access *a)
{
	uint64_t lanes = a->lanes & a->in;

	a->low = ~0ull;
	a->high = 0;
	EMU_EACH(l)
	{
		uint64_t end = a->at[l] + (uint64_t)a->i->width;

		if (!(lanes >> l & 1))
			continue;
		a->low = a->at[l] < a->low ? a->at[l] : a->low;
		a->high = end > a->high ? end : a->high;
	}
}

static void pending_perform(struct emu_wave *w, struct emu_access *a);

/* All before @a that concern its bytes. */
static void pending_perform_older(struct emu_wave *w, const struct emu_access *a)
{
	struct emu_access *b = w->pending;

	while (b && b != a) {
		bool apart = b->low >= a->high || a->low >= b->high;

		if (apart && !a->write_back) {
			b = b->next;
			continue;
		}
		pending_perform(w, b);
		b = w->pending; /* others may be gone with it */
	}
}

static void pending_perform(struct emu_wave *w, struct emu_access *a)
{
	struct emu_access **at = &w->pending;

	pending_perform_older(w, a);
	a->perform(w, a);
	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
	w->n_pending--;
	free(a);
}

void emu_perform_before(struct emu_wave *w, struct emu_access *a)
{
	pending_range(a);
	w->n_issued++;
	pending_perform_older(w, a);
}

static uint64_t pending_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Keeps a copy; false: there is no memory for it. */
static bool pending_add(struct emu_wave *w, const struct emu_access *a)
{
	struct emu_access *copy = malloc(sizeof(*copy)), **last = &w->pending;
	struct emu_adversary *v = w->group->adversary;

	if (!copy)
		return false;
	emu_perform_until(w, PENDING_MOST - 1);
	*copy = *a;
	copy->next = NULL;
	while (*last)
		last = &(*last)->next;
	*last = copy;
	copy->number = w->n_issued;
	copy->until = 0;
	if (emu_chance(&v->random, v->hold))
		copy->until = pending_now() + emu_random(&v->random) % HOLD_MOST_NS;
	w->n_pending++;
	return true;
}

/* LDS has a counter and an order of its own. */
static bool pending_is_lds(const struct emu_access *a)
{
	bool lds = false;

	EMU_EACH(l)
	lds |= (a->lanes >> l & 1) && a->at[l] >> 32 == EMU_LDS_BASE >> 32;
	return lds;
}

void emu_issue(struct emu_wave *w, struct emu_access *a)
{
	if (!w->group->unit) {
		a->perform(w, a);
		return;
	}
	pending_range(a);
	w->n_issued++;
	if (pending_is_lds(a) || !pending_add(w, a)) {
		pending_perform_older(w, a);
		a->perform(w, a);
	}
}

static void pending_write_back(struct emu_wave *w, const struct emu_access *a)
{
	(void)a;
	emu_cache_write_back(w->group->unit);
}

void emu_issue_write_back(struct emu_wave *w, const struct emu_insn *i)
{
	struct emu_access a = {
		.i = i, .perform = pending_write_back, .write_back = true, .low = ~0ull
	};

	if (!w->group->unit)
		return;
	w->n_issued++;
	if (!pending_add(w, &a)) {
		pending_perform_older(w, &a);
		pending_write_back(w, &a);
	}
}

void emu_perform_until(struct emu_wave *w, unsigned left)
{
	/* The counter goes down in the order of issue, whatever is performed first. */
	while (w->pending && w->pending->number + left <= w->n_issued)
		pending_perform(w, w->pending);
}

bool emu_perform_one(struct emu_wave *w, unsigned left)
{
	struct emu_access *a = w->pending;
	unsigned n = 0;

	for (struct emu_access *b = a; b && b->number + left <= w->n_issued; b = b->next)
		n++;
	if (!n)
		return false;
	for (uint64_t k = emu_random(&w->group->adversary->random) % n; k; k--)
		a = a->next;
	pending_perform(w, a);
	return true;
}

void emu_perform_some(struct emu_wave *w)
{
	struct emu_adversary *v = w->group->adversary;
	struct emu_access *a = w->pending;

	if (!a || !emu_chance(&v->random, v->perform))
		return;
	for (uint64_t n = emu_random(&v->random) % w->n_pending; n; n--)
		a = a->next;
	if (!a->until || pending_now() >= a->until)
		pending_perform(w, a);
}

void emu_pending_drop(struct emu_wave *w)
{
	while (w->pending) {
		struct emu_access *a = w->pending;

		w->pending = a->next;
		free(a);
	}
	w->n_pending = 0;
}
