// SPDX-License-Identifier: MIT
/*
 * What every body of an operation builds on: kinds of words, and the resolution of an address and a
 * PE to a place in memory. The bodies in this folder are inline functions over one target
 * (target/target.h), so the host library and the device library compile the same text.
 *
 * Warp and block calls are collective over their lanes, with uniform arguments: dev_req_execute()
 * and tgt_leave() synchronise the lanes, tgt_leads() is true for the lane that acts, tgt_share()
 * gives its result to all. On the host these do nothing.
 */
#ifndef MORI_DEV_DEV_H
#define MORI_DEV_DEV_H

#include "target/target.h"

#include <limits.h>

#define DEV_ALL INT_MIN /* quiet and fence: every PE, every queue */

#define DEV_WINDOWS_FEW	   4u /* that are looked at one by one, which reads less than a search */
#define DEV_WINDOW_UNKNOWN 1u

DEV_INLINE bool dev_kind_wide(enum dev_kind kind)
{
	return kind == DEV_KIND_int64 || kind == DEV_KIND_uint64;
}

DEV_INLINE bool dev_kind_signed(enum dev_kind kind)
{
	return kind == DEV_KIND_int32 || kind == DEV_KIND_int64;
}

/* A value of @kind in 64 bits, sign- or zero-extended. */
DEV_INLINE uint64_t dev_widen(enum dev_kind kind, uint64_t v)
{
	if (kind == DEV_KIND_int32)
		return (uint64_t)(int64_t)(int32_t)v;
	return kind == DEV_KIND_uint32 ? (uint32_t)v : v;
}

DEV_INLINE void dev_store_kind(void *out, enum dev_kind kind, uint64_t v)
{
	if (dev_kind_wide(kind))
		*(uint64_t *)out = v;
	else
		*(uint32_t *)out = (uint32_t)v;
}

/* Tells the compiler that @err is a failure, so that it does not test it again. */
DEV_INLINE int dev_failed(int err)
{
	if (err >= 0)
		__builtin_unreachable();
	return err;
}

/*
 * All lanes have found the same error in a call before they synchronised: it counts as one failure.
 */
DEV_INLINE int dev_fail_together(const struct dev_state *st, enum dev_scope scope, int err, int pe,
				 uint64_t addr, uint64_t len)
{
	tgt_enter(scope);
	return tgt_leads(scope) ? tgt_fail(st, err, pe, addr, len) : err;
}

/* A resolved address, or a status; by value, so that it stays in registers where it is inlined. */
struct dev_addr {
	uint64_t off;
	uint64_t at; /* its address here, if the slot is of load and store */
	int32_t slot, err;
};

/* Whether @pe, a valid number, is lost. */
DEV_INLINE bool dev_is_lost(const struct dev_state *st, int pe)
{
	return tgt_peek_32(&st->lost) && tgt_peek_32(&DEV_FIXED(st, gone)[pe]);
}

/* If slots are uniform, the table is not read. */
DEV_INLINE int32_t dev_slot(const struct dev_state *st, int pe)
{
	return dev_likely(DEV_FIXED(st, slot_same)) ? pe : DEV_FIXED_AT(&DEV_FIXED(st, slot)[pe]);
}

/*
 * The slot of @pe, from which dev_path() derives the path; a status if there is no such PE or it is
 * lost.
 */
DEV_INLINE struct dev_addr dev_peer_slot(const struct dev_state *st, int pe)
{
	struct dev_addr s = { .slot = DEV_SLOT_NONE };

	if (!dev_likely((unsigned)pe < (unsigned)DEV_FIXED(st, n_pes)))
		s.err = MORI_SHMEM_EINVAL;
	else if (!dev_likely(TGT_NO_LOST_CHECK || !dev_is_lost(st, pe)))
		s.err = MORI_SHMEM_EPEER;
	else
		s.slot = TGT_GPU ? DEV_FIXED_AT(&DEV_FIXED(st, slot)[pe]) : dev_slot(st, pe);
	return s;
}

/* Whether the @len bytes from offset @off on are in the heap. */
DEV_INLINE bool dev_in_heap(const struct dev_state *st, uint64_t off, uint64_t len)
{
	uint64_t end = DEV_FIXED(st, heap_committed), log;
	const struct dev_granule *first = DEV_FIXED(st, granules), *last;

	if (!dev_likely(off < end && len <= end - off)) {
		end = tgt_peek_64(&st->heap_len);
		if (!dev_likely(off < end && len <= end - off))
			return false;
	}
	if (dev_likely(!first))
		return true;
	/* Blocks are granules in a row: same owner at both ends, same owner between. */
	log = DEV_FIXED(st, granule);
	last = first + ((off + len - (len != 0)) >> log);
	first += off >> log;
	return tgt_peek_32(&first->owner) &&
	       tgt_peek_32(&first->owner) == tgt_peek_32(&last->owner) &&
	       (!len || ((off + len - 1) & (((uint64_t)1 << log) - 1)) < tgt_peek_32(&last->used));
}

/*
 * The address of this PE's window that holds @len bytes at @addr, or 0, in as many steps as the
 * number of windows has bits. The host may change the order meanwhile, and the number of the turn
 * shows that; what was in use is never freed. DEV_WINDOW_UNKNOWN: the list has the answer.
 */
DEV_INLINE uint64_t dev_window_find(const struct dev_window_index *x, uint64_t addr, uint64_t len)
{
	/* Acquire: the turn is looked at afterwards, and pairs with the release in core/windows.c. */
	uint32_t turn = tgt_load_acquire_32(&x->turn);
	uint32_t end = tgt_load_acquire_32(&x->n), from = 0;
	const struct dev_window_entry *at = tgt_pointer(tgt_load_acquire_64(&x->at));
	uint64_t off, size, found = 0;

	if (!at || turn & 1 || tgt_load_relaxed_32(&x->turn) != turn)
		return DEV_WINDOW_UNKNOWN;
	while (from < end) {
		uint32_t middle = from + (end - from) / 2;

		if (tgt_load_acquire_64(&at[middle].base) <= addr)
			from = middle + 1;
		else
			end = middle;
	}
	if (from) {
		off = addr - tgt_load_acquire_64(&at[from - 1].base);
		size = tgt_load_acquire_64(&at[from - 1].len);
		if (off < size && len <= size - off)
			found = tgt_load_acquire_64(&at[from - 1].window);
	}
	return tgt_load_relaxed_32(&x->turn) == turn ? found : DEV_WINDOW_UNKNOWN;
}

/* The registered window that holds @len bytes at the symmetric address @addr of PE @of, or NULL. */
DEV_INLINE const struct dev_window *dev_window_of(const struct dev_state *st, uint64_t addr,
						  uint64_t len, int of)
{
	uint32_t seen = 0;

	for (struct dev_window *w = tgt_load_acquire_ptr(&st->windows); w;
	     w = tgt_load_acquire_ptr(&w->next)) {
		uint64_t size = tgt_load_acquire_64(&w->len);
		uint64_t off = addr - w->peer[of];

		if (w->peer[of] && off < size && len <= size - off)
			return w;
		if (++seen == DEV_WINDOWS_FEW && of == DEV_FIXED(st, my_pe)) {
			uint64_t found = dev_window_find(&st->index, addr, len);

			if (found != DEV_WINDOW_UNKNOWN)
				return tgt_pointer(found);
		}
	}
	return NULL;
}

DEV_INLINE uint64_t dev_heap_at(const struct dev_state *st, int32_t slot, uint64_t off)
{
	return DEV_FIXED(st, window) + (uint64_t)slot * DEV_FIXED(st, stride) + off;
}

/* The base of a slot's heap: computed from the stride, or from the table of bases. */
DEV_INLINE uint64_t dev_heap_of(const struct dev_state *st, int32_t slot)
{
	const uint64_t *bases = DEV_FIXED(st, bases);

	return dev_likely(!bases) ? dev_heap_at(st, slot, 0) : DEV_FIXED_AT(&bases[slot]);
}

/*
 * What lies in a registered window, as an offset from the heap of @pe, modulo 2^64:
 * a caller with slot and offset need not distinguish the two. A part that is not mapped here
 * has the queue's slot, whatever @slot its PE has. EINVAL: in no window.
 */
DEV_INLINE struct dev_addr dev_window_addr(const struct dev_state *st, uint64_t addr, uint64_t len,
					   int pe, int32_t slot)
{
	int me = DEV_FIXED(st, my_pe);
	const struct dev_window *w = dev_window_of(st, addr, len, me);
	struct dev_addr s = { .slot = DEV_SLOT_QUEUE };

	if (!w) {
		s.err = MORI_SHMEM_EINVAL;
	} else if (slot < 0 || !w->peer[pe]) {
		s.off = addr - DEV_FIXED(st, heap_base);
		s.err = TGT_P2P_ONLY ? MORI_SHMEM_ENOTSUP : 0;
	} else {
		s.slot = slot;
		s.at = w->peer[pe] + (addr - w->peer[me]);
		s.off = s.at - dev_heap_at(st, slot, 0);
	}
	return s;
}

/* dev_addr_resolve() for any address; a copy of zero bytes may have any address. */
DEV_INLINE struct dev_addr dev_addr_lookup(const struct dev_state *st, uint64_t a, uint64_t len,
					   int pe)
{
	struct dev_addr s = dev_peer_slot(st, pe);

	if (TGT_P2P_ONLY && !s.err && s.slot < 0)
		s.err = MORI_SHMEM_ENOTSUP;
	if (!dev_likely(!s.err))
		return s;
	s.off = a - DEV_FIXED(st, heap_base);
	if (!dev_likely(dev_in_heap(st, s.off, len)) && len)
		return dev_window_addr(st, a, len, pe, s.slot);
	if (!dev_likely(!DEV_FIXED(st, bases)) && s.slot >= 0) /* as from where it would be */
		s.off += DEV_FIXED_AT(&DEV_FIXED(st, bases)[s.slot]) - dev_heap_at(st, s.slot, 0);
	s.at = dev_heap_at(st, s.slot, s.off);
	return s;
}

DEV_OUTLINE struct dev_addr dev_addr_resolve_slow(const struct dev_state *st, uint64_t a,
						  uint64_t len, int pe)
{
	return dev_addr_lookup(st, a, len, pe);
}

/*
 * Whether the slot of @pe is its number, so that the address of its heap follows from it, and
 * @needs holds.
 */
DEV_INLINE int dev_is_uniform(const struct dev_state *st, uint32_t needs, int pe)
{
	return (int)((DEV_FIXED(st, uniform) & needs) == needs) &
	       (int)((unsigned)pe < (unsigned)DEV_FIXED(st, n_pes)) &
	       (int)(TGT_NO_LOST_CHECK || !tgt_peek_32(&st->lost));
}

/* Whether the @len bytes from offset @off on are always in a heap, however much it has grown. */
DEV_INLINE int dev_is_committed(const struct dev_state *st, uint64_t off, uint64_t len)
{
	uint64_t sure = DEV_FIXED(st, heap_committed);

	return (int)(off < sure) & (int)(len <= sure - off);
}

/*
 * The first step of every operation: @len bytes at the symmetric address @addr on
 * @pe. Gives the PE's slot and the offset from its heap, or a status; nothing was
 * touched then.
 *
 * A thread of a GPU is slow, above all at branches: the common case is a single branch there,
 * on values that the compiler can hoist out of a loop.
 */
DEV_INLINE struct dev_addr dev_addr_resolve(const struct dev_state *st, const void *addr,
					    uint64_t len, int pe)
{
	uint64_t a = (uint64_t)(uintptr_t)addr;
#if !TGT_GPU
	return dev_addr_lookup(st, a, len, pe);
#else
	struct dev_addr s = { .off = a - DEV_FIXED(st, heap_base), .slot = pe };

	s.at = dev_heap_at(st, pe, s.off); /* while the lanes synchronise */
	if (dev_likely(dev_is_uniform(st, DEV_UNIFORM, pe) & dev_is_committed(st, s.off, len)))
		return s;
	return dev_addr_resolve_slow(st, a, len, pe);
#endif
}

/*
 * Whether everything that goes to @pe, or to every PE, takes the same path. Only windows have
 * segments that queues alone reach on PEs that load and store reach too, unless atomics go by
 * queues.
 */
DEV_INLINE bool dev_one_path(const struct dev_state *st, int pe)
{
	return (!tgt_load_acquire_ptr(&st->windows) && !st->amo_queue) ||
	       (pe != DEV_ALL && dev_slot(st, pe) < 0);
}

/* query */
DEV_INLINE int dev_my_pe(const struct dev_state *st, int *out)
{
	*out = DEV_FIXED(st, my_pe);
	return 0;
}

DEV_INLINE int dev_n_pes(const struct dev_state *st, int *out)
{
	*out = DEV_FIXED(st, n_pes);
	return 0;
}

DEV_INLINE int dev_status(const struct dev_state *st, int *out)
{
	*out = (int)tgt_load_relaxed_32((const uint32_t *)&st->fault.code);
	tgt_polled();
	return 0;
}

DEV_INLINE int dev_ptr_p2p(const struct dev_state *st, uint64_t *out, uint64_t addr, int my_pe,
			   int dest_pe)
{
	bool known = (unsigned)my_pe < (unsigned)DEV_FIXED(st, n_pes) &&
		     (unsigned)dest_pe < (unsigned)DEV_FIXED(st, n_pes) &&
		     dev_slot(st, my_pe) >= 0 && dev_slot(st, dest_pe) >= 0;
	const struct dev_window *w;
	uint64_t off;

	*out = 0;
	tgt_polled();
	if (!known)
		return 0;
	off = addr - dev_heap_of(st, dev_slot(st, my_pe));
	if (dev_in_heap(st, off, 1)) {
		*out = dev_heap_of(st, dev_slot(st, dest_pe)) + off;
		return 0;
	}
	w = dev_window_of(st, addr, 1, my_pe);
	if (w && w->peer[dest_pe])
		*out = w->peer[dest_pe] + (addr - w->peer[my_pe]);
	return 0;
}

DEV_INLINE int dev_ptr(const struct dev_state *st, uint64_t *out, uint64_t addr, int pe)
{
	return dev_ptr_p2p(st, out, addr, DEV_FIXED(st, my_pe), pe);
}

#endif
