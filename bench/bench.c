// SPDX-License-Identifier: MIT
/*
 * The bench program: every PE of a job runs it, PE 0 writes the rows. `mori perf`
 * starts it. It is built once over each library that is compared, through
 * BENCH_API. Exit status 0, 1 if anything failed or any data was wrong, 2 for a wrong option.
 */
#include "bench.h"

#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SAMPLES = 20000, MAX_SIZES = 64 };

/* One PE of this process and the costs of its life. */
struct worker {
	const struct bench_options *opt;
	pthread_t thread;
	int err;
	int n_pes;
	double init_ms, barrier_us, finalize_ms, rss_kb;
};

/* Resident memory of the process, in KiB; 0 if the system does not report it. */
static double resident_kb(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	double kb = 0;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "VmRSS: %lf", &kb) == 1)
			break;
	}
	if (f)
		fclose(f);
	return kb;
}

static int run_sizes(struct bench *b, int (*run)(struct bench *))
{
	int err = 0;

	for (size_t i = 0; i < b->opt->n_sizes && !err; i++) {
		b->len = b->opt->sizes[i];
		b->last = i + 1 == b->opt->n_sizes;
		err = run(b);
	}
	return err;
}

static int run_case(struct bench *b)
{
	static const struct board zero;
	cpu_set_t mine;
	long cores = sched_getaffinity(0, sizeof(mine), &mine) ? sysconf(_SC_NPROCESSORS_ONLN) :
								 CPU_COUNT(&mine);
	int err;

	b->me = api_my_pe();
	b->n_pes = api_n_pes();
	b->path = "p2p";
	b->spins = b->n_pes > cores ? 1 : 4000;
	b->op.ns = calloc(MAX_SAMPLES, sizeof(double));
	b->limit.ns = calloc(MAX_SAMPLES, sizeof(double));
	b->plain.ns = calloc(MAX_SAMPLES, sizeof(double));
	b->board = api_malloc(sizeof(*b->board));
	if (!b->op.ns || !b->limit.ns || !b->plain.ns || !b->board)
		return -1;
	err = api_put(b->board, &zero, sizeof(zero), b->me);
	if (!err)
		err = api_barrier();
	for (const struct bench_case *c = bench_cases; c->name && !err; c++) {
		if (!strcmp(c->name, b->opt->name))
			err = run_sizes(b, c->run);
	}
	return err ? err : api_free(b->board);
}

/*
 * A PE that failed does not finalize: the others may wait for it anywhere,
 * and the launcher ends them when this process does.
 */
static void *worker_run(void *arg)
{
	struct worker *w = arg;
	struct bench b = { .opt = w->opt, .seed = 1, .batch_ns = 5e3, .scope = "-", .grid = "-" };
	double start;

	w->err = bench_begin(w->opt);
	start = bench_now();
	if (!w->err)
		w->err = api_init();
	w->init_ms = (bench_now() - start) / 1e6;
	if (!w->err)
		w->err = run_case(&b);
	if (w->err) {
		fprintf(stderr, "mori-bench: %s failed on PE %d: %s\n", w->opt->name, b.me,
			api_error());
		exit(1);
	}
	w->n_pes = b.n_pes;
	w->rss_kb = resident_kb() / w->opt->threads;
	w->barrier_us = b.me ? 0 : bench_stats(&b.op).p50 / 1e3;
	start = bench_now();
	w->err = api_finalize();
	w->finalize_ms = (bench_now() - start) / 1e6;
	free(b.op.ns);
	free(b.limit.ns);
	free(b.plain.ns);
	return NULL;
}

/* A separate case if kernels are measured. */
static int init_row(const struct bench_options *opt, const struct worker *w)
{
	double slowest = 0;
	char line[160];
	int len;

	for (int i = 0; i < opt->threads; i++)
		slowest = fmax(slowest, w[i].init_ms);
	len = snprintf(line, sizeof(line), "init,0,%d,%s,p2p,%.6g,%.6g,ms,host,-\n", w->n_pes,
		       API_NAME, slowest, slowest);
	return write(opt->out, line, (size_t)len) == len ? 0 : -1;
}

static int growth_row(const struct bench_options *opt, int n_pes, const char *what, double value,
		      const char *unit)
{
	char line[160];
	int len =
		snprintf(line, sizeof(line), "growth_%s,0,%d,%s,%s,%.6g,%.6g,%s,-,-\n", what, n_pes,
			 API_NAME, opt->threads > 1 ? "threads" : "processes", value, value, unit);

	return write(opt->out, line, (size_t)len) == len ? 0 : -1;
}

/* The slowest PE of this process; the reader of the rows takes the slowest process. */
static int growth_rows(const struct bench_options *opt, const struct worker *w, int n)
{
	struct worker max = *w;
	int err;

	for (int i = 0; i < n; i++) {
		max.init_ms = fmax(max.init_ms, w[i].init_ms);
		max.barrier_us = fmax(max.barrier_us, w[i].barrier_us);
		max.finalize_ms = fmax(max.finalize_ms, w[i].finalize_ms);
		max.rss_kb = fmax(max.rss_kb, w[i].rss_kb);
	}
	err = growth_row(opt, max.n_pes, "init", max.init_ms, "ms");
	if (max.barrier_us > 0) /* only the process of PE 0 measures it */
		err |= growth_row(opt, max.n_pes, "barrier", max.barrier_us, "us");
	err |= growth_row(opt, max.n_pes, "finalize", max.finalize_ms, "ms");
	return err | growth_row(opt, max.n_pes, "rss", max.rss_kb, "KiB");
}

static int run_workers(const struct bench_options *opt)
{
	struct worker *w = calloc((size_t)opt->threads, sizeof(*w));
	int started = 0, err = w ? 0 : -1;

	if (opt->threads == 1 && w) {
		w->opt = opt;
		worker_run(w);
		err = w->err;
	}
	for (; opt->threads > 1 && !err && started < opt->threads; started++) {
		w[started].opt = opt;
		if (pthread_create(&w[started].thread, NULL, worker_run, &w[started])) {
			fprintf(stderr, "mori-bench: only %d of %d threads could be started\n",
				started, opt->threads);
			exit(1);
		}
	}
	for (int i = 0; i < started; i++) {
		pthread_join(w[i].thread, NULL);
		err |= w[i].err;
	}
	if (!err && !strcmp(opt->name, "growth"))
		err = growth_rows(opt, w, opt->threads);
	if (!err && !strcmp(opt->name, "init"))
		err = init_row(opt, w);
	free(w);
	return err ? 1 : 0;
}

static size_t parse_sizes(const char *text, size_t *sizes)
{
	size_t n = 0;
	char *end;

	do {
		sizes[n++] = strtoull(text, &end, 10);
		if (end == text || (*end && *end != ','))
			return 0;
		text = end + 1;
	} while (*end && n < MAX_SIZES);
	return *end ? 0 : n;
}

static int usage(void)
{
	fputs("usage: mori-bench --case NAME --out FILE [--sizes N,N...] [--ms N] [--spoil]\n"
	      "       mori-bench-kernels the same, --kernels FOLDER --device NAME --grids BxT,...\n"
	      "One PE of a measurement; `mori perf` starts it.\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "case", 1, NULL, 'c' },   { "out", 1, NULL, 'o' },   { "sizes", 1, NULL, 's' },
		{ "ms", 1, NULL, 'm' },	    { "spoil", 0, NULL, 'x' }, { "kernels", 1, NULL, 'k' },
		{ "device", 1, NULL, 'd' }, { "grids", 1, NULL, 'g' }, { NULL, 0, NULL, 0 },
	};
	size_t sizes[MAX_SIZES] = { 0 };
	struct bench_options opt = { .sizes = sizes, .n_sizes = 1, .row_ns = 50e6, .out = -1 };
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 'c')
			opt.name = optarg;
		else if (c == 'o')
			opt.out = open(optarg, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		else if (c == 's')
			opt.n_sizes = parse_sizes(optarg, sizes);
		else if (c == 'm')
			opt.row_ns = atof(optarg) * 1e6;
		else if (c == 'x')
			opt.spoil = 1;
		else if (c == 'k')
			opt.kernels = optarg;
		else if (c == 'd')
			opt.device = optarg;
		else if (c == 'g')
			opt.grids = optarg;
		else
			return usage();
	}
	opt.threads = api_threads();
	if (!opt.name || opt.out < 0 || !opt.n_sizes || optind < argc)
		return usage();
	return run_workers(&opt);
}
