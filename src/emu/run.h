// SPDX-License-Identifier: MIT
/* Runs kernels of code objects: grids of blocks of waves, all of them resident, in turn. */
#ifndef MORI_EMU_RUN_H
#define MORI_EMU_RUN_H

#include "emu/code.h"

#include <stdio.h>

/* The hardware's packet of a launch. A grid is counted in threads; its last blocks may be short. */
struct emu_packet {
	uint16_t header, setup, block[3], reserved;
	uint32_t grid[3], private_size, group_size;
	uint64_t object, kernarg, reserved2, signal;
};

struct emu_launch {
	/* What emu_run() launches; a packet has all of it. */
	const struct emu_kernel *kernel;
	unsigned grid[3], block[3];
	unsigned lds; /* dynamic, in bytes */
	void **args;  /* addresses of the kernel's arguments */
	/*
	 * Where @len bytes at the GPU's address @addr are in this process; NULL: it has no such
	 * memory. Without the call, addresses are those of the process. For plain memory only.
	 */
	void *(*find)(void *arg, uint64_t addr, size_t len);
	void *find_arg;
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
/* The same for a packet, whose kernel and arguments are in memory as the hardware wants them. */
enum emu_end emu_run_packet(struct emu_code *c, const struct emu_packet *p, struct emu_launch *l,
			    char *why, size_t len);

#endif
