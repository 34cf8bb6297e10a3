// SPDX-License-Identifier: MIT
/*
 * What the host side of the examples shares. Memory of the heap is touched by the
 * library's own calls only, so the same program drives kernels on any device.
 */
#ifndef MORI_EXAMPLES_HOST_H
#define MORI_EXAMPLES_HOST_H

#include <mori/shmem.h>
#include <stddef.h>

struct host {
	mori_shmem_module_t *module;
	const char *kernel;
	int me, n_pes;
	unsigned threads; /* per block, if the example leaves it open */
};

/* Each returns a status, or the number of wrong values, which is positive. */
int run_hello(struct host *h);
int run_put_ring(struct host *h);
int run_get(struct host *h);
int run_put_signal(struct host *h);
int run_value(struct host *h);
int run_atomics(struct host *h);
int run_allreduce_read(struct host *h);
int run_allreduce_put(struct host *h);
int run_allreduce_two_shot(struct host *h);

/* Launch and wait until every PE's launch has ended. */
int launch(struct host *h, unsigned blocks, unsigned threads, void **args);
/* Between memory of the host and this PE's heap. */
int to_heap(struct host *h, void *heap, const void *from, size_t bytes);
int from_heap(struct host *h, void *to, const void *heap, size_t bytes);

#endif
