// SPDX-License-Identifier: MIT
/* A code object: what a compiler for AMD GPUs makes, loaded as the driver would load it. */
#ifndef MORI_EMU_CODE_H
#define MORI_EMU_CODE_H

#include "emu/insn.h"

#include <pthread.h>

/* What a kernel finds in its arguments beside those of the caller. */
enum emu_hidden {
	EMU_ARG_VALUE, /* the caller's */
	EMU_ARG_BLOCK_COUNT_X,
	EMU_ARG_BLOCK_COUNT_Y,
	EMU_ARG_BLOCK_COUNT_Z,
	EMU_ARG_GROUP_SIZE_X,
	EMU_ARG_GROUP_SIZE_Y,
	EMU_ARG_GROUP_SIZE_Z,
	EMU_ARG_REMAINDER,
	EMU_ARG_GRID_DIMS,
	EMU_ARG_PRIVATE_BASE,
	EMU_ARG_SHARED_BASE,
	EMU_ARG_DYNAMIC_LDS,
	EMU_ARG_ZERO, /* what there is not: queues, printf, heaps */
};

struct emu_arg {
	uint32_t offset, size;
	enum emu_hidden hidden;
};

struct emu_kernel {
	char *name, *symbol;
	uint32_t kernarg_size, n_args;
	struct emu_arg *args;
	uint64_t descriptor; /* its address */
};

struct emu_code {
	uint8_t *image; /* from its first to its last segment */
	size_t size, text, text_size;
	bool borrowed; /* the image is the caller's */
	char cpu[16];
	struct emu_kernel *kernels;
	unsigned n_kernels;
	struct emu_decoder *decoder;
	pthread_mutex_t lock;	 /* of the decoder */
	struct emu_insn **cache; /* an entry a word of the image */
	/* The loader's tables, in the image. */
	const void *dynsym;
	const char *dynstr;
	size_t n_dynsym;
};

/* NULL and a text: not a code object, of another processor, damaged, or no libLLVM. */
struct emu_code *emu_code_open(const void *elf, size_t len, char *why, size_t why_len);
/* For its kernels' names and arguments alone: of any processor, and without libLLVM. */
struct emu_code *emu_code_read(const void *elf, size_t len, char *why, size_t why_len);
/*
 * Code that is in memory already, as a driver has loaded it, and stays the caller's: it has no
 * symbols, and kernels are launched by packets (run.h). Instructions are read once, as by a cache.
 */
struct emu_code *emu_code_at(void *at, size_t size, const char *cpu, char *why, size_t why_len);
void emu_code_close(struct emu_code *c);
const struct emu_kernel *emu_code_kernel(const struct emu_code *c, const char *name);
/* Where a variable is, and how large; NULL: there is none. */
void *emu_code_symbol(const struct emu_code *c, const char *name, size_t *size);
/* The instruction at an address, decoded once; NULL: the address is not in the code. */
struct emu_insn *emu_code_insn(struct emu_code *c, uint64_t pc);
/*
 * Calls @missing for every instruction of the code that is not known; gives how many were looked at.
 */
size_t emu_code_scan(struct emu_code *c, void (*missing)(const struct emu_insn *i, void *arg),
		     void *arg);

/* The kernels of the metadata; in notes.c. */
bool emu_notes_read(struct emu_code *c, const uint8_t *note, size_t len);

#endif
