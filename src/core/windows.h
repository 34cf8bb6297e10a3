// SPDX-License-Identifier: MIT
/*
 * The windows of a PE in the order of their addresses, for the host's operations: finding one takes
 * as many steps as their number has bits. Kernels search the list in the state, and so does a
 * search here that meets a change, or windows that overlap.
 */
#ifndef MORI_CORE_WINDOWS_H
#define MORI_CORE_WINDOWS_H

#include "abi/state.h"

#include <stdbool.h>

struct windows_entry {
	uint64_t base, len;
	const struct dev_window *window;
};

struct windows_array {
	struct windows_array *older; /* a search may still be in it */
	uint32_t room;
	struct windows_entry at[];
};

struct windows {
	uint32_t turn; /* atomic; odd: a change is under way */
	uint32_t n;
	bool sorted; /* @array holds all of them, and none overlaps another */
	struct windows_array *array;
};

/* After every change of a window in the list @first, one change at a time. */
void windows_changed(struct windows *all, const struct dev_window *first);
void windows_free(struct windows *all);

/*
 * Whether the answer is known: the window that holds @len bytes at @addr, or NULL. Any thread, at
 * any time.
 */
bool windows_find(const struct windows *all, uint64_t addr, uint64_t len,
		  const struct dev_window **out);

#endif
