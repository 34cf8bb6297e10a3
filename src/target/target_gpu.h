// SPDX-License-Identifier: MIT
/* What both GPU targets have in common: the position of a lane, and plain forwarding. */
#ifndef MORI_TARGET_GPU_H
#define MORI_TARGET_GPU_H

#include "target/base.h"

#include <mori/shmem_device.h>

#define tgt_leave		tgt_enter
#define tgt_load_acquire_ptr(p) ((struct dev_window *)tgt_load_acquire_64(p))

/* An address in device memory, never in memory of a block or a thread: simpler instructions. */
DEV_INLINE void *tgt_pointer(uint64_t addr)
{
	return (void *)(__attribute__((address_space(1))) void *)addr;
}

DEV_INLINE uint32_t tgt_thread_rank(void)
{
	return mori_thread_id() +
	       mori_block_size() * (mori_thread_id_y() + mori_block_size_y() * mori_thread_id_z());
}

DEV_INLINE uint32_t tgt_lane(enum dev_scope scope)
{
	return scope == DEV_thread ? 0 : scope == DEV_warp ? mori_lane_id() : tgt_thread_rank();
}

/* The last warp of a block may be a short one. */
DEV_INLINE uint32_t tgt_lanes(enum dev_scope scope)
{
	uint32_t block = mori_block_size() * mori_block_size_y() * mori_block_size_z();
	uint32_t warp = mori_warp_size(), left = block - tgt_thread_rank() / warp * warp;

	if (scope == DEV_thread)
		return 1;
	return scope == DEV_block ? block : left < warp ? left : warp;
}

DEV_INLINE bool tgt_leads(enum dev_scope scope)
{
	return tgt_lane(scope) == 0;
}

/* Between two polls: nothing to do, since other warps run anyway. */
DEV_INLINE void tgt_yield(const void *addr, int cmp, uint64_t value, uint32_t kind, bool first,
			  bool ends)
{
	(void)kind;
	(void)addr, (void)cmp, (void)value, (void)first, (void)ends;
}

#endif
