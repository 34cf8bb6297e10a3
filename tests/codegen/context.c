// SPDX-License-Identifier: MIT
/*
 * The forms that take a context do not look at the module's state.
 *
 * CODE sm-not: globalGpuStates\+
 * CODE sm: red\.release\.sys\.global\.add\.u64
 * CODE gfx: global_atomic_add_x2 .*sc1
 */
#include <mori/shmem_device.h>

MORI_KERNEL void context(uint64_t ctx, uint64_t *sig, mori_shmem_memobj_t obj, int pe)
{
	mori_shmem_ctx_putmem_obj_block(ctx, obj, 0, obj, 64, 32, pe, 0);
	mori_shmem_ctx_signal_op_block(ctx, sig, 1, MORI_SHMEM_SIGNAL_ADD, pe, 0);
}
