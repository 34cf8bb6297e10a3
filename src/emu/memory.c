// SPDX-License-Identifier: MIT
/* The accesses themselves: where an address leads, and loads, stores and atomics in one piece. */
#include "emu/memory.h"

#include "emu/cache.h"
#include "emu/run.h"

#include <math.h>

/* In memory other than LDS and scratch; what the GPU does not have ends the launch. */
static void *memory_find(struct emu_wave *w, const struct emu_insn *i, uint64_t addr, size_t len)
{
	const struct emu_launch *l = w->group->launch;
	void *at = (void *)(uintptr_t)addr;

	if (l->find && !(at = l->find(l->find_arg, addr, len)))
		emu_stop(w, i, "%zu bytes at %#llx, where this GPU has no memory", len,
			 (unsigned long long)addr);
	return at;
}

void *emu_at(struct emu_wave *w, const struct emu_insn *i, uint64_t addr, unsigned lane, size_t len)
{
	struct emu_group *g = w->group;
	uint64_t base = addr & ~0xffffffffull;
	uint32_t off = (uint32_t)addr;

	if (base == EMU_LDS_BASE) {
		if (off > g->lds_size || len > g->lds_size - off)
			emu_stop(w, i, "%zu bytes at %#x of LDS, of which the block has %#x", len,
				 off, g->lds_size);
		return g->lds + off;
	}
	if (base == EMU_SCRATCH_BASE) {
		if (off > g->scratch_size || len > g->scratch_size - off)
			emu_stop(w, i, "%zu bytes at %#x of scratch, of which a lane has %#x", len,
				 off, g->scratch_size);
		return w->scratch + (size_t)lane * g->scratch_size + off;
	}
	return memory_find(w, i, addr, len);
}

/* Whether the caches have no part in it: LDS, scratch, or there are none. */
static bool memory_is_direct(const struct emu_wave *w, uint64_t addr)
{
	uint64_t base = addr & ~0xffffffffull;

	return !w->group->unit || base == EMU_LDS_BASE || base == EMU_SCRATCH_BASE;
}

static enum emu_scope memory_load_scope(const struct emu_insn *i)
{
	return !i->sc1 ? EMU_SCOPE_WAVE : i->sc0 ? EMU_SCOPE_SYSTEM : EMU_SCOPE_DEVICE;
}

void emu_read(struct emu_wave *w, const struct emu_insn *i, uint64_t addr, unsigned lane, void *out,
	      size_t len)
{
	if (memory_is_direct(w, addr))
		emu_read_bytes(emu_at(w, i, addr, lane, len), out, len);
	else
		emu_cache_read(w->group->unit, memory_load_scope(i), addr, out, len);
}

void emu_write(struct emu_wave *w, const struct emu_insn *i, uint64_t addr, unsigned lane,
	       const void *from, size_t len)
{
	enum emu_scope scope = i->sc0 && i->sc1 ? EMU_SCOPE_SYSTEM : EMU_SCOPE_DEVICE;

	if (memory_is_direct(w, addr))
		emu_write_bytes(emu_at(w, i, addr, lane, len), from, len);
	else
		emu_cache_write(w->group->unit, scope, addr, from, len);
}

uint64_t emu_modify(struct emu_wave *w, const struct emu_insn *i, uint64_t addr, unsigned lane,
		    unsigned len, enum emu_rmw op, uint64_t x, uint64_t compare)
{
	enum emu_scope scope = i->sc1 ? EMU_SCOPE_SYSTEM : EMU_SCOPE_DEVICE;

	if (addr % len)
		emu_stop(w, i, "an atomic at %#llx, which is not aligned",
			 (unsigned long long)addr);
	if (memory_is_direct(w, addr))
		return emu_rmw(emu_at(w, i, addr, lane, len), len, op, x, compare);
	return emu_cache_rmw(w->group->unit, scope, addr, len, op, x, compare);
}

void emu_scalar_load(struct emu_wave *w, const struct emu_insn *i, uint64_t addr, uint32_t *out,
		     unsigned n)
{
	struct emu_unit *u = w->group->unit;

	if (u)
		emu_cache_read_scalar(u, addr, out, 4 * (size_t)n);
	else
		emu_read_bytes(memory_find(w, i, addr, 4 * (size_t)n), out, 4 * (size_t)n);
}

void emu_read_bytes(const void *at, void *out, size_t len)
{
	const char *p = at;
	char *to = out;

	for (size_t n; len; p += n, to += n, len -= n) {
		uintptr_t a = (uintptr_t)p;

		if (a % 8 == 0 && len >= 8) {
			uint64_t x = __atomic_load_n((const uint64_t *)a, __ATOMIC_ACQUIRE);

			memcpy(to, &x, n = 8);
		} else if (a % 4 == 0 && len >= 4) {
			uint32_t x = __atomic_load_n((const uint32_t *)a, __ATOMIC_ACQUIRE);

			memcpy(to, &x, n = 4);
		} else if (a % 2 == 0 && len >= 2) {
			uint16_t x = __atomic_load_n((const uint16_t *)a, __ATOMIC_ACQUIRE);

			memcpy(to, &x, n = 2);
		} else {
			*to = __atomic_load_n(p, __ATOMIC_ACQUIRE);
			n = 1;
		}
	}
}

void emu_write_bytes(void *at, const void *from, size_t len)
{
	const char *p = from;
	char *to = at;

	for (size_t n; len; p += n, to += n, len -= n) {
		uintptr_t a = (uintptr_t)to;
		uint64_t x = 0;

		n = a % 8 == 0 && len >= 8 ? 8 :
		    a % 4 == 0 && len >= 4 ? 4 :
		    a % 2 == 0 && len >= 2 ? 2 :
					     1;
		memcpy(&x, p, n);
		if (n == 8)
			__atomic_store_n((uint64_t *)a, x, __ATOMIC_RELEASE);
		else if (n == 4)
			__atomic_store_n((uint32_t *)a, (uint32_t)x, __ATOMIC_RELEASE);
		else if (n == 2)
			__atomic_store_n((uint16_t *)a, (uint16_t)x, __ATOMIC_RELEASE);
		else
			__atomic_store_n(to, (char)x, __ATOMIC_RELEASE);
	}
}

static uint32_t memory_pk_add(enum emu_rmw op, uint32_t a, uint32_t b)
{
	uint32_t out = 0;

	for (unsigned s = 0; s < 32; s += 16) {
		uint16_t x = (uint16_t)(a >> s), y = (uint16_t)(b >> s);
		uint16_t r =
			op == EMU_PK_ADD_F16 ?
				emu_float_to_half(emu_half_to_float(x) + emu_half_to_float(y)) :
				emu_float_to_bf16(emu_bf16_to_float(x) + emu_bf16_to_float(y));

		out |= (uint32_t)r << s;
	}
	return out;
}

uint64_t emu_rmw_value(enum emu_rmw op, unsigned len, uint64_t old, uint64_t x)
{
	int64_t a = len == 4 ? (int32_t)old : (int64_t)old, b = len == 4 ? (int32_t)x : (int64_t)x;

	switch (op) {
	case EMU_ADD:
		return old + x;
	case EMU_SUB:
		return old - x;
	case EMU_AND:
		return old & x;
	case EMU_OR:
		return old | x;
	case EMU_XOR:
		return old ^ x;
	case EMU_SMIN:
		return a < b ? old : x;
	case EMU_SMAX:
		return a > b ? old : x;
	case EMU_UMIN:
		return old < x ? old : x;
	case EMU_UMAX:
		return old > x ? old : x;
	case EMU_INC:
		return old >= x ? 0 : old + 1;
	case EMU_DEC:
		return old == 0 || old > x ? x : old - 1;
	case EMU_ADD_F32:
		return emu_f32_bits(emu_f32((uint32_t)old) + emu_f32((uint32_t)x));
	case EMU_ADD_F64:
		return emu_f64_bits(emu_f64(old) + emu_f64(x));
	case EMU_MIN_F64:
		return emu_f64_bits(fmin(emu_f64(old), emu_f64(x)));
	case EMU_MAX_F64:
		return emu_f64_bits(fmax(emu_f64(old), emu_f64(x)));
	case EMU_PK_ADD_F16:
	case EMU_PK_ADD_BF16:
		return memory_pk_add(op, (uint32_t)old, (uint32_t)x);
	default:
		return x;
	}
}

uint64_t emu_rmw(void *at, unsigned len, enum emu_rmw op, uint64_t x, uint64_t compare)
{
	uint64_t *p8 = at, old8;
	uint32_t *p4 = at, old4;

	if (len == 8) {
		old8 = __atomic_load_n(p8, __ATOMIC_RELAXED);
		while (!(op == EMU_CAS && old8 != compare) &&
		       !__atomic_compare_exchange_n(p8, &old8, emu_rmw_value(op, 8, old8, x), true,
						    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			;
		return old8;
	}
	old4 = __atomic_load_n(p4, __ATOMIC_RELAXED);
	while (!(op == EMU_CAS && old4 != (uint32_t)compare) &&
	       !__atomic_compare_exchange_n(p4, &old4,
					    (uint32_t)emu_rmw_value(op, 4, old4, (uint32_t)x), true,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
	return old4;
}
