// SPDX-License-Identifier: MIT
/*
 * Public structs that begin with struct_size. The caller sets it to the sizeof its compiler saw, so
 * that fields can be appended without breaking programs that were compiled before.
 */
#ifndef MORI_CORE_SIZED_H
#define MORI_CORE_SIZED_H

#include <stddef.h>

/* 0; MORI_SHMEM_EINVAL if the @size of @what, an argument of @call, can be that of no struct. */
int sized_check(const char *call, const char *what, size_t size, size_t full);
/*
 * Copies the fields of @from, which has @full bytes, that fit into the @size bytes of @to. Fields
 * this library does not know become 0; struct_size of @to stays.
 */
void sized_copy(void *to, size_t size, const void *from, size_t full);

#endif
