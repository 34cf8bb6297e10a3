// SPDX-License-Identifier: MIT
/*
 * Vector instructions on floats of 32, 64 and 16 bits. The host's own arithmetic rounds as the
 * hardware does; denormal numbers are always kept.
 */
#include "emu/wave.h"

#include <math.h>
#include <stdio.h>

#define OP(name) static void name(struct emu_wave *w, const struct emu_insn *i)

typedef float float_lane32(float a, float b, float c);

static inline __attribute__((always_inline)) void
float_row32(struct emu_wave *w, const struct emu_insn *i, float_lane32 *lane)
{
	uint32_t buf[3][EMU_LANES], d[EMU_LANES];
	const uint32_t *x[3];

	emu_src3(w, i, buf, x);
	EMU_EACH(l)
	d[l] = emu_f32_bits(
		emu_finish(i, lane(emu_f32(x[0][l]), emu_f32(x[1][l]), emu_f32(x[2][l]))));
	emu_dst(w, i, 0, d);
}
#define LANEF(name) static float name##_lane(EMU_ANY float a, EMU_ANY float b, EMU_ANY float c)
#define ROWF(name, e)                                                                              \
	LANEF(name)                                                                                \
	{                                                                                          \
		return (float)(e);                                                                 \
	}                                                                                          \
	OP(name)                                                                                   \
	{                                                                                          \
		float_row32(w, i, name##_lane);                                                    \
	}
ROWF(v_add_f32, a + b)
ROWF(v_sub_f32, a - b)
ROWF(v_subrev_f32, b - a)
ROWF(v_mul_f32, a *b)
ROWF(v_fma_f32, fmaf(a, b, c))
ROWF(v_min_f32, fminf(a, b))
ROWF(v_max_f32, fmaxf(a, b))
ROWF(v_min3_f32, fminf(fminf(a, b), c))
ROWF(v_max3_f32, fmaxf(fmaxf(a, b), c))
ROWF(v_med3_f32, fmaxf(fminf(a, b), fminf(fmaxf(a, b), c)))
ROWF(v_rcp_f32, 1 / a)
ROWF(v_sqrt_f32, sqrtf(a))
ROWF(v_rsq_f32, 1 / sqrtf(a))
ROWF(v_exp_f32, exp2f(a))
ROWF(v_log_f32, log2f(a))
ROWF(v_sin_f32, sin(a * 2 * M_PI))
ROWF(v_cos_f32, cos(a * 2 * M_PI))
ROWF(v_trunc_f32, truncf(a))
ROWF(v_floor_f32, floorf(a))
ROWF(v_ceil_f32, ceilf(a))
ROWF(v_rndne_f32, rintf(a))
ROWF(v_fract_f32, a - floorf(a))

/* Products that round before the sum, and those into the result's own register. */
static float float_mac(float a, float b, float c)
{
	volatile float p = a * b;

	return p + c;
}
ROWF(v_mad_f32, float_mac(a, b, c))
ROWF(v_fmamk_f32, fmaf(a, c, b)) /* the constant comes second */

OP(v_fmac_f32)
{
	uint32_t buf[2][EMU_LANES], d[EMU_LANES];
	const uint32_t *x = emu_src(w, i, 1, buf[0]), *y = emu_src(w, i, 2, buf[1]);
	const uint32_t *z = emu_row(w, &i->o[0], 0);

	EMU_EACH(l)
	{
		float a = emu_f32(x[l]), b = emu_f32(y[l]), c = emu_f32(z[l]);

		d[l] = emu_f32_bits(emu_finish(i, i->form ? float_mac(a, b, c) : fmaf(a, b, c)));
	}
	emu_dst(w, i, 0, d);
}

OP(v_ldexp_f32)
{
	uint32_t buf[2][EMU_LANES], d[EMU_LANES];
	const uint32_t *x = emu_src(w, i, 1, buf[0]), *y = emu_src(w, i, 2, buf[1]);

	EMU_EACH(l)
	d[l] = emu_f32_bits(emu_finish(i, ldexpf(emu_f32(x[l]), (int)y[l])));
	emu_dst(w, i, 0, d);
}

/* Doubles; form 1: the third operand is the result's own register. */
typedef double float_lane64(double a, double b, double c);

static inline __attribute__((always_inline)) void
float_row64(struct emu_wave *w, const struct emu_insn *i, float_lane64 *lane)
{
	uint64_t x[3][EMU_LANES] = { 0 };

	for (unsigned k = 0; k < 3 && k + 1u < i->n; k++)
		emu_src64(w, i, k + 1, x[k]);
	if (i->form)
		emu_src64(w, i, 0, x[2]);
	EMU_EACH(l)
	x[0][l] = emu_f64_bits(lane(emu_f64(x[0][l]), emu_f64(x[1][l]), emu_f64(x[2][l])));
	emu_dst64(w, i, 0, x[0]);
}
#define LANED(name) static double name##_lane(EMU_ANY double a, EMU_ANY double b, EMU_ANY double c)
#define ROWD(name, e)                                                                              \
	LANED(name)                                                                                \
	{                                                                                          \
		return e;                                                                          \
	}                                                                                          \
	OP(name)                                                                                   \
	{                                                                                          \
		float_row64(w, i, name##_lane);                                                    \
	}
ROWD(v_add_f64, a + b)
ROWD(v_mul_f64, a *b)
ROWD(v_fma_f64, fma(a, b, c))
ROWD(v_min_f64, fmin(a, b))
ROWD(v_max_f64, fmax(a, b))
ROWD(v_rcp_f64, 1 / a)
ROWD(v_rsq_f64, 1 / sqrt(a))
ROWD(v_sqrt_f64, sqrt(a))
ROWD(v_trunc_f64, trunc(a))
ROWD(v_floor_f64, floor(a))
ROWD(v_ceil_f64, ceil(a))
ROWD(v_rndne_f64, rint(a))

OP(v_ldexp_f64)
{
	uint64_t x[EMU_LANES];
	uint32_t buf[EMU_LANES];
	const uint32_t *y = emu_src(w, i, 2, buf);

	emu_src64(w, i, 1, x);
	EMU_EACH(l)
	x[l] = emu_f64_bits(ldexp(emu_f64(x[l]), (int)y[l]));
	emu_dst64(w, i, 0, x);
}

static inline __attribute__((always_inline)) void
float_row16(struct emu_wave *w, const struct emu_insn *i, float_lane32 *lane)
{
	float x[3][EMU_LANES] = { 0 };
	uint16_t d[EMU_LANES];

	for (unsigned k = 0; k < 3 && k + 1u < i->n; k++)
		emu_src_f16(w, i, k + 1, x[k]);
	EMU_EACH(l)
	d[l] = emu_float_to_half(emu_finish(i, lane(x[0][l], x[1][l], x[2][l])));
	emu_dst16(w, i, 0, d);
}
#define ROWH(name, e)                                                                              \
	LANEF(name)                                                                                \
	{                                                                                          \
		return (float)(e);                                                                 \
	}                                                                                          \
	OP(name)                                                                                   \
	{                                                                                          \
		float_row16(w, i, name##_lane);                                                    \
	}
ROWH(v_add_f16, a + b)
ROWH(v_sub_f16, a - b)
ROWH(v_subrev_f16, b - a)
ROWH(v_mul_f16, a *b)
ROWH(v_fma_f16, (float)((double)a *b + c))
ROWH(v_min_f16, fminf(a, b))
ROWH(v_max_f16, fmaxf(a, b))
ROWH(v_rcp_f16, 1 / a)
ROWH(v_sqrt_f16, sqrtf(a))
ROWH(v_exp_f16, exp2f(a))
ROWH(v_log_f16, log2f(a))
ROWH(v_trunc_f16, truncf(a))
ROWH(v_floor_f16, floorf(a))
ROWH(v_rndne_f16, rintf(a))

/*
 * Division in steps: numbers that could leave the range of exponents on the way are scaled, which
 * VCC notes for v_div_fmas; v_div_fixup puts the special cases right.
 */
static const struct float_range {
	int bits, min; /* of the fraction; the least exponent of a normal number */
	int far, shift;
} float_single = { 24, -126, 96, 64 }, float_wide = { 53, -1022, 768, 128 };

static int float_exponent(double x)
{
	int e;

	frexp(x, &e);
	return e;
}

static double float_div_scale(const struct float_range *r, double s0, double d, double n,
			      bool *scaled)
{
	double least = ldexp(1, r->min);
	bool small_rcp = fabs(1 / d) < least, small = fabs(n / d) < least;

	*scaled = false;
	if (d == 0 || n == 0)
		return NAN;
	if (float_exponent(n) - float_exponent(d) >= r->far) {
		*scaled = true;
		return s0 == d ? ldexp(s0, r->shift) : s0;
	}
	if (fabs(d) < least)
		return ldexp(s0, r->shift);
	if (small_rcp && small) { /* the manual has the other direction, in which this overflows */
		*scaled = true;
		return s0 == d ? ldexp(s0, -r->shift) : s0;
	}
	if (small_rcp)
		return ldexp(s0, -r->shift);
	if (small) {
		*scaled = true;
		return s0 == n ? ldexp(s0, r->shift) : s0;
	}
	return float_exponent(n) <= r->bits + r->min ? ldexp(s0, r->shift) : s0;
}

OP(v_div_scale_f32)
{
	uint32_t buf[3][EMU_LANES], out[EMU_LANES];
	const uint32_t *x = emu_src(w, i, 2, buf[0]), *y = emu_src(w, i, 3, buf[1]);
	const uint32_t *z = emu_src(w, i, 4, buf[2]);
	uint64_t mask = 0;

	EMU_EACH(l)
	{
		bool scaled;
		double d = float_div_scale(&float_single, emu_f32(x[l]), emu_f32(y[l]),
					   emu_f32(z[l]), &scaled);

		out[l] = emu_f32_bits((float)d);
		mask |= (uint64_t)scaled << l;
	}
	emu_mask_set(w, i, 1, mask & w->lanes);
	emu_dst(w, i, 0, out);
}

OP(v_div_scale_f64)
{
	uint64_t x[3][EMU_LANES], mask = 0;

	for (unsigned k = 0; k < 3; k++)
		emu_src64(w, i, k + 2, x[k]);
	EMU_EACH(l)
	{
		bool scaled;
		double d = float_div_scale(&float_wide, emu_f64(x[0][l]), emu_f64(x[1][l]),
					   emu_f64(x[2][l]), &scaled);

		x[0][l] = emu_f64_bits(d);
		mask |= (uint64_t)scaled << l;
	}
	emu_mask_set(w, i, 1, mask & w->lanes);
	emu_dst64(w, i, 0, x[0]);
}

OP(v_div_fmas_f32)
{
	uint32_t buf[3][EMU_LANES], d[EMU_LANES];
	const uint32_t *x = emu_src(w, i, 1, buf[0]), *y = emu_src(w, i, 2, buf[1]);
	const uint32_t *z = emu_src(w, i, 3, buf[2]);
	uint64_t scaled = emu_s64(w, EMU_VCC);

	EMU_EACH(l)
	{
		float r = fmaf(emu_f32(x[l]), emu_f32(y[l]), emu_f32(z[l]));

		if (scaled >> l & 1)
			r = ldexpf(r, float_exponent(emu_f32(z[l])) > 0 ? 64 : -64);
		d[l] = emu_f32_bits(r);
	}
	emu_dst(w, i, 0, d);
}

OP(v_div_fmas_f64)
{
	uint64_t x[3][EMU_LANES], scaled = emu_s64(w, EMU_VCC);

	for (unsigned k = 0; k < 3; k++)
		emu_src64(w, i, k + 1, x[k]);
	EMU_EACH(l)
	{
		double c = emu_f64(x[2][l]), r = fma(emu_f64(x[0][l]), emu_f64(x[1][l]), c);

		if (scaled >> l & 1)
			r = ldexp(r, float_exponent(c) > 0 ? 128 : -128);
		x[0][l] = emu_f64_bits(r);
	}
	emu_dst64(w, i, 0, x[0]);
}

static double float_div_fixup(const struct float_range *r, double q, double d, double n)
{
	double sign = signbit(d) != signbit(n) ? -1.0 : 1.0;

	if (isnan(n) || isnan(d))
		return n + d;
	if ((d == 0 && n == 0) || (isinf(d) && isinf(n)))
		return NAN;
	if (d == 0 || isinf(n))
		return sign * INFINITY;
	if (isinf(d) || n == 0 || float_exponent(n) - float_exponent(d) < r->min - r->bits)
		return sign * 0.0;
	return isnan(q) ? sign * INFINITY : copysign(q, sign); /* the steps left the range */
}
ROWF(v_div_fixup_f32, float_div_fixup(&float_single, a, b, c))
ROWD(v_div_fixup_f64, float_div_fixup(&float_wide, a, b, c))

/* v_cmp_lt_f32: those with an n before are true where a number is not one. */
enum { LT = 1, EQ = 2, GT = 4, UNORDERED = 8 };

static uint64_t float_compare_row(const struct emu_insn *i, const double a[], const double b[])
{
	uint64_t d = 0;

	EMU_EACH(l)
	{
		int is = a[l] < b[l] ? LT : a[l] == b[l] ? EQ : a[l] > b[l] ? GT : UNORDERED;

		d |= (uint64_t)((i->form & is) != 0) << l;
	}
	return d;
}

static void float_compare_operand(struct emu_wave *w, const struct emu_insn *i, unsigned k,
				  double out[])
{
	uint32_t buf[EMU_LANES];
	uint64_t wide[EMU_LANES];
	float half[EMU_LANES];
	const uint32_t *row;

	if (i->width == 64) {
		emu_src64(w, i, k, wide);
		EMU_EACH(l)
		out[l] = emu_f64(wide[l]);
	} else if (i->width == 16) {
		emu_src_f16(w, i, k, half);
		EMU_EACH(l)
		out[l] = half[l];
	} else {
		row = emu_src(w, i, k, buf);
		EMU_EACH(l)
		out[l] = emu_f32(row[l]);
	}
}

OP(v_cmp_f)
{
	double a[EMU_LANES], b[EMU_LANES];
	uint64_t d;

	float_compare_operand(w, i, 1, a);
	float_compare_operand(w, i, 2, b);
	d = float_compare_row(i, a, b) & w->lanes;
	emu_mask_set(w, i, 0, d);
	if (i->name[5] == 'x')
		emu_s64_set(w, EMU_EXEC, d);
}

static emu_op *float_find_compare(struct emu_insn *i)
{
	static const struct {
		char name[4];
		int form;
	} names[] = {
		{ "f", 0 },
		{ "lt", LT },
		{ "eq", EQ },
		{ "le", LT | EQ },
		{ "gt", GT },
		{ "lg", LT | GT },
		{ "ge", GT | EQ },
		{ "o", LT | EQ | GT },
		{ "u", UNORDERED },
		{ "nge", LT | UNORDERED },
		{ "nlg", EQ | UNORDERED },
		{ "ngt", LT | EQ | UNORDERED },
		{ "nle", GT | UNORDERED },
		{ "neq", LT | GT | UNORDERED },
		{ "nlt", GT | EQ | UNORDERED },
		{ "tru", LT | EQ | GT | UNORDERED },
	};
	char how[4];

	if (sscanf(i->name, "v_cmp_%3[a-z]_f%d", how, &i->width) != 2 &&
	    sscanf(i->name, "v_cmpx_%3[a-z]_f%d", how, &i->width) != 2)
		return NULL;
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		if (!strcmp(how, names[k].name)) {
			i->form = names[k].form;
			return v_cmp_f;
		}
	}
	return NULL;
}

/* The class of a number, as a bit of a mask. */
OP(v_cmp_class_f32)
{
	uint32_t buf[2][EMU_LANES];
	const uint32_t *x = emu_src(w, i, 1, buf[0]), *y = emu_src(w, i, 2, buf[1]);
	uint64_t d = 0;

	EMU_EACH(l)
	{
		float f = emu_f32(x[l]);
		int c = fpclassify(f), s = signbit(f) != 0;
		int at = c == FP_NAN	   ? (x[l] >> 22 & 1) :
			 c == FP_INFINITE  ? (s ? 2 : 9) :
			 c == FP_NORMAL	   ? (s ? 3 : 8) :
			 c == FP_SUBNORMAL ? (s ? 4 : 7) :
					     (s ? 5 : 6);

		d |= (uint64_t)(y[l] >> at & 1) << l;
	}
	emu_mask_set(w, i, 0, d & w->lanes);
}

#define E(name) { #name, name, 0, 0 }
static const struct emu_entry floats[] = {
	E(v_add_f32),
	E(v_sub_f32),
	E(v_subrev_f32),
	E(v_mul_f32),
	E(v_fma_f32),
	E(v_min_f32),
	E(v_max_f32),
	E(v_min3_f32),
	E(v_max3_f32),
	E(v_med3_f32),
	E(v_rcp_f32),
	{ "v_rcp_iflag_f32", v_rcp_f32, 0, 0 },
	E(v_sqrt_f32),
	E(v_rsq_f32),
	E(v_exp_f32),
	E(v_log_f32),
	E(v_sin_f32),
	E(v_cos_f32),
	E(v_trunc_f32),
	E(v_floor_f32),
	E(v_ceil_f32),
	E(v_rndne_f32),
	E(v_fract_f32),
	E(v_mad_f32),
	{ "v_madmk_f32", v_fmamk_f32, 0, 0 },
	E(v_fmamk_f32),
	{ "v_fmaak_f32", v_fma_f32, 0, 0 },
	E(v_fmac_f32),
	{ "v_mac_f32", v_fmac_f32, 1, 0 },
	E(v_ldexp_f32),
	E(v_add_f64),
	E(v_mul_f64),
	E(v_fma_f64),
	{ "v_fmac_f64", v_fma_f64, 1, 0 },
	E(v_min_f64),
	E(v_max_f64),
	E(v_rcp_f64),
	E(v_rsq_f64),
	E(v_sqrt_f64),
	E(v_trunc_f64),
	E(v_floor_f64),
	E(v_ceil_f64),
	E(v_rndne_f64),
	E(v_ldexp_f64),
	E(v_add_f16),
	E(v_sub_f16),
	E(v_subrev_f16),
	E(v_mul_f16),
	E(v_fma_f16),
	E(v_min_f16),
	E(v_max_f16),
	E(v_rcp_f16),
	E(v_sqrt_f16),
	E(v_exp_f16),
	E(v_log_f16),
	E(v_trunc_f16),
	E(v_floor_f16),
	E(v_rndne_f16),
	E(v_div_scale_f32),
	E(v_div_fmas_f32),
	E(v_div_fixup_f32),
	E(v_div_scale_f64),
	E(v_div_fmas_f64),
	E(v_div_fixup_f64),
	E(v_cmp_class_f32),
};

emu_op *emu_find_float(struct emu_insn *i)
{
	emu_op *run = EMU_FIND(i, floats);

	return run ? run : float_find_compare(i);
}
