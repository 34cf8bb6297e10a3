// SPDX-License-Identifier: MIT
/* The path of load and store: executes each act of a request. */
#ifndef MORI_DEV_PATH_P2P_H
#define MORI_DEV_PATH_P2P_H

#include "dev/req.h"
#include "target/amo.h"

/* By compare-and-swap of the bits; returns the old value. */
DEV_INLINE uint64_t dev_p2p_add_real(void *to, bool wide, double value)
{
	uint64_t was, seen = tgt_amo(to, wide, MORI_SHMEM_AMO_FETCH, 0, 0);
	uint64_t add = amo_real_bits(wide, value);

	do {
		was = seen;
		seen = tgt_compare_swap(to, wide, was, amo_add_real(wide, was, add));
	} while (seen != was);
	return was;
}

/* What one lane does for all; returns the value of acts that have one. */
DEV_INLINE uint64_t dev_p2p_once(const struct dev_state *st, enum dev_act act,
				 const struct dev_req *r, void *at)
{
	uint64_t bits = 0;

	if (act == DEV_ACT_P)
		tgt_put_one(at, r->local, r->len);
	else if (act == DEV_ACT_G)
		tgt_get_one(&bits, at, r->len);
	else if (act == DEV_ACT_AMO)
		bits = tgt_amo(at, r->wide, r->op, r->value, r->compare);
	else if (act == DEV_ACT_ADD_REAL)
		bits = dev_p2p_add_real(at, r->wide, r->add);
	else /* Release: pairs with the acquire in dev_load(). */
		tgt_signal(st, at, r->op, r->value);
	return bits;
}

/* Whether the copy was a single pass, which is then done. */
DEV_INLINE bool dev_p2p_single_pass(enum dev_scope scope, const struct dev_req *r, void *to,
				    const void *from)
{
#if TGT_GPU
	if (dev_likely(r->single_pass))
		tgt_copy_single_pass(scope, to, from, r->len);
#else
	(void)scope, (void)to, (void)from;
#endif
	return r->single_pass;
}

DEV_INLINE uint64_t dev_p2p(const struct dev_state *st, enum dev_scope scope, enum dev_act act,
			    const struct dev_req *r)
{
	bool leads = tgt_leads(scope);
	void *at = tgt_pointer(r->at);

	switch (act) {
	case DEV_ACT_PUT:
	case DEV_ACT_PUT_SIGNAL:
		if (!dev_p2p_single_pass(scope, r, at, r->local) && dev_likely(r->len != 0))
			tgt_put(scope, at, r->local, r->len);
		if (act == DEV_ACT_PUT)
			return 0;
		tgt_leave(scope); /* every lane has stored */
		if (leads)	  /* Release: pairs with the acquire in dev_load(). */
			tgt_signal(st, tgt_pointer(r->sig_at), r->op, r->value);
		return 0;
	case DEV_ACT_GET:
		if (!dev_p2p_single_pass(scope, r, r->local, at) && dev_likely(r->len != 0))
			tgt_get(scope, r->local, at, r->len);
		return 0;
	case DEV_ACT_P:
	case DEV_ACT_G:
	case DEV_ACT_SIGNAL:
	case DEV_ACT_AMO:
	case DEV_ACT_ADD_REAL:
		return leads ? dev_p2p_once(st, act, r, at) : 0;
	case DEV_ACT_QUIET:
		tgt_fence_full(st);
		return 0;
	case DEV_ACT_FENCE:
		tgt_fence_order(st);
		return 0;
	}
	return 0;
}

#endif
