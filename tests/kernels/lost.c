// SPDX-License-Identifier: MIT
/* Kernels that wait for a PE which is lost meanwhile. */
#include "lost.h"

#include <mori/shmem_device.h>

static int lost_handshake(uint64_t *words)
{
	uint64_t mine = 1;
	int err = 0;

	for (uint64_t round = 1; !err; round++) {
		err = mori_shmem_putmem_signal_thread(words + 1, &mine, 8, words + 2, 1,
						      MORI_SHMEM_SIGNAL_ADD, LOST_VICTIM, 0);
		if (!err)
			err = mori_shmem_uint64_wait_until(words + 3, MORI_SHMEM_CMP_GE, round);
	}
	return err;
}

static int lost_quiet(void)
{
	int err = 0;

	while (!err)
		err = mori_shmem_quiet_thread_pe(LOST_VICTIM);
	return err;
}

/* All words are 0 and stay so. */
MORI_KERNEL void lost(int32_t *out, uint64_t *words, int32_t how)
{
	uint64_t *word = words + mori_thread_id() % LOST_WORDS;
	int32_t *mine = out + mori_block_id() * mori_block_size() + mori_thread_id();

	switch (how) {
	case LOST_WAIT:
		*mine = mori_shmem_uint64_wait_until_equals(word, 7);
		break;
	case LOST_WAIT_FOR:
		*mine = mori_shmem_uint64_wait_until_for(word, MORI_SHMEM_CMP_EQ, 7,
							 UINT64_MAX / 2);
		break;
	case LOST_WAIT_ALL:
		*mine = mori_shmem_uint64_wait_until_all(words, LOST_WORDS, NULL, MORI_SHMEM_CMP_NE,
							 0);
		break;
	case LOST_WAIT_ANY:
		*mine = mori_shmem_uint64_wait_until_any(words, LOST_WORDS, NULL, MORI_SHMEM_CMP_NE,
							 0) == SIZE_MAX ?
				mori_shmem_status() :
				0;
		break;
	case LOST_WAIT_BLOCK:
		*mine = mori_shmem_uint64_wait_until_block(words, MORI_SHMEM_CMP_NE, 0);
		break;
	case LOST_WAIT_VALUE:
		(void)mori_shmem_uint64_wait_until_greater_than(word, 0);
		*mine = mori_shmem_status();
		break;
	case LOST_BARRIER_BLOCK:
		*mine = mori_shmem_barrier_all_block();
		break;
	case LOST_BARRIER_THREAD:
		*mine = mori_shmem_barrier_all_thread();
		break;
	case LOST_HANDSHAKE:
		*mine = lost_handshake(words);
		break;
	case LOST_QUIET:
		*mine = lost_quiet();
		break;
	case LOST_LOOK:
		while (!mori_shmem_uint64_g(word, mori_shmem_my_pe(), 0))
			;
		break;
	case LOST_TEST:
		while (!mori_shmem_uint64_test(word, MORI_SHMEM_CMP_NE, 0))
			;
		break;
	default:
		while (!__atomic_load_n(word, __ATOMIC_RELAXED))
			;
	}
}
