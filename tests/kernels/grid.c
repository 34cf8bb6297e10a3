// SPDX-License-Identifier: MIT
/* Where a thread stands, and what the threads of a block and of a warp do together. */
#include <mori/shmem_device.h>

static uint64_t block_number(void)
{
	return mori_block_id() +
	       (uint64_t)mori_grid_size() *
		       (mori_block_id_y() + mori_grid_size_y() * mori_block_id_z());
}

static uint64_t thread_number(void)
{
	return mori_thread_id() +
	       (uint64_t)mori_block_size() *
		       (mori_thread_id_y() + mori_block_size_y() * mori_thread_id_z());
}

static uint64_t block_threads(void)
{
	return (uint64_t)mori_block_size() * mori_block_size_y() * mori_block_size_z();
}

/* A record of 16 words a thread; the first counts how often it was here. */
MORI_KERNEL void ids(uint64_t *out)
{
	uint64_t *to = out + 16 * (block_number() * block_threads() + thread_number());

	to[0]++;
	to[1] = mori_thread_id();
	to[2] = mori_thread_id_y();
	to[3] = mori_thread_id_z();
	to[4] = mori_block_id();
	to[5] = mori_block_id_y();
	to[6] = mori_block_id_z();
	to[7] = mori_block_size() | (uint64_t)mori_block_size_y() << 20 |
		(uint64_t)mori_block_size_z() << 40;
	to[8] = mori_grid_size() | (uint64_t)mori_grid_size_y() << 20 |
		(uint64_t)mori_grid_size_z() << 40;
	to[9] = mori_lane_id();
	to[10] = mori_warp_size();
	to[11] = (uint64_t)mori_shmem_my_pe();
	to[12] = (uint64_t)mori_shmem_n_pes();
}

MORI_SHARED uint64_t part[1024];
MORI_SHARED uint64_t rounds_seen;

/*
 * Adds up in[] of this block, @rounds times; *bad counts what was wrong: block
 * memory that was not zero at first, or of which another block has written.
 */
MORI_KERNEL void reduce(const uint64_t *in, uint64_t *out, uint64_t rounds, uint64_t *bad)
{
	uint64_t n = block_threads(), i = thread_number(), sum = 0;

	if (part[i] || (!i && rounds_seen))
		++*bad;
	mori_block_sync();
	for (uint64_t round = 0; round < rounds; round++) {
		part[i] = in[block_number() * n + i] + round;
		mori_block_sync();
		for (uint64_t half = 1024; half; half /= 2) {
			if (i < half && i + half < n)
				part[i] += part[i + half];
			mori_block_sync();
		}
		sum += part[0];
		if (!i)
			rounds_seen++;
		mori_block_sync();
		if (rounds_seen != round + 1)
			++*bad;
	}
	if (!i)
		out[block_number()] = sum;
	mori_block_sync();
	if (sum != out[block_number()])
		++*bad;
}

/* Of every warp one adds 1 and all get the same number; then they sort by it. */
MORI_KERNEL void warps(uint64_t *word, uint64_t *out, int me)
{
	uint64_t i = block_number() * block_threads() + thread_number();

	out[i] = mori_shmem_uint64_atomic_fetch_add_warp(word, 1, me, 0);
	out[i] |= mori_shmem_uint64_atomic_fetch_add_warp(word, 1, me, 0) << 32;
}

/* The same of a block. */
MORI_KERNEL void blocks(uint64_t *word, uint64_t *out, int me)
{
	uint64_t i = block_number() * block_threads() + thread_number();

	out[i] = mori_shmem_uint64_atomic_fetch_add_block(word, 1, me, 0);
}

/* Threads from @first on return at once; the barrier of the others still works. */
MORI_KERNEL void early(uint64_t first, uint64_t *out, uint64_t *word, int me)
{
	uint64_t n = block_threads(), i = thread_number();

	if (i >= first)
		return;
	for (uint64_t round = 0; round < 5; round++) {
		part[i] = i + round + 1;
		mori_block_sync();
		out[block_number() * n + i] += part[(i + 1) % first];
		mori_block_sync();
	}
	(void)mori_shmem_uint64_atomic_add_block(word, 1, me, 0);
	(void)mori_shmem_uint64_atomic_add_warp(word, 1 << 16, me, 0);
}

/* Odd threads return between two barriers of the others. */
MORI_KERNEL void leave_between(uint64_t *out)
{
	uint64_t n = block_threads(), i = thread_number();

	part[i] = 1;
	mori_block_sync();
	if (i % 2)
		return;
	part[i] = 2;
	mori_block_sync();
	out[block_number() * n + i] = part[(i + 2) % n & ~1ull] + 10 * part[i + 1 < n ? i + 1 : i];
}

/* Each block waits for the one after it, which begins later. */
MORI_KERNEL void backwards(uint64_t *flag, uint64_t *out)
{
	uint64_t b = block_number(), last = mori_grid_size() - 1;

	if (b < last)
		(void)mori_shmem_uint64_wait_until_block(flag + b + 1, MORI_SHMEM_CMP_EQ, b + 1);
	if (!thread_number()) {
		out[b] = last - b + 1;
		(void)mori_shmem_signal_op_thread(flag + b, b, MORI_SHMEM_SIGNAL_SET,
						  mori_shmem_my_pe(), 0);
	}
}

/* Block 0 and thread 0 of each block ask again and again; the last thread of the grid answers. */
MORI_KERNEL void ask(uint64_t *flag, uint64_t *out)
{
	if (mori_block_id() == mori_grid_size() - 1 && mori_thread_id() == mori_block_size() - 1)
		(void)mori_shmem_signal_op_thread(flag, 5, MORI_SHMEM_SIGNAL_SET,
						  mori_shmem_my_pe(), 0);
	while (!mori_block_id() && !mori_shmem_uint64_test_block(flag, MORI_SHMEM_CMP_EQ, 5))
		;
	while (!mori_thread_id() && !mori_shmem_uint64_test(flag, MORI_SHMEM_CMP_EQ, 5))
		;
	if (!mori_thread_id())
		++*out;
}

MORI_KERNEL void nothing(void)
{
}

/* Arguments of every size arrive as they were. */
MORI_KERNEL void arguments(uint8_t a, int16_t b, int32_t c, uint64_t d, float e, double f,
			   uint64_t *out)
{
	out[0] = a;
	out[1] = (uint64_t)(int64_t)b;
	out[2] = (uint64_t)(int64_t)c;
	out[3] = d;
	out[4] = (uint64_t)(e * 4);
	out[5] = (uint64_t)(f * 8);
}

/* Odd threads round up, the others down, and a barrier does not mix them up. */
MORI_KERNEL void rounding(double a, double b, uint64_t *out)
{
	uint64_t i = thread_number();
	volatile double quotient;

#if defined(__x86_64__)
	uint32_t modes = 0x1f80 | (i % 2 ? 0x4000 : 0x2000);

	__asm__ __volatile__("ldmxcsr %0" : : "m"(modes));
#elif defined(__aarch64__)
	__asm__ __volatile__("msr fpcr, %0" : : "r"((i % 2 ? 1ull : 2ull) << 22));
#endif
	mori_block_sync();
	quotient = *(volatile double *)&a / *(volatile double *)&b;
	mori_block_sync();
	__builtin_memcpy(out + i, (const void *)&quotient, 8);
}

static uint64_t count;

/* Variables of the module live from launch to launch. */
MORI_KERNEL void counter(uint64_t *out)
{
	*out = ++count;
}
