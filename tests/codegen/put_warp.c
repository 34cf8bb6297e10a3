// SPDX-License-Identifier: MIT
/*
 * The lanes synchronise before the first load and after the last store.
 *
 * CODE sm-order: bar\.warp\.sync[[:blank:]]+-1 ;; ld\.global\.v[24]\. ;; st\.global\.v[24]\. ;; bar\.warp\.sync[[:blank:]]+-1
 * CODE sm: ld\.global\.v[24]\.
 * CODE sm-not: bar\.sync|activemask
 * CODE sm-flight: 4
 * CODE gfx: global_load_dwordx4
 * CODE gfx-not: s_barrier
 * CODE gfx-flight: 4
 */
#include <mori/shmem_device.h>

MORI_KERNEL void put_warp(double *dest, const double *src, unsigned long n, int pe)
{
	mori_shmem_put_double_nbi_warp(dest, src, n, pe, 0);
}
