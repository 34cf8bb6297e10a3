// SPDX-License-Identifier: MIT
/*
 * Devices: the memory a PE's heap is made of. A device is one const table of
 * operations; only accel.c calls through it. Memory is made once a node and
 * mapped once a process, so an object is a descriptor that can be handed on.
 */
#ifndef MORI_ACCEL_ACCEL_H
#define MORI_ACCEL_ACCEL_H

#include <stddef.h>
#include <stdint.h>

struct accel_ops; /* private to this folder */

struct accel {
	const struct accel_ops *ops;
};

enum accel_kind { ACCEL_AUTO, ACCEL_CPU, ACCEL_CUDA, ACCEL_HIP };

/* MORI_SHMEM_ENOTSUP with the reason where the machine or this build has none. */
int accel_open(enum accel_kind kind, struct accel *out);
const char *accel_name(const struct accel *a);
/* The number of the device a PE of this process sits on. */
int accel_device(const struct accel *a);
/* Bytes of heap where the user did not say. */
uint64_t accel_heap_default(const struct accel *a);

/* A new object of @len bytes, zero, taken as touched; a descriptor to pass on. */
int accel_mem_create(const struct accel *a, const char *name, uint64_t len, int *fd);
/* Map all of it at a multiple of @align (a power of two, at least a page). */
int accel_mem_map(const struct accel *a, int fd, uint64_t len, uint64_t align, void **out);
void accel_mem_unmap(const struct accel *a, void *base, uint64_t len);
/* Give the memory of whole pages back; they read as zero afterwards. */
int accel_mem_discard(const struct accel *a, void *at, uint64_t len);
void accel_mem_zero(const struct accel *a, void *at, uint64_t len);

#endif
