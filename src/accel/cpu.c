// SPDX-License-Identifier: MIT
/*
 * The CPU as a device, and host memory that processes share: a memfd, which each of them maps. It
 * is sparse, so a large heap costs only what is touched.
 */
#include "accel/accel.h"
#include "util/err.h"
#include "util/fsize.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int cpu_open(const struct accel_config *config, struct accel_dev **out, int *number)
{
	(void)config;
	*out = NULL;
	*number = 0;
	return 0;
}

static int cpu_facts(struct accel_dev *d, struct accel_facts *out)
{
	(void)d;
	*out = (struct accel_facts){
		.heap_default = (uint64_t)1 << 30,
		.heap_grows = (uint64_t)1 << 30,
		.granule = 1,
	};
	return 0;
}

static int cpu_describe(int number, char *text, size_t size)
{
	if (number > 0)
		return err_set(MORI_SHMEM_ENOENT, "there is one CPU device");
	snprintf(text, size, "the CPU");
	return 0;
}

/* 0, or the errno. */
static int cpu_mem_resize(int fd, uint64_t len)
{
	struct fsize limit;
	int err;

	if (len > INT64_MAX)
		return EFBIG;
	fsize_begin(&limit);
	err = ftruncate(fd, (off_t)len) ? errno : 0;
	fsize_end(&limit);
	return err;
}

int host_mem_create(const char *name, uint64_t len, int *out)
{
	int why, fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0)
		return err_set(MORI_SHMEM_EIO, "cannot make shared memory: memfd_create: %s",
			       strerror(errno));
	why = cpu_mem_resize(fd, len);
	if (why) {
		close(fd);
		return err_set(MORI_SHMEM_ENOMEM, "cannot make %llu bytes of shared memory: %s%s",
			       (unsigned long long)len, strerror(why),
			       why == EFBIG ? " (ulimit -f)" : "");
	}
	*out = fd;
	return 0;
}

/* Reserves with room to align, maps the object into it, and releases the edges. */
int host_mem_map(int fd, uint64_t len, uint64_t align, void **out)
{
	uint64_t room = len + align;
	uintptr_t at, aligned;
	void *p = MAP_FAILED;

	errno = ENOMEM;
	if (room > len)
		p = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		goto no_room;
	at = (uintptr_t)p;
	aligned = (at + align - 1) & ~(uintptr_t)(align - 1);
	if (mmap((void *)aligned, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
	    MAP_FAILED) {
		int why = errno;

		munmap(p, room);
		errno = why;
		goto no_room;
	}
	if (aligned > at)
		munmap(p, aligned - at);
	if (at + room > aligned + len)
		munmap((void *)(aligned + len), at + room - aligned - len);
	*out = (void *)aligned;
	return 0;
no_room:
	return err_set(MORI_SHMEM_ENOMEM,
		       "cannot map %llu bytes (the heaps of all PEs of this node): %s; "
		       "lower MORI_SHMEM_HEAP_SIZE",
		       (unsigned long long)len, strerror(errno));
}

void host_mem_unmap(void *base, uint64_t len)
{
	munmap(base, len);
}

int host_mem_discard(void *at, uint64_t len)
{
	if (len && madvise(at, len, MADV_REMOVE))
		return err_set(MORI_SHMEM_EIO, "cannot give heap memory back: madvise: %s",
			       strerror(errno));
	return 0;
}

static int cpu_mem_zero(struct accel_dev *d, void *at, uint64_t len)
{
	(void)d;
	memset(at, 0, len);
	return 0;
}

const struct accel_ops accel_cpu = {
	.name = "cpu",
	.open = cpu_open,
	.facts = cpu_facts,
	.describe = cpu_describe,
	.mem_zero = cpu_mem_zero,
	.module = &cpu_module_ops,
};
