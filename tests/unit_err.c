// SPDX-License-Identifier: MIT
/*
 * Status codes and texts: a thread's text is its own, survives its use as an argument, is cut with
 * "..." and costs neither errno nor memory, and the texts of failed internal attempts are
 * forgotten. Log lines leave in one write, at the right levels, and never end the process.
 */
#include "test.h"
#include "util/err.h"
#include "util/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define THREADS 8
#define LIMIT	1000 /* bytes */

static void test_names(void)
{
	static const struct {
		int status;
		const char *name;
	} codes[] = {
		{ MORI_SHMEM_EINVAL, "MORI_SHMEM_EINVAL" },
		{ MORI_SHMEM_ENOMEM, "MORI_SHMEM_ENOMEM" },
		{ MORI_SHMEM_ENOENT, "MORI_SHMEM_ENOENT" },
		{ MORI_SHMEM_EPEER, "MORI_SHMEM_EPEER" },
		{ MORI_SHMEM_ETIMEDOUT, "MORI_SHMEM_ETIMEDOUT" },
		{ MORI_SHMEM_EMISMATCH, "MORI_SHMEM_EMISMATCH" },
		{ MORI_SHMEM_EFAULT, "MORI_SHMEM_EFAULT" },
		{ MORI_SHMEM_ENOTSUP, "MORI_SHMEM_ENOTSUP" },
		{ MORI_SHMEM_EABI, "MORI_SHMEM_EABI" },
		{ MORI_SHMEM_ESTATE, "MORI_SHMEM_ESTATE" },
		{ MORI_SHMEM_EREACH, "MORI_SHMEM_EREACH" },
		{ MORI_SHMEM_EIO, "MORI_SHMEM_EIO" },
	};

	for (size_t i = 0; i < TEST_LEN(codes); i++) {
		CHECK_EQ("codes are -1, -2, ...", codes[i].status, -(int)(i + 1));
		CHECK_TEXT(err_name(codes[i].status), codes[i].name);
		CHECK_TEXT(err_name(codes[i].status), ": ");
	}
	CHECK_TEXT(err_name(0), "success");
	CHECK_TEXT(err_name(-13), "not a status");
	CHECK_TEXT(err_name(1), "not a status");
	CHECK_TEXT(err_name(INT32_MIN), "not a status");
}

static void test_text(void)
{
	char big[5000];

	CHECK_EQ("no text yet", err_text()[0], 0);
	CHECK_EQ("no status yet", err_take(), 0);
	errno = ENOTTY;
	CHECK_EQ("status", err_set(MORI_SHMEM_EPEER, "PE %d of %s", 7, "world"), MORI_SHMEM_EPEER);
	CHECK_EQ("errno", errno, ENOTTY);
	CHECK(!strcmp(err_text(), "PE 7 of world"));
	err_set(MORI_SHMEM_EIO, "%s, again: %s", err_text(), err_text());
	CHECK(!strcmp(err_text(), "PE 7 of world, again: PE 7 of world"));
	memset(big, 'x', sizeof(big));
	big[sizeof(big) - 1] = '\0';
	err_set(MORI_SHMEM_EIO, "%s", big);
	CHECK_EQ("length", strlen(err_text()), 1023);
	CHECK(!strcmp(err_text() + 1018, "xx..."));
	err_set(MORI_SHMEM_EIO, "%s", "");
	CHECK_EQ("empty", err_text()[0], 0);
	CHECK_EQ("the last status", err_take(), MORI_SHMEM_EIO);
	CHECK_EQ("taken once", err_take(), 0);
}

/* A failed attempt is forgotten, an earlier failure is not. */
static void test_tried(void)
{
	struct err_was was;

	err_set(MORI_SHMEM_EPEER, "before");
	err_save(&was);
	err_set(MORI_SHMEM_EIO, "something longer, in vain");
	err_restore(&was);
	CHECK(!strcmp(err_text(), "before"));
	CHECK_EQ("the status before", err_take(), MORI_SHMEM_EPEER);
	err_save(&was);
	err_set(MORI_SHMEM_EIO, "in vain");
	err_restore(&was);
	CHECK_EQ("none since it was taken", err_take(), 0);
}

/* Of a thread that never failed. */
static void *tried_first(void *arg)
{
	struct err_was was;

	err_save(&was);
	err_set(MORI_SHMEM_EIO, "in vain");
	err_restore(&was);
	CHECK_EQ("no text", err_text()[0], 0);
	CHECK_EQ("no status", err_take(), 0);
	return arg;
}

static void *own_text(void *arg)
{
	int me = *(int *)arg;
	char want[32];

	CHECK_EQ("a new thread has none", err_text()[0], 0);
	snprintf(want, sizeof(want), "thread %d", me);
	for (int i = 0; i < 1000; i++) {
		err_set(-1 - me, "thread %d", me);
		if (strcmp(err_text(), want))
			break;
	}
	CHECK(!strcmp(err_text(), want));
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[THREADS];
	int ids[THREADS];

	err_set(MORI_SHMEM_EIO, "main");
	pthread_create(&threads[0], NULL, tried_first, NULL);
	pthread_join(threads[0], NULL);
	for (int i = 0; i < THREADS; i++) {
		ids[i] = i;
		pthread_create(&threads[i], NULL, own_text, &ids[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK(!strcmp(err_text(), "main"));
}

/* Standard error goes into a pipe while @speak runs; what came. */
static size_t capture(void (*speak)(void), char *buf, size_t size)
{
	int fds[2], saved = dup(2);
	ssize_t n;

	if (!CHECK(!pipe2(fds, O_NONBLOCK | O_CLOEXEC) && saved >= 0))
		return 0;
	dup2(fds[1], 2);
	speak();
	dup2(saved, 2);
	n = read(fds[0], buf, size - 1);
	buf[n > 0 ? n : 0] = '\0';
	close(fds[0]);
	close(fds[1]);
	close(saved);
	return n > 0 ? (size_t)n : 0;
}

static void speak_all(void)
{
	log_set_level(LOG_INFO);
	log_set_rank(5);
	log_trace("one %d", 1);
	log_debug("two");
	log_info("three %s", "3");
	log_warn("four");
	log_set_rank(-1);
	log_error("five");
	err_set(MORI_SHMEM_EIO, "six");
	log_set_level(LOG_WARN);
	err_set(MORI_SHMEM_EIO, "seven");
}

static void speak_long(void)
{
	char big[5000];

	memset(big, 'y', sizeof(big));
	big[sizeof(big) - 1] = '\0';
	errno = EDOM;
	log_error("%s", big);
	CHECK_EQ("errno", errno, EDOM);
}

static void test_log(void)
{
	char got[4096], want[256];
	size_t n;

	capture(speak_all, got, sizeof(got));
	snprintf(want, sizeof(want),
		 "mori[%d:5] info: three 3\nmori[%d:5] warning: four\nmori[%d:-] error: five\n"
		 "mori[%d:-] info: six\n",
		 getpid(), getpid(), getpid(), getpid());
	if (!CHECK(!strcmp(got, want)))
		fprintf(stderr, "got:\n%swant:\n%s", got, want);
	n = capture(speak_long, got, sizeof(got));
	CHECK_EQ("one line, cut", n, 2048);
	CHECK(!strcmp(got + n - 5, "y...\n"));
}

/* In a child: standard error is a file that may not become larger than LIMIT. */
static void log_to_full_file(int fd)
{
	struct rlimit limit = { LIMIT, LIMIT };
	sigset_t pending;

	if (dup2(fd, STDERR_FILENO) < 0 || setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 }) ||
	    setrlimit(RLIMIT_FSIZE, &limit))
		_exit(2);
	for (int i = 0; i < LIMIT; i++)
		log_line(LOG_WARN, "line %d", i);
	sigpending(&pending);
	_exit(sigismember(&pending, SIGXFSZ) ? 3 : 0);
}

static void test_full_file(void)
{
	char path[] = "/tmp/mori-unit-err.XXXXXX";
	int fd = mkstemp(path), status = -1;
	pid_t child;

	if (!CHECK(fd >= 0))
		return;
	unlink(path);
	child = fork();
	if (!child)
		log_to_full_file(fd);
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	CHECK_EQ("how the process ended", status, 0);
	CHECK_EQ("size of the file", lseek(fd, 0, SEEK_END), LIMIT);
	close(fd);
}

int main(void)
{
	test_deadline(60);
	test_names();
	test_text();
	test_tried();
	test_threads();
	test_log();
	test_full_file();
	return test_result();
}
