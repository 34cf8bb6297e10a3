// SPDX-License-Identifier: MIT
/*
 * The watchdog for kernel threads that poll memory in a loop of their own and never yield. While a
 * grid runs, a timer interrupts its thread periodically. A thread whose registers cycle through the
 * same few values for as long as waiting is allowed does not compute: it is stuck.
 */
#ifndef MORI_ACCEL_CPU_WATCH_H
#define MORI_ACCEL_CPU_WATCH_H

#include "abi/state.h"

#include <signal.h>
#include <stdbool.h>
#include <time.h>

#define WATCH_STATES 24u /* a loop that only polls has no more */

struct cpu_watch {
	const struct dev_state *state;
	const uint64_t *turns; /* of the grid: while it does not change, one thread runs */
	uint64_t limit_ns;     /* 0: only a lost PE ends it */
	timer_t timer;
	sigset_t mask; /* of the host's thread */
	uint64_t turn, since;
	uint32_t samples, n_states;
	uint64_t states[WATCH_STATES];
	uint64_t spun_ns; /* how long, if it was caught; else 0 */
	bool lost;	  /* because a PE is */
};

/* The signal that the timer sends: one that the rest of a program does not use. */
int cpu_watch_signal(void);
/* For the calling thread, whose handlers are installed; @id is attached to each signal. */
int cpu_watch_open(struct cpu_watch *w, void *id);
void cpu_watch_close(struct cpu_watch *w);
/* Called by the handler while the grid's code runs: whether it is stuck. */
bool cpu_watch_tick(struct cpu_watch *w, const void *ucontext);

#endif
