// SPDX-License-Identifier: MIT
/* TEST: wrapper=none timeout=120 */
/*
 * A process without a free descriptor: a process that connects to it waits, the engine's
 * thread does not spin meanwhile, and when one is free again the other is let in.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "net/job.h"

#define LOOKS 40 /* more is to spin: there are 20 a second */

static int tries; /* atomic: failed attempts of the engine to accept a connection */

/* In place of the C library's. */
int accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	long got = syscall(SYS_accept4, fd, addr, len, flags);

	if (got < 0 && errno == EMFILE)
		__atomic_add_fetch(&tries, 1, __ATOMIC_RELAXED);
	return (int)got;
}

static void full(struct job *j)
{
	struct rlimit was = { 0 }, now;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC); /* the lowest that is free */

	CHECK(fd >= 0 && !getrlimit(RLIMIT_NOFILE, &was));
	close(fd);
	now = was;
	now.rlim_cur = (rlim_t)fd;
	CHECK_EQ("setrlimit", setrlimit(RLIMIT_NOFILE, &now), 0);
	job_tell(&j->block->word[0], 1);
	while (!__atomic_load_n(&tries, __ATOMIC_RELAXED))
		usleep(200);
	usleep(500000);
	CHECK(__atomic_load_n(&tries, __ATOMIC_RELAXED) < LOOKS);
	CHECK_EQ("nobody is in", j->heap[1][64], 0);
	CHECK_EQ("setrlimit", setrlimit(RLIMIT_NOFILE, &was), 0);
}

static void body(struct job *j)
{
	uint8_t v = 42;

	if (j->rank == 0) {
		job_await(&j->block->word[0], 1);
		CHECK_EQ("put", job_put(j, 1, 64, &v, 1, 0), 0);
		CHECK_EQ("quiet", net_quiet(j->net, 1), 0);
		CHECK_EQ("came", j->heap[1][64], 42);
	} else {
		full(j);
	}
	job_close(j);
}

int main(void)
{
	struct job j;

	job_make(&j, 2, 4096);
	j.provider = "socket";
	job_run(&j, body);
	job_drop(&j);
	return test_result();
}
