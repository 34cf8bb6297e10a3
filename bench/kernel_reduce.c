// SPDX-License-Identifier: MIT
/*
 * The all-reduces of examples/kernels, launch by launch, on all PEs at once, compared with the
 * sums alone by a plain kernel of the same grid. Every number of every PE is checked.
 */
#include "kernel.h"

/* Buffers and arguments of a row; kernels take some of them. */
struct reduce {
	uint16_t *inbox;
	uint64_t *flags;
	const void **peers; /* symmetric */
	uint64_t n;	    /* groups of 16 bytes */
	uint64_t round;	    /* launches so far; the kernels count from 1 */
	uint32_t chunks;    /* per peer */
};

static int by_put(const struct bench *b)
{
	return !strcmp(b->opt->name, "allreduce_put");
}

static int of_floats(const struct bench *b)
{
	return !strcmp(b->opt->name, "allreduce_float");
}

static const char *named(const struct bench *b, const char *bf16, const char *floats)
{
	return of_floats(b) ? floats : bf16;
}

/* One launch after another; on a GPU the host is ahead of them. */
static int run_reduce(struct bench *b, size_t n)
{
	struct reduce *r = b->scratch;
	void *few[] = { &b->dst, &b->src, &r->n, &r->flags, &r->round };
	void *many[] = { &b->dst, &b->src, &r->n, &r->inbox, &r->flags, &r->chunks, &r->round };
	const char *name = named(b, b->opt->name, "allreduce_two_shot_float");
	double start = 0;
	int err = 0;

	/* The first one, which is not counted, synchronises the PEs. */
	for (size_t i = 0; i <= n && !err; i++) {
		r->round++;
		err = kernel_start(b, b->kernel->own, name, by_put(b) ? many : few);
		if (!err && !i)
			err = kernel_wait(b);
		start = i ? start : bench_now();
	}
	if (!err)
		err = kernel_wait(b);
	b->clock_ns = bench_now() - start;
	return err;
}

static int run_plain(struct bench *b, size_t n)
{
	struct reduce *r = b->scratch;
	void *args[] = { &b->dst, &r->n, &r->peers };
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = kernel_start(b, b->kernel->data,
				   named(b, "plain_reduce", "plain_reduce_float"), args);
	return err ? err : kernel_wait(b);
}

static int fresh(struct bench *b)
{
	struct reduce *r = b->scratch;
	uint64_t numbers = r->n * (of_floats(b) ? 4 : 8);
	void *args[] = { &b->src, &b->dst, &numbers, &b->seed, &r->peers };
	int err;

	b->seed++;
	err = kernel_data(b, b->kernel->data, named(b, "reduce_fill", "reduce_fill_float"), args);
	return err ? err : api_barrier();
}

static int check(struct bench *b, int *right)
{
	struct reduce *r = b->scratch;
	uint64_t numbers = r->n * (of_floats(b) ? 4 : 8), wrong = 0,
		 *count = &b->kernel->words->wrong;
	void *args[] = { &b->dst, &numbers, &b->seed, &count };
	int err = fresh(b);

	if (!err)
		err = run_reduce(b, 1);
	if (!err)
		err = api_barrier();
	if (!err)
		err = kernel_spoil(b, b->dst, b->len);
	if (!err)
		err = kernel_data(b, b->kernel->data,
				  named(b, "reduce_check", "reduce_check_float"), args);
	if (!err)
		err = kernel_wrong(b, &wrong);
	return err ? err : bench_agree(b, !wrong, right);
}

static int measure(struct bench *b, int *right)
{
	int direct = kernel_limits(b), err = fresh(b);

	if (!err)
		err = bench_together(b, run_reduce, &b->op);
	if (!err)
		err = api_barrier();
	if (!err && direct)
		err = bench_together(b, run_plain, &b->plain);
	if (!err) /* it reads what the others fill for the check */
		err = api_barrier();
	return err ? err : check(b, right);
}

/* Kernel B has a block for each chunk of each peer: the grid is made to fit. */
static void shape(struct bench *b, struct reduce *r)
{
	unsigned pes = (unsigned)b->n_pes;

	b->len = (b->len + 15) & ~(size_t)15;
	r->n = b->len / 16;
	r->chunks = b->kernel->blocks > pes ? b->kernel->blocks / pes : 1;
	if (by_put(b))
		kernel_grid(b, r->chunks * pes, b->kernel->threads);
}

static int row(struct bench *b)
{
	struct reduce r = { .round = 0 };
	size_t pes = (size_t)b->n_pes;
	int err, right = 1;

	shape(b, &r);
	b->scratch = &r;
	err = bench_open_buffers(b, b->len + KERNEL_GUARD);
	r.inbox = err || !by_put(b) ? NULL : api_malloc(2 * b->len * pes);
	r.flags = err ? NULL : api_calloc(2 * b->kernel->blocks * pes, sizeof(*r.flags));
	r.peers = r.flags ? api_malloc(pes * sizeof(*r.peers)) : NULL;
	if (!r.peers || (by_put(b) && !r.inbox))
		return -1;
	err = measure(b, &right);
	if (!err)
		err = api_free(r.peers) || api_free(r.flags);
	if (!err && by_put(b))
		err = api_free(r.inbox);
	if (!err)
		err = bench_close_buffers(b);
	return err || !right ? -1 : bench_row(b, "us", 1);
}

int kernel_reduce(struct bench *b)
{
	return kernel_rows(b, "reduce", named(b, b->opt->name, "allreduce_two_shot"), row);
}
