// SPDX-License-Identifier: MIT
/*
 * Memory as a CPU loads and stores it: what the host library and kernels on the
 * CPU share.
 *
 * Aligned puts and gets of 1, 2, 4 and 8 bytes are single release stores and
 * acquire loads, so a flag may travel by an ordinary put.
 */
#ifndef MORI_TARGET_CPU_MEMORY_H
#define MORI_TARGET_CPU_MEMORY_H

#include "target/base.h"

#include <string.h>

/*
 * A host thread may act for a PE whose memory the CPU cannot load and store: then the host
 * library does it. Kernels on the CPU never do.
 */
extern uint32_t tgt_device_pes __attribute__((visibility("hidden")));
bool tgt_device_here(void) __attribute__((cold));
bool tgt_device_word(const void *p) __attribute__((cold));
void tgt_device_copy(void *dst, const void *src, uint64_t len) __attribute__((cold));
uint64_t tgt_device_amo(void *p, bool wide, int op, uint64_t v, uint64_t compare)
	__attribute__((cold));

#ifdef MORI_CPU_KERNEL
#define TGT_DEVICE_MEM(is_device) 0
#else
#define TGT_DEVICE_MEM(is_device) (__builtin_expect(tgt_device_pes != 0, 0) && (is_device))
#endif

/* TSan does not model fences. gcc defines a macro under TSan, clang has a feature test. */
#if defined(__SANITIZE_THREAD__)
#define TGT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TGT_TSAN 1
#endif
#endif
#ifndef TGT_TSAN
#define TGT_TSAN 0
#endif

DEV_INLINE void *tgt_pointer(uint64_t addr)
{
	return (void *)(uintptr_t)addr;
}

DEV_INLINE uint32_t tgt_load_relaxed_32(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

DEV_INLINE uint64_t tgt_load_relaxed_64(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

/* A word of the state at the start of an operation, which another thread may be writing. */
DEV_INLINE uint32_t tgt_peek_32(const uint32_t *p)
{
	return tgt_load_relaxed_32(p);
}

DEV_INLINE uint64_t tgt_peek_64(const uint64_t *p)
{
	return tgt_load_relaxed_64(p);
}

DEV_INLINE uint32_t tgt_load_acquire_32(const void *p)
{
	if (TGT_DEVICE_MEM(tgt_device_word(p)))
		return (uint32_t)tgt_device_amo((void *)p, false, MORI_SHMEM_AMO_FETCH, 0, 0);
	return __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE);
}

DEV_INLINE uint64_t tgt_load_acquire_64(const void *p)
{
	if (TGT_DEVICE_MEM(tgt_device_word(p)))
		return tgt_device_amo((void *)p, true, MORI_SHMEM_AMO_FETCH, 0, 0);
	return __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE);
}

/* Polls of a wait: each acquires. */
#define tgt_load_poll_32 tgt_load_acquire_32
#define tgt_load_poll_64 tgt_load_acquire_64
DEV_INLINE void tgt_poll_acquire(void)
{
}

DEV_INLINE struct dev_window *tgt_load_acquire_ptr(struct dev_window *const *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

/* Earlier stores become visible before later ones: dev_fence(). */
DEV_INLINE void tgt_fence_order(const struct dev_state *st)
{
	(void)st;
#if !TGT_TSAN /* small puts are release stores anyway */
	__atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}

/* Earlier stores become visible before any later access, loads included: dev_quiet(). */
DEV_INLINE void tgt_fence_full(const struct dev_state *st)
{
#if TGT_TSAN
	uint32_t word = 0;

	(void)st;
	__atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
#else
	(void)st;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

DEV_INLINE bool tgt_aligned(const void *p, size_t n)
{
	return !((uintptr_t)p & (n - 1));
}

#define TGT_PUT(dst, src, type)                                                                    \
	({                                                                                         \
		type tgt_v;                                                                        \
		memcpy(&tgt_v, src, sizeof(type));                                                 \
		__atomic_store_n((type *)(dst), tgt_v, __ATOMIC_RELEASE);                          \
	})
#define TGT_GET(dst, src, type)                                                                    \
	({                                                                                         \
		type tgt_v = __atomic_load_n((const type *)(src), __ATOMIC_ACQUIRE);               \
		memcpy(dst, &tgt_v, sizeof(type));                                                 \
	})

/* Copies from memory of this PE to memory that another PE may be reading. */
DEV_INLINE void tgt_put_one(void *dst, const void *src, uint64_t len)
{
	if (TGT_DEVICE_MEM(tgt_device_here()))
		tgt_device_copy(dst, src, len);
	else if (len == 8 && tgt_aligned(dst, 8))
		TGT_PUT(dst, src, uint64_t);
	else if (len == 4 && tgt_aligned(dst, 4))
		TGT_PUT(dst, src, uint32_t);
	else if (len == 2 && tgt_aligned(dst, 2))
		TGT_PUT(dst, src, uint16_t);
	else if (len == 1)
		TGT_PUT(dst, src, uint8_t);
	else
		memmove(dst, src, len);
}

/* Copies from memory that another PE may be writing to memory of this PE. */
DEV_INLINE void tgt_get_one(void *dst, const void *src, uint64_t len)
{
	if (TGT_DEVICE_MEM(tgt_device_here()))
		tgt_device_copy(dst, src, len);
	else if (len == 8 && tgt_aligned(src, 8))
		TGT_GET(dst, src, uint64_t);
	else if (len == 4 && tgt_aligned(src, 4))
		TGT_GET(dst, src, uint32_t);
	else if (len == 2 && tgt_aligned(src, 2))
		TGT_GET(dst, src, uint16_t);
	else if (len == 1)
		TGT_GET(dst, src, uint8_t);
	else
		memmove(dst, src, len);
}

#define TGT_RMW(fn, p, wide, v)                                                                    \
	((wide) ? fn((uint64_t *)(p), (uint64_t)(v), __ATOMIC_SEQ_CST) :                           \
		  fn((uint32_t *)(p), (uint32_t)(v), __ATOMIC_SEQ_CST))

DEV_INLINE uint64_t tgt_compare_swap(void *p, bool wide, uint64_t compare, uint64_t v)
{
	uint32_t half = (uint32_t)compare;

	if (TGT_DEVICE_MEM(tgt_device_word(p)))
		return tgt_device_amo(p, wide, MORI_SHMEM_AMO_COMPARE_SWAP, v, compare);
	if (wide) {
		__atomic_compare_exchange_n((uint64_t *)p, &compare, v, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST);
		return compare;
	}
	__atomic_compare_exchange_n((uint32_t *)p, &half, (uint32_t)v, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	return half;
}

/* One sequentially consistent read-modify-write; returns the old value. */
DEV_INLINE uint64_t tgt_amo(void *p, bool wide, int op, uint64_t v, uint64_t compare)
{
	if (TGT_DEVICE_MEM(tgt_device_word(p)))
		return tgt_device_amo(p, wide, op, v, compare);
	switch (op) {
	case MORI_SHMEM_AMO_ADD:
		return TGT_RMW(__atomic_fetch_add, p, wide, v);
	case MORI_SHMEM_AMO_AND:
		return TGT_RMW(__atomic_fetch_and, p, wide, v);
	case MORI_SHMEM_AMO_OR:
		return TGT_RMW(__atomic_fetch_or, p, wide, v);
	case MORI_SHMEM_AMO_XOR:
		return TGT_RMW(__atomic_fetch_xor, p, wide, v);
	case MORI_SHMEM_AMO_SET:
		return TGT_RMW(__atomic_exchange_n, p, wide, v);
	case MORI_SHMEM_AMO_COMPARE_SWAP:
		return tgt_compare_swap(p, wide, compare, v);
	default: /* MORI_SHMEM_AMO_FETCH */
		return wide ? __atomic_load_n((uint64_t *)p, __ATOMIC_SEQ_CST) :
			      __atomic_load_n((uint32_t *)p, __ATOMIC_SEQ_CST);
	}
}

/*
 * Release: pairs with the acquire in dev_load(). @op: MORI_SHMEM_AMO_SET or _ADD. For a PE with
 * device memory, a word that is only set is copied, not set by a kernel: the kernel that waits for
 * this word may occupy the device.
 */
DEV_INLINE void tgt_signal(const struct dev_state *st, void *p, int op, uint64_t v)
{
	(void)st;
	if (op == MORI_SHMEM_AMO_SET && TGT_DEVICE_MEM(tgt_device_word(p)))
		tgt_device_copy(p, &v, sizeof(v));
	else
		(void)tgt_amo(p, true, op, v, 0);
}

#endif
