// SPDX-License-Identifier: MIT
/*
 * CODE sm: \.visible \.global \.align 8 \.u64 globalGpuStates\[3\]
 * CODE sm: \.visible \.entry query\(
 * CODE sm-order: \.visible \.entry ;; call\.uni lib_closed ;; ^\.func lib_closed ;; trap;
 * CODE sm-not: tgt_fail|tgt_sign|bar\.|fence|membar|ld\.acquire
 * CODE sm-lines: 110
 * CODE gfx: \.protected[[:blank:]]+globalGpuStates
 * CODE gfx: \.amdhsa_kernel query
 * CODE gfx: s_trap
 * CODE gfx-not: tgt_fail|tgt_sign|s_barrier
 */
#include <mori/shmem_device.h>

/*
 * A kernel holds what it calls, and nothing else of the library but the end of a call that has no
 * PE to act for.
 */
MORI_KERNEL void query(int *out)
{
	out[0] = mori_shmem_my_pe();
	out[1] = mori_shmem_n_pes();
}
