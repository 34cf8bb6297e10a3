// SPDX-License-Identifier: MIT
/* What a wait waits for, in words: for reports of host threads and of kernels on the CPU. */
#ifndef MORI_ACCEL_WAIT_TEXT_H
#define MORI_ACCEL_WAIT_TEXT_H

#include "abi/scope.h"
#include "abi/state.h"

#include <stddef.h>

/* A word, and how it is to compare with a value, which is extended as its kind asks. */
struct wait_word {
	const void *addr;
	int kind; /* enum dev_kind; -1: unknown */
	int cmp;
	uint64_t value;
};

/*
 * "0x7f0040000040 (heap + 0x40) == 1, which is 0". @seen: what the word holds, extended likewise;
 * NULL: unknown, and the last part is left out.
 */
void wait_text(const struct dev_state *st, const struct wait_word *w, const uint64_t *seen,
	       char *text, size_t size);
/* What the word of memory that the CPU can load holds now. @w->kind is known. */
uint64_t wait_text_seen(const struct wait_word *w);

#endif
