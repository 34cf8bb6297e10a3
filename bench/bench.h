// SPDX-License-Identifier: MIT
/*
 * What the cases of the bench program share: one struct per PE, the clock, the sampling and the
 * patterns. A case checks its data and writes a row only if all of it was right.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include BENCH_API

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Symmetric words by which the PEs of the bench itself agree; each on a line of its own. */
struct board {
	_Alignas(128) uint64_t told;	/* bench_tell() */
	_Alignas(128) uint64_t wrong;	/* on PE 0: checks that failed */
	_Alignas(128) uint64_t word;	/* for the cases: a word to signal or add to */
	_Alignas(128) uint64_t flag;	/* for the limits: stored to directly */
	_Alignas(128) uint64_t arrived; /* on PE 0: counter barrier */
	_Alignas(128) uint64_t round;	/* on PE 0: counter barrier */
};

struct bench_options {
	const char *name;    /* case to run */
	const size_t *sizes; /* bytes, or floats; one 0 where the case has none */
	size_t n_sizes;
	double row_ns; /* how long to measure a row */
	int spoil;     /* flip a byte before each check: no row may come out */
	int out;       /* rows go there, one write each */
	int threads;   /* PEs in this process */
	/* For kernels. */
	const char *kernels; /* the folder of their images */
	const char *device;  /* that they are for */
	const char *grids;   /* "1x128,8x128": blocks x threads */
};

/* Nanoseconds of one run of an operation. */
struct stats {
	double p50, p99;
};

struct samples {
	double *ns;
	size_t n;
};

struct bench {
	const struct bench_options *opt;
	int me, n_pes;
	const char *path;	   /* "p2p" where load and store reach PE 1, else "net" */
	uint64_t seed;		   /* the same on every PE; new for every size */
	size_t len;		   /* of the row being measured */
	int last;		   /* no other size follows */
	struct board *board;	   /* symmetric */
	unsigned char *src, *dst;  /* symmetric buffers of the case */
	void *peer_src, *peer_dst; /* the same on PE 1, by load and store; else this PE's own */
	uint64_t base;		   /* for cases that count */
	unsigned spins;		   /* polls of a word before the core is yielded */
	void *scratch;		   /* of the reduction */
	struct samples op, limit, plain;
	double batch_ns;	/* how long a batch shall take, at least */
	double clock_ns;	/* the last run by the device's clock; 0: not read */
	const char *scope;	/* of the row, "-" where there is none */
	char grid[24];		/* "8x128", "-" where there is none */
	struct kernels *kernel; /* of bench/kernel.c */
	struct wire *wire;	/* of bench/case_wire.c; NULL before its first use */
};

/* Do it @n times. Where the PEs act together all of them call it with the same @n. */
typedef int (*bench_fn)(struct bench *b, size_t n);

static inline double bench_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Keeps the compiler from merging or dropping the work of a limit. */
static inline void bench_keep(void)
{
	__asm__ volatile("" ::: "memory");
}

/* Spin, then yield between looks, until *word >= value. */
void bench_wait(const struct bench *b, uint64_t *word, uint64_t value);

/* Patterns: a function of seed, PE and position. */
void bench_fill(struct bench *b, void *buf, size_t len, int pe);
int bench_right(struct bench *b, const void *buf, size_t len, int pe);
void bench_poison(void *buf, size_t len);
void bench_spoil(struct bench *b, void *buf, size_t len);

/* Buffers of @len bytes for the case; collective. */
int bench_open_buffers(struct bench *b, size_t len);
int bench_close_buffers(struct bench *b);

/*
 * PE 0 alone: measure @op, @limit and @plain in turn, batch by batch, until the row's time
 * is over; the last two may be NULL. *batch is what @op got; bench_again() adds one more
 * batch of it, for the data that is then checked.
 */
int bench_turns(struct bench *b, bench_fn op, bench_fn limit, bench_fn plain, size_t *batch);
int bench_again(struct bench *b, bench_fn op, size_t batch);

/* All PEs: measure @op, PE 0 holds the clock. */
int bench_together(struct bench *b, bench_fn op, struct samples *out);
/* The same for what PE 0 does alone. */
int bench_alone(struct bench *b, bench_fn op, struct samples *out);

/* Whether PEs 0 and 1 cannot load and store each other's memory; both say the same. */
static inline int bench_over_net(struct bench *b)
{
	return b->n_pes > 1 && !api_ptr(b->board, b->me ? 0 : 1);
}

/*
 * Beside an operation of this path: @memory where load and store reach PE 1, else @wire,
 * over plain sockets that are opened if need be; NULL for a peer's program. Collective.
 */
int bench_limit(struct bench *b, bench_fn memory, bench_fn wire, bench_fn *out);
/* PE 0: @n times the bytes to PE 1 and the same number back, over a plain socket. */
int bench_wire(struct bench *b, size_t n, size_t out, size_t back);
/* Closes the buffers, and the sockets after the last size. */
int bench_limit_end(struct bench *b);

/* PE 0's @value, on every PE; collective. */
int bench_tell(struct bench *b, uint64_t value, uint64_t *out);

/* Before the library starts, in the thread of each PE: what a device needs. */
int bench_begin(const struct bench_options *opt);

/* Collective: was everything @right on every PE? PE 0 gets 1, or 0 and a line on stderr. */
int bench_agree(struct bench *b, int right, int *all);

struct stats bench_stats(struct samples *s);

/* On PE 0: a row. @per: operations (or bytes, or floats) in one run of the function. */
int bench_row(struct bench *b, const char *unit, double per);

/* The cases: those of the host's calls, or those of kernels. */
struct bench_case {
	const char *name;
	int (*run)(struct bench *b);
};
extern const struct bench_case bench_cases[]; /* up to one without a name */

#define CASE(id, ...) int case_##id(struct bench *b);
#include "cases.def"
#include "net_cases.def"
#undef CASE
int case_growth(struct bench *b);

#endif
