// SPDX-License-Identifier: MIT
/*
 * The executor of kernels on the CPU: the calling thread runs a grid whose threads are fibers.
 * Blocks that wait for each other exist at the same time; a block that waits for nothing runs to
 * its end and leaves its stacks to the next.
 */
#ifndef MORI_ACCEL_CPU_GRID_H
#define MORI_ACCEL_CPU_GRID_H

#include "abi/cpu.h"
#include "abi/state.h"
#include "accel/accel.h"
#include "accel/stacks.h"

struct cpu_launch {
	const struct cpu_kernel *kernel;
	const unsigned *grid, *block; /* [3] each, checked */
	void **args;
	const struct dev_state *state;
	uint64_t idle_ns;
	void (*idle)(struct dev_state *state);
	int (*waits)(void *arg, const char *text, uint64_t since, bool ends); /* as accel_launch */
	void *waits_arg;
	struct backoff_learned *learned;
	char *shared; /* the module's memory of the block that runs */
	size_t shared_len;
	size_t dynamic_len;	/* bytes of each block besides */
	struct cpu_grid **link; /* the module's mori_cpu_grid */
};

/* One at a time for one @stacks and one module; *fault is set on failure. */
int cpu_grid_run(struct stacks *stacks, const struct cpu_launch *launch, struct accel_fault *fault);
/* Whether the calling thread is inside a kernel. */
bool cpu_grid_running(void);

/* For a kernel's functions that a host thread calls directly: a grid of one thread. */
extern struct cpu_grid cpu_grid_alone;

#endif
