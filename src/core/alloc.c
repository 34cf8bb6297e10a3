// SPDX-License-Identifier: MIT
/*
 * The books of a heap. Blocks, in use or free, tile 0 .. size in a list by offset; two free ones
 * are never neighbours. Each block is also in one of two treaps: those in use by offset, the free
 * ones by length, then offset. Which block is handed out depends on these orders alone, never on a
 * treap's shape.
 *
 * Sets no error text: only the caller knows what the block was for.
 */
#include "core/alloc.h"

#include <mori/shmem_types.h>

#include <stdlib.h>

#define SLAB_BLOCKS 64 /* host memory is taken for that many blocks at a time */
#define TRIES	    32 /* free blocks tried in order of length before one that surely fits is taken */

struct alloc_node {
	uint64_t off, len;
	struct alloc_node *prev, *next;	 /* neighbours by offset; next also links the spare ones */
	struct alloc_node *left, *right; /* in the treap of its kind */
	uint64_t prio;			 /* a treap's parent has the higher one */
	int in_use;
};

struct alloc_slab {
	struct alloc_slab *next;
	struct alloc_node block[SLAB_BLOCKS];
};

struct alloc {
	uint64_t size, unit;
	uint64_t used, peak, blocks; /* of blocks in use: bytes, most bytes ever, number */
	uint64_t seed;		     /* of the priorities: a counter, the same on every PE */
	struct alloc_node *last;     /* end of the list; NULL if the size is 0 */
	struct alloc_node *by_off;   /* root: in use */
	struct alloc_node *by_len;   /* root: free */
	struct alloc_node *spare;
	size_t n_spare;
	struct alloc_slab *slabs;
};

/* A bijection that looks random (splitmix64): equal priorities cannot happen. */
static uint64_t alloc_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* Order of two blocks of one kind. */
static int alloc_node_before(const struct alloc_node *x, const struct alloc_node *y)
{
	/* NOLINTNEXTLINE: a removal finds its block before the end of the tree */
	if (!x->in_use && x->len != y->len)
		return x->len < y->len;
	return x->off < y->off;
}

static struct alloc_node **alloc_root(struct alloc *a, const struct alloc_node *b)
{
	return b->in_use ? &a->by_off : &a->by_len;
}

static void alloc_tree_insert(struct alloc *a, struct alloc_node *b)
{
	struct alloc_node **at = alloc_root(a, b), **left = &b->left, **right = &b->right, *t;

	while (*at && (*at)->prio > b->prio)
		at = alloc_node_before(*at, b) ? &(*at)->right : &(*at)->left;
	t = *at;
	*at = b;
	while (t) { /* split what was there: before b to its left, the rest to its right */
		struct alloc_node ***side = alloc_node_before(t, b) ? &left : &right;

		**side = t;
		*side = side == &left ? &t->right : &t->left;
		t = **side;
	}
	*left = NULL;
	*right = NULL;
}

static void alloc_tree_remove(struct alloc *a, struct alloc_node *b)
{
	struct alloc_node **at = alloc_root(a, b), *l = b->left, *r = b->right;

	while (*at != b)
		at = alloc_node_before(*at, b) ? &(*at)->right : &(*at)->left;
	while (l && r) {
		if (l->prio > r->prio) {
			*at = l;
			at = &l->right;
			l = l->right;
		} else {
			*at = r;
			at = &r->left;
			r = r->left;
		}
	}
	*at = l ? l : r;
}

/* The first free block, by length then offset, that is not before (len, off). */
static struct alloc_node *alloc_free_from(const struct alloc *a, uint64_t len, uint64_t off)
{
	const struct alloc_node key = { .len = len, .off = off };
	struct alloc_node *t = a->by_len, *found = NULL;

	while (t) {
		if (alloc_node_before(t, &key)) {
			t = t->right;
		} else {
			found = t;
			t = t->left;
		}
	}
	return found;
}

static struct alloc_node *alloc_free_after(const struct alloc *a, const struct alloc_node *b)
{
	return alloc_free_from(a, b->len, b->off + 1);
}

/* The block in use with the highest offset that is not above @off. */
static struct alloc_node *alloc_used_at(const struct alloc *a, uint64_t off)
{
	struct alloc_node *t = a->by_off, *found = NULL;

	while (t) {
		if (t->off <= off) {
			found = t;
			t = t->right;
		} else {
			t = t->left;
		}
	}
	return found;
}

/* Make sure of @n spare blocks, so that what follows cannot fail half way. */
static int alloc_reserve_spare(struct alloc *a, size_t n)
{
	struct alloc_slab *s;

	if (a->n_spare >= n)
		return 0;
	s = malloc(sizeof(*s));
	if (!s)
		return MORI_SHMEM_ENOMEM;
	s->next = a->slabs;
	a->slabs = s;
	for (size_t i = 0; i < SLAB_BLOCKS; i++) {
		s->block[i].next = a->spare;
		a->spare = &s->block[i];
	}
	a->n_spare += SLAB_BLOCKS;
	return 0;
}

/* A new free block behind @prev (NULL: first), in the list and the treap. */
static struct alloc_node *alloc_node_add(struct alloc *a, struct alloc_node *prev, uint64_t off,
					 uint64_t len)
{
	struct alloc_node *b = a->spare, *next = prev ? prev->next : NULL;

	a->spare = b->next;
	a->n_spare--;
	*b = (struct alloc_node){ .off = off, .len = len, .prev = prev, .next = next };
	b->prio = alloc_mix(a->seed++);
	if (prev)
		prev->next = b;
	if (next)
		next->prev = b;
	else
		a->last = b;
	alloc_tree_insert(a, b);
	return b;
}

static void alloc_node_drop(struct alloc *a, struct alloc_node *b)
{
	alloc_tree_remove(a, b);
	if (b->prev)
		b->prev->next = b->next;
	if (b->next)
		b->next->prev = b->prev;
	else
		a->last = b->prev;
	b->next = a->spare;
	a->spare = b;
	a->n_spare++;
}

static void alloc_node_set_len(struct alloc *a, struct alloc_node *b, uint64_t len)
{
	alloc_tree_remove(a, b);
	b->len = len;
	alloc_tree_insert(a, b);
}

static void alloc_node_set_use(struct alloc *a, struct alloc_node *b, int in_use)
{
	alloc_tree_remove(a, b);
	b->in_use = in_use;
	alloc_tree_insert(a, b);
}

/* Bytes to skip in @b so that what follows is aligned; b->len if that is too many. */
static uint64_t alloc_node_gap(const struct alloc_node *b, uint64_t align)
{
	uint64_t gap = -b->off & (align - 1);

	return gap < b->len ? gap : b->len;
}

static struct alloc_node *alloc_fit_among(const struct alloc *a, struct alloc_node *b, uint64_t len,
					  uint64_t align, uint64_t tries)
{
	for (; b && tries; b = alloc_free_after(a, b), tries--) {
		if (b->len - alloc_node_gap(b, align) >= len)
			return b;
	}
	return NULL;
}

/*
 * The shortest free block that holds @len aligned bytes. Many blocks that are long enough may be
 * misaligned: after some tries take the shortest that fits with any alignment, and search all of
 * them only if there is none.
 */
static struct alloc_node *alloc_fit(const struct alloc *a, uint64_t len, uint64_t align)
{
	struct alloc_node *shortest = alloc_free_from(a, len, 0);
	struct alloc_node *b = alloc_fit_among(a, shortest, len, align, TRIES);

	if (!b && len <= UINT64_MAX - (align - a->unit))
		b = alloc_free_from(a, len + align - a->unit, 0);
	return b ? b : alloc_fit_among(a, shortest, len, align, UINT64_MAX);
}

static int alloc_power_of_two(uint64_t x)
{
	return x && !(x & (x - 1));
}

int alloc_open(uint64_t size, uint64_t unit, struct alloc **out)
{
	struct alloc *a;
	int err;

	if (!alloc_power_of_two(unit))
		return MORI_SHMEM_EINVAL;
	a = calloc(1, sizeof(*a));
	if (!a)
		return MORI_SHMEM_ENOMEM;
	a->unit = unit;
	err = alloc_resize(a, size);
	if (err)
		alloc_close(a);
	else
		*out = a;
	return err;
}

void alloc_close(struct alloc *a)
{
	struct alloc_slab *s = a ? a->slabs : NULL;

	while (s) {
		struct alloc_slab *next = s->next;

		free(s);
		s = next;
	}
	free(a);
}

int alloc_take(struct alloc *a, uint64_t len, uint64_t align, struct alloc_block *out)
{
	struct alloc_node *b;
	uint64_t gap;

	if (!len || !alloc_power_of_two(align))
		return MORI_SHMEM_EINVAL;
	if (len > a->size)
		return MORI_SHMEM_ENOMEM;
	len = (len + a->unit - 1) & ~(a->unit - 1);
	if (align < a->unit)
		align = a->unit;
	b = alloc_fit(a, len, align);
	if (!b || alloc_reserve_spare(a, 2))
		return MORI_SHMEM_ENOMEM;
	gap = alloc_node_gap(b, align);
	if (gap) { /* the gap stays free in front */
		uint64_t off = b->off + gap, rest = b->len - gap;

		alloc_node_set_len(a, b, gap);
		b = alloc_node_add(a, b, off, rest);
	}
	if (b->len > len) {
		alloc_node_add(a, b, b->off + len, b->len - len);
		alloc_node_set_len(a, b, len);
	}
	alloc_node_set_use(a, b, 1);
	a->blocks++;
	a->used += len;
	if (a->used > a->peak)
		a->peak = a->used;
	*out = (struct alloc_block){ .off = b->off, .len = len };
	return 0;
}

int alloc_give(struct alloc *a, uint64_t off)
{
	struct alloc_node *b = alloc_used_at(a, off);

	if (!b || b->off != off)
		return MORI_SHMEM_ENOENT;
	a->blocks--;
	a->used -= b->len;
	alloc_node_set_use(a, b, 0);
	if (b->next && !b->next->in_use) {
		uint64_t len = b->len + b->next->len;

		alloc_node_drop(a, b->next);
		alloc_node_set_len(a, b, len);
	}
	if (b->prev && !b->prev->in_use) {
		struct alloc_node *prev = b->prev;
		uint64_t len = prev->len + b->len;

		alloc_node_drop(a, b);
		alloc_node_set_len(a, prev, len);
	}
	return 0;
}

int alloc_find(const struct alloc *a, uint64_t off, struct alloc_block *out)
{
	const struct alloc_node *b = alloc_used_at(a, off);

	if (!b || off - b->off >= b->len)
		return 0;
	*out = (struct alloc_block){ .off = b->off, .len = b->len };
	return 1;
}

int alloc_resize(struct alloc *a, uint64_t size)
{
	struct alloc_node *last = a->last;

	if (size & (a->unit - 1) || size < alloc_top(a))
		return MORI_SHMEM_EINVAL;
	if (last && !last->in_use) {
		if (size == last->off)
			alloc_node_drop(a, last);
		else
			alloc_node_set_len(a, last, size - last->off);
	} else if (size > a->size) {
		int err = alloc_reserve_spare(a, 1);

		if (err)
			return err;
		alloc_node_add(a, last, a->size, size - a->size);
	}
	a->size = size;
	return 0;
}

uint64_t alloc_top(const struct alloc *a)
{
	return alloc_top_without(a, UINT64_MAX);
}

uint64_t alloc_top_without(const struct alloc *a, uint64_t off)
{
	const struct alloc_node *b = a->last;

	while (b && (!b->in_use || b->off == off))
		b = b->prev;
	return b ? b->off + b->len : 0;
}

void alloc_get_info(const struct alloc *a, struct alloc_info *out)
{
	const struct alloc_node *b = a->by_len;

	while (b && b->right)
		b = b->right;
	*out = (struct alloc_info){ .size = a->size,
				    .used = a->used,
				    .largest_free = b ? b->len : 0,
				    .peak = a->peak,
				    .blocks = a->blocks };
}
