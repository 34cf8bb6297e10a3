// SPDX-License-Identifier: MIT
/*
 * Starting the jobs of `mori perf`: finds the bench programs, runs a launcher and
 * reads the rows it left in a file. A job that does not end in time is killed.
 */
#include "perf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ARGS = 48, JOB_DEADLINE_S = 180 };

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void child_exec(char *const argv[])
{
	/* Nothing this command starts outlives it. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(argv[0], argv);
	fprintf(stderr, "mori perf: cannot start %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* 1 when the child has ended, 0 after @ms. */
static int child_wait(pid_t pid, int pidfd, double ms, int *status)
{
	double end = now_ms() + ms;

	for (;;) {
		double left = end - now_ms();
		struct pollfd p = { .fd = pidfd, .events = POLLIN };

		if (waitpid(pid, status, WNOHANG) == pid)
			return 1;
		if (left <= 0)
			return 0;
		/* Without a pidfd (an old kernel) poll() is a sleep of a millisecond. */
		poll(&p, pidfd >= 0, pidfd >= 0 ? (int)left + 1 : 1);
	}
}

int command_run(char *const argv[], double deadline_s, double *wall_ms)
{
	double start = now_ms();
	int status = 0, pidfd, done;
	pid_t pid = fork();

	if (pid < 0) {
		fprintf(stderr, "mori perf: cannot fork: %s\n", strerror(errno));
		return -1;
	}
	if (!pid)
		child_exec(argv);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	done = child_wait(pid, pidfd, deadline_s * 1e3, &status);
	if (wall_ms)
		*wall_ms = now_ms() - start;
	if (!done) {
		fprintf(stderr, "mori perf: ended %s after %.0f s\n", argv[0], deadline_s);
		kill(pid, SIGTERM);
		if (!child_wait(pid, pidfd, 5e3, &status)) {
			kill(pid, SIGKILL);
			child_wait(pid, pidfd, 5e3, &status);
		}
	}
	if (pidfd >= 0)
		close(pidfd);
	return done && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void text_of_sizes(const struct job *job, char *out, size_t room)
{
	size_t at = 0;

	for (size_t i = 0; i < job->n_sizes && at < room; i++)
		at += (size_t)snprintf(out + at, room - at, "%s%zu", i ? "," : "", job->sizes[i]);
}

/* Arguments of one job; the strings live as long as the caller's. */
struct command {
	char *argv[MAX_ARGS];
	int n;
	char pes[16], threads[16], ms[32], sizes[1024];
};

static void add_arg(struct command *c, const char *text)
{
	if (c->n < MAX_ARGS - 1)
		c->argv[c->n++] = (char *)(uintptr_t)text;
	c->argv[c->n] = NULL;
}

static void add_launcher(struct command *c, const struct perf_tools *t, const struct job *job)
{
	const char *words[8];
	int n;

	snprintf(c->pes, sizeof(c->pes), "%d", job->pes);
	snprintf(c->threads, sizeof(c->threads), "%d", job->threads);
	if (!job->peer || t->kind->device) {
		add_arg(c, t->self);
		add_arg(c, "run");
	} else {
		add_arg(c, "oshrun");
		add_arg(c, "--oversubscribe");
		add_arg(c, "--bind-to");
		add_arg(c, "none");
		/* With its memory hooks Debian's build crashes in finalize. */
		add_arg(c, "--mca");
		add_arg(c, "opal_common_ucx_opal_mem_hooks");
		add_arg(c, "0");
		if (!geteuid())
			add_arg(c, "--allow-run-as-root");
		n = net_launcher(job->name, words, 8);
		for (int i = 0; i < n; i++)
			add_arg(c, words[i]);
	}
	add_arg(c, "-n");
	add_arg(c, c->pes);
	if (!job->peer && job->threads > 1) {
		add_arg(c, "--threads");
		add_arg(c, c->threads);
	}
	if (!job->peer && net_wrapper(job->name)) {
		add_arg(c, "--");
		add_arg(c, net_wrapper(job->name));
		add_arg(c, "--pe");
	}
}

static void add_program(struct command *c, const struct perf_tools *t, const struct job *job,
			const char *out)
{
	if (!job->name) {
		add_arg(c, "/bin/true");
		return;
	}
	snprintf(c->ms, sizeof(c->ms), "%g", job->row_ms);
	add_arg(c, job->peer ? t->peer : job->grids ? t->bench_kernels : t->bench);
	if (job->grids) {
		add_arg(c, "--kernels");
		add_arg(c, t->kernels);
		add_arg(c, "--device");
		add_arg(c, t->device);
		add_arg(c, "--grids");
		add_arg(c, job->grids);
	}
	add_arg(c, "--case");
	add_arg(c, job->name);
	add_arg(c, "--out");
	add_arg(c, out);
	add_arg(c, "--ms");
	add_arg(c, c->ms);
	if (job->n_sizes) {
		text_of_sizes(job, c->sizes, sizeof(c->sizes));
		add_arg(c, "--sizes");
		add_arg(c, c->sizes);
	}
}

static int open_scratch(char *path, size_t room)
{
	const char *dir = getenv("TMPDIR");

	snprintf(path, room, "%s/mori-perf-XXXXXX", dir && *dir ? dir : "/tmp");
	return mkostemp(path, O_CLOEXEC);
}

/* What a host thread measured stands beside a case of kernels; what limits it does not. */
static void rows_beside(struct rows *run, const char *name, int pes)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n; i++) {
		struct row *r = &run->row[i];

		if (row_is_limit(r))
			continue;
		snprintf(r->name, sizeof(r->name), "%s", name);
		snprintf(r->who, sizeof(r->who), "host");
		r->pes = pes;
		run->row[n++] = *r;
	}
	run->n = n;
}

int job_run(const struct perf_tools *t, const struct job *job, struct rows *rows, double *wall_ms)
{
	const char *heap = job->peer ? t->kind->heap : "MORI_SHMEM_HEAP_SIZE";
	struct command c = { .n = 0 };
	struct rows run = { .n = 0 };
	char out[PATH_MAX];
	int fd = open_scratch(out, sizeof(out)), set = job->heap && !getenv(heap), err;

	if (fd < 0) {
		fprintf(stderr, "mori perf: cannot make %s: %s\n", out, strerror(errno));
		return -1;
	}
	add_launcher(&c, t, job);
	add_program(&c, t, job, out);
	if (set)
		setenv(heap, job->heap, 1);
	if (perf_on_gpu())
		mps_share(job->threads > 1 || job->whole ? 0 : job->pes);
	err = command_run(c.argv, JOB_DEADLINE_S, wall_ms);
	if (set)
		unsetenv(heap);
	if (!err)
		err = rows_read(&run, out);
	else
		fprintf(stderr, "mori perf: %s of %d PEs over %s failed (status %d): no rows\n",
			job->name ? job->name : "/bin/true", job->pes,
			job->peer ? t->kind->title : "MORI Shmem", err);
	if (job->beside)
		rows_beside(&run, job->beside, job->beside_pes);
	if (!err)
		err = rows_merge(rows, &run);
	rows_free(&run);
	close(fd);
	unlink(out);
	return err;
}

int find_near(const char *self, const char *name, int mode, char *out)
{
	static const char *const places[] = { "bench",		 ".",
					      "../bench",	 "../../bench",
					      "../libexec/mori", "../share/mori/bench",
					      "../../../bench" };
	int dir = (int)(strrchr(self, '/') - self);

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(out, PATH_MAX, "%.*s/%s/%s", dir, self, places[i], name);
		if (!access(out, mode))
			return 1;
	}
	*out = 0;
	return 0;
}

int tools_find(struct perf_tools *t)
{
	ssize_t n = readlink("/proc/self/exe", t->self, sizeof(t->self) - 1);

	if (n <= 0 || !find_near(t->self, "mori-bench", X_OK, t->bench)) {
		fprintf(stderr, "mori perf: the program mori-bench is not near %s\n",
			n > 0 ? t->self : "this command");
		return -1;
	}
	return 0;
}
