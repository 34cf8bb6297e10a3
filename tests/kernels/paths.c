// SPDX-License-Identifier: MIT
/* One call of each family to one PE, with the status of every thread. */
#include "paths.h"

#include <mori/shmem_device.h>

/*
 * @at holds PATHS_WORDS per thread on every PE, then the word for signals and the one for sums;
 * @src holds PATHS_WORDS in all.
 */
MORI_KERNEL void paths(int32_t *out, uint64_t *at, uint64_t *src, uint64_t *got, int32_t pe)
{
	uint64_t threads = (uint64_t)mori_grid_size() * mori_block_size();
	uint64_t t = (uint64_t)mori_block_id() * mori_block_size() + mori_thread_id();
	uint64_t *sig = at + threads * PATHS_WORDS, *sum = sig + 1, *mine = at + t * PATHS_WORDS;
	uint64_t *first = at + (uint64_t)mori_block_id() * mori_block_size() * PATHS_WORDS;

	out += t * PATHS_CALLS;
	out[PATHS_PUT_BLOCK] = mori_shmem_putmem_block(first, src, 8, pe, 0);
	out[PATHS_PUT_SIGNAL_BLOCK] = mori_shmem_putmem_nbi_signal_block(
		first + 1, src + 1, 8, sig, 1, MORI_SHMEM_SIGNAL_ADD, pe, 0);
	out[PATHS_SIGNAL_BLOCK] = mori_shmem_signal_op_block(sig, 1, MORI_SHMEM_SIGNAL_ADD, pe, 0);
	out[PATHS_P_BLOCK] = mori_shmem_uint64_p_block(first + 2, src[2], pe, 0);
	out[PATHS_AMO_BLOCK] = mori_shmem_uint64_atomic_add_block(sum, 1, pe, 0);
	out[PATHS_PUT] = mori_shmem_put_uint64_thread(mine + 3, src + 3, 1, pe, 0);
	out[PATHS_P] = mori_shmem_uint64_p(mine + 4, src[4], pe, 0);
	out[PATHS_IMM] = mori_shmem_put_size_imm_nbi_thread(mine + 5, src + 5, 8, pe, 0);
	out[PATHS_NONE] = mori_shmem_putmem_thread(mine, src, 0, pe, 0);
	out[PATHS_PUT_SIGNAL] = mori_shmem_putmem_signal_thread(mine + 6, src + 6, 8, sig, 1,
								MORI_SHMEM_SIGNAL_ADD, pe, 0);
	out[PATHS_AMO] = mori_shmem_uint64_atomic_inc_thread(sum, pe, 0);
	out[PATHS_QUIET] = mori_shmem_quiet_thread_pe(pe);
	out[PATHS_FENCE] = mori_shmem_fence_thread_pe_qp(pe, 0);
	out[PATHS_GET_WARP] = mori_shmem_getmem_warp(got, first, 8, pe, 0);
	out[PATHS_GET] = mori_shmem_getmem_nbi_thread(got + 1 + t, mine + 3, 8, pe, 0);
	out[PATHS_QUIET_ALL] = mori_shmem_quiet_thread();
	out[PATHS_PTR] = mori_shmem_ptr((uint64_t)mine, pe) != 0;
	out[PATHS_PTR_P2P] = mori_shmem_ptr_p2p((uint64_t)mine, mori_shmem_my_pe(), pe) != 0;
}

/* What calls with a value give, and leave in the sticky status. */
MORI_KERNEL void paths_value(uint64_t *out, uint64_t *at, int32_t pe, int32_t which)
{
	if (which == 0)
		out[0] = mori_shmem_uint64_g(at, pe, 0);
	else if (which == 1)
		out[0] = mori_shmem_uint64_g_block(at, pe, 0);
	else if (which == 2)
		out[0] = mori_shmem_uint64_atomic_fetch_warp(at, pe, 0);
	else
		out[0] =
			(uint64_t)mori_shmem_double_atomic_fetch_add_thread((double *)at, 1, pe, 0);
	out[1] = (uint64_t)mori_shmem_status();
}

MORI_KERNEL void paths_meet(int32_t *out)
{
	out[mori_thread_id()] = mori_shmem_barrier_all_block();
}
