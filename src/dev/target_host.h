// SPDX-License-Identifier: MIT
/*
 * The target of the host library: one thread, memory that the CPU loads and
 * stores. This header is the whole portability contract of the bodies in this
 * folder; each target has the same names.
 */
#ifndef MORI_DEV_TARGET_HOST_H
#define MORI_DEV_TARGET_HOST_H

#include "abi/state.h"

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
DEV_BODY uint64_t tgt_share(enum dev_scope scope, uint64_t v)
{
	(void)scope;
	return v;
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

/*
 * A poll loop: start, then step after each poll that found nothing. Step polls
 * on for a while, yields the core, then sleeps in short timed steps; it ends the
 * loop with EPEER when a PE was lost and ETIMEDOUT when the time is over.
 */
struct tgt_wait {
	uint32_t polls;
	uint32_t naps;
	uint64_t ns;  /* how long; DEV_NS_DEFAULT: no limit */
	uint64_t end; /* when, by tgt_now_ns(); 0 until first needed */
};

uint64_t tgt_now_ns(void);
int tgt_wait_slow(struct tgt_wait *w, const struct dev_state *st) __attribute__((cold));

/* The wait is for the word at @addr to compare with @value; a target may want to tell. */
DEV_BODY void tgt_wait_start(struct tgt_wait *w, const struct dev_state *st, uint64_t ns,
			     const void *addr, int cmp, uint64_t value)
{
	(void)addr;
	(void)cmp;
	(void)value;
	w->polls = w->naps = 0;
	w->ns = ns;
	w->end = 0;
	if (ns == DEV_NS_DEFAULT && st->wait_ns)
		w->ns = st->wait_ns;
}

DEV_BODY int tgt_wait_step(struct tgt_wait *w, const struct dev_state *st)
{
	if (w->polls++ < st->spin && w->ns) {
		tgt_relax();
		return 0;
	}
	return tgt_wait_slow(w, st);
}

#endif
