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

/* Inline on the host; left to the final link of a kernel in the device library. */
#if defined(__NVPTX__) || defined(__AMDGCN__) || defined(MORI_CPU_KERNEL)
#define DEV_BODY static inline __attribute__((unused))
#define DEV_API
#else
#define DEV_BODY static inline __attribute__((always_inline, unused))
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

DEV_BODY bool dev_likely(bool x)
{
	return __builtin_expect(x, 1);
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

DEV_BODY enum dev_path dev_path(const struct dev_state *st, int pe)
{
	return st->slot[pe] >= 0 ? DEV_PATH_P2P : DEV_PATH_NONE;
}

/* Why @pe cannot be spoken to: no such PE, lost, or no path. */
static __attribute__((noinline, cold, unused)) int dev_bad_pe(const struct dev_state *st, int pe,
							      uint64_t addr)
{
	int code = MORI_SHMEM_ENOTSUP;

	if (pe < 0 || pe >= st->n_pes)
		code = MORI_SHMEM_EINVAL;
	else if (tgt_load_relaxed_32(&st->gone[pe]))
		code = MORI_SHMEM_EPEER;
	return tgt_fail(st, code, pe, addr, 0);
}

DEV_BODY bool dev_pe_ok(const struct dev_state *st, int pe)
{
	return (unsigned)pe < (unsigned)st->n_pes && dev_path(st, pe) == DEV_PATH_P2P &&
	       !(tgt_peek_32(&st->lost) && tgt_peek_32(&st->gone[pe]));
}

/* Whether offset @off and @len bytes on are memory of the heap. */
DEV_BODY bool dev_in_heap(const struct dev_state *st, uint64_t off, uint64_t len)
{
	uint64_t end = tgt_peek_64(&st->heap_len);
	const uint32_t *owner = st->owner;

	if (!dev_likely(off < end && len <= end - off))
		return false;
	if (dev_likely(!owner))
		return true;
	/* Blocks are whole granules in a row: same owner at both ends, same owner between. */
	owner += off >> st->granule;
	return tgt_peek_32(owner) &&
	       (!len ||
		tgt_peek_32(owner) == tgt_peek_32(st->owner + ((off + len - 1) >> st->granule)));
}

/*
 * Where PE @pe has the symmetric address @addr of PE @of, as this PE sees it;
 * 0 where that is no symmetric memory or cannot be reached. Both PEs exist.
 */
static __attribute__((noinline, unused)) uint64_t dev_window_at(const struct dev_state *st,
								uint64_t addr, uint64_t len, int of,
								int pe)
{
	for (struct dev_window *w = tgt_load_acquire_ptr(&st->windows); w;
	     w = tgt_load_acquire_ptr(&w->next)) {
		uint64_t size = tgt_load_acquire_64(&w->len);
		uint64_t off = addr - w->peer[of];

		if (w->peer[of] && off < size && len <= size - off)
			return w->peer[pe] ? w->peer[pe] + off : 0;
	}
	return 0;
}

DEV_BODY uint64_t dev_heap_at(const struct dev_state *st, int pe, uint64_t off)
{
	return st->window + (uint64_t)st->slot[pe] * st->stride + off;
}

/*
 * The first step of every operation: @len bytes at the symmetric address @addr
 * on @pe. Gives 0 and where they are, or a status; nothing was touched then.
 */
DEV_BODY int dev_reach(const struct dev_state *st, const void *addr, uint64_t len, int pe,
		       void **out)
{
	uint64_t a = (uint64_t)(uintptr_t)addr, at;

	*out = NULL;
	if (!dev_likely(dev_pe_ok(st, pe)))
		return dev_bad_pe(st, pe, a);
	at = dev_likely(dev_in_heap(st, a - st->heap_base, len)) ?
		     dev_heap_at(st, pe, a - st->heap_base) :
		     dev_window_at(st, a, len, st->my_pe, pe);
	if (!dev_likely(at != 0))
		return tgt_fail(st, MORI_SHMEM_EINVAL, pe, a, len);
	*out = tgt_pointer(at);
	return 0;
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
	*out = st->my_pe;
	return 0;
}

DEV_BODY int dev_n_pes(const struct dev_state *st, int *out)
{
	*out = st->n_pes;
	return 0;
}

DEV_BODY int dev_status(const struct dev_state *st, int *out)
{
	*out = (int)tgt_load_relaxed_32((const uint32_t *)&st->fault.code);
	return 0;
}

DEV_BODY int dev_ptr_p2p(const struct dev_state *st, uint64_t *out, uint64_t addr, int my_pe,
			 int dest_pe)
{
	bool known = (unsigned)my_pe < (unsigned)st->n_pes &&
		     (unsigned)dest_pe < (unsigned)st->n_pes &&
		     dev_path(st, my_pe) == DEV_PATH_P2P && dev_path(st, dest_pe) == DEV_PATH_P2P;
	uint64_t off;

	*out = 0;
	if (!known)
		return 0;
	off = addr - dev_heap_at(st, my_pe, 0);
	*out = dev_in_heap(st, off, 1) ? dev_heap_at(st, dest_pe, off) :
					 dev_window_at(st, addr, 1, my_pe, dest_pe);
	return 0;
}

DEV_BODY int dev_ptr(const struct dev_state *st, uint64_t *out, uint64_t addr, int pe)
{
	return dev_ptr_p2p(st, out, addr, st->my_pe, pe);
}

#endif
