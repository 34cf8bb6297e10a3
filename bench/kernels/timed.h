// SPDX-License-Identifier: MIT
/*
 * What the kernels of the bench share: one list of parameters for all of them, and the
 * clock of the device around @iters operations. Public device header only, so the same
 * source is compiled for every device.
 */
#ifndef BENCH_KERNELS_TIMED_H
#define BENCH_KERNELS_TIMED_H

#include <mori/shmem_device.h>

#define UNUSED __attribute__((unused))
#define TIMED_KERNEL(name)                                                                         \
	MORI_KERNEL void name(UNUSED char *dst, UNUSED const char *src, UNUSED uint64_t len,       \
			      UNUSED uint64_t *word, UNUSED int pe, uint64_t iters,                \
			      UNUSED uint64_t base, uint64_t *ns)

static inline uint32_t grid_thread(void)
{
	return mori_block_id() * mori_block_size() + mori_thread_id();
}

static inline uint32_t grid_threads(void)
{
	return mori_grid_size() * mori_block_size();
}

/* The clock is read before anybody has begun, and after everybody of the block has ended. */
static inline uint64_t timed_start(void)
{
	uint64_t now = mori_clock_ns();

	mori_block_sync();
	return now;
}

static inline void timed_stop(uint64_t start, uint64_t *ns)
{
	mori_block_sync();
	if (!mori_block_id() && !mori_thread_id())
		*ns = mori_clock_ns() - start;
}

/* Keeps the compiler from merging the rounds of a loop without calls. */
static inline void timed_keep(void)
{
	__asm__ volatile("" ::: "memory");
}

#endif
