// SPDX-License-Identifier: MIT
/*
 * `mori perf`: options, and the order of the jobs. Ours and the peer's take
 * turns, repetition by repetition, so that disturbances of the machine affect
 * both; the best median of the repetitions counts.
 */
#include "perf.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mori/cmd.h"

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
		} else if (!o->device && !o->net && len == 6 && !strncmp(at, "growth", len)) {
			o->growth = 1;
		} else {
			perf_error("no case \"%.*s\" (mori perf%s --list)", (int)len, at,
				   o->device ? " --device" :
				   o->net    ? " --net" :
					       "");
			return -1;
		}
		at += len;
		if (!*at)
			return 0;
	}
}

/* S and G stand for multiprocessors, on devices that have them. */
static int parse_grids(const char *text)
{
	for (const char *at = text;; at++) {
		char *end = NULL;
		unsigned long blocks = *at == 'S' || *at == 'G', threads;

		if (blocks)
			at++;
		else if (*at >= '0' && *at <= '9')
			blocks = strtoul(at, &end, 10);
		at = end ? end : at;
		threads =
			*at == 'x' && at[1] >= '0' && at[1] <= '9' ? strtoul(at + 1, &end, 10) : 0;
		if (!blocks || blocks > UINT_MAX || !threads || threads > 1024 ||
		    (*end && *end != ','))
			break;
		at = end;
		if (!*at)
			return 0;
	}
	perf_error("--grids takes blocks x threads, at most 1024 threads, such as 1x128,8x64, "
		   "not \"%s\"",
		   text);
	return -1;
}

/* Whole numbers from 2 on. */
static int parse_pes(const char *text)
{
	for (const char *at = text;; at++) {
		char *end;
		unsigned long n = strtoul(at, &end, 10);

		if (end == at || *at < '0' || *at > '9' || n < 2 || n > 1000000 ||
		    (*end && *end != ','))
			break;
		at = end;
		if (!*at)
			return 0;
	}
	return perf_error("--pes takes whole numbers from 2 on, such as 2,4, not \"%s\"", text);
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

/* The names of all cases, each followed by a blank. */
#define CASE(id, ...)	#id " "
#define KERNEL(id, ...) #id " "
static const char case_names[] =
#include "cases.def"
#include "kernel_cases.def"
#include "net_cases.def"
	"growth";
#undef CASE
#undef KERNEL

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
	OPT_PEER,
	OPT_NO_PEER,
	OPT_LOAD,
	OPT_PLOT,
	OPT_LIST,
	OPT_QUICK,
	OPT_GROWTH,
	OPT_THREADS,
	OPT_NET,
	OPT_MARKDOWN,
	OPT_INSTALL
};

static const struct cmd_option options[] = {
	{ "device", OPT_DEVICE, "[NAME]", "cpu cuda hip",
	  "measure kernels on this device; by default the one the library uses" },
	{ "grids", OPT_GRIDS, "BxT,...", NULL,
	  "grids of kernels: blocks x threads; on a GPU SxT and GxT: as many\n"
	  "blocks as a PE's share of it, or all of it, has multiprocessors" },
	{ "pes", OPT_PES, "N,...", NULL,
	  "numbers of PEs of the jobs with kernels (default 2; on a GPU 2,4,8)" },
	{ "only", OPT_ONLY, "NAME,...", case_names,
	  "only these cases (see --list); `growth` is one of them" },
	{ "sizes", OPT_SIZES, "N,...", NULL, "sizes in bytes, with suffixes K, M, G" },
	{ "reps", OPT_REPS, "N", NULL,
	  "repetitions; the best median counts (default 5, kernels 3)" },
	{ "ms", OPT_MS, "N", NULL, "time to measure each row, in each repetition (default 40)" },
	{ "quick", OPT_QUICK, NULL, NULL, "a short run: one repetition, few sizes, at most 4 PEs" },
	{ "growth", OPT_GROWTH, NULL, NULL, "also init, barrier and memory at 2 to 1024 PEs" },
	{ "net", OPT_NET, NULL, NULL,
	  "run the PEs on two nodes (network namespaces; needs root), compared\n"
	  "with a plain socket and the peer over TCP" },
	{ "threads", OPT_THREADS, NULL, NULL, "the PEs of our jobs are threads of one process" },
	{ "peer", OPT_PEER, "NAME", "openmpi nvshmem none",
	  "compare with openmpi; with nvshmem (--device cuda; built if need\n"
	  "be); with none. By default the one that is there" },
	{ "no-peer", OPT_NO_PEER, NULL, NULL, "the same as --peer none" },
	{ "install-peer", OPT_INSTALL, NULL, NULL, "install Open MPI's OpenSHMEM first (apt-get)" },
	{ "csv", OPT_CSV, "FILE", CMD_FILE, "write the rows as CSV" },
	{ "json", OPT_JSON, "FILE", CMD_FILE, "write the rows as JSON" },
	{ "load", OPT_LOAD, "FILE", CMD_FILE,
	  "measure nothing: read the rows that --csv wrote (same --device)" },
	{ "plot", OPT_PLOT, "FILE", CMD_FILE, "draw bandwidth and latency by size, as SVG" },
	{ "markdown", OPT_MARKDOWN, NULL, NULL, "print the tables as Markdown" },
	{ "list", OPT_LIST, NULL, NULL, "list the cases" },
	{ "help", 'h', NULL, NULL, "this text" },
	{ 0 },
};

/* Was it one of the options without a value? */
static int apply_switch(struct perf_options *o, int c)
{
	int *const to = c == OPT_QUICK	  ? &o->quick :
			c == OPT_GROWTH	  ? &o->growth :
			c == OPT_THREADS  ? &o->threads :
			c == OPT_NET	  ? &o->net :
			c == OPT_MARKDOWN ? &o->markdown :
			c == OPT_INSTALL  ? &o->install_peer :
					    NULL;

	if (to)
		*to = 1;
	return to != NULL;
}

static int apply_option(struct perf_options *o, int c)
{
	double value = 0;
	int err = 0;

	if (apply_switch(o, c))
		return 0;
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
		o->pes = optarg;
		return parse_pes(optarg);
	case OPT_PEER:
		o->peer = optarg;
		return 0;
	case OPT_NO_PEER:
		o->peer = "none";
		return 0;
	case OPT_LOAD:
		o->load = optarg;
		return 0;
	case OPT_PLOT:
		o->plot = optarg;
		return 0;
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
		return 0; /* --list, which is handled after all options */
	}
}

static void list_cases(const struct perf_options *o)
{
	int kernels = o->device != NULL;

	for (size_t i = 0; i < n_perf_cases; i++)
		printf("%-*s %s; %s: %s\n", kernels ? 18 : 14, perf_cases[i].id,
		       perf_cases[i].title, kernels ? "scopes" : "PEs",
		       kernels ? perf_cases[i].scopes : perf_cases[i].pes);
	if (!kernels && !o->net)
		printf("%-14s %s\n", "growth",
		       "init, barrier, finalize and memory at 2 to 1024 PEs");
}

/* Checks that need all options. 0: continue; 1: done; PERF_USAGE: wrong use. */
static int settle(struct perf_options *o, int list)
{
	int err = 0;

	if (o->device)
		perf_use_kernels();
	else if (o->net)
		perf_use_net();
	if (o->net && (o->device || o->growth || o->threads))
		err = perf_error("--net cannot be combined with --device, --growth or --threads");
	else if (o->device && (o->growth || o->install_peer))
		err = perf_error("%s cannot be combined with --device",
				 o->growth ? "--growth" : "--install-peer");
	else if (!o->device && (o->grids || o->pes))
		err = perf_error("%s needs --device", o->grids ? "--grids" : "--pes");
	if (!err && o->only_text)
		err = parse_only(o, o->only_text);
	if (err)
		return PERF_USAGE;
	if (list)
		list_cases(o);
	return list;
}

/* 0: continue; 1: done; PERF_USAGE: wrong use. */
static int parse_options(int argc, char **argv, struct perf_options *o)
{
	struct cmd_getopt g;
	int c, list = 0;

	cmd_getopt(options, ":", &g);
	optind = 0;
	opterr = 0;
	while ((c = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (c == 'h')
			return cmd_help(&mori_perf) ? PERF_USAGE : 1;
		list |= c == OPT_LIST;
		if (c == '?' || c == ':')
			return cmd_bad_option("perf", c, argv, g.longs);
		if (c == OPT_DEVICE && !optarg && argv[optind] && argv[optind][0] != '-')
			optarg = argv[optind++]; /* its value may be a separate argument */
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
static const size_t small_sizes[] = { 8, 64, 512, 4 << 10, 64 << 10 };
static const size_t reduce_sizes[] = { 64 << 10, 64 * 7168 * 2, 8 << 20 };
static const size_t quick_reduce_sizes[] = { 64 << 10 };
static const size_t gpu_float_sizes[] = { 64 << 20 };
static const size_t gpu_bulk_sizes[] = { 64 << 10, 256 << 10, 1 << 20,	4 << 20,
					 16 << 20, 64 << 20,  256 << 20 };
static const size_t gpu_reduce_sizes[] = { 64 << 10, 64 * 7168 * 2, 8 << 20 };
static const size_t gpu_signal_sizes[] = { 8, 64, 512, 4 << 10, 16 << 10, 64 << 10 };
static const size_t quick_copy_sizes[] = { 8, 4 << 10, 1 << 20 };
static const size_t quick_signal_sizes[] = { 8, 4 << 10 };

#define SIZES(list) { list, sizeof(list) / sizeof(*list) }
struct size_list {
	const size_t *sizes;
	size_t n;
};
static const struct size_list gpu_sizes[SIZES_KINDS] = {
	[SIZES_SIGNAL] = SIZES(gpu_signal_sizes), [SIZES_WORD] = SIZES(word_sizes),
	[SIZES_BULK] = SIZES(gpu_bulk_sizes),	  [SIZES_SMALL] = SIZES(small_sizes),
	[SIZES_REDUCE] = SIZES(gpu_reduce_sizes), [SIZES_FLOAT] = SIZES(gpu_float_sizes),
};
static const struct size_list all_sizes[2][SIZES_KINDS] = {
	{ SIZES(copy_sizes),
	  SIZES(signal_sizes),
	  SIZES(float_sizes),
	  SIZES(word_sizes),
	  { NULL, 0 },
	  SIZES(bulk_sizes),
	  SIZES(small_sizes),
	  SIZES(reduce_sizes),
	  SIZES(quick_reduce_sizes) },
	{ SIZES(quick_copy_sizes),
	  SIZES(quick_signal_sizes),
	  SIZES(float_sizes),
	  SIZES(word_sizes),
	  { NULL, 0 },
	  SIZES(quick_copy_sizes),
	  SIZES(quick_signal_sizes),
	  SIZES(quick_reduce_sizes),
	  SIZES(quick_reduce_sizes) },
};

/* A heap for two buffers of the largest size, or for the inboxes of kernels if those need more. */
const char *heap_for(const struct job *job, char *text, size_t room)
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

/* The median of whole jobs: three, or as many as half a second allows. */
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
		time_job(t, &job, t->kind->who, rows); /* a peer that fails has no row */
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

static int run_one(const struct perf_tools *t, const struct perf_options *o,
		   const struct perf_case *c, struct rows *rows)
{
	const struct size_list *l =
		perf_on_gpu() && !o->quick ? &gpu_sizes[c->sizes] : &all_sizes[o->quick][c->sizes];
	struct job job = { .name = c->id, .sizes = l->sizes, .n_sizes = l->n, .row_ms = o->row_ms };
	int err = 0;

	if (o->n_sizes && c->sizes != SIZES_FLOATS && c->sizes != SIZES_WORD &&
	    c->sizes != SIZES_NONE) {
		job.sizes = o->sizes;
		job.n_sizes = o->n_sizes;
	}
	if (c->scopes)
		return kernels_run(t, o, c, job, rows);
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

/* What jobs need. */
static int prepare(struct perf_tools *t, const struct perf_options *o)
{
	int err = tools_find(t);

	if (!err && o->device)
		err = device_find(t, o);
	if (!err)
		err = peer_find(t, o);
	if (!err && !strcmp(t->device, "cuda")) {
		perf_use_gpu();
		if (!o->threads || *t->peer)
			mps_start();
	}
	return err;
}

/* Reads rows that were measured before, on the named device. */
static int load_rows(struct perf_tools *t, const struct perf_options *o, struct rows *rows)
{
	int err = rows_load(rows, o->load);
	size_t n = 0;

	if (err)
		return perf_error("%s has no rows that --csv wrote", o->load);
	for (size_t i = 0; i < rows->n; i++) {
		const char *name = rows->row[i].name;
		const struct perf_case *c = perf_case_find(name, strlen(name));

		if (c ? o->only[c - perf_cases] : !o->only_text)
			rows->row[n++] = rows->row[i];
	}
	rows->n = n;
	snprintf(t->device, sizeof(t->device), "%s", o->device ? o->device : "");
	if (!strcmp(t->device, "cuda"))
		perf_use_gpu();
	for (size_t i = 0; i < rows->n && !t->kind; i++)
		t->kind = peer_by_who(rows->row[i].who);
	snprintf(t->peer_version, sizeof(t->peer_version), "%s", t->kind ? t->kind->title : "");
	snprintf(t->peer, sizeof(t->peer), "%s", t->peer_version);
	return 0;
}

static int cmd_perf(int argc, char **argv)
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
	if (o.net && !o.load && (tools_find(&t) || net_enter(&t, argc, argv)))
		return 1;
	err = o.load ? load_rows(&t, &o, &rows) : prepare(&t, &o);
	if (err)
		return err == PERF_USAGE ? PERF_USAGE : 1;
	if (!o.load)
		err = run_all(&t, &o, &rows);
	print_tables(&rows, &t, &o);
	if (o.csv)
		err |= write_csv(&rows, o.csv);
	if (o.json)
		err |= write_json(&rows, &t, o.json);
	if (o.plot)
		err |= write_plot(&rows, o.plot);
	rows_free(&rows);
	return err ? 1 : 0;
}

const struct command mori_perf = {
	.name = "perf",
	.help = "measure the library next to memcpy and other libraries",
	.run = cmd_perf,
	.usage = "[--device [cpu|cuda|hip] | --net] [options]\n"
		 "\n"
		 "Measures MORI Shmem on this machine, compared with what the memory can do and,\n"
		 "if it is installed, Open MPI's OpenSHMEM. Every case checks its data. With\n"
		 "--device it measures kernels, compared with plain kernels and, on the CPU, the\n"
		 "host's calls, on a GPU NVSHMEM.\n",
	.options = options,
	.operand = "",
};
