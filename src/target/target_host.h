// SPDX-License-Identifier: MIT
/*
 * The target of the host library: one thread, memory that the CPU loads and
 * stores. This header is the whole portability contract of the bodies in this
 * folder; each target has the same names.
 */
#ifndef MORI_TARGET_HOST_H
#define MORI_TARGET_HOST_H

#include "target/base.h"
#include "target/cpu_memory.h"
#include "util/backoff.h"

#define TGT_HOST 1

/* Records the failure for the error text of the call; returns @code. */
int tgt_fail(const struct dev_state *st, int code, int pe, uint64_t addr, uint64_t len)
	__attribute__((cold));

DEV_INLINE void tgt_enter(enum dev_scope scope)
{
	(void)scope;
}

DEV_INLINE void tgt_leave(enum dev_scope scope)
{
	(void)scope;
}

DEV_INLINE bool tgt_leads(enum dev_scope scope)
{
	(void)scope;
	return true;
}

DEV_INLINE uint32_t tgt_lane(enum dev_scope scope)
{
	(void)scope;
	return 0;
}

DEV_INLINE uint32_t tgt_lanes(enum dev_scope scope)
{
	(void)scope;
	return 1;
}

/* What the leading lane has, for every lane of the scope. */
DEV_INLINE uint64_t tgt_share_rare(enum dev_scope scope, uint64_t v)
{
	(void)scope;
	return v;
}

DEV_INLINE bool tgt_any(enum dev_scope scope, bool x)
{
	(void)scope;
	return x;
}

DEV_INLINE void tgt_put(enum dev_scope scope, void *dst, const void *src, uint64_t len)
{
	(void)scope;
	tgt_put_one(dst, src, len);
}

DEV_INLINE void tgt_get(enum dev_scope scope, void *dst, const void *src, uint64_t len)
{
	(void)scope;
	tgt_get_one(dst, src, len);
}

/* A test did not hold: nothing to do, since other threads run anyway. */
DEV_INLINE void tgt_missed(void)
{
}

/* A word was polled and may be polled again: the same. */
DEV_INLINE void tgt_polled(void)
{
}

/*
 * A poll loop: start, then step after each poll that found nothing. Step ends the
 * loop with EPEER when a PE was lost and ETIMEDOUT when the time is over.
 */
struct tgt_wait {
	struct backoff backoff;
	uint32_t polls;
	int32_t kind;  /* of the user's word, enum dev_kind; -1: it is none */
	uint64_t ns;   /* how long; DEV_NS_DEFAULT: no limit */
	uint64_t end;  /* when, by tgt_now_ns(); 0 until first needed */
	int64_t since; /* of the first sleep; 0: there was none */
	const void *addr;
	uint64_t value;
	int cmp;
	bool listed; /* others can see it: core/waits.h */
};

uint64_t tgt_now_ns(void);
int tgt_wait_slow(struct tgt_wait *w, const struct dev_state *st) __attribute__((cold));
void tgt_wait_unlist(void) __attribute__((cold));

/* The wait is for the word at @addr to compare with @value; some targets use that. */
DEV_INLINE void tgt_wait_start(struct tgt_wait *w, const struct dev_state *st, uint64_t ns,
			       const void *addr, int cmp, uint64_t value)
{
	*w = (struct tgt_wait){ .backoff.kind = BACKOFF_WORD,
				.kind = -1,
				.ns = ns,
				.addr = addr,
				.cmp = cmp,
				.value = value };
	if (ns == DEV_NS_DEFAULT && st->wait_ns)
		w->ns = st->wait_ns;
}

/* The word is the user's, and tgt_wait_end() follows. */
DEV_INLINE void tgt_wait_kind(struct tgt_wait *w, enum dev_kind kind)
{
	w->kind = (int32_t)kind;
}

DEV_INLINE void tgt_wait_end(const struct tgt_wait *w)
{
	if (!dev_likely(!w->listed))
		tgt_wait_unlist();
}

DEV_INLINE int tgt_wait_step(struct tgt_wait *w, const struct dev_state *st)
{
	return w->polls++ < BACKOFF_EAGER && w->ns ? 0 : tgt_wait_slow(w, st);
}

#endif
