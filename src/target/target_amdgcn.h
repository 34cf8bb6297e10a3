// SPDX-License-Identifier: MIT
/*
 * The target amdgcn. clang's scoped atomics are compiled correctly here; a warp is a wavefront of
 * 32 or 64 lanes. The block size is read from the implicit arguments: the builtin for it refers to
 * a symbol that plain lld cannot resolve.
 */
#ifndef MORI_TARGET_AMDGCN_H
#define MORI_TARGET_AMDGCN_H

#include "target/target_gpu.h"

/* Implicit kernel arguments, code object 5: three block counts, then three sizes. */
DEV_INLINE const uint32_t *tgt_implicit_counts(void)
{
	return (const uint32_t *)__builtin_amdgcn_implicitarg_ptr();
}

DEV_INLINE uint32_t tgt_implicit_size(int axis)
{
	return ((const uint16_t *)__builtin_amdgcn_implicitarg_ptr())[6 + axis];
}

#define TGT_ID(name, value)                                                                        \
	DEV_API uint32_t name(void)                                                                \
	{                                                                                          \
		return value;                                                                      \
	}
#define TGT_AXIS(axis, n, letter)                                                                  \
	TGT_ID(mori_thread_id##axis, __builtin_amdgcn_workitem_id_##letter())                      \
	TGT_ID(mori_block_id##axis, __builtin_amdgcn_workgroup_id_##letter())                      \
	TGT_ID(mori_block_size##axis, tgt_implicit_size(n))                                        \
	TGT_ID(mori_grid_size##axis, tgt_implicit_counts()[n])
TGT_AXIS(, 0, x)
TGT_AXIS(_y, 1, y)
TGT_AXIS(_z, 2, z)
#undef TGT_AXIS
#undef TGT_ID

DEV_API uint32_t mori_lane_id(void)
{
	return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}

DEV_API uint32_t mori_warp_size(void)
{
	return __builtin_amdgcn_wavefrontsize();
}

/*
 * Every wave waits until its own accesses have arrived. The fence of a block does not wait, because
 * the waves of a block share a cache, and a release by the leading wave after the barrier does not
 * wait for the stores of other waves.
 */
DEV_API void mori_block_sync(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_waitcnt(0);
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

DEV_INLINE uint64_t tgt_now_ns(void)
{
	return __builtin_readsteadycounter() * 10; /* it counts at 100 MHz */
}

/* Whether only this thread or its block can load and store there. */
DEV_INLINE bool tgt_private(const void *p)
{
	return __builtin_amdgcn_is_private((const __attribute__((address_space(0))) void *)p) ||
	       __builtin_amdgcn_is_shared((const __attribute__((address_space(0))) void *)p);
}

/* The low word of both, shifted to the right by less than 32. */
DEV_INLINE uint32_t tgt_join(uint32_t low, uint32_t high, uint32_t shift)
{
	return __builtin_amdgcn_alignbit(high, low, shift);
}

#define TGT_SYS __MEMORY_SCOPE_SYSTEM

#define TGT_ACQUIRE __ATOMIC_ACQUIRE
#define TGT_LOAD(name, type, order)                                                                \
	DEV_INLINE type name(const void *p)                                                        \
	{                                                                                          \
		return __scoped_atomic_load_n((const type *)p, order, TGT_SYS);                    \
	}
TGT_LOAD(tgt_load_relaxed_32, uint32_t, __ATOMIC_RELAXED)
TGT_LOAD(tgt_load_relaxed_64, uint64_t, __ATOMIC_RELAXED)
TGT_LOAD(tgt_load_acquire_8, uint8_t, TGT_ACQUIRE)
TGT_LOAD(tgt_load_acquire_16, uint16_t, TGT_ACQUIRE)
TGT_LOAD(tgt_load_acquire_32, uint32_t, TGT_ACQUIRE)
TGT_LOAD(tgt_load_acquire_64, uint64_t, TGT_ACQUIRE)
#undef TGT_LOAD
#undef TGT_ACQUIRE
/* Polls of a wait acquire once, when it is over: that drops the caches. */
#define tgt_load_poll_32 tgt_load_relaxed_32
#define tgt_load_poll_64 tgt_load_relaxed_64
#define tgt_poll_acquire tgt_acquire

#define TGT_STORE(name, type, order)                                                               \
	DEV_INLINE void name(void *p, type v)                                                      \
	{                                                                                          \
		__scoped_atomic_store_n((type *)p, v, order, TGT_SYS);                             \
	}
TGT_STORE(tgt_store_relaxed_8, uint8_t, __ATOMIC_RELAXED)
TGT_STORE(tgt_store_relaxed_16, uint16_t, __ATOMIC_RELAXED)
TGT_STORE(tgt_store_relaxed_32, uint32_t, __ATOMIC_RELAXED)
TGT_STORE(tgt_store_relaxed_64, uint64_t, __ATOMIC_RELAXED)
#undef TGT_STORE

/*
 * Writes back what this wave has stored, and the stores of others that it has seen. The wait is
 * explicit: the compiler omits it where it sees no store of this wave, and the write-back would
 * still be under way. Other waves wait for their own stores, in mori_block_sync().
 */
DEV_INLINE void tgt_release(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
	__builtin_amdgcn_s_waitcnt(0);
}

/* Drops from the caches what others may have changed. */
DEV_INLINE void tgt_acquire(void)
{
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
}

DEV_INLINE void tgt_store_release_64(void *p, uint64_t v)
{
	tgt_release();
	tgt_store_relaxed_64(p, v);
}

/* It also acquires: a lock is taken by an atomic and a fence. */
DEV_INLINE void tgt_fence_order(const struct dev_state *st)
{
	(void)st;
	tgt_release();
	tgt_acquire();
}

/*
 * Flags of a barrier: one write-back for all flags that this thread stores after it, and for what
 * the lanes did before they synchronised. Pairs with the acquire in dev_load().
 */
DEV_INLINE void tgt_flags_begin(const struct dev_state *st)
{
	(void)st;
	tgt_release();
}

DEV_INLINE void tgt_fence_full(const struct dev_state *st)
{
	(void)st;
	tgt_release();
	tgt_acquire();
}

/* Atomics have no order, as on NVIDIA: docs/memory-model.md leaves that to fence and quiet. */
#define TGT_ATOM(name, type, op)                                                                   \
	DEV_INLINE type name(void *p, type v)                                                      \
	{                                                                                          \
		return op((type *)p, v, __ATOMIC_RELAXED, TGT_SYS);                                \
	}
TGT_ATOM(tgt_add_32, uint32_t, __scoped_atomic_fetch_add)
TGT_ATOM(tgt_add_64, uint64_t, __scoped_atomic_fetch_add)
TGT_ATOM(tgt_and_32, uint32_t, __scoped_atomic_fetch_and)
TGT_ATOM(tgt_and_64, uint64_t, __scoped_atomic_fetch_and)
TGT_ATOM(tgt_or_32, uint32_t, __scoped_atomic_fetch_or)
TGT_ATOM(tgt_or_64, uint64_t, __scoped_atomic_fetch_or)
TGT_ATOM(tgt_xor_32, uint32_t, __scoped_atomic_fetch_xor)
TGT_ATOM(tgt_xor_64, uint64_t, __scoped_atomic_fetch_xor)
TGT_ATOM(tgt_swap_32, uint32_t, __scoped_atomic_exchange_n)
TGT_ATOM(tgt_swap_64, uint64_t, __scoped_atomic_exchange_n)
#undef TGT_ATOM

#define TGT_CAS(name, type)                                                                        \
	DEV_INLINE type name(void *p, type compare, type v)                                        \
	{                                                                                          \
		__scoped_atomic_compare_exchange_n((type *)p, &compare, v, false,                  \
						   __ATOMIC_RELAXED, __ATOMIC_RELAXED, TGT_SYS);   \
		return compare;                                                                    \
	}
TGT_CAS(tgt_cas_32, uint32_t)
TGT_CAS(tgt_cas_64, uint64_t)
#undef TGT_CAS

/* Release: pairs with the acquire in dev_load(). A signal has no result to wait for. */
DEV_INLINE void tgt_signal(const struct dev_state *st, void *p, int op, uint64_t v)
{
	(void)st;
	tgt_release();
	if (op == MORI_SHMEM_AMO_ADD)
		__scoped_atomic_fetch_add((uint64_t *)p, v, __ATOMIC_RELAXED, TGT_SYS);
	else
		tgt_store_relaxed_64(p, v);
}

DEV_INLINE void tgt_enter(enum dev_scope scope)
{
	if (scope == DEV_warp) {
		/* No instruction, but the compiler keeps the exchange between lanes in order. */
		__builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
		__builtin_amdgcn_wave_barrier();
		__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
	} else if (scope == DEV_block) {
		mori_block_sync();
	}
}

/* The value of the first lane of a wave. */
DEV_INLINE uint64_t tgt_share_warp(uint64_t v)
{
	uint32_t lo = (uint32_t)__builtin_amdgcn_readfirstlane((int)(uint32_t)v);
	uint32_t hi = (uint32_t)__builtin_amdgcn_readfirstlane((int)(uint32_t)(v >> 32));

	return (uint64_t)hi << 32 | lo;
}

#endif
