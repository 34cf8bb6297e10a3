// SPDX-License-Identifier: MIT
/*
 * What all-reduces over load and store share: the address of each PE's part, found once per
 * block, and the sum of 16 bytes of many PEs with several loads under way at once.
 */
#ifndef MORI_EXAMPLES_PEERS_H
#define MORI_EXAMPLES_PEERS_H

#include <mori/shmem_device.h>

#include "bf16.h"

#define PEERS_STEP static inline __attribute__((always_inline, unused))

enum { PEERS_KEPT = 64 }; /* addresses kept; those of other PEs are found again each time */
MORI_SHARED uint64_t peers_in[PEERS_KEPT];
MORI_SHARED uint64_t peers_out[PEERS_KEPT] __attribute__((unused));

PEERS_STEP uint64_t peers_at(const void *mine, int pe)
{
	return mori_shmem_ptr((uint64_t)(uintptr_t)mine, pe);
}

/*
 * Synchronises block b of every PE over flags[pe]: it signals the others, then waits for their
 * signals. Work between the two steps overlaps with the signals. All threads are synchronised
 * afterwards.
 */
PEERS_STEP void peers_signal(uint64_t *flags, int n_pes, uint64_t round)
{
	for (int pe = (int)mori_thread_id(); pe < n_pes; pe += (int)mori_block_size())
		mori_shmem_signal_op_thread(&flags[mori_shmem_my_pe()], round,
					    MORI_SHMEM_SIGNAL_SET, pe, 0);
}

PEERS_STEP void peers_wait(uint64_t *flags, int n_pes, uint64_t round)
{
	for (int pe = (int)mori_thread_id(); pe < n_pes; pe += (int)mori_block_size())
		mori_shmem_uint64_wait_until(&flags[pe], MORI_SHMEM_CMP_GE, round);
	mori_block_sync();
}

/* Done by one thread of the block for each PE; a barrier of the block must precede its use. */
PEERS_STEP void peers_find(const void *in, const void *out, int n_pes)
{
	for (int pe = (int)mori_thread_id(); pe < n_pes && pe < PEERS_KEPT;
	     pe += (int)mori_block_size()) {
		peers_in[pe] = peers_at(in, pe);
		if (out)
			peers_out[pe] = peers_at(out, pe);
	}
}

/* Group @i of every PE's output. */
PEERS_STEP void peers_store(const bf16x8 *out, uint64_t i, int n_pes, bf16x8 v)
{
	int kept = n_pes < PEERS_KEPT ? n_pes : PEERS_KEPT;

	for (int pe = 0; pe < kept; pe++)
		((bf16x8 *)(uintptr_t)peers_out[pe])[i] = v;
	for (int pe = kept; pe < n_pes; pe++)
		((bf16x8 *)(uintptr_t)peers_at(out, pe))[i] = v;
}

/* Whether load and store reach every PE; after peers_find() and a barrier of the block. */
PEERS_STEP int peers_p2p(const void *in, int n_pes)
{
	int remote = 0;

	for (int pe = 0; pe < n_pes; pe++)
		remote |= !(pe < PEERS_KEPT ? peers_in[pe] : peers_at(in, pe));
	return !remote;
}

/* @floats: the 16 bytes are 4 floats, not 8 bf16. */
PEERS_STEP void peers_add(float sum[8], bf16x8 v, int floats)
{
	floatx4 f;

	__builtin_memcpy(&f, &v, sizeof(f));
	if (floats)
		float_add(sum, f);
	else
		bf16_add(sum, v);
}

PEERS_STEP bf16x8 peers_pack(const float sum[8], int floats)
{
	floatx4 f = float_pack(sum);
	bf16x8 v;

	__builtin_memcpy(&v, &f, sizeof(v));
	return floats ? v : bf16_pack(sum);
}

/* Group @i of @n PEs whose addresses are kept; @n is constant, so all loads precede the sums. */
PEERS_STEP void peers_some(float sum[8], uint64_t i, int pe, int n, int floats)
{
	bf16x8 v[8];

#pragma unroll
	for (int k = 0; k < n; k++)
		v[k] = ((const bf16x8 *)(uintptr_t)peers_in[pe + k])[i];
#pragma unroll
	for (int k = 0; k < n; k++)
		peers_add(sum, v[k], floats);
}

/* Group @i of all PEs, in their order. */
PEERS_STEP bf16x8 peers_sum(const bf16x8 *in, uint64_t i, int n_pes, int floats)
{
	int kept = n_pes < PEERS_KEPT ? n_pes : PEERS_KEPT, pe = 0;
	float sum[8] = { 0 };

	for (; pe + 8 <= kept; pe += 8)
		peers_some(sum, i, pe, 8, floats);
	if (kept - pe >= 4) {
		peers_some(sum, i, pe, 4, floats);
		pe += 4;
	}
	if (kept - pe >= 2) {
		peers_some(sum, i, pe, 2, floats);
		pe += 2;
	}
	if (pe < kept)
		peers_some(sum, i, pe++, 1, floats);
	for (; pe < n_pes; pe++)
		peers_add(sum, ((const bf16x8 *)(uintptr_t)peers_at(in, pe))[i], floats);
	return peers_pack(sum, floats);
}

/*
 * The same where a queue leads to some PE, for the block's share of groups @i to @end: what a
 * PE has comes by get, and lands where the sum goes. Gives the first group behind the tile.
 */
PEERS_STEP uint64_t peers_tile(bf16x8 *out, const bf16x8 *in, uint64_t i, uint64_t end, int n_pes,
			       int floats)
{
	uint64_t n = end - i < mori_block_size() ? end - i : mori_block_size();
	uint64_t mine = i + mori_thread_id();
	float sum[8] = { 0 };

	for (int pe = 0; pe < n_pes; pe++) {
		mori_shmem_getmem_block(out + i, in + i, n * sizeof(*in), pe, (int)mori_block_id());
		if (mine < end)
			peers_add(sum, out[mine], floats);
		mori_block_sync();
	}
	if (mine < end)
		out[mine] = peers_pack(sum, floats);
	mori_block_sync();
	return i + n;
}

#endif
