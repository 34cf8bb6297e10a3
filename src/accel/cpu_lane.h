// SPDX-License-Identifier: MIT
/*
 * A running grid: its blocks and their threads, here called lanes. Private to cpu_grid.c,
 * cpu_dump.c and cpu_alone.c.
 */
#ifndef MORI_ACCEL_CPU_LANE_H
#define MORI_ACCEL_CPU_LANE_H

#include "abi/cpu.h"
#include "accel/cpu_fault.h"
#include "accel/cpu_grid.h"
#include "accel/fiber.h"
#include "accel/stacks.h"
#include "accel/wait_text.h"
#include "util/backoff.h"

enum cpu_lane_state {
	LANE_READY,   /* in the queue of its block */
	LANE_BARRIER, /* waits for the others of its warp or block */
	LANE_DONE,
};

struct cpu_lane {
	struct cpu_fiber place; /* as the kernel sees it */
	enum cpu_lane_state state;
	struct cpu_block *block;
	struct stack *stack; /* NULL before it starts and after it has ended */
	struct fiber fiber;
	struct cpu_lane *next;	/* in the ready queue or a list of waiting lanes */
	int scope;		/* of the barrier it waits in */
	struct wait_word polls; /* the word it polled last, until it does something else */
	uint32_t left[3];	/* by scope: times it left or shared since it entered */
	bool any;		/* result of the last barrier */
};

#define STEPS 4u /* leaves and shares between two barriers */

/* A barrier of the lanes of a warp or a block; a lane that has ended counts as arrived. */
struct cpu_barrier {
	uint32_t lanes, came, ended;
	bool enters; /* the lanes that arrive choose a leader */
	bool any;
	struct cpu_lane *waiting; /* the latest arrival first */
	/* Since they entered: how often the leader has left, and what it shared. */
	uint32_t left;
	uint64_t value[STEPS];
	struct cpu_lane *behind; /* lanes that wait for the leader to leave */
};

struct cpu_block {
	struct cpu_block *next;
	uint32_t live;	/* lanes that have not ended */
	uint32_t ready; /* in the queue */
	struct cpu_lane *head, *tail;
	char *shared;  /* its shared memory, while another block runs */
	char *dynamic; /* memory that the launch gave it in addition; NULL: none */
	struct cpu_barrier all;
	struct cpu_barrier *warp;
	struct cpu_lane *lane; /* [lanes] */
};

struct cpu_run {
	const struct cpu_launch *launch;
	struct stacks *stacks;
	struct cpu_grid grid;
	struct fiber host;
	struct cpu_fault fault;
	struct cpu_lane *current;
	struct cpu_lane *overflowed; /* has overflowed its stack */
	struct cpu_block *first;     /* the blocks that have begun and not ended */
	struct cpu_block *spare;
	struct cpu_block *inside; /* whose shared memory is in the module now */
	size_t n_blocks;	  /* from first on */
	uint64_t next_block, last_block;
	uint32_t lanes, warps; /* of a block */
	uint64_t progress;     /* anything but another poll of the same word */
	uint64_t turns;
	uint64_t tests;	     /* and other polls outside of waits, in this round */
	uint64_t ends;	     /* polls in this round, of waits with deadlines of their own */
	uint64_t idle_since; /* ns; 0: not idle */
	uint64_t told;	     /* when launch->waits was last called since then; 0: not yet */
	uint64_t cpu_ns;     /* CPU time at the last check; 0: not yet */
	uint64_t idle_turns; /* since anything else than a poll happened */
	struct backoff wait; /* the wait since then */
	void (*call)(
		void *arg); /* what the current lane wants the scheduler to call; NULL: nothing */
	void *call_arg;
	int err;
};

/* Logs one line for each thing that lanes wait for; @text receives the summary. */
void cpu_dump(const struct cpu_run *r, const char *why, char *text, size_t size);
/* The grid only waits: launch->waits is told what for, from time to time. Not 0: the grid ends. */
int cpu_dump_tell(struct cpu_run *r, uint64_t now);
/* It goes on, or ends. */
void cpu_dump_end(struct cpu_run *r);
/* The status of a launch that a fault ended, with a text; @out receives its place. */
int cpu_faulted(const struct cpu_run *r, struct accel_fault *out);

#endif
