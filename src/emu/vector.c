// SPDX-License-Identifier: MIT
/* Vector instructions on integers: arithmetic, logic, shifts, comparisons, carries, selection. */
#include "emu/wave.h"

#include <stdio.h>

#define OP(name) static void name(struct emu_wave *w, const struct emu_insn *i)

/* Up to three operands of 32 bits give one: @e of a, b and c of the lane. */
typedef uint32_t vector_lane32(const struct emu_insn *i, uint32_t a, uint32_t b, uint32_t c);

static inline __attribute__((always_inline)) void
vector_row32(struct emu_wave *w, const struct emu_insn *i, vector_lane32 *lane)
{
	uint32_t buf[3][EMU_LANES], d[EMU_LANES];
	const uint32_t *x[3];

	emu_src3(w, i, buf, x);
	EMU_EACH(l)
	d[l] = lane(i, x[0][l], x[1][l], x[2][l]);
	emu_dst(w, i, 0, d);
}
#define LANE32(name)                                                                               \
	static uint32_t name##_lane(EMU_ANY const struct emu_insn *i, EMU_ANY uint32_t a,          \
				    EMU_ANY uint32_t b, EMU_ANY uint32_t c)
#define ROW32(name, e)                                                                             \
	LANE32(name)                                                                               \
	{                                                                                          \
		return (uint32_t)(e);                                                              \
	}                                                                                          \
	OP(name)                                                                                   \
	{                                                                                          \
		vector_row32(w, i, name##_lane);                                                   \
	}
ROW32(v_mov_b32, a)
ROW32(v_not_b32, ~a)
ROW32(v_and_b32, a &b)
ROW32(v_or_b32, a | b)
ROW32(v_xor_b32, a ^ b)
ROW32(v_xnor_b32, ~(a ^ b))
ROW32(v_add_u32, a + b)
ROW32(v_sub_u32, a - b)
ROW32(v_subrev_u32, b - a)
ROW32(v_add3_u32, a + b + c)
ROW32(v_lshl_add_u32, (a << (b & 31)) + c)
ROW32(v_add_lshl_u32, (a + b) << (c & 31))
ROW32(v_lshl_or_b32, a << (b & 31) | c)
ROW32(v_and_or_b32, (a & b) | c)
ROW32(v_or3_b32, a | b | c)
ROW32(v_xad_u32, (a ^ b) + c)
ROW32(v_lshlrev_b32, b << (a & 31))
ROW32(v_lshrrev_b32, b >> (a & 31))
ROW32(v_ashrrev_i32, (int32_t)b >> (a & 31))
ROW32(v_min_u32, a < b ? a : b)
ROW32(v_max_u32, a > b ? a : b)
ROW32(v_min_i32, (int32_t)a < (int32_t)b ? a : b)
ROW32(v_max_i32, (int32_t)a > (int32_t)b ? a : b)
ROW32(v_mul_lo_u32, a *b)
ROW32(v_mul_hi_u32, (uint64_t)a *b >> 32)
ROW32(v_mul_hi_i32, (uint64_t)((int64_t)(int32_t)a *(int32_t)b) >> 32)
ROW32(v_mul_u32_u24, (a & 0xffffff) * (b & 0xffffff))
ROW32(v_mul_hi_u32_u24, (uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 32)
ROW32(v_mad_u32_u24, (a & 0xffffff) * (b & 0xffffff) + c)
ROW32(v_bfi_b32, (a & b) | (~a & c))
ROW32(v_alignbit_b32, ((uint64_t)a << 32 | b) >> (c & 31))
ROW32(v_alignbyte_b32, ((uint64_t)a << 32 | b) >> 8 * (c & 3))
ROW32(v_ffbh_u32, a ? __builtin_clz(a) : -1)
ROW32(v_ffbl_b32, a ? __builtin_ctz(a) : -1)
ROW32(v_bcnt_u32_b32, (uint32_t)__builtin_popcount(a) + b)
ROW32(v_bfm_b32, ((1u << (a & 31)) - 1) << (b & 31))

static int32_t vector_int24(uint32_t x)
{
	return (int32_t)(x << 8) >> 8;
}
ROW32(v_mul_i32_i24, vector_int24(a) * vector_int24(b))
ROW32(v_mad_i32_i24, (uint32_t)(vector_int24(a) * vector_int24(b)) + c)

static uint32_t vector_field(uint32_t a, uint32_t b, uint32_t c, bool sign)
{
	uint32_t at = b & 31, n = c & 31;

	if (!n)
		return 0;
	if (at + n < 32)
		a <<= 32 - at - n;
	else
		n = 32 - at;
	return sign ? (uint32_t)((int32_t)a >> (32 - n)) : a >> (32 - n);
}
ROW32(v_bfe_u32, vector_field(a, b, c, false))
ROW32(v_bfe_i32, vector_field(a, b, c, true))

static uint32_t vector_reverse(uint32_t a)
{
	uint32_t d = 0;

	for (unsigned k = 0; k < 32; k++)
		d |= (a >> k & 1) << (31 - k);
	return d;
}
ROW32(v_bfrev_b32, vector_reverse(a))

/* The median of the three, their least and their greatest. */
static int64_t vector_med3(int64_t a, int64_t b, int64_t c)
{
	int64_t low = a < b ? a : b, high = a < b ? b : a;

	return c < low ? low : c > high ? high : c;
}
#define MIN3(t) ((t)a < (t)b ? ((t)a < (t)c ? a : c) : ((t)b < (t)c ? b : c))
#define MAX3(t) ((t)a > (t)b ? ((t)a > (t)c ? a : c) : ((t)b > (t)c ? b : c))
ROW32(v_med3_u32, vector_med3(a, b, c))
ROW32(v_med3_i32, vector_med3((int32_t)a, (int32_t)b, (int32_t)c))
ROW32(v_min3_u32, MIN3(uint32_t))
ROW32(v_min3_i32, MIN3(int32_t))
ROW32(v_max3_u32, MAX3(uint32_t))
ROW32(v_max3_i32, MAX3(int32_t))

/* Bytes of b and a, a above: chosen by the bytes of c. */
static uint32_t vector_perm_byte(uint64_t from, uint32_t how)
{
	if (how < 8)
		return from >> 8 * how & 0xff;
	if (how < 12) /* the sign of one of four halves */
		return from >> (16 * (how - 8) + 15) & 1 ? 0xff : 0;
	return how == 12 ? 0 : 0xff;
}

static uint32_t vector_perm(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t d = 0;

	for (unsigned k = 0; k < 4; k++)
		d |= vector_perm_byte((uint64_t)a << 32 | b, c >> 8 * k & 0xff) << 8 * k;
	return d;
}
ROW32(v_perm_b32, vector_perm(a, b, c))

/* Any function of three bits; the table is in the code. */
static uint32_t vector_bitop3(uint32_t a, uint32_t b, uint32_t c, unsigned table)
{
	uint32_t d = 0;

	for (unsigned k = 0; k < 8; k++)
		if (table >> k & 1)
			d |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
	return d;
}
ROW32(v_bitop3_b32, vector_bitop3(a, b, c, (unsigned)i->form))

/* 16 bits: the halves that op_sel names. */
typedef uint16_t vector_lane16(const struct emu_insn *i, uint16_t a, uint16_t b, uint16_t c);

static inline __attribute__((always_inline)) void
vector_row16(struct emu_wave *w, const struct emu_insn *i, vector_lane16 *lane)
{
	uint32_t buf[3][EMU_LANES];
	const uint32_t *x[3];
	uint16_t d[EMU_LANES];
	unsigned s[3];

	emu_src3(w, i, buf, x);
	for (unsigned k = 0; k < 3; k++)
		s[k] = i->op_sel >> k & 1 ? 16 : 0;
	EMU_EACH(l)
	d[l] = lane(i, (uint16_t)(x[0][l] >> s[0]), (uint16_t)(x[1][l] >> s[1]),
		    (uint16_t)(x[2][l] >> s[2]));
	emu_dst16(w, i, 0, d);
}
#define LANE16(name)                                                                               \
	static uint16_t name##_lane(EMU_ANY const struct emu_insn *i, EMU_ANY uint16_t a,          \
				    EMU_ANY uint16_t b, EMU_ANY uint16_t c)
#define ROW16(name, e)                                                                             \
	LANE16(name)                                                                               \
	{                                                                                          \
		return (uint16_t)(e);                                                              \
	}                                                                                          \
	OP(name)                                                                                   \
	{                                                                                          \
		vector_row16(w, i, name##_lane);                                                   \
	}
ROW16(v_add_u16, a + b)
ROW16(v_sub_u16, a - b)
ROW16(v_subrev_u16, b - a)
ROW16(v_mul_lo_u16, (uint32_t)a *b)
ROW16(v_mad_u16, (uint32_t)a *b + c)
ROW16(v_lshlrev_b16, b << (a & 15))
ROW16(v_lshrrev_b16, b >> (a & 15))
ROW16(v_ashrrev_i16, (int16_t)b >> (a & 15))
ROW16(v_min_u16, a < b ? a : b)
ROW16(v_max_u16, a > b ? a : b)
ROW16(v_min_i16, (int16_t)a < (int16_t)b ? a : b)
ROW16(v_max_i16, (int16_t)a > (int16_t)b ? a : b)
ROW16(v_bitop3_b16, vector_bitop3(a, b, c, (unsigned)i->form))

/* 64 bits; form names the operand that is a number of 32 bits, the first by default. */
typedef uint64_t vector_lane64(uint64_t a, uint64_t b, uint64_t c, uint32_t n);

static inline __attribute__((always_inline)) void
vector_row64(struct emu_wave *w, const struct emu_insn *i, vector_lane64 *lane)
{
	uint64_t x[3][EMU_LANES] = { 0 };
	uint32_t buf[EMU_LANES];
	const uint32_t *n = emu_src(w, i, i->form ? (unsigned)i->form : 1, buf);

	for (unsigned k = 0; k < 3 && k + 1u < i->n; k++)
		emu_src64(w, i, k + 1, x[k]);
	EMU_EACH(l)
	x[0][l] = lane(x[0][l], x[1][l], x[2][l], n[l]);
	emu_dst64(w, i, 0, x[0]);
}
#define LANE64(name)                                                                               \
	static uint64_t name##_lane(EMU_ANY uint64_t a, EMU_ANY uint64_t b, EMU_ANY uint64_t c,    \
				    EMU_ANY uint32_t n)
#define ROW64(name, e)                                                                             \
	LANE64(name)                                                                               \
	{                                                                                          \
		return (uint64_t)(e);                                                              \
	}                                                                                          \
	OP(name)                                                                                   \
	{                                                                                          \
		vector_row64(w, i, name##_lane);                                                   \
	}
ROW64(v_mov_b64, a)
ROW64(v_lshlrev_b64, b << (n & 63))
ROW64(v_lshrrev_b64, b >> (n & 63))
ROW64(v_ashrrev_i64, (int64_t)b >> (n & 63))
ROW64(v_lshl_add_u64, (a << (n & 7)) + c)

/* D = a * b + c of 64 bits, with the carry in the mask that follows D. */
OP(v_mad_64)
{
	uint32_t buf[2][EMU_LANES];
	const uint32_t *x = emu_src(w, i, 2, buf[0]), *y = emu_src(w, i, 3, buf[1]);
	uint64_t c[EMU_LANES], d[EMU_LANES], carry = 0;

	emu_src64(w, i, 4, c);
	EMU_EACH(l)
	{
		uint64_t p = i->form ? (uint64_t)((int64_t)(int32_t)x[l] * (int32_t)y[l]) :
				       (uint64_t)x[l] * y[l];

		carry |= (uint64_t)__builtin_add_overflow(p, c[l], &d[l]) << l;
	}
	emu_mask_set(w, i, 1, carry & w->lanes);
	emu_dst64(w, i, 0, d);
}

/* Sums with a carry out, and with one in; form 0: add, 1: subtract, 2: reversed. */
OP(v_carry)
{
	uint32_t buf[2][EMU_LANES], d[EMU_LANES];
	const uint32_t *x = emu_src(w, i, 2, buf[0]), *y = emu_src(w, i, 3, buf[1]);
	uint64_t in = i->width ? emu_mask(w, i, 4) : 0, out = 0, kept = w->lanes;

	EMU_EACH(l)
	{
		uint64_t a = i->form == 2 ? y[l] : x[l], b = i->form == 2 ? x[l] : y[l];
		uint64_t c = in >> l & 1, r = i->form ? a - b - c : a + b + c;

		d[l] = (uint32_t)r;
		out |= (r >> 32 & 1) << l;
	}
	emu_mask_set(w, i, 1, out & kept);
	emu_dst(w, i, 0, d);
}

OP(v_cndmask_b32)
{
	uint32_t buf[2][EMU_LANES], d[EMU_LANES];
	const uint32_t *x = emu_src(w, i, 1, buf[0]), *y = emu_src(w, i, 2, buf[1]);
	uint64_t mask = emu_mask(w, i, 3);

	EMU_EACH(l)
	d[l] = mask >> l & 1 ? y[l] : x[l];
	emu_dst(w, i, 0, d);
}

/* v_cmp_lt_u32 and v_cmpx_lt_u32 for integers; floats are in float.c. */
enum { CMP_F, CMP_LT, CMP_EQ, CMP_LE, CMP_GT, CMP_NE, CMP_GE, CMP_T };

static bool vector_compare(int how, int64_t a, int64_t b)
{
	switch (how) {
	case CMP_LT:
		return a < b;
	case CMP_EQ:
		return a == b;
	case CMP_LE:
		return a <= b;
	case CMP_GT:
		return a > b;
	case CMP_NE:
		return a != b;
	case CMP_GE:
		return a >= b;
	default:
		return how == CMP_T;
	}
}

/* Numbers of 64 bits without a sign are compared as those with one, their top bits turned. */
static void vector_compare_operand(struct emu_wave *w, const struct emu_insn *i, unsigned k,
				   int64_t out[])
{
	bool is_signed = i->width < 0;
	int bits = is_signed ? -i->width : i->width;
	uint32_t buf[EMU_LANES];
	const uint32_t *row;

	if (bits == 64) {
		emu_src64(w, i, k, (uint64_t *)out);
		EMU_EACH(l)
		out[l] ^= is_signed ? 0 : INT64_MIN;
		return;
	}
	row = emu_src(w, i, k, buf);
	EMU_EACH(l)
	out[l] = bits == 16 ? (is_signed ? (int16_t)row[l] : (uint16_t)row[l]) :
		 is_signed  ? (int32_t)row[l] :
			      (int64_t)row[l];
}

OP(v_cmp)
{
	int64_t a[EMU_LANES], b[EMU_LANES];
	uint64_t d = 0;

	vector_compare_operand(w, i, 1, a);
	vector_compare_operand(w, i, 2, b);
	EMU_EACH(l)
	d |= (uint64_t)vector_compare(i->form, a[l], b[l]) << l;
	d &= w->lanes;
	emu_mask_set(w, i, 0, d);
	if (i->name[5] == 'x')
		emu_s64_set(w, EMU_EXEC, d);
}

static emu_op *vector_find_compare(struct emu_insn *i)
{
	static const char names[][3] = { "f", "lt", "eq", "le", "gt", "ne", "ge", "t" };
	char how[4], sign;
	int bits;

	if (sscanf(i->name, "v_cmp_%3[a-z]_%c%d", how, &sign, &bits) != 3 &&
	    sscanf(i->name, "v_cmpx_%3[a-z]_%c%d", how, &sign, &bits) != 3)
		return NULL;
	if (sign != 'u' && sign != 'i')
		return NULL;
	i->width = sign == 'i' ? -bits : bits;
	for (i->form = 0; i->form < 8; i->form++)
		if (!strcmp(how, names[i->form]))
			return v_cmp;
	return NULL;
}

#define E(name) { #name, name, 0, 0 }
static const struct emu_entry vector[] = {
	E(v_mov_b32),
	E(v_not_b32),
	E(v_and_b32),
	E(v_or_b32),
	E(v_xor_b32),
	E(v_xnor_b32),
	E(v_add_u32),
	E(v_sub_u32),
	E(v_subrev_u32),
	{ "v_add_i32", v_add_u32, 0, 0 },
	{ "v_sub_i32", v_sub_u32, 0, 0 },
	E(v_add3_u32),
	E(v_lshl_add_u32),
	E(v_add_lshl_u32),
	E(v_lshl_or_b32),
	E(v_and_or_b32),
	E(v_or3_b32),
	E(v_xad_u32),
	E(v_lshlrev_b32),
	E(v_lshrrev_b32),
	E(v_ashrrev_i32),
	E(v_min_u32),
	E(v_max_u32),
	E(v_min_i32),
	E(v_max_i32),
	E(v_mul_lo_u32),
	E(v_mul_hi_u32),
	E(v_mul_hi_i32),
	E(v_mul_u32_u24),
	E(v_mul_hi_u32_u24),
	E(v_mad_u32_u24),
	E(v_mul_i32_i24),
	E(v_mad_i32_i24),
	E(v_bfe_u32),
	E(v_bfe_i32),
	E(v_bfi_b32),
	E(v_alignbit_b32),
	E(v_alignbyte_b32),
	E(v_bfrev_b32),
	E(v_ffbh_u32),
	E(v_ffbl_b32),
	E(v_bcnt_u32_b32),
	E(v_bfm_b32),
	E(v_med3_u32),
	E(v_med3_i32),
	E(v_min3_u32),
	E(v_min3_i32),
	E(v_max3_u32),
	E(v_max3_i32),
	E(v_perm_b32),
	E(v_bitop3_b32),
	E(v_add_u16),
	E(v_sub_u16),
	E(v_subrev_u16),
	E(v_mul_lo_u16),
	E(v_mad_u16),
	{ "v_mad_legacy_u16", v_mad_u16, 0, 0 },
	E(v_lshlrev_b16),
	E(v_lshrrev_b16),
	E(v_ashrrev_i16),
	E(v_min_u16),
	E(v_max_u16),
	E(v_min_i16),
	E(v_max_i16),
	E(v_bitop3_b16),
	E(v_mov_b64),
	E(v_lshlrev_b64),
	E(v_lshrrev_b64),
	E(v_ashrrev_i64),
	{ "v_lshl_add_u64", v_lshl_add_u64, 2, 0 },
	{ "v_mad_u64_u32", v_mad_64, 0, 0 },
	{ "v_mad_i64_i32", v_mad_64, 1, 0 },
	{ "v_add_co_u32", v_carry, 0, 0 },
	{ "v_sub_co_u32", v_carry, 1, 0 },
	{ "v_subrev_co_u32", v_carry, 2, 0 },
	{ "v_addc_co_u32", v_carry, 0, 1 },
	{ "v_subb_co_u32", v_carry, 1, 1 },
	{ "v_subbrev_co_u32", v_carry, 2, 1 },
	E(v_cndmask_b32),
};

emu_op *emu_find_vector(struct emu_insn *i)
{
	emu_op *run = EMU_FIND(i, vector);

	return run ? run : vector_find_compare(i);
}
