// SPDX-License-Identifier: MIT
/*
 * What the all-reduces of examples/kernels need beside them: inputs, the check of the
 * sums, and the sums alone, without flags and waits, as what they are measured against.
 */
#include <mori/shmem_device.h>

#include "bf16.h"

/* What PE @pe has in number i: distinct by PE, place and seed, of either sign. */
static uint16_t number_of(int pe, uint64_t i, uint64_t seed)
{
	return bf16_round((float)((int)((i * 31 + (uint64_t)pe * 101 + seed * 17) % 509) - 250) /
			  8);
}

static uint64_t thread(void)
{
	return mori_block_id() * (uint64_t)mori_block_size() + mori_thread_id();
}

static uint64_t threads(void)
{
	return (uint64_t)mori_grid_size() * mori_block_size();
}

/* Inputs into @in, rubbish into @out; @n numbers each. peers[pe]: where PE pe has @in. */
MORI_KERNEL void reduce_fill(uint16_t *in, uint16_t *out, uint64_t n, uint64_t seed,
			     const bf16x8 **peers)
{
	int me = mori_shmem_my_pe();

	for (uint64_t i = n * thread() / threads(); i < n * (thread() + 1) / threads(); i++) {
		in[i] = number_of(me, i, seed);
		out[i] = 0xa5a5;
	}
	for (int pe = 0; !thread() && pe < mori_shmem_n_pes(); pe++)
		peers[pe] = (const bf16x8 *)(uintptr_t)mori_shmem_ptr((uint64_t)(uintptr_t)in, pe);
}

/* Added up in the order of the PEs, as the kernels do; wrong ones are counted. */
MORI_KERNEL void reduce_check(const uint16_t *out, uint64_t n, uint64_t seed, uint64_t *wrong)
{
	uint64_t bad = 0;

	for (uint64_t i = n * thread() / threads(); i < n * (thread() + 1) / threads(); i++) {
		float sum = 0;

		for (int pe = 0; pe < mori_shmem_n_pes(); pe++)
			sum += bf16_float(number_of(pe, i, seed));
		bad += out[i] != bf16_round(sum);
	}
	if (bad)
		mori_shmem_uint64_atomic_add_thread(wrong, bad, mori_shmem_my_pe(), 0);
}

MORI_KERNEL void plain_reduce(bf16x8 *out, uint64_t n, const bf16x8 *const *peers)
{
	int n_pes = mori_shmem_n_pes();

	for (uint64_t i = thread(); i < n; i += threads()) {
		float sum[8] = { 0 };

		for (int pe = 0; pe < n_pes; pe++)
			bf16_add(sum, peers[pe][i]);
		out[i] = bf16_pack(sum);
	}
}
