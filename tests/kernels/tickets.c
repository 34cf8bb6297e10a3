// SPDX-License-Identifier: MIT
/* All lanes of a block get the result of one of them, in many blocks at once. */
#include <mori/shmem_device.h>

/*
 * Each block draws @rounds tickets from one counter of PE @pe, and every lane writes down what
 * it was given; tickets are @by apart.
 */
MORI_KERNEL void tickets(uint64_t *counter, uint64_t by, int pe, uint64_t rounds, uint64_t *out)
{
	uint64_t block = mori_block_id(), lanes = mori_block_size(), lane = mori_thread_id();

	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t got = mori_shmem_uint64_atomic_fetch_add_block(counter, by, pe, 0);

		out[(block * rounds + i) * lanes + lane] = got;
	}
}
