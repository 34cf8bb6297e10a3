// SPDX-License-Identifier: MIT
/*
 * Flags of system scope; no read-modify-write in the middle, which one PE would own.
 *
 * CODE sm-order: fence\.acq_rel\.sys ;; st\.relaxed\.sys\.b64
 * CODE sm: fence\.acq_rel\.gpu
 * CODE sm: ld\.acquire\.sys\.b64
 * CODE sm: bar\.sync
 * CODE gfx: buffer_wbl2 sc0 sc1
 * CODE gfx: (global|flat)_store_dwordx2 .*sc0 sc1
 * CODE gfx: buffer_inv sc0 sc1
 */
#include <mori/shmem_device.h>

MORI_KERNEL void barrier(void)
{
	mori_shmem_barrier_all_block();
}
