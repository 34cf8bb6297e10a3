// SPDX-License-Identifier: MIT
/*
 * malloc() and its kin in one piece of memory, which near.c pins: kernels then get at
 * whatever a test allocates. Blocks are powers of two with a head in front; what is freed
 * goes to a list of its size.
 */
#include "near.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define ARENA  ((size_t)768 << 20)
#define HEAD   64 /* keeps blocks on lines of their own */
#define SIZES  48
#define EXPORT __attribute__((visibility("default")))

struct head {
	size_t size; /* a power of two, head and all */
	void *start; /* of the block; the head is right in front of what the user has */
};

struct spare {
	struct spare *next;
};

static struct {
	int lock;
	char *base;
	size_t used;
	struct spare *spare[SIZES];
} arena;

static void arena_lock(void)
{
	while (__atomic_exchange_n(&arena.lock, 1, __ATOMIC_ACQUIRE))
		;
}

static void arena_unlock(void)
{
	__atomic_store_n(&arena.lock, 0, __ATOMIC_RELEASE);
}

static char *arena_take(int order)
{
	size_t size = (size_t)1 << order;
	char *p = NULL;

	arena_lock();
	if (!arena.base)
		arena.base = mmap(NULL, ARENA, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (arena.spare[order]) {
		p = (char *)arena.spare[order];
		arena.spare[order] = arena.spare[order]->next;
	} else if (arena.base != MAP_FAILED && arena.used + size <= ARENA) {
		p = arena.base + arena.used;
		arena.used += size;
	}
	arena_unlock();
	return p;
}

void near_arena(void **base, size_t *len)
{
	*base = arena.base;
	*len = ARENA;
}

static void *arena_new(size_t align, size_t n)
{
	size_t room;
	int order = 7;
	char *start, *p;
	struct head *h;

	align = align < HEAD ? HEAD : align;
	if (__builtin_add_overflow(n, align + HEAD, &room) || room > ARENA) {
		errno = ENOMEM;
		return NULL;
	}
	while (((size_t)1 << order) < room)
		order++;
	start = arena_take(order);
	if (!start) {
		errno = ENOMEM;
		return NULL;
	}
	p = (char *)(((uintptr_t)start + HEAD + align - 1) / align * align);
	h = (struct head *)(p - sizeof(*h));
	*h = (struct head){ (size_t)1 << order, start };
	return p;
}

static struct head *head_of(void *p)
{
	return (struct head *)((char *)p - sizeof(struct head));
}

EXPORT void *malloc(size_t n)
{
	return arena_new(HEAD, n);
}

EXPORT void free(void *p)
{
	struct spare *s;
	struct head h;
	int order;

	if (!p || (uintptr_t)p - (uintptr_t)arena.base >= ARENA)
		return;
	h = *head_of(p);
	order = __builtin_ctzll(h.size);
	s = h.start;
	arena_lock();
	s->next = arena.spare[order];
	arena.spare[order] = s;
	arena_unlock();
}

EXPORT void *calloc(size_t n, size_t size)
{
	size_t all;
	void *p = __builtin_mul_overflow(n, size, &all) ? NULL : malloc(all);

	return p ? memset(p, 0, all) : NULL;
}

EXPORT size_t malloc_usable_size(void *p)
{
	struct head *h = p ? head_of(p) : NULL;

	return h ? h->size - (size_t)((char *)p - (char *)h->start) : 0;
}

EXPORT void *realloc(void *p, size_t n)
{
	size_t had = p ? malloc_usable_size(p) : 0;
	void *to = malloc(n);

	if (to && p) {
		memcpy(to, p, had < n ? had : n);
		free(p);
	}
	return to;
}

EXPORT void *memalign(size_t align, size_t n)
{
	return arena_new(align, n);
}

EXPORT void *aligned_alloc(size_t align, size_t n)
{
	return arena_new(align, n);
}

EXPORT int posix_memalign(void **out, size_t align, size_t n)
{
	void *p = arena_new(align, n);

	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}
