// SPDX-License-Identifier: MIT
/*
 * One value is one access, of whatever size.
 *
 * CODE sm: st\.relaxed\.sys\.b64
 * CODE sm: st\.relaxed\.sys\.b32
 * CODE sm: st\.relaxed\.sys\.b16
 * CODE sm: st\.relaxed\.sys\.b8
 * CODE sm: ld\.acquire\.sys\.b64
 * CODE sm: ld\.acquire\.sys\.b16
 * CODE sm-not: (ld|st)\.local
 * CODE gfx: global_store_dwordx2 .*sc0 sc1
 * CODE gfx: global_store_dword .*sc0 sc1
 * CODE gfx: global_store_short .*sc0 sc1
 * CODE gfx: global_store_byte .*sc0 sc1
 * CODE gfx: global_load_dwordx2 .*sc0 sc1
 */
#include <mori/shmem_device.h>

MORI_KERNEL void value(double *d, float *f, short *s, signed char *c, double *out, int pe)
{
	mori_shmem_double_p(d, 1.0, pe, 0);
	mori_shmem_float_p_block(f, 2.0f, pe, 0);
	mori_shmem_short_p(s, 3, pe, 0);
	mori_shmem_schar_p(c, 4, pe, 0);
	mori_shmem_put_size_imm_nbi_thread(d, out, 16, pe, 0);
	out[0] = mori_shmem_double_g(d, pe, 0);
	out[1] = mori_shmem_short_g_block(s, pe, 0);
}
