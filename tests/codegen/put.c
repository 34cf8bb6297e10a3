// SPDX-License-Identifier: MIT
/*
 * CODE sm: ld\.global\.v[24]\.
 * CODE sm: st\.global\.v[24]\.
 * CODE sm-flight: 4
 * CODE sm: bar\.sync
 * CODE sm: st\.relaxed\.sys
 * CODE gfx: global_load_dwordx4
 * CODE gfx: global_store_dwordx4
 * CODE gfx-flight: 4
 * CODE gfx: s_barrier
 */
#include <mori/shmem_device.h>

MORI_KERNEL void put_block(char *dest, const char *src, unsigned long n, int pe)
{
	mori_shmem_putmem_block(dest, src, n, pe, 0);
}
