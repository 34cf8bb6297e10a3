// SPDX-License-Identifier: MIT
/*
 * Devices: the memory a PE's heap is made of. A device is one const table of
 * operations; only accel.c calls through it. Memory is made once a node and
 * mapped once a process, so an object is a descriptor that can be handed on.
 */
#ifndef MORI_ACCEL_ACCEL_H
#define MORI_ACCEL_ACCEL_H

#include <mori/shmem.h>

struct accel_ops; /* private to this folder */
struct accel_module;
struct dev_state;

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

/* A launch; whoever calls has checked nothing. */
struct accel_launch {
	const char *kernel;
	const unsigned *grid, *block; /* [3] each */
	size_t shared;		      /* bytes of a block, besides what the kernel has */
	void **args;		      /* args[i] points at the i-th argument */
	void *stream;
	const struct dev_state *state;
	uint64_t idle_ns; /* how long all threads may only wait; 0: no limit */
	void (*idle)(
		struct dev_state *state); /* called while they only wait, where the host sees it */
	size_t stack;			  /* bytes a thread, where it is ours to say */
};

/* Where a launch ended that did not end well; -1 and 0 where it cannot be said. */
struct accel_fault {
	uint64_t addr;
	int block[3], thread[3];
};

/* A module of this PE's own; EINVAL: no image for this device. */
int accel_module_load(const struct accel *a, const void *image, size_t len,
		      struct accel_module **out);
/* One that the user has loaded by the device's own means, and unloads so. */
int accel_module_borrow(const struct accel *a, void *native, struct accel_module **out);
void accel_module_unload(const struct accel *a, struct accel_module *m);
/*
 * Its kernels act for @state from now on. ENOENT: it does not use the library;
 * EABI: it was made for another version.
 */
int accel_module_link(const struct accel *a, struct accel_module *m, struct dev_state *state);
/* What a module tells of its kernels; ENOTSUP where the device does not. See <mori/shmem.h>. */
int accel_module_kernel(const struct accel *a, struct accel_module *m, size_t index,
			const char **name);
int accel_kernel_params(const struct accel *a, struct accel_module *m, const char *name,
			mori_shmem_param_t *params, size_t room);
/* EFAULT and ETIMEDOUT are faults of the kernel, and *fault says where. One at a time a module. */
int accel_launch(const struct accel *a, struct accel_module *m, const struct accel_launch *launch,
		 struct accel_fault *fault);
/* Whether the calling thread is inside a kernel. */
int accel_in_kernel(const struct accel *a);

#endif
