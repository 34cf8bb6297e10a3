// SPDX-License-Identifier: MIT
/* How many lanes a warp has on the device: kern_warp(). */
#include <mori/shmem_device.h>

/* By one block. */
MORI_KERNEL void warp(uint32_t *lanes)
{
	if (mori_shmem_my_pe() >= 0 && !mori_thread_id())
		*lanes = mori_warp_size();
}
