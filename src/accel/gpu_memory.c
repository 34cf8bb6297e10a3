// SPDX-License-Identifier: MIT
/*
 * Memory of a GPU: ranges of addresses and the segments that are mapped into them, handles for
 * memory of any other origin, the host's copies, and what a NIC and a GPU need from each other: a
 * descriptor by which the NIC reaches memory of the GPU, and addresses by which the GPU reaches
 * memory and registers of the NIC.
 */
#include "accel/gpu.h"
#include "util/err.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GPU_LAZY_PEER	1u /* of opening a handle: peers are enabled as needed */
#define GPU_MEMORY_TYPE 2  /* attribute of a pointer: where it points */
#define GPU_MEMORY_HOST 1
#define GPU_HOST_MAPPED 3u /* for every context, and kernels may use it */
#define GPU_HOST_MAP	2u
#define GPU_HOST_IO	4u
#define GPU_IS_PINNED	712 /* by other code, such as torch */

/* What was reserved around a range, so that it can be given back. */
struct gpu_range {
	struct gpu_range *next;
	gpu_ptr base, whole;
	size_t len;
};

static struct {
	pthread_mutex_t lock;
	struct gpu_range *first;
} ranges = { .lock = PTHREAD_MUTEX_INITIALIZER };

static gpu_ptr gpu_addr(const void *p)
{
	return (gpu_ptr)(uintptr_t)p;
}

/* NICs may reach it, where the device has that. */
static struct gpu_mem_props gpu_props_of(int device, int handles)
{
	int rdma = 0;

	if (gpu.device_attribute(&rdma, GPU_HAS_RDMA, device))
		rdma = 0;
	return (struct gpu_mem_props){
		.kind = GPU_PINNED,
		.handles = handles,
		.place = { .kind = GPU_DEVICE, .number = device },
		.flags = { .rdma = rdma != 0 },
	};
}

static int gpu_share_kind(const struct accel_shareable *shareable)
{
	return shareable && shareable->way == ACCEL_FABRIC ? GPU_FABRIC : GPU_FD;
}

/*
 * A driver may report that it supports handles of the fabric and still refuse them, for example
 * without a channel of its IMEX service. That counts as no support.
 */
bool gpu_fabric(int device)
{
	struct gpu_mem_props part = gpu_props_of(device, GPU_FABRIC);
	unsigned char bytes[64];
	uint64_t handle;
	size_t granule = 0;
	int has = 0;
	bool good;

	if (gpu.device_attribute(&has, GPU_HAS_FABRIC, device) || !has ||
	    gpu.mem_granule(&granule, &part, 0) || !granule ||
	    gpu.mem_create(&handle, granule, &part, 0))
		return false;
	good = !gpu.mem_export(bytes, handle, GPU_FABRIC, 0);
	gpu.mem_release(handle);
	return good;
}

uint64_t gpu_granule(const struct accel_dev *d)
{
	struct gpu_mem_props part = gpu_props_of(d->home->device, GPU_FD);
	size_t granule = 0;

	return gpu.mem_granule(&granule, &part, 0) || !granule ? (uint64_t)2 << 20 : granule;
}

/* The driver aligns to its granule only: reserve more, and use what is aligned. */
static int gpu_reserve(struct accel_dev *d, uint64_t len, uint64_t align, void **out)
{
	struct gpu_range *r = calloc(1, sizeof(*r));
	uint64_t granule = gpu_granule(d), room = len;
	int code;

	if (!r)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a range of addresses");
	if (align > granule && __builtin_add_overflow(len, align, &room))
		room = UINT64_MAX - granule;
	r->len = (room + granule - 1) / granule * granule;
	code = gpu.range_reserve(&r->whole, r->len, 0, 0, 0);
	if (code) {
		free(r);
		gpu_fail(code, "cannot reserve");
		return err_set(MORI_SHMEM_ENOMEM,
			       "cannot reserve %llu bytes of addresses (the heaps of all PEs of "
			       "this node); lower MORI_SHMEM_HEAP_SIZE",
			       (unsigned long long)room);
	}
	r->base = (r->whole + align - 1) / align * align;
	pthread_mutex_lock(&ranges.lock);
	r->next = ranges.first;
	ranges.first = r;
	pthread_mutex_unlock(&ranges.lock);
	*out = (void *)(uintptr_t)r->base;
	return 0;
}

static void gpu_unreserve(void *base)
{
	struct gpu_range *r = NULL;

	pthread_mutex_lock(&ranges.lock);
	for (struct gpu_range **p = &ranges.first; *p; p = &(*p)->next) {
		if ((*p)->base == gpu_addr(base)) {
			r = *p;
			*p = r->next;
			break;
		}
	}
	pthread_mutex_unlock(&ranges.lock);
	if (r)
		gpu.range_free(r->whole, r->len);
	free(r);
}

/* Maps, opens to the devices, and lets go of the handle: the mapping keeps the memory. */
static int gpu_segment_map(uint64_t part, void *at, uint64_t len, const int *devs, int n_devs)
{
	struct gpu_access *access = calloc((size_t)n_devs, sizeof(*access));
	int code = gpu.mem_map(gpu_addr(at), len, 0, part, 0);
	bool mapped = !code;

	for (int i = 0; access && i < n_devs; i++)
		access[i] = (struct gpu_access){ { GPU_DEVICE, devs[i] }, GPU_READ_WRITE };
	if (!code && access)
		code = gpu.mem_access(gpu_addr(at), len, access, (size_t)n_devs);
	if (mapped && (code || !access))
		gpu.mem_unmap(gpu_addr(at), len);
	gpu.mem_release(part);
	if (!access)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a list of devices");
	free(access);
	return code ? gpu_fail(code, "cannot map memory of the heap") : 0;
}

static int gpu_no_memory(const struct accel_dev *d, uint64_t len, int code)
{
	struct accel_facts facts;

	if (code != 2 || gpu_facts((struct accel_dev *)d, &facts))
		return gpu_fail(code, "cannot allocate memory for the heap");
	return err_set(MORI_SHMEM_ENOMEM,
		       "GPU %d has no %llu bytes for the heap: %llu of %llu are free; lower "
		       "MORI_SHMEM_HEAP_SIZE",
		       d->home->device, (unsigned long long)len, (unsigned long long)facts.free,
		       (unsigned long long)facts.total);
}

static int gpu_segment_make(struct accel_dev *d, void *at, uint64_t len, const int *devs,
			    int n_devs, struct accel_shareable *shareable)
{
	int kind = gpu_share_kind(shareable);
	struct gpu_mem_props part = gpu_props_of(d->home->device, kind);
	void *to = !shareable ? NULL : kind == GPU_FD ? (void *)&shareable->fd : shareable->bytes;
	uint64_t handle;
	int code, err = gpu_enter(d);

	if (err)
		return err;
	code = gpu.mem_create(&handle, len, &part, 0);
	if (code) {
		err = gpu_no_memory(d, len, code);
	} else if (to && (code = gpu.mem_export(to, handle, kind, 0))) {
		gpu.mem_release(handle);
		err = gpu_fail(code, "cannot share memory of the heap");
	} else {
		err = gpu_segment_map(handle, at, len, devs, n_devs);
	}
	gpu_leave();
	return err;
}

static int gpu_segment_take(struct accel_dev *d, const struct accel_shareable *shareable, void *at,
			    uint64_t len, const int *devs, int n_devs)
{
	int kind = gpu_share_kind(shareable);
	void *from = kind == GPU_FD ? (void *)(intptr_t)shareable->fd : (void *)shareable->bytes;
	uint64_t handle;
	int code, err = gpu_enter(d);

	if (err)
		return err;
	code = gpu.mem_import(&handle, from, kind);
	err = code ? gpu_fail(code, "cannot import memory of another PE's heap") :
		     gpu_segment_map(handle, at, len, devs, n_devs);
	gpu_leave();
	return err;
}

static void gpu_segment_drop(void *at, uint64_t len)
{
	gpu.mem_unmap(gpu_addr(at), len);
}

static int gpu_copy_on(struct accel_dev *d, gpu_stream stream, void *dst, const void *src,
		       uint64_t len)
{
	int code, err = gpu_enter(d);

	if (err)
		return err;
	code = gpu.copy_async(gpu_addr(dst), gpu_addr(src), len, stream);
	if (!code)
		code = gpu.stream_sync(stream);
	return gpu_leave_with(code, "cannot copy to or from the GPU");
}

int gpu_copy(struct accel_dev *d, void *dst, const void *src, uint64_t len)
{
	return gpu_copy_on(d, d->lane[GPU_HOST], dst, src, len);
}

static int gpu_copy_urgent(struct accel_dev *d, void *dst, const void *src, uint64_t len)
{
	return gpu_copy_on(d, d->home->news, dst, src, len);
}

int gpu_zero(struct accel_dev *d, void *at, uint64_t len)
{
	int code, err = gpu_enter(d);

	if (err)
		return err;
	code = gpu.set_async(gpu_addr(at), 0, len, d->lane[GPU_HOST]);
	if (!code)
		code = gpu.stream_sync(d->lane[GPU_HOST]);
	return gpu_leave_with(code, "cannot clear memory of the GPU");
}

static void gpu_free(struct accel_dev *d, void *ptr)
{
	if (ptr && !gpu_enter(d)) {
		gpu.mem_free(gpu_addr(ptr));
		gpu_leave();
	}
}

static int gpu_alloc(struct accel_dev *d, uint64_t len, void **out)
{
	gpu_ptr p = 0;
	int code, err = gpu_enter(d);

	if (err)
		return err;
	code = gpu.mem_alloc(&p, len);
	gpu_leave();
	if (code)
		return gpu_no_memory(d, len, code);
	err = gpu_zero(d, (void *)(uintptr_t)p, len);
	if (err)
		gpu_free(d, (void *)(uintptr_t)p);
	else
		*out = (void *)(uintptr_t)p;
	return err;
}

static int gpu_host_alloc(struct accel_dev *d, uint64_t len, void **out)
{
	int code, err = gpu_enter(d);

	if (err)
		return err;
	code = gpu.host_alloc(out, len, GPU_HOST_MAPPED);
	gpu_leave();
	if (code)
		return gpu_fail(code, "cannot allocate host memory for the GPU");
	memset(*out, 0, len);
	return 0;
}

static void gpu_host_free(struct accel_dev *d, void *ptr)
{
	if (ptr && !gpu_enter(d)) {
		gpu.host_free(ptr);
		gpu_leave();
	}
}

static int gpu_handle_get(struct accel_dev *d, const void *ptr, uint64_t len,
			  struct accel_handle *out)
{
	gpu_ptr base = 0;
	size_t size = 0;
	struct gpu_ipc ipc;
	int code, err = gpu_enter(d);

	if (err)
		return err;
	code = gpu.mem_range(&base, &size, gpu_addr(ptr));
	if (!code)
		code = gpu.ipc_get(&ipc, base);
	gpu_leave();
	if (code)
		return gpu_fail(code, "memory of this kind cannot be shared with other processes");
	if (gpu_addr(ptr) + len > base + size)
		return err_set(MORI_SHMEM_ENOTSUP, "%p + %llu bytes is not one allocation", ptr,
			       (unsigned long long)len);
	memcpy(out->word, &ipc, sizeof(ipc));
	out->off = gpu_addr(ptr) - base;
	return 0;
}

static int gpu_handle_open(struct accel_dev *d, const struct accel_handle *h, void **out,
			   void **base)
{
	struct gpu_ipc ipc;
	gpu_ptr p = 0;
	int code, err = gpu_enter(d);

	if (err)
		return err;
	memcpy(&ipc, h->word, sizeof(ipc));
	code = gpu.ipc_open(&p, ipc, GPU_LAZY_PEER);
	gpu_leave();
	if (code)
		return gpu_fail(code, "cannot open memory of another process");
	*base = (void *)(uintptr_t)p;
	*out = (void *)(uintptr_t)(p + h->off);
	return 0;
}

static void gpu_handle_close(struct accel_dev *d, void *base)
{
	if (base && !gpu_enter(d)) {
		gpu.ipc_close(gpu_addr(base));
		gpu_leave();
	}
}

/* The driver knows its own memory and pinned host memory, and no other. */
static bool gpu_holds(struct accel_dev *d, const void *ptr)
{
	unsigned type = 0;
	bool device = false;

	if (!gpu_enter(d)) {
		device = !gpu.pointer_attribute(&type, GPU_MEMORY_TYPE, gpu_addr(ptr)) && type &&
			 type != GPU_MEMORY_HOST;
		gpu_leave();
	}
	return device;
}

static int gpu_pin(struct accel_dev *d, void *ptr, uint64_t len, bool *ours)
{
	int code, err = gpu_enter(d);

	if (err)
		return err;
	code = gpu.host_register(ptr, len, GPU_HOST_MAPPED);
	gpu_leave();
	*ours = !code;
	return code && code != GPU_IS_PINNED ?
		       gpu_fail(code, "cannot make host memory accessible to the GPU") :
		       0;
}

static void gpu_unpin(struct accel_dev *d, void *ptr)
{
	if (!gpu_enter(d)) {
		gpu.host_unregister(ptr);
		gpu_leave();
	}
}

/* Whole pages: the driver exports nothing smaller. */
static int gpu_dmabuf(struct accel_dev *d, const void *at, uint64_t len, int *fd, uint64_t *off)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = (uint64_t)(uintptr_t)at;
	uint64_t base = from & ~(page - 1), end = (from + len + page - 1) & ~(page - 1);
	int code, err;

	if (!gpu.mem_dmabuf)
		return err_set(MORI_SHMEM_ENOTSUP, "the driver of the GPU has no dma-buf");
	err = gpu_enter(d);
	if (err)
		return err;
	code = gpu.mem_dmabuf(fd, off, base, end - base);
	gpu_leave();
	*off += from - base;
	return code ? gpu_fail(code, "no dma-buf for memory of the GPU") : 0;
}

static int gpu_show(struct accel_dev *d, void *at, uint64_t len, bool io, void **out)
{
	gpu_ptr seen = 0;
	int code, err;

	if (!gpu.host_address)
		return err_set(MORI_SHMEM_ENOTSUP, "the driver of the GPU is too old for a NIC");
	err = gpu_enter(d);
	if (err)
		return err;
	code = gpu.host_register(at, len, GPU_HOST_MAP | (io ? GPU_HOST_IO : 0));
	if (!code) {
		code = gpu.host_address(&seen, at, 0);
		if (code)
			gpu.host_unregister(at);
	}
	gpu_leave();
	*out = (void *)(uintptr_t)seen;
	return code ? gpu_fail(code, io ? "the GPU cannot access registers of the NIC" :
					  "the GPU cannot access queues of the NIC") :
		      0;
}

static int gpu_pci(struct accel_dev *d, char *text, size_t size)
{
	if (!gpu.device_pci || gpu.device_pci(text, (int)size, d->home->device))
		return err_set(MORI_SHMEM_ENOTSUP, "the GPU's PCI address is unknown");
	return 0;
}

const struct accel_mem gpu_mem = {
	.reserve = gpu_reserve,
	.unreserve = gpu_unreserve,
	.segment_make = gpu_segment_make,
	.segment_take = gpu_segment_take,
	.segment_drop = gpu_segment_drop,
	.alloc = gpu_alloc,
	.free = gpu_free,
	.handle_get = gpu_handle_get,
	.handle_open = gpu_handle_open,
	.handle_close = gpu_handle_close,
	.holds = gpu_holds,
	.host_alloc = gpu_host_alloc,
	.host_free = gpu_host_free,
	.pin = gpu_pin,
	.unpin = gpu_unpin,
	.dmabuf = gpu_dmabuf,
	.show = gpu_show,
	.pci = gpu_pci,
	.copy = gpu_copy,
	.copy_urgent = gpu_copy_urgent,
	.amo = gpu_amo,
	.stream_check = gpu_stream_check,
	.stream_copy = gpu_stream_copy,
	.stream_task = gpu_stream_task,
};
