// SPDX-License-Identifier: MIT
/*
 * A driver of NVIDIA's for machines without one: "GPU" memory is memory of the host, shared
 * by memfd, so that everything the library does around kernels can be tested anywhere. It
 * keeps count of what is taken: memory above MOCK_CUDA_MEMORY is refused, and what is left at
 * the end of a process is written to standard error if MOCK_CUDA_LEAKS is set. Of kernels it
 * knows the library's own atomic, by name; other launches fail.
 */
#include "abi/task.h"

#include <mori/shmem_types.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT	__attribute__((visibility("default")))
#define GRANULE ((size_t)2 << 20)

enum {
	OK,
	INVALID,
	NO_MEMORY,
	BAD_CONTEXT = 201,
	NO_IMAGE = 200,
	NOT_FOUND = 500,
	NO_SUPPORT = 801
};

struct piece {
	struct piece *next;
	char *at;
	size_t len;
	int fd;
	bool range; /* of addresses only */
};

static struct {
	pthread_mutex_t lock;
	struct piece *pieces;
	size_t used;
	long parts, streams, modules;
} mock = { .lock = PTHREAD_MUTEX_INITIALIZER };

static char context[1]; /* the only one: its address is its handle */
static __thread int depth;
static __thread bool current[16];

static size_t memory(void)
{
	const char *text = getenv("MOCK_CUDA_MEMORY");

	return text ? strtoull(text, NULL, 0) : (size_t)8 << 30;
}

static void piece_add(char *at, size_t len, int fd, bool range)
{
	struct piece *p = malloc(sizeof(*p));

	pthread_mutex_lock(&mock.lock);
	*p = (struct piece){ mock.pieces, at, len, fd, range };
	mock.pieces = p;
	if (!range)
		mock.used += len;
	pthread_mutex_unlock(&mock.lock);
}

static bool piece_take(char *at, bool range, struct piece *out)
{
	bool found = false;

	pthread_mutex_lock(&mock.lock);
	for (struct piece **p = &mock.pieces; *p && !found; p = found ? p : &(*p)->next) {
		if ((*p)->at != at || (*p)->range != range)
			continue;
		struct piece *gone = *p;

		*out = *gone;
		*p = gone->next;
		if (!range)
			mock.used -= gone->len;
		free(gone);
		found = true;
		break;
	}
	pthread_mutex_unlock(&mock.lock);
	return found;
}

static bool piece_find(uint64_t addr, struct piece *out)
{
	bool found = false;

	pthread_mutex_lock(&mock.lock);
	for (struct piece *p = mock.pieces; p && !found; p = p->next) {
		found = !p->range && addr - (uint64_t)(uintptr_t)p->at < p->len;
		if (found)
			*out = *p;
	}
	pthread_mutex_unlock(&mock.lock);
	return found;
}

static void leaks(void)
{
	if (getenv("MOCK_CUDA_LEAKS") && (mock.parts || mock.streams > 1 || mock.modules > 1))
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

EXPORT int cuDeviceGetCount(int *out)
{
	*out = 1;
	return OK;
}

EXPORT int cuDeviceGet(int *out, int number)
{
	*out = number;
	return number ? INVALID : OK;
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
	*out = memory();
	return OK;
}

EXPORT int cuDeviceGetAttribute(int *out, int what, int device)
{
	(void)what;
	(void)device;
	*out = 1;
	return OK;
}

EXPORT int cuDevicePrimaryCtxRetain(void **out, int device)
{
	*out = context;
	return device ? INVALID : OK;
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device)
{
	(void)device;
	return OK;
}

EXPORT int cuCtxGetCurrent(void **out)
{
	*out = depth && current[depth] ? context : NULL;
	return OK;
}

EXPORT int cuCtxPushCurrent_v2(void *ctx)
{
	if (depth == 15)
		return INVALID;
	current[++depth] = ctx != NULL;
	return OK;
}

EXPORT int cuCtxPopCurrent_v2(void **out)
{
	if (!depth)
		return BAD_CONTEXT;
	*out = current[depth--] ? context : NULL;
	return OK;
}

static bool no_context(void)
{
	return !depth || !current[depth];
}

EXPORT int cuCtxSetCurrent(void *ctx)
{
	if (!depth)
		depth = 1;
	current[depth] = ctx != NULL;
	return OK;
}

EXPORT int cuCtxGetDevice(int *out)
{
	*out = 0;
	return no_context() ? BAD_CONTEXT : OK;
}

EXPORT int cuMemGetInfo_v2(size_t *left, size_t *total)
{
	if (no_context())
		return BAD_CONTEXT;
	*total = memory();
	*left = mock.used < *total ? *total - mock.used : 0;
	return OK;
}

static int object(size_t len)
{
	int fd = memfd_create("mock-gpu", MFD_CLOEXEC);

	if (fd >= 0 && ftruncate(fd, (off_t)len)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

EXPORT int cuMemAlloc_v2(uint64_t *out, size_t len)
{
	int fd = no_context() || mock.used + len > memory() ? -1 : object(len);
	char *at = fd < 0 ? MAP_FAILED : mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return no_context() ? BAD_CONTEXT : NO_MEMORY;
	piece_add(at, len, fd, false);
	*out = (uint64_t)(uintptr_t)at;
	return OK;
}

EXPORT int cuMemFree_v2(uint64_t ptr)
{
	struct piece p;

	if (!piece_take((char *)(uintptr_t)ptr, false, &p))
		return INVALID;
	munmap(p.at, p.len);
	close(p.fd);
	return OK;
}

EXPORT int cuMemGetAddressRange_v2(uint64_t *base, size_t *len, uint64_t ptr)
{
	struct piece p;

	if (!piece_find(ptr, &p))
		return INVALID;
	*base = (uint64_t)(uintptr_t)p.at;
	*len = p.len;
	return OK;
}

EXPORT int cuMemHostAlloc(void **out, size_t len, unsigned flags)
{
	(void)flags;
	*out = calloc(1, len);
	return no_context() ? BAD_CONTEXT : *out ? OK : NO_MEMORY;
}

EXPORT int cuMemFreeHost(void *ptr)
{
	free(ptr);
	return OK;
}

EXPORT int cuMemHostRegister_v2(void *ptr, size_t len, unsigned flags)
{
	(void)len;
	(void)flags;
	return ptr ? OK : INVALID;
}

EXPORT int cuMemHostUnregister(void *ptr)
{
	(void)ptr;
	return OK;
}

EXPORT int cuPointerGetAttribute(void *out, int what, uint64_t ptr)
{
	struct piece p;

	(void)what;
	if (!piece_find(ptr, &p))
		return INVALID;
	*(unsigned *)out = 2;
	return OK;
}

/* One word of the right alignment goes in one access, as on the device. */
EXPORT int cuMemcpyAsync(uint64_t dst, uint64_t src, size_t len, void *stream)
{
	uint64_t word;

	if (no_context() || !stream)
		return BAD_CONTEXT;
	if (len == 8 && !(dst & 7)) {
		memcpy(&word, (void *)(uintptr_t)src, 8);
		__atomic_store_n((uint64_t *)(uintptr_t)dst, word, __ATOMIC_SEQ_CST);
	} else {
		memmove((void *)(uintptr_t)dst, (void *)(uintptr_t)src, len);
	}
	return OK;
}

EXPORT int cuMemsetD8Async(uint64_t dst, unsigned char v, size_t n, void *stream)
{
	if (no_context() || !stream)
		return BAD_CONTEXT;
	memset((void *)(uintptr_t)dst, v, n);
	return OK;
}

EXPORT int cuMemGetAllocationGranularity(size_t *out, const void *part, int which)
{
	(void)part;
	(void)which;
	*out = GRANULE;
	return OK;
}

/* A part is its descriptor, plus one so that none is 0. */
EXPORT int cuMemCreate(uint64_t *out, size_t len, const void *part, uint64_t flags)
{
	int fd;

	(void)part;
	(void)flags;
	if (len % GRANULE || !len)
		return INVALID;
	fd = mock.used + len > memory() ? -1 : object(len);
	if (fd < 0)
		return NO_MEMORY;
	*out = (uint64_t)fd + 1;
	__atomic_add_fetch(&mock.parts, 1, __ATOMIC_RELAXED);
	return OK;
}

EXPORT int cuMemRelease(uint64_t part)
{
	__atomic_sub_fetch(&mock.parts, 1, __ATOMIC_RELAXED);
	return close((int)part - 1) ? INVALID : OK;
}

EXPORT int cuMemExportToShareableHandle(void *out, uint64_t part, int kind, uint64_t flags)
{
	(void)kind;
	(void)flags;
	*(int *)out = fcntl((int)part - 1, F_DUPFD_CLOEXEC, 0);
	return *(int *)out < 0 ? INVALID : OK;
}

EXPORT int cuMemImportFromShareableHandle(uint64_t *out, void *handle, int kind)
{
	int fd = fcntl((int)(intptr_t)handle, F_DUPFD_CLOEXEC, 0);

	(void)kind;
	if (fd < 0)
		return INVALID;
	*out = (uint64_t)fd + 1;
	__atomic_add_fetch(&mock.parts, 1, __ATOMIC_RELAXED);
	return OK;
}

EXPORT int cuMemAddressReserve(uint64_t *out, size_t len, size_t align, uint64_t at, uint64_t flags)
{
	char *p = mmap(NULL, len + GRANULE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0);
	uintptr_t aligned;

	(void)align;
	(void)at;
	(void)flags;
	if (p == MAP_FAILED)
		return NO_MEMORY;
	aligned = ((uintptr_t)p + GRANULE - 1) / GRANULE * GRANULE;
	piece_add((char *)aligned, len, -1, true);
	*out = aligned;
	return OK;
}

EXPORT int cuMemAddressFree(uint64_t base, size_t len)
{
	struct piece p;

	if (!piece_take((char *)(uintptr_t)base, true, &p) || p.len != len)
		return INVALID;
	munmap(p.at, p.len);
	return OK;
}

EXPORT int cuMemMap(uint64_t at, size_t len, size_t off, uint64_t part, uint64_t flags)
{
	int fd = fcntl((int)part - 1, F_DUPFD_CLOEXEC, 0);
	struct piece p;

	(void)flags;
	if (fd < 0 || off || piece_find(at, &p) ||
	    mmap((void *)(uintptr_t)at, len, PROT_NONE, MAP_SHARED | MAP_FIXED, fd, 0) ==
		    MAP_FAILED)
		return INVALID;
	piece_add((char *)(uintptr_t)at, len, fd, false);
	return OK;
}

EXPORT int cuMemSetAccess(uint64_t at, size_t len, const void *access, size_t n)
{
	(void)access;
	return !n || mprotect((void *)(uintptr_t)at, len, PROT_READ | PROT_WRITE) ? INVALID : OK;
}

EXPORT int cuMemUnmap(uint64_t at, size_t len)
{
	struct piece p;

	if (!piece_take((char *)(uintptr_t)at, false, &p) || p.len != len)
		return INVALID;
	close(p.fd);
	mmap(p.at, p.len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
	     0);
	return OK;
}

struct ipc {
	char bytes[64];
};

EXPORT int cuIpcGetMemHandle(struct ipc *out, uint64_t ptr)
{
	struct piece p;

	memset(out, 0, sizeof(*out));
	if (!piece_find(ptr, &p))
		return INVALID;
	snprintf(out->bytes, sizeof(out->bytes), "/proc/%d/fd/%d %zu", (int)getpid(), p.fd, p.len);
	return OK;
}

EXPORT int cuIpcOpenMemHandle_v2(uint64_t *out, struct ipc handle, unsigned flags)
{
	char path[64];
	size_t len = 0;
	int fd, pid = 0;
	char *at;

	(void)flags;
	if (sscanf(handle.bytes, "%63s %zu", path, &len) != 2 ||
	    sscanf(path, "/proc/%d", &pid) != 1 || pid == (int)getpid())
		return INVALID; /* a process cannot open its own */
	fd = open(path, O_RDWR | O_CLOEXEC);
	at = fd < 0 ? MAP_FAILED : mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return INVALID;
	piece_add(at, len, fd, false);
	*out = (uint64_t)(uintptr_t)at;
	return OK;
}

EXPORT int cuIpcCloseMemHandle(uint64_t ptr)
{
	return cuMemFree_v2(ptr);
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
