// SPDX-License-Identifier: MIT
/*
 * Searches take no lock: they read while the array may change, and see by the number of the turn
 * whether it has.
 */
#include "core/windows.h"

#include <stdlib.h>

#define ROOM_FIRST 16u

/* Acquire: the turn is looked at afterwards. */
static uint64_t windows_load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static int windows_compare(const void *a, const void *b)
{
	const struct windows_entry *x = a, *y = b;

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
	__atomic_store_n(&all->array, more, __ATOMIC_RELEASE);
	return true;
}

/*
 * @sorted to the array; whether none overlaps the next. Release: who sees one of them sees the odd
 * turn as well.
 */
static bool windows_store(struct windows *all, const struct windows_entry *sorted, uint32_t n)
{
	bool apart = true;

	for (uint32_t i = 0; i < n; i++) {
		struct windows_entry *e = &all->array->at[i];

		__atomic_store_n(&e->base, sorted[i].base, __ATOMIC_RELEASE);
		__atomic_store_n(&e->len, sorted[i].len, __ATOMIC_RELEASE);
		__atomic_store_n(&e->window, sorted[i].window, __ATOMIC_RELEASE);
		apart &= !i || sorted[i].base - sorted[i - 1].base >= sorted[i - 1].len;
	}
	return apart;
}

void windows_changed(struct windows *all, const struct dev_window *first)
{
	uint32_t n = windows_count(first), turn = all->turn + 1, i = 0;
	struct windows_entry *sorted = calloc(n ? n : 1, sizeof(*sorted));
	bool known = false;

	__atomic_store_n(&all->turn, turn, __ATOMIC_RELAXED);
	if (sorted && windows_grow(all, n)) {
		for (const struct dev_window *w = first; w; w = w->next) {
			if (w->len)
				sorted[i++] = (struct windows_entry){ w->base, w->len, w };
		}
		qsort(sorted, n, sizeof(*sorted), windows_compare);
		known = windows_store(all, sorted, n);
	}
	__atomic_store_n(&all->n, n, __ATOMIC_RELEASE);
	__atomic_store_n(&all->sorted, known, __ATOMIC_RELEASE);
	/* Release: pairs with the acquire in windows_find(). */
	__atomic_store_n(&all->turn, turn + 1, __ATOMIC_RELEASE);
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

/* The last entry that begins at @addr or before; NULL: there is none. */
static const struct windows_entry *windows_before(const struct windows_array *array, uint32_t n,
						  uint64_t addr)
{
	uint32_t from = 0;

	while (from < n) {
		uint32_t middle = from + (n - from) / 2;

		if (windows_load(&array->at[middle].base) <= addr)
			from = middle + 1;
		else
			n = middle;
	}
	return from ? &array->at[from - 1] : NULL;
}

bool windows_find(const struct windows *all, uint64_t addr, uint64_t len,
		  const struct dev_window **out)
{
	/* Acquire: pairs with the release in windows_changed(). */
	uint32_t turn = __atomic_load_n(&all->turn, __ATOMIC_ACQUIRE);
	const struct windows_array *array = __atomic_load_n(&all->array, __ATOMIC_ACQUIRE);
	uint32_t n = __atomic_load_n(&all->n, __ATOMIC_ACQUIRE);
	const struct windows_entry *e;

	*out = NULL;
	if (turn & 1 || !array || n > array->room ||
	    !__atomic_load_n(&all->sorted, __ATOMIC_ACQUIRE))
		return false;
	e = windows_before(array, n, addr);
	if (e) {
		uint64_t off = addr - windows_load(&e->base), size = windows_load(&e->len);

		if (off < size && len <= size - off)
			*out = __atomic_load_n(&e->window, __ATOMIC_ACQUIRE);
	}
	return __atomic_load_n(&all->turn, __ATOMIC_RELAXED) == turn;
}
