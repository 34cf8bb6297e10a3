// SPDX-License-Identifier: MIT
/*
 * Kernels for the programs beside this. Their buffers hold words of 64 bits. FACTOR makes images
 * that differ in nothing else.
 */
#include <mori/shmem_device.h>

#ifndef FACTOR
#define FACTOR 3
#endif

MORI_SHARED uint64_t box[256];

static size_t here(void)
{
	return (size_t)mori_block_id() * mori_block_size() + mori_thread_id();
}

MORI_KERNEL void fill(uint64_t *out, uint64_t n, uint64_t seed)
{
	size_t at = here();

	if (at < n)
		out[at] = seed + at * FACTOR;
}

/* Each block turns its part around. */
MORI_KERNEL void turn(uint64_t *data)
{
	uint32_t t = mori_thread_id(), n = mori_block_size();

	box[t] = data[here()];
	mori_block_sync();
	data[here()] = box[n - 1 - t];
}

MORI_KERNEL void add(const uint64_t *a, const uint64_t *b, uint64_t *out, uint64_t n)
{
	size_t at = here();

	if (at < n)
		out[at] = a[at] + b[at];
}

/* Waits until somebody else has written the flag, then takes what was written before it. */
MORI_KERNEL void take(const uint64_t *flag, uint64_t want, const uint64_t *in, uint64_t *out,
		      uint64_t n)
{
	while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != want)
		__builtin_amdgcn_s_sleep(1);
	for (size_t at = here(); at < n; at += mori_block_size())
		out[at] = in[at];
}

/* By one block. */
MORI_KERNEL void give(uint64_t *flag, uint64_t value, uint64_t *out, uint64_t n, uint64_t seed)
{
	for (size_t at = here(); at < n; at += mori_block_size())
		out[at] = seed + at * 5;
	mori_block_sync();
	if (!mori_thread_id())
		__atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

MORI_KERNEL void count(uint64_t *n)
{
	__atomic_fetch_add(n, 1, __ATOMIC_RELAXED);
}

/* By the state that the host has written into the module. */
MORI_KERNEL void who(uint64_t *out)
{
	*out = (uint64_t)mori_shmem_my_pe() * 1000 + (uint64_t)mori_shmem_n_pes();
}
