// SPDX-License-Identifier: MIT
/*
 * How a lane passes a value to its block on NVIDIA. Shared memory will not do: one static word of
 * it moves the kernel's own, behind the back of a compiler that has placed operands of wgmma there
 * or has counted all of it for the launch. So the value goes through a word of global memory that
 * the module has for this purpose and that many blocks use: a mark shows whether another block has
 * written there in between.
 */
#ifndef MORI_TARGET_SHARE_NVPTX_H
#define MORI_TARGET_SHARE_NVPTX_H

#include "target/target_nvptx.h"

#define TGT_SLOTS 1024u

static __attribute__((address_space(1), aligned(16))) struct tgt_slot {
	uint64_t value;
	uint64_t check; /* the value and the mark of its block, combined */
} tgt_slots[TGT_SLOTS];

/*
 * The mark of this block, which no other block that runs on these slots has. Call it before the
 * value is computed: the number of the grid takes long to read, and is the same in every iteration
 * of a loop.
 */
DEV_INLINE uint64_t tgt_share_mark(enum dev_scope scope)
{
	uint64_t grid;

	if (scope != DEV_block || tgt_lanes(DEV_block) <= 32)
		return 0; /* a warp shuffles */
	__asm__("mov.u64 %0, %%gridid;" : "=l"(grid));
	/* Consecutive grids use distant slots. */
	return grid * 0x9e3779b97f4a7c15u + mori_block_id() +
	       (uint64_t)mori_grid_size() *
		       (mori_block_id_y() + (uint64_t)mori_grid_size_y() * mori_block_id_z());
}

/*
 * Through the barrier itself, which counts lanes: the first warp sends five bits at a time. Slow,
 * but needs no memory and cannot be disturbed. For blocks of more than one warp.
 */
DEV_OUTLINE uint64_t tgt_share_slow(uint64_t v)
{
	uint32_t rank = tgt_thread_rank();
	uint64_t out = 0;

	if (rank < 32)
		v = tgt_share_warp(v);
#pragma clang loop unroll(disable)
	for (uint32_t bit = 0; bit < 64; bit += 5)
		out |= (uint64_t)(uint32_t)__nvvm_bar0_popc(rank < (v >> bit & 31)) << bit;
	return out;
}

/* The value of the lane that leads a block; when it returns, the lanes have synchronised. */
DEV_INLINE uint64_t tgt_share_block(uint64_t mark, uint64_t v)
{
	uint64_t at = (uint64_t)&tgt_slots[(mark ^ mark >> 32) & (TGT_SLOTS - 1)], got, check;

	if (tgt_thread_rank() == 0)
		__asm__ __volatile__("st.global.v2.b64 [%0], {%1, %2};" ::"l"(at), "l"(v),
				     "l"(v ^ mark)
				     : "memory");
	tgt_enter(DEV_block);
	__asm__ __volatile__("ld.global.v2.b64 {%0, %1}, [%2];"
			     : "=l"(got), "=l"(check)
			     : "l"(at)
			     : "memory");
	return dev_likely(!tgt_any(DEV_block, (got ^ check) != mark)) ? got : tgt_share_slow(v);
}

/* For a status that is rarely needed: short code, at the cost of time. */
DEV_INLINE uint64_t tgt_share_rare(enum dev_scope scope, uint64_t v)
{
	if (scope == DEV_thread)
		return v;
	return scope == DEV_block && tgt_lanes(DEV_block) > 32 ? tgt_share_slow(v) :
								 tgt_share_warp(v);
}

/*
 * The value of the lane that leads; when it returns, a block has synchronised. @mark: what
 * tgt_share_mark() returned before.
 */
DEV_INLINE uint64_t tgt_share(enum dev_scope scope, uint64_t mark, uint64_t v)
{
	if (scope == DEV_thread)
		return v;
	if (scope == DEV_block && tgt_lanes(DEV_block) > 32)
		return tgt_share_block(mark, v);
	if (scope == DEV_block)
		tgt_enter(DEV_warp); /* which it is */
	return tgt_share_warp(v);
}

#endif
