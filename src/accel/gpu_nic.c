// SPDX-License-Identifier: MIT
/*
 * What a NIC and a GPU need of each other: a descriptor by which the NIC reaches memory of
 * the GPU, addresses by which the GPU reaches memory and registers of the NIC, and where the
 * GPU is.
 */
#include "accel/gpu.h"
#include "util/err.h"

#include <unistd.h>

#define GPU_DMABUF	1 /* of mem_handle */
#define GPU_HOST_MAPPED 2u
#define GPU_HOST_IO	4u

/* Whole pages: the driver gives no other. */
int gpu_dmabuf(struct accel_dev *d, const void *at, uint64_t len, int *fd, uint64_t *off)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = (uint64_t)(uintptr_t)at;
	uint64_t base = from & ~(page - 1), end = (from + len + page - 1) & ~(page - 1);
	int code, err;

	if (!gpu.mem_handle)
		return err_set(MORI_SHMEM_ENOTSUP, "the driver of the GPU has no dma-buf");
	err = gpu_enter(d);
	if (err)
		return err;
	code = gpu.mem_handle(fd, base, end - base, GPU_DMABUF, 0);
	gpu_leave();
	*off = from - base;
	return code ? gpu_fail(code, "no dma-buf of memory of the GPU") : 0;
}

int gpu_show(struct accel_dev *d, void *at, uint64_t len, bool io, void **out)
{
	gpu_ptr seen = 0;
	int code, err;

	if (!gpu.host_address)
		return err_set(MORI_SHMEM_ENOTSUP, "the driver of the GPU is too old for a NIC");
	err = gpu_enter(d);
	if (err)
		return err;
	code = gpu.host_register(at, len, GPU_HOST_MAPPED | (io ? GPU_HOST_IO : 0));
	if (!code) {
		code = gpu.host_address(&seen, at, 0);
		if (code)
			gpu.host_unregister(at);
	}
	gpu_leave();
	*out = (void *)(uintptr_t)seen;
	return code ? gpu_fail(code, io ? "the GPU cannot get at registers of the NIC" :
					  "the GPU cannot get at queues of the NIC") :
		      0;
}

int gpu_pci(struct accel_dev *d, char *text, size_t size)
{
	if (!gpu.device_pci || gpu.device_pci(text, (int)size, d->home->device))
		return err_set(MORI_SHMEM_ENOTSUP, "it is not known where the GPU is");
	return 0;
}
