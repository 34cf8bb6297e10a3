// SPDX-License-Identifier: MIT
/* Words in windows, and between them. */
#include <mori/shmem_device.h>

/*
 * Word @i of @n is at @area + @i * @step: the lanes put @tag + @i there on @pe, read it back, and
 * count in @out, which has a place for each lane, what was wrong.
 */
MORI_KERNEL void windows_words(uint64_t *out, uint64_t *area, uint64_t step, uint64_t n,
			       uint64_t tag, int32_t pe)
{
	uint64_t lane = mori_thread_id(), wrong = 0;

	for (uint64_t i = lane; i < n; i += mori_block_size()) {
		uint64_t *word = area + i * step;

		wrong += mori_shmem_uint64_p(word, tag + i, pe, 0) != 0;
		wrong += mori_shmem_quiet_thread() != 0;
		wrong += mori_shmem_uint64_g(word, pe, 0) != tag + i;
	}
	out[lane] = wrong;
}

/* How many of these words are refused. */
MORI_KERNEL void windows_none(uint64_t *out, uint64_t *area, uint64_t step, uint64_t n, int32_t pe)
{
	uint64_t lane = mori_thread_id(), refused = 0;

	for (uint64_t i = lane; i < n; i += mori_block_size())
		refused += mori_shmem_uint64_p(area + i * step, 1, pe, 0) == MORI_SHMEM_EINVAL;
	out[lane] = refused;
}
