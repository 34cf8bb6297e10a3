// SPDX-License-Identifier: MIT
/* The order of what a thread has issued: quiet and fence. */
#ifndef MORI_DEV_ORDER_H
#define MORI_DEV_ORDER_H

#include "dev/path.h"

/* If there are queues, they do it, including what load and store need. */
DEV_INLINE int dev_order(const struct dev_state *st, enum dev_scope scope, enum dev_act act, int pe,
			 int qp, struct dev_addr s)
{
	struct dev_req r = { .pe = pe, .qp = qp, .slot = s.slot };

	if (!dev_likely(!tgt_peek_32(&st->any_queue)))
		r.slot = DEV_SLOT_QUEUE;
	return dev_req_execute(st, scope, act, &r, s.err);
}

/* What was issued is complete and seen at the target, before anything that follows. */
DEV_DEFER int dev_quiet(const struct dev_state *st, enum dev_scope scope)
{
	return dev_order(st, scope, DEV_ACT_QUIET, DEV_ALL, DEV_ALL, (struct dev_addr){ 0 });
}

/* The same of what went to one PE. No PE is all PEs: DEV_ALL is refused as any other wrong one. */
DEV_DEFER int dev_quiet_pe(const struct dev_state *st, enum dev_scope scope, int pe, int qp)
{
	return dev_order(st, scope, DEV_ACT_QUIET, pe, qp, dev_peer_slot(st, pe));
}

/* Puts before it are seen before puts after it, by each PE. */
DEV_DEFER int dev_fence(const struct dev_state *st, enum dev_scope scope)
{
	return dev_order(st, scope, DEV_ACT_FENCE, DEV_ALL, DEV_ALL, (struct dev_addr){ 0 });
}

DEV_DEFER int dev_fence_pe(const struct dev_state *st, enum dev_scope scope, int pe, int qp)
{
	return dev_order(st, scope, DEV_ACT_FENCE, pe, qp, dev_peer_slot(st, pe));
}

#endif
