// SPDX-License-Identifier: MIT
/*
 * All-reduce in two shots, in one kernel: PE p adds up slice p of every PE's input and stores the
 * sum into every PE's output. Each number crosses twice instead of n - 1 times.
 *
 * Blocks with the same number work together and synchronise twice, over two flags per PE: the
 * inputs are ready; the sums are stored. @round counts the launches. @n counts groups of
 * 16 bytes, of 8 numbers of bf16 or 4 floats.
 */
#include "peers.h"

/* The last barrier: everything that the block has stored has arrived. */
static void barrier(uint64_t *flags, int n_pes, uint64_t round)
{
	mori_block_sync();
	peers_signal(flags, n_pes, round);
	peers_wait(flags, n_pes, round);
}

/* If load and store do not reach every PE: fetch tiles by get, and send sums by put. */
PEERS_STEP void by_queue(bf16x8 *out, const bf16x8 *in, uint64_t first, uint64_t end, int floats)
{
	int n_pes = mori_shmem_n_pes(), qp = (int)mori_block_id();
	uint64_t n = end - first, i = first + n * mori_block_id() / mori_grid_size();

	end = first + n * (mori_block_id() + 1) / mori_grid_size();
	while (i < end) {
		uint64_t next = peers_tile(out, in, i, end, n_pes, floats);

		for (int pe = 0; pe < n_pes; pe++)
			mori_shmem_putmem_nbi_block(out + i, out + i, (next - i) * sizeof(*out), pe,
						    qp);
		i = next;
	}
	mori_shmem_quiet_block();
}

PEERS_STEP void two_shot(bf16x8 *out, const bf16x8 *in, uint64_t n, uint64_t *flags, uint64_t round,
			 int floats)
{
	int me = mori_shmem_my_pe(), n_pes = mori_shmem_n_pes();
	uint64_t *ready = flags + mori_block_id() * 2 * (uint64_t)n_pes, *done = ready + n_pes;
	uint64_t first = n * (uint64_t)me / (uint64_t)n_pes;
	uint64_t end = n * (uint64_t)(me + 1) / (uint64_t)n_pes;
	uint64_t step = (uint64_t)mori_block_size() * mori_grid_size();
	uint64_t i = first + mori_block_id() * (uint64_t)mori_block_size() + mori_thread_id();

	peers_signal(ready, n_pes, round);
	peers_find(in, out, n_pes);
	peers_wait(ready, n_pes, round);
	if (!peers_p2p(in, n_pes)) {
		by_queue(out, in, first, end, floats);
		barrier(done, n_pes, round);
		return;
	}
	for (; i < end; i += step)
		peers_store(out, i, n_pes, peers_sum(in, i, n_pes, floats));
	barrier(done, n_pes, round);
}

MORI_KERNEL void allreduce_two_shot(bf16x8 *out, const bf16x8 *in, uint64_t n, uint64_t *flags,
				    uint64_t round)
{
	two_shot(out, in, n, flags, round, 0);
}

MORI_KERNEL void allreduce_two_shot_float(bf16x8 *out, const bf16x8 *in, uint64_t n,
					  uint64_t *flags, uint64_t round)
{
	two_shot(out, in, n, flags, round, 1);
}
