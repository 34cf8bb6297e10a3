// SPDX-License-Identifier: MIT
/* For gpu/near: of @n words those that were changed go to @dest, a half where the other was not. */
#include <mori/shmem_device.h>

MORI_KERNEL void merge(uint64_t *dest, const uint64_t *now, const uint64_t *before, uint64_t n)
{
	uint64_t all = (uint64_t)mori_grid_size() * mori_block_size();

	for (uint64_t i = mori_block_id() * mori_block_size() + mori_thread_id(); i < n; i += all) {
		uint32_t *half = (uint32_t *)(dest + i);
		uint64_t v = now[i], changed = v ^ before[i];

		if (changed & 0xffffffffu && changed >> 32)
			dest[i] = v;
		else if (changed & 0xffffffffu)
			half[0] = (uint32_t)v;
		else if (changed)
			half[1] = (uint32_t)(v >> 32);
	}
}
