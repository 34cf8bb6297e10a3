// SPDX-License-Identifier: MIT
/* A kernel that makes a call of every kind, by the state of its module or by a context. */
#include "kept.h"

#include <mori/shmem_device.h>

#define SET MORI_SHMEM_SIGNAL_SET
#define CALL(op, ...)                                                                              \
	(by_ctx ? mori_shmem_ctx_##op(ctx, __VA_ARGS__) : mori_shmem_##op(__VA_ARGS__))
#define CALL0(op)   (by_ctx ? mori_shmem_ctx_##op(ctx) : mori_shmem_##op())
#define STATUS(...) (*out++ = CALL(__VA_ARGS__))
#define STATUS0(op) (*out++ = CALL0(op))
#define VALUE(...)  (*out++ = (int64_t)CALL(__VA_ARGS__))

/*
 * Words of @pe; all but the last two get values other than 0, from @own, which has one for each.
 * Every wait is for a condition that holds already; the last call is a barrier.
 */
MORI_KERNEL void kept(uint64_t *words, uint64_t *own, int32_t pe, int32_t by_ctx, uint64_t ctx,
		      int64_t *out)
{
	STATUS(putmem_thread, words, own, 8, pe, 0);
	STATUS(putmem_nbi_warp, words, own, 8, pe, 0);
	STATUS(put_uint64_block, words, own, 1, pe, 0);
	STATUS(getmem_block, own + 6, words + 6, 8, pe, 0);
	STATUS(get_uint64_nbi_thread, own + 6, words + 6, 1, pe, 0);
	STATUS(putmem_signal_thread, words + 1, own + 1, 8, words + 2, own[2], SET, pe, 0);
	STATUS(put_uint64_nbi_signal_block, words + 1, own + 1, 1, words + 2, own[2], SET, pe, 0);
	STATUS(signal_op_block, words + 2, own[2], SET, pe, 0);
	STATUS(uint64_p, words + 3, own[3], pe, 0);
	STATUS(uint64_p_block, words + 3, own[3], pe, 0);
	STATUS(uint64_atomic_set_thread, words + 4, own[4], pe, 0);
	STATUS(uint64_atomic_set_block, words + 4, own[4], pe, 0);
	STATUS(uint64_wait_until, words + 7, MORI_SHMEM_CMP_EQ, 0);
	STATUS(uint64_wait_until_block, words + 7, MORI_SHMEM_CMP_EQ, 0);
	STATUS(uint64_wait_until_for, words + 7, MORI_SHMEM_CMP_EQ, 0, 1000000);
	STATUS(uint64_wait_until_all, words + 6, 2, NULL, MORI_SHMEM_CMP_EQ, 0);
	STATUS0(quiet_thread);
	STATUS0(fence_block);
	STATUS0(sync_all_thread);
	STATUS0(barrier_all_block);
	STATUS0(my_pe);
	STATUS0(n_pes);
	STATUS0(status);
	VALUE(uint64_g, words, pe, 0);
	VALUE(uint64_atomic_fetch_add_thread, words + 5, own[5], pe, 0);
	VALUE(signal_fetch, words);
	VALUE(uint64_test, words + 7, MORI_SHMEM_CMP_EQ, 0);
	VALUE(ptr, (uint64_t)(uintptr_t)words, pe);
	VALUE(ptr_p2p, (uint64_t)(uintptr_t)words, pe, pe);
}
