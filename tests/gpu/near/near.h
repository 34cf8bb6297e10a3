// SPDX-License-Identifier: MIT
/* What the files of libnear share. */
#ifndef MORI_TESTS_NEAR_H
#define MORI_TESTS_NEAR_H

#include <stddef.h>

/* arena.c: all of malloc()'s memory, so that it can be pinned at once. */
void near_arena(void **base, size_t *len);

#endif
