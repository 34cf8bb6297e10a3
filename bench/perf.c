// SPDX-License-Identifier: MIT
/*
 * `mori perf`: options, and the order of the jobs. Ours and the peer's take
 * turns, repetition by repetition, so that what disturbs the machine disturbs
 * both; of the repetitions the best median counts.
 */
#include "perf.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
	"usage: mori perf [--device [cpu|cuda|hip]] [options]\n"
	"Measures MORI Shmem on this machine, beside what the memory can do and beside\n"
	"Open MPI's OpenSHMEM where that is installed. Every case checks its data.\n"
	"With --device it measures kernels, beside plain kernels and a host's calls.\n"
	"\n"
	"  --device [NAME]   kernels on that device; by default the one the library uses\n"
	"  --grids BxT,...   grids of kernels: blocks x threads\n"
	"  --pes N           PEs of the jobs with kernels (default 2)\n"
	"  --only NAME,...   these cases only (see --list); `growth` is one too\n"
	"  --sizes N,...     sizes in bytes, with suffixes K, M, G\n"
	"  --reps N          repetitions; the best median counts (default 5, kernels 3)\n"
	"  --ms N            time to measure each row, in each repetition (default 40)\n"
	"  --quick           a short run: one repetition, few sizes, at most 4 PEs\n"
	"  --growth          also init, barrier and memory at 2 to 1024 PEs\n"
	"  --threads         the PEs of our jobs are threads of one process\n"
	"  --no-peer         without Open MPI\n"
	"  --install-peer    install Open MPI's OpenSHMEM first (apt-get)\n"
	"  --csv FILE        write the rows as CSV\n"
	"  --json FILE       write the rows as JSON\n"
	"  --markdown        print the tables as Markdown\n"
	"  --list            the cases\n"
	"  --help            this text\n";

/* Gives -1. */
static int __attribute__((format(printf, 1, 2))) perf_error(const char *fmt, ...)
{
	va_list args;

	fputs("mori perf: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputs("\n", stderr);
	return -1;
}

static int parse_size(const char *text, size_t *out, const char **rest)
{
	static const char suffix[] = "KMG";
	char *end;
	unsigned long long value = strtoull(text, &end, 10);
	const char *s;

	if (end == text || *text == '-')
		return -1;
	if (*end && (s = strchr(suffix, *end)) != NULL) {
		value <<= 10 * (s - suffix + 1);
		end++;
	}
	*out = value;
	*rest = end;
	return 0;
}

static int parse_sizes(struct perf_options *o, const char *text)
{
	const size_t room = sizeof(o->sizes) / sizeof(*o->sizes);

	for (const char *at = text; o->n_sizes < room; at++) {
		if (parse_size(at, &o->sizes[o->n_sizes], &at) || !o->sizes[o->n_sizes])
			break;
		o->n_sizes++;
		if (!*at)
			return 0;
		if (*at != ',')
			break;
	}
	perf_error("--sizes takes sizes such as 8,4K,1M, not \"%s\"", text);
	return -1;
}

static int parse_only(struct perf_options *o, const char *text)
{
	memset(o->only, 0, sizeof(o->only));
	for (const char *at = text;; at++) {
		size_t len = strcspn(at, ",");
		const struct perf_case *c = perf_case_find(at, len);

		if (c) {
			o->only[c - perf_cases] = 1;
		} else if (!o->device && len == 6 && !strncmp(at, "growth", len)) {
			o->growth = 1;
		} else {
			perf_error("no case \"%.*s\" (mori perf%s --list)", (int)len, at,
				   o->device ? " --device" : "");
			return -1;
		}
		at += len;
		if (!*at)
			return 0;
	}
}

static int parse_grids(const char *text)
{
	unsigned blocks, threads;
	int end;

	for (const char *at = text;; at++) {
		if (sscanf(at, "%ux%u%n", &blocks, &threads, &end) != 2 || *at == '-' || !blocks ||
		    !threads || threads > 1024 || (at[end] && at[end] != ','))
			break;
		at += end;
		if (!*at)
			return 0;
	}
	perf_error("--grids takes blocks x threads, at most 1024 threads, such as 1x128,8x64, "
		   "not \"%s\"",
		   text);
	return -1;
}

static int parse_positive(const char *name, const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	if (end != text && !*end && *out > 0 && *out < 1e6)
		return 0;
	perf_error("%s takes a positive number, not \"%s\"", name, text);
	return -1;
}

enum {
	OPT_ONLY = 256,
	OPT_SIZES,
	OPT_REPS,
	OPT_MS,
	OPT_CSV,
	OPT_JSON,
	OPT_DEVICE,
	OPT_GRIDS,
	OPT_PES,
	OPT_LIST,
	OPT_HELP
};

static int apply_option(struct perf_options *o, int c)
{
	double value = 0;
	int err = 0;

	switch (c) {
	case OPT_ONLY:
		o->only_text = optarg;
		return 0;
	case OPT_DEVICE:
		o->device = optarg ? optarg : "";
		return 0;
	case OPT_GRIDS:
		o->grids = optarg;
		return parse_grids(optarg);
	case OPT_PES:
		err = parse_positive("--pes", optarg, &value);
		o->pes = (int)value;
		if (!err && (o->pes != value || o->pes < 2))
			err = perf_error("--pes takes a whole number from 2 on, not \"%s\"",
					 optarg);
		return err;
	case OPT_SIZES:
		return parse_sizes(o, optarg);
	case OPT_REPS:
		err = parse_positive("--reps", optarg, &value);
		o->reps = value < 1 ? 1 : (int)value;
		return err;
	case OPT_MS:
		return parse_positive("--ms", optarg, &o->row_ms);
	case OPT_CSV:
		o->csv = optarg;
		return 0;
	case OPT_JSON:
		o->json = optarg;
		return 0;
	default:
		return 0; /* a switch, set already */
	}
}

static void list_cases(int kernels)
{
	for (size_t i = 0; i < n_perf_cases; i++)
		printf("%-*s %s; %s: %s\n", kernels ? 18 : 14, perf_cases[i].id,
		       perf_cases[i].title, kernels ? "scopes" : "PEs",
		       kernels ? perf_cases[i].scopes : perf_cases[i].pes);
	if (!kernels)
		printf("%-14s %s\n", "growth",
		       "init, barrier, finalize and memory at 2 to 1024 PEs");
}

static int bad_option(int c, char **argv)
{
	perf_error(c == ':' ? "%s needs a value (mori perf --help)" :
			      "unknown option %s (mori perf --help)",
		   argv[optind - 1]);
	return PERF_USAGE;
}

/* What can be said only when all options are known. 0: go on; 1: done; PERF_USAGE: wrong. */
static int settle(struct perf_options *o, int list)
{
	int err = 0;

	if (o->device)
		perf_use_kernels();
	if (o->device && (o->growth || o->install_peer))
		err = perf_error("%s does not go with --device",
				 o->growth ? "--growth" : "--install-peer");
	else if (!o->device && (o->grids || o->pes))
		err = perf_error("%s needs --device", o->grids ? "--grids" : "--pes");
	if (!err && o->only_text)
		err = parse_only(o, o->only_text);
	if (err)
		return PERF_USAGE;
	if (list)
		list_cases(!!o->device);
	return list;
}

/* 0: go on; 1: done; PERF_USAGE: wrong. */
static int parse_options(int argc, char **argv, struct perf_options *o)
{
	const struct option longs[] = {
		{ "only", 1, NULL, OPT_ONLY },
		{ "sizes", 1, NULL, OPT_SIZES },
		{ "reps", 1, NULL, OPT_REPS },
		{ "ms", 1, NULL, OPT_MS },
		{ "csv", 1, NULL, OPT_CSV },
		{ "json", 1, NULL, OPT_JSON },
		{ "device", 2, NULL, OPT_DEVICE },
		{ "grids", 1, NULL, OPT_GRIDS },
		{ "pes", 1, NULL, OPT_PES },
		{ "list", 0, NULL, OPT_LIST },
		{ "help", 0, NULL, OPT_HELP },
		{ "quick", 0, &o->quick, 1 },
		{ "growth", 0, &o->growth, 1 },
		{ "threads", 0, &o->threads, 1 },
		{ "no-peer", 0, &o->no_peer, 1 },
		{ "markdown", 0, &o->markdown, 1 },
		{ "install-peer", 0, &o->install_peer, 1 },
		{ NULL, 0, NULL, 0 },
	};
	int c, list = 0;

	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":h", longs, NULL)) != -1) {
		if (c == OPT_HELP || c == 'h') {
			fputs(help, stdout);
			return 1;
		}
		list |= c == OPT_LIST;
		if (c == '?' || c == ':')
			return bad_option(c, argv);
		if (c == OPT_DEVICE && !optarg && argv[optind] && argv[optind][0] != '-')
			optarg = argv[optind++]; /* its value may stand apart */
		if (apply_option(o, c))
			return PERF_USAGE;
	}
	if (optind < argc) {
		perf_error("unknown argument %s (mori perf --help)", argv[optind]);
		return PERF_USAGE;
	}
	return settle(o, list);
}

static const size_t copy_sizes[] = { 8,		64,	 512,	   4 << 10, 64 << 10,
				     256 << 10, 1 << 20, 16 << 20, 64 << 20 };
static const size_t signal_sizes[] = { 0, 8, 64, 512, 4 << 10, 64 << 10 };
static const size_t float_sizes[] = { 1 << 10, 1 << 20 };
static const size_t word_sizes[] = { 8 };
static const size_t bulk_sizes[] = { 64 << 10, 1 << 20, 16 << 20 };
static const size_t gpu_bulk_sizes[] = { 1 << 20, 16 << 20, 256 << 20 };
static const size_t small_sizes[] = { 8, 64, 512, 4 << 10, 64 << 10 };
static const size_t reduce_sizes[] = { 64 << 10, 64 * 7168 * 2, 8 << 20 };
static const size_t quick_reduce_sizes[] = { 64 << 10 };
static const size_t quick_copy_sizes[] = { 8, 4 << 10, 1 << 20 };
static const size_t quick_signal_sizes[] = { 8, 4 << 10 };

#define SIZES(list) { list, sizeof(list) / sizeof(*list) }
struct size_list {
	const size_t *sizes;
	size_t n;
};
static const struct size_list all_sizes[2][SIZES_KINDS] = {
	{ SIZES(copy_sizes),
	  SIZES(signal_sizes),
	  SIZES(float_sizes),
	  SIZES(word_sizes),
	  { NULL, 0 },
	  SIZES(bulk_sizes),
	  SIZES(small_sizes),
	  SIZES(reduce_sizes) },
	{ SIZES(quick_copy_sizes),
	  SIZES(quick_signal_sizes),
	  SIZES(float_sizes),
	  SIZES(word_sizes),
	  { NULL, 0 },
	  SIZES(quick_copy_sizes),
	  SIZES(quick_signal_sizes),
	  SIZES(quick_reduce_sizes) },
};

/* A heap for two buffers of the largest size, or the inboxes of kernels, where they need more. */
static const char *heap_for(const struct job *job, char *text, size_t room)
{
	size_t largest = 0;

	for (size_t i = 0; i < job->n_sizes; i++)
		largest = job->sizes[i] > largest ? job->sizes[i] : largest;
	largest *= job->grids ? 2 + 2 * (size_t)job->pes : 2;
	if (largest < 64 << 20)
		return NULL;
	snprintf(text, room, "%zuM", (largest >> 20) + 64);
	return text;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Whole jobs: three, or as many as half a second allows, and their median. */
static int time_job(const struct perf_tools *t, const struct job *job, const char *who,
		    struct rows *rows)
{
	struct row row = {
		.pes = job->pes, .name = "job", .unit = "ms", .scope = "-", .grid = "-"
	};
	double ms[3], spent = 0;
	int n = 0, err = 0;

	snprintf(row.who, sizeof(row.who), "%s", who);
	snprintf(row.path, sizeof(row.path), "%s", job->name ? "p2p" : "mori");
	while (n < 3 && spent < 500 && !err) {
		err = job_run(t, job, rows, &ms[n]);
		spent += ms[n++];
	}
	if (err)
		return err;
	qsort(ms, (size_t)n, sizeof(*ms), by_value);
	row.p50 = ms[n / 2];
	row.p99 = ms[n - 1];
	return rows_add(rows, &row, 1);
}

static int run_jobs(const struct perf_tools *t, struct job job, struct rows *rows)
{
	struct job none = job;
	int err = time_job(t, &job, "mori", rows);

	none.name = NULL;
	if (!err)
		err = time_job(t, &none, "limit", rows);
	job.peer = 1;
	if (*t->peer)
		time_job(t, &job, "openmpi", rows); /* a peer that fails has no row */
	return err;
}

static int run_rep(const struct perf_tools *t, const struct perf_case *c, struct job job,
		   struct rows *rows)
{
	char heap[32];
	int err;

	if (c->target == TARGET_JOB)
		return run_jobs(t, job, rows);
	job.heap = heap_for(&job, heap, sizeof(heap));
	err = job_run(t, &job, rows, NULL);
	job.peer = 1;
	if (*t->peer)
		job_run(t, &job, rows, NULL); /* a peer that fails has no row */
	return err;
}

/* Kernels, and the same by a host thread in turn. */
static int run_kernels(const struct perf_tools *t, const struct perf_options *o,
		       const struct perf_case *c, struct job job, struct rows *rows)
{
	struct job host = job;
	char heap[32];
	int err = 0;

	if (c->sizes == SIZES_BULK && !o->n_sizes && !o->quick && strcmp(t->device, "cpu")) {
		job.sizes = gpu_bulk_sizes;
		job.n_sizes = sizeof(gpu_bulk_sizes) / sizeof(*gpu_bulk_sizes);
	}
	job.pes = o->pes ? o->pes : 2;
	job.threads = o->threads ? job.pes : 1;
	job.grids = device_grids(c, o, t->device);
	job.heap = heap_for(&job, heap, sizeof(heap));
	host.name = c->host;
	host.beside = c->id;
	host.beside_pes = job.pes;
	host.pes = strcmp(c->host, "barrier") ? 2 : job.pes; /* all others are between two */
	host.threads = o->threads ? host.pes : 1;
	fprintf(stderr, "mori perf: %s, kernels on %s, %d PEs\n", c->id, t->device, job.pes);
	for (int rep = 0; rep < o->reps; rep++) {
		err |= job_run(t, &job, rows, NULL);
		if (*c->host && !strcmp(t->device, "cpu"))
			job_run(t, &host, rows, NULL);
	}
	return err;
}

static int run_one(const struct perf_tools *t, const struct perf_options *o,
		   const struct perf_case *c, struct rows *rows)
{
	const struct size_list *l = &all_sizes[o->quick][c->sizes];
	struct job job = { .name = c->id, .sizes = l->sizes, .n_sizes = l->n, .row_ms = o->row_ms };
	int err = 0;

	if (o->n_sizes && c->sizes != SIZES_FLOATS && c->sizes != SIZES_WORD &&
	    c->sizes != SIZES_NONE) {
		job.sizes = o->sizes;
		job.n_sizes = o->n_sizes;
	}
	if (c->scopes)
		return run_kernels(t, o, c, job, rows);
	for (const char *at = c->pes; at; at = strchr(at, ',')) {
		at += *at == ',';
		job.pes = atoi(at);
		job.threads = o->threads ? job.pes : 1;
		if (o->quick && job.pes > 4)
			break;
		fprintf(stderr, "mori perf: %s, %d PEs\n", c->id, job.pes);
		for (int rep = 0; rep < o->reps; rep++)
			err |= run_rep(t, c, job, rows);
	}
	return err;
}

static int run_all(const struct perf_tools *t, const struct perf_options *o, struct rows *rows)
{
	int err = 0;

	for (size_t i = 0; i < n_perf_cases; i++) {
		if (o->only[i])
			err |= run_one(t, o, &perf_cases[i], rows);
	}
	if (o->growth)
		err |= growth_run(t, o, rows);
	return err;
}

int cmd_perf(int argc, char **argv)
{
	struct perf_options o = { .reps = 0 };
	struct perf_tools t = { .self = "" };
	struct rows rows = { .n = 0 };
	int err;

	memset(o.only, 1, sizeof(o.only));
	err = parse_options(argc, argv, &o);
	if (err)
		return err == 1 ? 0 : PERF_USAGE;
	if (!o.reps)
		o.reps = o.quick ? 1 : o.device ? 3 : 5;
	if (o.row_ms <= 0)
		o.row_ms = o.quick ? 5 : 40;
	err = tools_find(&t, &o);
	if (!err && o.device)
		err = device_find(&t, &o);
	if (err)
		return err == PERF_USAGE ? PERF_USAGE : 1;
	if (!*t.peer && !o.no_peer && !o.device)
		fprintf(stderr, "mori perf: without %s: %s\n", PEER_TITLE, t.peer_why);
	err = run_all(&t, &o, &rows);
	print_tables(&rows, &t, &o);
	if (o.csv)
		err |= write_csv(&rows, o.csv);
	if (o.json)
		err |= write_json(&rows, &t, o.json);
	rows_free(&rows);
	return err ? 1 : 0;
}
