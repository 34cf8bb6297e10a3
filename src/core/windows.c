// SPDX-License-Identifier: MIT
/*
 * Searches (dev_window_find()) take no lock: they read while the array may change, and see by the
 * number of the turn whether it has.
 */
#include "core/windows.h"

#include <stdlib.h>

#define ROOM_FIRST 16u

static int windows_compare(const void *a, const void *b)
{
	const struct dev_window_entry *x = a, *y = b;

	return x->base < y->base ? -1 : x->base > y->base;
}

static uint32_t windows_count(const struct dev_window *first)
{
	uint32_t n = 0;

	for (const struct dev_window *w = first; w; w = w->next)
		n += w->len != 0;
	return n;
}

/* Room for @n; false: no memory. A search that is in the old array finds it whole. */
static bool windows_grow(struct windows *all, uint32_t n)
{
	uint32_t room = all->array ? all->array->room : ROOM_FIRST;
	struct windows_array *more;

	if (all->array && n <= room)
		return true;
	while (room < n)
		room *= 2;
	more = calloc(1, sizeof(*more) + room * sizeof(more->at[0]));
	if (!more)
		return false;
	more->room = room;
	more->older = all->array;
	all->array = more;
	return true;
}

/*
 * @sorted to the array; whether none overlaps the next. Release: who sees one of them sees the odd
 * turn as well.
 */
static bool windows_store(struct windows *all, const struct dev_window_entry *sorted, uint32_t n)
{
	bool apart = true;

	for (uint32_t i = 0; i < n; i++) {
		struct dev_window_entry *e = &all->array->at[i];

		__atomic_store_n(&e->base, sorted[i].base, __ATOMIC_RELEASE);
		__atomic_store_n(&e->len, sorted[i].len, __ATOMIC_RELEASE);
		__atomic_store_n(&e->window, sorted[i].window, __ATOMIC_RELEASE);
		apart &= !i || sorted[i].base - sorted[i - 1].base >= sorted[i - 1].len;
	}
	return apart;
}

void windows_changed(struct windows *all, struct dev_window_index *x,
		     const struct dev_window *first)
{
	uint32_t n = windows_count(first), turn = x->turn + 1, i = 0;
	struct dev_window_entry *sorted = calloc(n ? n : 1, sizeof(*sorted));
	bool known = false;

	__atomic_store_n(&x->turn, turn, __ATOMIC_RELAXED);
	if (sorted && windows_grow(all, n)) {
		for (const struct dev_window *w = first; w; w = w->next) {
			if (w->len)
				sorted[i++] =
					(struct dev_window_entry){ w->base, w->len, (uintptr_t)w };
		}
		qsort(sorted, n, sizeof(*sorted), windows_compare);
		known = windows_store(all, sorted, n);
	}
	__atomic_store_n(&x->n, n, __ATOMIC_RELEASE);
	__atomic_store_n(&x->at, known ? (uintptr_t)all->array->at : 0, __ATOMIC_RELEASE);
	/* Release: pairs with the acquire in dev_window_find(). */
	__atomic_store_n(&x->turn, turn + 1, __ATOMIC_RELEASE);
	free(sorted);
}

void windows_free(struct windows *all)
{
	while (all->array) {
		struct windows_array *a = all->array;

		all->array = a->older;
		free(a);
	}
}
