// SPDX-License-Identifier: MIT
/*
 * What the GPU targets share, over a few leaves of each: copies that the lanes of
 * a scope do together, waits by polling, and the record of a fault.
 *
 * Leaves: tgt_lane(), tgt_lanes(), tgt_now_ns(), tgt_any(), tgt_join(), the loads and stores,
 * and tgt_<op>_32() and _64() for each read-modify-write.
 */
#ifndef MORI_TARGET_GROUP_H
#define MORI_TARGET_GROUP_H

#include "target/base.h"

/* On neither, unit_group.c has defined the leaves itself. */
#if defined(__NVPTX__)
#include "target/share_nvptx.h"
#elif defined(__AMDGCN__)
#include "target/share_amdgcn.h"
#endif

typedef uint32_t tgt_vec16 __attribute__((vector_size(16)));

/*
 * A word of the state at the start of an operation. Its value may be as old as this thread's last
 * acquire, or the launch; waits, which need fresh values, use ordered loads.
 */
DEV_INLINE uint32_t tgt_peek_32(const uint32_t *p)
{
	return *p;
}

DEV_INLINE uint64_t tgt_peek_64(const uint64_t *p)
{
	return *p;
}

/* A word was polled and may be polled again: nothing to do, since other warps run anyway. */
DEV_INLINE void tgt_polled(void)
{
}

DEV_INLINE bool tgt_aligned(const void *p, size_t n)
{
	return !((uintptr_t)p & (n - 1));
}

DEV_INLINE uint64_t tgt_compare_swap(void *p, bool wide, uint64_t compare, uint64_t v)
{
	return wide ? tgt_cas_64(p, compare, v) : tgt_cas_32(p, (uint32_t)compare, (uint32_t)v);
}

#define TGT_RMW(op, p, wide, v) ((wide) ? tgt_##op##_64(p, v) : tgt_##op##_32(p, (uint32_t)(v)))

/* One read-modify-write of system scope; returns the old value. */
DEV_INLINE uint64_t tgt_amo(void *p, bool wide, int op, uint64_t v, uint64_t compare)
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
 * The copies of a group: every lane takes 16 bytes from its own offset on, and again every
 * @by bytes up to @end, so that neighbouring lanes touch neighbouring memory. Many loads are
 * in flight before the first store, some at the end too: the remainder takes one round trip to
 * memory, not one per access.
 */
#define TGT_FLIGHT     8
#define TGT_REST       4
#define TGT_AT(p, off) ((tgt_vec16 *)((char *)(p) + (off)))
#define TGT_EACH_FLIGHT(n, x)                                                                      \
	_Pragma("unroll") for (int k = 0; k < (n); k++, off += by)                                 \
	{                                                                                          \
		x;                                                                                 \
		TGT_HIDE(off);                                                                     \
	}

/* From byte @off on, every @by, fewer at a time. */
DEV_INLINE void tgt_copy_few(tgt_vec16 *to, const tgt_vec16 *from, uint64_t end, uint64_t off,
			     uint64_t by)
{
	uint64_t last = end - 16, at;

#pragma clang loop unroll(disable)
	while (off < end) {
		tgt_vec16 v[TGT_REST];

		at = off; /* loads beyond the end are clamped: no branch */
		TGT_EACH_FLIGHT(TGT_REST, v[k] = *TGT_AT(from, off < last ? off : last))
		off = at;
		TGT_EACH_FLIGHT(TGT_REST, if (off < end) * TGT_AT(to, off) = v[k])
	}
}

DEV_INLINE void tgt_copy_bulk(tgt_vec16 *to, const tgt_vec16 *from, uint64_t end, uint64_t off,
			      uint64_t by)
{
	uint64_t at;

#pragma clang loop unroll(disable)
	while (off + (TGT_FLIGHT - 1) * by < end) {
		tgt_vec16 v[TGT_FLIGHT];

		at = off;
		TGT_EACH_FLIGHT(TGT_FLIGHT, v[k] = *TGT_AT(from, off))
		off = at;
		TGT_EACH_FLIGHT(TGT_FLIGHT, *TGT_AT(to, off) = v[k])
	}
	tgt_copy_few(to, from, end, off, by);
}

/* Whether a copy is a single pass: at most 16 bytes per lane, somewhat more for a single thread. */
DEV_INLINE bool tgt_is_single_pass(enum dev_scope scope, uint64_t dst, uint64_t src, uint64_t len)
{
	uint64_t most = scope == DEV_thread ? 16 * TGT_REST : 16 * (uint64_t)tgt_lanes(scope);

	return (int)!((dst | src | len) & 15) & (int)(len - 1 < most);
}

DEV_INLINE void tgt_copy_single_pass(enum dev_scope scope, void *dst, const void *src, uint64_t len)
{
	uint64_t off = 16 * (uint64_t)tgt_lane(scope);

	if (scope == DEV_thread)
		tgt_copy_few(dst, src, len, 0, 16);
	else if (off < len)
		*TGT_AT(dst, off) = *TGT_AT(src, off);
}

#undef TGT_EACH_FLIGHT
#undef TGT_AT
#undef TGT_REST
#undef TGT_FLIGHT

/*
 * 16 bytes that start @shift bits into a word. Every word that is read holds at least
 * one of them; what else it holds lies in the same page.
 */
DEV_INLINE tgt_vec16 tgt_load_skewed(const uint32_t *w, uint32_t shift)
{
	uint32_t a = w[0], b = w[1], c = w[2], d = w[3], e = w[shift ? 4 : 3];

	return (tgt_vec16){ tgt_join(a, b, shift), tgt_join(b, c, shift), tgt_join(c, d, shift),
			    tgt_join(d, e, shift) };
}

/* Source and destination are aligned differently: loads words and stores 16 bytes. */
DEV_INLINE void tgt_copy_skewed(tgt_vec16 *to, const uint8_t *from, uint64_t n, uint64_t i,
				uint64_t by)
{
	uint32_t skew = (uint32_t)(uintptr_t)from & 3, shift = 8 * skew;
	const uint32_t *words = (const uint32_t *)(from - skew);

#pragma clang loop unroll(disable)
	for (; i < n; i += by)
		to[i] = tgt_load_skewed(words + 4 * i, shift);
}

/* The few bytes before and after the aligned part; an aligned word stays one access. */
DEV_INLINE void tgt_copy_end(uint8_t *to, const uint8_t *from, uint64_t n, uint64_t i, uint64_t by)
{
	if (((uintptr_t)to | (uintptr_t)from | n) & 3) {
#pragma clang loop unroll(disable)
		for (; i < n; i += by)
			to[i] = from[i];
	} else {
#pragma clang loop unroll(disable)
		for (; i < n / 4; i += by)
			((uint32_t *)to)[i] = ((const uint32_t *)from)[i];
	}
}

/* A value of 1, 2, 4 or 8 bytes that is aligned, in one access; it never leaves registers. */
DEV_INLINE void tgt_store_word(void *dst, uint64_t bits, uint64_t len)
{
	if (len == 8)
		tgt_store_relaxed_64(dst, bits);
	else if (len == 4)
		tgt_store_relaxed_32(dst, (uint32_t)bits);
	else if (len == 2)
		tgt_store_relaxed_16(dst, (uint16_t)bits);
	else
		tgt_store_relaxed_8(dst, (uint8_t)bits);
}

DEV_INLINE uint64_t tgt_load_word(const void *src, uint64_t len)
{
	return len == 8 ? tgt_load_acquire_64(src) :
	       len == 4 ? tgt_load_acquire_32(src) :
	       len == 2 ? tgt_load_acquire_16(src) :
			  tgt_load_acquire_8(src);
}

/* The same for any alignment. */
DEV_INLINE void tgt_store_bits(void *dst, uint64_t bits, uint64_t len)
{
	if (tgt_aligned(dst, len)) {
		tgt_store_word(dst, bits, len);
		return;
	}
	for (uint64_t i = 0; i < len; i++)
		((uint8_t *)dst)[i] = (uint8_t)(bits >> 8 * i);
}

DEV_INLINE uint64_t tgt_load_bits(const void *src, uint64_t len)
{
	uint64_t bits = 0;

	if (tgt_aligned(src, len))
		return tgt_load_word(src, len);
	for (uint64_t i = 0; i < len; i++)
		bits |= (uint64_t)((const uint8_t *)src)[i] << 8 * i;
	return bits;
}

/* Whether @len bytes are one word of @size on both sides. */
DEV_INLINE bool tgt_is_word(const void *p, const void *q, uint64_t len, uint64_t size)
{
	return len == size && tgt_aligned(p, size) && tgt_aligned(q, size);
}

/* Bytes before the first that is a multiple of 16. */
DEV_INLINE uint64_t tgt_head(const void *to, uint64_t len)
{
	uint64_t head = -(uint64_t)(uintptr_t)to & 15;

	return head < len ? head : len;
}

/*
 * What tgt_copy() leaves: the ends, and the middle if source and destination are aligned
 * differently. A word that is aligned on one side only is one access on that side, since a flag may
 * come from any address and go to any.
 */
DEV_OUTLINE void tgt_copy_rest(uint8_t *to, const uint8_t *from, uint64_t len, uint64_t lane,
			       uint64_t lanes)
{
	uint64_t head = tgt_head(to, len), body = (len - head) & ~(uint64_t)15;

	if (!tgt_aligned(from + head, 16))
		tgt_copy_skewed((tgt_vec16 *)(to + head), from + head, body / 16, lane, lanes);
	if (len <= 8 && !(len & (len - 1)) && (tgt_aligned(to, len) || tgt_aligned(from, len))) {
		if (!lane)
			tgt_store_bits(to, tgt_load_bits(from, len), len);
		return;
	}
#pragma clang loop unroll(disable)
	for (int end = 0; end < 2; end++) {
		tgt_copy_end(to, from, end ? len - head - body : head, lane, lanes);
		to += head + body;
		from += head + body;
	}
}

/* Any alignment; stores 16 bytes at a time, except at the ends. */
DEV_INLINE void tgt_copy(enum dev_scope scope, void *dst, const void *src, uint64_t len)
{
	uint64_t lane = tgt_lane(scope), lanes = tgt_lanes(scope), head = tgt_head(dst, len);
	uint64_t body = (len - head) & ~(uint64_t)15;
	bool even = tgt_aligned((const void *)((uintptr_t)dst ^ (uintptr_t)src), 16);

	/* The ends first: then few registers are live across the loop. */
	if (!dev_likely(even && body == len))
		tgt_copy_rest(dst, src, len, lane, lanes);
	if (dev_likely(even))
		tgt_copy_bulk((tgt_vec16 *)((char *)dst + head),
			      (const tgt_vec16 *)((const char *)src + head), body, 16 * lane,
			      16 * lanes);
}

/* @p may have any alignment. */
DEV_INLINE uint64_t tgt_any_bits(const void *p, uint64_t len)
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
DEV_INLINE void tgt_put_one(void *dst, const void *src, uint64_t len)
{
	uint64_t first = len < 8 ? len : 8;

	tgt_store_bits(dst, tgt_any_bits(src, first), first);
	if (len == 16)
		tgt_store_bits((char *)dst + 8, tgt_any_bits((const char *)src + 8, 8), 8);
}

DEV_INLINE void tgt_get_one(void *dst, const void *src, uint64_t len)
{
	uint64_t bits = tgt_load_bits(src, len);

	__builtin_memcpy(dst, &bits, len);
}

/* An aligned word is one access by one lane, so that it may be a flag. */
DEV_INLINE void tgt_put(enum dev_scope scope, void *dst, const void *src, uint64_t len)
{
	if (dev_likely(len > 8)) {
		tgt_copy(scope, dst, src, len);
	} else if (tgt_is_word(dst, src, len, 8)) {
		if (tgt_leads(scope))
			tgt_store_relaxed_64(dst, *(const uint64_t *)src);
	} else if (tgt_is_word(dst, src, len, 4)) {
		if (tgt_leads(scope))
			tgt_store_relaxed_32(dst, *(const uint32_t *)src);
	} else {
		tgt_copy_rest(dst, src, len, tgt_lane(scope), tgt_lanes(scope));
	}
}

DEV_INLINE void tgt_get(enum dev_scope scope, void *dst, const void *src, uint64_t len)
{
	if (dev_likely(len > 8)) {
		tgt_copy(scope, dst, src, len);
	} else if (tgt_is_word(dst, src, len, 8)) {
		if (tgt_leads(scope))
			*(uint64_t *)dst = tgt_load_acquire_64(src);
	} else if (tgt_is_word(dst, src, len, 4)) {
		if (tgt_leads(scope))
			*(uint32_t *)dst = tgt_load_acquire_32(src);
	} else {
		tgt_copy_rest(dst, src, len, tgt_lane(scope), tgt_lanes(scope));
	}
}

#endif
