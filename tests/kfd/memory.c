// SPDX-License-Identifier: MIT
/*
 * Memory of the GPUs: files without names, which are mapped at the address that ROCr chose, and
 * whose descriptors stand for dma-bufs. Memory that the user has made is not moved: the GPU's
 * address leads to the user's.
 */
#include "kfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define TAIL_MAGIC 0x6b66642d7461696cull
#define MEMS	   (1u << 16)

_Static_assert(sizeof(struct kfd_tail) <= KFD_TAIL_SIZE, "behind the data");

static struct kfd_mem *mems[MEMS];
static unsigned n_mems = 1; /* 0 names none */
static pthread_mutex_t mems_lock = PTHREAD_MUTEX_INITIALIZER;

bool kfd_read_tail(int fd, uint64_t *size, struct kfd_tail *out)
{
	struct stat s;

	if (fstat(fd, &s) || s.st_size < KFD_TAIL_SIZE)
		return false;
	*size = (uint64_t)s.st_size - KFD_TAIL_SIZE;
	return pread(fd, out, sizeof(*out), (off_t)*size) == (ssize_t)sizeof(*out) &&
	       out->magic == TAIL_MAGIC;
}

bool kfd_write_tail(int fd, const struct kfd_tail *tail)
{
	struct stat s;

	return !fstat(fd, &s) &&
	       pwrite(fd, tail, sizeof(*tail), s.st_size - KFD_TAIL_SIZE) == (ssize_t)sizeof(*tail);
}

/* Numbers of memory that is gone are used again. */
static struct kfd_mem *mem_add(const struct kfd_mem *from)
{
	struct kfd_mem *m = malloc(sizeof(*m));
	uint64_t id = 1;

	if (!m)
		return NULL;
	*m = *from;
	pthread_mutex_lock(&mems_lock);
	while (id < n_mems && mems[id])
		id++;
	if (id == MEMS)
		kfd_die("more than %u pieces of memory", MEMS);
	if (id == n_mems)
		n_mems++;
	m->id = id;
	mems[id] = m;
	pthread_mutex_unlock(&mems_lock);
	return m;
}

struct kfd_mem *kfd_mem_of(uint64_t id)
{
	struct kfd_mem *m;

	pthread_mutex_lock(&mems_lock);
	m = id < n_mems ? mems[id] : NULL;
	pthread_mutex_unlock(&mems_lock);
	return m;
}

uint64_t kfd_mem_used(uint32_t gpu)
{
	uint64_t used = 0;

	pthread_mutex_lock(&mems_lock);
	for (unsigned k = 1; k < n_mems; k++)
		if (mems[k] && mems[k]->gpu == gpu && mems[k]->flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM)
			used += mems[k]->size;
	pthread_mutex_unlock(&mems_lock);
	return used;
}

struct kfd_mem *kfd_mem_new(uint32_t gpu, uint64_t va, uint64_t size, uint32_t flags)
{
	struct kfd_mem m = { .va = va, .size = size, .gpu = gpu, .flags = flags, .fd = -1 };
	struct kfd_tail tail = { .magic = TAIL_MAGIC, .gpu = gpu, .flags = flags };
	struct kfd_mem *out;

	if (!(flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR)) {
		m.fd = memfd_create("gpu memory", MFD_CLOEXEC);
		if (m.fd < 0)
			return NULL;
		if (ftruncate(m.fd, (off_t)(size + KFD_TAIL_SIZE)) ||
		    !kfd_write_tail(m.fd, &tail)) {
			close(m.fd);
			return NULL;
		}
	}
	out = mem_add(&m);
	if (!out && m.fd >= 0)
		close(m.fd);
	return out;
}

struct kfd_mem *kfd_mem_import(uint32_t gpu, uint64_t va, int fd)
{
	struct kfd_mem m = { .va = va, .gpu = gpu, .flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM };
	struct kfd_tail tail;
	struct kfd_mem *out;

	if (!kfd_read_tail(fd, &m.size, &tail)) {
		errno = EINVAL;
		return NULL;
	}
	m.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (m.fd < 0)
		return NULL;
	out = mem_add(&m);
	if (!out)
		close(m.fd);
	return out;
}

void kfd_mem_free(struct kfd_mem *m)
{
	kfd_mem_unmap(m, m->mapped);
	pthread_mutex_lock(&mems_lock);
	mems[m->id] = NULL;
	pthread_mutex_unlock(&mems_lock);
	if (m->fd >= 0)
		close(m->fd);
	free(m);
}

int kfd_mem_map(struct kfd_mem *m, uint32_t gpus)
{
	void *at = (void *)(uintptr_t)m->va;

	if (m->flags & KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL)
		return 0;
	if (m->user)
		at = (void *)(uintptr_t)m->user;
	else if (!m->mapped && kfd_real_mmap(at, m->size, PROT_READ | PROT_WRITE,
					     MAP_SHARED | MAP_FIXED, m->fd, 0) == MAP_FAILED)
		return -1;
	m->mapped |= gpus;
	kfd_space_add(m->va, m->size, gpus, at);
	return 0;
}

void kfd_mem_unmap(struct kfd_mem *m, uint32_t gpus)
{
	gpus &= m->mapped;
	m->mapped &= ~gpus;
	if (gpus)
		kfd_space_remove(m->va, m->size, gpus);
}
