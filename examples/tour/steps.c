// SPDX-License-Identifier: MIT
/*
 * The first steps of the tour: one family of calls each, small enough to copy from.
 * Data differ on every PE, so that a wrong neighbour is noticed. The heap may be memory
 * of a GPU, so everything in it is written and read by calls of the library.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tour.h"

#define REPEAT	21   /* the median of this many times is shown */
#define WORDS	8192 /* 64 KiB */
#define ONE_MIB ((size_t)1 << 20)

/* A number that identifies its PE and its index. */
static uint64_t pattern(int pe, uint64_t i)
{
	return ((uint64_t)(pe + 1) << 32) ^ (i * 2654435761u);
}

/* The numbers of @pe, in host memory. */
static uint64_t *numbers(int pe)
{
	uint64_t *v = must_have(calloc(WORDS, sizeof(*v)), "calloc");

	for (uint64_t i = 0; i < WORDS; i++)
		v[i] = pattern(pe, i);
	return v;
}

static uint64_t count_wrong(const uint64_t *v, int pe)
{
	uint64_t bad = 0;

	for (uint64_t i = 0; i < WORDS; i++)
		bad += v[i] != pattern(pe, i);
	return bad;
}

/* The PE @by steps round the ring from this one. */
static int around(const struct tour *t, int by)
{
	return (t->me + by % t->n + t->n) % t->n;
}

void step_malloc(struct tour *t, struct result *r)
{
	double ns[REPEAT];
	uint64_t *block, seen;

	for (int i = 0; i < REPEAT; i++) {
		uint64_t t0 = mori_clock_ns();

		block = must_have(mori_shmem_malloc(ONE_MIB), "malloc");
		must(mori_shmem_free(block), "free");
		ns[i] = mori_clock_ns() - t0;
	}

	block = must_have(mori_shmem_malloc(ONE_MIB), "malloc");
	must(mori_shmem_uint64_p(block, pattern(t->me, 0), t->me, 0), "uint64_p");
	must(mori_shmem_barrier_all(), "barrier_all");
	for (int pe = 0; pe < t->n; pe++) {
		/* The same address means each PE's own block; ptr_p2p finds it for a plain load. */
		const uint64_t *there =
			(uint64_t *)(uintptr_t)mori_shmem_ptr_p2p((uintptr_t)block, t->me, pe);

		seen = t->plain && there ? *there : mori_shmem_uint64_g(block, pe, 0);
		r->bad += seen != pattern(pe, 0);
	}
	must(mori_shmem_check(NULL), "uint64_g");
	must(mori_shmem_barrier_all(), "barrier_all"); /* no PE reads any more */
	must(mori_shmem_free(block), "free");

	r->title = "symmetric malloc";
	r->how = "mori_shmem_malloc, mori_shmem_ptr_p2p, mori_shmem_free";
	snprintf(r->what, sizeof(r->what),
		 "All call it, all get 1 MiB at one offset; each reads the others' by a %s.",
		 t->plain ? "load" : "get");
	r->ns = median(ns, REPEAT);
	r->unit = "a malloc and free";
}

void step_ring(struct tour *t, struct result *r)
{
	const char *arrow = style_arrow(&t->style);
	uint64_t *in = must_have(mori_shmem_calloc(WORDS, sizeof(*in)), "calloc");
	uint64_t *out = numbers(t->me);
	double ns[REPEAT];
	int len;

	for (int i = 0; i < REPEAT; i++) {
		uint64_t t0 = mori_clock_ns();

		must(mori_shmem_put_uint64_nbi_thread(in, out, WORDS, around(t, 1), 0), "put");
		must(mori_shmem_quiet_thread(), "quiet");
		ns[i] = mori_clock_ns() - t0;
	}
	must(mori_shmem_barrier_all(), "barrier_all");
	from_heap(t, out, in, WORDS * sizeof(*out));
	r->bad = count_wrong(out, around(t, -1));

	r->title = "a ring of puts";
	r->how = "mori_shmem_put_uint64_nbi_thread, mori_shmem_quiet_thread";
	len = snprintf(r->what, sizeof(r->what), "Each PE writes 64 KiB to the next: ");
	for (int pe = 0; pe < t->n && pe < 8; pe++)
		len += snprintf(r->what + len, sizeof(r->what) - len, "%d %s ", pe, arrow);
	snprintf(r->what + len, sizeof(r->what) - len, "%s", t->n > 8 ? "..." : "0");
	r->ns = median(ns, REPEAT);
	r->unit = "a put and quiet";
	r->gb_s = WORDS * sizeof(*in) / r->ns;

	free(out);
	must(mori_shmem_free(in), "free");
}

void step_get(struct tour *t, struct result *r)
{
	uint64_t *mine = must_have(mori_shmem_malloc(WORDS * sizeof(*mine)), "malloc");
	uint64_t *got = numbers(t->me);
	double ns[REPEAT];

	to_heap(t, mine, got, WORDS * sizeof(*mine));
	memset(got, 0, WORDS * sizeof(*got));
	must(mori_shmem_barrier_all(), "barrier_all"); /* now there is something to read */
	for (int i = 0; i < REPEAT; i++) {
		uint64_t t0 = mori_clock_ns();

		must(mori_shmem_get_uint64_thread(got, mine, WORDS, around(t, 2), 0), "get");
		ns[i] = mori_clock_ns() - t0;
	}
	r->bad = count_wrong(got, around(t, 2));
	r->bad += mori_shmem_uint64_g(&mine[7], around(t, -1), 0) != pattern(around(t, -1), 7);
	must(mori_shmem_barrier_all(), "barrier_all"); /* and nobody reads any more */

	r->title = "gets";
	r->how = "mori_shmem_get_uint64_thread, mori_shmem_uint64_g";
	snprintf(r->what, sizeof(r->what),
		 "Each PE reads 64 KiB of the PE after the next, which does nothing for it.");
	r->ns = median(ns, REPEAT);
	r->unit = "a get";
	r->gb_s = WORDS * sizeof(*got) / r->ns;

	free(got);
	must(mori_shmem_free(mine), "free");
}

/* The token that goes round: every PE that holds it leaves a trace. */
struct token {
	uint64_t hops, sum;
};

void step_signal(struct tour *t, struct result *r)
{
	int laps = t->n <= 64 ? REPEAT : 3;
	struct token *inbox = must_have(mori_shmem_calloc(1, sizeof(*inbox)), "calloc");
	uint64_t *bell = must_have(mori_shmem_calloc(1, sizeof(*bell)), "calloc");
	struct token token = { 0, 0 };
	double ns[REPEAT];

	for (int lap = 1; lap <= laps; lap++) {
		uint64_t t0 = mori_clock_ns();

		if (t->me) {
			/* A PE that sees the bell sees the token that came with it. */
			must(mori_shmem_uint64_wait_until_equals(bell, lap), "wait_until");
			from_heap(t, &token, inbox, sizeof(token));
		}
		token.hops++;
		token.sum += t->me + 1;
		must(mori_shmem_putmem_nbi_signal_thread(inbox, &token, sizeof(token), bell, lap,
							 MORI_SHMEM_SIGNAL_SET, around(t, 1), 0),
		     "put_signal");
		must(mori_shmem_quiet_thread(), "quiet"); /* token is about to change again */
		if (!t->me) {
			must(mori_shmem_uint64_wait_until_equals(bell, lap), "wait_until");
			from_heap(t, &token, inbox, sizeof(token));
			r->bad += token.hops != (uint64_t)lap * t->n;
			r->bad += token.sum != (uint64_t)lap * t->n * (t->n + 1) / 2;
		}
		ns[lap - 1] = (double)(mori_clock_ns() - t0) / t->n;
	}
	must(mori_shmem_barrier_all(), "barrier_all");

	r->title = "put with signal";
	r->how = "mori_shmem_putmem_nbi_signal_thread, mori_shmem_uint64_wait_until_equals";
	snprintf(
		r->what, sizeof(r->what),
		"A token goes round %d times; each PE waits for it, adds its number, passes it on.",
		laps);
	r->ns = median(ns, laps);
	r->unit = "a hop";

	must(mori_shmem_free(bell), "free");
	must(mori_shmem_free(inbox), "free");
}

#define TICKETS 100 /* per PE */

void step_atomics(struct tour *t, struct result *r)
{
	uint64_t all = (uint64_t)t->n * TICKETS, mine[TICKETS], t0, winner;
	uint64_t *counter = must_have(mori_shmem_calloc(2, sizeof(*counter)), "calloc");
	uint32_t *taken = must_have(mori_shmem_calloc(all, sizeof(*taken)), "calloc");
	uint64_t *first = counter + 1;

	t0 = mori_clock_ns();
	for (int i = 0; i < TICKETS; i++)
		mine[i] = mori_shmem_uint64_atomic_fetch_add_thread(counter, 1, 0, 0);
	r->ns = (double)(mori_clock_ns() - t0) / TICKETS;

	/* On PE 0 a mark for each ticket: it must be there, and nobody may have had it before. */
	for (int i = 0; i < TICKETS; i++) {
		r->bad += mine[i] >= all ||
			  mori_shmem_uint32_atomic_fetch_inc_thread(&taken[mine[i]], 0, 0);
	}
	/* And a race that only one can win. */
	mori_shmem_uint64_atomic_compare_swap_thread(first, 0, t->me + 1, 0, 0);
	must(mori_shmem_check(NULL), "atomics");
	must(mori_shmem_barrier_all(), "barrier_all");
	winner = mori_shmem_uint64_g(first, 0, 0);
	r->bad +=
		mori_shmem_uint64_g(counter, 0, 0) != all || winner < 1 || winner > (uint64_t)t->n;
	must(mori_shmem_check(NULL), "uint64_g");

	r->title = "atomics";
	r->how = "mori_shmem_uint64_atomic_fetch_add_thread, ..._fetch_inc_, ..._compare_swap_";
	snprintf(r->what, sizeof(r->what),
		 "Each PE draws %d tickets at PE 0: all differ, none is missing. PE %d won a race.",
		 TICKETS, (int)winner - 1);
	r->unit = "a ticket";

	must(mori_shmem_barrier_all(), "barrier_all");
	must(mori_shmem_free(taken), "free");
	must(mori_shmem_free(counter), "free");
}

void step_barrier(struct tour *t, struct result *r)
{
	uint64_t *round = must_have(mori_shmem_calloc(1, sizeof(*round)), "calloc");
	double ns[REPEAT];

	for (uint64_t i = 0; i < REPEAT; i++) {
		uint64_t t0;

		must(mori_shmem_uint64_atomic_set_thread(round, i + 1, t->me, 0), "atomic_set");
		t0 = mori_clock_ns();
		must(mori_shmem_barrier_all(), "barrier_all");
		ns[i] = mori_clock_ns() - t0;
		/* Past the barrier, whoever is looked at has come to it, or is ahead. */
		for (int by = -1; by <= 1; by += 2)
			r->bad +=
				mori_shmem_uint64_atomic_fetch_thread(round, around(t, by), 0) <= i;
	}
	must(mori_shmem_check(NULL), "atomic_fetch");

	r->title = "barrier";
	r->how = "mori_shmem_barrier_all";
	snprintf(r->what, sizeof(r->what),
		 "%d barriers: no PE leaves one before all PEs have come.", REPEAT);
	r->ns = median(ns, REPEAT);
	r->unit = "a barrier";

	must(mori_shmem_barrier_all(), "barrier_all");
	must(mori_shmem_free(round), "free");
}
