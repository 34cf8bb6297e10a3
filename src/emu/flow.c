// SPDX-License-Identifier: MIT
/* What decides where a wave goes on, and when: branches, calls, barriers, clocks and modes. */
#include "emu/cache.h"
#include "emu/pending.h"

#include <stdlib.h>
#include <time.h>

#define OP(name) static void name(struct emu_wave *w, const struct emu_insn *i)
#define D32(x)	 emu_sset(w, &i->o[0], (uint32_t)(x))
#define D64(x)	 emu_sset64(w, &i->o[0], (uint64_t)(x))

/* Distances are words from the next instruction. */
static uint64_t flow_target(const struct emu_insn *i, unsigned k)
{
	return i->pc + 4 + 4 * (uint64_t)(int64_t)(int16_t)i->o[k].imm;
}

#define BRANCH(name, cond)                                                                         \
	OP(name)                                                                                   \
	{                                                                                          \
		if (cond)                                                                          \
			w->next = flow_target(i, 0);                                               \
	}
BRANCH(s_branch, true)
BRANCH(s_cbranch_scc0, !w->scc)
BRANCH(s_cbranch_scc1, w->scc)
BRANCH(s_cbranch_vccz, !emu_s64(w, EMU_VCC))
BRANCH(s_cbranch_vccnz, emu_s64(w, EMU_VCC))
BRANCH(s_cbranch_execz, !emu_exec(w))
BRANCH(s_cbranch_execnz, emu_exec(w))

OP(s_getpc_b64)
{
	D64(w->next);
}

OP(s_setpc_b64)
{
	w->next = emu_sget64(w, &i->o[0]);
}

OP(s_swappc_b64)
{
	uint64_t to = emu_sget64(w, &i->o[1]);

	D64(w->next);
	w->next = to;
}

OP(s_call_b64)
{
	D64(w->next);
	w->next = flow_target(i, 1);
}

OP(s_endpgm)
{
	(void)i;
	w->done = true;
}

OP(s_barrier)
{
	(void)i;
	w->at_barrier = true;
}

/* Others may run: whoever sleeps waits for something. */
OP(s_sleep)
{
	(void)i;
	w->yields = true;
}

OP(s_nothing)
{
	(void)w;
	(void)i;
}

/* Scalar loads and LDS are not kept waiting: only vmcnt has something to wait for. */
OP(s_waitcnt)
{
	const char *t = strstr(i->text, "vmcnt(");

	/* One at a time, and others have their turn in between. */
	if (t && emu_perform_one(w, (unsigned)atoi(t + 6))) {
		w->next = w->pc;
		w->yields = emu_chance(&w->group->adversary->random, 4);
	}
}

OP(buffer_inv)
{
	if (w->group->unit)
		emu_cache_invalidate(w->group->unit, !i->sc1 ? EMU_SCOPE_WAVE :
						     i->sc0  ? EMU_SCOPE_SYSTEM :
							       EMU_SCOPE_DEVICE);
}

/* Up to the scope of the device its cache is one for all. */
OP(buffer_wbl2)
{
	if (i->sc0 && i->sc1)
		emu_issue_write_back(w, i);
}

OP(s_dcache_inv)
{
	(void)i;
	if (w->group->unit)
		emu_cache_invalidate_scalar(w->group->unit);
}

OP(s_trap)
{
	emu_stop(w, i, "trap");
}

/* A clock of 100 MHz. */
OP(s_memtime)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	w->yields = true; /* whoever looks at the clock waits, as a rule */
	D64((uint64_t)t.tv_sec * 100000000 + (uint64_t)t.tv_nsec / 10);
}

/* Of the hardware's registers there is MODE; the number of the XCD, for one, is 0. */
static uint32_t flow_hwreg_mask(const struct emu_opnd *o)
{
	unsigned n = o->imm >> 8;

	return (n >= 32 ? ~0u : (1u << n) - 1) << (o->imm & 0xff);
}

OP(s_getreg_b32)
{
	const struct emu_opnd *o = &i->o[1];

	D32(o->reg ? (w->mode & flow_hwreg_mask(o)) >> (o->imm & 0xff) : 0);
}

OP(s_setreg)
{
	const struct emu_opnd *o = &i->o[0];
	uint32_t mask = flow_hwreg_mask(o);

	if (o->reg)
		w->mode = (w->mode & ~mask) | (emu_sget(w, &i->o[1]) << (o->imm & 0xff) & mask);
}

#define E(name) { #name, name, 0, 0 }
static const struct emu_entry flow[] = {
	E(s_branch),
	E(s_cbranch_scc0),
	E(s_cbranch_scc1),
	E(s_cbranch_vccz),
	E(s_cbranch_vccnz),
	E(s_cbranch_execz),
	E(s_cbranch_execnz),
	E(s_getpc_b64),
	E(s_setpc_b64),
	E(s_swappc_b64),
	E(s_call_b64),
	E(s_endpgm),
	E(s_barrier),
	E(s_sleep),
	E(s_trap),
	E(s_memtime),
	{ "s_memrealtime", s_memtime, 0, 0 },
	E(s_getreg_b32),
	{ "s_setreg_b32", s_setreg, 0, 0 },
	{ "s_setreg_imm32_b32", s_setreg, 0, 0 },
	E(s_waitcnt),
	E(buffer_inv),
	E(buffer_wbl2),
	E(s_dcache_inv),
	/* Without pipelines there is nothing to do. */
	{ "s_nop", s_nothing, 0, 0 },
	{ "s_setprio", s_nothing, 0, 0 },
	{ "s_icache_inv", s_nothing, 0, 0 },
	{ "s_sethalt", s_nothing, 0, 0 },
	{ "s_sendmsg", s_nothing, 0, 0 },
	{ "v_nop", s_nothing, 0, 0 },
	{ "buffer_wbinvl1_vol", s_nothing, 0, 0 },
	{ "buffer_wbinvl1", s_nothing, 0, 0 },
	{ "buffer_invl2", s_nothing, 0, 0 },
	{ "s_dcache_wb", s_nothing, 0, 0 },
};

emu_op *emu_find_flow(struct emu_insn *i)
{
	return EMU_FIND(i, flow);
}
