// SPDX-License-Identifier: MIT
/*
 * The host side of the cases that run as kernels. The host never touches memory of the
 * heap: it fills, checks and reads through kernels and the library's own calls, so the
 * same program serves every device.
 */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include "bench.h"

#include <string.h>

enum {
	KERNEL_GUARD = 64, /* bytes behind a buffer that nobody may write */
	KERNEL_OUT = 1024, /* words in out[]: as many as a block has threads, at most */
};

/* Words in the heap of each PE that kernels report in. */
struct kernel_words {
	_Alignas(128) uint64_t ns;
	_Alignas(128) uint64_t wrong;
	_Alignas(128) uint64_t word; /* for the cases: to signal, to add to */
};

struct kernels {
	api_module data, own;	    /* with fill and check, and of the case */
	unsigned blocks, threads;   /* of the row being measured */
	struct kernel_words *words; /* symmetric */
	uint64_t *out;		    /* symmetric: a word a thread */
	uint64_t *word;		    /* what kernels get as @word: words->word, or out */
	uint64_t base;		    /* for kernels that count from call to call */
	int pe;			    /* whom the kernels of this PE speak to */
	void *stream;		    /* of this PE on a GPU; NULL on the CPU */
};

static inline int kernel_on_cpu(const struct bench *b)
{
	return !strcmp(b->opt->device, "cpu");
}

/* Whether what limits a case is measured with it: by us, where load and store reach. */
static inline int kernel_limits(const struct bench *b)
{
	return !API_IS_PEER && !strcmp(b->path, "p2p");
}

/* The case measures the row of b->scope, b->grid and b->len. */
typedef int (*kernel_row)(struct bench *b);
/*
 * Loads the images @data and @own and calls @row for every grid of every scope that the
 * case has.
 */
int kernel_rows(struct bench *b, const char *data, const char *own, kernel_row row);

/* The grid of the row. */
void kernel_grid(struct bench *b, unsigned blocks, unsigned threads);
/* Launch <name>_<scope>, or <name> for @scope NULL, on the grid of the row; waits for its end. */
int kernel_run(struct bench *b, api_module module, const char *name, const char *scope,
	       void **args);
/* One launch after another on the PE's stream; kernel_wait() until the last has ended. */
int kernel_start(struct bench *b, api_module module, const char *name, void **args);
int kernel_wait(struct bench *b);
/* The same with the parameters of bench/kernels/timed.h; b->clock_ns is set if @clock. */
int kernel_timed(struct bench *b, const char *name, const char *scope, size_t iters, int clock);

/* @len bytes of PE @pe's pattern of b->seed, or poison for @pe < 0; then the guard. */
int kernel_fill(struct bench *b, void *buf, size_t len, int pe);
/* Adds what is not as kernel_fill() made it to *wrong. */
int kernel_check(struct bench *b, void *buf, size_t len, int pe, uint64_t *wrong);
/* Kernels of cases of their own, with a word that counts what is wrong as the last argument. */
int kernel_data(struct bench *b, api_module module, const char *name, void **args);
int kernel_wrong(struct bench *b, uint64_t *wrong);
/* With --spoil, flips a byte of this PE's heap before a check. */
int kernel_spoil(struct bench *b, void *buf, size_t len);

/* Between the host and this PE's heap. */
int kernel_read(struct bench *b, void *to, const void *heap, size_t len);
int kernel_write(struct bench *b, void *heap, const void *from, size_t len);

/* The groups of cases; b->opt->name says which case it is. */
int kernel_copy(struct bench *b);
int kernel_word(struct bench *b);
int kernel_sync(struct bench *b);
int kernel_reduce(struct bench *b);
int kernel_host(struct bench *b);

#endif
