// SPDX-License-Identifier: MIT
/*
 * All-reduce by all-to-all put with signal ("kernel B"): works over every path. The
 * input is cut into chunks; block (peer, chunk) sends its chunk to its peer, then adds up
 * one share of that chunk as soon as it has arrived from every PE.
 *
 * The grid is n_pes * chunks blocks. Several chunks per peer keep load and store busy; over a
 * queue one is enough, because each message there has a cost of its own. @round counts
 * the launches: it chooses one of two halves of @inbox, so a PE that is one round ahead
 * does not overwrite what another still reads.
 */
#include <mori/shmem_device.h>

#include "bf16.h"

/* Where chunk c of @n items starts, divided into @chunks. */
static uint64_t cut(uint64_t n, uint64_t chunks, uint64_t c)
{
	return n * c / chunks;
}

MORI_KERNEL void allreduce_put(bf16x8 *out, const bf16x8 *in, uint64_t n, bf16x8 *inbox,
			       uint64_t *came, uint32_t chunks, uint64_t round)
{
	int me = mori_shmem_my_pe(), n_pes = mori_shmem_n_pes();
	int peer = (me + (int)(mori_block_id() / chunks)) % n_pes;
	uint64_t chunk = mori_block_id() % chunks;
	uint64_t first = cut(n, chunks, chunk), len = cut(n, chunks, chunk + 1) - first;
	bf16x8 *half = inbox + round % 2 * n * (uint64_t)n_pes;
	uint64_t share = cut(len, (uint64_t)n_pes, (uint64_t)peer);
	uint64_t end = cut(len, (uint64_t)n_pes, (uint64_t)peer + 1);

	/* Not nbi: the input may change once the kernel has ended. */
	mori_shmem_putmem_signal_block(half + (uint64_t)me * n + first, in + first,
				       len * sizeof(*in), &came[(uint64_t)me * chunks + chunk], 1,
				       MORI_SHMEM_SIGNAL_ADD, peer, 0);
	for (int pe = 0; pe < n_pes; pe++)
		mori_shmem_uint64_wait_until_block(&came[(uint64_t)pe * chunks + chunk],
						   MORI_SHMEM_CMP_GE, round);
	for (uint64_t i = share + mori_thread_id(); i < end; i += mori_block_size()) {
		float sum[8] = { 0 };

		for (int pe = 0; pe < n_pes; pe++)
			bf16_add(sum, half[(uint64_t)pe * n + first + i]);
		out[first + i] = bf16_pack(sum);
	}
}
