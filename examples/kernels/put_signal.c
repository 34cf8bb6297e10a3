// SPDX-License-Identifier: MIT
/*
 * A message goes round the ring: PE 0 starts it, every PE adds its number to each
 * word and passes it on together with a signal, and PE 0 gets it back. The signal comes
 * after the data, so a PE that has seen it may read the message.
 */
#include <mori/shmem_device.h>

MORI_KERNEL void put_signal(int *box, int *next_box, uint64_t n, uint64_t *signal)
{
	int me = mori_shmem_my_pe(), right = (me + 1) % mori_shmem_n_pes();

	if (me)
		mori_shmem_uint64_wait_until_equals_block(signal, 1);
	for (uint64_t i = mori_thread_id(); i < n; i += mori_block_size())
		next_box[i] = box[i] + me;
	mori_block_sync();
	mori_shmem_put_int32_signal_block(box, next_box, n, signal, 1, MORI_SHMEM_SIGNAL_SET, right,
					  0);
	if (!me)
		mori_shmem_uint64_wait_until_equals_block(signal, 1);
}
