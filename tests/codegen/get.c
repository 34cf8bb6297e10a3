// SPDX-License-Identifier: MIT
/*
 * CODE sm: ld\.global\.v[24]\.
 * CODE sm: st\.global\.v[24]\.
 * CODE sm-flight: 4
 * CODE gfx: global_load_dwordx4
 * CODE gfx: global_store_dwordx4
 * CODE gfx-flight: 4
 */
#include <mori/shmem_device.h>

MORI_KERNEL void get_block(float *dest, const float *src, unsigned long n, int pe)
{
	mori_shmem_get_float_block(dest, src, n, pe, 0);
}
