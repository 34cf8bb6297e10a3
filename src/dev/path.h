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
	int32_t slot;	     /* of the PE */
	uint64_t off, sig;   /* from its heap, as dev_reach() gave them; by queue: from this PE's */
	uint64_t at, sig_at; /* their addresses here, by load and store */
	void *local;	     /* memory of this PE: from where or to where */
	uint64_t len;	     /* bytes */
	int op;		     /* read-modify-write of the target, of signals too */
	bool wide;	     /* 8 bytes, not 4 */
	uint64_t value, compare;
	double add;
	bool nbi;   /* a copy that quiet ends */
	bool gives; /* a result that every lane wants */
	bool round; /* a copy of one access a lane at most */
	uint64_t result;
	uint64_t bad, bad_len; /* the address that is wrong, and how much there */
};

/* Nobody is told before the lanes have come together. */
DEV_STEP int dev_wrong(struct dev_req *r, int err, const void *addr, uint64_t len)
{
	r->bad = (uint64_t)(uintptr_t)addr;
	r->bad_len = len;
	return dev_failed(err);
}

/* What the request is about: @len bytes at the symmetric address @addr. */
DEV_STEP int dev_aim(const struct dev_state *st, struct dev_req *r, const void *addr, uint64_t len)
{
	struct dev_spot s = dev_reach(st, addr, len, r->pe);

	r->slot = s.slot;
	r->off = s.off;
	r->at = s.at;
	return dev_likely(!s.err) ? 0 : dev_wrong(r, s.err, addr, len);
}

/*
 * Whether load and store reach what the request is about, but are not atomic there. Kernels without
 * queues are not for such PEs: module_bind() has refused them.
 */
DEV_STEP bool dev_not_atomic(const struct dev_state *st, const struct dev_req *r)
{
	return !TGT_NEAR && !dev_likely(!DEV_FIXED(st, amo_queue)) && r->slot >= 0 &&
	       r->pe != DEV_FIXED(st, my_pe);
}

/* A word that is to be changed: dev_aim(), and by the queue where load and store are not atomic. */
DEV_STEP int dev_aim_word(const struct dev_state *st, struct dev_req *r, const void *addr,
			  uint64_t len)
{
	int err = dev_aim(st, r, addr, len);

	if (err || !dev_not_atomic(st, r))
		return err;
	r->slot = DEV_SLOT_QUEUE;
	r->off = (uint64_t)(uintptr_t)addr - DEV_FIXED(st, heap_base);
	return 0;
}

#include "dev/p2p.h"

#ifdef TGT_HOST
/* The host library has the network itself: core/remote.c. A quiet or fence is for load and store too. */
int tgt_queue(const struct dev_state *st, enum dev_act act, struct dev_req *r);

DEV_STEP int dev_queue(const struct dev_state *st, enum dev_scope scope, enum dev_act act,
		       struct dev_req *r)
{
	struct dev_req q = *r; /* a copy: the request itself stays in registers */
	int err = tgt_queue(st, act, &q);

	(void)scope;
	r->result = q.result;
	return err;
}
#elif TGT_NEAR
/* dev_find() has refused what a queue would have to do; a barrier may still need one. */
DEV_STEP int dev_queue_flag(const struct dev_state *st, int pe, uint64_t flag, uint64_t epoch)
{
	(void)epoch;
	return dev_failed(tgt_fail(st, MORI_SHMEM_ENOTSUP, pe, flag, 0));
}

DEV_STEP int dev_queue(const struct dev_state *st, enum dev_scope scope, enum dev_act act,
		       struct dev_req *r)
{
	(void)st, (void)scope, (void)act, (void)r;
	return MORI_SHMEM_ENOTSUP;
}
#else
#include "dev/queue.h"
#endif

DEV_STEP enum dev_path dev_path(const struct dev_state *st, int32_t slot)
{
	if (dev_likely(slot >= 0))
		return DEV_FIXED(st, copy) ? DEV_PATH_COPY : DEV_PATH_P2P;
	return slot == DEV_SLOT_QUEUE ? DEV_PATH_QUEUE : DEV_PATH_NONE;
}

/*
 * The end of a request with which a lane has found something wrong; this one, if @err says what. Where
 * lanes do not vote it meets others, which may not have, as often as they do.
 */
DEV_STEP int dev_go_fail(const struct dev_state *st, enum dev_scope scope, enum dev_act act,
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
 * Whether a signal by load and store may have to wait for queues: what this thread put to the PE
 * by them comes before it.
 */
DEV_STEP bool dev_behind(const struct dev_state *st, enum dev_act act, const struct dev_req *r)
{
	return !TGT_NEAR && act == DEV_ACT_SIGNAL && r->slot >= 0 && tgt_peek_32(&st->any_queue);
}

/*
 * @err: what this lane found wrong with the request. One lane's is the end of all: a PE may be
 * lost between the look of one and that of another.
 */
DEV_STEP int dev_go(const struct dev_state *st, enum dev_scope scope, enum dev_act act,
		    struct dev_req *r, int err)
{
	uint64_t mark = r->gives ? tgt_share_mark(scope) : 0;
	enum dev_path path;

#if TGT_GPU
	if (act == DEV_ACT_PUT || act == DEV_ACT_PUT_SIGNAL || act == DEV_ACT_GET)
		r->round = tgt_is_round(scope, r->at, (uintptr_t)r->local, r->len);
#endif
	if (!dev_likely(!tgt_agree(scope, (int)(err != 0) | (int)dev_behind(st, act, r)))) {
		if (TGT_VOTES ? act != DEV_ACT_SIGNAL || TGT_NEAR || tgt_any(scope, err != 0) :
				err != 0)
			return dev_go_fail(st, scope, act, r, err);
		err = dev_queue(st, scope, DEV_ACT_FENCE, r);
		if (err)
			return err;
	}
	/* Nothing drives copy engines yet: who has a slot has load and store. One branch less. */
	path = TGT_NEAR || (TGT_LATE && dev_likely(r->slot >= 0)) ? DEV_PATH_P2P :
								    dev_path(st, r->slot);
	switch (path) {
	case DEV_PATH_P2P:
	case DEV_PATH_COPY: /* nothing drives the engines: pe_path_open() has said so */
		r->result = dev_p2p(st, scope, act, r);
		break;
	case DEV_PATH_QUEUE:
		return dev_queue(st, scope, act, r);
	case DEV_PATH_NONE: /* dev_seat() has said why */
		return MORI_SHMEM_EPEER;
	}
	if (r->gives)
		r->result = tgt_share(scope, mark, r->result);
	if (!(TGT_GPU && r->gives && scope == DEV_block)) /* a block has met for the result */
		tgt_leave(scope);
	if (r->gives || act == DEV_ACT_GET)
		tgt_looked();
	if (TGT_LATE && act == DEV_ACT_QUIET && r->pe != DEV_ALL &&
	    !dev_likely(!tgt_load_relaxed_32(&st->lost)) && dev_gone(st, r->pe))
		return dev_failed(tgt_fail(st, MORI_SHMEM_EPEER, r->pe, 0, 0));
	return 0;
}

#endif
