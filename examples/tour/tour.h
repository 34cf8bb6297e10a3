// SPDX-License-Identifier: MIT
/*
 * The tour: what every part of it shares. One struct tour a PE; nothing in the
 * program is global, so that PEs can be threads of one process.
 */
#ifndef TOUR_H
#define TOUR_H

#include <mori/shmem.h>

/* How the terminal wants it; only PE 0 prints. */
struct style {
	int on;	   /* print at all */
	int color; /* a terminal, and NO_COLOR is not set */
	int utf8;
};

struct tour {
	int me, n;
	const char *device; /* of this PE: cpu, cuda */
	int plain; /* the heap is ordinary memory, which loads and stores of a host reach */
	struct style style;
	uint64_t *failures; /* symmetric; failed checks of all PEs are counted on PE 0 */
	uint64_t failed;    /* as it was after the last step, the same on every PE */
	int steps;
	mori_shmem_module_t *module; /* the kernels, between kernels_open() and kernels_close() */
	int kernels_left_out;	     /* the same on every PE */
};

/* What a step found on this PE. Time and text are shown for PE 0. */
struct result {
	const char *title;
	const char *how; /* the calls that did it */
	char what[160];	 /* what it did, for a person */
	double ns;	 /* median time of @unit */
	const char *unit;
	char grid[64]; /* room for a unit that is not a constant */
	double gb_s;   /* 0: not a matter of bandwidth */
	uint64_t bad;  /* checks that failed here */
};

/* show.c: words on the terminal */
void style_find(struct style *s, int on);
const char *style_arrow(const struct style *s);
void show_title(const struct tour *t);
void show_heading(const struct tour *t, const char *text);
void show_step(const struct tour *t, const struct result *r, int ok);
void show_left_out(const struct tour *t, const char *why);
void show_next(const struct tour *t, const char *argv0);
void show_end(const struct tour *t);
void format_ns(char *text, size_t len, double ns);
void format_bytes(char *text, size_t len, double bytes);

/* main.c: a call of the library that must work; says why and ends the program if not */
void must(int status, const char *call);
void *must_have(void *ptr, const char *call);
/* Between this PE's heap, which may be a GPU's memory, and memory of the host. */
void to_heap(const struct tour *t, void *heap, const void *from, size_t bytes);
void from_heap(const struct tour *t, void *to, const void *heap, size_t bytes);
double median(double *v, int n);

/* who.c, steps.c, allreduce.c, kernels.c: every PE calls each of them, in this order */
void who_is_here(struct tour *t);
void step_malloc(struct tour *t, struct result *r);
void step_ring(struct tour *t, struct result *r);
void step_get(struct tour *t, struct result *r);
void step_signal(struct tour *t, struct result *r);
void step_atomics(struct tour *t, struct result *r);
void step_barrier(struct tour *t, struct result *r);
void step_allreduce(struct tour *t, struct result *r);
int kernels_open(struct tour *t); /* whether there are any for the device of this job */
void step_kernel_ring(struct tour *t, struct result *r);
void step_kernel_reduce(struct tour *t, struct result *r);
void kernels_close(struct tour *t);

#endif
