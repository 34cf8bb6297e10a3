// SPDX-License-Identifier: MIT
/*
 * All-reduce by reading ("kernel A"): every PE loads the input of all PEs directly from their
 * heaps and adds up in floats. If load and store do not reach a PE, it fetches tiles of the input
 * by get.
 *
 * Block b signals to block b of every PE that its input is ready, and waits for theirs;
 * @round counts the launches, so that the flags need no resetting. Inputs may change
 * again after the next barrier.
 */
#include "peers.h"

MORI_KERNEL void allreduce_read(bf16x8 *out, const bf16x8 *in, uint64_t n, uint64_t *ready,
				uint64_t round)
{
	int n_pes = mori_shmem_n_pes();
	uint64_t *flags = ready + mori_block_id() * (uint64_t)n_pes;
	uint64_t step = (uint64_t)mori_block_size() * mori_grid_size();
	uint64_t i = mori_block_id() * (uint64_t)mori_block_size() + mori_thread_id();

	peers_signal(flags, n_pes, round);
	peers_find(in, NULL, n_pes);
	peers_wait(flags, n_pes, round);
	if (!peers_p2p(in, n_pes)) {
		uint64_t end = n * (mori_block_id() + 1) / mori_grid_size();

		for (i = n * mori_block_id() / mori_grid_size(); i < end;)
			i = peers_tile(out, in, i, end, n_pes, 0);
		return;
	}
	for (; i < n; i += step)
		out[i] = peers_sum(in, i, n_pes, 0);
}
