// SPDX-License-Identifier: MIT
/*
 * A wait acquires at system scope, and looks at the words that end it.
 *
 * CODE sm: ld\.acquire\.sys\.b64
 * CODE sm: ld\.acquire\.sys\.b32
 * CODE sm: ld\.relaxed\.sys\.b32
 * CODE sm: globaltimer
 * CODE gfx: (global|flat)_load_dwordx2 .*sc0 sc1
 * CODE gfx: (global|flat)_load_dword .*sc0 sc1
 * CODE gfx: buffer_inv sc0 sc1
 * CODE gfx: s_memrealtime
 */
#include <mori/shmem_device.h>

MORI_KERNEL void wait(uint64_t *flag, int32_t *word, int *out)
{
	mori_shmem_uint64_wait_until_equals(flag, 3);
	*out = mori_shmem_int32_wait_until_for(word, MORI_SHMEM_CMP_GT, 5, 1000000);
	*out += mori_shmem_int32_test_block(word, MORI_SHMEM_CMP_LE, 5);
}
