// SPDX-License-Identifier: MIT
/*
 * Waits and tests on words of this PE. A wait checks the condition before it fails: if the
 * condition holds, it never returns a time-out or a lost PE.
 */
#ifndef MORI_DEV_WAIT_H
#define MORI_DEV_WAIT_H

#include "dev/dev.h"

/* Acquire: pairs with the release of signals, small puts and atomics. */
DEV_INLINE uint64_t dev_load(const void *addr, enum dev_kind kind)
{
	return dev_widen(kind, dev_kind_wide(kind) ? tgt_load_acquire_64(addr) :
						     tgt_load_acquire_32(addr));
}

/* One poll of a wait, which acquires only with tgt_poll_acquire(), once it is over. */
DEV_INLINE uint64_t dev_poll(const void *addr, enum dev_kind kind)
{
	return dev_widen(kind,
			 dev_kind_wide(kind) ? tgt_load_poll_64(addr) : tgt_load_poll_32(addr));
}

/* @a and @b are extended to 64 bits; the kind determines the sign. */
DEV_INLINE bool dev_compare(enum dev_kind kind, int cmp, uint64_t a, uint64_t b)
{
	bool less = dev_kind_signed(kind) ? (int64_t)a < (int64_t)b : a < b;

	switch (cmp) {
	case MORI_SHMEM_CMP_EQ:
		return a == b;
	case MORI_SHMEM_CMP_NE:
		return a != b;
	case MORI_SHMEM_CMP_GT:
		return !less && a != b;
	case MORI_SHMEM_CMP_GE:
		return !less;
	case MORI_SHMEM_CMP_LT:
		return less;
	default:
		return less || a == b;
	}
}

/* Whether @cmp is a comparison and @addr a valid address of words: not NULL, and aligned. */
DEV_INLINE bool dev_wait_can(const void *addr, enum dev_kind kind, int cmp)
{
	return addr && tgt_aligned(addr, dev_kind_wide(kind) ? 8 : 4) && cmp >= MORI_SHMEM_CMP_EQ &&
	       cmp <= MORI_SHMEM_CMP_LE;
}

DEV_INLINE int dev_wait_valid(const struct dev_state *st, const void *addr, enum dev_kind kind,
			      int cmp)
{
	if (dev_likely(dev_wait_can(addr, kind, cmp)))
		return 0;
	return tgt_fail(st, MORI_SHMEM_EINVAL, st->my_pe, (uint64_t)(uintptr_t)addr,
			dev_kind_wide(kind) ? 8 : 4);
}

/* The last value read, and the status of the wait; by value, like struct dev_addr. */
struct dev_seen {
	uint64_t value;
	int err;
};

/* The rest of a wait whose first poll did not succeed. */
DEV_OUTLINE struct dev_seen dev_wait_poll(const struct dev_state *st, const void *addr,
					  enum dev_kind kind, int cmp, uint64_t value, uint64_t ns)
{
	struct dev_seen s = { 0, 0 };
	struct tgt_wait w;

	tgt_wait_start(&w, st, ns, addr, cmp, value);
	tgt_wait_kind(&w, kind);
	while (!s.err) {
		s.err = tgt_wait_step(&w, st);
		s.value = dev_poll(addr, kind);
		if (dev_compare(kind, cmp, s.value, value)) {
			s.err = 0;
			break;
		}
	}
	tgt_wait_end(&w);
	return s;
}

/*
 * Waits until the comparison holds; *seen is the last value read. @whose: the PE to blame if it
 * does not; -1: unknown.
 */
DEV_INLINE int dev_wait_word(const struct dev_state *st, const void *addr, enum dev_kind kind,
			     int cmp, uint64_t value, uint64_t ns, int whose, uint64_t *seen)
{
	struct dev_seen s = { 0, MORI_SHMEM_EINVAL };

	value = dev_widen(kind, value);
	if (dev_likely(dev_wait_can(addr, kind, cmp))) {
		s = (struct dev_seen){ dev_poll(addr, kind), 0 };
		if (!dev_compare(kind, cmp, s.value, value))
			s = dev_wait_poll(st, addr, kind, cmp, value, ns);
		*seen = s.value;
		tgt_poll_acquire();
	}
	if (dev_likely(!s.err))
		return 0;
	return dev_failed(tgt_fail(st, s.err,
				   s.err == MORI_SHMEM_EINVAL	 ? st->my_pe :
				   s.err == MORI_SHMEM_ETIMEDOUT ? whose :
								   -1,
				   (uint64_t)(uintptr_t)addr, dev_kind_wide(kind) ? 8 : 4));
}

/* The lanes leave together, with the status of the one that leads. */
DEV_INLINE int dev_wait_leave(enum dev_scope scope, int err)
{
	err = dev_share_status(scope, err);
	if (!TGT_GPU)
		tgt_leave(scope);
	return err;
}

/* The same with its value, after its status. */
DEV_INLINE uint64_t dev_wait_leave_with(enum dev_scope scope, uint64_t value)
{
	value = tgt_share(scope, tgt_share_mark(scope), value);
	if (!(TGT_GPU && scope == DEV_block)) /* which has synchronised for the value */
		tgt_leave(scope);
	return value;
}

DEV_DEFER int dev_wait(const struct dev_state *st, enum dev_scope scope, const void *addr,
		       enum dev_kind kind, int cmp, uint64_t value, uint64_t ns)
{
	uint64_t seen;
	int err = 0;

	tgt_enter(scope);
	if (tgt_leads(scope))
		err = dev_wait_word(st, addr, kind, cmp, value, ns, -1, &seen);
	return dev_wait_leave(scope, err);
}

DEV_DEFER int dev_wait_value(const struct dev_state *st, void *out, enum dev_scope scope,
			     const void *addr, enum dev_kind kind, int cmp, uint64_t value,
			     uint64_t ns)
{
	uint64_t seen = 0;
	int err = 0;

	tgt_enter(scope);
	if (tgt_leads(scope))
		err = dev_wait_word(st, addr, kind, cmp, value, ns, -1, &seen);
	err = dev_share_status(scope, err);
	dev_store_kind(out, kind, dev_wait_leave_with(scope, seen));
	return err;
}

DEV_DEFER int dev_test(const struct dev_state *st, int *out, enum dev_scope scope, const void *addr,
		       enum dev_kind kind, int cmp, uint64_t value)
{
	uint64_t holds = 0;

	if (!dev_likely(dev_wait_can(addr, kind, cmp)))
		return dev_fail_together(st, scope, MORI_SHMEM_EINVAL, st->my_pe,
					 (uint64_t)(uintptr_t)addr, dev_kind_wide(kind) ? 8 : 4);
	tgt_enter(scope);
	if (tgt_leads(scope))
		holds = dev_compare(kind, cmp, dev_load(addr, kind), dev_widen(kind, value));
	if (tgt_leads(scope) && !holds)
		tgt_missed();
	if (TGT_GPU) { /* one lane has the result, of one bit */
		*out = tgt_any(scope, holds != 0);
		return 0;
	}
	*out = (int)tgt_share_rare(scope, holds);
	tgt_leave(scope);
	return 0;
}

DEV_INLINE const void *dev_word(const void *addrs, enum dev_kind kind, size_t i)
{
	return (const char *)addrs + i * (dev_kind_wide(kind) ? 8 : 4);
}

/* Waits for every word that is not skipped, one after another, with one deadline for all. */
DEV_INLINE int dev_wait_each(const struct dev_state *st, const void *addrs, size_t n,
			     const int *skip, enum dev_kind kind, int cmp, uint64_t value,
			     uint64_t ns)
{
	struct tgt_wait w;
	int err = n ? dev_wait_valid(st, addrs, kind, cmp) : 0;

	if (!dev_likely(!err))
		return err;
	value = dev_widen(kind, value);
	tgt_wait_start(&w, st, ns, addrs, cmp, value);
	tgt_wait_kind(&w, kind);
	for (size_t i = 0; i < n;) {
		const void *word = dev_word(addrs, kind, i);

		if ((skip && skip[i]) || dev_compare(kind, cmp, dev_load(word, kind), value)) {
			i++;
			continue;
		}
		if (!dev_likely(!err)) {
			tgt_wait_end(&w);
			return tgt_fail(st, err, -1, (uint64_t)(uintptr_t)word, 0);
		}
		err = tgt_wait_step(&w, st);
	}
	tgt_wait_end(&w);
	return 0;
}

DEV_DEFER int dev_wait_all(const struct dev_state *st, enum dev_scope scope, const void *addrs,
			   size_t n, const int *skip, enum dev_kind kind, int cmp, uint64_t value,
			   uint64_t ns)
{
	int err = 0;

	tgt_enter(scope);
	if (tgt_leads(scope))
		err = dev_wait_each(st, addrs, n, skip, kind, cmp, value, ns);
	return dev_wait_leave(scope, err);
}

/*
 * Scans the words until the comparison holds for some. Their indices go to @indices or, if that is
 * NULL, only the first one to *out. If every word is skipped, *out does not change.
 */
DEV_INLINE int dev_wait_scan_words(const struct dev_state *st, struct tgt_wait *w, size_t *out,
				   const void *addrs, size_t n, size_t *indices, const int *skip,
				   enum dev_kind kind, int cmp, uint64_t value)
{
	int err = 0;

	for (bool last = false; n;) {
		size_t looked = 0, found = 0;

		if (last)
			return err;
		for (size_t i = 0; i < n; i++) {
			if (skip && skip[i])
				continue;
			looked++;
			if (!dev_compare(kind, cmp, dev_load(dev_word(addrs, kind, i), kind),
					 value))
				continue;
			if (!indices) {
				*out = i;
				return 0;
			}
			indices[found++] = i;
		}
		if (found)
			*out = found;
		if (found || !looked)
			return 0;
		last = err != 0;
		if (last)
			tgt_fail(st, err, -1, (uint64_t)(uintptr_t)addrs, 0);
		else
			err = tgt_wait_step(w, st);
	}
	return err;
}

DEV_INLINE int dev_wait_scan(const struct dev_state *st, size_t *out, const void *addrs, size_t n,
			     size_t *indices, const int *skip, enum dev_kind kind, int cmp,
			     uint64_t value, uint64_t ns)
{
	struct tgt_wait w;
	int err = n ? dev_wait_valid(st, addrs, kind, cmp) : 0;

	if (!dev_likely(!err))
		return err;
	value = dev_widen(kind, value);
	tgt_wait_start(&w, st, ns, addrs, cmp, value);
	tgt_wait_kind(&w, kind);
	err = dev_wait_scan_words(st, &w, out, addrs, n, indices, skip, kind, cmp, value);
	tgt_wait_end(&w);
	return err;
}

DEV_DEFER int dev_wait_any(const struct dev_state *st, size_t *out, enum dev_scope scope,
			   const void *addrs, size_t n, const int *skip, enum dev_kind kind,
			   int cmp, uint64_t value, uint64_t ns)
{
	int err = 0;

	tgt_enter(scope);
	if (tgt_leads(scope))
		err = dev_wait_scan(st, out, addrs, n, NULL, skip, kind, cmp, value, ns);
	err = dev_share_status(scope, err);
	*out = dev_wait_leave_with(scope, *out);
	return err;
}

DEV_DEFER int dev_wait_some(const struct dev_state *st, size_t *out, enum dev_scope scope,
			    const void *addrs, size_t n, size_t *indices, const int *skip,
			    enum dev_kind kind, int cmp, uint64_t value, uint64_t ns)
{
	int err = 0;

	if (!dev_likely(indices || !n))
		return dev_fail_together(st, scope, MORI_SHMEM_EINVAL, st->my_pe, 0, 0);
	tgt_enter(scope);
	if (tgt_leads(scope))
		err = dev_wait_scan(st, out, addrs, n, indices, skip, kind, cmp, value, ns);
	err = dev_share_status(scope, err);
	*out = dev_wait_leave_with(scope, *out);
	return err;
}

#endif
