// SPDX-License-Identifier: MIT
/* Instructions that move values between lanes, and between scalar and vector registers. */
#include "emu/wave.h"

#define OP(name) static void name(struct emu_wave *w, const struct emu_insn *i)

/* The first lane that is on; lane 0 if none is. */
OP(v_readfirstlane_b32)
{
	uint64_t exec = emu_exec(w);
	uint32_t buf[EMU_LANES];

	emu_sset(w, &i->o[0], emu_src(w, i, 1, buf)[exec ? __builtin_ctzll(exec) : 0]);
}

OP(v_readlane_b32)
{
	uint32_t buf[EMU_LANES];

	emu_sset(w, &i->o[0], emu_src(w, i, 1, buf)[emu_sget(w, &i->o[2]) & 63]);
}

OP(v_writelane_b32)
{
	emu_row(w, &i->o[0], 0)[emu_sget(w, &i->o[2]) & 63] = emu_sget(w, &i->o[1]);
}

/* How many bits of a mask lie below the lane, of its lower and its upper half. */
OP(v_mbcnt)
{
	uint32_t buf[2][EMU_LANES], d[EMU_LANES];
	const uint32_t *x = emu_src(w, i, 1, buf[0]), *y = emu_src(w, i, 2, buf[1]);

	EMU_EACH(l)
	{
		uint64_t below = (1ull << l) - 1;

		d[l] = (uint32_t)__builtin_popcount(x[l] &
						    (uint32_t)(i->form ? below >> 32 : below)) +
		       y[l];
	}
	emu_dst(w, i, 0, d);
}

OP(v_accvgpr)
{
	uint32_t buf[EMU_LANES];

	emu_dst(w, i, 0, emu_src(w, i, 1, buf));
}

/* Rows of lanes change places between two registers. */
OP(v_permlane_swap)
{
	uint32_t *x = emu_row(w, &i->o[0], 0), *y = emu_row(w, &i->o[1], 0), t;

	EMU_EACH(l)
	{
		unsigned half = (unsigned)i->form;

		if (l & half)
			continue;
		t = x[l | half];
		x[l | half] = y[l];
		y[l] = t;
	}
}

OP(v_swap_b32)
{
	uint32_t *x = emu_row(w, &i->o[0], 0), *y = emu_row(w, &i->o[1], 0), t;

	EMU_EACH(l)
	{
		if (!(w->lanes >> l & 1))
			continue;
		t = x[l];
		x[l] = y[l];
		y[l] = t;
	}
}

/* Lane l takes from the lane whose number, times 4, it has. */
OP(ds_bpermute_b32)
{
	const uint32_t *at = emu_row(w, &i->o[1], 0), *from = emu_row(w, &i->o[2], 0);
	uint64_t exec = emu_exec(w);
	uint32_t d[EMU_LANES];

	EMU_EACH(l)
	{
		unsigned lane = (at[l] + (uint32_t)i->offset) / 4 & 63;

		d[l] = exec >> lane & 1 ? from[lane] : 0;
	}
	emu_dst(w, i, 0, d);
}

/* Lane l gives to the lane whose number, times 4, it has. */
OP(ds_permute_b32)
{
	const uint32_t *at = emu_row(w, &i->o[1], 0), *from = emu_row(w, &i->o[2], 0);
	uint32_t d[EMU_LANES] = { 0 };

	EMU_EACH(l)
	if (w->lanes >> l & 1)
		d[(at[l] + (uint32_t)i->offset) / 4 & 63] = from[l];
	emu_dst(w, i, 0, d);
}

#define E(name) { #name, name, 0, 0 }
static const struct emu_entry cross[] = {
	E(v_readfirstlane_b32),
	E(v_readlane_b32),
	E(v_writelane_b32),
	{ "v_mbcnt_lo_u32_b32", v_mbcnt, 0, 0 },
	{ "v_mbcnt_hi_u32_b32", v_mbcnt, 1, 0 },
	{ "v_accvgpr_read_b32", v_accvgpr, 0, 0 },
	{ "v_accvgpr_write_b32", v_accvgpr, 0, 0 },
	{ "v_accvgpr_mov_b32", v_accvgpr, 0, 0 },
	{ "v_permlane32_swap_b32", v_permlane_swap, 32, 0 },
	{ "v_permlane16_swap_b32", v_permlane_swap, 16, 0 },
	E(v_swap_b32),
	E(ds_bpermute_b32),
	E(ds_permute_b32),
};

emu_op *emu_find_cross(struct emu_insn *i)
{
	return EMU_FIND(i, cross);
}
