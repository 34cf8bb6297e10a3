// SPDX-License-Identifier: MIT
/*
 * What a kernel on the CPU and the executor that runs it share. A module is a
 * shared object with these symbols, all else hidden:
 *	globalGpuStates	 struct dev_link
 *	mori_cpu_grid	 struct cpu_grid *, filled in by the executor
 *	mori_kernels	 struct cpu_kernel [], up to one without a name
 *	mori_shared	 (a section) the blocks' shared memory: what is in it belongs to the
 *			 block that runs; __start_mori_shared and __stop_mori_shared are exported
 * One thread of the host runs a grid; the threads of the grid are fibers on it.
 */
#ifndef MORI_ABI_CPU_H
#define MORI_ABI_CPU_H

#include "abi/scope.h"

#include <stdint.h>

#define CPU_WARP 32u

/* A thread of a grid. */
struct cpu_fiber {
	uint32_t thread[3], block[3], block_size[3], grid_size[3];
	uint32_t rank;	/* of the thread in its block, x fastest */
	uint32_t lanes; /* threads of its block */
	void *shared;	/* what the launch gave each block; NULL: nothing */
	uint32_t leads; /* bit by scope: it acts for the lanes that entered a call together */
};

/* Facts about a poll of a word that found nothing. */
enum cpu_poll {
	CPU_POLL_FIRST = 1, /* of this wait */
	CPU_POLL_ENDS = 2,  /* the wait has a deadline of its own */
	CPU_POLL_KIND = 4,  /* times 1 + the enum dev_kind of the word; 0: unknown */
};

/*
 * What a fiber asks of the executor; scopes are enum dev_scope. Each may switch fibers.
 *
 * Lanes enter a call together. The one that leads goes on at once: what it does up to its
 * next leave or share has been done before another lane goes on, unless it polls on the
 * way. So it acts for all, and the others have nothing to wait for.
 */
struct cpu_ops {
	void (*sync)(int scope);		  /* until all lanes of the scope have come */
	int (*enter)(int scope, int x);		  /* the same; whether x holds on any lane */
	void (*leave)(int scope);		  /* until the leading lane has left, too */
	uint64_t (*share)(int scope, uint64_t v); /* the same; gives the leading lane's */
	/*
	 * Between two polls of the word at @addr, until the comparison holds; @how: enum cpu_poll.
	 * NULL: between two polls of any word, without a wait.
	 */
	void (*yield)(const void *addr, int cmp, uint64_t value, int how);
	uint64_t (*now_ns)(void);
	/* Calls a function of the host on its own stack; the fiber continues after it. */
	void (*call)(void (*fn)(void *arg), void *arg);
};

/* A fiber yields after this many loads of shared words without a wait: it may be polling. */
#define CPU_POLLS 512u

struct cpu_grid {
	const struct cpu_fiber *current;
	const struct cpu_ops *ops;
	uint32_t polls;	   /* since the last that let others run */
	uint64_t stack;	   /* no frame of the current fiber may reach below; 0: no bound is known */
	uint32_t no_state; /* 1: a call found no PE; it ends the grid */
};
/* The probe that mori cc gives a module (tools/mori/cc_cpu.c) looks there. */
_Static_assert(__builtin_offsetof(struct cpu_grid, stack) == 24, "mori cc has the number");

struct cpu_param_info {
	uint32_t kind; /* enum mori_shmem_param_kind */
	uint32_t size; /* bytes behind args[i] */
};

struct cpu_kernel {
	const char *name;
	void (*entry)(void **args); /* args[i] points at the i-th argument */
	uint32_t n_params;
	const struct cpu_param_info *params;
};

#endif
