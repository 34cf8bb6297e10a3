// SPDX-License-Identifier: MIT
/*
 * The kernels that the host library launches itself: one for each operation on a stream, and
 * one for the host's own atomics. Each is called mori_task_<name> and takes the
 * struct by value.
 */
#ifndef MORI_ABI_TASK_H
#define MORI_ABI_TASK_H

#include "abi/scope.h"

#include <stdint.h>

#define DEV_TASKS(X)                                                                               \
	X(barrier) X(quiet) X(signal) X(put_signal) X(put) X(put_host) X(get) X(wait) X(amo) X(copy)

#define DEV_TASK_ID(name) DEV_TASK_##name,
enum dev_task_id { DEV_TASKS(DEV_TASK_ID) DEV_TASK_COUNT };
#undef DEV_TASK_ID

/* Arguments by the names they have in the operations; each task uses some. */
struct dev_task {
	uint64_t ctx; /* of the PE that acts */
	uint64_t dest, src, bytes;
	uint64_t sig, value, compare;
	uint64_t result; /* where an atomic leaves what was there */
	int32_t op, pe, qp;
	int32_t kind, cmp; /* enum dev_kind, enum mori_shmem_cmp */
};

#endif
