// SPDX-License-Identifier: MIT
/*
 * The bench program's view of an OpenSHMEM 1.4 library, such as Open MPI's. The
 * names are those of bench/api_mori.h. OpenSHMEM has no status: calls succeed
 * or end the job.
 */
#ifndef BENCH_API_OSHMEM_H
#define BENCH_API_OSHMEM_H

#include <shmem.h>
#include <stdint.h>
#include <string.h>

#define API_NAME       "openmpi"
#define API_IS_PEER    1
#define API_HAS_REDUCE 1

_Static_assert(sizeof(unsigned long) == sizeof(uint64_t), "the ulong calls move 8 bytes");

static inline int api_init(void)
{
	shmem_init();
	return 0;
}

static inline int api_finalize(void)
{
	shmem_finalize();
	return 0;
}

static inline const char *api_error(void)
{
	return "";
}

static inline int api_threads(void)
{
	return 1;
}

static inline int api_my_pe(void)
{
	return shmem_my_pe();
}

static inline int api_n_pes(void)
{
	return shmem_n_pes();
}

static inline void *api_malloc(size_t size)
{
	return shmem_malloc(size);
}

static inline int api_free(void *ptr)
{
	shmem_free(ptr);
	return 0;
}

static inline void *api_ptr(void *ptr, int pe)
{
	return shmem_ptr(ptr, pe);
}

static inline int api_put(void *dest, const void *src, size_t len, int pe)
{
	shmem_putmem(dest, src, len, pe);
	return 0;
}

static inline int api_put_nbi(void *dest, const void *src, size_t len, int pe)
{
	shmem_putmem_nbi(dest, src, len, pe);
	return 0;
}

static inline int api_get(void *dest, const void *src, size_t len, int pe)
{
	shmem_getmem(dest, src, len, pe);
	return 0;
}

static inline int api_get_nbi(void *dest, const void *src, size_t len, int pe)
{
	shmem_getmem_nbi(dest, src, len, pe);
	return 0;
}

static inline int api_quiet(void)
{
	shmem_quiet();
	return 0;
}

static inline int api_p(uint64_t *dest, uint64_t value, int pe)
{
	shmem_ulong_p((unsigned long *)dest, value, pe);
	return 0;
}

static inline uint64_t api_g(const uint64_t *src, int pe)
{
	return shmem_ulong_g((const unsigned long *)src, pe);
}

static inline uint64_t api_fetch_add(uint64_t *dest, uint64_t value, int pe)
{
	return shmem_ulong_atomic_fetch_add((unsigned long *)dest, value, pe);
}

static inline uint64_t api_compare_swap(uint64_t *dest, uint64_t compare, uint64_t value, int pe)
{
	return shmem_ulong_atomic_compare_swap((unsigned long *)dest, compare, value, pe);
}

static inline int api_add(uint64_t *dest, uint64_t value, int pe)
{
	shmem_ulong_atomic_add((unsigned long *)dest, value, pe);
	return 0;
}

/* Version 1.4 has no put with signal: this is what its users write. */
static inline int api_put_signal(void *dest, const void *src, size_t len, uint64_t *sig,
				 uint64_t value, int pe)
{
	if (len)
		shmem_putmem(dest, src, len, pe);
	shmem_fence();
	shmem_ulong_p((unsigned long *)sig, value, pe);
	return 0;
}

static inline int api_wait_ge(uint64_t *word, uint64_t value)
{
	shmem_ulong_wait_until((unsigned long *)word, SHMEM_CMP_GE, value);
	return 0;
}

static inline int api_barrier(void)
{
	shmem_barrier_all();
	return 0;
}

/* What the reduction needs beside its vectors; symmetric, of this many bytes. */
static inline size_t api_reduce_scratch(size_t n)
{
	size_t work = n / 2 + 1 > SHMEM_REDUCE_MIN_WRKDATA_SIZE ? n / 2 + 1 :
								  SHMEM_REDUCE_MIN_WRKDATA_SIZE;

	return 2 * SHMEM_REDUCE_SYNC_SIZE * sizeof(long) + work * sizeof(float);
}

static inline void api_reduce_prepare(void *scratch)
{
	for (int i = 0; i < 2 * SHMEM_REDUCE_SYNC_SIZE; i++)
		((long *)scratch)[i] = SHMEM_SYNC_VALUE;
}

/* Two sets of sync words, used in turn, make a barrier between calls unnecessary. */
static inline int api_reduce(float *dest, const float *src, size_t n, void *scratch, unsigned turn)
{
	long *sync = (long *)scratch + (turn & 1) * SHMEM_REDUCE_SYNC_SIZE;
	float *work = (float *)((long *)scratch + 2 * SHMEM_REDUCE_SYNC_SIZE);

	shmem_float_sum_to_all(dest, src, (int)n, 0, 0, shmem_n_pes(), work, sync);
	return 0;
}

#endif
