// SPDX-License-Identifier: MIT
/* A request: what an operation does, and where. The paths read it; path.h chooses the path. */
#ifndef MORI_DEV_REQ_H
#define MORI_DEV_REQ_H

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
	DEV_ACT_QUIET,	  /* by every lane for itself */
	DEV_ACT_FENCE,
};

/* Fields that an act does not need are 0. */
struct dev_req {
	int pe, qp;
	int32_t slot; /* of the PE */
	uint64_t off,
		sig; /* from its heap, as dev_addr_resolve() gave them; by queue: from this PE's */
	uint64_t at, sig_at; /* their addresses here, by load and store */
	void *local;	     /* memory of this PE: from where or to where */
	uint64_t len;	     /* bytes */
	int op;		     /* read-modify-write of the target, of signals too */
	bool wide;	     /* 8 bytes, not 4 */
	uint64_t value, compare;
	double add;
	bool nbi;	  /* a copy that quiet ends */
	bool gives;	  /* a result that every lane wants */
	bool single_pass; /* a copy of at most one access per lane */
	uint64_t result;
	uint64_t bad, bad_len; /* the address and length that are wrong */
};

/* Reported only after the lanes have synchronised. */
DEV_INLINE int dev_req_invalid(struct dev_req *r, int err, const void *addr, uint64_t len)
{
	r->bad = (uint64_t)(uintptr_t)addr;
	r->bad_len = len;
	return dev_failed(err);
}

/* Resolves the target of the request: @len bytes at the symmetric address @addr. */
DEV_INLINE int dev_req_resolve(const struct dev_state *st, struct dev_req *r, const void *addr,
			       uint64_t len)
{
	struct dev_addr s = dev_addr_resolve(st, addr, len, r->pe);

	r->slot = s.slot;
	r->off = s.off;
	r->at = s.at;
	return dev_likely(!s.err) ? 0 : dev_req_invalid(r, s.err, addr, len);
}

/*
 * Whether load and store reach the target of the request but are not atomic there. module_bind()
 * refuses kernels without queues for such PEs.
 */
DEV_INLINE bool dev_not_atomic(const struct dev_state *st, const struct dev_req *r)
{
	return !TGT_P2P_ONLY && !dev_likely(!DEV_FIXED(st, amo_queue)) && r->slot >= 0 &&
	       r->pe != DEV_FIXED(st, my_pe);
}

/*
 * dev_req_resolve() for a word to be changed, which goes by the queue if load and store are not
 * atomic there.
 */
DEV_INLINE int dev_req_resolve_word(const struct dev_state *st, struct dev_req *r, const void *addr,
				    uint64_t len)
{
	int err = dev_req_resolve(st, r, addr, len);

	if (err || !dev_not_atomic(st, r))
		return err;
	r->slot = DEV_SLOT_QUEUE;
	r->off = (uint64_t)(uintptr_t)addr - DEV_FIXED(st, heap_base);
	return 0;
}

#endif
