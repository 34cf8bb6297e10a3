// SPDX-License-Identifier: MIT
/*
 * Threads of a kernel that look at memory in a loop of their own and never let go.
 * While a grid runs, a timer interrupts its thread now and then. One whose registers go
 * through the same few values again and again, for as long as waiting is allowed, does
 * not compute: it waits for what does not come.
 */
#ifndef MORI_ACCEL_CPU_WATCH_H
#define MORI_ACCEL_CPU_WATCH_H

#include "abi/state.h"

#include <signal.h>
#include <stdbool.h>
#include <time.h>

#define WATCH_STATES 24u /* a loop that only looks goes through no more */

struct cpu_watch {
	const struct dev_state *state;
	const uint64_t *turns; /* of the grid: as long as it stays, one thread runs on */
	uint64_t limit_ns;     /* 0: only a lost PE ends it */
	timer_t timer;
	sigset_t mask; /* of the host's thread */
	uint64_t turn, since;
	uint32_t samples, n_states;
	uint64_t states[WATCH_STATES];
	uint64_t spun_ns; /* how long, if it was caught; else 0 */
	bool lost;	  /* because a PE is */
};

/* Which signal the timer sends: one that no other part of a program misses. */
int cpu_watch_signal(void);
/* For the calling thread, whose handlers are set; @id comes with each signal. */
int cpu_watch_open(struct cpu_watch *w, void *id);
void cpu_watch_close(struct cpu_watch *w);
/* In the handler, while the grid's code runs: whether it is caught. */
bool cpu_watch_tick(struct cpu_watch *w, const void *ucontext);

#endif
