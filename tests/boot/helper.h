// SPDX-License-Identifier: MIT
/*
 * For the tests of src/boot: checks that count, a deadline for the whole program,
 * and children that are this program again with a role. A child's arguments are
 * role, unique id in hex, then numbers.
 */
#ifndef MORI_TESTS_BOOT_HELPER_H
#define MORI_TESTS_BOOT_HELPER_H

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "boot/boot.h"
#include "boot/uid.h"
#include "util/err.h"

#define WAIT_S 60.0 /* for what must come; never reached by a good run */

static int checks, failures;

#define CHECK(cond, ...) check_one((cond) ? 1 : 0, __FILE__, __LINE__, #cond, " " __VA_ARGS__)

__attribute__((format(printf, 5, 6), unused)) static int
check_one(int ok, const char *file, int line, const char *what, const char *fmt, ...)
{
	va_list ap;

	__atomic_fetch_add(&checks, 1, __ATOMIC_RELAXED);
	if (ok)
		return 1;
	__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
	fprintf(stderr, "%s:%d: [%d] failed: %s ", file, line, (int)getpid(), what);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, " [last error: %s]\n", err_text());
	return 0;
}

/* The last line of main(): a program that checked nothing has failed. */
__attribute__((unused)) static int test_result(void)
{
	if (checks == 0)
		fprintf(stderr, "no check was made\n");
	return failures || checks == 0;
}

__attribute__((unused)) static void test_deadline(unsigned s)
{
	alarm(s);
}

__attribute__((unused)) static struct boot_config test_config(double timeout_s)
{
	struct boot_config c = {
		.timeout_s = timeout_s, .rank = -1, .world_size = -1, .threads = -1
	};

	return c;
}

__attribute__((unused)) static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

__attribute__((unused)) static void nap(double s)
{
	usleep((useconds_t)(s * 1e6));
}

/* Start this program again: argv is role, uid in hex, then @n numbers. */
__attribute__((unused)) static pid_t spawn(const char *role, const unsigned char *uid, int n, ...)
{
	char hex[2 * BOOT_UID_BYTES + 1], num[8][16];
	char *argv[12] = { (char *)"test", (char *)role, hex };
	va_list ap;
	pid_t pid;

	uid_to_hex(uid, hex);
	va_start(ap, n);
	for (int i = 0; i < n && i < 8; i++) {
		snprintf(num[i], sizeof(num[i]), "%d", va_arg(ap, int));
		argv[3 + i] = num[i];
	}
	va_end(ap);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* none outlives a test that fails */
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	return pid;
}

/* A plain socket, for playing the stranger. */
__attribute__((unused)) static int test_socket(int family, int type)
{
	int fd = socket(family, type | SOCK_CLOEXEC, 0);

	if (fd < 0) {
		perror("socket");
		exit(1);
	}
	return fd;
}

/* Exit status, or 1000 + signal. */
__attribute__((unused)) static int reap(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

__attribute__((unused)) static int count_dir(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

__attribute__((unused)) static int count_fds(void)
{
	return count_dir("/proc/self/fd");
}

__attribute__((unused)) static void *thread_nop(void *arg)
{
	return arg;
}

/* The threads there are; one has run before, or a sanitizer's own would come later. */
__attribute__((unused)) static int count_threads(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, thread_nop, NULL) == 0)
		pthread_join(t, NULL);
	nap(0.01);
	return count_dir("/proc/self/task");
}

/* A thread that was joined may be listed for a moment longer. */
__attribute__((unused)) static int threads_are(int n)
{
	for (int i = 0; i < 200 && count_threads() != n; i++)
		;
	return count_threads() == n;
}

/* A PE as a thread. */
struct pe {
	pthread_t thread;
	const unsigned char *uid;
	int rank, nranks;
	double timeout_s;
	int status; /* of what it did */
	char text[512];
	struct boot *b;
	void *arg;
};

/* What every PE joins with: its own, by rank. */
struct blob {
	int32_t rank;
	int32_t pid;
	uint64_t pattern;
};

__attribute__((unused)) static struct blob blob_of(int rank)
{
	struct blob b = { rank, (int32_t)getpid(),
			  UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(rank + 1) };

	return b;
}

__attribute__((unused)) static int pe_join(struct pe *p)
{
	struct boot_config c = test_config(p->timeout_s);
	struct blob mine = blob_of(p->rank);

	p->status = boot_join(&c, p->uid, p->rank, p->nranks, &mine, sizeof(mine), &p->b);
	snprintf(p->text, sizeof(p->text), "%s", p->status ? err_text() : "");
	return p->status;
}

/* The table holds everybody, in order, with what they gave. */
__attribute__((unused)) static void check_table(const struct pe *p)
{
	CHECK(boot_n_pes(p->b) == p->nranks);
	for (int i = 0; i < p->nranks; i++) {
		const struct boot_peer *peer = boot_peer(p->b, i);
		const struct blob *theirs = peer->blob;

		CHECK(theirs->rank == i, "PE %d has the blob of %d", i, theirs->rank);
		CHECK(theirs->pattern == blob_of(i).pattern);
		CHECK(theirs->pid == peer->pid);
		CHECK(peer->proc >= 0 && peer->proc < boot_n_procs(p->b));
		CHECK(peer->node == 0);
		CHECK(strlen(peer->host) > 0);
	}
	CHECK(boot_peer(p->b, 0)->proc == 0);
	CHECK(boot_peer(p->b, p->rank)->proc == boot_my_proc(p->b));
}

/* Every collective once, with data that differ by PE and by @turn. */
__attribute__((unused)) static void check_collectives(const struct pe *p, int turn)
{
	uint64_t mine = ((uint64_t)turn << 32) + (uint64_t)p->rank * 3 + 1;
	uint64_t *all = malloc((size_t)p->nranks * sizeof(*all));
	int bad = turn % p->nranks, err;
	char want[64];

	memset(all, 0xa5, (size_t)p->nranks * sizeof(*all));
	CHECK(boot_barrier(p->b, p->rank, WAIT_S) == 0);
	CHECK(boot_allgather(p->b, p->rank, &mine, sizeof(mine), all, WAIT_S) == 0);
	for (int i = 0; i < p->nranks; i++)
		CHECK(all[i] == ((uint64_t)turn << 32) + (uint64_t)i * 3 + 1, "turn %d PE %d", turn,
		      i);
	CHECK(boot_agree(p->b, p->rank, 0, NULL, WAIT_S) == 0);
	/* All from @bad on fail, each in its own way: the lowest counts. */
	err = p->rank >= bad ? -(1 + p->rank % 12) : 0;
	snprintf(want, sizeof(want), "text of PE %d", p->rank);
	err = boot_agree(p->b, p->rank, err, want, WAIT_S);
	snprintf(want, sizeof(want), "PE %d: text of PE %d", bad, bad);
	CHECK(err == -(1 + bad % 12), "status %d", err);
	CHECK(!strcmp(err_text(), want));
	free(all);
}

/* Find the job, join, work and leave, several times, as repeated inits do. */
__attribute__((unused)) static int pe_turns(enum boot_way way, int nranks, int turns)
{
	struct boot_config c = test_config(WAIT_S);

	for (int turn = 0; turn < turns; turn++) {
		struct boot_job job;
		struct pe p;

		if (!CHECK(boot_find(&c, &job) == 0))
			break;
		CHECK(job.way == way && job.nranks == nranks && job.threads == 1);
		p = (struct pe){
			.uid = job.uid, .rank = job.rank, .nranks = job.nranks, .timeout_s = WAIT_S
		};
		if (!CHECK(pe_join(&p) == 0))
			break;
		check_table(&p);
		check_collectives(&p, turn);
		boot_leave(p.b, p.rank);
	}
	return test_result();
}

__attribute__((unused)) static void pes_start(struct pe *pes, int n, int first, int nranks,
					      const unsigned char *uid, void *(*start)(void *))
{
	for (int i = 0; i < n; i++) {
		pes[i] = (struct pe){ .uid = uid,
				      .rank = first + i,
				      .nranks = nranks,
				      .timeout_s = WAIT_S,
				      .arg = pes[i].arg };
		if (pthread_create(&pes[i].thread, NULL, start, &pes[i]))
			CHECK(!"thread");
	}
}

__attribute__((unused)) static void pes_join(struct pe *pes, int n)
{
	for (int i = 0; i < n; i++)
		pthread_join(pes[i].thread, NULL);
}

__attribute__((unused)) static void test_uid(int argc, char **argv, unsigned char *uid)
{
	if (argc < 3 || uid_from_hex(argv[2], uid)) {
		fprintf(stderr, "bad arguments\n");
		exit(2);
	}
}

#endif
