// SPDX-License-Identifier: MIT
/*
 * What the NIC of a PE may reach: the list of regions in which kernels look for keys, and the
 * memory of queues. And the end of what kernels have posted, which nobody but them and this
 * file looks for.
 */
#include "core/queue.h"
#include "core/rdma_priv.h"
#include "dev/dev.h"
#include "nic/post.h"
#include "nic/setup.h"
#include "util/err.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static int device_alloc(void *arg, uint64_t len, void **out)
{
	return accel_alloc(&((struct rdma *)arg)->pe->accel, len, out);
}

static void device_free(void *arg, void *at)
{
	accel_free(&((struct rdma *)arg)->pe->accel, at);
}

static int device_copy(void *arg, void *dst, const void *src, uint64_t len)
{
	return accel_copy(&((struct rdma *)arg)->pe->accel, dst, src, len);
}

static int device_dmabuf(void *arg, const void *at, uint64_t len, int *fd, uint64_t *off)
{
	return accel_dmabuf(&((struct rdma *)arg)->pe->accel, at, len, fd, off);
}

static int device_show(void *arg, void *at, uint64_t len, bool io, void **out)
{
	return accel_show(&((struct rdma *)arg)->pe->accel, at, len, io, out);
}

static void device_hide(void *arg, void *at)
{
	accel_unpin(&((struct rdma *)arg)->pe->accel, at);
}

const struct verbs_memory *rdma_memory(const struct pe *pe)
{
	static const struct verbs_memory far = {
		.alloc = device_alloc,
		.free = device_free,
		.copy = device_copy,
		.dmabuf = device_dmabuf,
		.show = device_show,
		.hide = device_hide,
	};

	return pe_far(pe) ? &far : NULL;
}

const char *rdma_near(const struct pe *pe, char *text, size_t size)
{
	return pe_far(pe) && !accel_pci(&pe->accel, text, size) ? text : NULL;
}

struct rdma *rdma_new(struct pe *pe)
{
	struct rdma *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->pe = pe;
	r->flags_at = queue_flags(pe);
	r->flags_len = queue_flags_len(pe);
	pthread_mutex_init(&r->lock, NULL);
	return r;
}

/* Some bytes of an area, which were changed in its image, where kernels find them. */
static int area_show(struct rdma *r, struct rdma_area *a, const void *part, size_t len)
{
	size_t off = (size_t)((const char *)part - (const char *)a->image);

	return a->far ? accel_copy(&r->pe->accel, (char *)a->far + off, part, len) : 0;
}

/* Release: pairs with the acquire in dev_queue_region(). */
static int area_set(struct rdma *r, struct rdma_area *a, uint64_t *field, uint64_t v)
{
	__atomic_store_n(field, v, __ATOMIC_RELEASE);
	return area_show(r, a, field, sizeof(*field));
}

static size_t area_size(const struct rdma *r, bool shared)
{
	size_t places = shared ? (size_t)r->pe->world->n_pes : 0;

	return sizeof(struct nic_region) + places * sizeof(struct nic_place);
}

static uint64_t area_address(const struct rdma_area *a)
{
	return (uint64_t)(uintptr_t)(a->far ? a->far : a->image);
}

uint64_t rdma_areas_first(const struct rdma *r)
{
	const struct rdma_area *a = r->areas;

	while (a->next)
		a = a->next;
	return area_address(a);
}

static void area_free(struct rdma *r, struct rdma_area *a)
{
	if (a->far)
		accel_free(&r->pe->accel, a->far);
	free(a->image);
	free(a);
}

/* One that kernels do not know yet. */
static struct rdma_area *area_new(struct rdma *r, bool shared)
{
	struct rdma_area *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->shared = shared;
	a->image = calloc(1, area_size(r, shared));
	if (a->image && pe_far(r->pe) && accel_alloc(&r->pe->accel, area_size(r, shared), &a->far))
		a->far = NULL;
	if (a->image && (a->far || !pe_far(r->pe)))
		return a;
	area_free(r, a);
	return NULL;
}

/* Behind the heap's, which stays the first for kernels, and is the last of ours. */
static int area_link(struct rdma *r, struct rdma_area *a)
{
	struct rdma_area *heap = r->areas;
	int err;

	while (heap && heap->next)
		heap = heap->next;
	if (heap)
		a->image->next = heap->image->next;
	err = area_show(r, a, a->image, area_size(r, a->shared));
	if (!err && heap)
		err = area_set(r, heap, &heap->image->next, area_address(a));
	if (err && heap)
		heap->image->next = a->image->next;
	if (!err) {
		a->next = r->areas;
		r->areas = a;
	}
	return err;
}

/* One that is gone, or a new one. Under lock. */
static struct rdma_area *area_get(struct rdma *r, bool shared)
{
	struct rdma_area *a = r->areas;

	while (a && (a->used || a->shared != shared))
		a = a->next;
	if (a)
		return a;
	a = area_new(r, shared);
	if (a && area_link(r, a)) {
		area_free(r, a);
		a = NULL;
	}
	return a;
}

/* @places NULL: nobody else has a part of it. Under lock. */
static int area_add(struct rdma *r, uint64_t base, uint64_t len, struct verbs_region *mr,
		    uint32_t lkey, const struct nic_place *places)
{
	struct rdma_area *a = area_get(r, places != NULL);
	int err;

	if (!a)
		return err_set(MORI_SHMEM_ENOMEM, "no memory for what a NIC may reach");
	a->image->base = base;
	a->image->lkey = lkey;
	a->image->shared = places != NULL;
	if (places)
		memcpy(a->image->peer, places,
		       (size_t)r->pe->world->n_pes * sizeof(struct nic_place));
	err = area_show(r, a, a->image, area_size(r, a->shared));
	if (!err)
		err = area_set(r, a, &a->image->len, len);
	if (!err) {
		a->mr = mr;
		a->used = true;
	} else {
		a->image->len = 0;
	}
	return err;
}

int rdma_areas_open(struct rdma *r)
{
	struct pe *pe = r->pe;
	uint32_t lkey, rkey;
	int err;

	verbs_heap_keys(r->nic, &lkey, &rkey);
	err = area_add(r, (uint64_t)(uintptr_t)pe->heap.base, pe->heap.max, NULL, lkey, r->heap_of);
	verbs_region_keys(r->flags, &lkey, &rkey);
	if (!err)
		err = area_add(r, r->flags_at, r->flags_len, NULL, lkey, r->flags_of);
	return err;
}

void rdma_areas_close(struct rdma *r)
{
	for (struct rdma_area *a; (a = r->areas);) {
		r->areas = a->next;
		verbs_region_remove(a->mr);
		area_free(r, a);
	}
}

/* Whole words of 8 bytes: an atomic of 4 may be made of one of 8 around it. */
static int region_add(struct rdma *r, void *ptr, uint64_t len, struct verbs_region **out)
{
	uint64_t from = (uint64_t)(uintptr_t)ptr & ~(uint64_t)7;
	uint64_t to = ((uint64_t)(uintptr_t)ptr + len + 7) & ~(uint64_t)7;
	bool device = pe_far(r->pe) && accel_holds(&r->pe->accel, ptr);

	return verbs_region_add(r->nic, (void *)(uintptr_t)from, to - from, device, out);
}

int rdma_buffer(struct rdma *r, void *ptr, uint64_t len)
{
	struct verbs_region *mr = NULL;
	uint32_t lkey, rkey;
	int err;

	pthread_mutex_lock(&r->lock);
	err = region_add(r, ptr, len, &mr);
	if (!err) {
		verbs_region_keys(mr, &lkey, &rkey);
		err = area_add(r, (uint64_t)(uintptr_t)ptr, len, mr, lkey, NULL);
		if (err)
			verbs_region_remove(mr);
	}
	pthread_mutex_unlock(&r->lock);
	return err;
}

int rdma_window(struct rdma *r, void *ptr, uint64_t len, int failed, const struct coll_call *call)
{
	int n = r->pe->world->n_pes, err = failed, met;
	struct nic_place *places = calloc((size_t)n, sizeof(*places));
	uint64_t say[COLL_DATA] = { (uint64_t)(uintptr_t)ptr };
	struct verbs_region *mr = NULL;
	uint32_t lkey = 0, rkey = 0;

	pthread_mutex_lock(&r->lock);
	if (!err)
		err = places ? region_add(r, ptr, len, &mr) :
			       err_set(MORI_SHMEM_ENOMEM, "out of memory for a window");
	if (!err)
		verbs_region_keys(mr, &lkey, &rkey);
	pthread_mutex_unlock(&r->lock);
	say[1] = rkey;
	met = coll_meet(r->pe, call, say); /* whatever has failed: the others come too */
	pthread_mutex_lock(&r->lock);
	err = err ? err : met;
	for (int i = 0; i < n && !err; i++) {
		places[i].addr = coll_data(r->pe, i)[0];
		places[i].key = (uint32_t)coll_data(r->pe, i)[1];
	}
	if (!err)
		err = area_add(r, (uint64_t)(uintptr_t)ptr, len, mr, lkey, places);
	if (err)
		verbs_region_remove(mr);
	pthread_mutex_unlock(&r->lock);
	free(places);
	return err;
}

bool rdma_reaches(struct rdma *r, const void *ptr, uint64_t len)
{
	uint64_t at = (uint64_t)(uintptr_t)ptr;
	bool found = false;

	pthread_mutex_lock(&r->lock);
	for (const struct rdma_area *a = r->areas; a && !found; a = a->next)
		found = at - a->image->base < a->image->len &&
			len <= a->image->len - (at - a->image->base);
	pthread_mutex_unlock(&r->lock);
	return found;
}

void rdma_forget(struct rdma *r, const void *ptr, uint64_t len, bool window)
{
	struct rdma_area *a;

	pthread_mutex_lock(&r->lock);
	for (a = r->areas; a; a = a->next) {
		if (a->mr && a->shared == window && a->image->len == len &&
		    a->image->base == (uint64_t)(uintptr_t)ptr)
			break;
	}
	if (a) {
		area_set(r, a, &a->image->len, 0);
		verbs_region_remove(a->mr);
		a->mr = NULL;
		a->used = false;
	}
	pthread_mutex_unlock(&r->lock);
}
