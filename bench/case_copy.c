// SPDX-License-Identifier: MIT
/*
 * Put and get of many sizes, PE 0 against PE 1 while PE 1 waits in a barrier,
 * compared with memcpy between the very same bytes. The two take turns, so the caches
 * and the machine's load are the same for both. Over a network a plain socket takes
 * memcpy's place.
 */
#include "bench.h"

#include <string.h>

/* How many put_nbi or get_nbi before a quiet: as many as move 4 MiB, at most 64. */
static size_t window(size_t len)
{
	size_t n = len ? ((size_t)4 << 20) / len : 64;

	return n > 64 ? 64 : n ? n : 1;
}

static int run_put(struct bench *b, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n; i++) {
		err |= api_put(b->dst, b->src, b->len, 1);
		err |= api_quiet();
	}
	return err;
}

static int run_get(struct bench *b, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n; i++)
		err |= api_get(b->dst, b->src, b->len, 1);
	return err;
}

static int run_put_window(struct bench *b, size_t n)
{
	size_t many = window(b->len);
	int err = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < many; k++)
			err |= api_put_nbi(b->dst, b->src, b->len, 1);
		err |= api_quiet();
	}
	return err;
}

static int run_get_window(struct bench *b, size_t n)
{
	size_t many = window(b->len);
	int err = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < many; k++)
			err |= api_get_nbi(b->dst, b->src, b->len, 1);
		err |= api_quiet();
	}
	return err;
}

static void copy(void *dst, const void *src, size_t len, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		memcpy(dst, src, len);
		bench_keep();
	}
}

static int limit_put(struct bench *b, size_t n)
{
	copy(b->peer_dst, b->src, b->len, n);
	return 0;
}

static int limit_get(struct bench *b, size_t n)
{
	copy(b->dst, b->peer_src, b->len, n);
	return 0;
}

static int limit_put_window(struct bench *b, size_t n)
{
	return limit_put(b, n * window(b->len));
}

static int limit_get_window(struct bench *b, size_t n)
{
	return limit_get(b, n * window(b->len));
}

/* The same over plain sockets: the data in one direction, a word in the other. */
static int wire_put(struct bench *b, size_t n)
{
	return bench_wire(b, n, b->len, 8);
}

static int wire_get(struct bench *b, size_t n)
{
	return bench_wire(b, n, 8, b->len);
}

static int wire_put_window(struct bench *b, size_t n)
{
	return bench_wire(b, n, b->len * window(b->len), 8);
}

static int wire_get_window(struct bench *b, size_t n)
{
	return bench_wire(b, n, 8, b->len * window(b->len));
}

/* New bytes to send, and poison where they are to arrive. */
static int fresh(struct bench *b)
{
	b->seed++;
	bench_fill(b, b->src, b->len, b->me);
	bench_poison(b->dst, b->len);
	return api_barrier();
}

/*
 * The limit writes the right bytes too. After the measurement everything is therefore
 * filled anew, the operation runs one more batch, and that batch is checked.
 */
static int measure(struct bench *b, bench_fn op, bench_fn limit, bench_fn wire, int from, int at)
{
	int err = bench_open_buffers(b, b->len), right = 1;
	size_t batch = 1;

	if (!err)
		err = bench_limit(b, limit, wire, &limit);
	if (!err)
		err = fresh(b);
	if (!err && b->me == 0)
		err = bench_turns(b, op, limit, NULL, &batch);
	if (!err)
		err = api_barrier();
	if (!err)
		err = fresh(b);
	if (!err && b->me == 0)
		err = bench_again(b, op, batch);
	if (!err)
		err = api_barrier();
	if (!err && b->me == at) {
		bench_spoil(b, b->dst, b->len);
		right = bench_right(b, b->dst, b->len, from);
	}
	if (!err)
		err = bench_agree(b, right, &right);
	if (!err)
		err = bench_limit_end(b);
	return err || !right ? -1 : 0;
}

int case_put_lat(struct bench *b)
{
	return measure(b, run_put, limit_put, wire_put, 0, 1) ? -1 : bench_row(b, "us", 1);
}

int case_get_lat(struct bench *b)
{
	return measure(b, run_get, limit_get, wire_get, 1, 0) ? -1 : bench_row(b, "us", 1);
}

int case_put_bw(struct bench *b)
{
	double bytes = (double)(b->len * window(b->len));

	return measure(b, run_put_window, limit_put_window, wire_put_window, 0, 1) ?
		       -1 :
		       bench_row(b, "GB/s", bytes);
}

int case_get_bw(struct bench *b)
{
	double bytes = (double)(b->len * window(b->len));

	return measure(b, run_get_window, limit_get_window, wire_get_window, 1, 0) ?
		       -1 :
		       bench_row(b, "GB/s", bytes);
}
