// SPDX-License-Identifier: MIT
/* Conversions between integers and floats, and between floats of 32, 16 and 8 bits. */
#include "emu/wave.h"

#include <math.h>

#define OP(name) static void name(struct emu_wave *w, const struct emu_insn *i)

float emu_half_to_float(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 0x3ff;

	if (e == 31)
		return emu_f32(sign | 0x7f800000 | m << 13);
	if (e == 0)
		return copysignf(ldexpf((float)m, -24), emu_f32(sign));
	return emu_f32(sign | (e + 112) << 23 | m << 13);
}

/*
 * To a small float with @bits of mantissa, a least exponent @low and no more than @most; ties go to
 * even. @most is what is beyond: NaN is the caller's.
 */
static float convert_round(float f, int bits, int low)
{
	int e;
	float quantum;

	if (f == 0 || !isfinite(f))
		return f;
	frexpf(f, &e);
	e = e - 1 < low ? low : e - 1;
	quantum = ldexpf(1, e - bits);
	return rintf(f / quantum) * quantum;
}

uint16_t emu_float_to_half(float f)
{
	uint16_t sign = signbit(f) ? 0x8000 : 0;
	float r = fabsf(convert_round(f, 10, -14));
	uint32_t x = emu_f32_bits(r);

	if (isnan(f))
		return (uint16_t)(sign | 0x7e00 | (emu_f32_bits(f) >> 13 & 0x3ff));
	if (r > 65504)
		return sign | 0x7c00;
	if (r < 0x1p-14f)
		return (uint16_t)(sign | (uint32_t)(r * 0x1p24f));
	return (uint16_t)(sign | ((x >> 23) - 112) << 10 | (x >> 13 & 0x3ff));
}

uint16_t emu_float_to_bf16(float f)
{
	uint32_t x = emu_f32_bits(f);

	if (isnan(f))
		return (uint16_t)(x >> 16 | 0x40);
	return (uint16_t)((x + 0x7fff + (x >> 16 & 1)) >> 16);
}

/* What sets the four formats apart. */
static const struct {
	int mantissa, bias;
	bool fnuz; /* no infinity, no minus zero: 0x80 is the only NaN */
	float most;
} fp8[] = {
	[EMU_E4M3FNUZ] = { 3, 8, true, 240 },
	[EMU_E5M2FNUZ] = { 2, 16, true, 57344 },
	[EMU_E4M3FN] = { 3, 7, false, 448 },
	[EMU_E5M2] = { 2, 15, false, 57344 },
};

float emu_fp8_to_float(enum emu_fp8 format, uint8_t x)
{
	int m = fp8[format].mantissa, bias = fp8[format].bias;
	int e = (x & 0x7f) >> m, part = x & ((1 << m) - 1);
	float f;

	if (fp8[format].fnuz && x == 0x80)
		return NAN;
	if (format == EMU_E4M3FN && (x & 0x7f) == 0x7f)
		return NAN;
	if (format == EMU_E5M2 && e == 31)
		f = part ? NAN : INFINITY;
	else
		f = e ? ldexpf((float)(part + (1 << m)), e - bias - m) :
			ldexpf((float)part, 1 - bias - m);
	return x & 0x80 ? -f : f;
}

uint8_t emu_float_to_fp8(enum emu_fp8 format, float f)
{
	int m = fp8[format].mantissa, bias = fp8[format].bias, e;
	uint8_t sign = signbit(f) ? 0x80 : 0;
	float r = fabsf(convert_round(f, m, 1 - bias));

	if (isnan(f) || (fp8[format].fnuz && isinf(f)))
		return fp8[format].fnuz ? 0x80 : sign | 0x7f;
	if (r > fp8[format].most) {
		if (fp8[format].fnuz)
			return 0x80;
		return format == EMU_E5M2 ? sign | 0x7c : sign | 0x7f;
	}
	if (r == 0)
		return fp8[format].fnuz ? 0 : sign;
	frexpf(r, &e);
	e = e - 1 + bias;
	if (e < 1)
		return (uint8_t)(sign | (int)ldexpf(r, bias - 1 + m));
	return (uint8_t)(sign | e << m | ((int)ldexpf(r, bias + m - e) - (1 << m)));
}

/* One operand, as bits and as a float. */
static inline __attribute__((always_inline)) void
convert_row(struct emu_wave *w, const struct emu_insn *i, uint32_t (*lane)(uint32_t a, float f))
{
	uint32_t buf[EMU_LANES], d[EMU_LANES];
	const uint32_t *x = emu_src(w, i, 1, buf);

	EMU_EACH(l)
	d[l] = lane(x[l], emu_f32(x[l]));
	emu_dst(w, i, 0, d);
}
#define ROW(name, e)                                                                               \
	static uint32_t name##_lane(EMU_ANY uint32_t a, EMU_ANY float f)                           \
	{                                                                                          \
		return (uint32_t)(e);                                                              \
	}                                                                                          \
	OP(name)                                                                                   \
	{                                                                                          \
		convert_row(w, i, name##_lane);                                                    \
	}

/* Beyond the range the nearest number of it; NaN is 0. */
static uint32_t convert_u32(double f)
{
	return f != f || f <= 0 ? 0 : f >= 0x1p32 ? ~0u : (uint32_t)f;
}

static int32_t convert_i32(double f)
{
	return f != f ? 0 : f >= 0x1p31 ? INT32_MAX : f <= -0x1p31 ? INT32_MIN : (int32_t)f;
}
ROW(v_cvt_f32_u32, emu_f32_bits((float)a))
ROW(v_cvt_f32_i32, emu_f32_bits((float)(int32_t)a))
ROW(v_cvt_u32_f32, convert_u32(f))
ROW(v_cvt_i32_f32, convert_i32(f))
ROW(v_cvt_f32_ubyte0, emu_f32_bits((float)(a & 0xff)))
ROW(v_cvt_f32_ubyte1, emu_f32_bits((float)(a >> 8 & 0xff)))
ROW(v_cvt_f32_ubyte2, emu_f32_bits((float)(a >> 16 & 0xff)))
ROW(v_cvt_f32_ubyte3, emu_f32_bits((float)(a >> 24)))
ROW(v_cvt_f32_bf16, a << 16)

OP(v_cvt_f32_f16)
{
	uint32_t d[EMU_LANES];
	float x[EMU_LANES];

	emu_src_f16(w, i, 1, x);
	EMU_EACH(l)
	d[l] = emu_f32_bits(x[l]);
	emu_dst(w, i, 0, d);
}

static inline __attribute__((always_inline)) void
convert_row16(struct emu_wave *w, const struct emu_insn *i, uint16_t (*lane)(uint32_t a))
{
	uint32_t buf[EMU_LANES];
	const uint32_t *x = emu_src(w, i, 1, buf);
	uint16_t d[EMU_LANES];

	EMU_EACH(l)
	d[l] = lane(x[l]);
	emu_dst16(w, i, 0, d);
}
#define TO16(name, e)                                                                              \
	static uint16_t name##_lane(uint32_t a)                                                    \
	{                                                                                          \
		return (uint16_t)(e);                                                              \
	}                                                                                          \
	OP(name)                                                                                   \
	{                                                                                          \
		convert_row16(w, i, name##_lane);                                                  \
	}
TO16(v_cvt_f16_f32, emu_float_to_half(emu_f32(a)))
TO16(v_cvt_f16_u16, emu_float_to_half((uint16_t)a))
TO16(v_cvt_f16_i16, emu_float_to_half((int16_t)a))

/* Doubles. */
OP(v_cvt_f64)
{
	uint32_t buf[EMU_LANES];
	const uint32_t *x = emu_src(w, i, 1, buf);
	uint64_t d[EMU_LANES];

	EMU_EACH(l)
	d[l] = emu_f64_bits(i->form == 1 ? (double)(int32_t)x[l] :
			    i->form == 2 ? (double)x[l] :
					   (double)emu_f32(x[l]));
	emu_dst64(w, i, 0, d);
}

OP(v_cvt_from_f64)
{
	uint64_t x[EMU_LANES];
	uint32_t d[EMU_LANES];

	emu_src64(w, i, 1, x);
	EMU_EACH(l)
	{
		double f = emu_f64(x[l]);

		d[l] = i->form == 1 ? (uint32_t)convert_i32(f) :
		       i->form == 2 ? convert_u32(f) :
				      emu_f32_bits((float)f);
	}
	emu_dst(w, i, 0, d);
}

/* Two floats into one register. */
enum { PK_BF16 = 1, PK_F16, PK_RTZ };

static uint16_t convert_toward_zero(float f)
{
	uint16_t h = emu_float_to_half(f);

	return isfinite(f) && fabsf(emu_half_to_float(h)) > fabsf(f) ? h - 1 : h;
}

OP(v_cvt_pk16)
{
	uint32_t buf[2][EMU_LANES], d[EMU_LANES];
	const uint32_t *x[2] = { emu_src(w, i, 1, buf[0]), emu_src(w, i, 2, buf[1]) };

	EMU_EACH(l)
	{
		uint32_t h[2];

		for (int k = 0; k < 2; k++) {
			float f = emu_f32(x[k][l]);

			h[k] = i->form == PK_BF16 ? emu_float_to_bf16(f) :
			       i->form == PK_F16  ? emu_float_to_half(f) :
						    convert_toward_zero(f);
		}
		d[l] = h[0] | h[1] << 16;
	}
	emu_dst(w, i, 0, d);
}

OP(v_pack_b32_f16)
{
	uint32_t buf[2][EMU_LANES], d[EMU_LANES];
	const uint32_t *x = emu_src(w, i, 1, buf[0]), *y = emu_src(w, i, 2, buf[1]);

	EMU_EACH(l)
	d[l] = (x[l] >> (i->op_sel & 1 ? 16 : 0) & 0xffff) |
	       (i->op_sel & 2 ? y[l] & 0xffff0000 : y[l] << 16);
	emu_dst(w, i, 0, d);
}

/* Which format the name means depends on the processor: emu_fp8_of() asks the dispatch. */
OP(v_cvt_pk_fp8)
{
	enum emu_fp8 format = emu_fp8_of(w, i->form);
	uint32_t buf[2][EMU_LANES], d[EMU_LANES];
	const uint32_t *x = emu_src(w, i, 1, buf[0]), *y = emu_src(w, i, 2, buf[1]);
	const uint32_t *old = emu_row(w, &i->o[0], 0);
	bool high = i->op_sel >> 3 & 1 || (i->n == 3 && i->op_sel >> 2 & 1);

	EMU_EACH(l)
	{
		uint32_t pair = emu_float_to_fp8(format, emu_f32(x[l])) |
				(uint32_t)emu_float_to_fp8(format, emu_f32(y[l])) << 8;

		d[l] = high ? (old[l] & 0xffff) | pair << 16 : (old[l] & 0xffff0000) | pair;
	}
	emu_dst(w, i, 0, d);
}

OP(v_cvt_f32_fp8)
{
	enum emu_fp8 format = emu_fp8_of(w, i->form);
	uint32_t buf[EMU_LANES], d[EMU_LANES];
	const uint32_t *x = emu_src(w, i, 1, buf);

	EMU_EACH(l)
	d[l] = emu_f32_bits(emu_fp8_to_float(format, (uint8_t)x[l]));
	emu_dst(w, i, 0, d);
}

OP(v_cvt_pk_f32_fp8)
{
	enum emu_fp8 format = emu_fp8_of(w, i->form);
	uint32_t buf[EMU_LANES];
	const uint32_t *x = emu_src(w, i, 1, buf);
	unsigned at = i->op_sel & 1 ? 16 : 0;
	uint64_t d[EMU_LANES];

	EMU_EACH(l)
	d[l] = emu_f32_bits(emu_fp8_to_float(format, (uint8_t)(x[l] >> at))) |
	       (uint64_t)emu_f32_bits(emu_fp8_to_float(format, (uint8_t)(x[l] >> (at + 8)))) << 32;
	emu_dst64(w, i, 0, d);
}

#define E(name) { #name, name, 0, 0 }
static const struct emu_entry convert[] = {
	E(v_cvt_f32_u32),
	E(v_cvt_f32_i32),
	E(v_cvt_u32_f32),
	E(v_cvt_i32_f32),
	E(v_cvt_f32_ubyte0),
	E(v_cvt_f32_ubyte1),
	E(v_cvt_f32_ubyte2),
	E(v_cvt_f32_ubyte3),
	E(v_cvt_f32_bf16),
	E(v_cvt_f32_f16),
	E(v_cvt_f16_f32),
	E(v_cvt_f16_u16),
	E(v_cvt_f16_i16),
	{ "v_cvt_f64_i32", v_cvt_f64, 1, 0 },
	{ "v_cvt_f64_u32", v_cvt_f64, 2, 0 },
	{ "v_cvt_f64_f32", v_cvt_f64, 3, 0 },
	{ "v_cvt_i32_f64", v_cvt_from_f64, 1, 0 },
	{ "v_cvt_u32_f64", v_cvt_from_f64, 2, 0 },
	{ "v_cvt_f32_f64", v_cvt_from_f64, 3, 0 },
	{ "v_cvt_pk_bf16_f32", v_cvt_pk16, PK_BF16, 0 },
	{ "v_cvt_pk_f16_f32", v_cvt_pk16, PK_F16, 0 },
	{ "v_cvt_pkrtz_f16_f32", v_cvt_pk16, PK_RTZ, 0 },
	E(v_pack_b32_f16),
	{ "v_cvt_pk_fp8_f32", v_cvt_pk_fp8, 0, 0 },
	{ "v_cvt_pk_bf8_f32", v_cvt_pk_fp8, 1, 0 },
	{ "v_cvt_f32_fp8", v_cvt_f32_fp8, 0, 0 },
	{ "v_cvt_f32_bf8", v_cvt_f32_fp8, 1, 0 },
	{ "v_cvt_pk_f32_fp8", v_cvt_pk_f32_fp8, 0, 0 },
	{ "v_cvt_pk_f32_bf8", v_cvt_pk_f32_fp8, 1, 0 },
};

emu_op *emu_find_convert(struct emu_insn *i)
{
	return EMU_FIND(i, convert);
}
