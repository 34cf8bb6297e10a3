// SPDX-License-Identifier: MIT
/*
 * Atomics on the heap of PE 0: every thread of every PE draws a ticket, adds to a
 * float, and tries to be the first to leave its name.
 */
#include <mori/shmem_device.h>

MORI_KERNEL void atomics(uint64_t *next, float *total, int32_t *first, uint64_t *tickets)
{
	int me = mori_shmem_my_pe();
	uint32_t i = mori_block_id() * mori_block_size() + mori_thread_id();

	tickets[i] = mori_shmem_uint64_atomic_fetch_inc_thread(next, 0, 0);
	mori_shmem_float_atomic_add_thread(total, 0.5f, 0, 0);
	mori_shmem_int32_atomic_compare_swap_thread(first, -1, me, 0, 0);
}
