// SPDX-License-Identifier: MIT
/*
 * Every read-modify-write is of system scope; on NVIDIA order is left to quiet and fence.
 *
 * CODE sm: atom\.relaxed\.sys\.global\.add\.u64
 * CODE sm: atom\.relaxed\.sys\.global\.add\.u32
 * CODE sm: atom\.relaxed\.sys\.global\.and\.b32
 * CODE sm: atom\.relaxed\.sys\.global\.or\.b64
 * CODE sm: atom\.relaxed\.sys\.global\.xor\.b32
 * CODE sm: atom\.relaxed\.sys\.global\.exch\.b64
 * CODE sm: atom\.relaxed\.sys\.global\.cas\.b64
 * CODE sm: atom\.relaxed\.sys\.global\.cas\.b32
 * CODE sm-not: (atom|red)\.(global|add|gpu|relaxed\.gpu|acq_rel)
 * CODE gfx: global_atomic_add_x2 .*sc1
 * CODE gfx: global_atomic_cmpswap_x2 .*sc1
 * CODE gfx: global_atomic_cmpswap .*sc1
 * CODE gfx: buffer_wbl2 sc0 sc1
 */
#include <mori/shmem_device.h>

MORI_KERNEL void atomic(uint64_t *wide, uint32_t *word, float *real, uint64_t *out, int pe)
{
	out[0] = mori_shmem_uint64_atomic_fetch_add_thread(wide, 3, pe, 0);
	out[1] = mori_shmem_uint32_atomic_fetch_add_block(word, 3, pe, 0);
	mori_shmem_uint32_atomic_and_thread(word, 7, pe, 0);
	mori_shmem_uint64_atomic_or_thread(wide, 7, pe, 0);
	mori_shmem_uint32_atomic_xor_thread(word, 7, pe, 0);
	out[2] = mori_shmem_uint64_atomic_swap_thread(wide, 9, pe, 0);
	out[3] = mori_shmem_uint64_atomic_compare_swap_thread(wide, 9, 10, pe, 0);
	mori_shmem_float_atomic_add_thread(real, 1.5f, pe, 0);
}
