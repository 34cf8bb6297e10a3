// SPDX-License-Identifier: MIT
/*
 * The symmetric heap of a PE: its part of the node's window and the books on it. All PEs make the
 * same calls in the same order, so their books agree; the resulting offset is part of the call's
 * record, so that a PE whose books differ is detected.
 *
 * Modes: static has all of the heap from the start. vmm can address only what it has grown to, in
 * chunks, and releases chunks from the end. isolation gives every block pages of its own, which no
 * other block's addresses reach.
 */
#include "core/pe.h"
#include "core/queues.h"
#include "core/rdma.h"
#include "core/remote.h"
#include "dev/dev.h"
#include "util/err.h"

#include <stdlib.h>

#define HEAP_UNIT    ((uint64_t)256) /* and the least alignment */
#define HEAP_GRANULE 16u /* isolation: log2 of the least block; more where segments are larger */
#define HEAP_FLAGS   (MORI_SHMEM_MALLOC_UNCACHED | MORI_SHMEM_MALLOC_ZERO)

static uint64_t heap_round_up(uint64_t v, uint64_t to)
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

	h->granules = calloc(h->max >> h->granule, sizeof(*h->granules));
	if (!h->granules)
		return err_set(MORI_SHMEM_ENOMEM,
			       "out of memory for the heap's allocation records");
	pe->state->granules = h->granules;
	pe->state->granule = h->granule;
	return 0;
}

/* Collective. A PE with a base of its own has its heap there. */
static int heap_open_device(struct pe *pe, uint64_t len, int err)
{
	struct world *w = pe->world;
	int opened = segments_open(pe, len, err);

	if (!opened && w->segments.bases) {
		pe->heap.base = (char *)(uintptr_t)w->segments.bases[w->slot[pe->rank]];
		if (pe->heap.align_max > SEGMENTS_ALIGN)
			pe->heap.align_max = SEGMENTS_ALIGN;
		pe->state->window = w->segments.bases[w->slot[pe->rank]];
		pe->state->bases = w->segments.bases;
	}
	pe->state->sync = pe->state->window + w->sync_off;
	pe->state->sync_stride = w->stride;
	return opened;
}

int heap_open(struct pe *pe, const struct pe_blob *blob)
{
	bool isolated = blob->mode == OPTION_MODE_ISOLATION;
	uint64_t unit = isolated ? (uint64_t)1 << heap_granule(blob) : HEAP_UNIT;
	uint64_t part = pe_device_mem(pe) ? blob->device_granule : HEAP_UNIT;
	struct world *w = pe->world;
	struct heap *h = &pe->heap;
	uint64_t start;
	int err;

	h->granule = heap_granule(blob);
	h->max = heap_round_up(blob->heap_size, unit > part ? unit : part);
	h->base = (char *)w->window + (uint64_t)w->slot[pe->rank] * w->stride;
	h->align_max = w->align;
	if (blob->mode == OPTION_MODE_VMM) {
		h->chunk = heap_round_up(blob->chunk_size, part);
		if (h->chunk > h->max)
			h->chunk = h->max;
	}
	start = h->chunk ? h->chunk : h->max;
	err = alloc_open(start, unit, &h->books);
	if (!err && isolated)
		err = heap_open_isolation(pe);
	if (pe_device_mem(pe)) /* the others wait for this PE even if it failed */
		err = heap_open_device(pe, isolated ? 0 : start, err);
	if (err)
		return err;
	pe->state->area = pe->state->bases ? pe->state->bases[w->slot[pe->rank]] + w->sync_off :
					     pe->state->sync + (uint64_t)w->slot[pe->rank] *
								       pe->state->sync_stride;
	pe->state->heap_base = (uint64_t)(uintptr_t)h->base;
	pe->state->heap_len = pe->state->heap_committed = start;
	if (pe->state->slot_same && !pe->state->granules && !pe->state->bases)
		pe->state->uniform = pe->state->amo_queue ? DEV_UNIFORM : DEV_UNIFORM_SIGNAL;
	return 0;
}

void heap_close(struct pe *pe)
{
	if (pe->accel.ops && pe_device_mem(pe))
		segments_close(pe);
	if (pe->heap.books)
		alloc_close(pe->heap.books);
	free(pe->heap.granules);
}

/*
 * Sets how much of the heap can be addressed. Other threads may be reading it. The device may fail.
 */
static int heap_set_len(struct pe *pe, uint64_t len)
{
	__atomic_store_n(&pe->state->heap_len, len, __ATOMIC_RELEASE);
	return mirror_field(pe, &pe->state->heap_len, sizeof(len));
}

/* Takes a block from the books; a vmm heap grows as far as necessary and possible. */
static int heap_take(struct pe *pe, uint64_t size, uint64_t align, struct alloc_block *out)
{
	struct heap *h = &pe->heap;
	struct alloc_info info;
	uint64_t need;
	int err = alloc_take(h->books, size, align, out);

	if (!err || !h->chunk)
		return err;
	need = heap_round_up(alloc_top(h->books), align);
	if (need > h->max || size > h->max - need)
		return MORI_SHMEM_ENOMEM;
	need = heap_round_up(need + size, h->chunk);
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

/*
 * The memory of [from, to) is not needed any more. Device memory is released in the segments it was
 * created in.
 */
static void heap_discard(struct pe *pe, uint64_t from, uint64_t to)
{
	from = heap_round_up(from, 4096);
	if (pe->rdma)
		return;
	if (pe_device_mem(pe))
		segments_shrink(pe, from, to - from);
	else if (from < to)
		host_mem_discard(pe->heap.base + from, heap_round_up(to, 4096) - from);
}

/* The size without @b and without chunks at the end that no other block needs; one stays. */
static uint64_t heap_least(const struct pe *pe, const struct alloc_block *b)
{
	const struct heap *h = &pe->heap;
	uint64_t had = pe->state->heap_len, keep;

	if (!h->chunk)
		return had;
	keep = heap_round_up(alloc_top_without(h->books, b->off), h->chunk);
	if (keep < h->chunk)
		keep = h->chunk;
	return keep < had ? keep : had;
}

/* @size: of what the caller asked for; 0: as it was. */
static int heap_set_owner(struct pe *pe, const struct alloc_block *b, uint32_t owner, uint64_t size)
{
	struct heap *h = &pe->heap;
	uint64_t from = b->off >> h->granule, to = (b->off + b->len) >> h->granule;
	uint64_t whole = (uint64_t)1 << h->granule;

	for (uint64_t i = from; i < to; i++) {
		uint64_t done = (i - from) << h->granule, left = size > done ? size - done : 0;

		if (size)
			__atomic_store_n(&h->granules[i].used,
					 (uint32_t)(left < whole ? left : whole), __ATOMIC_RELAXED);
		__atomic_store_n(&h->granules[i].owner, owner, __ATOMIC_RELAXED);
	}
	return mirror_granules(pe, from, to - from);
}

/*
 * Makes the block addressable or not: its owner becomes @owner, 0 for nobody, and the heap's length
 * @len.
 */
static int heap_publish(struct pe *pe, const struct alloc_block *b, uint32_t owner, uint64_t size,
			uint64_t len)
{
	int err = pe->heap.granules ? heap_set_owner(pe, b, owner, size) : 0;

	return err || len == pe->state->heap_len ? err : heap_set_len(pe, len);
}

/* A number that no other block has. */
static uint32_t heap_owner(struct heap *h)
{
	h->last_owner = h->last_owner == UINT32_MAX ? 1 : h->last_owner + 1;
	return h->last_owner;
}

/* The size by the books; only that of a heap that grows changes. */
static uint64_t heap_size(const struct pe *pe)
{
	struct alloc_info info;

	if (!pe->heap.chunk)
		return pe->state->heap_len;
	alloc_get_info(pe->heap.books, &info);
	return info.size;
}

/*
 * Creates device memory for a block that all PEs took, where there is none yet, and updates the
 * devices. Collective again. @failed: the status so far, on this PE.
 */
static int heap_extend(struct pe *pe, const struct alloc_block *b, unsigned flags, uint64_t size,
		       int failed)
{
	struct heap *h = &pe->heap;
	uint64_t had = pe->state->heap_len, len = heap_size(pe);
	uint64_t off = h->granules ? b->off : had, more = h->granules ? b->len : len - had;
	int err = 0;

	if (more)
		err = segments_grow(pe, off, more, h->granules ? b->len : h->chunk);
	if (err || (!more && !(flags & MORI_SHMEM_MALLOC_ZERO)))
		return err;
	err = failed;
	if (!err && flags & MORI_SHMEM_MALLOC_ZERO)
		err = pe->accel.ops->mem_zero(pe->accel.dev, h->base + b->off, size);
	if (!err)
		err = heap_publish(pe, b, heap_owner(h), size, len);
	err = coll_agree(pe, err, "malloc");
	if (err) {
		heap_publish(pe, b, 0, 0, had);
		segments_shrink(pe, off, more);
	}
	return err;
}

/* The barrier failed: as if nothing had been taken. */
static void heap_untake(struct pe *pe, const struct alloc_block *b)
{
	lock_take(&pe->heap.lock);
	alloc_give(pe->heap.books, b->off);
	if (pe->heap.chunk)
		alloc_resize(pe->heap.books, pe->state->heap_len);
	lock_give(&pe->heap.lock);
}

/* An error that all PEs made alike. */
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
 * Takes the block first, then enters the barrier: one barrier both compares the arguments and
 * ensures that every PE has its block, zeroed if requested, before any is used. No PE reaches the
 * block earlier: it is published after the barrier.
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
	int err, prep_err = 0;

	err = pe_coll_begin(pe);
	if (err)
		return err;
	lock_take(&h->lock);
	took = valid && !heap_take(pe, size, unit, &block);
	lock_give(&h->lock);
	call.place = block.off;
	later = pe_device_mem(pe) && (h->granules || h->chunk);
	if (took && flags & MORI_SHMEM_MALLOC_ZERO && !later)
		prep_err = pe->accel.ops->mem_zero(pe->accel.dev, h->base + block.off, size);
	if (took && !prep_err) /* the first PE to leave the barrier may put to the others */
		prep_err = remote_heap(pe, block.off + block.len);
	err = coll_barrier(pe, &call, NULL);
	if (!err && took && later)
		err = heap_extend(pe, &block, flags, size, prep_err);
	err = err ? err : prep_err;
	if (err && took)
		heap_untake(pe, &block);
	else if (took && !later) /* no device is involved: it cannot fail */
		heap_publish(pe, &block, heap_owner(h), size, heap_size(pe));
	if (!err)
		*out = took ? h->base + block.off : NULL;
	pe_coll_end(pe);
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

/* Nobody uses the block any more. Devices are updated before its memory goes. */
static int heap_give(struct pe *pe, const struct alloc_block *b)
{
	struct heap *h = &pe->heap;
	uint64_t had = pe->state->heap_len, keep = heap_least(pe, b);
	uint32_t owner = h->granules ? h->granules[b->off >> h->granule].owner : 0;
	int err = heap_publish(pe, b, 0, 0, keep);

	if (pe_device_mem(pe) && (h->granules || keep < had))
		err = coll_agree(pe, err, "free");
	if (err) {
		heap_publish(pe, b, owner, 0, had);
		return err;
	}
	lock_take(&h->lock);
	alloc_give(h->books, b->off);
	if (keep < had)
		alloc_resize(h->books, keep);
	if (h->granules)
		heap_discard(pe, b->off, b->off + b->len);
	else if (keep < had)
		heap_discard(pe, keep, had);
	lock_give(&h->lock);
	return 0;
}

/* Enters the barrier first: once all have arrived nobody uses the block any more. */
int heap_free(struct pe *pe, void *ptr)
{
	struct heap *h = &pe->heap;
	struct coll_call call = { .op = COLL_FREE, .place = COLL_NULL };
	uint64_t off = (uint64_t)((char *)ptr - h->base);
	struct alloc_block b;
	bool found = false;
	int err;

	err = pe_coll_begin(pe);
	if (err)
		return err;
	if (ptr) {
		found = alloc_find(h->books, off, &b) && b.off == off;
		call.place = found ? off : COLL_NO_BLOCK;
	}
	err = coll_barrier(pe, &call, NULL);
	if (!err && ptr && !found)
		err = heap_not_a_block(pe, ptr);
	if (!err && found)
		err = heap_give(pe, &b);
	pe_coll_end(pe);
	return err;
}

void heap_info(struct pe *pe, mori_shmem_heap_info_t *out)
{
	struct heap *h = &pe->heap;
	struct alloc_info info;
	uint64_t tail;
	size_t p2p = 0;

	for (int i = 0; i < pe->state->n_pes; i++)
		p2p += pe->state->slot[i] >= 0 && reg_all_mapped(pe, i) &&
		       (!pe->state->amo_queue || i == pe->rank);
	lock_take(&h->lock);
	alloc_get_info(h->books, &info);
	tail = h->max - alloc_top(h->books); /* what growing could provide in one piece */
	lock_give(&h->lock);
	*out = (mori_shmem_heap_info_t){
		.size = h->max,
		.used = info.used,
		.free = h->max - info.used,
		.largest_free = info.largest_free > tail ? info.largest_free : tail,
		.peak = info.peak,
		.blocks = info.blocks,
		.p2p = p2p,
	};
}
