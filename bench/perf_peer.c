// SPDX-License-Identifier: MIT
/*
 * The peers of `mori perf`: other libraries that the bench programs are built over, where
 * they are found. Open MPI's OpenSHMEM for a host's calls, NVSHMEM for kernels.
 */
#include "perf.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INSTALL_DEADLINE_S = 900 };

int in_path(const char *program)
{
	const char *path = getenv("PATH");
	char copy[PATH_MAX * 4], file[PATH_MAX], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", path ? path : "/usr/bin:/bin");
	for (char *dir = strtok_r(copy, ":", &save); dir; dir = strtok_r(NULL, ":", &save)) {
		snprintf(file, sizeof(file), "%s/%s", dir, program);
		if (!access(file, X_OK))
			return 1;
	}
	return 0;
}

static int openmpi_install(void)
{
	char command[256], *const argv[] = { "sh", "-c", command, NULL };

	snprintf(command, sizeof(command),
		 "%1$s apt-get update -qq; "
		 "%1$s apt-get install -y --no-install-recommends openmpi-bin libopenmpi-dev",
		 geteuid() ? "sudo" : "env");
	fprintf(stderr, "mori perf: installing openmpi-bin and libopenmpi-dev\n");
	return command_run(argv, INSTALL_DEADLINE_S, NULL);
}

/* Where a program that is built over a peer goes: the user's cache. */
static void cached(struct perf_tools *t, const char *name)
{
	const char *home = getenv("HOME"), *cache = getenv("XDG_CACHE_HOME");

	if (cache && *cache)
		snprintf(t->peer, sizeof(t->peer), "%s/mori/%s", cache, name);
	else
		snprintf(t->peer, sizeof(t->peer), "%s/.cache/mori/%s", home ? home : "/tmp", name);
}

static int openmpi_build(struct perf_tools *t)
{
	static char script[] =
		"mkdir -p \"$(dirname \"$2\")\" && cd \"$1\" && oshcc -std=gnu11 -D_GNU_SOURCE -O3 "
		"-I. -DBENCH_API='\"peers/oshmem/api_oshmem.h\"' -o \"$2\" bench.c measure.c "
		"case_*.c "
		"-lm -lpthread";
	char sources[PATH_MAX], *const argv[] = {
		"sh", "-c", script, "sh", sources, t->peer, NULL
	};
	int err;

	if (!find_near(t->self, "case_copy.c", R_OK, sources))
		return -1;
	*strrchr(sources, '/') = 0;
	cached(t, "mori-bench-oshmem");
	fprintf(stderr, "mori perf: building the bench program over %s\n", t->kind->title);
	err = command_run(argv, INSTALL_DEADLINE_S, NULL);
	if (err)
		*t->peer = 0;
	return err;
}

/* "oshrun (OpenRTE) 4.1.4": the last word is the version. */
static void openmpi_version(struct perf_tools *t)
{
	FILE *f = popen("oshrun --version 2>/dev/null", "r");
	char line[96] = "";

	if (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		snprintf(t->peer_version, sizeof(t->peer_version), "%s%s", t->kind->title,
			 strrchr(line, ' ') ? strrchr(line, ' ') : "");
	}
	if (f)
		pclose(f);
}

static void openmpi_find(struct perf_tools *t, const struct perf_options *o)
{
	if (o->install_peer && (!in_path("oshrun") || !in_path("oshcc")))
		openmpi_install();
	if (!in_path("oshrun")) {
		snprintf(t->peer_why, sizeof(t->peer_why),
			 "oshrun is not there; `apt-get install openmpi-bin libopenmpi-dev` or "
			 "`mori perf --install-peer` brings it");
		return;
	}
	if (!find_near(t->self, "mori-bench-oshmem", X_OK, t->peer) &&
	    (!in_path("oshcc") || openmpi_build(t)))
		snprintf(t->peer_why, sizeof(t->peer_why),
			 "the bench program was not built over it; oshcc comes with "
			 "libopenmpi-dev, then build again or run `mori perf --install-peer`");
	openmpi_version(t);
}

/* The script that built the program has left the version beside it. */
static void nvshmem_version(struct perf_tools *t)
{
	char file[PATH_MAX + 16], line[64] = "";
	FILE *f;

	snprintf(file, sizeof(file), "%s.version", t->peer);
	f = fopen(file, "re");
	if (f && fgets(line, sizeof(line), f))
		line[strcspn(line, "\n")] = 0;
	if (f)
		fclose(f);
	snprintf(t->peer_version, sizeof(t->peer_version), "%s %s", t->kind->title, line);
}

/* Its program is built on request, because that takes a while. */
static void nvshmem_find(struct perf_tools *t, const struct perf_options *o)
{
	char script[PATH_MAX], *const argv[] = { "sh", script, t->peer, NULL };

	if (!find_near(t->self, "mori-bench-nvshmem", X_OK, t->peer)) {
		cached(t, "mori-bench-nvshmem");
		if (access(t->peer, X_OK) &&
		    (!o->peer || !find_near(t->self, "peers/nvshmem/build", R_OK, script) ||
		     command_run(argv, INSTALL_DEADLINE_S, NULL)))
			*t->peer = 0;
	}
	if (*t->peer)
		nvshmem_version(t);
	else
		snprintf(t->peer_why, sizeof(t->peer_why),
			 o->peer ?
				 "the bench program could not be built over it: it needs nvcc and "
				 "NVSHMEM's headers and libraries (NVSHMEM_HOME says where)" :
				 "the bench program was not built over it; --peer nvshmem does it");
}

static const struct peer peers[] = {
	{ "openmpi", "Open MPI", "openmpi", "SHMEM_SYMMETRIC_SIZE", 0 },
	{ "nvshmem", "NVSHMEM", "nvshmem", "NVSHMEM_SYMMETRIC_SIZE", 1 },
};
enum { N_PEERS = sizeof(peers) / sizeof(*peers) };

const struct peer *peer_by_who(const char *who)
{
	for (size_t i = 0; i < N_PEERS; i++) {
		if (!strcmp(peers[i].who, who))
			return &peers[i];
	}
	return NULL;
}

int peer_find(struct perf_tools *t, const struct perf_options *o)
{
	int gpu = !strcmp(t->device, "cuda");

	for (size_t i = 0; i < N_PEERS; i++) {
		if (o->peer ? !strcmp(o->peer, peers[i].name) : peers[i].device == !!o->device)
			t->kind = &peers[i];
	}
	if (o->peer && !strcmp(o->peer, "none")) {
		snprintf(t->peer_why, sizeof(t->peer_why), "not requested");
		return 0;
	}
	if (!t->kind || (o->peer && t->kind->device && !gpu) || (!t->kind->device && o->device)) {
		fprintf(stderr,
			t->kind ?
				"mori perf: --peer %s goes %s\n" :
				"mori perf: no peer \"%s\": openmpi, nvshmem (with --device cuda), "
				"none\n",
			o->peer,
			t->kind && t->kind->device ? "with --device cuda" : "without --device");
		return PERF_USAGE;
	}
	if (t->kind->device && !gpu)
		snprintf(t->peer_why, sizeof(t->peer_why), "none for kernels on %s", t->device);
	else if (t->kind->device)
		nvshmem_find(t, o);
	else
		openmpi_find(t, o);
	if (!*t->peer && (o->peer || !o->device))
		fprintf(stderr, "mori perf: without %s: %s\n", t->kind->title, t->peer_why);
	return !*t->peer && o->peer ? -1 : 0;
}
