// SPDX-License-Identifier: MIT
/*
 * The bench program's view of NVSHMEM: the names of bench/api_mori.h that the cases of
 * kernels use. NVSHMEM's headers are C++, so what is behind them is in host.cu; kernels are
 * those of bench/kernels, compiled over the names in mori/shmem_device.h beside this file.
 */
#ifndef BENCH_API_NVSHMEM_H
#define BENCH_API_NVSHMEM_H

#include <stddef.h>
#include <stdint.h>

#define API_NAME    "nvshmem"
#define API_IS_PEER 1

#ifdef __cplusplus
extern "C" {
#endif

/* Nothing to load: kernels are functions of the program. */
typedef void *api_module;

int api_init(void);
int api_finalize(void);
const char *api_error(void);
int api_my_pe(void);
int api_n_pes(void);
void *api_malloc(size_t size);
void *api_calloc(size_t n, size_t size);
int api_free(void *ptr);
void *api_ptr(void *ptr, int pe);
int api_put(void *dest, const void *src, size_t len, int pe);
int api_get(void *dest, const void *src, size_t len, int pe);
int api_p(uint64_t *dest, uint64_t value, int pe);
uint64_t api_g(const uint64_t *src, int pe);
int api_add(uint64_t *dest, uint64_t value, int pe);
int api_barrier(void);
int api_launch(api_module module, const char *name, unsigned blocks, unsigned threads, void **args,
	       void *stream);
int api_barrier_on_stream(void *stream);

static inline int api_threads(void)
{
	return 1;
}

static inline int api_module_load(const void *image, size_t size, api_module *out)
{
	(void)image;
	(void)size;
	*out = NULL;
	return 0;
}

static inline int api_module_unload(api_module module)
{
	(void)module;
	return 0;
}

#ifdef __cplusplus
}
#endif
#endif
