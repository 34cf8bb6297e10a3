// SPDX-License-Identifier: MIT
/*
 * Memory of a GPU: ranges of addresses and the parts that are mapped into them, handles
 * for memory of any other origin, and the host's copies.
 */
#include "accel/gpu.h"
#include "util/err.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GPU_LAZY_PEER	1u /* of opening a handle: peers are enabled as needed */
#define GPU_MEMORY_TYPE 2  /* attribute of a pointer: where it points */
#define GPU_MEMORY_HOST 1
#define GPU_HOST_MAPPED 3u
#define GPU_IS_PINNED	712 /* by somebody else: torch, say */
#define GPU_HAS_RDMA	110 /* attributes of a device */
#define GPU_HAS_FABRIC	128

/* What was reserved around a range, so that it can be given back. */
struct range {
	struct range *next;
	gpu_ptr base, whole;
	size_t len;
};

static struct {
	pthread_mutex_t lock;
	struct range *first;
} ranges = { .lock = PTHREAD_MUTEX_INITIALIZER };

static gpu_ptr addr_of(const void *p)
{
	return (gpu_ptr)(uintptr_t)p;
}

/* NICs may reach it, where the device has that. */
static struct gpu_part part_of(int device, int handles)
{
	int rdma = 0;

	if (gpu.device_attribute(&rdma, GPU_HAS_RDMA, device))
		rdma = 0;
	return (struct gpu_part){
		.kind = GPU_PINNED,
		.handles = handles,
		.place = { .kind = GPU_DEVICE, .number = device },
		.flags = { .rdma = rdma != 0 },
	};
}

static int part_kind(const struct accel_ticket *ticket)
{
	return ticket && ticket->way == ACCEL_FABRIC ? GPU_FABRIC : GPU_FD;
}

/*
 * A driver may say that it has handles of the fabric and refuse them all the same: without a
 * channel of its IMEX service, say. That is as good as having none.
 */
bool gpu_fabric(int device)
{
	struct gpu_part part = part_of(device, GPU_FABRIC);
	unsigned char bytes[64];
	uint64_t handle;
	size_t granule = 0;
	int has = 0;
	bool good;

	if (gpu.device_attribute(&has, GPU_HAS_FABRIC, device) || !has ||
	    gpu.part_granule(&granule, &part, 0) || !granule ||
	    gpu.part_create(&handle, granule, &part, 0))
		return false;
	good = !gpu.part_export(bytes, handle, GPU_FABRIC, 0);
	gpu.part_release(handle);
	return good;
}

uint64_t gpu_granule(const struct accel_dev *d)
{
	struct gpu_part part = part_of(d->home->device, GPU_FD);
	size_t granule = 0;

	return gpu.part_granule(&granule, &part, 0) || !granule ? (uint64_t)2 << 20 : granule;
}

/* The driver aligns to its granule only: reserve more, and use what is aligned. */
int gpu_reserve(struct accel_dev *d, uint64_t len, uint64_t align, void **out)
{
	struct range *r = calloc(1, sizeof(*r));
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

void gpu_unreserve(void *base)
{
	struct range *r = NULL;

	pthread_mutex_lock(&ranges.lock);
	for (struct range **p = &ranges.first; *p; p = &(*p)->next) {
		if ((*p)->base == addr_of(base)) {
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
static int part_place(uint64_t part, void *at, uint64_t len, const int *devs, int n_devs)
{
	struct gpu_access *access = calloc((size_t)n_devs, sizeof(*access));
	int code = gpu.part_map(addr_of(at), len, 0, part, 0);
	bool mapped = !code;

	for (int i = 0; access && i < n_devs; i++)
		access[i] = (struct gpu_access){ { GPU_DEVICE, devs[i] }, GPU_READ_WRITE };
	if (!code && access)
		code = gpu.part_access(addr_of(at), len, access, (size_t)n_devs);
	if (mapped && (code || !access))
		gpu.part_unmap(addr_of(at), len);
	gpu.part_release(part);
	if (!access)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a list of devices");
	free(access);
	return code ? gpu_fail(code, "cannot map memory of the heap") : 0;
}

static int part_no_memory(const struct accel_dev *d, uint64_t len, int code)
{
	struct accel_facts facts;

	if (code != 2 || gpu_facts((struct accel_dev *)d, &facts))
		return gpu_fail(code, "cannot make memory of the heap");
	return err_set(MORI_SHMEM_ENOMEM,
		       "GPU %d has no %llu bytes for the heap: %llu of %llu are free; lower "
		       "MORI_SHMEM_HEAP_SIZE",
		       d->home->device, (unsigned long long)len, (unsigned long long)facts.free,
		       (unsigned long long)facts.total);
}

int gpu_part_make(struct accel_dev *d, void *at, uint64_t len, const int *devs, int n_devs,
		  struct accel_ticket *ticket)
{
	int kind = part_kind(ticket);
	struct gpu_part part = part_of(d->home->device, kind);
	void *to = !ticket ? NULL : kind == GPU_FD ? (void *)&ticket->fd : ticket->bytes;
	uint64_t handle;
	int code, err = gpu_enter(d);

	if (err)
		return err;
	code = gpu.part_create(&handle, len, &part, 0);
	if (code) {
		err = part_no_memory(d, len, code);
	} else if (to && (code = gpu.part_export(to, handle, kind, 0))) {
		gpu.part_release(handle);
		err = gpu_fail(code, "cannot share memory of the heap");
	} else {
		err = part_place(handle, at, len, devs, n_devs);
	}
	gpu_leave();
	return err;
}

int gpu_part_take(struct accel_dev *d, const struct accel_ticket *ticket, void *at, uint64_t len,
		  const int *devs, int n_devs)
{
	int kind = part_kind(ticket);
	void *from = kind == GPU_FD ? (void *)(intptr_t)ticket->fd : (void *)ticket->bytes;
	uint64_t handle;
	int code, err = gpu_enter(d);

	if (err)
		return err;
	code = gpu.part_import(&handle, from, kind);
	err = code ? gpu_fail(code, "cannot take memory of another PE's heap") :
		     part_place(handle, at, len, devs, n_devs);
	gpu_leave();
	return err;
}

void gpu_part_drop(void *at, uint64_t len)
{
	gpu.part_unmap(addr_of(at), len);
}

int gpu_copy(struct accel_dev *d, void *dst, const void *src, uint64_t len, bool urgent)
{
	gpu_stream stream = urgent ? d->home->news : d->lane[GPU_HOST];
	int code, err = gpu_enter(d);

	if (err)
		return err;
	code = gpu.copy_async(addr_of(dst), addr_of(src), len, stream);
	if (!code)
		code = gpu.stream_sync(stream);
	gpu_leave();
	return code ? gpu_fail(code, "cannot copy to or from the GPU") : 0;
}

int gpu_zero(struct accel_dev *d, void *at, uint64_t len)
{
	int code, err = gpu_enter(d);

	if (err)
		return err;
	code = gpu.set_async(addr_of(at), 0, len, d->lane[GPU_HOST]);
	if (!code)
		code = gpu.stream_sync(d->lane[GPU_HOST]);
	gpu_leave();
	return code ? gpu_fail(code, "cannot clear memory of the GPU") : 0;
}

int gpu_alloc(struct accel_dev *d, uint64_t len, void **out)
{
	gpu_ptr p = 0;
	int code, err = gpu_enter(d);

	if (err)
		return err;
	code = gpu.mem_alloc(&p, len);
	gpu_leave();
	if (code)
		return part_no_memory(d, len, code);
	err = gpu_zero(d, (void *)(uintptr_t)p, len);
	if (err)
		gpu_free(d, (void *)(uintptr_t)p);
	else
		*out = (void *)(uintptr_t)p;
	return err;
}

void gpu_free(struct accel_dev *d, void *ptr)
{
	if (ptr && !gpu_enter(d)) {
		gpu.mem_free(addr_of(ptr));
		gpu_leave();
	}
}

int gpu_handle_get(struct accel_dev *d, const void *ptr, uint64_t len, struct accel_handle *out)
{
	gpu_ptr base = 0;
	size_t size = 0;
	struct gpu_ipc ipc;
	int code, err = gpu_enter(d);

	if (err)
		return err;
	code = gpu.mem_range(&base, &size, addr_of(ptr));
	if (!code)
		code = gpu.ipc_get(&ipc, base);
	gpu_leave();
	if (code)
		return gpu_fail(code, "memory of this kind cannot be shared with other processes");
	if (addr_of(ptr) + len > base + size)
		return err_set(MORI_SHMEM_ENOTSUP, "%p + %llu bytes is not one allocation", ptr,
			       (unsigned long long)len);
	memcpy(out->word, &ipc, sizeof(ipc));
	out->off = addr_of(ptr) - base;
	return 0;
}

int gpu_handle_open(struct accel_dev *d, const struct accel_handle *h, void **out, void **base)
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

void gpu_handle_close(struct accel_dev *d, void *base)
{
	if (base && !gpu_enter(d)) {
		gpu.ipc_close(addr_of(base));
		gpu_leave();
	}
}

/* The driver knows its own memory; pinned host memory it knows too, and all else not. */
bool gpu_holds(struct accel_dev *d, const void *ptr)
{
	unsigned type = 0;
	bool far = false;

	if (!gpu_enter(d)) {
		far = !gpu.pointer_attribute(&type, GPU_MEMORY_TYPE, addr_of(ptr)) && type &&
		      type != GPU_MEMORY_HOST;
		gpu_leave();
	}
	return far;
}

int gpu_pin(struct accel_dev *d, void *ptr, uint64_t len, bool *ours)
{
	int code, err = gpu_enter(d);

	if (err)
		return err;
	code = gpu.host_register(ptr, len, GPU_HOST_MAPPED);
	gpu_leave();
	*ours = !code;
	return code && code != GPU_IS_PINNED ?
		       gpu_fail(code, "cannot let the GPU get at host memory") :
		       0;
}

void gpu_unpin(struct accel_dev *d, void *ptr)
{
	if (!gpu_enter(d)) {
		gpu.host_unregister(ptr);
		gpu_leave();
	}
}
