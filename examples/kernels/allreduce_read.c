// SPDX-License-Identifier: MIT
/*
 * All-reduce by reading ("kernel A"): every PE loads the input of all PEs straight
 * from their heaps and adds up in floats. For peers that load and store can reach.
 *
 * Block b says to block b of every PE that its input is ready, and waits for theirs;
 * @round counts the launches, so that the flags need no resetting. Inputs may change
 * again after the next barrier.
 */
#include <mori/shmem_device.h>

#include "bf16.h"

MORI_KERNEL void allreduce_read(bf16x8 *out, const bf16x8 *in, uint64_t n, uint64_t *ready,
				uint64_t round)
{
	int me = mori_shmem_my_pe(), n_pes = mori_shmem_n_pes();
	uint64_t *flags = ready + mori_block_id() * (uint64_t)n_pes;
	uint64_t step = (uint64_t)mori_block_size() * mori_grid_size();

	for (int pe = (int)mori_thread_id(); pe < n_pes; pe += (int)mori_block_size()) {
		mori_shmem_signal_op_thread(&flags[me], round, MORI_SHMEM_SIGNAL_SET, pe, 0);
		mori_shmem_uint64_wait_until(&flags[pe], MORI_SHMEM_CMP_GE, round);
	}
	mori_block_sync();
	for (uint64_t i = mori_block_id() * (uint64_t)mori_block_size() + mori_thread_id(); i < n;
	     i += step) {
		float sum[8] = { 0 };

		for (int pe = 0; pe < n_pes; pe++) {
			uint64_t at = mori_shmem_ptr_p2p((uint64_t)(uintptr_t)&in[i], me, pe);

			bf16_add(sum, *(const bf16x8 *)(uintptr_t)at);
		}
		out[i] = bf16_pack(sum);
	}
}
