// SPDX-License-Identifier: MIT
/*
 * The target nvptx64. Every ordered access is inline PTX: the backend turns an
 * atomic read-modify-write of release order and system scope into a relaxed one of
 * GPU scope, and cannot select acquire loads at all in LLVM 19.
 */
#ifndef MORI_TARGET_NVPTX_H
#define MORI_TARGET_NVPTX_H

#include "target/target_gpu.h"

#define TGT_SREG(name, builtin)                                                                    \
	DEV_API uint32_t name(void)                                                                \
	{                                                                                          \
		return (uint32_t)builtin();                                                        \
	}
TGT_SREG(mori_thread_id, __nvvm_read_ptx_sreg_tid_x)
TGT_SREG(mori_thread_id_y, __nvvm_read_ptx_sreg_tid_y)
TGT_SREG(mori_thread_id_z, __nvvm_read_ptx_sreg_tid_z)
TGT_SREG(mori_block_size, __nvvm_read_ptx_sreg_ntid_x)
TGT_SREG(mori_block_size_y, __nvvm_read_ptx_sreg_ntid_y)
TGT_SREG(mori_block_size_z, __nvvm_read_ptx_sreg_ntid_z)
TGT_SREG(mori_block_id, __nvvm_read_ptx_sreg_ctaid_x)
TGT_SREG(mori_block_id_y, __nvvm_read_ptx_sreg_ctaid_y)
TGT_SREG(mori_block_id_z, __nvvm_read_ptx_sreg_ctaid_z)
TGT_SREG(mori_grid_size, __nvvm_read_ptx_sreg_nctaid_x)
TGT_SREG(mori_grid_size_y, __nvvm_read_ptx_sreg_nctaid_y)
TGT_SREG(mori_grid_size_z, __nvvm_read_ptx_sreg_nctaid_z)
TGT_SREG(mori_lane_id, __nvvm_read_ptx_sreg_laneid)
#undef TGT_SREG

DEV_API uint32_t mori_warp_size(void)
{
	return 32;
}

DEV_API void mori_block_sync(void)
{
	__syncthreads();
}

DEV_INLINE uint64_t tgt_now_ns(void)
{
	uint64_t t;

	__asm__ __volatile__("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

/* Whether only this thread or its block can load and store there. */
DEV_INLINE bool tgt_private(const void *p)
{
	return __nvvm_isspacep_local(p) || __nvvm_isspacep_shared(p);
}

/*
 * A word that never changes while the kernel runs, not even after an acquire or in a loop: the
 * compiler may read it early, and only once. The offset is added to an address known to be global,
 * so that one instruction serves all words of a state.
 */
DEV_INLINE uint64_t tgt_fixed(const void *p, size_t at, size_t size)
{
	const void *word = (const void *)((__attribute__((address_space(1))) const char *)p + at);

	return size == 8 ? __nvvm_ldg_ull(word) : __nvvm_ldg_ui(word);
}
#define DEV_FIXED_AT(p) ((__typeof__(*(p)))tgt_fixed(p, 0, sizeof(*(p))))
#define DEV_FIXED(st, field)                                                                       \
	((__typeof__((st)->field))tgt_fixed(st, __builtin_offsetof(struct dev_state, field),       \
					    sizeof((st)->field)))

/*
 * A module's pointer to its state is always valid: the build of the library marks it so for the
 * compiler (tgt_state() is one load), which then reads no word of the state twice in a loop.
 */
static struct dev_state tgt_unset __attribute__((unused));
#define TGT_UNSET (&tgt_unset)
#define TGT_QUICK 1

#define TGT_HIDE(x) __asm__("" : "+l"(x))

DEV_INLINE struct dev_state *tgt_state(struct dev_state *p)
{
	return (struct dev_state *)(__attribute__((address_space(1))) struct dev_state *)p;
}

DEV_INLINE struct dev_state *tgt_context(uint64_t ctx)
{
	return (struct dev_state *)tgt_pointer(ctx ? ctx : (uint64_t)(uintptr_t)&tgt_unset);
}

/* The low word of both, shifted to the right by less than 32. */
DEV_INLINE uint32_t tgt_join(uint32_t low, uint32_t high, uint32_t shift)
{
	uint32_t v;

	__asm__("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(v) : "r"(low), "r"(high), "r"(shift));
	return v;
}

/* Loads, stores and read-modify-writes of system scope, in PTX. */
#define TGT_LOAD(name, type, how, reg)                                                             \
	DEV_INLINE type name(const void *p)                                                        \
	{                                                                                          \
		type v;                                                                            \
		__asm__ __volatile__("ld." how " %0, [%1];" : "=" reg(v) : "l"(p) : "memory");     \
		return v;                                                                          \
	}
TGT_LOAD(tgt_load_relaxed_32, uint32_t, "relaxed.sys.b32", "r")
TGT_LOAD(tgt_load_relaxed_64, uint64_t, "relaxed.sys.b64", "l")
TGT_LOAD(tgt_load_acquire_8, uint16_t, "acquire.sys.b8", "h")
TGT_LOAD(tgt_load_acquire_16, uint16_t, "acquire.sys.b16", "h")
TGT_LOAD(tgt_load_acquire_32, uint32_t, "acquire.sys.b32", "r")
TGT_LOAD(tgt_load_acquire_64, uint64_t, "acquire.sys.b64", "l")
#undef TGT_LOAD
/* Polls of a wait: each acquires. */
#define tgt_load_poll_32 tgt_load_acquire_32
#define tgt_load_poll_64 tgt_load_acquire_64
DEV_INLINE void tgt_poll_acquire(void)
{
}

#define TGT_STORE(name, type, how, reg)                                                            \
	DEV_INLINE void name(void *p, type v)                                                      \
	{                                                                                          \
		__asm__ __volatile__("st." how " [%0], %1;" ::"l"(p), reg(v) : "memory");          \
	}
TGT_STORE(tgt_store_relaxed_8, uint16_t, "relaxed.sys.b8", "h")
TGT_STORE(tgt_store_relaxed_16, uint16_t, "relaxed.sys.b16", "h")
TGT_STORE(tgt_store_relaxed_32, uint32_t, "relaxed.sys.b32", "r")
TGT_STORE(tgt_store_relaxed_64, uint64_t, "relaxed.sys.b64", "l")
TGT_STORE(tgt_store_release_64, uint64_t, "release.sys.b64", "l")
#undef TGT_STORE

/*
 * Fences and releases. Where all PEs use one GPU, its cache holds all that they share: GPU scope is
 * enough, and several times faster than system scope.
 */
DEV_INLINE void tgt_fence_order(const struct dev_state *st)
{
	if (DEV_FIXED(st, one_device))
		__asm__ __volatile__("fence.acq_rel.gpu;" ::: "memory");
	else
		__asm__ __volatile__("fence.acq_rel.sys;" ::: "memory");
}

DEV_INLINE void tgt_fence_full(const struct dev_state *st)
{
	if (DEV_FIXED(st, one_device))
		__asm__ __volatile__("fence.sc.gpu;" ::: "memory");
	else
		__asm__ __volatile__("fence.sc.sys;" ::: "memory");
}

/*
 * Atomics and signals never apply to memory of a block: unless the address says so, the hardware
 * checks.
 */
DEV_INLINE uint64_t tgt_global(void *p)
{
	return (uint64_t)(__attribute__((address_space(1))) void *)p;
}

/*
 * Returns the old value. Relaxed: only quiet and fence order atomics, and order here would cost
 * several times as much as the atomic.
 */
#define TGT_ATOM(name, type, reg, op)                                                              \
	DEV_INLINE type name(void *p, type v)                                                      \
	{                                                                                          \
		type old;                                                                          \
		__asm__ __volatile__("atom.relaxed.sys.global." op " %0, [%1], %2;"                \
				     : "=" reg(old)                                                \
				     : "l"(tgt_global(p)), reg(v)                                  \
				     : "memory");                                                  \
		return old;                                                                        \
	}
TGT_ATOM(tgt_add_32, uint32_t, "r", "add.u32")
TGT_ATOM(tgt_add_64, uint64_t, "l", "add.u64")
TGT_ATOM(tgt_and_32, uint32_t, "r", "and.b32")
TGT_ATOM(tgt_and_64, uint64_t, "l", "and.b64")
TGT_ATOM(tgt_or_32, uint32_t, "r", "or.b32")
TGT_ATOM(tgt_or_64, uint64_t, "l", "or.b64")
TGT_ATOM(tgt_xor_32, uint32_t, "r", "xor.b32")
TGT_ATOM(tgt_xor_64, uint64_t, "l", "xor.b64")
TGT_ATOM(tgt_swap_32, uint32_t, "r", "exch.b32")
TGT_ATOM(tgt_swap_64, uint64_t, "l", "exch.b64")
#undef TGT_ATOM

#define TGT_CAS(name, type, reg, op)                                                               \
	DEV_INLINE type name(void *p, type compare, type v)                                        \
	{                                                                                          \
		type old;                                                                          \
		__asm__ __volatile__("atom.relaxed.sys.global.cas." op " %0, [%1], %2, %3;"        \
				     : "=" reg(old)                                                \
				     : "l"(tgt_global(p)), reg(compare), reg(v)                    \
				     : "memory");                                                  \
		return old;                                                                        \
	}
TGT_CAS(tgt_cas_32, uint32_t, "r", "b32")
TGT_CAS(tgt_cas_64, uint64_t, "l", "b64")
#undef TGT_CAS

/*
 * Flags of a barrier: one fence for all flags that this thread stores after it, and for what the
 * lanes did before they synchronised. Pairs with the acquire in dev_load().
 */
DEV_INLINE void tgt_flags_begin(const struct dev_state *st)
{
	tgt_fence_order(st);
}

/* Release: pairs with the acquire in dev_load(). A signal has no result to wait for. */
DEV_INLINE void tgt_signal(const struct dev_state *st, void *p, int op, uint64_t v)
{
	uint64_t at = tgt_global(p);

	if (!DEV_FIXED(st, one_device) && op == MORI_SHMEM_AMO_ADD)
		__asm__ __volatile__("red.release.sys.global.add.u64 [%0], %1;" ::"l"(at), "l"(v)
				     : "memory");
	else if (!DEV_FIXED(st, one_device))
		__asm__ __volatile__("st.release.sys.global.b64 [%0], %1;" ::"l"(at), "l"(v)
				     : "memory");
	else if (op == MORI_SHMEM_AMO_ADD)
		__asm__ __volatile__("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(at), "l"(v)
				     : "memory");
	else
		__asm__ __volatile__("st.release.gpu.global.b64 [%0], %1;" ::"l"(at), "l"(v)
				     : "memory");
}

/* All lanes of the warp that exist: fewer may be converged at the moment. */
DEV_INLINE uint32_t tgt_warp_mask(void)
{
	return 0xffffffffu >> (32 - tgt_lanes(DEV_warp));
}

/*
 * With a mask unknown at compile time the hardware goes lane by lane: a full warp uses a constant.
 */
DEV_INLINE bool tgt_warp_whole(void)
{
	return dev_likely(tgt_lanes(DEV_warp) == 32);
}

DEV_INLINE void tgt_enter(enum dev_scope scope)
{
	if (scope == DEV_warp && tgt_warp_whole())
		__nvvm_bar_warp_sync(0xffffffffu);
	else if (scope == DEV_warp)
		__nvvm_bar_warp_sync(tgt_warp_mask());
	else if (scope == DEV_block)
		__syncthreads();
}

DEV_INLINE uint64_t tgt_shuffle(uint32_t mask, uint64_t v)
{
	uint32_t lo = (uint32_t)__nvvm_shfl_sync_idx_i32(mask, (int)(uint32_t)v, 0, 31);
	uint32_t hi = (uint32_t)__nvvm_shfl_sync_idx_i32(mask, (int)(uint32_t)(v >> 32), 0, 31);

	return (uint64_t)hi << 32 | lo;
}

/* The value of the first lane of a warp. */
DEV_INLINE uint64_t tgt_share_warp(uint64_t v)
{
	return tgt_warp_whole() ? tgt_shuffle(0xffffffffu, v) : tgt_shuffle(tgt_warp_mask(), v);
}

/* Whether @x holds on any lane; brings the lanes together. */
DEV_INLINE bool tgt_any(enum dev_scope scope, bool x)
{
	if (scope == DEV_warp) {
		tgt_enter(scope); /* a vote orders no memory */
		return tgt_warp_whole() ? __nvvm_vote_any_sync(0xffffffffu, x) :
					  __nvvm_vote_any_sync(tgt_warp_mask(), x);
	}
	return scope == DEV_block ? __nvvm_bar0_or(x) != 0 : x;
}

#endif
