// SPDX-License-Identifier: MIT
/*
 * Put and get in every scope, and the same copy without the library. Each thread, warp
 * or block of the grid takes a part of the bytes; one of a grid of one takes all.
 */
#include "timed.h"

/* One of @n parts: whole cache lines but for the last. */
struct part {
	uint64_t len, n, i, each;
};

static struct part part(uint64_t len, uint64_t n, uint64_t i)
{
	return (struct part){ len, n, i, n > 1 ? ((len + n - 1) / n + 127) & ~(uint64_t)127 : len };
}

static uint64_t part_from(const struct part *p)
{
	return p->each * p->i < p->len ? p->each * p->i : 0;
}

static uint64_t part_len(const struct part *p)
{
	uint64_t from = p->each * p->i;

	return from >= p->len ? 0 : p->len - from < p->each ? p->len - from : p->each;
}

/* In the next round the next part, or a part that fits into a cache would stay there. */
static void part_next(struct part *p)
{
	if (++p->i == p->n)
		p->i = 0;
}

static struct part part_thread(uint64_t len)
{
	return part(len, grid_threads(), grid_thread());
}

static struct part part_warp(uint64_t len)
{
	uint32_t warp = mori_warp_size(), warps = (mori_block_size() + warp - 1) / warp;

	return part(len, (uint64_t)mori_grid_size() * warps,
		    mori_block_id() * warps + mori_thread_id() / warp);
}

static struct part part_block(uint64_t len)
{
	return part(len, mori_grid_size(), mori_block_id());
}

/* @call for each round, @last after all of them. */
#define COPY(name, scope, call, last)                                                              \
	TIMED_KERNEL(name##_##scope)                                                               \
	{                                                                                          \
		struct part p = part_##scope(len);                                                 \
		uint64_t start = timed_start();                                                    \
		for (uint64_t i = 0; i < iters; i++, part_next(&p))                                \
			call(dst + part_from(&p), src + part_from(&p), part_len(&p), pe, 0);       \
		last;                                                                              \
		timed_stop(start, ns);                                                             \
	}
#define PUT_QUIET(scope)                                                                           \
	static void put_then_quiet_##scope(char *to, const char *from, uint64_t len, int pe,       \
					   int qp)                                                 \
	{                                                                                          \
		mori_shmem_putmem_##scope(to, from, len, pe, qp);                                  \
		mori_shmem_quiet_##scope();                                                        \
	}
#define COPIES(scope)                                                                              \
	PUT_QUIET(scope)                                                                           \
	COPY(put_bw, scope, mori_shmem_putmem_nbi_##scope, mori_shmem_quiet_##scope())             \
	COPY(get_bw, scope, mori_shmem_getmem_nbi_##scope, mori_shmem_quiet_##scope())             \
	COPY(put, scope, mori_shmem_putmem_##scope, (void)0)                                       \
	COPY(get, scope, mori_shmem_getmem_##scope, (void)0)                                       \
	COPY(put_quiet, scope, put_then_quiet_##scope, (void)0)
COPIES(thread)
COPIES(warp)
COPIES(block)

typedef uint32_t vec16 __attribute__((vector_size(16)));

/*
 * As one would write it for the device: threads of a GPU side by side with 16 bytes each,
 * threads of a CPU each with a part of its own. Buffers are aligned to 16 bytes.
 */
static void plain_copy(char *to, const char *from, uint64_t len, UNUSED struct part *p)
{
#if defined(__NVPTX__) || defined(__AMDGCN__)
	vec16 *out = (vec16 *)to;
	const vec16 *in = (const vec16 *)from;
	uint64_t n = len / sizeof(vec16), by = grid_threads(), i = grid_thread();

	for (; i + 3 * by < n; i += 4 * by) {
		vec16 a = in[i], b = in[i + by], c = in[i + 2 * by], d = in[i + 3 * by];

		out[i] = a;
		out[i + by] = b;
		out[i + 2 * by] = c;
		out[i + 3 * by] = d;
	}
	for (; i < n; i += by)
		out[i] = in[i];
	for (i = n * sizeof(vec16) + grid_thread(); i < len; i += by)
		to[i] = from[i];
#else
	(void)len;
	if (part_len(p))
		__builtin_memcpy(to + part_from(p), from + part_from(p), part_len(p));
	part_next(p);
#endif
}

static char *at(const char *mine, int pe)
{
	return (char *)(uintptr_t)mori_shmem_ptr((uint64_t)(uintptr_t)mine, pe);
}

#define PLAIN(name, to, from)                                                                      \
	TIMED_KERNEL(plain_##name)                                                                 \
	{                                                                                          \
		struct part p = part_thread(len);                                                  \
		char *out = to;                                                                    \
		const char *in = from;                                                             \
		uint64_t start = timed_start();                                                    \
		for (uint64_t i = 0; i < iters; i++, timed_keep())                                 \
			plain_copy(out, in, len, &p);                                              \
		timed_stop(start, ns);                                                             \
	}
PLAIN(put, at(dst, pe), src)
PLAIN(get, dst, at(src, pe))
