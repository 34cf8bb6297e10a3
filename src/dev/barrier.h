// SPDX-License-Identifier: MIT
/*
 * The barrier of kernels: every PE has a flag for each peer, and stores the number
 * of the meeting into its flag at all of them. No PE is in the middle, and the count
 * is kept on the device, so that a launch can be replayed.
 */
#ifndef MORI_DEV_BARRIER_H
#define MORI_DEV_BARRIER_H

#include "dev/wait.h"

DEV_BODY uint64_t *dev_sync_flag(const struct dev_state *st, int at, int of)
{
	return (uint64_t *)tgt_pointer(st->sync + (uint64_t)st->sync_slot[at] * st->sync_stride) +
	       of;
}

/* This lane's share of the peers: tell them, then hear of them. */
DEV_BODY int dev_sync_lane(const struct dev_state *st, enum dev_scope scope, uint64_t epoch)
{
	int lanes = (int)tgt_lanes(scope), first = (int)tgt_lane(scope), err = 0;
	uint64_t seen;

	for (int pe = first; pe < st->n_pes; pe += lanes) {
		if (st->sync_slot[pe] < 0)
			return tgt_fail(st, MORI_SHMEM_ENOTSUP, pe, 0, 0);
	}
	/* Release: pairs with the acquire in dev_load(). */
	for (int pe = first; pe < st->n_pes; pe += lanes)
		tgt_store_release_64(dev_sync_flag(st, pe, st->my_pe), epoch);
	for (int pe = first; !err && pe < st->n_pes; pe += lanes)
		err = dev_wait_see(st, dev_sync_flag(st, st->my_pe, pe), DEV_KIND_uint64,
				   MORI_SHMEM_CMP_GE, epoch,
				   st->sync_ns ? st->sync_ns : DEV_NS_DEFAULT, pe, &seen);
	return err;
}

DEV_BODY int dev_sync(struct dev_state *st, enum dev_scope scope)
{
	uint64_t epoch = 0;
	int err;

	tgt_enter(scope);
	if (tgt_leads(scope))
		epoch = ++st->sync_epoch;
	epoch = tgt_share(scope, epoch);
	err = dev_sync_lane(st, scope, epoch);
	if (tgt_any(scope, err != 0) && !err)
		err = (int)tgt_load_relaxed_32((const uint32_t *)&st->fault.code);
	return err;
}

DEV_BODY int dev_barrier(struct dev_state *st, enum dev_scope scope)
{
	tgt_fence_full();
	return dev_sync(st, scope);
}

#endif
