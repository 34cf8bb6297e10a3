// SPDX-License-Identifier: MIT
/*
 * What `mori perf --device` needs to know before it starts jobs: which device, where its
 * kernels are, and on which grids they run.
 */
#include "perf.h"

#include <mori/shmem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rows "device" of mori_shmem_info() without a dot are devices; one is used. */
struct found {
	const char *wanted; /* "": whichever is used */
	char used[16], why[200], names[64];
	int known;
};

static void see_device(void *arg, const char *section, const char *key, const char *value,
		       const char *note)
{
	struct found *f = arg;
	size_t at = strlen(f->names);

	if (strcmp(section, "device") || strchr(key, '.'))
		return;
	snprintf(f->names + at, sizeof(f->names) - at, "%s%s", at ? ", " : "", key);
	if (!strcmp(value, "used"))
		snprintf(f->used, sizeof(f->used), "%s", key);
	if (strcmp(key, f->wanted))
		return;
	f->known = 1;
	snprintf(f->why, sizeof(f->why), "%s", note ? note : value);
}

static int choose(const char *wanted, char *out, size_t room)
{
	struct found f = { .wanted = wanted };

	mori_shmem_info(see_device, &f);
	if (*wanted && !f.known) {
		fprintf(stderr, "mori perf: no device \"%s\": %s\n", wanted, f.names);
		return PERF_USAGE;
	}
	if (*wanted && strcmp(f.used, wanted))
		fprintf(stderr, "mori perf: no kernels can run on %s here: %s\n", wanted, f.why);
	else if (!*f.used)
		fprintf(stderr, "mori perf: the library finds no device (mori info)\n");
	else
		return snprintf(out, room, "%s", f.used) < 0 ? -1 : 0;
	return -1;
}

int device_find(struct perf_tools *t, const struct perf_options *o)
{
	char file[64];
	int err;

	/* The library searches for it in the same order as the jobs will. */
	if (*o->device)
		setenv("MORI_SHMEM_DEVICE", o->device, 1);
	err = choose(o->device, t->device, sizeof(t->device));
	if (err)
		return err;
	snprintf(file, sizeof(file), "kernels/%s/data.image", t->device);
	if (!find_near(t->self, "mori-bench-kernels", X_OK, t->bench_kernels)) {
		fprintf(stderr, "mori perf: the program mori-bench-kernels is not next to %s\n",
			t->self);
		return -1;
	}
	if (!find_near(t->self, file, R_OK, t->kernels)) {
		fprintf(stderr,
			"mori perf: the kernels for %s are not next to %s: they are compiled when "
			"MORI "
			"Shmem is built, by clang 19 (package clang-19)\n",
			t->device, t->self);
		return -1;
	}
	*strrchr(t->kernels, '/') = 0;
	return 0;
}

/*
 * The grids that fill a GPU and a core differ; all blocks of an all-reduce must run at once.
 * S: a PE's share of the GPU.
 */
static const char *grids_of(const struct perf_case *c, const struct perf_options *o,
			    const char *device, int whole)
{
	int reduce = c->sizes == SIZES_REDUCE || c->sizes == SIZES_FLOAT;

	if (o->grids)
		return o->grids;
	if (!strcmp(device, "cpu"))
		return o->quick ? (reduce ? "16x64" : "2x64") :
		       reduce	? "1x64,16x64" :
				  "1x32,1x128,8x128";
	if (reduce)
		return o->quick ? "8x256" : "Sx512";
	if (c->sizes == SIZES_BULK)
		return whole ? "Gx512" : o->quick ? "8x256" : "1x512,Sx512";
	return o->quick ? "8x256" : "1x32,1x512";
}

/* Runs the job, and in turn the peer's or the same job by a host thread. */
static int run_reps(const struct perf_tools *t, const struct perf_options *o,
		    const struct perf_case *c, struct job job, struct rows *rows)
{
	struct job host = job, peer = job;
	char heap[32];
	int err = 0;

	job.heap = heap_for(&job, heap, sizeof(heap));
	peer.heap = job.heap;
	peer.peer = 1;
	peer.threads = 1;
	host.name = c->host;
	host.grids = NULL;
	host.beside = c->id;
	host.beside_pes = job.pes;
	host.pes = strcmp(c->host, "barrier") ? 2 : job.pes; /* all others are between two */
	host.threads = o->threads ? host.pes : 1;
	for (int rep = 0; rep < o->reps; rep++) {
		err |= job_run(t, &job, rows, NULL);
		if (*c->host && !strcmp(t->device, "cpu"))
			job_run(t, &host, rows, NULL);
		if (*t->peer && c->peer)
			job_run(t, &peer, rows, NULL); /* a peer that fails has no row */
	}
	return err;
}

int kernels_run(const struct perf_tools *t, const struct perf_options *o, const struct perf_case *c,
		struct job job, struct rows *rows)
{
	const char *pes = o->pes ? o->pes : perf_on_gpu() && !o->quick ? "2,4,8" : "2";
	int err = 0;

	for (const char *at = pes; at; at = strchr(at, ',')) {
		at += *at == ',';
		job.pes = atoi(at);
		job.threads = o->threads ? job.pes : 1;
		job.whole = 0;
		job.grids = grids_of(c, o, t->device, 0);
		fprintf(stderr, "mori perf: %s, kernels on %s, %d PEs\n", c->id, t->device,
			job.pes);
		err |= run_reps(t, o, c, job, rows);
		if (!perf_on_gpu() || c->sizes != SIZES_BULK || o->grids || o->quick)
			continue;
		job.whole = 1;
		job.grids = grids_of(c, o, t->device, 1);
		err |= run_reps(t, o, c, job, rows);
	}
	return err;
}
