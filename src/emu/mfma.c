// SPDX-License-Identifier: MIT
/*
 * Matrix products: D = A * B + C of one wave. A lane holds a row of A and a column of B, of them as
 * many numbers along k as its registers have; lanes beyond the number of rows hold the next ones
 * along k, and then the next block where there are several. Sums are of 32 bits, in the order of k.
 */
#include "emu/wave.h"

#include <math.h>
#include <stdio.h>

enum { F32 = 1, F16, BF16, FP8, BF8, FP4, XF32, I8 };

/* Of A and of B: a lane has at most 64 numbers, in 8 registers. */
#define MFMA_MOST   (EMU_LANES * 64)
#define MFMA_MOST_K 128

static float mfma_fp4_to_float(uint32_t x)
{
	static const float values[] = { 0, 0.5f, 1, 1.5f, 2, 3, 4, 6 };

	return x & 8 ? -values[x & 7] : values[x & 7];
}

/* Bits of a number of the type. */
static unsigned mfma_type_bits(int type)
{
	switch (type) {
	case F16:
	case BF16:
		return 16;
	case FP8:
	case BF8:
	case I8:
		return 8;
	case FP4:
		return 4;
	default:
		return 32;
	}
}

static float mfma_number(const struct emu_wave *w, int type, uint32_t x)
{
	switch (type) {
	case F16:
		return emu_half_to_float((uint16_t)x);
	case BF16:
		return emu_bf16_to_float((uint16_t)x);
	case FP8:
	case BF8:
		return emu_fp8_to_float(emu_fp8_of(w, type == BF8), (uint8_t)x);
	case FP4:
		return mfma_fp4_to_float(x & 15);
	case XF32: /* 10 bits of mantissa */
		return emu_f32(x & 0xffffe000);
	case I8:
		return (int8_t)x;
	default:
		return emu_f32(x);
	}
}

struct mfma_shape {
	unsigned rows, k, per_lane, blocks;
};

/* A or B as numbers: by block, then by row or column, then along k. */
static void mfma_operand(struct emu_wave *w, const struct emu_insn *i, unsigned o, int type,
			 const struct mfma_shape *s, float *out)
{
	unsigned bits = mfma_type_bits(type), groups = s->k / s->per_lane;

	EMU_EACH(l)
	{
		unsigned group = l / s->rows, block = group / groups,
			 at = group % groups * s->per_lane;

		for (unsigned e = 0; e < s->per_lane; e++) {
			uint32_t word = emu_row(w, &i->o[o], e * bits / 32)[l];

			out[(block * s->rows + l % s->rows) * s->k + at + e] =
				mfma_number(w, type, word >> e * bits % 32);
		}
	}
}

/* Where register @r of lane @l of the result is. */
static void mfma_place(const struct mfma_shape *s, unsigned l, unsigned r, unsigned *block,
		       unsigned *row)
{
	switch (s->rows) {
	case 32:
		*block = r / 16;
		*row = 8 * (r % 16 / 4) + 4 * (l / 32) + r % 4;
		break;
	case 16:
		*block = r / 4;
		*row = 4 * (l / 16) + r % 4;
		break;
	default:
		*block = l / 4;
		*row = r;
	}
}

static uint32_t mfma_sum(const struct emu_insn *i, const struct mfma_shape *s, uint32_t c,
			 const float *a, const float *b)
{
	float f = emu_f32(c);
	int32_t n = (int32_t)c;

	for (unsigned k = 0; k < s->k; k++) {
		f = fmaf(a[k], b[k], f);
		n += (int32_t)a[k] * (int32_t)b[k];
	}
	return (i->width & 15) == I8 ? (uint32_t)n : emu_f32_bits(f);
}

/* Types of A and B are in width, 4 bits each; rows and k in form. */
static void v_mfma(struct emu_wave *w, const struct emu_insn *i)
{
	float a[MFMA_MOST], b[MFMA_MOST];
	struct mfma_shape s = { .rows = (unsigned)i->form & 0xff, .k = (unsigned)i->form >> 8 };
	int type_a = i->width & 15, type_b = i->width >> 4;
	uint32_t out[32][EMU_LANES];
	unsigned n = i->o[0].n;

	if (i->abid || (i->cbsz && !strstr(i->name, "f8f6f4")))
		emu_stop(w, i, "matrix products that broadcast are not known");
	s.per_lane = i->o[1].n * 32u / mfma_type_bits(type_a);
	s.per_lane = s.per_lane > s.k ? s.k : s.per_lane;
	s.blocks = EMU_LANES * s.per_lane / (s.rows * s.k);
	mfma_operand(w, i, 1, type_a, &s, a);
	mfma_operand(w, i, 2, type_b, &s, b);
	for (unsigned r = 0; r < n; r++) {
		EMU_EACH(l)
		{
			const struct emu_opnd *o = &i->o[3];
			uint32_t c = o->kind == EMU_VGPR || o->kind == EMU_ACC ?
					     emu_row(w, o, r)[l] :
					     emu_sget(w, o);
			unsigned block, row;

			mfma_place(&s, l, r, &block, &row);
			out[r][l] = mfma_sum(i, &s, c, a + (block * s.rows + row) * s.k,
					     b + (block * s.rows + l % s.rows) * s.k);
		}
	}
	for (unsigned r = 0; r < n; r++)
		memcpy(emu_row(w, &i->o[0], r), out[r], sizeof(out[r]));
}

static int mfma_type_of(const char *t)
{
	static const struct {
		const char *name;
		int type;
	} names[] = {
		{ "f32", F32 | F32 << 4 },	 { "xf32", XF32 | XF32 << 4 },
		{ "f16", F16 | F16 << 4 },	 { "bf16", BF16 | BF16 << 4 },
		{ "bf16_1k", BF16 | BF16 << 4 }, { "fp8_fp8", FP8 | FP8 << 4 },
		{ "fp8_bf8", FP8 | BF8 << 4 },	 { "bf8_fp8", BF8 | FP8 << 4 },
		{ "bf8_bf8", BF8 | BF8 << 4 },	 { "i8", I8 | I8 << 4 },
	};

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		if (!strcmp(t, names[k].name))
			return names[k].type;
	return 0;
}

/* f8f6f4: the formats are modifiers. */
static int mfma_type_of_modifier(unsigned x)
{
	return x == 0 ? FP8 : x == 1 ? BF8 : x == 4 ? FP4 : 0;
}

emu_op *emu_find_mfma(struct emu_insn *i)
{
	unsigned rows, columns, k;
	int skip = 0;
	const char *t;

	if ((sscanf(i->name, "v_mfma_f32_%ux%ux%u%n", &rows, &columns, &k, &skip) < 3 &&
	     sscanf(i->name, "v_mfma_i32_%ux%ux%u%n", &rows, &columns, &k, &skip) < 3) ||
	    rows != columns || k > MFMA_MOST_K)
		return NULL;
	t = i->name + skip;
	/* "_2b_f16", "_f16" and, in older names, "f16". */
	if (*t == '_' && t[1] >= '0' && t[1] <= '9')
		t += strcspn(t + 1, "_") + 1;
	t += *t == '_';
	i->form = (int)(rows | k << 8);
	if (!strcmp(t, "f8f6f4")) {
		int a = mfma_type_of_modifier(i->cbsz), b = mfma_type_of_modifier(i->blgp);

		i->width = a | b << 4;
		return a && b ? v_mfma : NULL;
	}
	i->width = mfma_type_of(t);
	return i->width ? v_mfma : NULL;
}
