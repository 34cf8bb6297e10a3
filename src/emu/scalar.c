// SPDX-License-Identifier: MIT
/* Scalar instructions: arithmetic, comparisons, masks of lanes, and loads. */
#include "emu/memory.h"
#include "emu/wave.h"

#define OP(name) static void name(struct emu_wave *w, const struct emu_insn *i)
#define A32	 emu_sget(w, &i->o[1])
#define B32	 emu_sget(w, &i->o[2])
#define A64	 emu_sget64(w, &i->o[1])
#define B64	 emu_sget64(w, &i->o[2])
#define D32(x)	 emu_sset(w, &i->o[0], (uint32_t)(x))
#define D64(x)	 emu_sset64(w, &i->o[0], (uint64_t)(x))

/* The result, and in SCC whether it is not zero. */
#define LOGIC32(name, e)                                                                           \
	OP(name)                                                                                   \
	{                                                                                          \
		uint32_t a = A32, b = i->n > 2 ? B32 : 0, d = (uint32_t)(e);                       \
                                                                                                   \
		(void)b;                                                                           \
		D32(d);                                                                            \
		w->scc = d != 0;                                                                   \
	}
#define LOGIC64(name, e)                                                                           \
	OP(name)                                                                                   \
	{                                                                                          \
		uint64_t a = A64, b = i->n > 2 ? B64 : 0, d = (e);                                 \
                                                                                                   \
		(void)b;                                                                           \
		D64(d);                                                                            \
		w->scc = d != 0;                                                                   \
	}
#define LOGIC(name, e) LOGIC32(name##_b32, e) LOGIC64(name##_b64, e)
LOGIC(s_and, a &b)
LOGIC(s_or, a | b)
LOGIC(s_xor, a ^ b)
LOGIC(s_andn2, a & ~b)
LOGIC(s_orn2, a | ~b)
LOGIC(s_nand, ~(a &b))
LOGIC(s_nor, ~(a | b))
LOGIC(s_xnor, ~(a ^ b))
LOGIC(s_not, ~a)
LOGIC32(s_lshl_b32, a << (b & 31))
LOGIC32(s_lshr_b32, a >> (b & 31))
LOGIC32(s_ashr_i32, (int32_t)a >> (b & 31))
LOGIC32(s_abs_i32, (int32_t)a < 0 ? 0u - a : a)
LOGIC32(s_bcnt1_i32_b32, __builtin_popcount(a))
LOGIC32(s_bcnt0_i32_b32, 32 - __builtin_popcount(a))

#define SHIFT64(name, e)                                                                           \
	OP(name)                                                                                   \
	{                                                                                          \
		uint64_t a = A64, d;                                                               \
		uint32_t b = B32 & 63;                                                             \
                                                                                                   \
		d = (uint64_t)(e);                                                                 \
		D64(d);                                                                            \
		w->scc = d != 0;                                                                   \
	}
SHIFT64(s_lshl_b64, a << b)
SHIFT64(s_lshr_b64, a >> b)
SHIFT64(s_ashr_i64, (int64_t)a >> b)

OP(s_bcnt1_i32_b64)
{
	uint32_t d = (uint32_t)__builtin_popcountll(A64);

	D32(d);
	w->scc = d != 0;
}

/* Fields: the second operand has where in its low bits, and from bit 16 on how many. */
OP(s_bfe)
{
	uint32_t b = B32, n = b >> 16 & 127, at = b & (i->width - 1);
	uint64_t a = i->width == 64 ? A64 : A32, d = 0;

	if (n) {
		n = n > (uint32_t)i->width - at ? (uint32_t)i->width - at : n;
		d = a << (64 - at - n);
		d = i->form ? (uint64_t)((int64_t)d >> (64 - n)) : d >> (64 - n);
	}
	if (i->width == 64)
		D64(d);
	else
		D32(d);
	w->scc = (i->width == 64 ? d : (uint32_t)d) != 0;
}

OP(s_bfm_b32)
{
	D32(((1u << (A32 & 31)) - 1) << (B32 & 31));
}

OP(s_bfm_b64)
{
	D64(((1ull << (A32 & 63)) - 1) << (B32 & 63));
}

OP(s_add_u32)
{
	uint64_t d = (uint64_t)A32 + B32;

	D32(d);
	w->scc = d >> 32 & 1;
}

OP(s_addc_u32)
{
	uint64_t d = (uint64_t)A32 + B32 + w->scc;

	D32(d);
	w->scc = d >> 32 & 1;
}

OP(s_sub_u32)
{
	uint32_t a = A32, b = B32;

	D32(a - b);
	w->scc = b > a;
}

OP(s_subb_u32)
{
	uint64_t a = A32, b = (uint64_t)B32 + w->scc;

	D32(a - b);
	w->scc = b > a;
}

OP(s_add_i32)
{
	int32_t d;
	bool carry = __builtin_add_overflow((int32_t)A32, (int32_t)B32, &d);

	D32(d);
	w->scc = carry;
}

OP(s_sub_i32)
{
	int32_t d;
	bool carry = __builtin_sub_overflow((int32_t)A32, (int32_t)B32, &d);

	D32(d);
	w->scc = carry;
}

/* With a constant of 16 bits. */
static int32_t scalar_short(const struct emu_opnd *o)
{
	return (int16_t)o->imm;
}

OP(s_addk_i32)
{
	int32_t d;

	w->scc = __builtin_add_overflow((int32_t)emu_sget(w, &i->o[0]), scalar_short(&i->o[1]), &d);
	D32(d);
}

OP(s_mulk_i32)
{
	D32(emu_sget(w, &i->o[0]) * (uint32_t)scalar_short(&i->o[1]));
}

OP(s_movk_i32)
{
	D32(scalar_short(&i->o[1]));
}

OP(s_cmovk_i32)
{
	if (w->scc)
		D32(scalar_short(&i->o[1]));
}

#define PLAIN(name, e)                                                                             \
	OP(name)                                                                                   \
	{                                                                                          \
		uint32_t a = A32, b = i->n > 2 ? B32 : 0;                                          \
                                                                                                   \
		(void)b;                                                                           \
		D32(e);                                                                            \
	}
PLAIN(s_mul_i32, a *b)
PLAIN(s_mul_hi_u32, (uint64_t)a *b >> 32)
PLAIN(s_mul_hi_i32, (uint64_t)((int64_t)(int32_t)a *(int32_t)b) >> 32)
PLAIN(s_mov_b32, a)
PLAIN(s_sext_i32_i8, (int8_t)a)
PLAIN(s_sext_i32_i16, (int16_t)a)
PLAIN(s_ff1_i32_b32, a ? __builtin_ctz(a) : -1)
PLAIN(s_flbit_i32_b32, a ? __builtin_clz(a) : -1)
PLAIN(s_pack_ll_b32_b16, (a & 0xffff) | b << 16)
PLAIN(s_pack_lh_b32_b16, (a & 0xffff) | (b & 0xffff0000))
PLAIN(s_pack_hh_b32_b16, a >> 16 | (b & 0xffff0000))
PLAIN(s_cselect_b32, w->scc ? a : b)
PLAIN(s_bitset0_b32, emu_sget(w, &i->o[0]) & ~(1u << (a & 31)))
PLAIN(s_bitset1_b32, emu_sget(w, &i->o[0]) | 1u << (a & 31))

/* One bit of a pair; the form is what it becomes. */
OP(s_bitset_b64)
{
	uint64_t bit = 1ull << (A32 & 63), x = emu_sget64(w, &i->o[0]);

	D64(i->form ? x | bit : x & ~bit);
}

OP(s_brev_b32)
{
	uint32_t a = A32, d = 0;

	for (unsigned k = 0; k < 32; k++)
		d |= (a >> k & 1) << (31 - k);
	D32(d);
}

OP(s_brev_b64)
{
	uint64_t a = A64, d = 0;

	for (unsigned k = 0; k < 64; k++)
		d |= (a >> k & 1) << (63 - k);
	D64(d);
}

OP(s_ff1_i32_b64)
{
	uint64_t a = A64;

	D32(a ? __builtin_ctzll(a) : -1);
}

OP(s_flbit_i32_b64)
{
	uint64_t a = A64;

	D32(a ? __builtin_clzll(a) : -1);
}

OP(s_mov_b64)
{
	D64(A64);
}

OP(s_cmov_b32)
{
	if (w->scc)
		D32(A32);
}

OP(s_cmov_b64)
{
	if (w->scc)
		D64(A64);
}

OP(s_cselect_b64)
{
	D64(w->scc ? A64 : B64);
}

#define PICK(name, type, op)                                                                       \
	OP(name)                                                                                   \
	{                                                                                          \
		type a = (type)A32, b = (type)B32;                                                 \
                                                                                                   \
		D32(a op b ? a : b);                                                               \
		w->scc = a op b;                                                                   \
	}
PICK(s_min_i32, int32_t, <)
PICK(s_max_i32, int32_t, >)
PICK(s_min_u32, uint32_t, <)
PICK(s_max_u32, uint32_t, >)

/* The first operand times 2, 4, 8 or 16, plus the second. */
OP(s_lshl_add)
{
	uint64_t d = ((uint64_t)A32 << i->form) + B32;

	D32(d);
	w->scc = d >> 32 != 0;
}

enum {
	EXEC_AND = 1,
	EXEC_OR,
	EXEC_XOR,
	EXEC_ANDN2,
	EXEC_ORN2,
	EXEC_NAND,
	EXEC_NOR,
	EXEC_XNOR,
	EXEC_ANDN1,
	EXEC_ORN1
};

OP(s_saveexec)
{
	uint64_t a = A64, x = emu_exec(w), d = 0;

	switch (i->form) {
	case EXEC_AND:
		d = a & x;
		break;
	case EXEC_OR:
		d = a | x;
		break;
	case EXEC_XOR:
		d = a ^ x;
		break;
	case EXEC_ANDN2:
		d = a & ~x;
		break;
	case EXEC_ORN2:
		d = a | ~x;
		break;
	case EXEC_NAND:
		d = ~(a & x);
		break;
	case EXEC_NOR:
		d = ~(a | x);
		break;
	case EXEC_XNOR:
		d = ~(a ^ x);
		break;
	case EXEC_ANDN1:
		d = ~a & x;
		break;
	case EXEC_ORN1:
		d = ~a | x;
		break;
	default:
		emu_stop(w, i, "a saveexec that is not known");
	}
	D64(i->width ? d : x); /* _wrexec gives the new one */
	emu_s64_set(w, EMU_EXEC, d);
	w->scc = d != 0;
}

/* s_cmp_lt_i32, s_cmpk_lt_i32, s_cmp_eq_u64. */
enum { CMP_EQ = 1, CMP_LG, CMP_GT, CMP_GE, CMP_LT, CMP_LE };

OP(s_cmp)
{
	int64_t a, b;

	if (i->width == 64) {
		w->scc =
			(emu_sget64(w, &i->o[0]) == emu_sget64(w, &i->o[1])) == (i->form == CMP_EQ);
		return;
	}
	a = emu_sget(w, &i->o[0]);
	b = emu_sget(w, &i->o[1]);
	if (i->name[5] == 'k') /* s_cmpk: a constant of 16 bits */
		b = i->width < 0 ? (uint32_t)scalar_short(&i->o[1]) : (uint16_t)b;
	if (i->width < 0) {
		a = (int32_t)a;
		b = (int32_t)b;
	}
	switch (i->form) {
	case CMP_EQ:
		w->scc = a == b;
		break;
	case CMP_LG:
		w->scc = a != b;
		break;
	case CMP_GT:
		w->scc = a > b;
		break;
	case CMP_GE:
		w->scc = a >= b;
		break;
	case CMP_LT:
		w->scc = a < b;
		break;
	case CMP_LE:
		w->scc = a <= b;
		break;
	default:
		emu_stop(w, i, "a comparison that is not known");
	}
}

OP(s_bitcmp)
{
	uint32_t at = emu_sget(w, &i->o[1]);
	bool set = i->width == 64 ? emu_sget64(w, &i->o[0]) >> (at & 63) & 1 :
				    emu_sget(w, &i->o[0]) >> (at & 31) & 1;

	w->scc = set == (i->form == 1);
}

OP(s_load)
{
	uint64_t at = A64 + (uint64_t)(int64_t)i->offset;

	at += i->o[2].kind == EMU_SGPR ? emu_sget(w, &i->o[2]) : (uint64_t)(int32_t)i->o[2].imm;
	emu_scalar_load(w, i, at & ~3ull, &w->s[i->o[0].reg], (unsigned)i->width);
}

#define E(name)	 { #name, name, 0, 0 }
#define E2(name) E(name##_b32), E(name##_b64)
#define EXEC(name, f)                                                                              \
	{ "s_" name "_saveexec_b64", s_saveexec, f, 0 },                                           \
		{ "s_" name "_wrexec_b64", s_saveexec, f, 1 }
#define CMP(name, f)                                                                               \
	{ "s_cmp_" name "_u32", s_cmp, f, 32 }, { "s_cmp_" name "_i32", s_cmp, f, -32 },           \
		{ "s_cmpk_" name "_u32", s_cmp, f, 32 }, { "s_cmpk_" name "_i32", s_cmp, f, -32 }

static const struct emu_entry scalar[] = {
	E2(s_and),
	E2(s_or),
	E2(s_xor),
	E2(s_andn2),
	E2(s_orn2),
	E2(s_nand),
	E2(s_nor),
	E2(s_xnor),
	E2(s_not),
	E(s_lshl_b32),
	E(s_lshr_b32),
	E(s_ashr_i32),
	E(s_lshl_b64),
	E(s_lshr_b64),
	E(s_ashr_i64),
	E(s_abs_i32),
	E(s_bcnt1_i32_b32),
	E(s_bcnt0_i32_b32),
	E(s_bcnt1_i32_b64),
	{ "s_bfe_u32", s_bfe, 0, 32 },
	{ "s_bfe_i32", s_bfe, 1, 32 },
	{ "s_bfe_u64", s_bfe, 0, 64 },
	{ "s_bfe_i64", s_bfe, 1, 64 },
	E2(s_bfm),
	E(s_add_u32),
	E(s_addc_u32),
	E(s_sub_u32),
	E(s_subb_u32),
	E(s_add_i32),
	E(s_sub_i32),
	E(s_addk_i32),
	E(s_mulk_i32),
	E(s_movk_i32),
	E(s_cmovk_i32),
	E(s_mul_i32),
	E(s_mul_hi_u32),
	E(s_mul_hi_i32),
	E2(s_mov),
	E2(s_cmov),
	E2(s_cselect),
	E(s_sext_i32_i8),
	E(s_sext_i32_i16),
	E(s_ff1_i32_b32),
	E(s_ff1_i32_b64),
	E(s_flbit_i32_b32),
	E(s_flbit_i32_b64),
	E2(s_brev),
	E(s_pack_ll_b32_b16),
	E(s_pack_lh_b32_b16),
	E(s_pack_hh_b32_b16),
	E(s_bitset0_b32),
	E(s_bitset1_b32),
	{ "s_bitset0_b64", s_bitset_b64, 0, 0 },
	{ "s_bitset1_b64", s_bitset_b64, 1, 0 },
	E(s_min_i32),
	E(s_max_i32),
	E(s_min_u32),
	E(s_max_u32),
	{ "s_lshl1_add_u32", s_lshl_add, 1, 0 },
	{ "s_lshl2_add_u32", s_lshl_add, 2, 0 },
	{ "s_lshl3_add_u32", s_lshl_add, 3, 0 },
	{ "s_lshl4_add_u32", s_lshl_add, 4, 0 },
	EXEC("and", EXEC_AND),
	EXEC("or", EXEC_OR),
	EXEC("xor", EXEC_XOR),
	EXEC("andn2", EXEC_ANDN2),
	EXEC("orn2", EXEC_ORN2),
	EXEC("nand", EXEC_NAND),
	EXEC("nor", EXEC_NOR),
	EXEC("xnor", EXEC_XNOR),
	EXEC("andn1", EXEC_ANDN1),
	EXEC("orn1", EXEC_ORN1),
	CMP("eq", CMP_EQ),
	CMP("lg", CMP_LG),
	CMP("gt", CMP_GT),
	CMP("ge", CMP_GE),
	CMP("lt", CMP_LT),
	CMP("le", CMP_LE),
	{ "s_cmp_eq_u64", s_cmp, CMP_EQ, 64 },
	{ "s_cmp_lg_u64", s_cmp, CMP_LG, 64 },
	{ "s_bitcmp0_b32", s_bitcmp, 2, 32 },
	{ "s_bitcmp1_b32", s_bitcmp, 1, 32 },
	{ "s_bitcmp0_b64", s_bitcmp, 2, 64 },
	{ "s_bitcmp1_b64", s_bitcmp, 1, 64 },
	{ "s_load_dword", s_load, 0, 1 },
	{ "s_load_dwordx2", s_load, 0, 2 },
	{ "s_load_dwordx4", s_load, 0, 4 },
	{ "s_load_dwordx8", s_load, 0, 8 },
	{ "s_load_dwordx16", s_load, 0, 16 },
};

emu_op *emu_find_scalar(struct emu_insn *i)
{
	return EMU_FIND(i, scalar);
}
