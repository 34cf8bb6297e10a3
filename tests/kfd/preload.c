// SPDX-License-Identifier: MIT
/* The calls of the C library that lead to /dev/kfd, to its topology and to render nodes. */
#include "kfd.h"
#include "drm.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PRELOAD	 __attribute__((visibility("default")))
#define TOPOLOGY "/sys/devices/virtual/kfd/kfd/topology"
#define RENDER	 "/dev/dri/renderD"
#define FDS	 65536

/* What a descriptor is: of the KFD, or of a render node. */
enum { FD_OTHER, FD_KFD, FD_RENDER };
static uint8_t fds[FDS];

/* The next of that name behind this library. */
#define REAL(name, type, ...)                                                                      \
	static type (*real)(__VA_ARGS__);                                                          \
	if (!real)                                                                                 \
	*(void **)&real = dlsym(RTLD_NEXT, #name)

static int preload_kind(int fd)
{
	return fd >= 0 && fd < FDS ? __atomic_load_n(&fds[fd], __ATOMIC_RELAXED) : FD_OTHER;
}

static int preload_open(const char *name, int kind)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd >= FDS)
		kfd_die("descriptor %d is more than the fake counts", fd);
	if (fd >= 0)
		__atomic_store_n(&fds[fd], (uint8_t)kind, __ATOMIC_RELAXED);
	return fd;
}

/* A path of the topology leads to the folder that stands for it. */
static const char *preload_path(const char *path, char *buf, size_t size)
{
	size_t n = strlen(TOPOLOGY);

	if (!path || strncmp(path, TOPOLOGY, n) || !getenv("FAKE_KFD"))
		return path;
	snprintf(buf, size, "%s%s", kfd_setup()->topology, path + n);
	return buf;
}

/* A descriptor of a device that is faked, or -2. */
static int preload_device(const char *path)
{
	if (!path || strncmp(path, "/dev/", 5) || !getenv("FAKE_KFD"))
		return -2;
	if (!strcmp(path, "/dev/kfd"))
		return preload_open("kfd", FD_KFD);
	if (!strncmp(path, RENDER, strlen(RENDER)))
		return drmOpenRender(atoi(path + strlen(RENDER)));
	return -2;
}

int drmOpenRender(int minor)
{
	int fd;

	if (minor < DRM_FIRST || (unsigned)(minor - DRM_FIRST) >= kfd_setup()->n_gpus) {
		errno = ENOENT;
		return -1;
	}
	fd = preload_open("render", FD_RENDER);
	/* How amdgpu_device_initialize() knows which it is. */
	if (fd >= 0 && ftruncate(fd, minor - DRM_FIRST))
		kfd_die("no file for a render node");
	return fd;
}

PRELOAD FILE *fopen(const char *path, const char *mode)
{
	char buf[400];
	REAL(fopen, FILE *, const char *, const char *);

	return real(preload_path(path, buf, sizeof(buf)), mode);
}

PRELOAD DIR *opendir(const char *path)
{
	char buf[400];
	REAL(opendir, DIR *, const char *);

	return real(preload_path(path, buf, sizeof(buf)));
}

PRELOAD int open(const char *path, int flags, ...)
{
	char buf[400];
	va_list args;
	int mode, fd = preload_device(path);
	REAL(open, int, const char *, int, ...);

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	return fd != -2 ? fd : real(preload_path(path, buf, sizeof(buf)), flags, mode);
}

PRELOAD int open64(const char *path, int flags, ...)
{
	va_list args;
	int mode;

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	return open(path, flags | O_LARGEFILE, mode);
}

PRELOAD int close(int fd)
{
	REAL(close, int, int);

	if (preload_kind(fd))
		__atomic_store_n(&fds[fd], FD_OTHER, __ATOMIC_RELAXED);
	return real(fd);
}

void *kfd_real_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	REAL(mmap, void *, void *, size_t, int, int, int, off_t);

	return real(at, len, prot, flags, fd, offset);
}

PRELOAD void *mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	struct kfd_mem *m;

	if (!preload_kind(fd))
		return kfd_real_mmap(at, len, prot, flags, fd, offset);
	m = kfd_mem_of((uint64_t)offset >> KFD_OFFSET_SHIFT);
	if (!m) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	return kfd_real_mmap(at, len, prot, flags, m->fd,
			     offset & (((off_t)1 << KFD_OFFSET_SHIFT) - 1));
}

PRELOAD void *mmap64(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	return mmap(at, len, prot, flags, fd, offset);
}

PRELOAD int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;
	REAL(ioctl, int, int, unsigned long, ...);

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (preload_kind(fd) == FD_KFD)
		return kfd_ioctl(request, arg);
	return real(fd, request, arg);
}
