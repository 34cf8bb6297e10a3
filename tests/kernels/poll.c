// SPDX-License-Identifier: MIT
/* Threads that wait by looking at words themselves, and one that only computes. */
#include "poll.h"

#include <mori/shmem_device.h>

static bool poll_came(uint64_t *word, int32_t how)
{
	int me = mori_shmem_my_pe();
	uint64_t got = 0;

	switch (how) {
	case POLL_G:
		return mori_shmem_uint64_g(word, me, 0) != 0;
	case POLL_FETCH:
		return mori_shmem_uint64_atomic_fetch_thread(word, me, 0) != 0;
	case POLL_SWAP:
		return mori_shmem_uint64_atomic_compare_swap_thread(word, 0, 0, me, 0) != 0;
	case POLL_SIGNAL:
		return mori_shmem_signal_fetch(word) != 0;
	case POLL_GET:
		(void)mori_shmem_getmem_thread(&got, word, 8, me, 0);
		return got != 0;
	case POLL_TEST:
		return mori_shmem_uint64_test(word, MORI_SHMEM_CMP_NE, 0);
	case POLL_CLOCK: /* a load of its own, with a deadline by the clock */
		return mori_clock_ns() == UINT64_MAX || __atomic_load_n(word, __ATOMIC_ACQUIRE);
	default: /* a load of its own, with a question between */
		return !mori_shmem_ptr((uint64_t)word, me) ||
		       __atomic_load_n(word, __ATOMIC_ACQUIRE);
	}
}

/* Every block waits for the one behind it, which begins later: words[blocks] is set. */
MORI_KERNEL void poll_chain(uint64_t *words, int32_t how)
{
	uint64_t at = (uint64_t)mori_block_id() * mori_block_size() + mori_thread_id();

	while (!poll_came(words + at + 1, how))
		;
	(void)mori_shmem_uint64_p(words + at, at + 1, mori_shmem_my_pe(), 0);
}

/* Block 2, thread 3 spins on plain memory forever; the others end. */
MORI_KERNEL void poll_plain(uint64_t *word)
{
	if (mori_block_id() != 2 || mori_thread_id() != 3)
		return;
	while (!__atomic_load_n(word, __ATOMIC_RELAXED))
		;
}

/* As long as the clock of the host's thread says, without a call of the library. */
MORI_KERNEL void poll_compute(uint64_t *sum, uint64_t steps)
{
	uint64_t x = 1;

	for (uint64_t i = 0; i < steps; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	*sum = x;
}

/* Polls forever, in the way @how. */
MORI_KERNEL void poll_ever(uint64_t *word, int32_t how)
{
	while (!poll_came(word, how))
		;
}

/* Works for a while between two tests, @n times. */
MORI_KERNEL void poll_work(uint64_t *word, uint64_t *sum, uint64_t n, uint64_t steps)
{
	uint64_t x = 1;

	for (uint64_t i = 0; i < n && !mori_shmem_uint64_test(word, MORI_SHMEM_CMP_NE, 0); i++) {
		for (uint64_t k = 0; k < steps; k++)
			x = x * 6364136223846793005u + 1442695040888963407u;
	}
	*sum = x;
}
