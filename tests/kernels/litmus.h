// SPDX-License-Identifier: MIT
/* What kern_litmus.c and its kernels share. */
#ifndef MORI_TESTS_KERNELS_LITMUS_H
#define MORI_TESTS_KERNELS_LITMUS_H

#include <stdint.h>

#define LITMUS_SLOTS 8	 /* messages on their way before the reader has to answer */
#define LITMUS_WORDS 512 /* of the longest message */
#define LITMUS_LANES 128 /* at most, of a block: two waves of AMD */

/* How the flag follows the data. */
enum litmus_send {
	LITMUS_FENCE_P,	      /* by one thread */
	LITMUS_BLOCK_FENCE_P, /* put by a block, then one of its threads */
	LITMUS_SIGNAL_THREAD, /* put with signal: each lane its part */
	LITMUS_SIGNAL_WARP,
	LITMUS_SIGNAL_BLOCK,
	LITMUS_NBI_SIGNAL_BLOCK,
	LITMUS_QUIET_SIGNAL,   /* each lane puts its part, quiet and signal by the block */
	LITMUS_SIGNAL_AFTER,   /* put, signal_op: each lane, nothing between */
	LITMUS_QUIET_ATOMIC,   /* put, quiet, atomic add: each lane */
	LITMUS_NBI_ATOMIC_INC, /* nbi by a block, quiet, one atomic */
	LITMUS_SENDS
};

/* How a barrier is reached. */
enum litmus_meet {
	LITMUS_MEET_P,	   /* each lane its values, then the block */
	LITMUS_MEET_NBI,   /* nbi puts by the block, then the block */
	LITMUS_MEET_LEADS, /* each lane its values, then one thread for all */
	LITMUS_MEETS
};

/* Symmetric; 0 at first. */
struct litmus {
	uint64_t data[LITMUS_SLOTS][LITMUS_WORDS];
	uint64_t flag[LITMUS_SLOTS]; /* counts the signals of each slot */
	uint64_t answered;	     /* at the writer: rounds that the reader has checked */
	/* For tests in which each lane is alone: */
	uint64_t x[LITMUS_LANES], y[LITMUS_LANES];
	uint64_t told[2][LITMUS_LANES]; /* by odd and even rounds: 2 * round, + 1 if all was seen */
	uint64_t go[LITMUS_LANES];
};

/* What one lane found; all but the count are of the first that was wrong. */
struct litmus_found {
	uint64_t wrong;
	uint64_t round, at, saw, want;
	int64_t status; /* of a call that failed */
};

/* Word @i of what @pe writes in a round; @test distinguishes kernels. */
static inline uint64_t litmus_word(uint64_t test, uint64_t pe, uint64_t round, uint64_t i)
{
	return (test + 1) << 56 | (pe + 1) << 44 | round << 16 | i;
}

/* Signals of one message from a block of this many threads. */
static inline uint64_t litmus_signals(int how, uint64_t threads, uint64_t warp)
{
	switch (how) {
	case LITMUS_SIGNAL_THREAD:
	case LITMUS_SIGNAL_AFTER:
	case LITMUS_QUIET_ATOMIC:
		return threads;
	case LITMUS_SIGNAL_WARP:
		return (threads + warp - 1) / warp;
	default:
		return 1;
	}
}

#endif
