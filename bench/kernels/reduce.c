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

static float float_of(int pe, uint64_t i, uint64_t seed)
{
	return bf16_float(number_of(pe, i, seed));
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
#define FILL(name, type, value, rubbish)                                                           \
	MORI_KERNEL void name(type *in, type *out, uint64_t n, uint64_t seed, uint64_t *peers)     \
	{                                                                                          \
		int me = mori_shmem_my_pe();                                                       \
		for (uint64_t i = thread(); i < n; i += threads()) {                               \
			in[i] = value(me, i, seed);                                                \
			out[i] = rubbish;                                                          \
		}                                                                                  \
		find_peers(peers, in);                                                             \
	}

static void find_peers(uint64_t *peers, const void *in)
{
	for (int pe = 0; !thread() && pe < mori_shmem_n_pes(); pe++)
		peers[pe] = mori_shmem_ptr((uint64_t)(uintptr_t)in, pe);
}

FILL(reduce_fill, uint16_t, number_of, 0xa5a5)
FILL(reduce_fill_float, float, float_of, -1e30f)

/* Added up in the order of the PEs, as the kernels do; wrong ones are counted. */
static float sum_of(uint64_t i, uint64_t seed)
{
	float sum = 0;

	for (int pe = 0; pe < mori_shmem_n_pes(); pe++)
		sum += float_of(pe, i, seed);
	return sum;
}

static void count_wrong(uint64_t *wrong, uint64_t bad)
{
	if (bad)
		mori_shmem_uint64_atomic_add_thread(wrong, bad, mori_shmem_my_pe(), 0);
}

#define CHECK(name, type, round)                                                                   \
	MORI_KERNEL void name(const type *out, uint64_t n, uint64_t seed, uint64_t *wrong)         \
	{                                                                                          \
		uint64_t bad = 0;                                                                  \
		for (uint64_t i = thread(); i < n; i += threads())                                 \
			bad += out[i] != round(sum_of(i, seed));                                   \
		count_wrong(wrong, bad);                                                           \
	}
CHECK(reduce_check, uint16_t, bf16_round)
CHECK(reduce_check_float, float, )

#define PLAIN(name, group, floats, add, pack)                                                      \
	MORI_KERNEL void name(group *out, uint64_t n, const group *const *peers)                   \
	{                                                                                          \
		int n_pes = mori_shmem_n_pes();                                                    \
		for (uint64_t i = thread(); i < n; i += threads()) {                               \
			float sum[floats] = { 0 };                                                 \
			for (int pe = 0; pe < n_pes; pe++)                                         \
				add(sum, peers[pe][i]);                                            \
			out[i] = pack(sum);                                                        \
		}                                                                                  \
	}
PLAIN(plain_reduce, bf16x8, 8, bf16_add, bf16_pack)
PLAIN(plain_reduce_float, floatx4, 4, float_add, float_pack)
