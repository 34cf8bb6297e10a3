// SPDX-License-Identifier: MIT
/*
 * CODE sm: st\.release\.sys\.global\.b64
 * CODE sm: st\.release\.gpu\.global\.b64
 * CODE sm: ld\.acquire\.sys\.b64
 * CODE gfx: buffer_wbl2 sc0 sc1
 * CODE gfx: global_store_dwordx2 .*sc0 sc1
 * CODE gfx: (global|flat)_load_dwordx2 .*sc0 sc1
 * CODE gfx: buffer_inv sc0 sc1
 */
#include <mori/shmem_device.h>

MORI_KERNEL void signal(uint64_t *sig, uint64_t *out, int pe)
{
	mori_shmem_signal_op_thread(sig, 7, MORI_SHMEM_SIGNAL_SET, pe, 0);
	*out = mori_shmem_signal_fetch(sig);
}
