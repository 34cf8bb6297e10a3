// SPDX-License-Identifier: MIT
/*
 * What init, barrier, finalize and memory cost as the job grows: PEs as threads of one
 * process, and as processes. The slowest PE counts, and the best repetition.
 */
#include "perf.h"

#include <string.h>

static int grow(const struct perf_tools *t, const struct perf_options *o, int pes, int threads,
		struct rows *rows)
{
	struct job job = {
		.name = "growth", .pes = pes, .threads = threads, .row_ms = o->row_ms, .heap = "16M"
	};
	struct row wall = { .pes = pes,
			    .name = "growth_job",
			    .who = "mori",
			    .unit = "ms",
			    .scope = "-",
			    .grid = "-" };
	struct job whole = job;
	int err = 0, reps = o->reps < 3 ? o->reps : 3;

	whole.name = "job"; /* without the time that measuring takes */
	snprintf(wall.path, sizeof(wall.path), "%s", threads > 1 ? "threads" : "processes");
	fprintf(stderr, "mori perf: growth, %d PEs as %s\n", pes, wall.path);
	for (int rep = 0; rep < reps && !err; rep++) {
		err = job_run(t, &job, rows, NULL);
		if (!err)
			err = job_run(t, &whole, rows, &wall.p50);
		wall.p99 = wall.p50;
		if (!err)
			err = rows_add(rows, &wall, 1);
	}
	return err;
}

int growth_run(const struct perf_tools *t, const struct perf_options *o, struct rows *rows)
{
	int err = 0, most_threads = o->quick ? 64 : 1024, most_processes = o->quick ? 16 : 128;

	for (int pes = 2; pes <= most_threads; pes *= 2)
		err |= grow(t, o, pes, pes, rows);
	for (int pes = 2; pes <= most_processes; pes *= 2)
		err |= grow(t, o, pes, 1, rows);
	return err;
}
