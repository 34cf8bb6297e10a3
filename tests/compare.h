// SPDX-License-Identifier: MIT
/* What a comparison of two words should say, for the tests of waits on either side. */
#ifndef MORI_TESTS_COMPARE_H
#define MORI_TESTS_COMPARE_H

#include <mori/shmem_types.h>

#include <stdint.h>
#include <string.h>

static inline uint64_t compare_widen(size_t size, int is_signed, uint64_t v)
{
	if (size == 8)
		return v;
	return is_signed ? (uint64_t)(int64_t)(int32_t)v : (uint32_t)v;
}

static inline int compare_holds(size_t size, int is_signed, int cmp, uint64_t a, uint64_t b)
{
	int less, same;

	a = compare_widen(size, is_signed, a);
	b = compare_widen(size, is_signed, b);
	less = is_signed ? (int64_t)a < (int64_t)b : a < b;
	same = a == b;
	switch (cmp) {
	case MORI_SHMEM_CMP_EQ:
		return same;
	case MORI_SHMEM_CMP_NE:
		return !same;
	case MORI_SHMEM_CMP_GT:
		return !less && !same;
	case MORI_SHMEM_CMP_GE:
		return !less;
	case MORI_SHMEM_CMP_LT:
		return less;
	default:
		return less || same;
	}
}

/* Element @i of words of @size bytes. */
static inline void compare_put(size_t size, void *words, size_t i, uint64_t v)
{
	memcpy((char *)words + i * size, &v, size);
}

#endif
