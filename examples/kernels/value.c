// SPDX-License-Identifier: MIT
/*
 * Single values: thread t writes a number into table[me] of PE t with p, and after a
 * barrier reads back with g what every PE wrote for PE t.
 */
#include <mori/shmem_device.h>

MORI_KERNEL void value(long *table, long *sum)
{
	int me = mori_shmem_my_pe(), n = mori_shmem_n_pes();

	for (int pe = (int)mori_thread_id(); pe < n; pe += (int)mori_block_size())
		mori_shmem_long_p(&table[me], 1000 * me + pe, pe, 0);
	mori_shmem_barrier_all_block();
	for (int pe = (int)mori_thread_id(); pe < n; pe += (int)mori_block_size()) {
		sum[pe] = 0;
		for (int from = 0; from < n; from++)
			sum[pe] += mori_shmem_long_g(&table[from], pe, 0);
	}
}
