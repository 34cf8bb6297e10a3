// SPDX-License-Identifier: MIT
/* The LDS of a block: reads, writes, atomics, and reads that transpose. */
#include "emu/memory.h"

#include <stdio.h>

#define OP(name) static void name(struct emu_wave *w, const struct emu_insn *i)

static void *lds_at(struct emu_wave *w, const struct emu_insn *i, uint32_t addr, unsigned len)
{
	return emu_at(w, i, EMU_LDS_BASE | addr, 0, len);
}

/* form: 1 with a sign, 2 and 4 for the lower and the upper half of a register that keeps the other. */
OP(ds_read)
{
	const uint32_t *addr = emu_row(w, &i->o[1], 0);
	unsigned len = (unsigned)i->width;
	uint32_t words[4];

	EMU_EACH(l)
	{
		uint32_t *row = emu_row(w, &i->o[0], 0);
		void *p;

		if (!(w->lanes >> l & 1))
			continue;
		p = lds_at(w, i, addr[l] + (uint32_t)i->offset, len);
		if (len >= 4) {
			memcpy(words, p, len);
			for (unsigned k = 0; k < len / 4; k++)
				emu_row(w, &i->o[0], k)[l] = words[k];
			continue;
		}
		words[0] = 0;
		memcpy(words, p, len);
		if (i->form & 1)
			words[0] =
				len == 1 ? (uint32_t)(int8_t)words[0] : (uint32_t)(int16_t)words[0];
		row[l] = i->form & 2 ? (row[l] & 0xffff0000) | (words[0] & 0xffff) :
			 i->form & 4 ? (row[l] & 0xffff) | words[0] << 16 :
				       words[0];
	}
}

OP(ds_write)
{
	const uint32_t *addr = emu_row(w, &i->o[0], 0);
	unsigned len = (unsigned)i->width;
	uint32_t words[4] = { 0 };

	EMU_EACH(l)
	{
		void *p;

		if (!(w->lanes >> l & 1))
			continue;
		for (unsigned k = 0; k < (len + 3) / 4; k++)
			words[k] = emu_row(w, &i->o[1], k)[l];
		if (i->form & 4)
			words[0] >>= 16;
		p = lds_at(w, i, addr[l] + (uint32_t)i->offset, len);
		memcpy(p, words, len);
	}
}

/* Two places, whose distances count in words of their size, or in 64 of them; form: how many. */
OP(ds_read2)
{
	const uint32_t *addr = emu_row(w, &i->o[1], 0);
	unsigned len = (unsigned)i->width, unit = len * (unsigned)i->form;
	uint32_t words[4];

	EMU_EACH(l)
	{
		if (!(w->lanes >> l & 1))
			continue;
		memcpy(words, lds_at(w, i, addr[l] + i->offset0 * unit, len), len);
		memcpy((char *)words + len, lds_at(w, i, addr[l] + i->offset1 * unit, len), len);
		for (unsigned k = 0; k < len / 2; k++)
			emu_row(w, &i->o[0], k)[l] = words[k];
	}
}

OP(ds_write2)
{
	const uint32_t *addr = emu_row(w, &i->o[0], 0);
	unsigned len = (unsigned)i->width, unit = len * (unsigned)i->form;

	EMU_EACH(l)
	{
		if (!(w->lanes >> l & 1))
			continue;
		for (unsigned half = 0; half < 2; half++) {
			uint32_t words[2];

			for (unsigned k = 0; k < len / 4; k++)
				words[k] = emu_row(w, &i->o[1 + half], k)[l];
			memcpy(lds_at(w, i, addr[l] + (half ? i->offset1 : i->offset0) * unit, len),
			       words, len);
		}
	}
}

/* Elements of @width bytes: 16 lanes read rows of a tile, and each gets a column of it. */
OP(ds_read_tr)
{
	const uint32_t *addr = emu_row(w, &i->o[1], 0);
	unsigned size = (unsigned)i->width, per_lane = 8 / size, lanes = 16 / per_lane;
	uint8_t in[EMU_LANES][8], out[EMU_LANES][8];

	EMU_EACH(l)
	if (w->lanes >> l & 1)
		memcpy(in[l], lds_at(w, i, addr[l] + (uint32_t)i->offset, 8), 8);
	EMU_EACH(l)
	{
		for (unsigned e = 0; e < per_lane; e++) {
			unsigned from = (l & ~15u) + lanes * e + l % 16 / per_lane;

			memcpy(out[l] + e * size, in[from] + l % per_lane * size, size);
		}
	}
	EMU_EACH(l)
	if (w->lanes >> l & 1)
		for (unsigned k = 0; k < 2; k++)
			memcpy(&emu_row(w, &i->o[0], k)[l], out[l] + 4 * k, 4);
}

/* ds_add_u32 v0, v1 and ds_add_rtn_u32 v0, v1, v2; width 8: of 64 bits. */
OP(ds_atomic)
{
	bool gives = strstr(i->name, "_rtn") != NULL;
	unsigned len = (unsigned)i->width, words = len / 4;
	const uint32_t *addr = emu_row(w, &i->o[gives], 0);

	EMU_EACH(l)
	{
		uint64_t x[2] = { 0 }, old;

		if (!(w->lanes >> l & 1))
			continue;
		for (unsigned k = 0; k < words * (i->form == EMU_CAS ? 2 : 1); k++)
			x[k / words] |=
				(uint64_t)emu_row(w, &i->o[gives + 1 + k / words], k % words)[l]
				<< 32 * (k % words);
		/* The number to compare with comes first here. */
		old = emu_rmw(lds_at(w, i, addr[l] + (uint32_t)i->offset, len), len,
			      (enum emu_rmw)i->form, i->form == EMU_CAS ? x[1] : x[0], x[0]);
		for (unsigned k = 0; gives && k < words; k++)
			emu_row(w, &i->o[0], k)[l] = (uint32_t)(k ? old >> 32 : old);
	}
}

#define READ(name, form, width)	 { "ds_read_" name, ds_read, form, width }
#define WRITE(name, form, width) { "ds_write_" name, ds_write, form, width }
#define TWO(name, unit, width)                                                                     \
	{ "ds_read2" name, ds_read2, unit, width },                                                \
	{                                                                                          \
		"ds_write2" name, ds_write2, unit, width                                           \
	}
#define RMW1(name, op, width) { "ds_" name, ds_atomic, op, width }
#define RMW(verb, type, op)                                                                        \
	RMW1(verb "_" type "32", op, 4), RMW1(verb "_rtn_" type "32", op, 4),                      \
		RMW1(verb "_" type "64", op, 8), RMW1(verb "_rtn_" type "64", op, 8)

static const struct emu_entry lds[] = {
	READ("b32", 0, 4),
	READ("b64", 0, 8),
	READ("b96", 0, 12),
	READ("b128", 0, 16),
	READ("u8", 0, 1),
	READ("i8", 1, 1),
	READ("u16", 0, 2),
	READ("i16", 1, 2),
	READ("u8_d16", 2, 1),
	READ("u8_d16_hi", 4, 1),
	READ("i8_d16", 3, 1),
	READ("i8_d16_hi", 5, 1),
	READ("u16_d16", 2, 2),
	READ("u16_d16_hi", 4, 2),
	WRITE("b8", 0, 1),
	WRITE("b16", 0, 2),
	WRITE("b8_d16_hi", 4, 1),
	WRITE("b16_d16_hi", 4, 2),
	WRITE("b32", 0, 4),
	WRITE("b64", 0, 8),
	WRITE("b96", 0, 12),
	WRITE("b128", 0, 16),
	TWO("_b32", 1, 4),
	TWO("_b64", 1, 8),
	TWO("st64_b32", 64, 4),
	TWO("st64_b64", 64, 8),
	{ "ds_read_b64_tr_b16", ds_read_tr, 0, 2 },
	{ "ds_read_b64_tr_b8", ds_read_tr, 0, 1 },
	RMW("add", "u", EMU_ADD),
	RMW("sub", "u", EMU_SUB),
	RMW("wrxchg", "b", EMU_SWAP),
	RMW("cmpst", "b", EMU_CAS),
	RMW("and", "b", EMU_AND),
	RMW("or", "b", EMU_OR),
	RMW("xor", "b", EMU_XOR),
	RMW("min", "i", EMU_SMIN),
	RMW("max", "i", EMU_SMAX),
	RMW("min", "u", EMU_UMIN),
	RMW("max", "u", EMU_UMAX),
	RMW("inc", "u", EMU_INC),
	RMW("dec", "u", EMU_DEC),
	RMW1("add_f32", EMU_ADD_F32, 4),
	RMW1("add_rtn_f32", EMU_ADD_F32, 4),
	RMW1("add_f64", EMU_ADD_F64, 8),
	RMW1("add_rtn_f64", EMU_ADD_F64, 8),
};

emu_op *emu_find_lds(struct emu_insn *i)
{
	return EMU_FIND(i, lds);
}
