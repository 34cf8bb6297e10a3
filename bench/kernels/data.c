// SPDX-License-Identifier: MIT
/*
 * Bytes for the bench on the device: a pattern of seed, PE and place, poison behind it,
 * and the check of both. Every thread has bytes of its own.
 */
#include <mori/shmem_device.h>

enum { POISON = 0xa5 };

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15ull;
	return x ^ (x >> 29);
}

/* Byte @i; the pattern of seed 0 is poison. */
static uint8_t byte_of(uint64_t seed, int pe, uint64_t i)
{
	uint64_t word = mix(mix(seed * 2654435761u + (uint64_t)pe + 1) + i / 8);

	return seed ? (uint8_t)(word >> 8 * (i % 8)) : POISON;
}

static uint8_t wanted(uint64_t seed, int pe, uint64_t len, uint64_t i)
{
	return i < len ? byte_of(seed, pe, i) : POISON;
}

/*
 * The bytes of a thread are parts of @each from @i on, @by apart: one part on the CPU; on a GPU
 * neighbours have neighbouring words.
 */
struct share {
	uint64_t i, by, each;
};

static struct share share_of(uint64_t room)
{
	uint64_t threads = (uint64_t)mori_grid_size() * mori_block_size(), each = 8;
	struct share s;

#if !defined(__NVPTX__) && !defined(__AMDGCN__) && !defined(__CUDACC__)
	each = (room + threads - 1) / threads;
#else
	(void)room;
#endif
	s.each = each;
	s.by = threads * each;
	s.i = (mori_block_id() * (uint64_t)mori_block_size() + mori_thread_id()) * each;
	return s;
}

static uint64_t end_of(const struct share *s, uint64_t room)
{
	return s->i + s->each < room ? s->i + s->each : room;
}

MORI_KERNEL void data_fill(uint8_t *buf, uint64_t len, uint64_t room, uint64_t seed, int pe)
{
	for (struct share s = share_of(room); s.i < room; s.i += s.by)
		for (uint64_t i = s.i, end = end_of(&s, room); i < end; i++)
			buf[i] = wanted(seed, pe, len, i);
}

/* Adds the bytes that are wrong to *wrong of this PE. */
MORI_KERNEL void data_check(const uint8_t *buf, uint64_t len, uint64_t room, uint64_t seed, int pe,
			    uint64_t *wrong)
{
	uint64_t bad = 0;

	for (struct share s = share_of(room); s.i < room; s.i += s.by)
		for (uint64_t i = s.i, end = end_of(&s, room); i < end; i++)
			bad += buf[i] != wanted(seed, pe, len, i);
	if (bad)
		mori_shmem_uint64_atomic_add_thread(wrong, bad, mori_shmem_my_pe(), 0);
}
