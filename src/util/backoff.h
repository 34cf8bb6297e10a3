// SPDX-License-Identifier: MIT
/*
 * One adaptive wait for every loop that polls: spin, then yield the core, then sleep.
 *
 *	struct backoff b = backoff_start(BACKOFF_WORD, &learned);
 *
 *	while (!arrived())
 *		backoff_wait(&b);
 *
 * With more waiters than cores a spinning waiter keeps the core from the very thread it waits
 * for, so a wait that spun in vain makes the next ones spin less. That must not last: two
 * threads that answer each other late only because both yield would go on so for ever. So every
 * BACKOFF_PROBE waits one spins for as long as it may, and if that pays the others do again.
 */
#ifndef MORI_UTIL_BACKOFF_H
#define MORI_UTIL_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

/* A row of the table in backoff.c. */
enum backoff_kind {
	BACKOFF_WORD,	 /* a word that any thread may store to */
	BACKOFF_BARRIER, /* PEs of one node, which wake a sleeper */
	BACKOFF_NET,	 /* what the network brings, which wakes a sleeper */
	BACKOFF_ENGINE,	 /* the network's thread, between what it serves */
	BACKOFF_GRID,	 /* a kernel of the CPU whose threads all wait */
	BACKOFF_LAUNCH,	 /* the end of a GPU's kernel */
	BACKOFF_SERVE,	 /* a thread that serves queues */
	BACKOFF_DRAIN,	 /* completions in the memory of a device */
	BACKOFF_CONNECT, /* a listener that is not there yet, or is busy */
	BACKOFF_QUEUE,	 /* room in the queue of a process on the same node */
	BACKOFF_KINDS,
};

#define BACKOFF_EAGER 50u  /* polls that a waiter may do before its backoff begins: about 0.1 us */
#define BACKOFF_PROBE 256u /* waits, one of which spins as long as it may: costs 1/256 of a spin */

/*
 * What the waits of one waiter have taught it; all 0 at first. Threads that share one race
 * for no more than how long the next wait spins.
 */
struct backoff_learned {
	uint32_t waits;
	uint32_t shift; /* the next wait spins for 1 / 2^shift of the most; at 6, not at all */
	bool crowded;	/* there are more waiters than cores: none spins */
};

/* One wait. */
struct backoff {
	struct backoff_learned *learned; /* NULL: every wait spins for the most */
	enum backoff_kind kind;
	uint32_t spin_ns; /* how long it spins; 0: it has done so */
	uint32_t polls, yields;
	uint32_t shift; /* what was learned before it began */
	int64_t since;	/* by clock_now(); 0: it has not begun */
};

enum backoff_step { BACKOFF_SPIN, BACKOFF_YIELD, BACKOFF_SLEEP };

static inline struct backoff backoff_start(enum backoff_kind kind, struct backoff_learned *learned)
{
	return (struct backoff){ .kind = kind, .learned = learned };
}

/* Something arrived, though not all that is waited for: the wait begins again. */
static inline void backoff_reset(struct backoff *b)
{
	b->since = 0;
	b->polls = 0;
}

static inline void backoff_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#else
	__asm__ volatile("" ::: "memory");
#endif
}

/* A poll at @now found nothing: what to do before the next. Does nothing else. */
enum backoff_step backoff_next(struct backoff *b, int64_t now);
/* How long a sleep at @now lasts: more the longer the wait has, within the kind's limits. */
int64_t backoff_sleep_ns(const struct backoff *b, int64_t now);

/*
 * Spins or yields and returns 0, or returns for how long to sleep: for waiters with a way of
 * their own to sleep, in which they may be woken.
 */
int64_t backoff_pause(struct backoff *b);
/* The same, and sleeps. */
void backoff_wait(struct backoff *b);

#endif
