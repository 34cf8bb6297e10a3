// SPDX-License-Identifier: MIT
/*
 * Every PE fetches a message from the heap of its left neighbour, warp by warp: each
 * warp of the grid gets a part of its own.
 */
#include <mori/shmem_device.h>

MORI_KERNEL void get(int *dest, const int *src, uint64_t n)
{
	int me = mori_shmem_my_pe(), left = (me + mori_shmem_n_pes() - 1) % mori_shmem_n_pes();
	uint32_t warps = (mori_block_size() + mori_warp_size() - 1) / mori_warp_size();
	uint64_t warp = mori_block_id() * warps + mori_thread_id() / mori_warp_size();
	uint64_t all = (uint64_t)mori_grid_size() * warps;
	uint64_t part = (n + all - 1) / all, from = warp * part;
	uint64_t len = from >= n ? 0 : n - from < part ? n - from : part;

	mori_shmem_get_int32_warp(dest + from, src + from, len, left, 0);
}
