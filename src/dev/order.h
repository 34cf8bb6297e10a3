// SPDX-License-Identifier: MIT
/* The order of what a thread has issued: quiet and fence. */
#ifndef MORI_DEV_ORDER_H
#define MORI_DEV_ORDER_H

#include "dev/path.h"

/* Every PE: those with slots. Nothing can be posted to a queue, so none has to be drained. */
DEV_STEP int dev_order(const struct dev_state *st, enum dev_scope scope, enum dev_act act, int pe,
		       int qp)
{
	struct dev_req r = { .pe = pe, .qp = qp };
	int err = pe == DEV_ALL ? 0 : dev_seat(st, pe, 0, &r.slot);

	return dev_go(st, scope, act, &r, err);
}

/* What was issued is complete and seen at the target, before anything that follows. */
DEV_BODY int dev_quiet(const struct dev_state *st, enum dev_scope scope, int pe, int qp)
{
	return dev_order(st, scope, DEV_ACT_QUIET, pe, qp);
}

/* Puts before it are seen before puts after it, by each PE. */
DEV_BODY int dev_fence(const struct dev_state *st, enum dev_scope scope, int pe, int qp)
{
	return dev_order(st, scope, DEV_ACT_FENCE, pe, qp);
}

#endif
