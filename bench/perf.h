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
	SIZES_FLOAT,
	SIZES_KINDS
};
enum perf_target {
	TARGET_COPY, /* large copies against memory; of kernels in block scope */
	TARGET_AHEAD,
	TARGET_RATE,
	TARGET_JOB,
	/* Of kernels on a GPU: */
	TARGET_PEER, /* not behind the peer */
	TARGET_BARRIER,
	TARGET_ONE_SHOT,
	TARGET_TWO_SHOT,
	TARGET_FLOAT,
	TARGET_MALLOC,
	/* Between nodes: */
	TARGET_LATENCY,
	TARGET_STREAM,
	TARGET_BUSY,
	TARGET_NONE
};

/* A line of cases.def, or of kernel_cases.def. */
struct perf_case {
	const char *id;
	enum perf_unit unit;
	enum perf_sizes sizes;
	enum perf_target target;
	int peer;	   /* a peer has it too */
	const char *pes;   /* "2,4,16" */
	const char *limit; /* "" for none */
	const char *title;
	/* Of kernels only. */
	const char *scopes;
	const char *host;  /* case of cases.def beside it, "" for none */
	const char *plain; /* "" for none */
};

/* Those of cases.def, until perf_use_kernels(); of a GPU more is expected than of a CPU. */
extern const struct perf_case *perf_cases;
extern size_t n_perf_cases;
void perf_use_kernels(void);
void perf_use_gpu(void);
void perf_use_net(void);
int perf_on_gpu(void);
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

/* The rows of a file that write_csv() wrote. */
int rows_load(struct rows *rows, const char *file);
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
	const struct row *peer_limit;	    /* what the peer's process measured as its limit */
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
	const char *peer; /* NULL: the one that is there; "none" */
	int install_peer;
	int markdown;
	int threads; /* PEs of our jobs are threads */
	int net;     /* PEs are on two nodes */
	int reps;
	double row_ms;
	const char *csv, *json;
	const char *load; /* rows of a file instead of measuring */
	const char *plot;
	size_t sizes[64];
	size_t n_sizes; /* 0: each case's own */
	/* Of kernels. */
	const char *device; /* NULL: no kernels; "": the one the library would use */
	const char *grids;  /* NULL: each case's own */
	const char *pes;    /* "2,4"; NULL: the device's own */
};

/* Another library that the same program is built over. */
struct peer {
	const char *name, *title;
	const char *who;  /* in rows */
	const char *heap; /* variable with the size of its symmetric heap */
	int device;	  /* for kernels on a GPU */
};

/* What is needed to start jobs. */
struct perf_tools {
	char self[PATH_MAX];	 /* the mori command */
	char bench[PATH_MAX];	 /* the bench program over MORI Shmem */
	const struct peer *kind; /* of peer */
	char peer[PATH_MAX];	 /* over the peer; "" without one */
	char peer_why[512];	 /* why there is none */
	char peer_version[128];
	char bench_kernels[PATH_MAX];
	char kernels[PATH_MAX]; /* folder of the kernels for the device */
	char device[16];
};

int tools_find(struct perf_tools *t);
/*
 * The peer that @o means: t->kind, and its program as t->peer, or why there is none. Not 0 if one
 * was requested by name and is missing; PERF_USAGE for an unknown name.
 */
int peer_find(struct perf_tools *t, const struct perf_options *o);
/* By its name in a file of rows; NULL for others. */
const struct peer *peer_by_who(const char *who);
int in_path(const char *program);
/* PEs of one GPU run side by side only under MPS: starts it, for as long as this process lives. */
void mps_start(void);
/* Each of @pes processes gets its share of the GPU; 0: all of it. */
void mps_share(int pes);
/* A file near the command: in the build tree or in the installed one. Room for PATH_MAX. */
int find_near(const char *self, const char *name, int mode, char *out);
/* Which device @o means, and its kernels; sets MORI_SHMEM_DEVICE for the jobs. PERF_USAGE: no such. */
int device_find(struct perf_tools *t, const struct perf_options *o);

/* Continues on two nodes: returns there, with 0, or where nodes cannot be made. */
int net_enter(const struct perf_tools *t, int argc, char **argv);
/*
 * Within nodes: words for the launcher of a peer, and what each process of ours starts with,
 * for a job of case @name. 0 and NULL elsewhere.
 */
int net_launcher(const char *name, const char **words, int room);
const char *net_wrapper(const char *name);

struct job {
	const char *name;    /* case, NULL for /bin/true */
	int peer;	     /* over the peer, with its launcher */
	int pes, threads;    /* threads a process; 1 for none */
	const size_t *sizes; /* may be NULL */
	size_t n_sizes;
	double row_ms;
	const char *heap;   /* size of the symmetric heap, NULL for the default */
	const char *grids;  /* of a case of kernels */
	const char *beside; /* a case of the host, shown beside this case of kernels */
	int beside_pes;
	int whole; /* each PE may use all of the GPU */
};

/* Run it to its end; 0 if its exit status was 0. Rows are added; @wall_ms may be NULL. */
int job_run(const struct perf_tools *t, const struct job *job, struct rows *rows, double *wall_ms);
/* A program with its output on standard error. Gives its status, -1 if it had none in time. */
int command_run(char *const argv[], double deadline_s, double *wall_ms);

/* One case of kernels, for every number of PEs. */
int kernels_run(const struct perf_tools *t, const struct perf_options *o, const struct perf_case *c,
		struct job job, struct rows *rows);
/* A heap that has room for the job, NULL where the default has. */
const char *heap_for(const struct job *job, char *text, size_t room);
int growth_run(const struct perf_tools *t, const struct perf_options *o, struct rows *rows);

void print_tables(const struct rows *rows, const struct perf_tools *t,
		  const struct perf_options *o);
/* Bandwidth and latency by size, as SVG. */
int write_plot(const struct rows *rows, const char *file);
/* "us, lower is better" */
const char *unit_text(enum perf_unit unit);
/* "64 KiB" */
void size_text(char *out, size_t room, size_t size, const char *of);
int write_csv(const struct rows *rows, const char *file);
int write_json(const struct rows *rows, const struct perf_tools *t, const char *file);

#endif
