// SPDX-License-Identifier: MIT
/* Memory of a block whose size the launch sets, beside its named memory. */
#include <mori/shmem_device.h>

MORI_SHARED uint64_t shared_named;

/*
 * Every thread fills its part with what only its block has, lets the others run, and checks its
 * neighbour's part. *bad counts the errors; at[block] gets the address.
 */
MORI_KERNEL void shared_fill(uint64_t *at, uint64_t words, uint64_t *bad)
{
	uint64_t *mine = mori_shared_memory(), b = mori_block_id(), t = mori_thread_id();
	uint64_t threads = mori_block_size(), from = (t + 1) % threads;
	int me = mori_shmem_my_pe();

	if (!t) {
		at[b] = (uint64_t)mine;
		shared_named = b;
	}
	if (mine != mori_shared_memory())
		++*bad;
	for (uint64_t i = t; i < words; i += threads)
		*bad += mine[i] != 0;
	mori_block_sync();
	for (uint64_t i = t; i < words; i += threads)
		mine[i] = b << 32 | i;
	(void)mori_shmem_uint64_g(at, me, 0);
	for (int i = 0; i < 3; i++)
		(void)mori_shmem_uint64_test(at + b, MORI_SHMEM_CMP_EQ, 0); /* others run */
	mori_block_sync();
	for (uint64_t i = from; i < words; i += threads)
		*bad += mine[i] != (b << 32 | i);
	*bad += shared_named != b;
}

MORI_KERNEL void shared_none(uint64_t *at)
{
	*at = (uint64_t)mori_shared_memory();
}
