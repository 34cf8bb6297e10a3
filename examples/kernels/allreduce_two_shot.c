// SPDX-License-Identifier: MIT
/*
 * All-reduce in two shots, in one kernel: PE p adds up slice p of everybody's input and
 * stores the sum into everybody's output. Each number crosses twice instead of n - 1 times.
 *
 * Blocks with the same number work together and meet twice, over two flags a PE: the
 * inputs are ready; the sums are stored. @round counts the launches.
 */
#include <mori/shmem_device.h>

#include "bf16.h"

/* Block b of every PE comes to the meeting that is counted in flags[]. */
static void meet(uint64_t *flags, int me, int n_pes, uint64_t round)
{
	mori_block_sync();
	for (int pe = (int)mori_thread_id(); pe < n_pes; pe += (int)mori_block_size()) {
		mori_shmem_signal_op_thread(&flags[me], round, MORI_SHMEM_SIGNAL_SET, pe, 0);
		mori_shmem_uint64_wait_until(&flags[pe], MORI_SHMEM_CMP_GE, round);
	}
	mori_block_sync();
}

static bf16x8 *at(const bf16x8 *mine, int me, int pe)
{
	return (bf16x8 *)(uintptr_t)mori_shmem_ptr_p2p((uint64_t)(uintptr_t)mine, me, pe);
}

MORI_KERNEL void allreduce_two_shot(bf16x8 *out, const bf16x8 *in, uint64_t n, uint64_t *flags,
				    uint64_t round)
{
	int me = mori_shmem_my_pe(), n_pes = mori_shmem_n_pes();
	uint64_t *ready = flags + mori_block_id() * 2 * (uint64_t)n_pes, *done = ready + n_pes;
	uint64_t first = n * (uint64_t)me / (uint64_t)n_pes;
	uint64_t end = n * (uint64_t)(me + 1) / (uint64_t)n_pes;
	uint64_t step = (uint64_t)mori_block_size() * mori_grid_size();
	uint64_t i = first + mori_block_id() * (uint64_t)mori_block_size() + mori_thread_id();

	meet(ready, me, n_pes, round);
	for (; i < end; i += step) {
		float sum[8] = { 0 };
		bf16x8 packed;

		for (int pe = 0; pe < n_pes; pe++)
			bf16_add(sum, *at(&in[i], me, pe));
		packed = bf16_pack(sum);
		for (int pe = 0; pe < n_pes; pe++)
			*at(&out[i], me, pe) = packed;
	}
	meet(done, me, n_pes, round);
}
