// SPDX-License-Identifier: MIT
/*
 * A driver of NVIDIA's for machines without one: "GPU" memory is memory of the host, shared
 * by memfd, so that everything the library does around kernels can be tested anywhere. It
 * keeps count of what is taken: memory above MOCK_CUDA_MEMORY is refused, and what is left at
 * the end of a process is written to standard error if MOCK_CUDA_LEAKS is set. Of kernels it
 * has the library's own (stream.c) and no others; of other modules in PTX it keeps what they
 * say of themselves in globalGpuStates. mockFail() makes a call fail, mockFull() launches. MOCK_CUDA_DEVICES says
 * how many GPUs there are, MOCK_CUDA_FABRIC what handles of the fabric do ("yes", "no", or "only": descriptors
 * do not), MOCK_CUDA_ATOMICS=no that they are not atomic on each other's memory: such an atomic
 * is then refused. With MOCK_CUDA_IPC=no memory has no handle for other processes.
 */
#include "mock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mock mock = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct module {
	uint64_t link[4]; /* globalGpuStates; of words words */
	size_t words;
};

static char contexts[DEVICES]; /* one a device: its address is its handle */
static __thread int depth;
static __thread char *current[16];

static int devices(void)
{
	const char *text = getenv("MOCK_CUDA_DEVICES");
	int n = text ? atoi(text) : 1;

	return n > DEVICES ? DEVICES : n;
}

bool mock_atomics(void)
{
	const char *text = getenv("MOCK_CUDA_ATOMICS");

	return !text || strcmp(text, "no") != 0;
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

EXPORT int cuDeviceGetP2PAttribute(int *out, int what, int from, int to)
{
	*out = what != 3 || mock_atomics();
	return from == to || from >= devices() || to >= devices() ? INVALID : OK;
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

EXPORT int cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	*least = 0;
	*greatest = -5;
	return OK;
}

static __thread int fail_after;

EXPORT int mockFail(int n)
{
	int left = fail_after;

	fail_after = n;
	return left;
}

bool mock_fails(void)
{
	if (!fail_after)
		return false;
	fail_after--;
	return !fail_after;
}

/* ".u64 globalGpuStates[3] = {25769804040, generic(tgt_unset), 1};": what is no number is 0. */
static void module_read(struct module *m, const char *ptx)
{
	const char *at = strstr(ptx, "globalGpuStates[");

	at = at ? strstr(at, "= {") : NULL;
	while (at && m->words < 4 && *at != '}') {
		m->link[m->words++] = strtoull(at + (*at == '=' ? 3 : 2), NULL, 10);
		at += strcspn(at, ",}") ? strcspn(at, ",}") : 1 + strcspn(at + 1, ",}");
	}
}

EXPORT int cuModuleLoadDataEx(void **out, const void *image, unsigned n, int *options,
			      void **values)
{
	struct module *m;

	(void)n;
	(void)options;
	(void)values;
	if (!strstr(image, "mori_task_amo") && !strstr(image, ".version"))
		return NO_IMAGE;
	m = calloc(1, sizeof(*m));
	module_read(m, image);
	*out = m;
	__atomic_add_fetch(&mock.modules, 1, __ATOMIC_RELAXED);
	return no_context() ? BAD_CONTEXT : OK;
}

EXPORT int cuModuleLoadData(void **out, const void *image)
{
	return cuModuleLoadDataEx(out, image, 0, NULL, NULL);
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
	struct module *m = module;

	*out = (uint64_t)(uintptr_t)m->link;
	*len = m->words * sizeof(m->link[0]);
	return strcmp(name, "globalGpuStates") || !m->words ? NOT_FOUND : OK;
}
