// SPDX-License-Identifier: MIT
/*
 * Put and get from kernels of PE 0 on memory of PE 1, compared with a copy by a plain kernel of
 * the same grid and, for bandwidth, the copy that the machine has for memory. They take
 * turns on the same bytes.
 */
#include "gpu.h"
#include "kernel.h"

#include <stdlib.h>

enum { MOST_A_THREAD = 64 << 10 };

static int is_get(const struct bench *b)
{
	return b->opt->name[0] == 'g';
}

/* Bandwidth is measured by the host, around launches; latency by the clock of the device. */
static int by_clock(const struct bench *b)
{
	return !strstr(b->opt->name, "_bw");
}

static int run_copy(struct bench *b, size_t n)
{
	return kernel_timed(b, b->opt->name, b->scope, n, by_clock(b));
}

static int run_plain(struct bench *b, size_t n)
{
	return kernel_timed(b, is_get(b) ? "plain_get" : "plain_put", NULL, n, by_clock(b));
}

/* The heap of a CPU is memory like any other; elsewhere the device copies, on its stream. */
static int run_memcpy(struct bench *b, size_t n)
{
	void *to = is_get(b) ? b->dst : b->peer_dst, *from = is_get(b) ? b->peer_src : b->src;
	int err = 0;

	if (kernel_on_cpu(b)) {
		for (size_t i = 0; i < n; i++, bench_keep())
			memcpy(to, from, b->len);
		return 0;
	}
	for (size_t i = 0; i < n && !err; i++)
		err = gpu_copy(to, from, b->len, b->kernel->stream);
	return err ? err : kernel_wait(b);
}

/* New bytes to send, and poison where they are to arrive. */
static int fresh(struct bench *b)
{
	int err;

	b->seed++;
	err = kernel_fill(b, b->src, b->len, b->me);
	if (!err)
		err = kernel_fill(b, b->dst, b->len, -1);
	return err ? err : api_barrier();
}

/* The driver's copy may use all of the GPU: compare it with blocks that may, too. */
static int all_of_gpu(const struct bench *b)
{
	return b->scope[0] == 'b' && b->kernel->blocks >= gpu_units() &&
	       !getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
}

static int measure(struct bench *b, size_t *batch)
{
	int err = fresh(b), limits = kernel_limits(b);
	int copies = limits && !by_clock(b) && (kernel_on_cpu(b) || all_of_gpu(b));

	if (!err && b->me == 0)
		err = bench_turns(b, run_copy, copies ? run_memcpy : NULL,
				  limits ? run_plain : NULL, batch);
	return err ? err : api_barrier();
}

/* Fills everything anew, runs the kernel once more, and checks every byte and the guards. */
static int check(struct bench *b, size_t batch, int *right)
{
	int get = is_get(b), err = fresh(b);
	uint64_t wrong = 0;

	if (!err && b->me == 0)
		err = bench_again(b, run_copy, batch);
	if (!err)
		err = api_barrier();
	if (!err && b->me == !get)
		err = kernel_check(b, b->dst, b->len, get, &wrong);
	if (!err && b->me == !!get)
		err = kernel_check(b, b->src, b->len, b->me, &wrong);
	*right = !wrong;
	return err ? err : bench_agree(b, *right, right);
}

/* A few threads of a GPU take seconds for sizes they are not meant for. */
static int too_much(const struct bench *b)
{
	size_t threads = (size_t)b->kernel->blocks * b->kernel->threads;

	return !kernel_on_cpu(b) && b->len / threads > MOST_A_THREAD;
}

static int row(struct bench *b)
{
	int err, right = 1;
	size_t batch = 1;

	if (too_much(b))
		return 0;
	err = bench_open_buffers(b, b->len + KERNEL_GUARD);
	if (!err)
		err = measure(b, &batch);
	if (!err)
		err = check(b, batch, &right);
	if (!err)
		err = bench_close_buffers(b);
	if (err || !right)
		return -1;
	return by_clock(b) ? bench_row(b, "us", 1) : bench_row(b, "GB/s", (double)b->len);
}

int kernel_copy(struct bench *b)
{
	return kernel_rows(b, "data", "copy", row);
}
