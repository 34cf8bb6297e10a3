// SPDX-License-Identifier: MIT
/* The accesses themselves: where an address leads, and loads, stores and atomics in one piece. */
#include "emu/memory.h"

#include <math.h>

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
	return (void *)(uintptr_t)addr;
}

void emu_scalar_load(struct emu_wave *w, const struct emu_insn *i, uint64_t addr, uint32_t *out,
		     unsigned n)
{
	emu_load_words(emu_at(w, i, addr, 0, 4 * (size_t)n), out, 4 * n);
}

uint32_t emu_load(const void *at, unsigned len)
{
	uint32_t x = 0;

	if ((uintptr_t)at % len == 0 && len == 4)
		return __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
	if ((uintptr_t)at % len == 0 && len == 2)
		return __atomic_load_n((const uint16_t *)at, __ATOMIC_ACQUIRE);
	if (len == 1)
		return __atomic_load_n((const uint8_t *)at, __ATOMIC_ACQUIRE);
	memcpy(&x, at, len);
	return x;
}

void emu_store(void *at, uint32_t x, unsigned len)
{
	if ((uintptr_t)at % len == 0 && len == 4)
		__atomic_store_n((uint32_t *)at, x, __ATOMIC_RELEASE);
	else if ((uintptr_t)at % len == 0 && len == 2)
		__atomic_store_n((uint16_t *)at, (uint16_t)x, __ATOMIC_RELEASE);
	else if (len == 1)
		__atomic_store_n((uint8_t *)at, (uint8_t)x, __ATOMIC_RELEASE);
	else
		memcpy(at, &x, len);
}

void emu_load_words(const void *at, uint32_t *out, unsigned len)
{
	const char *p = at;
	unsigned k = 0;

	for (; (uintptr_t)p % 8 == 0 && k + 8 <= len; k += 8) {
		uint64_t x = __atomic_load_n((const uint64_t *)(p + k), __ATOMIC_ACQUIRE);

		memcpy((char *)out + k, &x, 8);
	}
	for (; k < len; k += 4)
		out[k / 4] = emu_load(p + k, 4);
}

void emu_store_words(void *at, const uint32_t *x, unsigned len)
{
	char *p = at;
	unsigned k = 0;

	for (; (uintptr_t)p % 8 == 0 && k + 8 <= len; k += 8) {
		uint64_t y;

		memcpy(&y, (const char *)x + k, 8);
		__atomic_store_n((uint64_t *)(p + k), y, __ATOMIC_RELEASE);
	}
	for (; k < len; k += 4)
		emu_store(p + k, x[k / 4], 4);
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

static uint64_t memory_rmw_value(enum emu_rmw op, unsigned len, uint64_t old, uint64_t x)
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
		       !__atomic_compare_exchange_n(p8, &old8, memory_rmw_value(op, 8, old8, x),
						    true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			;
		return old8;
	}
	old4 = __atomic_load_n(p4, __ATOMIC_RELAXED);
	while (!(op == EMU_CAS && old4 != (uint32_t)compare) &&
	       !__atomic_compare_exchange_n(p4, &old4,
					    (uint32_t)memory_rmw_value(op, 4, old4, (uint32_t)x),
					    true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
	return old4;
}
