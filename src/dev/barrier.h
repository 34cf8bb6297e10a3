// SPDX-License-Identifier: MIT
/*
 * The barrier of kernels: every PE has a flag for each peer, and stores the number of the
 * barrier into its flag at each of them. There is no central PE, and the count is kept on the
 * device, so that a launch can be replayed.
 */
#ifndef MORI_DEV_BARRIER_H
#define MORI_DEV_BARRIER_H

#include "dev/area.h"
#include "dev/order.h"
#include "dev/wait.h"

/*
 * This lane's share of the peers: set their flags, then wait for theirs. *@count is the number
 * of barriers so far; it becomes that of this one.
 */
DEV_INLINE int dev_sync_lane(const struct dev_state *st, const struct dev_flags *f,
			     enum dev_scope scope, uint64_t *count)
{
	int lanes = (int)tgt_lanes(scope), first = (int)tgt_lane(scope), err = 0;
	uint64_t epoch, seen;

	/* Release: pairs with the acquire in dev_load(). */
	if (first < f->n)
		tgt_flags_begin(st);
	TGT_HIDE(*count); /* not earlier: the fence must not wait for this load */
	epoch = ++*count;
	for (int pe = first; pe < f->n && !err; pe += lanes) {
		if (dev_likely(f->uniform) || dev_flags_rare(st, pe))
			tgt_flag(dev_flag(st, f, pe, f->me), epoch);
		else
			err = dev_queue_flag(
				st, pe, (uint64_t)(uintptr_t)dev_flag(st, f, f->me, f->me), epoch);
	}
	for (int pe = first; !err && pe < f->n; pe += lanes)
		err = dev_wait_word(st, dev_flag(st, f, f->me, pe), DEV_KIND_uint64,
				    MORI_SHMEM_CMP_GE, epoch, f->ns, pe, &seen);
	return err;
}

DEV_INLINE int dev_sync(struct dev_state *st, enum dev_scope scope)
{
	struct dev_flags f = dev_flags(st);
	uint64_t epoch;
	int err;

	/* Read by every lane before the lanes come together; it changes before they do so again. */
	epoch = tgt_load_relaxed_64(&st->sync_epoch);
	tgt_enter(scope);
	err = dev_sync_lane(st, &f, scope, &epoch);
	if (tgt_leads(scope))
		tgt_store_relaxed_64(&st->sync_epoch, epoch);
	if (tgt_any(scope, err != 0) && !err)
		err = (int)tgt_load_relaxed_32((const uint32_t *)&st->fault.code);
	return err;
}

DEV_INLINE int dev_barrier(struct dev_state *st, enum dev_scope scope)
{
	int quiet = 0, err;

	tgt_fence_barrier(st);
	if (!TGT_P2P_ONLY && !dev_likely(!tgt_peek_32(&st->any_queue)))
		quiet = dev_quiet(st, scope);
	err = dev_sync(st, scope); /* whatever has failed: the others wait for this PE */
	return quiet ? quiet : err;
}

#endif
