// SPDX-License-Identifier: MIT
/* The calls of libdrm and libdrm_amdgpu that ROCr makes, with the structures that it passes. */
#ifndef TESTS_KFD_DRM_H
#define TESTS_KFD_DRM_H

#include <stdint.h>

#define DRM_FIRST 128 /* the render node of the first GPU */

struct drm_metadata {
	uint64_t flags, tiling;
	uint32_t size, data[64];
};

struct drm_bo_info {
	uint64_t size, alignment;
	uint32_t heap;
	uint64_t flags;
	struct drm_metadata metadata;
};

struct drm_bo;
struct drm_imported {
	struct drm_bo *bo;
	uint64_t size;
};

struct drm_device;

#pragma GCC visibility push(default)
int drmOpenRender(int minor);
int drmClose(int fd);
int drmCommandWriteRead(int fd, unsigned long command, void *data, unsigned long size);
int amdgpu_device_initialize(int fd, uint32_t *major, uint32_t *minor, struct drm_device **out);
int amdgpu_device_deinitialize(struct drm_device *d);
int amdgpu_device_get_fd(struct drm_device *d);
const char *amdgpu_get_marketing_name(struct drm_device *d);
int amdgpu_query_gpu_info(struct drm_device *d, void *out);
int amdgpu_bo_import(struct drm_device *d, int type, uint32_t handle, struct drm_imported *out);
int amdgpu_bo_export(struct drm_bo *b, int type, uint32_t *out);
int amdgpu_bo_free(struct drm_bo *b);
int amdgpu_bo_cpu_map(struct drm_bo *b, void **out);
int amdgpu_bo_va_op(struct drm_bo *b, uint64_t offset, uint64_t size, uint64_t va, uint64_t flags,
		    uint32_t op);
int amdgpu_bo_set_metadata(struct drm_bo *b, const struct drm_metadata *m);
int amdgpu_bo_query_info(struct drm_bo *b, struct drm_bo_info *out);
#pragma GCC visibility pop

#endif
