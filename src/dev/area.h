// SPDX-License-Identifier: MIT
/*
 * The library's own memory on each PE: flags of kernels' barriers, and behind them the slots of
 * teams. It is reached as the heap is, but it is no symmetric memory of users.
 */
#ifndef MORI_DEV_AREA_H
#define MORI_DEV_AREA_H

#include "dev/path.h"

/* The addresses of the flags, read once: a loop over barriers keeps them. */
struct dev_flags {
	uint64_t first, stride;
	bool uniform; /* the flags of a PE are at first + pe * stride */
	int me, n;
	uint64_t ns; /* how long a barrier may take */
};

DEV_INLINE struct dev_flags dev_flags(const struct dev_state *st)
{
	uint64_t ns = DEV_FIXED(st, sync_ns);

	return (struct dev_flags){
		.first = DEV_FIXED(st, sync),
		.stride = DEV_FIXED(st, sync_stride),
		.uniform = (int)(DEV_FIXED(st, sync_slot_same) != 0) &
			   (int)(DEV_FIXED(st, bases) == NULL),
		.me = DEV_FIXED(st, my_pe),
		.n = DEV_FIXED(st, n_pes),
		.ns = ns ? ns : DEV_NS_DEFAULT,
	};
}

/* The flags of a PE whose place does not follow from its number; 0: not mapped here. */
DEV_OUTLINE uint64_t dev_flags_rare(const struct dev_state *st, int at)
{
	int32_t slot = st->sync_slot[at];

	if (slot < 0)
		return 0;
	return st->bases ? st->bases[slot] + (st->sync - st->window) :
			   st->sync + (uint64_t)slot * st->sync_stride;
}

DEV_INLINE uint64_t *dev_flag(const struct dev_state *st, const struct dev_flags *f, int at, int of)
{
	uint64_t flags = dev_likely(f->uniform) ? f->first + (uint64_t)at * f->stride :
						  dev_flags_rare(st, at);

	return (uint64_t *)tgt_pointer(flags) + of;
}

#endif
