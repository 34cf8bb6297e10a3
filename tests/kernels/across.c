// SPDX-License-Identifier: MIT
/* Puts on one queue, or on many; then a flag that goes by another, or by load and store. */
#include "across.h"

#include <mori/shmem_device.h>

/*
 * Each lane puts its @n bytes of @src by queues from @qp on; the flag goes by queue @qp_flag.
 * @status has a place a lane.
 */
MORI_KERNEL void across_put(int32_t *status, char *to, char *src, uint64_t n, uint64_t *flag,
			    void *object, uint64_t value, int32_t how, int32_t pe, int32_t qp,
			    int32_t qp_flag)
{
	mori_shmem_memobj_t obj = *(mori_shmem_memobj_t *)object;
	int32_t lane = (int32_t)mori_thread_id(), err;
	uint64_t at = (uint64_t)lane * n, off = (uint64_t)(uintptr_t)flag - obj.addr;
	int set = MORI_SHMEM_SIGNAL_SET;

	err = mori_shmem_putmem_nbi_thread(to + at, src + at, n, pe, qp + lane);
	if (how == ACROSS_FENCE || how == ACROSS_FENCE_PE) {
		err |= how == ACROSS_FENCE ? mori_shmem_fence_thread() :
					     mori_shmem_fence_thread_pe(pe);
		err |= mori_shmem_uint64_p(flag, value, pe, qp_flag);
	} else if (how == ACROSS_SIGNAL) {
		err |= mori_shmem_signal_op_thread(flag, value, set, pe, qp_flag);
	} else if (how == ACROSS_SIGNAL_OBJ) {
		err |= mori_shmem_signal_op_obj_thread(obj, off, value, set, pe, qp_flag);
	} else if (how == ACROSS_SIGNAL_WARP) {
		err |= mori_shmem_signal_op_warp(flag, value, set, pe, qp_flag);
	} else if (how == ACROSS_SIGNAL_BLOCK) {
		err |= mori_shmem_signal_op_block(flag, value, set, pe, qp_flag);
	} else if (how == ACROSS_SIGNAL_OBJ_BLOCK) {
		err |= mori_shmem_signal_op_obj_block(obj, off, value, set, pe, qp_flag);
	} else {
		err |= mori_shmem_fence_block();
		err |= mori_shmem_uint64_p_block(flag, value, pe, qp_flag);
	}
	status[lane] = err;
}

/* By one thread: how many of the @n bytes are not @want when the flag is @value. */
MORI_KERNEL void across_see(uint64_t *bad, const unsigned char *at, uint64_t n, uint64_t *flag,
			    uint64_t value, uint64_t want)
{
	uint64_t wrong = 0;

	if (mori_shmem_uint64_wait_until_equals(flag, value))
		wrong = UINT64_MAX;
	for (uint64_t i = 0; !wrong && i < n; i++)
		wrong += at[i] != want;
	*bad = wrong;
}
