// SPDX-License-Identifier: MIT
/*
 * A program of PEs on a GPU: as tests/kern.h, and memory of the heap is only touched by calls
 * (heap_set() and its like). Streams, graphs and events are the driver's, by dlopen.
 */
#ifndef MORI_TESTS_GPU_H
#define MORI_TESTS_GPU_H

#include "kern.h"

#include <dlfcn.h>

typedef int (*gpu_fn)();

/* A call of the driver by name; the program ends if it fails or is not there. */
static inline gpu_fn gpu_call(const char *name)
{
	static void *driver;
	void *at;
	gpu_fn fn;

	if (!driver)
		driver = dlopen("libcuda.so.1", RTLD_NOW);
	at = driver ? dlsym(driver, name) : NULL;
	if (!at) {
		fprintf(stderr, "no %s\n", name);
		exit(1);
	}
	memcpy(&fn, &at, sizeof(fn));
	return fn;
}
#define GPU(name, ...) gpu_must(__FILE__, __LINE__, #name, gpu_call(#name)(__VA_ARGS__))

static inline void gpu_must(const char *file, int line, const char *what, int code)
{
	if (code) {
		fprintf(stderr, "%s:%d: PE %d: %s: %d\n", file, line, me, what, code);
		exit(1);
	}
}

/* The only device, current in this thread. */
static inline void gpu_begin(void)
{
	void *primary = NULL;

	GPU(cuInit, 0u);
	GPU(cuDevicePrimaryCtxRetain, &primary, 0);
	GPU(cuCtxSetCurrent, primary);
}

static inline void *gpu_stream(void)
{
	void *stream;

	GPU(cuStreamCreate, &stream, 1u);
	return stream;
}

/* The module <name>.ptx beside the program, in the folder kernels. */
static inline mori_shmem_module_t *gpu_load(const char *name)
{
	char file[64];
	size_t size;
	void *image;
	mori_shmem_module_t *module = NULL;

	snprintf(file, sizeof(file), "%s.ptx", name);
	image = kern_file(file, &size);
	if (image)
		MUST(mori_shmem_module_load(image, size, &module));
	free(image);
	return module;
}

#endif
