// SPDX-License-Identifier: MIT
/*
 * A driver of NVIDIA's for machines without one: "GPU" memory is memory of the host, shared
 * by memfd, so that everything the library does around kernels can be tested anywhere. It
 * keeps count of what is taken: memory above MOCK_CUDA_MEMORY is refused, and what is left at
 * the end of a process is written to standard error if MOCK_CUDA_LEAKS is set. Of kernels it
 * knows the library's own atomic, by name; other launches fail. MOCK_CUDA_DEVICES says how
 * many GPUs there are, MOCK_CUDA_FABRIC what handles of the fabric do ("yes", "no", or
 * "only": descriptors do not).
 */
#include "mock.h"

#include "abi/task.h"

#include <mori/shmem_types.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mock mock = { .lock = PTHREAD_MUTEX_INITIALIZER };

static char contexts[DEVICES]; /* one a device: its address is its handle */
static __thread int depth;
static __thread char *current[16];

static int devices(void)
{
	const char *text = getenv("MOCK_CUDA_DEVICES");
	int n = text ? atoi(text) : 1;

	return n > DEVICES ? DEVICES : n;
}

/* A context that was used keeps a stream and a module. */
static void leaks(void)
{
	if (getenv("MOCK_CUDA_LEAKS") &&
	    (mock.parts || mock.streams > devices() || mock.modules > devices()))
		fprintf(stderr, "mock: left over: %ld parts, %ld streams, %ld modules\n",
			mock.parts, mock.streams, mock.modules);
}

EXPORT int cuInit(unsigned flags)
{
	(void)flags;
	atexit(leaks);
	return OK;
}

EXPORT int cuDriverGetVersion(int *out)
{
	*out = 12040;
	return OK;
}

EXPORT int cuGetErrorName(int code, const char **out)
{
	*out = code == NO_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OF_MOCK";
	return OK;
}

EXPORT int cuGetErrorString(int code, const char **out)
{
	(void)code;
	*out = "an error of the mock driver";
	return OK;
}

const char *mock_fabric(void)
{
	return getenv("MOCK_CUDA_FABRIC");
}

EXPORT int cuDeviceGetCount(int *out)
{
	*out = devices();
	return OK;
}

EXPORT int cuDeviceGet(int *out, int number)
{
	*out = number;
	return number < devices() ? OK : INVALID;
}

EXPORT int cuDeviceGetName(char *out, int size, int device)
{
	snprintf(out, (size_t)size, "mock GPU %d", device);
	return OK;
}

EXPORT int cuDeviceGetUuid_v2(void *out, int device)
{
	memset(out, 0x40 + device, 16);
	return OK;
}

EXPORT int cuDeviceTotalMem_v2(size_t *out, int device)
{
	(void)device;
	*out = mock_memory();
	return OK;
}

EXPORT int cuDeviceGetAttribute(int *out, int what, int device)
{
	(void)device;
	switch (what) {
	case 75: /* its capability is 9.0 */
		*out = 9;
		break;
	case 76:
		*out = 0;
		break;
	case 128:
		*out = mock_fabric() != NULL;
		break;
	default:
		*out = 1;
	}
	return OK;
}

EXPORT int cuDevicePrimaryCtxRetain(void **out, int device)
{
	*out = &contexts[device < devices() ? device : 0];
	return device < devices() ? OK : INVALID;
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device)
{
	(void)device;
	return OK;
}

EXPORT int cuCtxGetCurrent(void **out)
{
	*out = depth ? current[depth] : NULL;
	return OK;
}

EXPORT int cuCtxPushCurrent_v2(void *ctx)
{
	if (depth == 15)
		return INVALID;
	current[++depth] = ctx;
	return OK;
}

EXPORT int cuCtxPopCurrent_v2(void **out)
{
	if (!depth)
		return BAD_CONTEXT;
	*out = current[depth--];
	return OK;
}

bool no_context(void)
{
	return !depth || !current[depth];
}

EXPORT int cuCtxSetCurrent(void *ctx)
{
	if (!depth)
		depth = 1;
	current[depth] = ctx;
	return OK;
}

EXPORT int cuCtxGetDevice(int *out)
{
	if (no_context())
		return BAD_CONTEXT;
	*out = (int)(current[depth] - contexts);
	return OK;
}

EXPORT int cuCtxGetLimit(size_t *out, int what)
{
	(void)what;
	*out = 1024;
	return no_context() ? BAD_CONTEXT : OK;
}

EXPORT int cuCtxSetLimit(int what, size_t value)
{
	(void)what;
	(void)value;
	return no_context() ? BAD_CONTEXT : OK;
}

EXPORT int cuStreamCreateWithPriority(void **out, unsigned flags, int priority)
{
	(void)priority;
	*out = malloc(1);
	__atomic_add_fetch(&mock.streams, 1, __ATOMIC_RELAXED);
	return no_context() || flags != 1 ? INVALID : OK;
}

EXPORT int cuStreamDestroy_v2(void *stream)
{
	free(stream);
	__atomic_sub_fetch(&mock.streams, 1, __ATOMIC_RELAXED);
	return OK;
}

EXPORT int cuStreamSynchronize(void *stream)
{
	return stream ? OK : INVALID;
}

EXPORT int cuStreamQuery(void *stream)
{
	return cuStreamSynchronize(stream);
}

EXPORT int cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	*least = 0;
	*greatest = -5;
	return OK;
}

EXPORT int cuModuleLoadDataEx(void **out, const void *image, unsigned n, int *options,
			      void **values)
{
	(void)n;
	(void)options;
	(void)values;
	if (!strstr(image, "mori_task_amo"))
		return NO_IMAGE;
	*out = malloc(1);
	__atomic_add_fetch(&mock.modules, 1, __ATOMIC_RELAXED);
	return no_context() ? BAD_CONTEXT : OK;
}

EXPORT int cuModuleUnload(void *module)
{
	free(module);
	__atomic_sub_fetch(&mock.modules, 1, __ATOMIC_RELAXED);
	return OK;
}

/* A function is its name. */
EXPORT int cuModuleGetFunction(void **out, void *module, const char *name)
{
	(void)module;
	*out = (void *)name;
	return strncmp(name, "mori_task_", 10) ? NOT_FOUND : OK;
}

EXPORT int cuFuncGetAttribute(int *out, int what, void *f)
{
	(void)what;
	(void)f;
	*out = 1024;
	return OK;
}

EXPORT int cuModuleGetGlobal_v2(uint64_t *out, size_t *len, void *module, const char *name)
{
	(void)out;
	(void)len;
	(void)module;
	(void)name;
	return NOT_FOUND;
}

static uint64_t amo_new(const struct dev_task *t, uint64_t old)
{
	switch (t->op) {
	case MORI_SHMEM_AMO_ADD:
		return old + t->value;
	case MORI_SHMEM_AMO_AND:
		return old & t->value;
	case MORI_SHMEM_AMO_OR:
		return old | t->value;
	case MORI_SHMEM_AMO_XOR:
		return old ^ t->value;
	case MORI_SHMEM_AMO_SET:
		return t->value;
	default:
		return old == (t->kind == 3 ? t->compare : (uint32_t)t->compare) ? t->value : old;
	}
}

static uint64_t amo(const struct dev_task *t)
{
	uint64_t *wide = (uint64_t *)(uintptr_t)t->dest, old = 0;
	uint32_t *word = (uint32_t *)(uintptr_t)t->dest, half = 0;

	if (t->kind == 3) {
		while (!__atomic_compare_exchange_n(wide, &old, amo_new(t, old), 0,
						    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			;
		return old;
	}
	while (!__atomic_compare_exchange_n(word, &half, (uint32_t)amo_new(t, half), 0,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	return half;
}

EXPORT int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
			  unsigned bz, unsigned shared, void *stream, void **args, void **extra)
{
	const struct dev_task *t = args[0];

	(void)shared;
	(void)extra;
	if (no_context() || !stream || gx * gy * gz * bx * by * bz != 1)
		return INVALID;
	if (strcmp(f, "mori_task_amo"))
		return NO_SUPPORT;
	*(uint64_t *)(uintptr_t)t->result = amo(t);
	return OK;
}
