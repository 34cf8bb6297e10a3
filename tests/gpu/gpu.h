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

/* Whether the driver is AMD's. Tests have CUDA's names for its calls, which gpu_call() translates. */
static inline int gpu_is_hip(void)
{
	const char *device = getenv("MORI_SHMEM_DEVICE");

	return device && !strcmp(device, "hip");
}

static inline void *gpu_driver(void)
{
	static const char *const names[] = { "libamdhip64.so.7", "libamdhip64.so.6" };
	static void *driver;

	for (int i = 0; i < 2 && !driver && gpu_is_hip(); i++)
		driver = dlopen(names[i], RTLD_NOW);
	if (!driver)
		driver = dlopen("libcuda.so.1", RTLD_NOW);
	return driver;
}

/* HIP's contexts do not work like CUDA's: a context of the tests is a device there. */
static inline int gpu_hip_retain(void **out, int device)
{
	*out = (void *)(uintptr_t)(device + 1);
	return 0;
}

static inline int gpu_hip_current(void **out)
{
	gpu_fn get;
	void *at = dlsym(gpu_driver(), "hipGetDevice");
	int device = 0, code;

	memcpy(&get, &at, sizeof(get));
	code = get(&device);
	*out = (void *)(uintptr_t)(device + 1);
	return code;
}

static inline int gpu_hip_make_current(void *now)
{
	gpu_fn set;
	void *at = dlsym(gpu_driver(), "hipSetDevice");

	memcpy(&set, &at, sizeof(set));
	return set(now ? (int)(uintptr_t)now - 1 : 0);
}

/* A call of the driver that HIP has under a name of its own kind; else cuXyz_v2 is hipXyz. */
static inline void gpu_hip_name(char *out, size_t size, const char *name)
{
	static const char *const names[][2] = {
		{ "cuCtxSynchronize", "hipDeviceSynchronize" },
		{ "cuDeviceGetCount", "hipGetDeviceCount" },
		{ "cuGetErrorName", "hipDrvGetErrorName" },
		{ "cuLaunchKernel", "hipModuleLaunchKernel" },
		{ "cuMemAlloc_v2", "hipMalloc" },
		{ "cuMemFreeHost", "hipHostFree" },
		{ "cuMemHostAlloc", "hipHostMalloc" },
		{ "cuMemHostRegister_v2", "hipHostRegister" },
		{ "cuMemHostUnregister", "hipHostUnregister" },
		{ "cuStreamCreate", "hipStreamCreateWithFlags" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i][0])) {
			snprintf(out, size, "%s", names[i][1]);
			return;
		}
	}
	snprintf(out, size, "hip%.*s", (int)(strlen(name + 2) - (strstr(name, "_v2") ? 3 : 0)),
		 name + 2);
}

/* A call of the driver by name; the program ends if it is not there. */
static inline gpu_fn gpu_call(const char *name)
{
	char hip[64];
	void *at;
	gpu_fn fn;

	if (gpu_is_hip() && !strcmp(name, "cuDevicePrimaryCtxRetain"))
		return (gpu_fn)gpu_hip_retain;
	if (gpu_is_hip() && !strcmp(name, "cuCtxGetCurrent"))
		return (gpu_fn)gpu_hip_current;
	if (gpu_is_hip() && !strcmp(name, "cuCtxSetCurrent"))
		return (gpu_fn)gpu_hip_make_current;
	if (gpu_is_hip()) {
		gpu_hip_name(hip, sizeof(hip), name);
		name = hip;
	}
	at = gpu_driver() ? dlsym(gpu_driver(), name) : NULL;
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

/* The image of a module for the device: PTX, with a zero behind it, or a code object. */
static inline char *gpu_image(const char *name, size_t *size)
{
	char file[64], *image;
	void *read;

	snprintf(file, sizeof(file), "%s.%s", name, gpu_is_hip() ? "hsaco" : "ptx");
	read = kern_file(file, size);
	image = read ? calloc(1, *size + 1) : NULL;
	if (image)
		memcpy(image, read, *size);
	free(read);
	return image;
}

/* That module, in the folder kernels beside the program, or in KERN_FOLDER. */
static inline mori_shmem_module_t *gpu_load(const char *name)
{
	size_t size;
	void *image;
	mori_shmem_module_t *module = NULL;

	image = gpu_image(name, &size);
	if (image)
		MUST(mori_shmem_module_load(image, size, &module));
	free(image);
	return module;
}

#endif
