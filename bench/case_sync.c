// SPDX-License-Identifier: MIT
/*
 * Calls that synchronise the PEs: put with signal back and forth, barrier, malloc and
 * free. Their limits use the same memory by plain loads and stores.
 */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { CHECKED_ROUNDS = 32, BLOCK = 4096 };

static int run_pingpong(struct bench *b, size_t n)
{
	int err = 0, peer = 1 - b->me;

	for (size_t i = 0; i < n && !err; i++) {
		uint64_t turn = ++b->base;

		if (b->me)
			err = api_wait_ge(&b->board->word, turn);
		err |= api_put_signal(b->dst, b->src, b->len, &b->board->word, turn, peer);
		if (!b->me)
			err |= api_wait_ge(&b->board->word, turn);
	}
	return err;
}

/* b->peer_dst is the other's buffer here, on both PEs, and b->scratch the other's flag. */
static int limit_pingpong(struct bench *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t turn = ++b->base;

		if (b->me)
			bench_wait(b, &b->board->flag, turn);
		memcpy(b->peer_dst, b->src, b->len);
		/* Release: pairs with the acquire in bench_wait() on the other PE. */
		__atomic_store_n((uint64_t *)b->scratch, turn, __ATOMIC_RELEASE);
		if (!b->me)
			bench_wait(b, &b->board->flag, turn);
	}
	return 0;
}

/* The data and a flag in each direction. */
static int wire_pingpong(struct bench *b, size_t n)
{
	return bench_wire(b, n, b->len + 8, b->len + 8);
}

/* New bytes in each direction, checked as soon as the signal has arrived. */
static int checked_round(struct bench *b, int *right)
{
	uint64_t turn = ++b->base;
	int err = 0, peer = 1 - b->me;

	b->seed++;
	for (int half = 0; half < 2 && !err; half++) {
		if (half == b->me) {
			bench_fill(b, b->src, b->len, b->me);
			err = api_put_signal(b->dst, b->src, b->len, &b->board->word, turn, peer);
		} else {
			err = api_wait_ge(&b->board->word, turn);
			bench_spoil(b, b->dst, b->len);
			*right &= bench_right(b, b->dst, b->len, peer);
			bench_poison(b->dst, b->len);
		}
	}
	return err;
}

int case_pingpong(struct bench *b)
{
	int err = bench_open_buffers(b, b->len ? b->len : 8), right = 1;
	bench_fn limit = NULL;

	bench_poison(b->dst, b->len);
	bench_fill(b, b->src, b->len, b->me);
	b->limit.n = 0;
	if (!err && b->n_pes == 2)
		err = api_barrier();
	if (!err)
		err = bench_together(b, run_pingpong, &b->op);
	right = bench_right(b, b->dst, b->len, 1 - b->me);
	bench_poison(b->dst, b->len);
	if (!err)
		err = api_barrier();
	for (int i = 0; i < CHECKED_ROUNDS && !err; i++)
		err = checked_round(b, &right);
	b->peer_dst = api_ptr(b->dst, 1 - b->me);
	b->scratch = api_ptr(&b->board->flag, 1 - b->me);
	if (!err)
		err = bench_limit(b, limit_pingpong, wire_pingpong, &limit);
	if (!err && limit && !bench_over_net(b))
		err = bench_together(b, limit, &b->limit);
	else if (!err && limit && !b->me) /* a thread of PE 1 has the other end */
		err = bench_alone(b, limit, &b->limit);
	if (!err)
		err = bench_agree(b, right, &right);
	if (!err)
		err = bench_limit_end(b);
	return err || !right ? -1 : bench_row(b, "us", 2);
}

static int run_barrier(struct bench *b, size_t n)
{
	int err = 0;

	(void)b;
	for (size_t i = 0; i < n && !err; i++)
		err = api_barrier();
	return err;
}

/* The last PE to add to the counter releases the others; b->scratch is PE 0's board. */
static int limit_barrier(struct bench *b, size_t n)
{
	struct board *board = b->scratch;

	for (size_t i = 0; i < n; i++) {
		uint64_t round = ++b->base;
		uint64_t here = __atomic_add_fetch(&board->arrived, 1, __ATOMIC_ACQ_REL);

		if (here == round * (uint64_t)b->n_pes)
			/* Release: pairs with the acquire in bench_wait(). */
			__atomic_store_n(&board->round, round, __ATOMIC_RELEASE);
		else
			bench_wait(b, &board->round, round);
	}
	return 0;
}

/* What the left neighbour wrote before a barrier is there after it. */
static int barrier_holds(struct bench *b, int *right)
{
	int next = (b->me + 1) % b->n_pes, left = (b->me + b->n_pes - 1) % b->n_pes, err = 0;

	for (uint64_t i = 1; i <= CHECKED_ROUNDS && !err; i++) {
		err = api_p(&b->board->word, i << 20 | (uint64_t)b->me, next);
		if (!err)
			err = api_barrier();
		bench_spoil(b, &b->board->word, 8);
		*right &= __atomic_load_n(&b->board->word, __ATOMIC_RELAXED) ==
			  (i << 20 | (uint64_t)left);
		if (!err)
			err = api_barrier();
	}
	return err;
}

int case_barrier(struct bench *b)
{
	int right = 1, err = bench_together(b, run_barrier, &b->op);

	b->path = bench_over_net(b) ? "net" : "p2p";
	b->scratch = api_ptr(b->board, 0);
	b->base = 0;
	b->limit.n = 0;
	if (!err && b->scratch && *b->path == 'p')
		err = bench_together(b, limit_barrier, &b->limit);
	if (!err)
		err = barrier_holds(b, &right);
	if (!err)
		err = bench_agree(b, right, &right);
	return err || !right ? -1 : bench_row(b, "us", 1);
}

static int run_malloc(struct bench *b, size_t n)
{
	int err = 0;

	(void)b;
	for (size_t i = 0; i < n && !err; i++) {
		void *block = api_malloc(BLOCK);

		err = !block || api_free(block) ? -1 : 0;
	}
	return err;
}

/* Two blocks at once, each written by the neighbour, have the right contents. */
static int blocks_hold(struct bench *b, int *right)
{
	int next = (b->me + 1) % b->n_pes, left = (b->me + b->n_pes - 1) % b->n_pes, err;

	b->seed++;
	err = bench_open_buffers(b, BLOCK);
	if (err)
		return err;
	bench_fill(b, b->src, BLOCK, b->me);
	bench_poison(b->dst, BLOCK);
	err = api_barrier();
	if (!err)
		err = api_put(b->dst, b->src, BLOCK, next);
	if (!err)
		err = api_barrier();
	bench_spoil(b, b->dst, BLOCK);
	*right = bench_right(b, b->dst, BLOCK, left) && bench_right(b, b->src, BLOCK, b->me);
	return err ? err : bench_close_buffers(b);
}

int case_malloc(struct bench *b)
{
	int right = 1, err = bench_together(b, run_malloc, &b->op);

	b->limit.n = 0;
	if (!err)
		err = blocks_hold(b, &right);
	if (!err)
		err = bench_agree(b, right, &right);
	return err || !right ? -1 : bench_row(b, "us", 1);
}

/* The command measures the time of this case; here only: did every PE arrive? */
int case_job(struct bench *b)
{
	int right = 1, err = 0, next = (b->me + 1) % b->n_pes;
	int left = (b->me + b->n_pes - 1) % b->n_pes;

	err = api_p(&b->board->word, 1 + (uint64_t)b->me, next);
	if (!err)
		err = api_barrier();
	bench_spoil(b, &b->board->word, 8);
	right = __atomic_load_n(&b->board->word, __ATOMIC_RELAXED) == 1 + (uint64_t)left;
	if (!right)
		fprintf(stderr, "mori-bench: job: wrong data on PE %d\n", b->me);
	return err || !right ? -1 : 0;
}
