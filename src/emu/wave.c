// SPDX-License-Identifier: MIT
/*
 * Operands of a wave: scalar registers, rows of vector registers, constants, and the ways in which
 * an encoding bends them: SDWA takes a part of a register, DPP takes another lane's.
 */
#include "emu/wave.h"

#include <math.h>

static uint32_t wave_constant(const struct emu_opnd *o)
{
	return o->kind == EMU_FLOAT ? emu_f32_bits((float)o->value) : (uint32_t)o->imm;
}

uint32_t emu_sget(const struct emu_wave *w, const struct emu_opnd *o)
{
	uint32_t x;

	if (o->kind != EMU_SGPR)
		return wave_constant(o);
	x = o->reg == EMU_SCC ? w->scc : w->s[o->reg];
	x = o->abs ? x & 0x7fffffff : x;
	return o->neg ? x ^ 0x80000000 : x;
}

uint64_t emu_sget64(const struct emu_wave *w, const struct emu_opnd *o)
{
	if (o->kind == EMU_SGPR)
		return emu_s64(w, o->reg);
	return o->kind == EMU_FLOAT ? emu_f64_bits(o->value) : o->imm;
}

void emu_sset(struct emu_wave *w, const struct emu_opnd *o, uint32_t x)
{
	w->s[o->reg] = x;
}

void emu_sset64(struct emu_wave *w, const struct emu_opnd *o, uint64_t x)
{
	emu_s64_set(w, o->reg, x);
}

/* The lane that DPP gives lane @l; -1: none. */
static int wave_dpp_lane(const struct emu_insn *i, int l)
{
	int row = l & ~15, at = l & 15, n = i->dpp_arg;

	switch (i->dpp) {
	case EMU_DPP_QUAD:
		return (l & ~3) | (n >> 2 * (l & 3) & 3);
	case EMU_DPP_SHL:
		return at + n < 16 ? l + n : -1;
	case EMU_DPP_SHR:
		return at >= n ? l - n : -1;
	case EMU_DPP_ROR:
		return row | ((at - n) & 15);
	case EMU_DPP_WAVE_SHL:
		return l < 63 ? l + 1 : -1;
	case EMU_DPP_WAVE_ROL:
		return (l + 1) & 63;
	case EMU_DPP_WAVE_SHR:
		return l - 1;
	case EMU_DPP_WAVE_ROR:
		return (l - 1) & 63;
	case EMU_DPP_MIRROR:
		return row | (15 - at);
	case EMU_DPP_HALF_MIRROR:
		return (l & ~7) | (7 - (l & 7));
	case EMU_DPP_BCAST15:
		return l < 16 ? -1 : row - 1;
	case EMU_DPP_BCAST31:
		return l < 32 ? -1 : 31;
	case EMU_DPP_NEWBCAST:
		return row | n;
	default:
		return l;
	}
}

/*
 * The first source through DPP. A lane without a source, or whose source is turned off, gets 0 with
 * bound_ctrl; without it the lane is not written, and neither are those the masks turn off.
 */
static void wave_dpp_row(struct emu_wave *w, const struct emu_insn *i, const uint32_t *from,
			 uint32_t out[EMU_LANES])
{
	uint64_t exec = emu_exec(w);

	EMU_EACH(l)
	{
		int at = wave_dpp_lane(i, (int)l);
		bool there = at >= 0 && exec >> at & 1;

		out[l] = there ? from[at] : 0;
		if ((!there && !i->bound_ctrl) || !(i->row_mask >> l / 16 & 1) ||
		    !(i->bank_mask >> l / 4 % 4 & 1))
			w->lanes &= ~(1ull << l);
	}
}

static uint32_t wave_sdwa_part(const struct emu_opnd *o, uint32_t x)
{
	if (o->sel && o->sel < 5) {
		x = x >> 8 * (o->sel - 1) & 0xff;
		return o->sext ? (uint32_t)(int8_t)x : x;
	}
	if (o->sel) {
		x = x >> 16 * (o->sel - 5) & 0xffff;
		return o->sext ? (uint32_t)(int16_t)x : x;
	}
	return x;
}

/* The row before the signs: a register's, through DPP and SDWA, or a constant's. */
static const uint32_t *wave_src_raw(struct emu_wave *w, const struct emu_insn *i, unsigned k,
				    uint32_t buf[EMU_LANES])
{
	const struct emu_opnd *o = &i->o[k];
	const uint32_t *row = buf;

	if (o->kind == EMU_VGPR || o->kind == EMU_ACC) {
		row = emu_row(w, o, 0);
		if (i->dpp &&
		    o == &i->o[i->o[1].kind == EMU_SGPR && strstr(i->name, "_co_") ? 2 : 1]) {
			wave_dpp_row(w, i, row, buf);
			row = buf;
		}
	} else {
		uint32_t x = o->kind == EMU_SGPR ? o->reg == EMU_SCC ? w->scc : w->s[o->reg] :
						   wave_constant(o);

		EMU_EACH(l)
		buf[l] = x;
	}
	if (!o->sel)
		return row;
	EMU_EACH(l)
	buf[l] = wave_sdwa_part(o, row[l]);
	return buf;
}

const uint32_t *emu_src(struct emu_wave *w, const struct emu_insn *i, unsigned k,
			uint32_t buf[EMU_LANES])
{
	const struct emu_opnd *o = &i->o[k];
	const uint32_t *row = wave_src_raw(w, i, k, buf);

	if (!o->abs && !o->neg)
		return row;
	EMU_EACH(l)
	buf[l] = (o->abs ? row[l] & 0x7fffffff : row[l]) ^ (o->neg ? 0x80000000 : 0);
	return buf;
}

void emu_src64(struct emu_wave *w, const struct emu_insn *i, unsigned k, uint64_t out[EMU_LANES])
{
	const struct emu_opnd *o = &i->o[k];
	bool vector = o->kind == EMU_VGPR || o->kind == EMU_ACC;
	const uint32_t *low = vector ? emu_row(w, o, 0) : NULL;
	const uint32_t *high = vector ? emu_row(w, o, 1) : NULL;
	uint64_t x = vector ? 0 : emu_sget64(w, o);

	/* A literal of a double is its upper half. */
	if (o->kind == EMU_LITERAL && strstr(i->name, "_f64"))
		x <<= 32;
	EMU_EACH(l)
	{
		uint64_t y = vector ? low[l] | (uint64_t)high[l] << 32 : x;

		y = o->abs ? y & ~0ull >> 1 : y;
		out[l] = o->neg ? y ^ 1ull << 63 : y;
	}
}

void emu_src_f16(struct emu_wave *w, const struct emu_insn *i, unsigned k, float out[EMU_LANES])
{
	const struct emu_opnd *o = &i->o[k];
	uint32_t buf[EMU_LANES];
	const uint32_t *row = wave_src_raw(w, i, k, buf);
	unsigned shift = i->op_sel >> (k - 1) & 1 ? 16 : 0;

	EMU_EACH(l)
	{
		float f = o->kind == EMU_FLOAT ? (float)o->value :
						 emu_half_to_float((uint16_t)(row[l] >> shift));

		f = o->abs ? __builtin_fabsf(f) : f;
		out[l] = o->neg ? -f : f;
	}
}

/* A part of the old register keeps what it has, is zero, or takes the sign. */
static uint32_t wave_sdwa_put(const struct emu_insn *i, uint32_t old, uint32_t x)
{
	unsigned at = i->dst_sel < 5 ? 8u * (i->dst_sel - 1) : 16u * (i->dst_sel - 5);
	uint32_t mask = i->dst_sel < 5 ? 0xff : 0xffff, part = (x & mask) << at;

	if (i->dst_unused == 2)
		return (old & ~(mask << at)) | part;
	if (i->dst_unused == 1 && x & (mask ^ mask >> 1))
		part |= ~((mask << at) | ((1u << at) - 1));
	return part;
}

void emu_dst(struct emu_wave *w, const struct emu_insn *i, unsigned k, const uint32_t x[EMU_LANES])
{
	uint32_t *row;

	if (i->o[k].kind == EMU_SGPR) {
		emu_sset(w, &i->o[k], x[0]);
		return;
	}
	row = emu_row(w, &i->o[k], 0);
	EMU_EACH(l)
	{
		uint32_t y = i->dst_sel ? wave_sdwa_put(i, row[l], x[l]) : x[l];

		row[l] = w->lanes >> l & 1 ? y : row[l];
	}
}

void emu_dst64(struct emu_wave *w, const struct emu_insn *i, unsigned k,
	       const uint64_t x[EMU_LANES])
{
	uint32_t *low = emu_row(w, &i->o[k], 0), *high = emu_row(w, &i->o[k], 1);

	EMU_EACH(l)
	{
		if (w->lanes >> l & 1) {
			low[l] = (uint32_t)x[l];
			high[l] = (uint32_t)(x[l] >> 32);
		}
	}
}

void emu_dst16(struct emu_wave *w, const struct emu_insn *i, unsigned k,
	       const uint16_t x[EMU_LANES])
{
	uint32_t *row = emu_row(w, &i->o[k], 0), out[EMU_LANES];
	bool high = i->op_sel >> 3 & 1;

	EMU_EACH(l)
	out[l] = i->dst_sel ? x[l] :
		 high	    ? (row[l] & 0xffff) | (uint32_t)x[l] << 16 :
			      (uint32_t)x[l];
	emu_dst(w, i, k, out);
}

uint64_t emu_mask(const struct emu_wave *w, const struct emu_insn *i, unsigned k)
{
	return k < i->n ? emu_sget64(w, &i->o[k]) : emu_s64(w, EMU_VCC);
}

void emu_mask_set(struct emu_wave *w, const struct emu_insn *i, unsigned k, uint64_t x)
{
	emu_s64_set(w, i->o[k].reg, x);
}

float emu_finish(const struct emu_insn *i, float x)
{
	static const float scale[] = { 1, 2, 4, 0.5f };

	x *= scale[i->omod];
	return i->clamp ? fminf(fmaxf(x, 0), 1) : x;
}
