// SPDX-License-Identifier: MIT
/*
 * A slab is: a page without access, a page of which only the last bytes are used,
 * then the stacks. Their borders lie PATTERN bytes before those of pages, so that
 * the pattern of one shares its page with the first frames of the one below, and
 * a stack that is hardly used costs one page.
 */
#include "accel/stacks.h"

#include "accel/fiber.h"
#include "util/err.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SLAB_STACKS 64u /* a slab takes two of the 65530 mappings a process may have */
#define PATTERN	    64u
#define CALLS	    512u /* for functions that are not the kernel's: this library's, and C's */
#define SANITIZED   4u	 /* how much larger frames are under a sanitizer */
#define COLOURS	    16u
#define COLOUR	    128u /* bytes; first frames of neighbours in different sets of the cache */

struct stacks_slab {
	struct stacks_slab *next;
	char *map;
	size_t len;
	struct stack stack[SLAB_STACKS];
};

static const uint64_t stacks_pattern[PATTERN / 8] = {
	0x6d6f72692d737461, 0xfeedfacecafebeef, 0x8badf00d5eed1234, 0x9e3779b97f4a7c15,
	0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0x2545f4914f6cdd1d, 0xd6e8feb86659fd93,
};

static size_t stacks_page(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

void stacks_open(struct stacks *s, size_t size)
{
	size_t page = stacks_page();

	memset(s, 0, sizeof(*s));
	if (FIBER_ASAN || FIBER_TSAN)
		size *= SANITIZED;
	s->size = (size + page - 1) / page * page;
}

static void stacks_slab_free(struct stacks_slab *slab)
{
	for (unsigned i = 0; i < SLAB_STACKS; i++)
		fiber_tsan_close(slab->stack[i].tsan);
	munmap(slab->map, slab->len);
	free(slab);
}

void stacks_close(struct stacks *s)
{
	while (s->slabs) {
		struct stacks_slab *slab = s->slabs;

		s->slabs = slab->next;
		stacks_slab_free(slab);
	}
	s->n_slabs = 0;
	s->free = NULL;
}

/* Taken in the order of their addresses: the one below has just been used. */
static void stacks_slab_release(struct stacks *s, struct stacks_slab *slab)
{
	for (unsigned i = SLAB_STACKS; i-- > 0;) {
		slab->stack[i].next = s->free;
		s->free = &slab->stack[i];
	}
}

static int stacks_slab_add(struct stacks *s)
{
	size_t page = stacks_page(), len = 2 * page + SLAB_STACKS * s->size;
	struct stacks_slab *slab = calloc(1, sizeof(*slab));
	char *map = MAP_FAILED;

	if (slab)
		map = mmap(NULL, len, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED || mprotect(map, page, PROT_NONE)) {
		int why = errno;

		if (map != MAP_FAILED)
			munmap(map, len);
		free(slab);
		return err_set(MORI_SHMEM_ENOMEM,
			       "no memory for the stacks of a kernel: %zu threads of %zu bytes are "
			       "there, the next %u failed: %s",
			       s->n_slabs * SLAB_STACKS, s->size, SLAB_STACKS, strerror(why));
	}
	slab->map = map;
	slab->len = len;
	for (unsigned i = 0; i < SLAB_STACKS; i++) {
		slab->stack[i].lo = map + 2 * page + i * s->size - PATTERN;
		slab->stack[i].hi = slab->stack[i].lo + s->size - i % COLOURS * COLOUR;
	}
	slab->next = s->slabs;
	s->slabs = slab;
	s->n_slabs++;
	stacks_slab_release(s, slab);
	return 0;
}

struct stack *stacks_take(struct stacks *s)
{
	struct stack *stack;

	if (!s->free && stacks_slab_add(s))
		return NULL;
	stack = s->free;
	s->free = stack->next;
	fiber_stack_clean(stack->lo, (size_t)(stack->hi - stack->lo));
	memcpy(stack->lo, stacks_pattern, PATTERN);
	if (!stack->tsan)
		stack->tsan = fiber_tsan_open();
	return stack;
}

void stacks_give(struct stacks *s, struct stack *stack)
{
	stack->next = s->free;
	s->free = stack;
}

void stacks_reset(struct stacks *s, size_t n)
{
	size_t keep = (n + SLAB_STACKS - 1) / SLAB_STACKS;

	while (s->slabs && s->n_slabs > keep) {
		struct stacks_slab *slab = s->slabs;

		s->slabs = slab->next;
		s->n_slabs--;
		stacks_slab_free(slab);
	}
	s->free = NULL;
	for (struct stacks_slab *slab = s->slabs; slab; slab = slab->next)
		stacks_slab_release(s, slab);
}

/* Word by word: frames that overflowed may have marked it as theirs for ASan. */
TSAN_BARE bool stack_intact(const struct stack *stack)
{
	const volatile uint64_t *at = (const volatile uint64_t *)stack->lo;
	bool same = true;

	for (unsigned i = 0; i < PATTERN / 8; i++)
		same &= at[i] == stacks_pattern[i];
	return same;
}

uint64_t stack_bound(const struct stack *stack)
{
	return (uint64_t)(uintptr_t)stack->lo + PATTERN + CALLS;
}

void stack_forget(struct stack *stack)
{
	fiber_tsan_close(stack->tsan);
	stack->tsan = NULL;
}

bool stacks_hold(const struct stacks *s, const void *addr)
{
	for (const struct stacks_slab *slab = s->slabs; slab; slab = slab->next) {
		if ((uintptr_t)addr - (uintptr_t)slab->map < slab->len)
			return true;
	}
	return false;
}
