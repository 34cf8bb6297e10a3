// SPDX-License-Identifier: MIT
/*
 * The names of <mori/shmem_device.h> that bench/kernels use, over NVSHMEM, so that both
 * libraries run the same kernels. Compiled by nvcc only; what NVSHMEM has no scope for is done
 * as its users do it: by one thread between two meetings of the block.
 */
#ifndef BENCH_NVSHMEM_DEVICE_H
#define BENCH_NVSHMEM_DEVICE_H

#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdint.h>

#define MORI_KERNEL extern "C" __global__
#define PEER_CALL   static __device__ __forceinline__

#define MORI_SHMEM_CMP_GE     NVSHMEM_CMP_GE
#define MORI_SHMEM_SIGNAL_SET NVSHMEM_SIGNAL_SET

PEER_CALL uint32_t mori_thread_id(void)
{
	return threadIdx.x;
}

PEER_CALL uint32_t mori_block_id(void)
{
	return blockIdx.x;
}

PEER_CALL uint32_t mori_block_size(void)
{
	return blockDim.x;
}

PEER_CALL uint32_t mori_grid_size(void)
{
	return gridDim.x;
}

PEER_CALL uint32_t mori_warp_size(void)
{
	return 32;
}

PEER_CALL uint32_t mori_lane_id(void)
{
	return threadIdx.x % 32;
}

PEER_CALL void mori_block_sync(void)
{
	__syncthreads();
}

PEER_CALL uint64_t mori_clock_ns(void)
{
	uint64_t t;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

PEER_CALL int mori_shmem_my_pe(void)
{
	return nvshmem_my_pe();
}

PEER_CALL int mori_shmem_n_pes(void)
{
	return nvshmem_n_pes();
}

PEER_CALL uint64_t mori_shmem_ptr(uint64_t mine, int pe)
{
	return (uint64_t)nvshmem_ptr((void *)mine, pe);
}

/* Copies: the same parameters but the queue. */
#define PEER_COPY(name, call)                                                                      \
	PEER_CALL void mori_shmem_##name(void *to, const void *from, uint64_t len, int pe, int)    \
	{                                                                                          \
		call(to, from, len, pe);                                                           \
	}
PEER_COPY(putmem_thread, nvshmem_putmem)
PEER_COPY(putmem_warp, nvshmemx_putmem_warp)
PEER_COPY(putmem_block, nvshmemx_putmem_block)
PEER_COPY(putmem_nbi_thread, nvshmem_putmem_nbi)
PEER_COPY(putmem_nbi_warp, nvshmemx_putmem_nbi_warp)
PEER_COPY(putmem_nbi_block, nvshmemx_putmem_nbi_block)
PEER_COPY(getmem_thread, nvshmem_getmem)
PEER_COPY(getmem_warp, nvshmemx_getmem_warp)
PEER_COPY(getmem_block, nvshmemx_getmem_block)
PEER_COPY(getmem_nbi_thread, nvshmem_getmem_nbi)
PEER_COPY(getmem_nbi_warp, nvshmemx_getmem_nbi_warp)
PEER_COPY(getmem_nbi_block, nvshmemx_getmem_nbi_block)

#define PEER_PUT_SIGNAL(scope, call)                                                               \
	PEER_CALL void mori_shmem_putmem_signal_##scope(void *to, const void *from, uint64_t len,  \
							uint64_t *sig, uint64_t v, int op, int pe, \
							int)                                       \
	{                                                                                          \
		call(to, from, len, sig, v, op, pe);                                               \
	}
PEER_PUT_SIGNAL(thread, nvshmem_putmem_signal)
PEER_PUT_SIGNAL(warp, nvshmemx_putmem_signal_warp)
PEER_PUT_SIGNAL(block, nvshmemx_putmem_signal_block)

/* One thread acts for a warp or a block. */
#define PEER_ONE(scope, sync, first, act)                                                          \
	do {                                                                                       \
		sync;                                                                              \
		if (first)                                                                         \
			act;                                                                       \
		sync;                                                                              \
	} while (0)
#define PEER_WARP(act)	PEER_ONE(warp, __syncwarp(), threadIdx.x % 32 == 0, act)
#define PEER_BLOCK(act) PEER_ONE(block, __syncthreads(), threadIdx.x == 0, act)

PEER_CALL void mori_shmem_signal_op_thread(uint64_t *sig, uint64_t v, int op, int pe, int)
{
	nvshmemx_signal_op(sig, v, op, pe);
}

PEER_CALL void mori_shmem_signal_op_warp(uint64_t *sig, uint64_t v, int op, int pe, int)
{
	PEER_WARP(nvshmemx_signal_op(sig, v, op, pe));
}

PEER_CALL void mori_shmem_signal_op_block(uint64_t *sig, uint64_t v, int op, int pe, int)
{
	PEER_BLOCK(nvshmemx_signal_op(sig, v, op, pe));
}

PEER_CALL void mori_shmem_uint64_wait_until(uint64_t *word, int cmp, uint64_t v)
{
	nvshmem_signal_wait_until(word, cmp, v);
}

PEER_CALL void mori_shmem_uint64_wait_until_block(uint64_t *word, int cmp, uint64_t v)
{
	PEER_BLOCK(nvshmem_signal_wait_until(word, cmp, v));
}

PEER_CALL uint64_t mori_shmem_signal_fetch(const uint64_t *word)
{
	return nvshmem_signal_fetch((uint64_t *)word);
}

PEER_CALL void mori_shmem_quiet_thread(void)
{
	nvshmem_quiet();
}

PEER_CALL void mori_shmem_quiet_warp(void)
{
	nvshmem_quiet();
	__syncwarp();
}

PEER_CALL void mori_shmem_quiet_block(void)
{
	nvshmem_quiet();
	__syncthreads();
}

PEER_CALL int mori_shmem_barrier_all_thread(void)
{
	nvshmem_barrier_all();
	return 0;
}

PEER_CALL int mori_shmem_barrier_all_block(void)
{
	nvshmemx_barrier_all_block();
	return 0;
}

PEER_CALL void mori_shmem_uint64_p(uint64_t *to, uint64_t v, int pe, int)
{
	nvshmem_uint64_p(to, v, pe);
}

PEER_CALL void mori_shmem_uint64_p_block(uint64_t *to, uint64_t v, int pe, int)
{
	PEER_BLOCK(nvshmem_uint64_p(to, v, pe));
}

PEER_CALL uint64_t mori_shmem_uint64_g(const uint64_t *from, int pe, int)
{
	return nvshmem_uint64_g(from, pe);
}

/* What one thread got goes to all of the group. */
PEER_CALL uint64_t peer_share_block(uint64_t v)
{
	__shared__ uint64_t word;

	if (threadIdx.x == 0)
		word = v;
	__syncthreads();
	v = word;
	__syncthreads();
	return v;
}

PEER_CALL uint64_t mori_shmem_uint64_g_block(const uint64_t *from, int pe, int)
{
	return peer_share_block(threadIdx.x ? 0 : nvshmem_uint64_g(from, pe));
}

PEER_CALL uint64_t mori_shmem_uint64_atomic_fetch_add_thread(uint64_t *to, uint64_t v, int pe, int)
{
	return nvshmem_uint64_atomic_fetch_add(to, v, pe);
}

PEER_CALL uint64_t mori_shmem_uint64_atomic_fetch_add_warp(uint64_t *to, uint64_t v, int pe, int)
{
	uint64_t was = threadIdx.x % 32 ? 0 : nvshmem_uint64_atomic_fetch_add(to, v, pe);

	return __shfl_sync(__activemask(), was, 0);
}

PEER_CALL uint64_t mori_shmem_uint64_atomic_fetch_add_block(uint64_t *to, uint64_t v, int pe, int)
{
	return peer_share_block(threadIdx.x ? 0 : nvshmem_uint64_atomic_fetch_add(to, v, pe));
}

PEER_CALL void mori_shmem_uint64_atomic_add_thread(uint64_t *to, uint64_t v, int pe, int)
{
	nvshmem_uint64_atomic_add(to, v, pe);
}

/* nvcc has none for the device. */
#define __atomic_fetch_add(p, v, order)                                                            \
	atomicAdd((unsigned long long *)(p), (unsigned long long)(v))
/* The functions of the kernels' sources are the device's. */
#define static static __device__

#endif
