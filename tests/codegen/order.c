// SPDX-License-Identifier: MIT
/*
 * Of the system, or of the GPU where all PEs have one.
 *
 * CODE sm: fence\.sc\.sys
 * CODE sm: fence\.sc\.gpu
 * CODE sm: fence\.acq_rel\.sys
 * CODE sm: fence\.acq_rel\.gpu
 * CODE gfx: buffer_wbl2 sc0 sc1
 * CODE gfx: buffer_inv sc0 sc1
 * CODE gfx: s_waitcnt vmcnt\(0\)
 * CODE gfx-order: ^order: ;; buffer_wbl2 sc0 sc1 ;; global_store_dword ;; s_barrier ;; buffer_wbl2 sc0 sc1 ;; buffer_inv sc0 sc1 ;; s_barrier
 */
#include <mori/shmem_device.h>

MORI_KERNEL void order(int *a, int *b)
{
	*a = 1;
	mori_shmem_fence_thread();
	*b = 2;
	mori_shmem_quiet_block();
}
