// SPDX-License-Identifier: MIT
/*
 * What the targets of kernels share, over tgt_amo(), tgt_now_ns() and tgt_yield():
 * waits by polling, and the records of failures.
 */
#ifndef MORI_TARGET_KERNEL_H
#define MORI_TARGET_KERNEL_H

#include "target/base.h"

#if TGT_GPU
#include "target/group.h"
#else
#include "target/target_cpu.h"
#endif

/* A call by a kernel that has outlived its PE: the state counts it, the host reports the count. */
DEV_INLINE int tgt_count_late(const struct dev_state *st)
{
	uint64_t before = tgt_amo((void *)&st->fault.late, false, MORI_SHMEM_AMO_ADD, 1, 0);

	tgt_store_relaxed_64(&st->news->late, before + 1);
	return MORI_SHMEM_ESTATE;
}

/*
 * Counts a failure, and keeps it if there is room, with the thread it came from. Gives @code.
 * A claimed record stays claimed until the host frees it; a failure that meets one is only
 * counted, so no thread waits here.
 */
DEV_OUTLINE int tgt_fail(const struct dev_state *st, int code, int pe, uint64_t addr, uint64_t len)
{
	uint64_t taken = (uint64_t)DEV_RECORD_TAKEN << 32 | (uint32_t)code;
	struct dev_record *r;
	uint32_t n;

	if (code == MORI_SHMEM_ESTATE)
		return tgt_count_late(st);
	n = (uint32_t)tgt_amo((void *)&st->fault.count, false, MORI_SHMEM_AMO_ADD, 1, 0);
	(void)tgt_cas_32((void *)&st->fault.code, 0, (uint32_t)code);
	r = &st->records[n % DEV_RECORDS];
	if (tgt_amo(&r->mark, true, MORI_SHMEM_AMO_COMPARE_SWAP, taken, 0))
		return code;
	/*
	 * Relaxed: nothing is ordered by it, but another thread may be searching for its own
	 * record.
	 */
	tgt_store_relaxed_32(&r->pe, (uint32_t)pe);
	tgt_store_relaxed_32(&r->number, n);
	tgt_store_relaxed_64(&r->addr, addr);
	tgt_store_relaxed_64(&r->len, len);
	tgt_store_relaxed_32(&r->block[0], mori_block_id());
	tgt_store_relaxed_32(&r->block[1], mori_block_id_y());
	tgt_store_relaxed_32(&r->block[2], mori_block_id_z());
	tgt_store_relaxed_32(&r->thread[0], mori_thread_id());
	tgt_store_relaxed_32(&r->thread[1], mori_thread_id_y());
	tgt_store_relaxed_32(&r->thread[2], mori_thread_id_z());
	/* Release: pairs with the acquire in tgt_sign(), of this thread and of others. */
	tgt_store_release_64(&r->mark, (uint64_t)DEV_RECORD_NAMELESS << 32 | (uint32_t)code);
	(void)tgt_amo((void *)&st->fault.unnamed, false, MORI_SHMEM_AMO_ADD, 1, 0);
	return code;
}

DEV_INLINE bool tgt_is_here(const int32_t *at, uint32_t x, uint32_t y, uint32_t z)
{
	return tgt_load_relaxed_32((const uint32_t *)&at[0]) == x &&
	       tgt_load_relaxed_32((const uint32_t *)&at[1]) == y &&
	       tgt_load_relaxed_32((const uint32_t *)&at[2]) == z;
}

/*
 * Ends every failed call: names the records that this thread left unnamed, and notifies the host.
 * Returns @err.
 */
DEV_OUTLINE int tgt_sign(struct dev_state *st, uint32_t op, int err)
{
	for (uint32_t i = 0; i < DEV_RECORDS && tgt_load_relaxed_32(&st->fault.unnamed); i++) {
		struct dev_record *r = &st->records[i];
		uint64_t mark = tgt_load_acquire_64(&r->mark);

		if (mark >> 32 != DEV_RECORD_NAMELESS ||
		    !tgt_is_here(r->thread, mori_thread_id(), mori_thread_id_y(),
				 mori_thread_id_z()) ||
		    !tgt_is_here(r->block, mori_block_id(), mori_block_id_y(), mori_block_id_z()))
			continue;
		/* Release: pairs with the acquire of the thread that gathers it. */
		tgt_store_release_64(&r->mark, (uint64_t)op << 32 | (uint32_t)mark);
		(void)tgt_amo(&st->fault.unnamed, false, MORI_SHMEM_AMO_ADD, UINT32_MAX, 0);
	}
	tgt_store_release_64(&st->news->failed, 1);
	return err;
}

#if TGT_GPU
/* For what the lanes did before a barrier tgt_flags_begin() is enough. */
DEV_INLINE void tgt_fence_barrier(const struct dev_state *st)
{
	(void)st;
}

DEV_INLINE void tgt_flag(void *p, uint64_t v)
{
	tgt_store_relaxed_64(p, v);
}
#else
/* The flags of a barrier are release stores, so everything before them is complete. */
DEV_INLINE void tgt_fence_barrier(const struct dev_state *st)
{
	tgt_fence_full(st);
}

DEV_INLINE void tgt_flags_begin(const struct dev_state *st)
{
	(void)st;
}

DEV_INLINE void tgt_flag(void *p, uint64_t v)
{
	tgt_store_release_64(p, v);
}
#endif

/* A test did not hold and may be repeated at once: fibers must let others run. */
DEV_INLINE void tgt_missed(void)
{
	tgt_yield(NULL, 0, 0, 0, false, false);
}

struct tgt_wait {
	uint32_t polls;
	uint32_t kind; /* of the word, 1 + enum dev_kind; 0: unknown */
	int cmp;
	const void *addr;
	uint64_t value;
	uint64_t ns;  /* how long; DEV_NS_DEFAULT: no limit */
	uint64_t end; /* when; 0 until first needed */
};

DEV_INLINE void tgt_wait_start(struct tgt_wait *w, const struct dev_state *st, uint64_t ns,
			       const void *addr, int cmp, uint64_t value)
{
	w->polls = 0;
	w->kind = 0;
	w->addr = addr;
	w->cmp = cmp;
	w->value = value;
	w->ns = ns == DEV_NS_DEFAULT && DEV_FIXED(st, wait_ns) ? DEV_FIXED(st, wait_ns) : ns;
	w->end = 0;
}

DEV_INLINE void tgt_wait_kind(struct tgt_wait *w, enum dev_kind kind)
{
	w->kind = 1 + (uint32_t)kind;
}

DEV_INLINE void tgt_wait_end(const struct tgt_wait *w)
{
	(void)w;
}

/* The words that end a wait, and the clock, are checked once in 256 polls. */
DEV_INLINE int tgt_wait_step(struct tgt_wait *w, const struct dev_state *st)
{
	tgt_yield(w->addr, w->cmp, w->value, w->kind, !w->polls, w->ns != DEV_NS_DEFAULT);
	if (++w->polls & 255 && w->ns)
		return 0;
	if (tgt_load_relaxed_32(&st->life) != DEV_LIFE_OPEN)
		return MORI_SHMEM_ESTATE;
	if (tgt_load_relaxed_32(&st->lost))
		return MORI_SHMEM_EPEER;
	if (w->ns == DEV_NS_DEFAULT)
		return 0;
	return tgt_wait_over(tgt_now_ns(), w->ns, &w->end) ? MORI_SHMEM_ETIMEDOUT : 0;
}

#endif
