// SPDX-License-Identifier: MIT
/*
 * mori-tour: a walk through symmetric memory. Every PE runs run_pe(); PE 0 talks.
 * Exit status 0 if all checks held, 1 if one did not. With the argument `kernels` it
 * takes the steps with kernels only.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tour.h"

void must(int status, const char *call)
{
	if (!status)
		return;
	fprintf(stderr, "mori-tour: %s: %s\n", call, mori_shmem_last_error());
	exit(1);
}

void *must_have(void *ptr, const char *call)
{
	must(ptr ? 0 : MORI_SHMEM_ENOMEM, call);
	return ptr;
}

void to_heap(const struct tour *t, void *heap, const void *from, size_t bytes)
{
	must(mori_shmem_putmem_thread(heap, from, bytes, t->me, 0), "put");
}

void from_heap(const struct tour *t, void *to, const void *heap, size_t bytes)
{
	must(mori_shmem_getmem_thread(to, heap, bytes, t->me, 0), "get");
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median(double *v, int n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2];
}

/* One step on every PE, its failures counted on PE 0, and the verdict known everywhere. */
static void run_step(struct tour *t, void (*step)(struct tour *, struct result *))
{
	struct result r = { .bad = 0 };
	uint64_t failed;

	step(t, &r);
	if (r.bad)
		must(mori_shmem_uint64_atomic_add_thread(t->failures, r.bad, 0, 0), "atomic_add");
	must(mori_shmem_barrier_all(), "barrier_all");
	failed = mori_shmem_uint64_g(t->failures, 0, 0);
	must(mori_shmem_check(NULL), "uint64_g");
	t->steps++;
	show_step(t, &r, failed == t->failed);
	t->failed = failed;
	/* Nobody may count a failure of the next step before all have read this one's. */
	must(mori_shmem_barrier_all(), "barrier_all");
}

static void run_host_steps(struct tour *t)
{
	show_heading(t, "What they can do");
	run_step(t, step_malloc);
	run_step(t, step_ring);
	run_step(t, step_get);
	run_step(t, step_signal);
	run_step(t, step_atomics);
	run_step(t, step_barrier);
	run_step(t, step_allreduce);
}

static void run_kernel_steps(struct tour *t)
{
	show_heading(t, "What their kernels can do");
	if (!kernels_open(t))
		return;
	run_step(t, step_kernel_ring);
	run_step(t, step_kernel_reduce);
	kernels_close(t);
}

/* What the command line says. */
struct start {
	const char *name; /* of the program */
	int kernels_only;
};

/* A PE from its birth to its end. */
static void *run_pe(void *arg)
{
	const struct start *start = arg;
	struct tour t = { .steps = 0 };
	int failed;

	must(mori_shmem_init(), "init");
	t.me = mori_shmem_my_pe();
	t.n = mori_shmem_n_pes();
	t.device = must_have((void *)mori_shmem_device_name(), "device_name");
	t.plain = !strcmp(t.device, "cpu");
	style_find(&t.style, t.me == 0);
	t.failures = must_have(mori_shmem_calloc(1, sizeof(*t.failures)), "calloc");

	who_is_here(&t);
	if (!start->kernels_only)
		run_host_steps(&t);
	run_kernel_steps(&t);
	show_end(&t);
	if (!t.failed && !start->kernels_only)
		show_next(&t, start->name);

	failed = t.failed != 0;
	must(mori_shmem_free(t.failures), "free");
	must(mori_shmem_finalize(), "finalize");
	return failed ? run_pe : NULL; /* any address will do for "failed" */
}

/*
 * `mori run --threads T` asks each process for T PEs by MORI_THREADS. A program
 * that wants to be run so starts that many threads; each becomes a PE by its own
 * mori_shmem_init(). Without --threads there is one, and main() is it.
 */
static int threads_wanted(void)
{
	const char *text = getenv("MORI_THREADS");
	int n = text ? atoi(text) : 1;

	return n > 1 ? n : 1;
}

int main(int argc, char **argv)
{
	struct start start = { .name = argv[0], .kernels_only = argc > 1 };
	int n = threads_wanted(), failed = 0;
	pthread_t *thread;
	void *result;

	if (argc > 2 || (argc == 2 && strcmp(argv[1], "kernels"))) {
		printf("usage: mori run -n N [--threads T] %s [kernels]\n", argv[0]);
		return strcmp(argv[1], "--help") ? 2 : 0;
	}
	if (n == 1)
		return run_pe(&start) ? 1 : 0;

	thread = calloc(n, sizeof(*thread));
	if (!thread)
		return 1;
	for (int i = 0; i < n; i++) {
		if (pthread_create(&thread[i], NULL, run_pe, &start)) {
			fprintf(stderr, "mori-tour: cannot start thread %d of %d\n", i, n);
			return 1; /* the others would wait for a PE that never comes */
		}
	}
	for (int i = 0; i < n; i++) {
		pthread_join(thread[i], &result);
		failed |= result != NULL;
	}
	free(thread);
	return failed;
}
