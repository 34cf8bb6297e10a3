// SPDX-License-Identifier: MIT
/*
 * A wave of 64 lanes, and how an instruction reads its operands and writes its result.
 *
 * Vector instructions work on whole rows: an array with a value for every lane. A row is computed
 * for all lanes, and written to those that @lanes of the wave names: EXEC, less what DPP turns off.
 */
#ifndef MORI_EMU_WAVE_H
#define MORI_EMU_WAVE_H

#include "emu/insn.h"

#include <string.h>

/* Addresses with this upper half are the LDS of a block, and the scratch of a lane. */
#define EMU_LDS_BASE	 0x4000000000000000u
#define EMU_SCRATCH_BASE 0x5000000000000000u
/* What the description of a buffer has for scratch: 48 bits. */
#define EMU_SCRATCH_BUFFER 0x500000000000u

#define EMU_LANES   64
#define EMU_EACH(l) for (unsigned l = 0; l < EMU_LANES; l++)

/* Numbers of scalar registers, as the hardware has them. */
enum {
	EMU_FLAT_SCRATCH = 102,
	EMU_XNACK_MASK = 104,
	EMU_VCC = 106,
	EMU_TTMP = 108,
	EMU_M0 = 124,
	EMU_EXEC = 126,
	EMU_SGPRS = 128,
	EMU_SCC = 253,
};

struct emu_group;
struct emu_launch;

struct emu_wave {
	uint32_t s[EMU_SGPRS];
	uint32_t (*v)[EMU_LANES]; /* vector registers, then the accumulators */
	uint32_t acc;		  /* the first accumulator in v */
	uint32_t n_v;
	bool scc, done, at_barrier, yields;
	uint32_t mode;	/* the register MODE */
	uint64_t lanes; /* that the instruction writes */
	uint64_t pc, next;
	uint64_t count; /* instructions so far */
	struct emu_group *group;
	uint8_t *scratch;	    /* of all lanes, scratch_size bytes each */
	struct emu_access *pending; /* not yet performed, the oldest first; see pending.h */
	unsigned n_pending;
	uint64_t n_issued; /* of them, and of those performed since */
};

/* What the waves of a block share. */
struct emu_group {
	struct emu_group *next;
	struct emu_dispatch *dispatch;
	const struct emu_launch *launch;
	/* With adversarial memory, or NULL: the compute unit, and what is left to chance. */
	struct emu_unit *unit;
	struct emu_adversary *adversary;
	uint8_t *lds;
	uint32_t lds_size, scratch_size, n_waves;
	struct emu_wave *waves;
};

/* Ends the launch, with the instruction, its address and why. */
_Noreturn void emu_stop(const struct emu_wave *w, const struct emu_insn *i, const char *why, ...)
	__attribute__((format(printf, 3, 4)));

static inline uint64_t emu_s64(const struct emu_wave *w, unsigned reg)
{
	return w->s[reg] | (uint64_t)w->s[reg + 1] << 32;
}

static inline void emu_s64_set(struct emu_wave *w, unsigned reg, uint64_t x)
{
	w->s[reg] = (uint32_t)x;
	w->s[reg + 1] = (uint32_t)(x >> 32);
}

static inline uint64_t emu_exec(const struct emu_wave *w)
{
	return emu_s64(w, EMU_EXEC);
}

static inline float emu_f32(uint32_t x)
{
	float f;

	memcpy(&f, &x, sizeof(f));
	return f;
}

static inline uint32_t emu_f32_bits(float f)
{
	uint32_t x;

	memcpy(&x, &f, sizeof(x));
	return x;
}

static inline double emu_f64(uint64_t x)
{
	double f;

	memcpy(&f, &x, sizeof(f));
	return f;
}

static inline uint64_t emu_f64_bits(double f)
{
	uint64_t x;

	memcpy(&x, &f, sizeof(x));
	return x;
}

/* The row of vector register or accumulator @at + @k. */
static inline uint32_t *emu_row(struct emu_wave *w, const struct emu_opnd *o, unsigned k)
{
	return w->v[o->reg + k + (o->kind == EMU_ACC ? w->acc : 0)];
}

/* Scalar operands: of 32 and of 64 bits. */
uint32_t emu_sget(const struct emu_wave *w, const struct emu_opnd *o);
uint64_t emu_sget64(const struct emu_wave *w, const struct emu_opnd *o);
void emu_sset(struct emu_wave *w, const struct emu_opnd *o, uint32_t x);
void emu_sset64(struct emu_wave *w, const struct emu_opnd *o, uint64_t x);

/* Operand @k of a vector instruction as a row; @buf is used where it is not one already. */
const uint32_t *emu_src(struct emu_wave *w, const struct emu_insn *i, unsigned k,
			uint32_t buf[EMU_LANES]);
void emu_src64(struct emu_wave *w, const struct emu_insn *i, unsigned k, uint64_t out[EMU_LANES]);
/* Operand @k as numbers: half and brain floats are widened. */
void emu_src_f16(struct emu_wave *w, const struct emu_insn *i, unsigned k, float out[EMU_LANES]);
/* The result, to operand @k. */
void emu_dst(struct emu_wave *w, const struct emu_insn *i, unsigned k, const uint32_t x[EMU_LANES]);
void emu_dst64(struct emu_wave *w, const struct emu_insn *i, unsigned k,
	       const uint64_t x[EMU_LANES]);
/* 16 bits: the upper half becomes zero, unless op_sel names it as the place. */
void emu_dst16(struct emu_wave *w, const struct emu_insn *i, unsigned k,
	       const uint16_t x[EMU_LANES]);

/* A mask of lanes from an SGPR pair or VCC, operand @k, and to one. */
uint64_t emu_mask(const struct emu_wave *w, const struct emu_insn *i, unsigned k);
void emu_mask_set(struct emu_wave *w, const struct emu_insn *i, unsigned k, uint64_t x);

/* An argument of a function of one lane that not every operation uses. */
#define EMU_ANY __attribute__((unused))

/* The first operands and what stands for one that is not there, as rows. */
static inline void emu_src3(struct emu_wave *w, const struct emu_insn *i,
			    uint32_t buf[3][EMU_LANES], const uint32_t *row[3])
{
	row[0] = emu_src(w, i, 1, buf[0]);
	for (unsigned k = 1; k < 3; k++)
		row[k] = k + 1u < i->n ? emu_src(w, i, k + 1, buf[k]) : row[0];
}

/* Applies the output modifiers: a scale, and a clamp to 0 and 1. */
float emu_finish(const struct emu_insn *i, float x);

/* Floats of fewer bits; rounding is to nearest even. */
float emu_half_to_float(uint16_t h);
uint16_t emu_float_to_half(float f);
static inline float emu_bf16_to_float(uint16_t b)
{
	return emu_f32((uint32_t)b << 16);
}
uint16_t emu_float_to_bf16(float f);

/* Formats of 8 bits: gfx94x has the "fnuz" ones, gfx950 those of OCP. */
enum emu_fp8 { EMU_E4M3FNUZ, EMU_E5M2FNUZ, EMU_E4M3FN, EMU_E5M2 };
float emu_fp8_to_float(enum emu_fp8 format, uint8_t x);
uint8_t emu_float_to_fp8(enum emu_fp8 format, float f);
/* What "fp8" (@bf 0) and "bf8" (1) are on the processor of the wave. */
enum emu_fp8 emu_fp8_of(const struct emu_wave *w, int bf);

#endif
