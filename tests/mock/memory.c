// SPDX-License-Identifier: MIT
/* Memory of the mock driver: pieces of the host's, each with a file behind it. */
#include "mock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FABRIC 8 /* a kind of handle */

#define FOREIGN 32 /* bit of the handle of a part that came from another process */

size_t mock_memory(void)
{
	const char *text = getenv("MOCK_CUDA_MEMORY");

	return text ? strtoull(text, NULL, 0) : (size_t)8 << 30;
}

static void piece_add(char *at, size_t len, int fd, bool range, bool foreign)
{
	struct piece *p = malloc(sizeof(*p));

	pthread_mutex_lock(&mock.lock);
	*p = (struct piece){ mock.pieces, at, len, fd, range, foreign };
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

bool mock_foreign(uint64_t addr)
{
	struct piece p;

	return piece_find(addr, &p) && p.foreign;
}

EXPORT int cuMemGetInfo_v2(size_t *left, size_t *total)
{
	if (no_context())
		return BAD_CONTEXT;
	*total = mock_memory();
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
	int fd = mock_fails() || no_context() || mock.used + len > mock_memory() ? -1 : object(len);
	char *at = fd < 0 ? MAP_FAILED : mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		return no_context() ? BAD_CONTEXT : NO_MEMORY;
	piece_add(at, len, fd, false, false);
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

static void *pinned[64]; /* ranges, by their start */

static int pin(void *ptr, void *instead, int otherwise)
{
	int code = otherwise;

	pthread_mutex_lock(&mock.lock);
	for (size_t i = 0; i < sizeof(pinned) / sizeof(pinned[0]) && code == otherwise; i++) {
		if (pinned[i] == ptr) {
			pinned[i] = instead;
			code = OK;
		}
	}
	pthread_mutex_unlock(&mock.lock);
	return code;
}

EXPORT int cuMemHostRegister_v2(void *ptr, size_t len, unsigned flags)
{
	(void)len;
	(void)flags;
	if (!ptr || getenv("MOCK_CUDA_NO_PIN"))
		return INVALID;
	if (!pin(ptr, ptr, INVALID))
		return IS_PINNED;
	return pin(NULL, ptr, NO_MEMORY);
}

EXPORT int cuMemHostUnregister(void *ptr)
{
	return ptr ? pin(ptr, NULL, NOT_PINNED) : INVALID;
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
EXPORT int cuMemsetD8Async(uint64_t dst, unsigned char v, size_t n, void *stream)
{
	if (no_context() || !stream)
		return BAD_CONTEXT;
	if (mock_fails())
		return INVALID;
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
	int fd, handles = ((const int *)part)[1];

	(void)flags;
	if (len % GRANULE || !len)
		return INVALID;
	if (handles == FABRIC && (!mock_fabric() || !strcmp(mock_fabric(), "no")))
		return NOT_PERMITTED;
	fd = mock.used + len > mock_memory() ? -1 : object(len);
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
	int fd = kind != FABRIC && mock_fabric() && !strcmp(mock_fabric(), "only") ?
			 -1 :
			 fcntl((int)part - 1, F_DUPFD_CLOEXEC, 0);

	(void)flags;
	if (fd < 0)
		return INVALID;
	if (kind == FABRIC) { /* others open it by its name, for as long as this process lives */
		memset(out, 0, 64);
		snprintf(out, 64, "fabric /proc/%d/fd/%d", (int)getpid(), fd);
	} else {
		*(int *)out = fd;
	}
	return OK;
}

EXPORT int cuMemImportFromShareableHandle(uint64_t *out, void *handle, int kind)
{
	char path[64] = "";
	int fd;

	if (kind == FABRIC && sscanf(handle, "fabric %63s", path) != 1)
		return INVALID;
	fd = kind == FABRIC ? open(path, O_RDWR | O_CLOEXEC) :
			      fcntl((int)(intptr_t)handle, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return INVALID;
	*out = ((uint64_t)fd + 1) | (uint64_t)1 << FOREIGN;
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
	piece_add((char *)aligned, len, -1, true, false);
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
	piece_add((char *)(uintptr_t)at, len, fd, false, part >> FOREIGN);
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
	return mmap(p.at, p.len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
		    -1, 0) == MAP_FAILED ?
		       INVALID :
		       OK;
}

struct ipc {
	char bytes[64];
};

EXPORT int cuIpcGetMemHandle(struct ipc *out, uint64_t ptr)
{
	struct piece p;

	memset(out, 0, sizeof(*out));
	if (getenv("MOCK_CUDA_IPC"))
		return NO_SUPPORT;
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
	piece_add(at, len, fd, false, true);
	*out = (uint64_t)(uintptr_t)at;
	return OK;
}

EXPORT int cuIpcCloseMemHandle(uint64_t ptr)
{
	return cuMemFree_v2(ptr);
}
