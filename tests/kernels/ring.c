// SPDX-License-Identifier: MIT
/* Blocks of all PEs that wait for each other. */
#include <mori/shmem_device.h>

#define WORDS 16

/*
 * Block b sends to block b + 17 of the next PE, and every thread waits for what comes,
 * in every round; *bad counts words that are not what was sent.
 */
MORI_KERNEL void ring(uint64_t *in, uint64_t *out, uint64_t *sig, uint64_t rounds, uint64_t *bad)
{
	uint64_t blocks = mori_grid_size(), b = mori_block_id(), t = mori_thread_id();
	uint64_t to = (b + 17) % blocks, from = (b + blocks - 17 % blocks) % blocks;
	int me = mori_shmem_my_pe(), n = mori_shmem_n_pes();
	uint64_t before = (uint64_t)(me + n - 1) % (uint64_t)n;

	for (uint64_t round = 1; round <= rounds; round++) {
		uint64_t at = round * blocks; /* a PE may be that far ahead of the next */

		if (t < WORDS)
			out[b * WORDS + t] = (uint64_t)me << 48 | b << 32 | round << 16 | t;
		if (mori_shmem_putmem_signal_block(in + (at + to) * WORDS, out + b * WORDS,
						   WORDS * 8, sig + to, 1, MORI_SHMEM_SIGNAL_ADD,
						   (me + 1) % n, 0))
			++*bad;
		if (mori_shmem_uint64_wait_until(sig + b, MORI_SHMEM_CMP_GE, round))
			++*bad;
		if (t < WORDS &&
		    in[(at + b) * WORDS + t] != (before << 48 | from << 32 | round << 16 | t))
			++*bad;
		mori_block_sync();
	}
}

/* A barrier of all PEs, again and again. */
MORI_KERNEL void meet(uint64_t rounds, uint64_t *bad)
{
	for (uint64_t round = 0; round < rounds; round++) {
		if (mori_shmem_barrier_all_block())
			++*bad;
	}
}

/*
 * Two PEs that count in turn: flag[0] is ahead of flag[1] or equal. Thread 0 of block 0 counts; the
 * others wait until it has finished.
 */
MORI_KERNEL void ping(uint64_t *flag, uint64_t mine, uint64_t rounds)
{
	int me = mori_shmem_my_pe();

	for (uint64_t i = 1; !mori_block_id() && !mori_thread_id() && i <= rounds; i++) {
		(void)mori_shmem_uint64_wait_until(flag + !mine, MORI_SHMEM_CMP_GE,
						   mine ? i : i - 1);
		(void)mori_shmem_uint64_p(flag + mine, i, me, 0);
	}
	(void)mori_shmem_uint64_wait_until(flag + mine, MORI_SHMEM_CMP_GE, rounds);
}
