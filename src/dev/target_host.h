// SPDX-License-Identifier: MIT
/*
 * The target of the host library: one thread, memory that the CPU loads and
 * stores. This header is the whole portability contract of the bodies in this
 * folder; each target has the same names.
 */
#ifndef MORI_DEV_TARGET_HOST_H
#define MORI_DEV_TARGET_HOST_H

#include "abi/state.h"

#define TGT_HOST 1

/* Remembers what was wrong for the text of the call; gives @code. */
int tgt_fail(const struct dev_state *st, int code, int pe, uint64_t addr, uint64_t len)
	__attribute__((cold));

DEV_BODY void tgt_enter(enum dev_scope scope)
{
	(void)scope;
}

DEV_BODY void tgt_leave(enum dev_scope scope)
{
	(void)scope;
}

DEV_BODY bool tgt_leads(enum dev_scope scope)
{
	(void)scope;
	return true;
}

/* What the leading lane has, for every lane of the scope. */
DEV_BODY uint64_t tgt_share_rare(enum dev_scope scope, uint64_t v)
{
	(void)scope;
	return v;
}

DEV_BODY bool tgt_any(enum dev_scope scope, bool x)
{
	(void)scope;
	return x;
}

#include "dev/cpu_memory.h"

DEV_BODY void tgt_put(enum dev_scope scope, void *dst, const void *src, uint64_t len)
{
	(void)scope;
	tgt_put_one(dst, src, len);
}

DEV_BODY void tgt_get(enum dev_scope scope, void *dst, const void *src, uint64_t len)
{
	(void)scope;
	tgt_get_one(dst, src, len);
}

/* A test did not hold: other threads run by themselves. */
DEV_BODY void tgt_missed(void)
{
}

/* A word was looked at, perhaps to look again: the same. */
DEV_BODY void tgt_looked(void)
{
}

#define TGT_EAGER 50u /* polls without a pause: an answer is often close behind */

/*
 * A poll loop: start, then step after each poll that found nothing. Step polls
 * on for a while, yields the core, then sleeps in short timed steps; it ends the
 * loop with EPEER when a PE was lost and ETIMEDOUT when the time is over.
 */
struct tgt_wait {
	uint32_t polls;
	uint32_t budget; /* polls before the first yield */
	uint32_t naps;
	uint32_t drives; /* turns at the network that keep the core; 0 until first needed */
	uint64_t ns;	 /* how long; DEV_NS_DEFAULT: no limit */
	uint64_t end;	 /* when, by tgt_now_ns(); 0 until first needed */
};

uint64_t tgt_now_ns(void);
int tgt_wait_slow(struct tgt_wait *w, const struct dev_state *st) __attribute__((cold));

/* The wait is for the word at @addr to compare with @value; a target may want to tell. */
DEV_BODY void tgt_wait_start(struct tgt_wait *w, const struct dev_state *st, uint64_t ns,
			     const void *addr, int cmp, uint64_t value)
{
	uint32_t spin = __atomic_load_n(&st->spin_now, __ATOMIC_RELAXED);

	(void)addr;
	(void)cmp;
	(void)value;
	w->polls = w->naps = w->drives = 0;
	w->budget = tgt_load_relaxed_32(&st->any_queue) && spin > TGT_EAGER ?
			    TGT_EAGER :
			    spin; /* then drive the network */
	/* More next time, unless tgt_wait_slow() finds that this was in vain. */
	if (spin < st->spin)
		__atomic_store_n((uint32_t *)&st->spin_now, spin * 2, __ATOMIC_RELAXED);
	w->ns = ns;
	w->end = 0;
	if (ns == DEV_NS_DEFAULT && st->wait_ns)
		w->ns = st->wait_ns;
}

DEV_BODY int tgt_wait_step(struct tgt_wait *w, const struct dev_state *st)
{
	if (w->polls++ < w->budget && w->ns) {
		if (w->polls > TGT_EAGER)
			tgt_relax();
		return 0;
	}
	return tgt_wait_slow(w, st);
}

#endif
