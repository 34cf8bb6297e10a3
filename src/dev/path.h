// SPDX-License-Identifier: MIT
/*
 * The switch on the path. The bodies of put, get, single values, signals, atomics and
 * order say in a request what is to be done and where; dev_go() brings the lanes
 * together, does it by the path that leads to the PE, and gives the result to all of
 * them. A path adds a case here and nothing to the bodies.
 */
#ifndef MORI_DEV_PATH_H
#define MORI_DEV_PATH_H

#include "dev/dev.h"

enum dev_act {
	DEV_ACT_PUT,
	DEV_ACT_PUT_SIGNAL, /* the data, then the signal */
	DEV_ACT_GET,
	DEV_ACT_P, /* one value, by one lane, as all that follow */
	DEV_ACT_G,
	DEV_ACT_SIGNAL,
	DEV_ACT_AMO,
	DEV_ACT_ADD_REAL, /* to a float or double */
	DEV_ACT_QUIET,	  /* by every lane, for itself */
	DEV_ACT_FENCE,
};

/* What an act does not need is 0. */
struct dev_req {
	int pe, qp;
	int32_t slot;	   /* of the PE */
	uint64_t off, sig; /* from its heap, as dev_reach() gave them */
	void *local;	   /* memory of this PE: from where or to where */
	uint64_t len;	   /* bytes */
	int op;		   /* read-modify-write of the target, of signals too */
	bool wide;	   /* 8 bytes, not 4 */
	uint64_t value, compare;
	double add;
	bool gives; /* a result that every lane wants */
	uint64_t result;
};

#include "dev/p2p.h"

/* No build can post to a queue yet. The status is the same on every lane. */
DEV_STEP int dev_queue(const struct dev_state *st, const struct dev_req *r)
{
	return dev_failed(tgt_fail(st, MORI_SHMEM_ENOTSUP, r->pe, st->heap_base + r->off, 0));
}

DEV_STEP enum dev_path dev_path(const struct dev_state *st, int32_t slot)
{
	if (dev_likely(slot >= 0))
		return DEV_FIXED(&st->copy) ? DEV_PATH_COPY : DEV_PATH_P2P;
	return slot == DEV_SLOT_QUEUE ? DEV_PATH_QUEUE : DEV_PATH_NONE;
}

/* @err: what this lane found wrong with the request; one lane's is the end of all. */
DEV_STEP int dev_go(const struct dev_state *st, enum dev_scope scope, enum dev_act act,
		    struct dev_req *r, int err)
{
	err = dev_enter(scope, err);
	if (!dev_likely(!err))
		return err;
	/* Nothing drives copy engines yet: who has a slot has load and store. One branch less. */
	switch (TGT_LATE && dev_likely(r->slot >= 0) ? DEV_PATH_P2P : dev_path(st, r->slot)) {
	case DEV_PATH_P2P:
	case DEV_PATH_COPY: /* nothing drives the engines: pe_path_open() has said so */
		r->result = dev_p2p(st, scope, act, r);
		break;
	case DEV_PATH_QUEUE:
		return dev_queue(st, r);
	case DEV_PATH_NONE: /* dev_seat() has said why */
		return MORI_SHMEM_EPEER;
	}
	if (r->gives)
		r->result = tgt_share(scope, r->result);
	tgt_leave(scope);
	if (r->gives || act == DEV_ACT_GET)
		tgt_looked();
	if (TGT_LATE && act == DEV_ACT_QUIET && r->pe != DEV_ALL &&
	    !dev_likely(!tgt_load_relaxed_32(&st->lost)) && dev_gone(st, r->pe))
		return dev_failed(dev_bad_pe(st, r->pe, 0));
	return 0;
}

#endif
