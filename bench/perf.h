// SPDX-License-Identifier: MIT
/*
 * `mori perf`: starts the bench program as jobs, over MORI Shmem and over a peer
 * in turn, collects their rows, and sets them beside each other. Nothing here
 * measures but the time of whole jobs.
 */
#ifndef BENCH_PERF_H
#define BENCH_PERF_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#define PERF_USAGE 2 /* exit code for wrong use */
#define PEER_TITLE "Open MPI"

enum perf_unit { UNIT_US, UNIT_GBS, UNIT_MS, UNIT_ms };
enum perf_sizes {
	SIZES_COPY,
	SIZES_SIGNAL,
	SIZES_FLOATS,
	SIZES_WORD,
	SIZES_NONE,
	SIZES_BULK,
	SIZES_SMALL,
	SIZES_REDUCE,
	SIZES_KINDS
};
enum perf_target { TARGET_COPY, TARGET_AHEAD, TARGET_RATE, TARGET_JOB, TARGET_NONE };

/* A line of cases.def, or of kernel_cases.def. */
struct perf_case {
	const char *id;
	enum perf_unit unit;
	enum perf_sizes sizes;
	const char *pes;   /* "2,4,16" */
	const char *limit; /* "" for none */
	enum perf_target target;
	const char *title;
	/* Of kernels only. */
	const char *scopes;
	const char *host;  /* case of cases.def beside it, "" for none */
	const char *plain; /* "" for none */
};

/* Those of cases.def, until perf_use_kernels(). */
extern const struct perf_case *perf_cases;
extern size_t n_perf_cases;
void perf_use_kernels(void);
const struct perf_case *perf_case_find(const char *id, size_t len);

/* A measured value; of several runs the best. */
struct row {
	char name[24];
	size_t size; /* bytes; floats for the all-reduce; 0 where there is none */
	int pes;
	char who[12];  /* "mori"; "openmpi", "host" and other peers; "limit", "plain" */
	char path[12]; /* how PE 0 reached PE 1; of a limit the program; for growth what PEs are */
	double p50, p99;
	char unit[8];
	char scope[8]; /* of kernels, else "-" */
	char grid[24]; /* blocks x threads, else "-" */
};

struct rows {
	struct row *row;
	size_t n, room;
};

/* Lines of the bench program; of two rows of the same thing the slower stays. */
int rows_read(struct rows *rows, const char *file);
int rows_add(struct rows *rows, const struct row *row, int keep_best);
/* The rows of one more run; the faster of two stays, with the limit of its run. */
int rows_merge(struct rows *rows, const struct rows *run);
void rows_free(struct rows *rows);
/* The row of the same thing as @like by @who; @path may be NULL. */
const struct row *rows_find(const struct rows *rows, const struct row *like, const char *who,
			    const char *path);
/* What stands beside our rows: measured with them, not by another library. */
int row_is_limit(const struct row *row);

/* How a row of ours stands; NULL and 0 where there is nothing beside it. */
struct verdict {
	const struct row *limit, *plain, *peer;
	double vs_limit, vs_plain, vs_peer; /* our speed over theirs */
	const char *target;
	int met; /* 1, 0; -1: no peer to compare with, or no target */
};

struct verdict verdict_of(const struct rows *rows, const struct row *row);

struct perf_options {
	unsigned char only[32]; /* by index in perf_cases */
	const char *only_text;
	int growth;
	int quick;
	int no_peer;
	int install_peer;
	int markdown;
	int threads; /* PEs of our jobs are threads */
	int reps;
	double row_ms;
	const char *csv, *json;
	size_t sizes[64];
	size_t n_sizes; /* 0: each case's own */
	/* Of kernels. */
	const char *device; /* NULL: no kernels; "": the one the library would use */
	const char *grids;  /* NULL: each case's own */
	int pes;	    /* 0: 2 */
};

/* What is needed to start jobs. */
struct perf_tools {
	char self[PATH_MAX];  /* the mori command */
	char bench[PATH_MAX]; /* the bench program over MORI Shmem */
	char peer[PATH_MAX];  /* over the peer; "" without one */
	char peer_why[512];   /* why there is none */
	char peer_version[128];
	char bench_kernels[PATH_MAX];
	char kernels[PATH_MAX]; /* folder of the kernels for the device */
	char device[16];
};

int tools_find(struct perf_tools *t, const struct perf_options *o);
/* A file near the command: in the build tree or in the installed one. Room for PATH_MAX. */
int find_near(const char *self, const char *name, int mode, char *out);
/* Which device @o means, and its kernels; sets MORI_SHMEM_DEVICE for the jobs. PERF_USAGE: no such. */
int device_find(struct perf_tools *t, const struct perf_options *o);
/* The grids of a case, where the user gives none. */
const char *device_grids(const struct perf_case *c, const struct perf_options *o,
			 const char *device);

struct job {
	const char *name;    /* case, NULL for /bin/true */
	int peer;	     /* over the peer, with its launcher */
	int pes, threads;    /* threads a process; 1 for none */
	const size_t *sizes; /* may be NULL */
	size_t n_sizes;
	double row_ms;
	const char *heap;   /* size of the symmetric heap, NULL for the default */
	const char *grids;  /* of a case of kernels */
	const char *beside; /* a host's case, whose rows stand beside this case of kernels */
	int beside_pes;
};

/* Run it to its end; 0 if its exit status was 0. Rows are added; @wall_ms may be NULL. */
int job_run(const struct perf_tools *t, const struct job *job, struct rows *rows, double *wall_ms);
/* A program with its output on standard error. Gives its status, -1 if it had none in time. */
int command_run(char *const argv[], double deadline_s, double *wall_ms);

int growth_run(const struct perf_tools *t, const struct perf_options *o, struct rows *rows);

void print_tables(const struct rows *rows, const struct perf_tools *t,
		  const struct perf_options *o);
int write_csv(const struct rows *rows, const char *file);
int write_json(const struct rows *rows, const struct perf_tools *t, const char *file);

/* The command; its own name is argv[0]. */
int cmd_perf(int argc, char **argv);

#endif
