// SPDX-License-Identifier: MIT
/*
 * CODE sm: ld\.global\.v[24]\.
 * CODE sm-not: bar\.
 * CODE sm-flight: 4
 * CODE gfx: global_load_dwordx4
 * CODE gfx-not: s_barrier
 */
#include <mori/shmem_device.h>

MORI_KERNEL void put_thread(int *dest, const int *src, unsigned long n, int pe)
{
	mori_shmem_put_int32_thread(dest, src, n, pe, 0);
}
