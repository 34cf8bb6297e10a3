// SPDX-License-Identifier: MIT
/*
 * libdrm_amdgpu: ROCr's memory without an address (VMM) and its dma-bufs. What a GPU is given here
 * is in its own address space alone: the processor sees it only where ROCr maps it for the host.
 */
#include "drm.h"
#include "kfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BO_KMS = 1, BO_DMA_BUF = 2 }; /* enum amdgpu_bo_handle_type */
enum { VA_MAP = 1, VA_UNMAP = 2 };   /* AMDGPU_VA_OP_* */
enum { GEM_MMAP = 1 };		     /* DRM_AMDGPU_GEM_MMAP */
#define GPU_INFO_SIZE 200	     /* at least, of struct amdgpu_gpu_info */
/* What ROCr lays out images for, on gfx90a. */
enum { CHIP_REVISION = 0x3c, FAMILY_AI = 141 };

struct drm_device {
	unsigned gpu;
	int fd;
};

struct drm_bo {
	unsigned gpu;
	struct kfd_mem *mem;
	void *at; /* all of it, for the GPU */
};

int drmClose(int fd)
{
	return close(fd);
}

/* drmOpenRender() made the file as long as the number of its GPU. */
int amdgpu_device_initialize(int fd, uint32_t *major, uint32_t *minor, struct drm_device **out)
{
	struct drm_device *d = calloc(1, sizeof(*d));
	struct stat s;

	if (!d || fstat(fd, &s)) {
		free(d);
		return -ENOMEM;
	}
	d->gpu = (unsigned)s.st_size;
	/* The caller closes the one it has given. */
	d->fd = drmOpenRender(DRM_FIRST + (int)d->gpu);
	*major = 3;
	*minor = 60;
	*out = d;
	return 0;
}

int amdgpu_device_deinitialize(struct drm_device *d)
{
	close(d->fd);
	free(d);
	return 0;
}

int amdgpu_device_get_fd(struct drm_device *d)
{
	return d->fd;
}

const char *amdgpu_get_marketing_name(struct drm_device *d)
{
	(void)d;
	return "a GPU in software";
}

int amdgpu_query_gpu_info(struct drm_device *d, void *out)
{
	/* asic_id, chip_rev, chip_external_rev, family_id */
	uint32_t info[] = { 0, 0, CHIP_REVISION, FAMILY_AI };

	(void)d;
	memset(out, 0, GPU_INFO_SIZE);
	memcpy(out, info, sizeof(info));
	return 0;
}

int drmCommandWriteRead(int fd, unsigned long command, void *data, unsigned long size)
{
	uint32_t id;
	uint64_t offset;

	(void)fd;
	if (command != GEM_MMAP || size < sizeof(offset))
		return -EINVAL;
	memcpy(&id, data, sizeof(id));
	offset = (uint64_t)id << KFD_OFFSET_SHIFT;
	memcpy(data, &offset, sizeof(offset));
	return 0;
}

int amdgpu_bo_import(struct drm_device *d, int type, uint32_t handle, struct drm_imported *out)
{
	struct drm_bo *b;

	if (type != BO_DMA_BUF)
		return -EINVAL;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->gpu = d->gpu;
	b->mem = kfd_mem_import(kfd_gpu_id(d->gpu), 0, (int)handle);
	if (b->mem)
		b->at = kfd_real_mmap(NULL, b->mem->size, PROT_READ | PROT_WRITE, MAP_SHARED,
				      b->mem->fd, 0);
	if (!b->mem || b->at == MAP_FAILED) {
		if (b->mem)
			kfd_mem_free(b->mem);
		free(b);
		return -EINVAL;
	}
	*out = (struct drm_imported){ b, b->mem->size };
	return 0;
}

int amdgpu_bo_export(struct drm_bo *b, int type, uint32_t *out)
{
	*out = type == BO_DMA_BUF ? (uint32_t)fcntl(b->mem->fd, F_DUPFD_CLOEXEC, 3) :
				    (uint32_t)b->mem->id;
	return 0;
}

int amdgpu_bo_free(struct drm_bo *b)
{
	munmap(b->at, b->mem->size);
	kfd_mem_free(b->mem);
	free(b);
	return 0;
}

int amdgpu_bo_cpu_map(struct drm_bo *b, void **out)
{
	*out = kfd_real_mmap(NULL, b->mem->size, PROT_READ | PROT_WRITE, MAP_SHARED, b->mem->fd, 0);
	return *out == MAP_FAILED ? -ENOMEM : 0;
}

int amdgpu_bo_va_op(struct drm_bo *b, uint64_t offset, uint64_t size, uint64_t va, uint64_t flags,
		    uint32_t op)
{
	(void)flags;
	if (kfd_setup()->verbose)
		kfd_say("GPU %u: va_op %u at %#lx, %#lx bytes from %#lx", b->gpu, op, va, size,
			offset);
	if (op == VA_MAP) {
		if (offset > b->mem->size || size > b->mem->size - offset)
			return -EINVAL;
		kfd_space_add(va, size, 1u << b->gpu, (char *)b->at + offset);
		return 0;
	}
	if (op != VA_UNMAP)
		return -EINVAL;
	kfd_space_remove(va, size, 1u << b->gpu);
	return 0;
}

int amdgpu_bo_set_metadata(struct drm_bo *b, const struct drm_metadata *m)
{
	struct kfd_tail tail;
	uint64_t size;

	if (!kfd_read_tail(b->mem->fd, &size, &tail))
		return -EINVAL;
	memcpy(tail.metadata, m, sizeof(*m));
	return kfd_write_tail(b->mem->fd, &tail) ? 0 : -EINVAL;
}

int amdgpu_bo_query_info(struct drm_bo *b, struct drm_bo_info *out)
{
	struct kfd_tail tail;

	memset(out, 0, sizeof(*out));
	if (!kfd_read_tail(b->mem->fd, &out->size, &tail))
		return -EINVAL;
	memcpy(&out->metadata, tail.metadata, sizeof(out->metadata));
	return 0;
}
