// SPDX-License-Identifier: MIT
/*
 * The switch on the path. The bodies of put, get, single values, signals, atomics and
 * order say in a request what is to be done and where; dev_req_execute() brings the lanes
 * together, does it by the path that leads to the PE, and gives the result to all of
 * them. A new path adds a case here and nothing to the bodies.
 */
#ifndef MORI_DEV_PATH_H
#define MORI_DEV_PATH_H

#include "dev/path_p2p.h"
#include "dev/req.h"

#ifdef TGT_HOST
/*
 * The host library has the network itself: core/remote.c. A quiet or fence is for load and store
 * too.
 */
int tgt_queue(const struct dev_state *st, enum dev_act act, struct dev_req *r);

DEV_INLINE int dev_queue(const struct dev_state *st, enum dev_scope scope, enum dev_act act,
			 struct dev_req *r)
{
	struct dev_req q = *r; /* a copy: the request itself stays in registers */
	int err = tgt_queue(st, act, &q);

	(void)scope;
	r->result = q.result;
	return err;
}
#elif TGT_P2P_ONLY
/* dev_addr_lookup() has refused what needs a queue; a barrier may still need one. */
DEV_INLINE int dev_queue_flag(const struct dev_state *st, int pe, uint64_t flag, uint64_t epoch)
{
	(void)epoch;
	return dev_failed(tgt_fail(st, MORI_SHMEM_ENOTSUP, pe, flag, 0));
}

DEV_INLINE int dev_queue(const struct dev_state *st, enum dev_scope scope, enum dev_act act,
			 struct dev_req *r)
{
	(void)st, (void)scope, (void)act, (void)r;
	return MORI_SHMEM_ENOTSUP;
}
#else
#include "dev/path_queue.h"
#endif

DEV_INLINE enum dev_path dev_path(const struct dev_state *st, int32_t slot)
{
	if (dev_likely(slot >= 0))
		return DEV_FIXED(st, copy) ? DEV_PATH_COPY : DEV_PATH_P2P;
	return slot == DEV_SLOT_QUEUE ? DEV_PATH_QUEUE : DEV_PATH_NONE;
}

/*
 * Ends a request in which a lane has found an error; this lane, if @err is not 0. Where lanes do
 * not vote, it takes part in as many barriers as the lanes that may not have found one.
 */
DEV_INLINE int dev_req_fail(const struct dev_state *st, enum dev_scope scope, enum dev_act act,
			    const struct dev_req *r, int err)
{
	if (!TGT_VOTES && act == DEV_ACT_PUT_SIGNAL)
		tgt_leave(scope);
	if (!TGT_VOTES && r->gives)
		(void)tgt_share_rare(scope, 0);
	else if (!TGT_VOTES)
		tgt_leave(scope);
	err = err ? err : MORI_SHMEM_EPEER;
	return dev_failed(tgt_leads(scope) ? tgt_fail(st, err, r->pe, r->bad, r->bad_len) : err);
}

/*
 * Whether a signal by load and store may have to wait for queues: what this thread has put to the
 * PE by queues must arrive first.
 */
DEV_INLINE bool dev_signal_waits(const struct dev_state *st, enum dev_act act,
				 const struct dev_req *r)
{
	return !TGT_P2P_ONLY && act == DEV_ACT_SIGNAL && r->slot >= 0 &&
	       tgt_peek_32(&st->any_queue);
}

/*
 * @err: the error that this lane found in the request. One lane's error ends the call for all
 * lanes: a PE may be lost between the checks of two lanes.
 */
DEV_INLINE int dev_req_execute(const struct dev_state *st, enum dev_scope scope, enum dev_act act,
			       struct dev_req *r, int err)
{
	uint64_t mark = r->gives ? tgt_share_mark(scope) : 0;
	enum dev_path path;

#if TGT_GPU
	if (act == DEV_ACT_PUT || act == DEV_ACT_PUT_SIGNAL || act == DEV_ACT_GET)
		r->single_pass = tgt_is_single_pass(scope, r->at, (uintptr_t)r->local, r->len);
#endif
	if (!dev_likely(!tgt_agree(scope, (int)(err != 0) | (int)dev_signal_waits(st, act, r)))) {
		if (TGT_VOTES ? act != DEV_ACT_SIGNAL || TGT_P2P_ONLY || tgt_any(scope, err != 0) :
				err != 0)
			return dev_req_fail(st, scope, act, r, err);
		err = dev_queue(st, scope, DEV_ACT_FENCE, r);
		if (err)
			return err;
	}
	/* Nothing drives copy engines yet, so a slot means load and store: one branch less. */
	path = TGT_P2P_ONLY || (TGT_NO_LOST_CHECK && dev_likely(r->slot >= 0)) ?
		       DEV_PATH_P2P :
		       dev_path(st, r->slot);
	switch (path) {
	case DEV_PATH_P2P:
	case DEV_PATH_COPY: /* nothing drives the engines: pe_path_open() has said so */
		r->result = dev_p2p(st, scope, act, r);
		break;
	case DEV_PATH_QUEUE:
		return dev_queue(st, scope, act, r);
	case DEV_PATH_NONE: /* dev_peer_slot() has returned the reason */
		return MORI_SHMEM_EPEER;
	}
	if (r->gives)
		r->result = tgt_share(scope, mark, r->result);
	if (!(TGT_GPU && r->gives &&
	      scope == DEV_block)) /* a block has synchronised for the result */
		tgt_leave(scope);
	if (r->gives || act == DEV_ACT_GET)
		tgt_polled();
	if (TGT_NO_LOST_CHECK && act == DEV_ACT_QUIET && r->pe != DEV_ALL &&
	    !dev_likely(!tgt_load_relaxed_32(&st->lost)) && dev_is_lost(st, r->pe))
		return dev_failed(tgt_fail(st, MORI_SHMEM_EPEER, r->pe, 0, 0));
	return 0;
}

#endif
