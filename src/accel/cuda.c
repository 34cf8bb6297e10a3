// SPDX-License-Identifier: MIT
/* NVIDIA's GPUs, by the driver of CUDA: what gpu_calls.def does not say of them. */
#include "accel/gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDA_JIT_ERRORS	     5 /* options of a load: a buffer for the compiler's errors */
#define CUDA_JIT_ERRORS_SIZE 6
#define CUDA_OUT_OF_MEMORY   2
#define CUDA_DMABUF	     1 /* of cuMemGetHandleForAddressRange() */

/* Our own kernels as PTX; "" where they could not be made. The build makes it. */
extern const char cuda_kernels[];

static const char *const cuda_library[] = { "libcuda.so.1", NULL };

static void cuda_version(char *text, size_t size)
{
	int version = 0;

	gpu.version(&version);
	snprintf(text, size, "CUDA %d.%d", version / 1000, version % 1000 / 10);
}

static void cuda_target(int device, char *text, size_t size)
{
	int major = 0, minor = 0;

	if (device < 0) {
		snprintf(text, size, "sm_<capability>");
		return;
	}
	gpu.device_attribute(&major, GPU_MAJOR, device);
	gpu.device_attribute(&minor, GPU_MINOR, device);
	snprintf(text, size, "sm_%d%d", major, minor);
}

static const void *cuda_kernels_of(int device, size_t *len)
{
	(void)device; /* PTX is for all */
	*len = strlen(cuda_kernels);
	return *len ? cuda_kernels : NULL;
}

static struct {
	int (*load)(gpu_module *out, const void *image, unsigned n, int *options, void **values);
	int (*dmabuf)(void *out, gpu_ptr at, size_t len, int kind, uint64_t flags);
} cuda;

/* PTX is a string: with a zero at its end. */
static int cuda_module_load(gpu_module *out, const void *image, size_t len, char *said,
			    size_t said_len)
{
	int options[] = { CUDA_JIT_ERRORS, CUDA_JIT_ERRORS_SIZE }, code;
	void *values[] = { said, (void *)(uintptr_t)(said_len - 1) };
	char *text = malloc(len + 1);

	if (!text)
		return CUDA_OUT_OF_MEMORY;
	memcpy(text, image, len);
	text[len] = '\0';
	memset(said, 0, said_len);
	code = cuda.load(out, text, 2, options, values);
	free(text);
	return code;
}

static int cuda_mem_dmabuf(int *fd, uint64_t *off, gpu_ptr at, size_t len)
{
	*off = 0;
	return cuda.dmabuf(fd, at, len, CUDA_DMABUF, 0);
}

static void cuda_adapt(void *library, struct gpu_calls *calls)
{
	void *load = dlsym(library, "cuModuleLoadDataEx");
	void *dmabuf = dlsym(library, "cuMemGetHandleForAddressRange");

	memcpy(&cuda.load, &load, sizeof(load));
	memcpy(&cuda.dmabuf, &dmabuf, sizeof(dmabuf));
	calls->module_load = load ? cuda_module_load : NULL;
	calls->mem_dmabuf = dmabuf ? cuda_mem_dmabuf : NULL;
}

static const struct gpu_vendor cuda_vendor = {
	.maker = "NVIDIA",
	.library = cuda_library,
	.column = GPU_CUDA,
	.processors = "multiprocessors",
	.adapt = cuda_adapt,
	.version = cuda_version,
	.target = cuda_target,
	.kernels = cuda_kernels_of,
};

static int cuda_open(const struct accel_config *config, struct accel_dev **out, int *number)
{
	return gpu_open(&cuda_vendor, config, out, number);
}

static int cuda_describe(int number, char *text, size_t size)
{
	return gpu_describe(&cuda_vendor, number, text, size);
}

const struct accel_ops accel_cuda = {
	.name = "cuda",
	.open = cuda_open,
	.close = gpu_close,
	.current = gpu_current,
	.facts = gpu_facts,
	.describe = cuda_describe,
	.mem_zero = gpu_zero,
	.module = &gpu_module_ops,
	.mem = &gpu_mem,
};
