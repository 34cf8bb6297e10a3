// SPDX-License-Identifier: MIT
/*
 * What every body of an operation stands on: scopes, kinds of words, and the way
 * from an address and a PE to a place in memory. The bodies in this folder are
 * inline functions over one target header, so the host library and the device
 * library compile the same text.
 *
 * Warp and block calls are collective over their lanes, with uniform arguments:
 * dev_enter() and tgt_leave() bring the lanes together, tgt_leads() is true on
 * the one that acts, tgt_share() gives its result to all. On the host they are
 * nothing.
 */
#ifndef MORI_DEV_DEV_H
#define MORI_DEV_DEV_H

#include "abi/state.h"

#include <limits.h>
#include <stdbool.h>

enum dev_scope { DEV_thread, DEV_warp, DEV_block };
enum dev_kind { DEV_KIND_int32, DEV_KIND_uint32, DEV_KIND_int64, DEV_KIND_uint64 };

#define DEV_ALL	       INT_MIN	  /* quiet and fence: every PE, every queue */
#define DEV_NS_DEFAULT UINT64_MAX /* waits: as long as MORI_SHMEM_WAIT_TIMEOUT says */

/* A part of a body: inline everywhere, so that what is constant there is constant in it. */
#define DEV_STEP static inline __attribute__((always_inline, unused))
/* Inline on the host; left to the final link of a kernel in the device library. */
#if defined(__NVPTX__) || defined(__AMDGCN__) || defined(MORI_CPU_KERNEL)
#define DEV_BODY static inline __attribute__((unused))
#define DEV_API
#else
#define DEV_BODY DEV_STEP
#endif

DEV_BODY bool dev_likely(bool x)
{
	return __builtin_expect(x, 1);
}

/*
 * Where a load takes as long as an operation, operations do not look for lost PEs: the memory
 * of one stays mapped. Waits, barriers and quiet do look.
 */
#if defined(__NVPTX__)
#define TGT_LATE 1
#else
#define TGT_LATE 0
#endif

/*
 * DEV_FIXED: a word of the state that never changes. TGT_UNSET: what a module has for a state
 * before mori_shmem_module_init(), and tgt_state() how it is read.
 */
#ifndef __NVPTX__
#define DEV_FIXED(p) (*(p))
#define TGT_UNSET    NULL
#define tgt_state(p) ((struct dev_state *)tgt_pointer((uint64_t)(uintptr_t)(p)))
#endif

#if defined(__NVPTX__)
#include "dev/target_nvptx.h"
#elif defined(__AMDGCN__)
#include "dev/target_amdgcn.h"
#elif defined(MORI_CPU_KERNEL)
#include "dev/target_cpu.h"
#else
#include "dev/target_host.h"
#endif

DEV_BODY bool dev_kind_wide(enum dev_kind kind)
{
	return kind == DEV_KIND_int64 || kind == DEV_KIND_uint64;
}

DEV_BODY bool dev_kind_signed(enum dev_kind kind)
{
	return kind == DEV_KIND_int32 || kind == DEV_KIND_int64;
}

/* A value of @kind in 64 bits, extended as its sign asks. */
DEV_BODY uint64_t dev_widen(enum dev_kind kind, uint64_t v)
{
	if (kind == DEV_KIND_int32)
		return (uint64_t)(int64_t)(int32_t)v;
	return kind == DEV_KIND_uint32 ? (uint32_t)v : v;
}

DEV_BODY void dev_store_kind(void *out, enum dev_kind kind, uint64_t v)
{
	if (dev_kind_wide(kind))
		*(uint64_t *)out = v;
	else
		*(uint32_t *)out = (uint32_t)v;
}

/* @err is a status of a failure: the compiler need not look again. */
DEV_STEP int dev_failed(int err)
{
	if (err >= 0)
		__builtin_unreachable();
	return err;
}

/* Why @pe cannot be spoken to: no such PE, or lost. */
static __attribute__((noinline, cold, unused)) int dev_bad_pe(const struct dev_state *st, int pe,
							      uint64_t addr)
{
	bool known = pe >= 0 && pe < st->n_pes;

	return tgt_fail(st, known ? MORI_SHMEM_EPEER : MORI_SHMEM_EINVAL, pe, addr, 0);
}

/* Whether it is lost. */
DEV_BODY bool dev_gone(const struct dev_state *st, int pe)
{
	return tgt_peek_32(&st->lost) && tgt_peek_32(&DEV_FIXED(&st->gone)[pe]);
}

/* Where it is plain the table is not read. */
DEV_BODY int32_t dev_slot(const struct dev_state *st, int pe)
{
	return dev_likely(DEV_FIXED(&st->slot_same)) ? pe : DEV_FIXED(&DEV_FIXED(&st->slot)[pe]);
}

/* The slot of @pe, by which dev_path() knows its path; a status if there is no such PE, or lost. */
DEV_BODY int dev_seat(const struct dev_state *st, int pe, uint64_t addr, int32_t *slot)
{
	*slot = DEV_SLOT_NONE;
	if (!dev_likely((unsigned)pe < (unsigned)DEV_FIXED(&st->n_pes) &&
			(TGT_LATE || !dev_gone(st, pe))))
		return dev_failed(dev_bad_pe(st, pe, addr));
	*slot = dev_slot(st, pe);
	return 0;
}

/* Whether offset @off and @len bytes on are memory of the heap. */
DEV_BODY bool dev_in_heap(const struct dev_state *st, uint64_t off, uint64_t len)
{
	uint64_t end = DEV_FIXED(&st->heap_sure), granule;
	const uint32_t *owner = DEV_FIXED(&st->owner);

	if (!dev_likely(off < end && len <= end - off)) {
		end = tgt_peek_64(&st->heap_len);
		if (!dev_likely(off < end && len <= end - off))
			return false;
	}
	if (dev_likely(!owner))
		return true;
	/* Blocks are whole granules in a row: same owner at both ends, same owner between. */
	granule = DEV_FIXED(&st->granule);
	return tgt_peek_32(owner + (off >> granule)) &&
	       (!len || tgt_peek_32(owner + (off >> granule)) ==
				tgt_peek_32(owner + ((off + len - 1) >> granule)));
}

/* The registered window that holds @len bytes at the symmetric address @addr of PE @of, or NULL. */
DEV_BODY const struct dev_window *dev_window_of(const struct dev_state *st, uint64_t addr,
						uint64_t len, int of)
{
	for (struct dev_window *w = tgt_load_acquire_ptr(&st->windows); w;
	     w = tgt_load_acquire_ptr(&w->next)) {
		uint64_t size = tgt_load_acquire_64(&w->len);
		uint64_t off = addr - w->peer[of];

		if (w->peer[of] && off < size && len <= size - off)
			return w;
	}
	return NULL;
}

DEV_BODY uint64_t dev_heap_at(const struct dev_state *st, int32_t slot, uint64_t off)
{
	return DEV_FIXED(&st->window) + (uint64_t)slot * DEV_FIXED(&st->stride) + off;
}

/* Where the heap of a slot is: there, or anywhere. */
DEV_BODY uint64_t dev_heap_of(const struct dev_state *st, int32_t slot)
{
	const uint64_t *bases = DEV_FIXED(&st->bases);

	return dev_likely(!bases) ? dev_heap_at(st, slot, 0) : DEV_FIXED(&bases[slot]);
}

#define DEV_OFF_NONE ((uint64_t)1 << 63) /* no address is so far from a heap */

/*
 * What lies in a registered window, as an offset from the heap of @pe, modulo 2^64:
 * whoever has slot and offset need not ask which it is. DEV_OFF_NONE: in no window.
 */
static __attribute__((noinline, unused)) uint64_t dev_window_off(const struct dev_state *st,
								 uint64_t addr, uint64_t len,
								 int pe)
{
	const struct dev_window *w = dev_window_of(st, addr, len, st->my_pe);

	if (!w)
		return DEV_OFF_NONE;
	if (st->slot[pe] < 0)
		return addr - st->heap_base;
	return w->peer[pe] ? w->peer[pe] + (addr - w->peer[st->my_pe]) -
				     dev_heap_at(st, st->slot[pe], 0) :
			     DEV_OFF_NONE;
}

DEV_BODY int dev_reach_any(const struct dev_state *st, uint64_t a, uint64_t len, int pe,
			   int32_t *slot, uint64_t *off)
{
	int err = dev_seat(st, pe, a, slot);

	*off = DEV_OFF_NONE;
	if (!dev_likely(!err))
		return err;
	*off = a - DEV_FIXED(&st->heap_base);
	if (dev_likely(dev_in_heap(st, *off, len))) {
		if (!dev_likely(!st->bases)) /* as from where it would be */
			*off += st->bases[*slot] - dev_heap_at(st, *slot, 0);
		return 0;
	}
	*off = dev_window_off(st, a, len, pe);
	*slot = st->slot[pe]; /* again: nothing is kept across the call for the rare case */
	return *off == DEV_OFF_NONE ? dev_failed(tgt_fail(st, MORI_SHMEM_EINVAL, pe, a, len)) : 0;
}

/* Where something is, or a status; by value, so that it stays in registers. */
struct dev_spot {
	uint64_t off;
	int32_t slot, err;
};

static __attribute__((noinline, cold, unused)) struct dev_spot
dev_reach_rare(const struct dev_state *st, uint64_t a, uint64_t len, int pe)
{
	struct dev_spot s;

	s.err = dev_reach_any(st, a, len, pe, &s.slot, &s.off);
	return s;
}

/*
 * The first step of every operation: @len bytes at the symmetric address @addr on
 * @pe. Gives 0 with the PE's slot and the offset from its heap, or a status; nothing
 * was touched then.
 *
 * A thread of a GPU is slow, and slowest at branches: there the usual case is one, on what
 * the compiler can take out of a loop.
 */
DEV_BODY int dev_reach(const struct dev_state *st, const void *addr, uint64_t len, int pe,
		       int32_t *slot, uint64_t *off)
{
	uint64_t a = (uint64_t)(uintptr_t)addr, sure = DEV_FIXED(&st->heap_sure);
	uint64_t at = a - DEV_FIXED(&st->heap_base);
	struct dev_spot s;

	if (!TGT_LATE)
		return dev_reach_any(st, a, len, pe, slot, off);
	if (dev_likely((int)(DEV_FIXED(&st->plain) != 0) &
		       (int)((unsigned)pe < (unsigned)DEV_FIXED(&st->n_pes)) & (int)(at < sure) &
		       (int)(len <= sure - at))) {
		*slot = pe;
		*off = at;
		return 0;
	}
	s = dev_reach_rare(st, a, len, pe);
	*slot = s.slot;
	*off = s.off;
	return s.err ? dev_failed(s.err) : 0;
}

/*
 * The lanes come together with what each found, and go on or return together: a PE
 * may be lost between the look of one lane and that of another.
 */
DEV_BODY int dev_enter(enum dev_scope scope, int err)
{
	if (dev_likely(!tgt_any(scope, err != 0)))
		return 0;
	return err ? err : MORI_SHMEM_EPEER;
}

/* query */
DEV_BODY int dev_my_pe(const struct dev_state *st, int *out)
{
	*out = DEV_FIXED(&st->my_pe);
	return 0;
}

DEV_BODY int dev_n_pes(const struct dev_state *st, int *out)
{
	*out = DEV_FIXED(&st->n_pes);
	return 0;
}

DEV_BODY int dev_status(const struct dev_state *st, int *out)
{
	*out = (int)tgt_load_relaxed_32((const uint32_t *)&st->fault.code);
	tgt_looked();
	return 0;
}

DEV_BODY int dev_ptr_p2p(const struct dev_state *st, uint64_t *out, uint64_t addr, int my_pe,
			 int dest_pe)
{
	bool known = (unsigned)my_pe < (unsigned)DEV_FIXED(&st->n_pes) &&
		     (unsigned)dest_pe < (unsigned)DEV_FIXED(&st->n_pes) &&
		     dev_slot(st, my_pe) >= 0 && dev_slot(st, dest_pe) >= 0;
	const struct dev_window *w;
	uint64_t off;

	*out = 0;
	tgt_looked();
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

DEV_BODY int dev_ptr(const struct dev_state *st, uint64_t *out, uint64_t addr, int pe)
{
	return dev_ptr_p2p(st, out, addr, DEV_FIXED(&st->my_pe), pe);
}

#endif
