// SPDX-License-Identifier: MIT
/*
 * Every PE puts a message into the heap of its right neighbour. All threads of the
 * block call and share the copy; after the barrier all messages have arrived.
 */
#include <mori/shmem_device.h>

MORI_KERNEL void put_ring(int *dest, const int *src, uint64_t n)
{
	int right = (mori_shmem_my_pe() + 1) % mori_shmem_n_pes();

	mori_shmem_put_int32_block(dest, src, n, right, 0);
	mori_shmem_barrier_all_block();
}
