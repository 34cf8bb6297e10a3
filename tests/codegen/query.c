// SPDX-License-Identifier: MIT
/*
 * CODE sm: \.visible \.global \.align 8 \.u64 globalGpuStates\[2\]
 * CODE sm: \.visible \.entry query\(
 * CODE sm-not: \.func|atom\.|bar\.|fence|membar|ld\.acquire
 * CODE sm-lines: 90
 * CODE gfx: \.protected[[:blank:]]+globalGpuStates
 * CODE gfx: \.amdhsa_kernel query
 * CODE gfx-not: s_swappc|atomic|s_barrier|buffer_wbl2|buffer_inv
 */
#include <mori/shmem_device.h>

/* A kernel holds what it calls, and nothing else of the library. */
MORI_KERNEL void query(int *out)
{
	out[0] = mori_shmem_my_pe();
	out[1] = mori_shmem_n_pes();
}
