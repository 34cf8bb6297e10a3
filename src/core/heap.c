// SPDX-License-Identifier: MIT
/*
 * The symmetric heap of a PE: its part of the node's window and the books on it.
 * All PEs make the same calls in the same order, so their books agree; the offset
 * each came to travels with the call, and a PE whose books differ is found out.
 *
 * Modes: static has all of the heap from the start. vmm can address only what it
 * has grown to, by chunks, and gives chunks back from the end. isolation gives
 * every block pages of its own, which no other block's addresses reach.
 */
#include "core/pe.h"
#include "core/queue.h"
#include "core/route.h"
#include "dev/dev.h"
#include "util/err.h"

#include <stdlib.h>

#define HEAP_UNIT    ((uint64_t)256) /* and the least alignment */
#define HEAP_GRANULE 16u /* isolation: log2 of the least block; more where parts are larger */
#define HEAP_FLAGS   (MORI_SHMEM_MALLOC_UNCACHED | MORI_SHMEM_MALLOC_ZERO)

static uint64_t round_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

static unsigned heap_granule(const struct pe_blob *blob)
{
	unsigned log = HEAP_GRANULE;

	while ((uint64_t)1 << log < blob->device_granule)
		log++;
	return log;
}

static int heap_open_isolation(struct pe *pe)
{
	struct heap *h = &pe->heap;

	h->owner = calloc(h->max >> h->granule, sizeof(*h->owner));
	if (!h->owner)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for the books of the heap");
	pe->state->owner = h->owner;
	pe->state->granule = h->granule;
	return 0;
}

/* Collective. A PE with bases of its own has its heap there. */
static int heap_open_far(struct pe *pe, uint64_t len, int err)
{
	struct world *w = pe->world;
	int opened = parts_open(pe, len, err);

	if (!opened && w->parts.bases) {
		pe->heap.base = (char *)(uintptr_t)w->parts.bases[w->slot[pe->rank]];
		if (pe->heap.align_max > PARTS_ALIGN)
			pe->heap.align_max = PARTS_ALIGN;
		pe->state->window = w->parts.bases[w->slot[pe->rank]];
		pe->state->bases = w->parts.bases;
	}
	pe->state->sync = pe->state->window + w->sync_off;
	pe->state->sync_stride = w->stride;
	return opened;
}

int heap_open(struct pe *pe, const struct pe_blob *blob)
{
	bool isolated = blob->mode == OPTION_MODE_ISOLATION;
	uint64_t unit = isolated ? (uint64_t)1 << heap_granule(blob) : HEAP_UNIT;
	uint64_t part = pe_far(pe) ? blob->device_granule : HEAP_UNIT;
	struct world *w = pe->world;
	struct heap *h = &pe->heap;
	uint64_t start;
	int err;

	h->granule = heap_granule(blob);
	h->max = round_up(blob->heap_size, unit > part ? unit : part);
	h->base = (char *)w->window + (uint64_t)w->slot[pe->rank] * w->stride;
	h->align_max = w->align;
	if (blob->mode == OPTION_MODE_VMM) {
		h->chunk = round_up(blob->chunk_size, part);
		if (h->chunk > h->max)
			h->chunk = h->max;
	}
	start = h->chunk ? h->chunk : h->max;
	err = alloc_open(start, unit, &h->books);
	if (!err && isolated)
		err = heap_open_isolation(pe);
	if (pe_far(pe)) /* the others count on this PE, whatever came of it */
		err = heap_open_far(pe, isolated ? 0 : start, err);
	if (err)
		return err;
	pe->state->heap_base = (uint64_t)(uintptr_t)h->base;
	pe->state->heap_len = pe->state->heap_sure = start;
	if (pe->state->slot_same && !pe->state->owner && !pe->state->bases)
		pe->state->plain = pe->state->amo_queue ? DEV_PLAIN : DEV_PLAIN_SIGNAL;
	return 0;
}

void heap_close(struct pe *pe)
{
	if (pe->accel.ops && pe_far(pe))
		parts_close(pe);
	if (pe->heap.books)
		alloc_close(pe->heap.books);
	free(pe->heap.owner);
}

/* How far the heap can be addressed now. Its own threads may be looking. The device may fail. */
static int heap_set_len(struct pe *pe, uint64_t len)
{
	__atomic_store_n(&pe->state->heap_len, len, __ATOMIC_RELEASE);
	return mirror_field(pe, &pe->state->heap_len, sizeof(len));
}

/* From the books; a vmm heap grows as far as it must and may. */
static int heap_take(struct pe *pe, uint64_t size, uint64_t align, struct alloc_block *out)
{
	struct heap *h = &pe->heap;
	struct alloc_info info;
	uint64_t need;
	int err = alloc_take(h->books, size, align, out);

	if (!err || !h->chunk)
		return err;
	need = round_up(alloc_top(h->books), align);
	if (need > h->max || size > h->max - need)
		return MORI_SHMEM_ENOMEM;
	need = round_up(need + size, h->chunk);
	if (need > h->max)
		need = h->max;
	alloc_get_info(h->books, &info);
	err = alloc_resize(h->books, need);
	if (!err)
		err = alloc_take(h->books, size, align, out);
	if (err)
		alloc_resize(h->books, info.size);
	return err;
}

/* The memory of [from, to) is not needed any more; parts of it, of far memory, as they were made. */
static void heap_discard(struct pe *pe, uint64_t from, uint64_t to)
{
	from = round_up(from, 4096);
	if (queue_keeps_pages(pe))
		return;
	if (pe_far(pe))
		parts_shrink(pe, from, to - from);
	else if (from < to)
		accel_mem_discard(&pe->world->host, pe->heap.base + from,
				  round_up(to, 4096) - from);
}

/* The size without @b and without chunks at the end that no other block needs; one stays. */
static uint64_t heap_least(const struct pe *pe, const struct alloc_block *b)
{
	const struct heap *h = &pe->heap;
	uint64_t had = pe->state->heap_len, keep;

	if (!h->chunk)
		return had;
	keep = round_up(alloc_top_without(h->books, b->off), h->chunk);
	if (keep < h->chunk)
		keep = h->chunk;
	return keep < had ? keep : had;
}

static int heap_own(struct pe *pe, const struct alloc_block *b, uint32_t owner)
{
	uint64_t from = b->off >> pe->heap.granule, to = (b->off + b->len) >> pe->heap.granule;
	uint32_t *at = pe->heap.owner;

	for (uint64_t i = from; i < to; i++)
		__atomic_store_n(&at[i], owner, __ATOMIC_RELAXED);
	return mirror_owner(pe, from, to - from);
}

/* Let the block be addressed, or no more: it is @owner's, 0 for nobody, and the heap so long. */
static int heap_publish(struct pe *pe, const struct alloc_block *b, uint32_t owner, uint64_t len)
{
	int err = pe->heap.owner ? heap_own(pe, b, owner) : 0;

	return err || len == pe->state->heap_len ? err : heap_set_len(pe, len);
}

/* A number that is no other block's. */
static uint32_t heap_owner(struct heap *h)
{
	h->last_owner = h->last_owner == UINT32_MAX ? 1 : h->last_owner + 1;
	return h->last_owner;
}

/* As the books have it; only one that grows is ever another than it was. */
static uint64_t heap_size(const struct pe *pe)
{
	struct alloc_info info;

	if (!pe->heap.chunk)
		return pe->state->heap_len;
	alloc_get_info(pe->heap.books, &info);
	return info.size;
}

/*
 * Far memory of a block that all PEs took, and what their devices must know of it: collective
 * again, where there is none yet. @failed: so far, on this PE.
 */
static int heap_back(struct pe *pe, const struct alloc_block *b, unsigned flags, uint64_t size,
		     int failed)
{
	struct heap *h = &pe->heap;
	uint64_t had = pe->state->heap_len, len = heap_size(pe);
	uint64_t off = h->owner ? b->off : had, more = h->owner ? b->len : len - had;
	int err = 0;

	if (more)
		err = parts_grow(pe, off, more, h->owner ? b->len : h->chunk);
	if (err || (!more && !(flags & MORI_SHMEM_MALLOC_ZERO)))
		return err;
	err = failed;
	if (!err && flags & MORI_SHMEM_MALLOC_ZERO)
		err = accel_mem_zero(&pe->accel, h->base + b->off, size);
	if (!err)
		err = heap_publish(pe, b, heap_owner(h), len);
	err = coll_agree(pe, err, "malloc");
	if (err) {
		heap_publish(pe, b, 0, had);
		parts_shrink(pe, off, more);
	}
	return err;
}

/* The meeting failed: as if nothing had been taken. */
static void heap_untake(struct pe *pe, const struct alloc_block *b)
{
	lock_take(&pe->heap.lock);
	alloc_give(pe->heap.books, b->off);
	if (pe->heap.chunk)
		alloc_resize(pe->heap.books, pe->state->heap_len);
	lock_give(&pe->heap.lock);
}

/* What all PEs said alike and is wrong all the same. */
static int heap_refuse(struct pe *pe, uint64_t size, uint64_t align, unsigned flags)
{
	struct heap *h = &pe->heap;
	mori_shmem_heap_info_t info;

	if (!align || align & (align - 1))
		return err_set(MORI_SHMEM_EINVAL, "malloc: alignment %llu is not a power of two",
			       (unsigned long long)align);
	if (align > h->align_max)
		return err_set(
			MORI_SHMEM_EINVAL,
			"malloc: a heap of %llu bytes can align to %llu at most, not to %llu",
			(unsigned long long)h->max, (unsigned long long)h->align_max,
			(unsigned long long)align);
	if (flags & ~HEAP_FLAGS)
		return err_set(MORI_SHMEM_EINVAL, "malloc: unknown flags 0x%x",
			       flags & ~HEAP_FLAGS);
	heap_info(pe, &info);
	return err_set(
		MORI_SHMEM_ENOMEM,
		"malloc: no room for %llu bytes: the heap has %zu, %zu of them free, at most "
		"%zu in a row; raise MORI_SHMEM_HEAP_SIZE",
		(unsigned long long)size, info.size, info.free, info.largest_free);
}

/*
 * Take the block first, then meet: one meeting both compares the arguments and
 * makes sure that every PE has its block, zeroed where asked, before any is used.
 * Nobody reaches the block before: it is published after the meeting.
 */
int heap_malloc(struct pe *pe, uint64_t size, uint64_t align, unsigned flags, void **out)
{
	struct heap *h = &pe->heap;
	struct alloc_block block = { .off = COLL_NO_BLOCK };
	bool valid = align && !(align & (align - 1)) && align <= h->align_max &&
		     !(flags & ~HEAP_FLAGS) && size && size <= h->max;
	uint64_t unit = align > HEAP_UNIT ? align : HEAP_UNIT;
	struct coll_call call = { COLL_MALLOC, flags, size, align, 0 };
	bool took, later;
	int err, zeroed = 0;

	lock_take(&pe->coll_lock);
	lock_take(&h->lock);
	took = valid && !heap_take(pe, size, unit, &block);
	lock_give(&h->lock);
	call.place = block.off;
	later = pe_far(pe) && (h->owner || h->chunk);
	if (took && flags & MORI_SHMEM_MALLOC_ZERO && !later)
		zeroed = accel_mem_zero(&pe->accel, h->base + block.off, size);
	if (took && !zeroed) /* who is back from the meeting first may put to the others */
		zeroed = route_heap(pe, block.off + block.len);
	err = coll_meet(pe, &call, NULL);
	if (!err && took && later)
		err = heap_back(pe, &block, flags, size, zeroed);
	err = err ? err : zeroed;
	if (err && took)
		heap_untake(pe, &block);
	else if (took && !later) /* there is no device to tell: it cannot fail */
		heap_publish(pe, &block, heap_owner(h), heap_size(pe));
	if (!err)
		*out = took ? h->base + block.off : NULL;
	lock_give(&pe->coll_lock);
	return !err && !took && size ? heap_refuse(pe, size, align, flags) : err;
}

/* Why @ptr is not the start of a block. */
static int heap_not_a_block(struct pe *pe, const void *ptr)
{
	struct heap *h = &pe->heap;
	uint64_t off = (uint64_t)((const char *)ptr - h->base);
	struct alloc_block b;

	if (off >= pe->state->heap_len)
		return err_set(MORI_SHMEM_EINVAL,
			       "mori_shmem_free: %p is not in the symmetric heap of PE %d", ptr,
			       pe->rank);
	if (alloc_find(h->books, off, &b))
		return err_set(MORI_SHMEM_EINVAL,
			       "mori_shmem_free: %p points %llu bytes into the block at %p", ptr,
			       (unsigned long long)(off - b.off), (void *)(h->base + b.off));
	return err_set(MORI_SHMEM_EINVAL,
		       "mori_shmem_free: %p is not in use: freed twice, or never allocated", ptr);
}

/* Nobody uses the block any more. Devices hear of it before its memory goes. */
static int heap_give(struct pe *pe, const struct alloc_block *b)
{
	struct heap *h = &pe->heap;
	uint64_t had = pe->state->heap_len, keep = heap_least(pe, b);
	uint32_t owner = h->owner ? h->owner[b->off >> h->granule] : 0;
	int err = heap_publish(pe, b, 0, keep);

	if (pe_far(pe) && (h->owner || keep < had))
		err = coll_agree(pe, err, "free");
	if (err) {
		heap_publish(pe, b, owner, had);
		return err;
	}
	lock_take(&h->lock);
	alloc_give(h->books, b->off);
	if (keep < had)
		alloc_resize(h->books, keep);
	if (h->owner)
		heap_discard(pe, b->off, b->off + b->len);
	else if (keep < had)
		heap_discard(pe, keep, had);
	lock_give(&h->lock);
	return 0;
}

/* Meet first: nobody uses the block any more when all have come. */
int heap_free(struct pe *pe, void *ptr)
{
	struct heap *h = &pe->heap;
	struct coll_call call = { .op = COLL_FREE, .place = COLL_NULL };
	uint64_t off = (uint64_t)((char *)ptr - h->base);
	struct alloc_block b;
	bool found = false;
	int err;

	lock_take(&pe->coll_lock);
	if (ptr) {
		found = alloc_find(h->books, off, &b) && b.off == off;
		call.place = found ? off : COLL_NO_BLOCK;
	}
	err = coll_meet(pe, &call, NULL);
	if (!err && ptr && !found)
		err = heap_not_a_block(pe, ptr);
	if (!err && found)
		err = heap_give(pe, &b);
	lock_give(&pe->coll_lock);
	return err;
}

void heap_info(struct pe *pe, mori_shmem_heap_info_t *out)
{
	struct heap *h = &pe->heap;
	struct alloc_info info;
	uint64_t tail;
	size_t near = 0;

	for (int i = 0; i < pe->state->n_pes; i++)
		near += pe->state->slot[i] >= 0 && reg_reaches(pe, i) &&
			(!pe->state->amo_queue || i == pe->rank);
	lock_take(&h->lock);
	alloc_get_info(h->books, &info);
	tail = h->max - alloc_top(h->books); /* what growing could give in a row */
	lock_give(&h->lock);
	*out = (mori_shmem_heap_info_t){
		.size = h->max,
		.used = info.used,
		.free = h->max - info.used,
		.largest_free = info.largest_free > tail ? info.largest_free : tail,
		.peak = info.peak,
		.blocks = info.blocks,
		.near = near,
	};
}
