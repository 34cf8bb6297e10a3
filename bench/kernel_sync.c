// SPDX-License-Identifier: MIT
/*
 * Kernels that synchronise: put with signal and signal alone between PE 0 and PE 1,
 * and the barrier of all PEs. All PEs launch together; PE 0's clock counts.
 */
#include "kernel.h"

enum { CHECKED_ROUNDS = 8 };

/* PEs that have no part in it only take part in the barriers of the bench. */
static int run_turns(struct bench *b, size_t n)
{
	int err = b->me > 1 ? 0 : kernel_timed(b, b->opt->name, b->scope, n, 1);

	b->kernel->base += n + 1; /* with the one that synchronises them */
	return err;
}

/* PE 0 alone sends; the last value is checked. */
static int run_rate(struct bench *b, size_t n)
{
	int err = b->me ? 0 : kernel_timed(b, "signal_rate", b->scope, n, 1);

	b->kernel->base += n;
	return err;
}

static int row_rate(struct bench *b)
{
	int err = bench_together(b, run_rate, &b->op), right = 1;
	uint64_t word = 0;

	if (!err)
		err = api_barrier();
	if (!err)
		err = kernel_spoil(b, b->kernel->word, sizeof(word));
	if (!err)
		err = kernel_read(b, &word, b->kernel->word, sizeof(word));
	if (!err)
		err = bench_agree(b, b->me != 1 || word == b->kernel->base, &right);
	return err || !right ? -1 : bench_row(b, "us", 1);
}

/* Flags as one would write them for the device, on the same words and turns. */
static int run_plain(struct bench *b, size_t n)
{
	int err = b->me > 1 ? 0 : kernel_timed(b, "plain_pingpong", NULL, n, 1);

	b->kernel->base += n + 1;
	return err;
}

static int run_barrier(struct bench *b, size_t n)
{
	return kernel_timed(b, "barrier", b->scope, n, 1);
}

/* Its flags are one word per PE. */
static int run_plain_barrier(struct bench *b, size_t n)
{
	uint64_t *word = b->kernel->word;
	int err;

	b->kernel->word = b->kernel->out;
	err = kernel_timed(b, "plain_barrier", NULL, n, 1);
	b->kernel->word = word;
	b->kernel->base += n + 1;
	return err;
}

/* Plain flags wait by spinning alone, which only a GPU can. */
static int has_plain(const struct bench *b)
{
	return kernel_limits(b) && !kernel_on_cpu(b) && b->n_pes <= KERNEL_OUT;
}

/* New bytes in each direction; signal, data and guard have the right values. */
static int checked_round(struct bench *b, uint64_t *wrong)
{
	uint64_t word = 0;
	int err;

	b->seed++;
	err = kernel_fill(b, b->src, b->len, b->me);
	if (!err)
		err = kernel_fill(b, b->dst, b->len, -1);
	if (!err)
		err = api_barrier();
	if (!err)
		err = run_turns(b, 1);
	if (!err && b->me < 2)
		err = kernel_check(b, b->dst, b->len, 1 - b->me, wrong);
	if (!err)
		err = kernel_read(b, &word, b->kernel->word, sizeof(word));
	*wrong += b->me < 2 && word != b->kernel->base;
	return err ? err : api_barrier();
}

static int row_turns(struct bench *b)
{
	int err = bench_open_buffers(b, b->len + KERNEL_GUARD), right = 1;
	uint64_t wrong = 0;

	if (!err)
		err = kernel_fill(b, b->src, b->len, b->me);
	if (!err)
		err = api_barrier();
	if (!err)
		err = bench_together(b, run_turns, &b->op);
	if (!err && has_plain(b))
		err = bench_together(b, run_plain, &b->plain);
	for (int i = 0; i < CHECKED_ROUNDS && !err; i++)
		err = checked_round(b, &wrong);
	if (!err)
		err = bench_agree(b, !wrong, &right);
	if (!err)
		err = bench_close_buffers(b);
	return err || !right ? -1 : bench_row(b, "us", 2);
}

/* The rounds of the check are counted in the kernel. */
static int row_barrier(struct bench *b)
{
	uint64_t *wrong_at = &b->kernel->words->wrong, wrong = 0;
	void *args[] = { &b->kernel->word, &wrong_at };
	int err = bench_together(b, run_barrier, &b->op), right = 1;

	if (!err && has_plain(b) && b->kernel->threads >= (unsigned)b->n_pes)
		err = bench_together(b, run_plain_barrier, &b->plain);
	if (!err)
		err = kernel_run(b, b->kernel->own, "barrier_holds", b->scope, args);
	if (!err)
		err = kernel_spoil(b, wrong_at, 2);
	if (!err)
		err = kernel_wrong(b, &wrong);
	if (!err)
		err = bench_agree(b, !wrong, &right);
	return err || !right ? -1 : bench_row(b, "us", 1);
}

int kernel_sync(struct bench *b)
{
	return kernel_rows(b, "data", "sync",
			   !strcmp(b->opt->name, "barrier")	? row_barrier :
			   !strcmp(b->opt->name, "signal_rate") ? row_rate :
								  row_turns);
}
