// SPDX-License-Identifier: MIT
/* Memory as waves see it: that of the process, the LDS of their block, the scratch of a lane. */
#ifndef MORI_EMU_MEMORY_H
#define MORI_EMU_MEMORY_H

#include "emu/wave.h"

/*
 * Where @len bytes at @addr are for lane @lane: the upper half of an address names LDS or scratch;
 * all others are addresses of this process, or of what the launch finds there. Beyond any of them
 * the launch ends.
 */
void *emu_at(struct emu_wave *w, const struct emu_insn *i, uint64_t addr, unsigned lane,
	     size_t len);

/* @n words by scalar load. */
void emu_scalar_load(struct emu_wave *w, const struct emu_insn *i, uint64_t addr, uint32_t *out,
		     unsigned n);

/* @len bytes, in accesses of 8 bytes and less, each as wide as its address allows. */
void emu_read_bytes(const void *at, void *out, size_t len);
void emu_write_bytes(void *at, const void *from, size_t len);

/* Read-modify-writes, of 4 or 8 bytes. Gives what was there. */
enum emu_rmw {
	EMU_ADD,
	EMU_SUB,
	EMU_SWAP,
	EMU_CAS,
	EMU_AND,
	EMU_OR,
	EMU_XOR,
	EMU_SMIN,
	EMU_SMAX,
	EMU_UMIN,
	EMU_UMAX,
	EMU_INC,
	EMU_DEC,
	EMU_ADD_F32,
	EMU_ADD_F64,
	EMU_MIN_F64,
	EMU_MAX_F64,
	EMU_PK_ADD_F16,
	EMU_PK_ADD_BF16,
};
uint64_t emu_rmw_value(enum emu_rmw op, unsigned len, uint64_t old, uint64_t x);
uint64_t emu_rmw(void *at, unsigned len, enum emu_rmw op, uint64_t x, uint64_t compare);

/* Accesses of lane @lane for vector instruction @i, in the scope that it names. */
void emu_read(struct emu_wave *w, const struct emu_insn *i, uint64_t addr, unsigned lane, void *out,
	      size_t len);
void emu_write(struct emu_wave *w, const struct emu_insn *i, uint64_t addr, unsigned lane,
	       const void *from, size_t len);
uint64_t emu_modify(struct emu_wave *w, const struct emu_insn *i, uint64_t addr, unsigned lane,
		    unsigned len, enum emu_rmw op, uint64_t x, uint64_t compare);

#endif
