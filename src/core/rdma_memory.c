// SPDX-License-Identifier: MIT
/*
 * What the NIC of a PE may access: the list of regions in which kernels find keys, and the memory
 * of queues.
 */
#include "core/queues.h"
#include "core/rdma_priv.h"
#include "dev/dev.h"
#include "nic/post.h"
#include "nic/setup.h"
#include "util/err.h"

#include <stdlib.h>
#include <string.h>

const struct verbs_memory *rdma_memory(struct rdma *r)
{
	const struct accel_mem *m = r->pe->accel.mem;

	if (!pe_device_mem(r->pe))
		return NULL;
	r->memory = (struct verbs_memory){
		.alloc = m->alloc,
		.free = m->free,
		.copy = m->copy,
		.dmabuf = m->dmabuf,
		.show = m->show,
		.hide = m->unpin,
	};
	return &r->memory;
}

const char *rdma_pci(const struct pe *pe, char *text, size_t size)
{
	return pe_device_mem(pe) && !pe->accel.mem->pci(pe->accel.dev, text, size) ? text : NULL;
}

struct rdma *rdma_new(struct pe *pe)
{
	struct rdma *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->pe = pe;
	r->area = pe->state->area;
	r->area_len = pe->world->sync_len;
	pthread_mutex_init(&r->lock, NULL);
	return r;
}

/* Copies changed bytes of a region's image to where kernels read them. */
static int rdma_region_copy(struct rdma *r, struct rdma_region *a, const void *part, size_t len)
{
	size_t off = (size_t)((const char *)part - (const char *)a->image);

	return a->device ? pe_copy(r->pe, (char *)a->device + off, part, len) : 0;
}

/* Release: pairs with the acquire in dev_queue_region(). */
static int rdma_region_set(struct rdma *r, struct rdma_region *a, uint64_t *field, uint64_t v)
{
	__atomic_store_n(field, v, __ATOMIC_RELEASE);
	return rdma_region_copy(r, a, field, sizeof(*field));
}

static size_t rdma_region_size(const struct rdma *r, bool shared)
{
	size_t places = shared ? (size_t)r->pe->world->n_pes : 0;

	return sizeof(struct nic_region) + places * sizeof(struct nic_place);
}

static uint64_t rdma_region_address(const struct rdma_region *a)
{
	return (uint64_t)(uintptr_t)(a->device ? a->device : a->image);
}

uint64_t rdma_regions_first(const struct rdma *r)
{
	const struct rdma_region *a = r->regions;

	while (a->next)
		a = a->next;
	return rdma_region_address(a);
}

static void rdma_region_free(struct rdma *r, struct rdma_region *a)
{
	if (a->device)
		r->pe->accel.mem->free(r->pe->accel.dev, a->device);
	free(a->image);
	free(a);
}

/* One that kernels do not know yet. */
static struct rdma_region *rdma_region_new(struct rdma *r, bool shared)
{
	struct rdma_region *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->shared = shared;
	a->image = calloc(1, rdma_region_size(r, shared));
	if (a->image && pe_device_mem(r->pe) &&
	    r->pe->accel.mem->alloc(r->pe->accel.dev, rdma_region_size(r, shared), &a->device))
		a->device = NULL;
	if (a->image && (a->device || !pe_device_mem(r->pe)))
		return a;
	rdma_region_free(r, a);
	return NULL;
}

/* Links it behind the heap's, which is the first for kernels and the last in the host's list. */
static int rdma_region_link(struct rdma *r, struct rdma_region *a)
{
	struct rdma_region *heap = r->regions;
	int err;

	while (heap && heap->next)
		heap = heap->next;
	if (heap)
		a->image->next = heap->image->next;
	err = rdma_region_copy(r, a, a->image, rdma_region_size(r, a->shared));
	if (!err && heap)
		err = rdma_region_set(r, heap, &heap->image->next, rdma_region_address(a));
	if (err && heap)
		heap->image->next = a->image->next;
	if (!err) {
		a->next = r->regions;
		r->regions = a;
	}
	return err;
}

/* An unused region, or a new one. Under the lock. */
static struct rdma_region *rdma_region_get(struct rdma *r, bool shared)
{
	struct rdma_region *a = r->regions;

	while (a && (a->used || a->shared != shared))
		a = a->next;
	if (a)
		return a;
	a = rdma_region_new(r, shared);
	if (a && rdma_region_link(r, a)) {
		rdma_region_free(r, a);
		a = NULL;
	}
	return a;
}

/* @places NULL: the memory is not symmetric. Under the lock. */
static int rdma_region_publish(struct rdma *r, uint64_t base, uint64_t len, struct verbs_region *mr,
			       uint32_t lkey, const struct nic_place *places)
{
	struct rdma_region *a = rdma_region_get(r, places != NULL);
	int err;

	if (!a)
		return err_set(MORI_SHMEM_ENOMEM,
			       "out of memory for the list of what a NIC may access");
	a->image->base = base;
	a->image->lkey = lkey;
	a->image->shared = places != NULL;
	if (places)
		memcpy(a->image->peer, places,
		       (size_t)r->pe->world->n_pes * sizeof(struct nic_place));
	err = rdma_region_copy(r, a, a->image, rdma_region_size(r, a->shared));
	if (!err)
		err = rdma_region_set(r, a, &a->image->len, len);
	if (!err) {
		a->mr = mr;
		a->used = true;
	} else {
		a->image->len = 0;
	}
	return err;
}

int rdma_regions_open(struct rdma *r)
{
	struct pe *pe = r->pe;
	uint32_t lkey, rkey;
	int err;

	verbs->heap_keys(r->nic, &lkey, &rkey);
	err = rdma_region_publish(r, (uint64_t)(uintptr_t)pe->heap.base, pe->heap.max, NULL, lkey,
				  r->heap_of);
	verbs->region_keys(r->flags, &lkey, &rkey);
	if (!err)
		err = rdma_region_publish(r, r->area, r->area_len, NULL, lkey, r->flags_of);
	return err;
}

void rdma_regions_close(struct rdma *r)
{
	for (struct rdma_region *a; (a = r->regions);) {
		r->regions = a->next;
		verbs->region_remove(a->mr);
		rdma_region_free(r, a);
	}
}

/* Whole words of 8 bytes: an atomic of 4 may be made of one of 8 around it. */
static int rdma_region_add(struct rdma *r, void *ptr, uint64_t len, struct verbs_region **out)
{
	uint64_t from = (uint64_t)(uintptr_t)ptr & ~(uint64_t)7;
	uint64_t to = ((uint64_t)(uintptr_t)ptr + len + 7) & ~(uint64_t)7;
	bool device = pe_device_holds(r->pe, ptr);

	return verbs->region_add(r->nic, (void *)(uintptr_t)from, to - from, device, out);
}

int rdma_buffer(struct rdma *r, void *ptr, uint64_t len)
{
	struct verbs_region *mr = NULL;
	uint32_t lkey, rkey;
	int err;

	if (!r)
		return 0;
	pthread_mutex_lock(&r->lock);
	err = rdma_region_add(r, ptr, len, &mr);
	if (!err) {
		verbs->region_keys(mr, &lkey, &rkey);
		err = rdma_region_publish(r, (uint64_t)(uintptr_t)ptr, len, mr, lkey, NULL);
		if (err)
			verbs->region_remove(mr);
	}
	pthread_mutex_unlock(&r->lock);
	return err;
}

int rdma_window(struct rdma *r, void *ptr, uint64_t len, int failed, const struct coll_call *call)
{
	uint64_t offer[COLL_DATA] = { (uint64_t)(uintptr_t)ptr };
	struct verbs_region *mr = NULL;
	struct nic_place *places;
	uint32_t lkey = 0, rkey = 0;
	int n, err = failed, met;

	if (!r)
		return failed;
	n = r->pe->world->n_pes;
	places = calloc((size_t)n, sizeof(*places));
	pthread_mutex_lock(&r->lock);
	if (!err)
		err = places ? rdma_region_add(r, ptr, len, &mr) :
			       err_set(MORI_SHMEM_ENOMEM, "out of memory for a window");
	if (!err)
		verbs->region_keys(mr, &lkey, &rkey);
	pthread_mutex_unlock(&r->lock);
	offer[1] = rkey;
	met = coll_barrier(r->pe, call, offer); /* in any case: the others wait for this PE */
	pthread_mutex_lock(&r->lock);
	err = err ? err : met;
	for (int i = 0; i < n && !err; i++) {
		places[i].addr = coll_data(r->pe, i)[0];
		places[i].key = (uint32_t)coll_data(r->pe, i)[1];
	}
	if (!err)
		err = rdma_region_publish(r, (uint64_t)(uintptr_t)ptr, len, mr, lkey, places);
	if (err)
		verbs->region_remove(mr);
	pthread_mutex_unlock(&r->lock);
	free(places);
	return err;
}

bool rdma_reaches(struct rdma *r, const void *ptr, uint64_t len)
{
	uint64_t at = (uint64_t)(uintptr_t)ptr;
	bool found = false;

	if (!r)
		return true;
	pthread_mutex_lock(&r->lock);
	for (const struct rdma_region *a = r->regions; a && !found; a = a->next)
		found = at - a->image->base < a->image->len &&
			len <= a->image->len - (at - a->image->base);
	pthread_mutex_unlock(&r->lock);
	return found;
}

void rdma_forget(struct rdma *r, const void *ptr, uint64_t len, bool window)
{
	struct rdma_region *a;

	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	for (a = r->regions; a; a = a->next) {
		if (a->mr && a->shared == window && a->image->len == len &&
		    a->image->base == (uint64_t)(uintptr_t)ptr)
			break;
	}
	if (a) {
		rdma_region_set(r, a, &a->image->len, 0);
		verbs->region_remove(a->mr);
		a->mr = NULL;
		a->used = false;
	}
	pthread_mutex_unlock(&r->lock);
}
