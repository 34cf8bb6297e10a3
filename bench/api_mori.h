// SPDX-License-Identifier: MIT
/*
 * The bench program's view of MORI Shmem. bench/peers/<name>/ holds the same names over
 * other libraries, so that one program measures all of them. Calls that can fail
 * return 0 or not 0.
 */
#ifndef BENCH_API_MORI_H
#define BENCH_API_MORI_H

#include <mori/shmem.h>
#include <stdio.h>
#include <stdlib.h>

#define API_NAME    "mori"
#define API_IS_PEER 0
/* No reduction of its own: the bench writes one over pointers and barriers. */
#define API_HAS_REDUCE 0

static inline int api_init(void)
{
	return mori_shmem_init();
}

static inline int api_finalize(void)
{
	return mori_shmem_finalize();
}

static inline const char *api_error(void)
{
	return mori_shmem_last_error();
}

/* How many PEs this process hosts, each a thread. */
static inline int api_threads(void)
{
	const char *threads = getenv("MORI_THREADS");

	return threads && atoi(threads) > 1 ? atoi(threads) : 1;
}

static inline int api_my_pe(void)
{
	return mori_shmem_my_pe();
}

static inline int api_n_pes(void)
{
	return mori_shmem_n_pes();
}

static inline void *api_malloc(size_t size)
{
	return mori_shmem_malloc(size);
}

static inline int api_free(void *ptr)
{
	return mori_shmem_free(ptr);
}

/* Where @pe's copy of @ptr can be loaded and stored; NULL if it cannot. */
static inline void *api_ptr(void *ptr, int pe)
{
	return (void *)(uintptr_t)mori_shmem_ptr((uint64_t)(uintptr_t)ptr, pe);
}

static inline int api_put(void *dest, const void *src, size_t len, int pe)
{
	return mori_shmem_putmem_thread(dest, src, len, pe, 0);
}

static inline int api_put_nbi(void *dest, const void *src, size_t len, int pe)
{
	return mori_shmem_putmem_nbi_thread(dest, src, len, pe, 0);
}

static inline int api_get(void *dest, const void *src, size_t len, int pe)
{
	return mori_shmem_getmem_thread(dest, src, len, pe, 0);
}

static inline int api_get_nbi(void *dest, const void *src, size_t len, int pe)
{
	return mori_shmem_getmem_nbi_thread(dest, src, len, pe, 0);
}

static inline int api_quiet(void)
{
	return mori_shmem_quiet_thread();
}

static inline int api_p(uint64_t *dest, uint64_t value, int pe)
{
	return mori_shmem_uint64_p(dest, value, pe, 0);
}

static inline uint64_t api_g(const uint64_t *src, int pe)
{
	return mori_shmem_uint64_g(src, pe, 0);
}

static inline uint64_t api_fetch_add(uint64_t *dest, uint64_t value, int pe)
{
	return mori_shmem_uint64_atomic_fetch_add_thread(dest, value, pe, 0);
}

static inline uint64_t api_compare_swap(uint64_t *dest, uint64_t compare, uint64_t value, int pe)
{
	return mori_shmem_uint64_atomic_compare_swap_thread(dest, compare, value, pe, 0);
}

static inline int api_add(uint64_t *dest, uint64_t value, int pe)
{
	return mori_shmem_uint64_atomic_add_thread(dest, value, pe, 0);
}

/* A PE that sees *sig == value by api_wait_ge() sees the data. */
static inline int api_put_signal(void *dest, const void *src, size_t len, uint64_t *sig,
				 uint64_t value, int pe)
{
	return mori_shmem_putmem_signal_thread(dest, src, len, sig, value, MORI_SHMEM_SIGNAL_SET,
					       pe, 0);
}

static inline int api_wait_ge(uint64_t *word, uint64_t value)
{
	return mori_shmem_uint64_wait_until(word, MORI_SHMEM_CMP_GE, value);
}

static inline int api_barrier(void)
{
	return mori_shmem_barrier_all();
}

/* For the bench of kernels: modules, launches, and what a host does on a stream. */
typedef mori_shmem_module_t *api_module;

static inline void *api_calloc(size_t n, size_t size)
{
	return mori_shmem_calloc(n, size);
}

static inline int api_module_load(const void *image, size_t size, api_module *out)
{
	return mori_shmem_module_load(image, size, out);
}

static inline int api_module_unload(api_module module)
{
	return mori_shmem_module_unload(module);
}

/* Without a stream the grid has ended when it returns. */
static inline int api_launch(api_module module, const char *name, unsigned blocks, unsigned threads,
			     void **args, void *stream)
{
	unsigned grid[3] = { blocks, 1, 1 }, block[3] = { threads, 1, 1 };

	return mori_shmem_kernel_launch(module, name, grid, block, 0, args, stream);
}

static inline int api_barrier_on_stream(void *stream)
{
	return mori_shmem_barrier_on_stream(stream);
}

#endif
