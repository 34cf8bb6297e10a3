// SPDX-License-Identifier: MIT
/* Operations of the soak by kernels: copies by a block, one warp or one thread; adds by all threads. */
#include <mori/shmem_device.h>

MORI_KERNEL void soak_put(void *dest, const void *src, uint64_t len, uint64_t scope, uint64_t pe,
			  int64_t *status)
{
	unsigned lane = mori_thread_id();
	int err = 0;

	if (scope == 2)
		err = mori_shmem_putmem_block(dest, src, len, (int)pe, 0);
	else if (scope == 1 && lane < mori_warp_size())
		err = mori_shmem_putmem_warp(dest, src, len, (int)pe, 0);
	else if (scope == 0 && lane == 0)
		err = mori_shmem_putmem_thread(dest, src, len, (int)pe, 0);
	if (!err && lane == 0)
		err = mori_shmem_quiet_thread();
	if (lane == 0)
		*status = err;
}

MORI_KERNEL void soak_get(void *dest, const void *src, uint64_t len, uint64_t scope, uint64_t pe,
			  int64_t *status)
{
	unsigned lane = mori_thread_id();
	int err = 0;

	if (scope == 2)
		err = mori_shmem_getmem_block(dest, src, len, (int)pe, 0);
	else if (scope == 1 && lane < mori_warp_size())
		err = mori_shmem_getmem_warp(dest, src, len, (int)pe, 0);
	else if (scope == 0 && lane == 0)
		err = mori_shmem_getmem_thread(dest, src, len, (int)pe, 0);
	if (lane == 0)
		*status = err;
}

/* Every thread adds its number, plus one. */
MORI_KERNEL void soak_add(uint64_t *dest, uint64_t pe)
{
	mori_shmem_uint64_atomic_add_thread(dest, mori_thread_id() + 1, (int)pe, 0);
	mori_shmem_quiet_thread();
}
