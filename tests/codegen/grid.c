// SPDX-License-Identifier: MIT
/*
 * CODE sm: %tid\.x
 * CODE sm: %ntid\.z
 * CODE sm: %ctaid\.y
 * CODE sm: %nctaid\.x
 * CODE sm: %laneid
 * CODE sm: \.shared
 * CODE sm: bar\.sync
 * CODE gfx: s_barrier
 * CODE gfx: group_segment_fixed_size 256
 */
#include <mori/shmem_device.h>

MORI_KERNEL void grid(uint32_t *out)
{
	MORI_SHARED uint32_t all[64];
	uint32_t i = mori_thread_id() % 64;

	all[i] = mori_block_size_z() + mori_block_id_y() + mori_grid_size() + mori_lane_id();
	mori_block_sync();
	out[i] = all[63 - i] + mori_warp_size();
}
