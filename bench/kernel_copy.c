// SPDX-License-Identifier: MIT
/*
 * Put and get from kernels of PE 0 on memory of PE 1, beside a copy by a plain kernel of
 * the same grid and, for bandwidth, the copy that the machine has for memory. They take
 * turns on the same bytes.
 */
#include "kernel.h"

#include <string.h>

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
	int get = is_get(b), err = 0;
	uint64_t seen;

	if (!strcmp(b->opt->device, "cpu")) {
		for (size_t i = 0; i < n; i++, bench_keep())
			memcpy(get ? b->dst : b->peer_dst, get ? b->peer_src : b->src, b->len);
		return 0;
	}
	for (size_t i = 0; i < n && !err; i++)
		err = get ? mori_shmem_getmem_on_stream(b->dst, b->src, b->len, 1, 0, NULL) :
			    mori_shmem_putmem_on_stream(b->dst, b->src, b->len, 1, 0, NULL);
	return err ? err : kernel_read(b, &seen, &b->kernel->words->ns, sizeof(seen));
}

/* New bytes to send, and poison where they shall arrive. */
static int fresh(struct bench *b)
{
	int err;

	b->seed++;
	err = kernel_fill(b, b->src, b->len, b->me);
	if (!err)
		err = kernel_fill(b, b->dst, b->len, -1);
	return err ? err : api_barrier();
}

static int measure(struct bench *b, size_t *batch)
{
	int err = fresh(b), direct = !strcmp(b->path, "p2p");

	if (!err && b->me == 0)
		err = bench_turns(b, run_copy, direct && !by_clock(b) ? run_memcpy : NULL,
				  direct ? run_plain : NULL, batch);
	return err ? err : api_barrier();
}

/* Everything is new, the kernel runs once more, and every byte and the guards are looked at. */
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

static int row(struct bench *b)
{
	int err = bench_open_buffers(b, b->len + KERNEL_GUARD), right = 1;
	size_t batch = 1;

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
