// SPDX-License-Identifier: MIT
/* Parameters of every plain kind, for the table that the host reads. */
#include <mori/shmem_device.h>

MORI_KERNEL void none(void)
{
	mori_shmem_fence_thread();
}

MORI_KERNEL void all(void *p, int8_t i8, uint16_t u16, int32_t i32, uint64_t u64, float f, double d)
{
	uint64_t *out = p;

	*out = (uint64_t)(i8 + u16 + i32) + u64 + (uint64_t)f + (uint64_t)d;
	mori_shmem_fence_thread();
}
