// SPDX-License-Identifier: MIT
/* Runs kernels of code objects: grids of blocks of waves, all of them resident, in turn. */
#ifndef MORI_EMU_RUN_H
#define MORI_EMU_RUN_H

#include "emu/code.h"

#include <stdio.h>

struct emu_launch {
	const struct emu_kernel *kernel;
	unsigned grid[3], block[3];
	unsigned lds; /* dynamic, in bytes */
	void **args;  /* addresses of the kernel's arguments */
	/*
	 * Called once per turn of all waves, with whether all of them waited: to wait, too, or to
	 * give up (false).
	 */
	bool (*idle)(void *arg, bool waiting);
	void *idle_arg;
	struct emu_device *device; /* whose caches the kernel has; NULL: plain memory */
	FILE *trace;		   /* NULL, or where every instruction is written */
	bool counts;		   /* in every instruction, how often it was run */
	uint64_t count;		   /* out: instructions of waves */
};

/* How many arguments of the caller's the kernel has. */
unsigned emu_kernel_args(const struct emu_kernel *k);

enum emu_end {
	EMU_ENDED,   /* all blocks have */
	EMU_STUCK,   /* idle() gave up */
	EMU_FAULT,   /* an instruction that is not known, or may not do that: a text says which */
	EMU_REFUSED, /* the hardware would refuse the launch, or there is no memory: a text says it */
};
enum emu_end emu_run(struct emu_code *c, struct emu_launch *l, char *why, size_t len);

#endif
