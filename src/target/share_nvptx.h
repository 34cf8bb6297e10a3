// SPDX-License-Identifier: MIT
/*
 * How a lane gives a value to its block on NVIDIA. Not by shared memory: one static word of it
 * moves the kernel's own, and a compiler that has placed operands of wgmma there, or counted all of it
 * for the launch, is not asked. So the value goes through a word of global memory that the module
 * has for that, one for many blocks: a mark tells whether another block has written there in between.
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
 * The mark of this block: no other that runs on these slots has it. To be asked for before the value
 * is: the number of the grid takes its time to read, and is the same in every round of a loop.
 */
DEV_INLINE uint64_t tgt_share_mark(enum dev_scope scope)
{
	uint64_t grid;

	if (scope != DEV_block || tgt_lanes(DEV_block) <= 32)
		return 0; /* a warp shuffles */
	__asm__("mov.u64 %0, %%gridid;" : "=l"(grid));
	/* Grids that follow each other lie far apart. */
	return grid * 0x9e3779b97f4a7c15u + mori_block_id() +
	       (uint64_t)mori_grid_size() *
		       (mori_block_id_y() + (uint64_t)mori_grid_size_y() * mori_block_id_z());
}

/*
 * Through the barrier itself, which counts lanes: the first warp says five bits at a time. Slow,
 * needs no memory, and cannot be disturbed. For blocks of more than one warp.
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

/* Of the lane that leads a block; the lanes have met when it returns. */
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

/* For a status that is rarely needed: little code, however long it takes. */
DEV_INLINE uint64_t tgt_share_rare(enum dev_scope scope, uint64_t v)
{
	if (scope == DEV_thread)
		return v;
	return scope == DEV_block && tgt_lanes(DEV_block) > 32 ? tgt_share_slow(v) :
								 tgt_share_warp(v);
}

/* Of the lane that leads; a block has met when it returns. @mark: tgt_share_mark(), from before. */
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
