// SPDX-License-Identifier: MIT
/*
 * What the targets of kernels share, over tgt_cas_32(), tgt_now_ns() and
 * tgt_yield(): waits by polling, and the record of a fault.
 */
#ifndef MORI_DEV_KERNEL_H
#define MORI_DEV_KERNEL_H

#include "abi/state.h"

/* The first fault of the PE is kept, with the thread it came from. */
static __attribute__((noinline, cold, unused)) int tgt_fail(const struct dev_state *st, int code,
							    int pe, uint64_t addr, uint64_t len)
{
	struct dev_fault *f = (struct dev_fault *)&st->fault;

	(void)len;
	if (tgt_cas_32((uint32_t *)&f->code, 0, (uint32_t)code))
		return code;
	/* Relaxed: another thread of the host may be looking, and takes what is there. */
	tgt_store_relaxed_32(&f->pe, (uint32_t)pe);
	tgt_store_relaxed_64(&f->addr, addr);
	tgt_store_relaxed_32(&f->block[0], mori_block_id());
	tgt_store_relaxed_32(&f->block[1], mori_block_id_y());
	tgt_store_relaxed_32(&f->block[2], mori_block_id_z());
	tgt_store_relaxed_32(&f->thread[0], mori_thread_id());
	tgt_store_relaxed_32(&f->thread[1], mori_thread_id_y());
	tgt_store_relaxed_32(&f->thread[2], mori_thread_id_z());
	return code;
}

/* A test did not hold, and may be made again at once: fibers must let others run. */
DEV_BODY void tgt_missed(void)
{
	tgt_yield(NULL, 0, 0, false, false);
}

struct tgt_wait {
	uint32_t polls;
	int cmp;
	const void *addr;
	uint64_t value;
	uint64_t ns;  /* how long; DEV_NS_DEFAULT: no limit */
	uint64_t end; /* when; 0 until first needed */
};

DEV_BODY void tgt_wait_start(struct tgt_wait *w, const struct dev_state *st, uint64_t ns,
			     const void *addr, int cmp, uint64_t value)
{
	w->polls = 0;
	w->addr = addr;
	w->cmp = cmp;
	w->value = value;
	w->ns = ns == DEV_NS_DEFAULT && DEV_FIXED(st, wait_ns) ? DEV_FIXED(st, wait_ns) : ns;
	w->end = 0;
}

/* The words that end a wait are looked at now and then, the clock too. */
DEV_BODY int tgt_wait_step(struct tgt_wait *w, const struct dev_state *st)
{
	uint64_t now;

	tgt_yield(w->addr, w->cmp, w->value, !w->polls, w->ns != DEV_NS_DEFAULT);
	if (++w->polls & 255 && w->ns)
		return 0;
	if (tgt_load_relaxed_32(&st->life) != DEV_LIFE_OPEN)
		return MORI_SHMEM_ESTATE;
	if (tgt_load_relaxed_32(&st->lost))
		return MORI_SHMEM_EPEER;
	if (w->ns == DEV_NS_DEFAULT)
		return 0;
	now = tgt_now_ns();
	if (!w->end && __builtin_add_overflow(now, w->ns, &w->end))
		w->end = UINT64_MAX;
	return now >= w->end ? MORI_SHMEM_ETIMEDOUT : 0;
}

#endif
