// SPDX-License-Identifier: MIT
/*
 * One word at a time: p, g and fetch-add, and the plain instruction on the same words.
 * Every caller of p and g has @len words of its own; all callers of fetch-add have one.
 */
#include "timed.h"

/* Who calls: every thread; in block and warp scope the group calls once. */
#define CALLER_thread grid_thread()
#define CALLER_block  mori_block_id()

static uint64_t *at(const void *mine, int pe)
{
	return (uint64_t *)(uintptr_t)mori_shmem_ptr((uint64_t)(uintptr_t)mine, pe);
}

/* What the library's calls are measured against, with their parameters. */
static void store(uint64_t *to, uint64_t value, UNUSED int pe, UNUSED int qp)
{
	*to = value;
}

static uint64_t load(const uint64_t *from, UNUSED int pe, UNUSED int qp)
{
	return *from;
}

static uint64_t add(uint64_t *to, uint64_t value, UNUSED int pe, UNUSED int qp)
{
	return __atomic_fetch_add(to, value, __ATOMIC_RELAXED);
}

/* Values are @base, @base + 3, ... over all words. */
#define P(name, caller, to, call)                                                                  \
	TIMED_KERNEL(name)                                                                         \
	{                                                                                          \
		uint64_t first = caller * len, *out = (uint64_t *)(to) + first;                    \
		uint64_t start = timed_start();                                                    \
		for (uint64_t i = 0; i < iters; i++, timed_keep())                                 \
			for (uint64_t k = 0; k < len; k++)                                         \
				call(&out[k], base + 3 * (first + k), pe, 0);                      \
		timed_stop(start, ns);                                                             \
	}
P(p_thread, CALLER_thread, dst, mori_shmem_uint64_p)
P(p_block, CALLER_block, dst, mori_shmem_uint64_p_block)
P(plain_p, CALLER_thread, at(dst, pe), store)

/* The sum of what a caller read goes to its word of @word. */
#define G(name, caller, from, call)                                                                \
	TIMED_KERNEL(name)                                                                         \
	{                                                                                          \
		const uint64_t *in = (const uint64_t *)(from) + caller * len;                      \
		uint64_t sum = base, start = timed_start();                                        \
		for (uint64_t i = 0; i < iters; i++, timed_keep())                                 \
			for (uint64_t k = 0; k < len; k++)                                         \
				sum += call(&in[k], pe, 0);                                        \
		word[caller] = sum;                                                                \
		timed_stop(start, ns);                                                             \
	}
G(g_thread, CALLER_thread, src, mori_shmem_uint64_g)
G(g_block, CALLER_block, src, mori_shmem_uint64_g_block)
G(plain_g, CALLER_thread, at(src, pe), load)

/* One word for all; what came back is added up for every thread. */
#define ADD(name, to, call)                                                                        \
	TIMED_KERNEL(name)                                                                         \
	{                                                                                          \
		uint64_t sum = 0, *counter = (uint64_t *)(to);                                     \
		uint64_t start = timed_start();                                                    \
		for (uint64_t i = 0; i < iters; i++)                                               \
			sum += call(counter, base, pe, 0);                                         \
		word[grid_thread()] = sum;                                                         \
		timed_stop(start, ns);                                                             \
	}
ADD(fetch_add_thread, dst, mori_shmem_uint64_atomic_fetch_add_thread)
ADD(fetch_add_warp, dst, mori_shmem_uint64_atomic_fetch_add_warp)
ADD(fetch_add_block, dst, mori_shmem_uint64_atomic_fetch_add_block)
ADD(plain_fetch_add, at(dst, pe), add)
