// SPDX-License-Identifier: MIT
/*
 * Keeps the index of a PE's windows, which operations of the host and of kernels search: finding one
 * of many takes as many steps as their number has bits. A search that meets a change, or windows
 * that overlap, goes through the list in the state.
 */
#ifndef MORI_CORE_WINDOWS_H
#define MORI_CORE_WINDOWS_H

#include "abi/state.h"

#include <stdbool.h>

struct windows_array {
	struct windows_array *older; /* a search may still be in it */
	uint32_t room;
	struct dev_window_entry at[];
};

struct windows {
	struct windows_array *array; /* what the index leads to; NULL: nothing yet */
};

/* After every change of a window in the list @first, one change at a time. */
void windows_changed(struct windows *all, struct dev_window_index *x,
		     const struct dev_window *first);
/* When nobody searches any more. */
void windows_free(struct windows *all);

#endif
