// SPDX-License-Identifier: MIT
/*
 * The target of kernels on the CPU: a lane is a fiber, and the executor of the host library
 * synchronises lanes. All lanes share a core, so one of them copies for all: a block's copy is a
 * memcpy.
 */
#ifndef MORI_TARGET_CPU_H
#define MORI_TARGET_CPU_H

#include "abi/cpu.h"
#include "target/base.h"
struct cpu_grid *mori_cpu_grid;

#define TGT_ID(name, value)                                                                        \
	DEV_API uint32_t name(void)                                                                \
	{                                                                                          \
		return value;                                                                      \
	}
#define TGT_AXIS(axis, n)                                                                          \
	TGT_ID(mori_thread_id##axis, mori_cpu_grid->current->thread[n])                            \
	TGT_ID(mori_block_id##axis, mori_cpu_grid->current->block[n])                              \
	TGT_ID(mori_block_size##axis, mori_cpu_grid->current->block_size[n])                       \
	TGT_ID(mori_grid_size##axis, mori_cpu_grid->current->grid_size[n])
TGT_AXIS(, 0)
TGT_AXIS(_y, 1)
TGT_AXIS(_z, 2)
#undef TGT_AXIS
#undef TGT_ID

DEV_API uint32_t mori_lane_id(void)
{
	return mori_cpu_grid->current->rank % CPU_WARP;
}

DEV_API uint32_t mori_warp_size(void)
{
	uint32_t lanes = mori_cpu_grid->current->lanes;

	return lanes < CPU_WARP ? lanes : CPU_WARP;
}

DEV_API void mori_block_sync(void)
{
	mori_cpu_grid->ops->sync(DEV_block);
}

/* Whether only this thread or its block can load and store there: never. */
DEV_INLINE bool tgt_private(const void *p)
{
	(void)p;
	return false;
}

DEV_INLINE void *tgt_shared_memory(void)
{
	return mori_cpu_grid->current->shared;
}

DEV_INLINE uint64_t tgt_now_ns(void)
{
	return mori_cpu_grid->ops->now_ns();
}

DEV_INLINE uint32_t tgt_lane(enum dev_scope scope)
{
	if (scope == DEV_thread)
		return 0;
	return scope == DEV_warp ? mori_lane_id() : mori_cpu_grid->current->rank;
}

/* The last warp of a block may be a short one. */
DEV_INLINE uint32_t tgt_lanes(enum dev_scope scope)
{
	const struct cpu_fiber *f = mori_cpu_grid->current;
	uint32_t left = f->lanes - f->rank / CPU_WARP * CPU_WARP;

	if (scope == DEV_thread)
		return 1;
	return scope == DEV_block ? f->lanes : left < CPU_WARP ? left : CPU_WARP;
}

DEV_INLINE void tgt_enter(enum dev_scope scope)
{
	if (scope != DEV_thread)
		mori_cpu_grid->ops->enter((int)scope, 0);
}

DEV_INLINE void tgt_leave(enum dev_scope scope)
{
	if (scope != DEV_thread)
		mori_cpu_grid->ops->leave((int)scope);
}

DEV_INLINE bool tgt_leads(enum dev_scope scope)
{
	return scope == DEV_thread || mori_cpu_grid->current->leads >> (int)scope & 1;
}

DEV_INLINE uint64_t tgt_share_rare(enum dev_scope scope, uint64_t v)
{
	return scope == DEV_thread ? v : mori_cpu_grid->ops->share((int)scope, v);
}

DEV_INLINE bool tgt_any(enum dev_scope scope, bool x)
{
	return scope == DEV_thread ? x : mori_cpu_grid->ops->enter((int)scope, x) != 0;
}

#include "target/cpu_memory.h"

DEV_INLINE uint32_t tgt_cas_32(void *p, uint32_t compare, uint32_t v)
{
	return (uint32_t)tgt_compare_swap(p, false, compare, v);
}

DEV_INLINE void tgt_store_relaxed_32(void *p, uint32_t v)
{
	__atomic_store_n((uint32_t *)p, v, __ATOMIC_RELAXED);
}

DEV_INLINE void tgt_store_relaxed_64(void *p, uint64_t v)
{
	__atomic_store_n((uint64_t *)p, v, __ATOMIC_RELAXED);
}

DEV_INLINE void tgt_store_release_64(void *p, uint64_t v)
{
	__atomic_store_n((uint64_t *)p, v, __ATOMIC_RELEASE);
}

DEV_INLINE void tgt_yield(const void *addr, int cmp, uint64_t value, uint32_t kind, bool first,
			  bool ends)
{
	mori_cpu_grid->ops->yield(addr, cmp, value,
				  (int)(kind * CPU_POLL_KIND) | (first ? CPU_POLL_FIRST : 0) |
					  (ends ? CPU_POLL_ENDS : 0));
}

/* A word was polled and may be polled again: fibers must let others run now and then. */
DEV_INLINE void tgt_polled(void)
{
	if (dev_likely(++mori_cpu_grid->polls < CPU_POLLS))
		return;
	mori_cpu_grid->polls = 0;
	tgt_yield(NULL, 0, 0, 0, false, false);
}

DEV_INLINE void tgt_put(enum dev_scope scope, void *dst, const void *src, uint64_t len)
{
	if (tgt_leads(scope))
		tgt_put_one(dst, src, len);
}

DEV_INLINE void tgt_get(enum dev_scope scope, void *dst, const void *src, uint64_t len)
{
	if (tgt_leads(scope))
		tgt_get_one(dst, src, len);
}

#endif
