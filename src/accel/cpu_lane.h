// SPDX-License-Identifier: MIT
/*
 * The parts of a grid that runs: its blocks and their threads, here called lanes.
 * Private to cpu_grid.c, cpu_dump.c and cpu_alone.c.
 */
#ifndef MORI_ACCEL_CPU_LANE_H
#define MORI_ACCEL_CPU_LANE_H

#include "abi/cpu.h"
#include "accel/cpu_fault.h"
#include "accel/cpu_grid.h"
#include "accel/fiber.h"
#include "accel/stacks.h"

#include <time.h>

enum lane_state {
	LANE_READY, /* in the queue of its block */
	LANE_MEETS, /* waits for the others of its warp or block */
	LANE_DONE,
};

struct lane {
	struct cpu_fiber place; /* what the kernel sees */
	enum lane_state state;
	struct block *block;
	struct stack *stack; /* NULL before it starts and after it has ended */
	struct fiber fiber;
	struct lane *next; /* in the queue, or among those who wait */
	int scope;	   /* of the meeting it waits in */
	int polls_cmp;	   /* the word it polled last, until it does something else */
	const void *polls;
	uint64_t polls_value;
	uint32_t left[3]; /* by scope: times it left or shared since it entered */
	bool any;	  /* what the last meeting gave */
};

#define STEPS 4u /* leaves and shares of a call that lanes need not come to together */

/* Where lanes of a warp or a block meet; one that has ended counts as come. */
struct meeting {
	uint32_t lanes, came, ended;
	bool enters; /* those who came choose who leads */
	bool any;
	struct lane *waiting; /* the last to come first */
	/* Since they entered: how often the one that leads has left, and what it shared. */
	uint32_t left;
	uint64_t value[STEPS];
	struct lane *behind; /* those who wait for it to leave */
};

struct block {
	struct block *next;
	uint32_t live;	/* lanes that have not ended */
	uint32_t ready; /* in the queue */
	struct lane *head, *tail;
	char *shared;  /* its shared memory, while another block runs */
	char *dynamic; /* what the launch gave it besides; NULL: nothing */
	struct meeting all;
	struct meeting *warp;
	struct lane *lane; /* [lanes] */
};

struct run {
	const struct cpu_launch *launch;
	struct stacks *stacks;
	struct cpu_grid grid;
	struct fiber host;
	struct cpu_fault fault;
	struct lane *current;
	struct lane *overflowed; /* went below its stack, and was seen to */
	struct block *first;	 /* the blocks that have begun and not ended */
	struct block *spare;
	struct block *inside; /* whose shared memory is in the module now */
	size_t n_blocks;      /* from first on */
	uint64_t next_block, last_block;
	uint32_t lanes, warps; /* of a block */
	uint64_t progress;     /* anything but another poll of the same word */
	uint64_t turns;
	uint64_t tests;	     /* and other looks that nobody waits for, in this round */
	uint64_t ends;	     /* polls in this round, of waits with deadlines of their own */
	uint64_t idle_since; /* ns; 0: not idle */
	uint64_t cpu_ns;     /* time on a core when last looked at; 0: not yet */
	uint64_t idle_polls;
	uint32_t idle_rounds;	 /* that yielded or slept */
	uint64_t yields_since;	 /* ns; the first of them */
	uint32_t spin;		 /* polls in vain before it yields; fewer after those that were */
	void (*call)(void *arg); /* what the current lane wants done; NULL: nothing */
	void *call_arg;
	int err;
};

/* The log gets a line for each thing that lanes wait for; @text the summary. */
void cpu_dump(const struct run *r, const char *why, char *text, size_t size);
/* The status of a launch that a fault ended, with a text; where it was goes to @out. */
int cpu_faulted(const struct run *r, struct accel_fault *out);

static inline uint64_t cpu_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
