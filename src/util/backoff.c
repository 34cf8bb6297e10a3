// SPDX-License-Identifier: MIT
#include "util/backoff.h"

#include "util/clock.h"

#include <sched.h>

#define SHIFT_MAX   6u /* no spin, until one that probes pays: it would be shorter than a yield */
#define SHIFT_VAIN  2u /* a spin without effect makes the next one a quarter as long */
#define SPIN_POLLS  8u /* between two looks at the clock, each of which costs 25 ns */
#define SLEEP_SHARE 32 /* a sleep adds at most 1/32 to a long wait */

/*
 * A spin is timed. Yields are counted, because one lasts as long as others need the core: where
 * it is idle 0.3 us, so that 200 of them are 60 us. To wake up takes 5 us, in a virtual
 * machine up to 50.
 */
static const struct {
	uint32_t spin_ns; /* at most */
	uint32_t yields;
	int64_t sleep_ns, sleep_max_ns; /* at least, at most */
} table[BACKOFF_KINDS] = {
	/* A store wakes nobody: sleeps are short, and 200 us cost 2 % of a core. */
	[BACKOFF_WORD] = { 50000, 200, 20000, 200000 },
	/* The last to arrive wakes the others; they look on their own for PEs that were lost. */
	[BACKOFF_BARRIER] = { 50000, 100, 200000000, 200000000 },
	/* What arrives wakes the waiter; a round trip over TCP takes 20 us. */
	[BACKOFF_NET] = { 50000, 200, 20000000, 20000000 },
	/* Callers serve what comes at once; the sleep is the link's, which arrivals end. */
	[BACKOFF_ENGINE] = { 0, 20, 1000000000, 1000000000 },
	/* Yields for longer than a peer's first sleep lasts, or both would only sleep. */
	[BACKOFF_GRID] = { 50000, 500, 20000, 200000 },
	/* The driver is called for each poll, 0.5 us; a short kernel ends within the spin. */
	[BACKOFF_LAUNCH] = { 500000, 0, 20000, 200000 },
	/* Nobody waits for an idle server: 500 us cost 1 % of a core. */
	[BACKOFF_SERVE] = { 0, 100, 20000, 500000 },
	/* Each poll copies a queue from the device, 20 us. */
	[BACKOFF_DRAIN] = { 0, 0, 50000, 50000 },
	/* Each poll is a connection attempt, which costs the listener more than 100 us. */
	[BACKOFF_CONNECT] = { 0, 0, 20000000, 100000000 },
	/* The receiver empties its queue within 1 ms, if it is not stopped. */
	[BACKOFF_QUEUE] = { 0, 0, 1000000, 20000000 },
};

static void backoff_begin(struct backoff *b, int64_t now)
{
	struct backoff_learned *l = b->learned;
	uint32_t waits, shift;

	b->since = now;
	b->yields = 0;
	b->spin_ns = table[b->kind].spin_ns;
	if (!l)
		return;
	if (l->crowded) {
		b->spin_ns = 0;
		return;
	}
	waits = __atomic_load_n(&l->waits, __ATOMIC_RELAXED) + 1;
	b->shift = __atomic_load_n(&l->shift, __ATOMIC_RELAXED);
	shift = waits % BACKOFF_PROBE ? b->shift : 0;
	b->spin_ns = shift < SHIFT_MAX ? b->spin_ns >> shift : 0;
	__atomic_store_n(&l->waits, waits, __ATOMIC_RELAXED);
	/* Twice as long next time, unless this one spins without effect. */
	if (b->shift && b->spin_ns)
		__atomic_store_n(&l->shift, shift ? shift - 1 : 0, __ATOMIC_RELAXED);
}

static void backoff_vain(struct backoff *b)
{
	uint32_t shift = b->shift + SHIFT_VAIN;

	b->spin_ns = 0;
	if (b->learned)
		__atomic_store_n(&b->learned->shift, shift < SHIFT_MAX ? shift : SHIFT_MAX,
				 __ATOMIC_RELAXED);
}

enum backoff_step backoff_next(struct backoff *b, int64_t now)
{
	if (!b->since)
		backoff_begin(b, now);
	if (b->spin_ns) {
		if (now - b->since < b->spin_ns)
			return BACKOFF_SPIN;
		backoff_vain(b);
	}
	if (b->yields >= table[b->kind].yields)
		return BACKOFF_SLEEP;
	b->yields++;
	return BACKOFF_YIELD;
}

int64_t backoff_sleep_ns(const struct backoff *b, int64_t now)
{
	int64_t ns = (now - b->since) / SLEEP_SHARE;

	if (ns < table[b->kind].sleep_ns)
		return table[b->kind].sleep_ns;
	return ns < table[b->kind].sleep_max_ns ? ns : table[b->kind].sleep_max_ns;
}

int64_t backoff_pause(struct backoff *b)
{
	int64_t now;

	if (b->polls++ % SPIN_POLLS && b->spin_ns) {
		backoff_relax();
		return 0;
	}
	now = clock_now();
	switch (backoff_next(b, now)) {
	case BACKOFF_SPIN:
		backoff_relax();
		return 0;
	case BACKOFF_YIELD:
		sched_yield();
		return 0;
	default:
		return backoff_sleep_ns(b, now);
	}
}

void backoff_wait(struct backoff *b)
{
	int64_t ns = backoff_pause(b);

	if (ns)
		clock_sleep(ns);
}
