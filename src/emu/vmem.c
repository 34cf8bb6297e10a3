// SPDX-License-Identifier: MIT
/* Vector memory: flat, global, scratch and buffer instructions. */
#include "emu/memory.h"
#include "emu/pending.h"

#define OP(name) static void name(struct emu_wave *w, const struct emu_insn *i)

/* What is in i->form: the kind of address, and how a part of a register is used. */
enum { FLAT, GLOBAL, SCRATCH, BUFFER, KIND = 3, SIGNED = 4, D16 = 8, HIGH = 16, RMW = 5 };

/* A buffer's description leads to scratch where the code takes it from s[0:3], as gfx90a does. */
static uint64_t vmem_buffer_base(const struct emu_wave *w, const struct emu_opnd *o)
{
	return emu_s64(w, o->reg) & 0xffffffffffffull;
}

/* The first of the operands that make the address; the next is a scalar base, if there is one. */
static void vmem_addresses(struct emu_wave *w, const struct emu_insn *i, unsigned at, unsigned base,
			   uint64_t out[EMU_LANES])
{
	const struct emu_opnd *v = &i->o[at], *s = base < i->n ? &i->o[base] : NULL;
	bool scalar = s && s->kind == EMU_SGPR, vector = v->kind == EMU_VGPR;
	const uint32_t *low = vector ? emu_row(w, v, 0) : NULL;
	uint64_t add = (uint64_t)(int64_t)i->offset;

	switch (i->form & KIND) {
	case SCRATCH:
		add += EMU_SCRATCH_BASE + (scalar ? w->s[s->reg] : 0);
		break;
	case BUFFER:
		add += vmem_buffer_base(w, &i->o[base]) +
		       (base + 1 < i->n ? emu_sget(w, &i->o[base + 1]) : 0);
		vector &= i->offen;
		break;
	default:
		if (scalar)
			add += emu_s64(w, s->reg);
	}
	EMU_EACH(l)
	{
		uint64_t a = vector ? low[l] : 0;

		if (vector && !scalar && (i->form & KIND) < SCRATCH)
			a |= (uint64_t)emu_row(w, v, 1)[l] << 32;
		out[l] = a + add;
	}
}

/* Whether all of @len bytes are in the buffer; scratch has none to ask. */
static bool vmem_buffer_has(struct emu_wave *w, const struct emu_insn *i, unsigned rsrc,
			    uint64_t addr)
{
	const struct emu_opnd *o = &i->o[rsrc];
	uint64_t base = vmem_buffer_base(w, o);

	return addr - base + (uint64_t)i->width <= w->s[o->reg + 2];
}

/* The code names scratch by a resource whose base is that of scratch. */
static void vmem_to_scratch(struct emu_wave *w, const struct emu_insn *i, unsigned rsrc,
			    uint64_t a[])
{
	uint64_t base = vmem_buffer_base(w, &i->o[rsrc]), scratch = EMU_SCRATCH_BUFFER;

	if (base < scratch || base - scratch > UINT32_MAX)
		return;
	EMU_EACH(l)
	a[l] = a[l] - scratch + EMU_SCRATCH_BASE;
}

static bool vmem_skips(struct emu_wave *w, const struct emu_insn *i, unsigned rsrc, uint64_t addr)
{
	return (i->form & KIND) == BUFFER && addr >> 32 != EMU_SCRATCH_BASE >> 32 &&
	       !vmem_buffer_has(w, i, rsrc, addr);
}

static uint32_t vmem_part(const struct emu_insn *i, uint32_t old, uint32_t x)
{
	if (i->form & SIGNED)
		x = i->width == 1 ? (uint32_t)(int8_t)x : (uint32_t)(int16_t)x;
	if (!(i->form & D16))
		return x;
	return i->form & HIGH ? (old & 0xffff) | x << 16 : (old & 0xffff0000) | (x & 0xffff);
}

/* The lanes whose address is in the buffer: of others nothing is stored, and zeros are loaded. */
static uint64_t vmem_lanes_in(struct emu_wave *w, const struct emu_insn *i, unsigned rsrc,
			      const uint64_t a[EMU_LANES])
{
	uint64_t in = 0;

	EMU_EACH(l)
	in |= (uint64_t)!vmem_skips(w, i, rsrc, a[l]) << l;
	return in;
}

static void vmem_load(struct emu_wave *w, const struct emu_access *a)
{
	const struct emu_insn *i = a->i;
	size_t len = (size_t)i->width;
	uint32_t words[4] = { 0 };
	const uint64_t *read = NULL; /* the address that words are from */

	EMU_EACH(l)
	{
		uint32_t first;

		if (!(a->lanes >> l & 1))
			continue;
		/* One access for neighbours with one address: compilers take their values as equal. */
		if (!(a->in >> l & 1)) {
			memset(words, 0, sizeof(words));
			read = NULL;
		} else if (!read || *read != a->at[l] || a->at[l] >> 32 == EMU_SCRATCH_BASE >> 32) {
			words[0] = 0;
			emu_read(w, i, a->at[l], l, words, len);
			read = &a->at[l];
		}
		first = len < 4 ? vmem_part(i, emu_row(w, &i->o[0], 0)[l], words[0]) : words[0];
		emu_row(w, &i->o[0], 0)[l] = first;
		for (unsigned k = 1; k < (len + 3) / 4; k++)
			emu_row(w, &i->o[0], k)[l] = words[k];
	}
}

OP(v_load)
{
	struct emu_access a = { .i = i, .perform = vmem_load, .lanes = w->lanes };

	vmem_addresses(w, i, 1, 2, a.at);
	if ((i->form & KIND) == BUFFER)
		vmem_to_scratch(w, i, 2, a.at);
	a.in = vmem_lanes_in(w, i, 2, a.at);
	emu_issue(w, &a);
}

static void vmem_store(struct emu_wave *w, const struct emu_access *a)
{
	EMU_EACH(l)
	{
		uint32_t words[4];

		if (!((a->lanes & a->in) >> l & 1))
			continue;
		for (unsigned k = 0; k < 4; k++)
			words[k] = a->data[k][l];
		emu_write(w, a->i, a->at[l], l, words, (size_t)a->i->width);
	}
}

/* The data leave their registers when a store or an atomic is issued. */
static void vmem_take_data(struct emu_wave *w, struct emu_access *a, unsigned opnd, unsigned words)
{
	for (unsigned k = 0; k < words; k++)
		memcpy(a->data[k], emu_row(w, &a->i->o[opnd], k), sizeof(a->data[k]));
}

OP(v_store)
{
	bool buffer = (i->form & KIND) == BUFFER;
	unsigned at = buffer ? 1 : 0, data = buffer ? 0 : 1;
	struct emu_access a = { .i = i, .perform = vmem_store, .lanes = w->lanes };

	vmem_addresses(w, i, at, 2, a.at);
	if (buffer)
		vmem_to_scratch(w, i, 2, a.at);
	a.in = vmem_lanes_in(w, i, 2, a.at);
	vmem_take_data(w, &a, data, ((unsigned)i->width + 3) / 4);
	if (i->width < 4 && i->form & HIGH)
		EMU_EACH(l)
	a.data[0][l] >>= 16;
	emu_issue(w, &a);
}

/* Straight into LDS: from M0 on, lane by lane. */
OP(v_load_lds)
{
	struct emu_access a = { .i = i, .lanes = w->lanes };
	unsigned len = (unsigned)i->width;

	vmem_addresses(w, i, 0, 1, a.at);
	a.in = vmem_lanes_in(w, i, 1, a.at);
	emu_perform_before(w, &a);
	EMU_EACH(l)
	{
		uint32_t words[4] = { 0 };

		if (!(w->lanes >> l & 1))
			continue;
		if (a.in >> l & 1)
			emu_read(w, i, a.at[l], l, words, len);
		/* The constant counts on both sides. */
		memcpy(emu_at(w, i,
			      EMU_LDS_BASE +
				      (uint32_t)(w->s[EMU_M0] + (uint32_t)i->offset + l * len),
			      l, len),
		       words, len);
	}
}

static bool vmem_gives(const struct emu_insn *i)
{
	return i->sc0 || i->glc;
}

static void vmem_atomic(struct emu_wave *w, const struct emu_access *a)
{
	const struct emu_insn *i = a->i;
	enum emu_rmw op = (enum emu_rmw)(i->form >> RMW);
	unsigned len = (unsigned)i->width, words = len / 4;

	EMU_EACH(l)
	{
		uint64_t x[2] = { 0 }, old;

		if (!((a->lanes & a->in) >> l & 1))
			continue;
		for (unsigned k = 0; k < (op == EMU_CAS ? 2 : 1) * words; k++)
			x[k / words] |= (uint64_t)a->data[k][l] << 32 * (k % words);
		old = emu_modify(w, i, a->at[l], l, len, op, x[0], x[1]);
		for (unsigned k = 0; vmem_gives(i) && k < words; k++)
			emu_row(w, &i->o[0], k)[l] = (uint32_t)(k ? old >> 32 : old);
	}
}

OP(v_atomic)
{
	bool buffer = (i->form & KIND) == BUFFER;
	unsigned at = buffer ? 1 : vmem_gives(i), data = buffer ? 0 : at + 1;
	unsigned base = buffer ? 2 : data + 1, words = (unsigned)i->width / 4;
	struct emu_access a = { .i = i, .perform = vmem_atomic, .lanes = w->lanes };

	vmem_addresses(w, i, at, base, a.at);
	a.in = vmem_lanes_in(w, i, base, a.at);
	vmem_take_data(w, &a, data, i->form >> RMW == EMU_CAS ? 2 * words : words);
	emu_issue(w, &a);
}

/* Names of parts: what follows load_ or store_. */
static bool vmem_read_part(const char *t, struct emu_insn *i)
{
	static const struct {
		const char *name;
		int width, form;
	} names[] = {
		{ "dword", 4, 0 },
		{ "dwordx2", 8, 0 },
		{ "dwordx3", 12, 0 },
		{ "dwordx4", 16, 0 },
		{ "ubyte", 1, 0 },
		{ "sbyte", 1, SIGNED },
		{ "ushort", 2, 0 },
		{ "sshort", 2, SIGNED },
		{ "byte", 1, 0 },
		{ "short", 2, 0 },
		{ "ubyte_d16", 1, D16 },
		{ "ubyte_d16_hi", 1, D16 | HIGH },
		{ "sbyte_d16", 1, SIGNED | D16 },
		{ "sbyte_d16_hi", 1, SIGNED | D16 | HIGH },
		{ "short_d16", 2, D16 },
		{ "short_d16_hi", 2, D16 | HIGH },
		{ "byte_d16_hi", 1, HIGH },
	};

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		if (strcmp(t, names[k].name))
			continue;
		i->width = names[k].width;
		i->form |= names[k].form;
		return true;
	}
	return false;
}

static bool vmem_read_atomic(const char *t, struct emu_insn *i)
{
	static const char *const names[] = {
		[EMU_ADD] = "add",
		[EMU_SUB] = "sub",
		[EMU_SWAP] = "swap",
		[EMU_CAS] = "cmpswap",
		[EMU_AND] = "and",
		[EMU_OR] = "or",
		[EMU_XOR] = "xor",
		[EMU_SMIN] = "smin",
		[EMU_SMAX] = "smax",
		[EMU_UMIN] = "umin",
		[EMU_UMAX] = "umax",
		[EMU_INC] = "inc",
		[EMU_DEC] = "dec",
		[EMU_ADD_F32] = "add_f32",
		[EMU_ADD_F64] = "add_f64",
		[EMU_MIN_F64] = "min_f64",
		[EMU_MAX_F64] = "max_f64",
		[EMU_PK_ADD_F16] = "pk_add_f16",
		[EMU_PK_ADD_BF16] = "pk_add_bf16",
	};

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		size_t n = strlen(names[k]);
		bool wide = strstr(names[k], "f64");

		if (strncmp(t, names[k], n) || (t[n] && strcmp(t + n, "_x2")))
			continue;
		i->width = wide || t[n] ? 8 : 4;
		i->form |= (int)k << RMW;
		return true;
	}
	return false;
}

emu_op *emu_find_memory(struct emu_insn *i)
{
	static const char *const kinds[] = { "flat_", "global_", "scratch_", "buffer_" };
	const char *t = i->name;

	for (i->form = FLAT; i->form <= BUFFER; i->form++)
		if (!strncmp(t, kinds[i->form], strlen(kinds[i->form])))
			break;
	if (i->form > BUFFER) {
		i->form = 0;
		return NULL;
	}
	t += strlen(kinds[i->form]);
	if (!strncmp(t, "load_lds_", 9))
		return vmem_read_part(t + 9, i) ? v_load_lds : NULL;
	if (!strncmp(t, "load_", 5))
		return !vmem_read_part(t + 5, i) ? NULL : i->lds ? v_load_lds : v_load;
	if (!strncmp(t, "store_", 6))
		return vmem_read_part(t + 6, i) ? v_store : NULL;
	if (!strncmp(t, "atomic_", 7))
		return vmem_read_atomic(t + 7, i) ? v_atomic : NULL;
	return NULL;
}
