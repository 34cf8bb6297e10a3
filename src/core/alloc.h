// SPDX-License-Identifier: MIT
/*
 * The books of a heap: which offsets are in use. They lie outside the memory they describe, which
 * is never touched. Best fit, coalescing, any alignment. Every PE keeps its own; the same calls in
 * the same order give the same offsets everywhere. Not locked: the caller does that.
 */
#ifndef MORI_CORE_ALLOC_H
#define MORI_CORE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

struct alloc;

struct alloc_block {
	uint64_t off; /* of the first byte */
	uint64_t len; /* bytes, rounded up to the unit */
};

struct alloc_info {
	uint64_t size, used, largest_free, peak, blocks;
};

/* Offsets 0 .. size - 1, handed out in multiples of @unit (a power of two). */
int alloc_open(uint64_t size, uint64_t unit, struct alloc **out);
void alloc_close(struct alloc *a);

/* @align: a power of two. MORI_SHMEM_ENOMEM, without a text, if nothing fits. */
int alloc_take(struct alloc *a, uint64_t len, uint64_t align, struct alloc_block *out);

/*
 * Give back the block that starts at @off. MORI_SHMEM_ENOENT, without a text,
 * and nothing done, if no block in use starts there.
 */
int alloc_give(struct alloc *a, uint64_t off);

/* The block in use that holds @off: 1 and *out, or 0. */
int alloc_find(const struct alloc *a, uint64_t off, struct alloc_block *out);

/*
 * Change the size (a multiple of the unit). Shrinking below a block in use is
 * MORI_SHMEM_EINVAL. alloc_top() is the end of the last block in use: the least size.
 */
int alloc_resize(struct alloc *a, uint64_t size);
uint64_t alloc_top(const struct alloc *a);
/* What it would be without the block that starts at @off. */
uint64_t alloc_top_without(const struct alloc *a, uint64_t off);

void alloc_get_info(const struct alloc *a, struct alloc_info *out);

#endif
