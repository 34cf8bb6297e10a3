// SPDX-License-Identifier: MIT
/* Packed instructions, on two numbers at once, and those whose operands are of mixed widths. */
#include "emu/wave.h"

#include <math.h>

#define OP(name) static void name(struct emu_wave *w, const struct emu_insn *i)

/* Two numbers per register, or a pair of registers with two: which half goes where is in the code. */
enum { PK_ADD = 1, PK_MUL, PK_FMA, PK_MIN, PK_MAX, PK_SUB, PK_MOV, PK_SHL, PK_SHR, PK_SAR, PK_MAD };

static float packed_float(int form, float a, float b, float c)
{
	switch (form) {
	case PK_ADD:
		return a + b;
	case PK_MUL:
		return a * b;
	case PK_FMA:
		return (float)((double)a * b + c);
	case PK_MIN:
		return fminf(a, b);
	default:
		return fmaxf(a, b);
	}
}

static uint16_t packed_half(const struct emu_insn *i, unsigned k, uint32_t x, bool upper)
{
	bool high = (upper ? i->op_sel_hi : i->op_sel) >> (k - 1) & 1;
	bool neg = (upper ? i->neg_hi : i->neg_lo) >> (k - 1) & 1;

	if (i->o[k].kind == EMU_FLOAT)
		x = emu_float_to_half((float)i->o[k].value);
	return (uint16_t)((high ? x >> 16 : x) ^ (neg ? 0x8000 : 0));
}

static uint16_t packed_int(int form, uint16_t a, uint16_t b, uint16_t c)
{
	switch (form) {
	case PK_ADD:
		return (uint16_t)(a + b);
	case PK_SUB:
		return (uint16_t)(a - b);
	case PK_MUL:
		return (uint16_t)((uint32_t)a * b);
	case PK_MAD:
		return (uint16_t)((uint32_t)a * b + c);
	case PK_SHL:
		return (uint16_t)(b << (a & 15));
	case PK_SHR:
		return (uint16_t)(b >> (a & 15));
	case PK_SAR:
		return (uint16_t)((int16_t)b >> (a & 15));
	case PK_MIN:
		return a < b ? a : b;
	default:
		return a > b ? a : b;
	}
}

static uint16_t packed_signed(int form, uint16_t a, uint16_t b, uint16_t c)
{
	if (form == PK_MIN)
		return (int16_t)a < (int16_t)b ? a : b;
	if (form == PK_MAX)
		return (int16_t)a > (int16_t)b ? a : b;
	return packed_int(form, a, b, c);
}

/* width 16: floats, 1: integers without a sign, 2: with one. */
OP(v_pk16)
{
	uint32_t buf[3][EMU_LANES], d[EMU_LANES];
	const uint32_t *x = emu_src(w, i, 1, buf[0]), *y = emu_src(w, i, 2, buf[1]);
	const uint32_t *z = i->n > 3 ? emu_src(w, i, 3, buf[2]) : NULL;

	EMU_EACH(l)
	{
		uint32_t out[2];

		for (int h = 0; h < 2; h++) {
			uint16_t a = packed_half(i, 1, x[l], h), b = packed_half(i, 2, y[l], h);
			uint16_t c = z ? packed_half(i, 3, z[l], h) : 0;

			if (i->width == 16)
				out[h] = emu_float_to_half(
					packed_float(i->form, emu_half_to_float(a),
						     emu_half_to_float(b), emu_half_to_float(c)));
			else
				out[h] = i->width == 1 ? packed_int(i->form, a, b, c) :
							 packed_signed(i->form, a, b, c);
		}
		d[l] = out[0] | out[1] << 16;
	}
	emu_dst(w, i, 0, d);
}

/* Half @h of pair @k: registers, or a constant for both. */
static void packed_word(struct emu_wave *w, const struct emu_insn *i, unsigned k, int h,
			uint32_t out[EMU_LANES])
{
	bool high = (h ? i->op_sel_hi : i->op_sel) >> (k - 1) & 1;
	bool neg = (h ? i->neg_hi : i->neg_lo) >> (k - 1) & 1;
	const struct emu_opnd *o = &i->o[k];

	EMU_EACH(l)
	{
		uint32_t x = o->kind == EMU_VGPR || o->kind == EMU_ACC ? emu_row(w, o, high)[l] :
			     o->kind == EMU_SGPR ? w->s[o->reg + (o->n > 1 ? high : 0)] :
						   emu_sget(w, o);

		out[l] = x ^ (neg ? 0x80000000 : 0);
	}
}

OP(v_pk32)
{
	uint32_t x[EMU_LANES], y[EMU_LANES], z[EMU_LANES] = { 0 }, word[2][EMU_LANES];
	uint64_t d[EMU_LANES];

	for (int h = 0; h < 2; h++) {
		packed_word(w, i, 1, h, x);
		packed_word(w, i, 2, h, y);
		if (i->n > 3)
			packed_word(w, i, 3, h, z);
		EMU_EACH(l)
		{
			float a = emu_f32(x[l]), b = emu_f32(y[l]), c = emu_f32(z[l]);

			/* A move takes its lower word from the first operand, its upper from the second. */
			word[h][l] = i->form == PK_MOV ?
					     (h ? y[l] : x[l]) :
					     emu_f32_bits(i->form == PK_FMA ?
								  fmaf(a, b, c) :
								  packed_float(i->form, a, b, c));
		}
	}
	EMU_EACH(l)
	d[l] = word[0][l] | (uint64_t)word[1][l] << 32;
	emu_dst64(w, i, 0, d);
}

/* Each source is a float, or one half of a register, by op_sel_hi; the result too. */
OP(v_fma_mix)
{
	uint32_t buf[3][EMU_LANES], d[EMU_LANES];
	float x[3][EMU_LANES];

	for (unsigned k = 0; k < 3; k++) {
		const uint32_t *row = emu_src(w, i, k + 1, buf[k]);

		EMU_EACH(l)
		x[k][l] = emu_f32(row[l]);
		if (i->op_sel_hi >> k & 1)
			emu_src_f16(w, i, k + 1, x[k]);
	}
	EMU_EACH(l)
	{
		float r = emu_finish(i, fmaf(x[0][l], x[1][l], x[2][l]));
		uint32_t old = i->form ? emu_row(w, &i->o[0], 0)[l] : 0;

		d[l] = i->form == 0 ? emu_f32_bits(r) :
		       i->form == 1 ? (old & 0xffff0000) | emu_float_to_half(r) :
				      (old & 0xffff) | (uint32_t)emu_float_to_half(r) << 16;
	}
	emu_dst(w, i, 0, d);
}

#define PK(name, f, width) { "v_pk_" name, v_pk16, f, width }
static const struct emu_entry packed[] = {
	PK("add_f16", PK_ADD, 16),
	PK("mul_f16", PK_MUL, 16),
	PK("fma_f16", PK_FMA, 16),
	PK("min_f16", PK_MIN, 16),
	PK("max_f16", PK_MAX, 16),
	PK("add_u16", PK_ADD, 1),
	PK("sub_u16", PK_SUB, 1),
	PK("add_i16", PK_ADD, 2),
	PK("sub_i16", PK_SUB, 2),
	PK("mul_lo_u16", PK_MUL, 1),
	PK("mad_u16", PK_MAD, 1),
	PK("mad_i16", PK_MAD, 2),
	PK("min_u16", PK_MIN, 1),
	PK("max_u16", PK_MAX, 1),
	PK("min_i16", PK_MIN, 2),
	PK("max_i16", PK_MAX, 2),
	PK("lshlrev_b16", PK_SHL, 1),
	PK("lshrrev_b16", PK_SHR, 1),
	PK("ashrrev_i16", PK_SAR, 1),
	{ "v_pk_add_f32", v_pk32, PK_ADD, 0 },
	{ "v_pk_mul_f32", v_pk32, PK_MUL, 0 },
	{ "v_pk_fma_f32", v_pk32, PK_FMA, 0 },
	{ "v_pk_mov_b32", v_pk32, PK_MOV, 0 },
	{ "v_fma_mix_f32", v_fma_mix, 0, 0 },
	{ "v_fma_mixlo_f16", v_fma_mix, 1, 0 },
	{ "v_fma_mixhi_f16", v_fma_mix, 2, 0 },
};

emu_op *emu_find_packed(struct emu_insn *i)
{
	emu_op *run = EMU_FIND(i, packed);

	/* Packed operations take both upper halves where nothing is said, mixed ones take floats. */
	if (run == v_fma_mix && !strstr(i->text, "op_sel_hi"))
		i->op_sel_hi = 0;
	return run;
}
