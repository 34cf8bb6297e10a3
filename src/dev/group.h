// SPDX-License-Identifier: MIT
/*
 * What the GPU targets share, over a few leaves of each: copies that the lanes of
 * a scope do together, waits by polling, and the record of a fault.
 *
 * Leaves: tgt_lane(), tgt_lanes(), tgt_now_ns(), tgt_any(), the loads and stores,
 * and tgt_<op>_32() and _64() for each read-modify-write.
 */
#ifndef MORI_DEV_GROUP_H
#define MORI_DEV_GROUP_H

#include "abi/state.h"

typedef uint32_t tgt_vec16 __attribute__((vector_size(16)));

DEV_BODY bool tgt_aligned(const void *p, size_t n)
{
	return !((uintptr_t)p & (n - 1));
}

DEV_BODY uint64_t tgt_compare_swap(void *p, bool wide, uint64_t compare, uint64_t v)
{
	return wide ? tgt_cas_64(p, compare, v) : tgt_cas_32(p, (uint32_t)compare, (uint32_t)v);
}

#define TGT_RMW(op, p, wide, v) ((wide) ? tgt_##op##_64(p, v) : tgt_##op##_32(p, (uint32_t)(v)))

/* One read-modify-write of system scope; gives what was there. @op: see dev_amo_op(). */
DEV_BODY uint64_t tgt_amo(void *p, bool wide, int op, uint64_t v, uint64_t compare)
{
	switch (op) {
	case MORI_SHMEM_AMO_ADD:
		return TGT_RMW(add, p, wide, v);
	case MORI_SHMEM_AMO_AND:
		return TGT_RMW(and, p, wide, v);
	case MORI_SHMEM_AMO_OR:
		return TGT_RMW(or, p, wide, v);
	case MORI_SHMEM_AMO_XOR:
		return TGT_RMW(xor, p, wide, v);
	case MORI_SHMEM_AMO_SET:
		return TGT_RMW(swap, p, wide, v);
	case MORI_SHMEM_AMO_COMPARE_SWAP:
		return tgt_compare_swap(p, wide, compare, v);
	default: /* MORI_SHMEM_AMO_FETCH */
		return wide ? tgt_load_acquire_64(p) : tgt_load_acquire_32(p);
	}
}

/*
 * @n elements, lane by lane, so that neighbouring lanes touch neighbouring
 * memory; several loads are in flight before the first store.
 */
#define TGT_FLIGHT	   4
#define TGT_EACH_FLIGHT(x) _Pragma("unroll") for (int k = 0; k < TGT_FLIGHT; k++) x
#define TGT_COPY_BY(w, type)                                                                       \
	DEV_BODY void tgt_copy_##w(type *to, const type *from, uint64_t n, uint64_t i,             \
				   uint64_t by)                                                    \
	{                                                                                          \
		for (type v[TGT_FLIGHT]; i + (TGT_FLIGHT - 1) * by < n; i += TGT_FLIGHT * by) {    \
			TGT_EACH_FLIGHT(v[k] = from[i + (uint64_t)k * by];)                        \
			TGT_EACH_FLIGHT(to[i + (uint64_t)k * by] = v[k];)                          \
		}                                                                                  \
		for (; i < n; i += by)                                                             \
			to[i] = from[i];                                                           \
	}
TGT_COPY_BY(1, uint8_t)
TGT_COPY_BY(4, uint32_t)
TGT_COPY_BY(8, uint64_t)
TGT_COPY_BY(16, tgt_vec16)
#undef TGT_COPY_BY
#undef TGT_EACH_FLIGHT

/* The few bytes before and after what is aligned. */
DEV_BODY void tgt_copy_end(uint8_t *to, const uint8_t *from, uint64_t n, uint64_t i, uint64_t by)
{
#pragma clang loop unroll(disable)
	for (; i < n; i += by)
		to[i] = from[i];
}

/* As wide as source and destination can be aligned together. */
DEV_BODY void tgt_copy(enum dev_scope scope, void *dst, const void *src, uint64_t len)
{
	uint64_t lane = tgt_lane(scope), lanes = tgt_lanes(scope);
	uint64_t apart = (uint64_t)(uintptr_t)dst ^ (uint64_t)(uintptr_t)src;
	uint64_t width = !(apart & 15) ? 16 : !(apart & 7) ? 8 : !(apart & 3) ? 4 : 1;
	uint64_t head = -(uint64_t)(uintptr_t)dst & (width - 1), body;
	uint8_t *to = dst;
	const uint8_t *from = src;

	if (head > len)
		head = len;
	body = (len - head) & ~(width - 1);
	tgt_copy_end(to, from, head, lane, lanes);
	if (width == 16)
		tgt_copy_16((tgt_vec16 *)(to + head), (const tgt_vec16 *)(from + head), body / 16,
			    lane, lanes);
	else if (width == 8)
		tgt_copy_8((uint64_t *)(to + head), (const uint64_t *)(from + head), body / 8, lane,
			   lanes);
	else if (width == 4)
		tgt_copy_4((uint32_t *)(to + head), (const uint32_t *)(from + head), body / 4, lane,
			   lanes);
	else
		tgt_copy_1(to + head, from + head, body, lane, lanes);
	tgt_copy_end(to + head + body, from + head + body, len - head - body, lane, lanes);
}

/* A value of 1, 2, 4 or 8 bytes, in one access where it is aligned; it never leaves registers. */
DEV_BODY void tgt_store_bits(void *dst, uint64_t bits, uint64_t len)
{
	if (!tgt_aligned(dst, len)) {
		for (uint64_t i = 0; i < len; i++)
			((uint8_t *)dst)[i] = (uint8_t)(bits >> 8 * i);
	} else if (len == 8) {
		tgt_store_relaxed_64(dst, bits);
	} else if (len == 4) {
		tgt_store_relaxed_32(dst, (uint32_t)bits);
	} else if (len == 2) {
		tgt_store_relaxed_16(dst, (uint16_t)bits);
	} else {
		tgt_store_relaxed_8(dst, (uint8_t)bits);
	}
}

DEV_BODY uint64_t tgt_load_bits(const void *src, uint64_t len)
{
	uint64_t bits = 0;

	if (tgt_aligned(src, len))
		return len == 8 ? tgt_load_acquire_64(src) :
		       len == 4 ? tgt_load_acquire_32(src) :
		       len == 2 ? tgt_load_acquire_16(src) :
				  tgt_load_acquire_8(src);
	for (uint64_t i = 0; i < len; i++)
		bits |= (uint64_t)((const uint8_t *)src)[i] << 8 * i;
	return bits;
}

/* @p may lie anywhere. */
DEV_BODY uint64_t tgt_any_bits(const void *p, uint64_t len)
{
	uint64_t bits = 0;

	if (len == 8)
		__builtin_memcpy(&bits, p, 8);
	else if (len == 4)
		__builtin_memcpy(&bits, p, 4);
	else if (len == 2)
		__builtin_memcpy(&bits, p, 2);
	else
		__builtin_memcpy(&bits, p, 1);
	return bits;
}

/* 1, 2, 4, 8 or 16 bytes. */
DEV_BODY void tgt_put_one(void *dst, const void *src, uint64_t len)
{
	uint64_t first = len < 8 ? len : 8;

	tgt_store_bits(dst, tgt_any_bits(src, first), first);
	if (len == 16)
		tgt_store_bits((char *)dst + 8, tgt_any_bits((const char *)src + 8, 8), 8);
}

DEV_BODY void tgt_get_one(void *dst, const void *src, uint64_t len)
{
	uint64_t bits = tgt_load_bits(src, len);

	__builtin_memcpy(dst, &bits, len);
}

/* Memory of this PE, where an ordinary access will do. */
DEV_BODY uint64_t tgt_plain_bits(const void *p, uint64_t len)
{
	return len == 8 ? *(const uint64_t *)p :
	       len == 4 ? *(const uint32_t *)p :
	       len == 2 ? *(const uint16_t *)p :
			  *(const uint8_t *)p;
}

DEV_BODY void tgt_plain_store(void *p, uint64_t bits, uint64_t len)
{
	if (len == 8)
		*(uint64_t *)p = bits;
	else if (len == 4)
		*(uint32_t *)p = (uint32_t)bits;
	else if (len == 2)
		*(uint16_t *)p = (uint16_t)bits;
	else
		*(uint8_t *)p = (uint8_t)bits;
}

DEV_BODY bool tgt_is_word(const void *p, const void *q, uint64_t len)
{
	return (len == 8 || len == 4 || len == 2 || len == 1) && tgt_aligned(p, len) &&
	       tgt_aligned(q, len);
}

/* A word that is aligned goes in one access, by one lane: a flag may travel so. */
DEV_BODY void tgt_put(enum dev_scope scope, void *dst, const void *src, uint64_t len)
{
	if (!tgt_is_word(dst, src, len))
		tgt_copy(scope, dst, src, len);
	else if (tgt_leads(scope))
		tgt_store_bits(dst, tgt_plain_bits(src, len), len);
}

DEV_BODY void tgt_get(enum dev_scope scope, void *dst, const void *src, uint64_t len)
{
	if (!tgt_is_word(dst, src, len))
		tgt_copy(scope, dst, src, len);
	else if (tgt_leads(scope))
		tgt_plain_store(dst, tgt_load_bits(src, len), len);
}

#endif
