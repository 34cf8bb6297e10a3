// SPDX-License-Identifier: MIT
/*
 * What every body of an operation stands on: scopes, kinds of words, and the way
 * from an address and a PE to a place in memory. The bodies in this folder are
 * inline functions over one target header, so the host library and the device
 * library compile the same text.
 *
 * Warp and block calls are collective over their lanes, with uniform arguments:
 * dev_go() and tgt_leave() bring the lanes together, tgt_leads() is true on
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
/* The same, but left to the final link of a kernel in the device library of a CPU. */
#ifdef MORI_CPU_KERNEL
#define DEV_BODY static inline __attribute__((unused))
#else
#define DEV_BODY DEV_STEP
#endif
/*
 * The body behind a family of names. The host library compiles it once and its names call it:
 * what is constant in a name costs less to look at than a copy of the body costs to load.
 */
#if defined(__NVPTX__) || defined(__AMDGCN__) || defined(MORI_CPU_KERNEL)
#define DEV_FAMILY DEV_BODY
#else
#define DEV_FAMILY static __attribute__((noinline, unused))
#endif
/* What the device library has by this name. */
#define DEV_API
/*
 * What is rare or waits anyway. In a kernel for a GPU it is a call, and calls nothing itself:
 * the kernel stays small, compiles sooner and needs no stack.
 */
#if defined(__NVPTX__) || defined(__AMDGCN__)
#define TGT_GPU	   1
#define DEV_RARE   static __attribute__((noinline, cold, unused))
#define DEV_SELDOM DEV_BODY /* within what is rare there, and a call elsewhere */
/*
 * The same of which the final link learns nothing: on NVIDIA it takes it as it is. The build of
 * the library knows it by this attribute.
 */
#ifdef __NVPTX__
#define DEV_DONE static __attribute__((noinline, cold, minsize, unused))
#else
#define DEV_DONE DEV_RARE
#endif
/*
 * Before a statement: what it calls is optimised by itself and inlined, whatever else it is,
 * only by the final link of a kernel: at once, and with little left to do. The build of the
 * library takes it away again.
 */
#define DEV_LATER [[clang::noinline]]
#pragma clang diagnostic ignored "-Wignored-attributes" /* noinline for what is always inline */
#else
#define TGT_GPU	   0
#define DEV_RARE   DEV_BODY
#define DEV_DONE   DEV_BODY
#define DEV_SELDOM static __attribute__((noinline, cold, unused))
#define DEV_LATER
#endif

/* 1: the library without queues, for kernels whose peers all have load and store. */
#ifdef MORI_NEAR
#define TGT_NEAR 1
#else
#define TGT_NEAR 0
#endif

DEV_BODY bool dev_likely(bool x)
{
	return __builtin_expect(x, 1);
}

/*
 * Where a load takes as long as an operation, on GPUs, operations do not look for lost PEs: the
 * memory of one stays mapped. Waits, barriers and quiet do look.
 */
#define TGT_LATE TGT_GPU

/*
 * DEV_FIXED: a word of the state that never changes, DEV_FIXED_AT: one elsewhere. TGT_UNSET: what
 * a module has for a state before mori_shmem_module_init(), tgt_state() how it is read, and
 * tgt_context() how one is that the caller names. TGT_QUICK: these never give NULL; see quick.h.
 * TGT_HIDE: the compiler must not
 * know more of @x, nor use it before; it would, for one, keep every multiple of a stride in
 * registers of its own, which a block of many threads does not have.
 */
#ifndef __NVPTX__
#define DEV_FIXED(st, field) ((st)->field)
#define DEV_FIXED_AT(p)	     (*(p))
#define TGT_UNSET	     NULL
#define TGT_QUICK	     0
#define tgt_state(p)	     ((struct dev_state *)tgt_pointer((uint64_t)(uintptr_t)(p)))
#define tgt_context(ctx)     ((struct dev_state *)tgt_pointer(ctx))
#define TGT_HIDE(x)	     ((void)(x))
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

/*
 * tgt_share(): what the lane that leads has, for all of them. tgt_share_mark(): asked for at the start
 * of a call that shares, where that takes its time. tgt_share_rare(): of what is rarely shared.
 */
#ifndef __NVPTX__
#define tgt_share_mark(scope)	  0
#define tgt_share(scope, mark, v) ((void)(mark), tgt_share_rare(scope, v))
#endif

/* tgt_agree(): tgt_any() of what is wrong with a request. TGT_VOTES: it is the same for all lanes. */
#ifdef __AMDGCN__
#define TGT_VOTES 0
#else
#define TGT_VOTES 1
#define tgt_agree tgt_any
#endif

/* The status of the lane that leads, for all; on a GPU a good one costs next to nothing. */
DEV_STEP int dev_share_status(enum dev_scope scope, int err)
{
#if TGT_GPU
	return dev_likely(!tgt_any(scope, err != 0)) ? 0 :
						       (int)tgt_share_rare(scope, (uint64_t)err);
#else
	return (int)tgt_share_rare(scope, (uint64_t)err);
#endif
}

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

/* What every lane has found wrong with a call, before they met: it is one failure. */
DEV_BODY int dev_refuse(const struct dev_state *st, enum dev_scope scope, int err, int pe,
			uint64_t addr, uint64_t len)
{
	tgt_enter(scope);
	return tgt_leads(scope) ? tgt_fail(st, err, pe, addr, len) : err;
}

/* Where something is, or a status; by value, so that it stays in registers where it is inlined. */
struct dev_spot {
	uint64_t off;
	uint64_t at; /* its address here, if the slot is of load and store */
	int32_t slot, err;
};

/* Whether @pe, which is one, is lost. */
DEV_BODY bool dev_gone(const struct dev_state *st, int pe)
{
	return tgt_peek_32(&st->lost) && tgt_peek_32(&DEV_FIXED(st, gone)[pe]);
}

/* Where it is plain the table is not read. */
DEV_BODY int32_t dev_slot(const struct dev_state *st, int pe)
{
	return dev_likely(DEV_FIXED(st, slot_same)) ? pe : DEV_FIXED_AT(&DEV_FIXED(st, slot)[pe]);
}

/* The slot of @pe, by which dev_path() knows its path; a status if there is no such PE, or lost. */
DEV_BODY struct dev_spot dev_seat(const struct dev_state *st, int pe)
{
	struct dev_spot s = { .slot = DEV_SLOT_NONE };

	if (!dev_likely((unsigned)pe < (unsigned)DEV_FIXED(st, n_pes)))
		s.err = MORI_SHMEM_EINVAL;
	else if (!dev_likely(TGT_LATE || !dev_gone(st, pe)))
		s.err = MORI_SHMEM_EPEER;
	else
		s.slot = TGT_GPU ? DEV_FIXED_AT(&DEV_FIXED(st, slot)[pe]) : dev_slot(st, pe);
	return s;
}

/* Whether offset @off and @len bytes on are memory of the heap. */
DEV_BODY bool dev_in_heap(const struct dev_state *st, uint64_t off, uint64_t len)
{
	uint64_t end = DEV_FIXED(st, heap_sure), granule;
	const uint32_t *owner = DEV_FIXED(st, owner);

	if (!dev_likely(off < end && len <= end - off)) {
		end = tgt_peek_64(&st->heap_len);
		if (!dev_likely(off < end && len <= end - off))
			return false;
	}
	if (dev_likely(!owner))
		return true;
	/* Blocks are whole granules in a row: same owner at both ends, same owner between. */
	granule = DEV_FIXED(st, granule);
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
	return DEV_FIXED(st, window) + (uint64_t)slot * DEV_FIXED(st, stride) + off;
}

/* Where the heap of a slot is: there, or anywhere. */
DEV_BODY uint64_t dev_heap_of(const struct dev_state *st, int32_t slot)
{
	const uint64_t *bases = DEV_FIXED(st, bases);

	return dev_likely(!bases) ? dev_heap_at(st, slot, 0) : DEV_FIXED_AT(&bases[slot]);
}

/*
 * What lies in a registered window, as an offset from the heap of @pe, modulo 2^64:
 * whoever has slot and offset need not ask which it is. A part that is not mapped here
 * has the queue's slot, whatever @slot its PE has. EINVAL: in no window.
 */
DEV_SELDOM struct dev_spot dev_window_spot(const struct dev_state *st, uint64_t addr, uint64_t len,
					   int pe, int32_t slot)
{
	int me = DEV_FIXED(st, my_pe);
	const struct dev_window *w = dev_window_of(st, addr, len, me);
	struct dev_spot s = { .slot = DEV_SLOT_QUEUE };

	if (!w) {
		s.err = MORI_SHMEM_EINVAL;
	} else if (slot < 0 || !w->peer[pe]) {
		s.off = addr - DEV_FIXED(st, heap_base);
		s.err = TGT_NEAR ? MORI_SHMEM_ENOTSUP : 0;
	} else {
		s.slot = slot;
		s.at = w->peer[pe] + (addr - w->peer[me]);
		s.off = s.at - dev_heap_at(st, slot, 0);
	}
	return s;
}

/* dev_reach() for every address; a copy of nothing may point anywhere. */
DEV_BODY struct dev_spot dev_find(const struct dev_state *st, uint64_t a, uint64_t len, int pe)
{
	struct dev_spot s = dev_seat(st, pe);

	if (TGT_NEAR && !s.err && s.slot < 0)
		s.err = MORI_SHMEM_ENOTSUP;
	if (!dev_likely(!s.err))
		return s;
	s.off = a - DEV_FIXED(st, heap_base);
	if (!dev_likely(dev_in_heap(st, s.off, len)) && len)
		return dev_window_spot(st, a, len, pe, s.slot);
	if (!dev_likely(!DEV_FIXED(st, bases)) && s.slot >= 0) /* as from where it would be */
		s.off += DEV_FIXED_AT(&DEV_FIXED(st, bases)[s.slot]) - dev_heap_at(st, s.slot, 0);
	s.at = dev_heap_at(st, s.slot, s.off);
	return s;
}

DEV_DONE struct dev_spot dev_find_rare(const struct dev_state *st, uint64_t a, uint64_t len, int pe)
{
	return dev_find(st, a, len, pe);
}

/* Whether the slot of @pe is its number, and where its heap lies follows from that; and @needs. */
DEV_STEP int dev_plain(const struct dev_state *st, uint32_t needs, int pe)
{
	return (int)((DEV_FIXED(st, plain) & needs) == needs) &
	       (int)((unsigned)pe < (unsigned)DEV_FIXED(st, n_pes)) &
	       (int)(TGT_LATE || !tgt_peek_32(&st->lost));
}

/* Whether offset @off and @len bytes on are memory of a heap whatever happens. */
DEV_STEP int dev_sure(const struct dev_state *st, uint64_t off, uint64_t len)
{
	uint64_t sure = DEV_FIXED(st, heap_sure);

	return (int)(off < sure) & (int)(len <= sure - off);
}

/*
 * The first step of every operation: @len bytes at the symmetric address @addr on
 * @pe. Gives the PE's slot and the offset from its heap, or a status; nothing was
 * touched then.
 *
 * A thread of a GPU is slow, and slowest at branches: there the usual case is one, on what
 * the compiler can take out of a loop.
 */
DEV_BODY struct dev_spot dev_reach(const struct dev_state *st, const void *addr, uint64_t len,
				   int pe)
{
	uint64_t a = (uint64_t)(uintptr_t)addr;
#if !TGT_GPU
	return dev_find(st, a, len, pe);
#else
	struct dev_spot s = { .off = a - DEV_FIXED(st, heap_base), .slot = pe };

	s.at = dev_heap_at(st, pe, s.off); /* while the lanes come together */
	if (dev_likely(dev_plain(st, DEV_PLAIN, pe) & dev_sure(st, s.off, len)))
		return s;
	return dev_find_rare(st, a, len, pe);
#endif
}

/*
 * Whether all that goes to @pe, or to every PE, goes by the same way: only windows have parts that
 * queues alone reach on PEs that load and store reach, too, unless atomics go by them.
 */
DEV_BODY bool dev_one_way(const struct dev_state *st, int pe)
{
	return (!tgt_load_acquire_ptr(&st->windows) && !st->amo_queue) ||
	       (pe != DEV_ALL && dev_slot(st, pe) < 0);
}

/* query */
DEV_BODY int dev_my_pe(const struct dev_state *st, int *out)
{
	*out = DEV_FIXED(st, my_pe);
	return 0;
}

DEV_BODY int dev_n_pes(const struct dev_state *st, int *out)
{
	*out = DEV_FIXED(st, n_pes);
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
	bool known = (unsigned)my_pe < (unsigned)DEV_FIXED(st, n_pes) &&
		     (unsigned)dest_pe < (unsigned)DEV_FIXED(st, n_pes) &&
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
	return dev_ptr_p2p(st, out, addr, DEV_FIXED(st, my_pe), pe);
}

#endif
