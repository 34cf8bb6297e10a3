// SPDX-License-Identifier: MIT
/*
 * Refuses, before it starts, a job that this machine cannot hold: half a job of
 * many thousand processes helps nobody and may take the machine along.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mori/cmd.h"
#include "mori/run.h"

/* What the smallest process costs the kernel and itself: stacks, page tables, loader. */
#define PROC_KIB 512

/* The number after @key in a file, or its first if @key is NULL; -1 if there is none. */
static long long read_number(const char *path, const char *key)
{
	FILE *f = fopen(path, "re");
	long long v = -1;
	char line[256];

	while (f && v < 0 && fgets(line, sizeof(line), f)) {
		size_t skip = key ? strlen(key) : 0;

		if (key && strncmp(line, key, skip))
			continue;
		skip += strspn(line + skip, " \t:");
		if (isdigit((unsigned char)line[skip]))
			v = atoll(line + skip);
	}
	if (f)
		fclose(f);
	return v;
}

static int too_many(int n, long long most, const char *what)
{
	if (most < 0 || n <= most)
		return 0;
	cmd_error("run", "cannot start %d processes: %s is %lld; use --threads or fewer PEs", n,
		  what, most);
	return 1;
}

int run_check_limits(int n_procs)
{
	struct rlimit r;
	long long kib;

	if (n_procs <= 64) /* a few always fit: save the time of the check */
		return 0;
	if (geteuid() && !getrlimit(RLIMIT_NPROC, &r) && r.rlim_cur != RLIM_INFINITY &&
	    too_many(n_procs, (long long)r.rlim_cur, "the limit of your processes (ulimit -u)"))
		return 1;
	if (too_many(n_procs, read_number("/proc/sys/kernel/pid_max", NULL), "kernel.pid_max") ||
	    too_many(n_procs, read_number("/proc/sys/kernel/threads-max", NULL),
		     "kernel.threads-max") ||
	    too_many(n_procs, read_number("/sys/fs/cgroup/pids.max", NULL),
		     "the limit of this container (pids.max)"))
		return 1;
	kib = read_number("/proc/meminfo", "MemAvailable");
	if (kib >= 0 && (long long)n_procs * PROC_KIB > kib) {
		cmd_error("run",
			  "cannot start %d processes: they need about %lld MiB of memory and %lld "
			  "MiB are available; use --threads or fewer PEs",
			  n_procs, (long long)n_procs * PROC_KIB / 1024, kib / 1024);
		return 1;
	}
	return 0;
}
