// SPDX-License-Identifier: MIT
/*
 * Jobs that something happens to. The program starts itself again, once a process
 * of the job, in a role; it stays outside as the director, tells the actors when
 * to go on, reads what they report, and stops or kills them. Both sides talk in
 * messages of one line. An actor whose director is gone ends.
 *
 * A test defines fault_roles[] and fault_test(), which main() runs in the director.
 */
#ifndef MORI_TESTS_FAULT_H
#define MORI_TESTS_FAULT_H

#include "test.h"

#include <mori/shmem.h>

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#define FAULT_FD    3			    /* of an actor, to its director */
#define FAULT_TOOL  (TEST_TSAN + TEST_ASAN) /* a tool watches, which takes time and memory */
#define FAULT_LINE  2048
#define FAULT_SLOW  (FAULT_TOOL ? 4 : 1)
#define FAULT_SOON  (20 * (FAULT_TOOL ? 2 : 1)) /* seconds in which a loss must be known */
#define FAULT_LATE  (60 * FAULT_SLOW)
#define FAULT_LIMIT (110 * (FAULT_TOOL ? 3 : 1)) /* of the whole test */

struct fault_role {
	const char *name;
	void (*run)(void);
};

extern const struct fault_role fault_roles[]; /* ends with a NULL name */
static void fault_test(void);

/* An actor as the director sees it. */
struct fault_pe {
	pid_t pid; /* 0: ended */
	int fd;
	int rank;
	char line[FAULT_LINE]; /* the last it said */
};

static int fault_rank, fault_n; /* of an actor: its (first) PE, and the PEs of the job */

/* A call that must succeed; shows why it did not. */
static inline int fault_ok(const char *file, int line, const char *what, int status)
{
	char head[256];

	__atomic_add_fetch(&test_checks, 1, __ATOMIC_RELAXED);
	if (status && test_fail_begin(file, line, head, sizeof(head)))
		fprintf(stderr, "%s%s: %s: %s\n", head, what, mori_shmem_strerror(status),
			mori_shmem_last_error());
	return !status;
}
#define CHECK_OK(call) fault_ok(__FILE__, __LINE__, #call, call)

/* What the test stands on: the end if it fails. */
#define MUST(cond)                                                                                 \
	do {                                                                                       \
		if (!CHECK(cond))                                                                  \
			_exit(1);                                                                  \
	} while (0)

/* A call that must fail so, with a text that has @part in it. */
static inline int fault_fails(const char *file, int line, const char *what, long long got,
			      long long want, const char *part)
{
	int good = test_check_eq(file, line, what, got, want);

	return test_check_text(file, line, mori_shmem_last_error(), part) && good;
}
#define CHECK_FAILS(call, code, part) fault_fails(__FILE__, __LINE__, #call, call, code, part)
/* The same for a call that returns a pointer. */
#define CHECK_NULL(call, part) fault_fails(__FILE__, __LINE__, #call, (call) ? 1 : 0, 0, part)

static inline double fault_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline void fault_sleep(double seconds)
{
	double end = fault_now() + seconds;

	for (double left = seconds; left > 0; left = end - fault_now())
		poll(NULL, 0, (int)(left * 1e3) + 1);
}

static inline void fault_hex(const mori_shmem_uniqueid_t *uid, char *hex)
{
	for (size_t i = 0; i < sizeof(uid->bytes); i++)
		sprintf(hex + 2 * i, "%02x", uid->bytes[i]);
}

static inline void fault_unhex(const char *hex, mori_shmem_uniqueid_t *uid)
{
	for (size_t i = 0; i < sizeof(uid->bytes); i++) {
		unsigned byte;

		MUST(sscanf(hex + 2 * i, "%2x", &byte) == 1);
		uid->bytes[i] = (unsigned char)byte;
	}
}

/* Both sides: one message, and the next one. 1, or 0 if the peer is gone or time is up. */
static inline int fault_send(int fd, const char *format, va_list args)
{
	char line[FAULT_LINE];

	vsnprintf(line, sizeof(line), format, args);
	return send(fd, line, strlen(line) + 1, MSG_NOSIGNAL) > 0;
}

static inline int fault_recv(int fd, char *line, double seconds)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	double end = fault_now() + seconds;

	line[0] = '\0';
	for (;;) {
		double left = end - fault_now();
		int n = poll(&p, 1, left > 0 ? (int)(left * 1e3) + 1 : 0);

		if (n > 0)
			return recv(fd, line, FAULT_LINE, 0) > 0;
		if ((n < 0 && errno != EINTR) || left <= 0)
			return 0;
	}
}

static inline __attribute__((format(printf, 1, 2))) void fault_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (!fault_send(FAULT_FD, format, args))
		_exit(1);
	va_end(args);
}

/* What the director says next; valid until the next call in this thread. */
static inline const char *fault_hear(void)
{
	static _Thread_local char line[FAULT_LINE];

	if (!fault_recv(FAULT_FD, line, FAULT_LIMIT))
		_exit(1);
	return line;
}

/* Reports to the director how a call ended: "rank status text". */
static inline void fault_report(int rank, int status)
{
	fault_say("%d %d %s", rank, status, status ? mori_shmem_last_error() : "");
}

static inline int fault_init(int rank, int n, const mori_shmem_uniqueid_t *uid)
{
	mori_shmem_init_attr_t attr;
	int err = mori_shmem_set_attr_uniqueid_args(rank, n, uid, &attr);

	return err ? err : mori_shmem_init_attr(MORI_SHMEM_INIT_WITH_UNIQUEID, &attr);
}

/*
 * The id of the job: the director gets it from one actor and passes it to all; see fault_share().
 */
static inline void fault_meet(mori_shmem_uniqueid_t *uid)
{
	const char *line = fault_hear();

	if (!strcmp(line, "make")) {
		char hex[2 * sizeof(uid->bytes) + 1];

		MUST(CHECK_OK(mori_shmem_get_unique_id(uid)));
		fault_hex(uid, hex);
		fault_say("%s", hex);
		line = fault_hear();
	}
	fault_unhex(line, uid);
}

/* Join with one PE, which must work. */
static inline void fault_join(void)
{
	mori_shmem_uniqueid_t uid;

	test_rank = fault_rank;
	fault_meet(&uid);
	MUST(CHECK_OK(fault_init(fault_rank, fault_n, &uid)));
}

/* A small job that must work from init to finalize, to be sure that nothing is spoilt. */
static inline void fault_good_job(int rank, int n, const mori_shmem_uniqueid_t *uid)
{
	int64_t *words;

	MUST(CHECK_OK(fault_init(rank, n, uid)));
	CHECK_EQ("my_pe", mori_shmem_my_pe(), rank);
	CHECK_EQ("n_pes", mori_shmem_n_pes(), n);
	words = mori_shmem_calloc((size_t)n, sizeof(*words));
	MUST(words != NULL);
	for (int pe = 0; pe < n; pe++)
		CHECK_OK(mori_shmem_int64_p(&words[rank], 1000 + rank * n + pe, pe, 0));
	CHECK_OK(mori_shmem_barrier_all());
	for (int pe = 0; pe < n; pe++)
		CHECK_EQ("word", words[pe], 1000 + pe * n + rank);
	CHECK_OK(mori_shmem_free(words));
	CHECK_OK(mori_shmem_finalize());
}

/* The director's side. */
static inline void fault_start(struct fault_pe *pe, const char *role, int rank, int n,
			       const char *env)
{
	char rank_text[16], n_text[16], exe[] = "/proc/self/exe";
	pid_t director = getpid();
	int fds[2];

	snprintf(rank_text, sizeof(rank_text), "%d", rank);
	snprintf(n_text, sizeof(n_text), "%d", n);
	MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) == 0);
	fflush(NULL);
	pe->pid = fork();
	MUST(pe->pid >= 0);
	if (!pe->pid) {
		char *argv[] = { exe, (char *)role, rank_text, n_text, NULL };

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != director || (env && putenv((char *)env)))
			_exit(1);
		/* dup2() of a descriptor onto itself would leave it close-on-exec. */
		if (fds[1] == FAULT_FD)
			fds[1] = dup(fds[1]);
		if (dup2(fds[1], FAULT_FD) < 0)
			_exit(1);
		execv(exe, argv);
		_exit(1);
	}
	close(fds[1]);
	pe->fd = fds[0];
	pe->rank = rank;
}

static inline __attribute__((format(printf, 2, 3))) void fault_tell(struct fault_pe *pe,
								    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	CHECK(fault_send(pe->fd, format, args));
	va_end(args);
}

/* The next message of @pe, in pe->line; it must begin with @start. */
static inline int fault_want(struct fault_pe *pe, double seconds, const char *start)
{
	char head[256];

	__atomic_add_fetch(&test_checks, 1, __ATOMIC_RELAXED);
	if (fault_recv(pe->fd, pe->line, seconds) && !strncmp(pe->line, start, strlen(start)))
		return 1;
	if (test_fail_begin(test_where, pe->rank, head, sizeof(head)))
		fprintf(stderr, "%swants \"%s\" within %g s, got \"%s\"\n", head, start, seconds,
			pe->line);
	return 0;
}

/* The report of @rank in that process must have this status, and a text with @part in it. */
static inline int fault_want_report(struct fault_pe *pe, double seconds, int status,
				    const char *part)
{
	int rank = -1, got = 1;

	if (!fault_want(pe, seconds, ""))
		return 0;
	sscanf(pe->line, "%d %d", &rank, &got);
	return CHECK_EQ(pe->line, got, status) & CHECK_TEXT(pe->line, part);
}

/* One actor opens a rendezvous, and all get its id. */
static inline void fault_share(struct fault_pe *const *pes, int n, struct fault_pe *host)
{
	fault_tell(host, "make");
	if (!fault_want(host, FAULT_LATE, ""))
		return;
	for (int i = 0; i < n; i++)
		fault_tell(pes[i], "%s", host->line);
}

static inline void fault_close(struct fault_pe *pe, int *status)
{
	MUST(waitpid(pe->pid, status, 0) == pe->pid);
	close(pe->fd);
	pe->pid = 0;
}

static inline void fault_kill(struct fault_pe *pe)
{
	int status;

	CHECK_EQ("kill", kill(pe->pid, SIGKILL), 0);
	fault_close(pe, &status);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* It has nothing left to do and must end on its own, with code 0. */
static inline void fault_end(struct fault_pe *pe)
{
	double end = fault_now() + FAULT_LATE;
	siginfo_t info = { 0 };
	int status;

	while (!info.si_pid && fault_now() < end) {
		MUST(waitid(P_PID, (id_t)pe->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0);
		if (!info.si_pid)
			poll(NULL, 0, 2);
	}
	if (!CHECK(info.si_pid != 0))
		kill(pe->pid, SIGKILL);
	fault_close(pe, &status);
	CHECK_EQ("exit status", status, 0);
}

/* Memory of ours that outlives its processes would be here. */
static inline void fault_no_files(void)
{
	DIR *dir = opendir("/dev/shm");
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		CHECK(!strstr(e->d_name, "mori"));
	if (dir)
		closedir(dir);
}

int main(int argc, char **argv)
{
	if (argc > 3) {
		test_deadline(FAULT_LIMIT);
		test_at(argv[1]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fault_rank = atoi(argv[2]);
		fault_n = atoi(argv[3]);
		test_name_node(fault_rank);
		for (const struct fault_role *r = fault_roles; r->name; r++) {
			if (!strcmp(r->name, argv[1])) {
				r->run();
				return test_failures != 0;
			}
		}
		return 1;
	}
	test_deadline(FAULT_LIMIT);
	fault_test();
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
	fault_no_files();
	return test_result();
}

#endif
