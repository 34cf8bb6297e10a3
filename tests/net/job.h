// SPDX-License-Identifier: MIT
/*
 * For the tests of src/net: a job of processes, each with the engine and a heap, made by fork().
 * Heaps and the block for barriers are shared memory: a test can read its peer's heap by load, and
 * so see what has really arrived.
 */
#ifndef MORI_TESTS_NET_JOB_H
#define MORI_TESTS_NET_JOB_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "net/net.h"
#include "test.h"
#include "util/err.h"

#define JOB_MAX	   8
#define JOB_HEAP   7u /* the region's id */
#define JOB_WAIT_S 60 /* for what must come */

/* Ways to move bytes: each test runs over each that this machine has. */
static const char *const job_providers[] = { "socket", "tcp", "tcp;ofi_rxm" };

struct job_block {
	unsigned char address[JOB_MAX][NET_ADDRESS_BYTES];
	uint32_t came, round;
	uint32_t word[16]; /* for the test */
};

struct job {
	int n, rank;
	size_t len;
	struct job_block *block;
	uint8_t *heap[JOB_MAX];
	struct net *net;
	double timeout_s;
	const char *provider, *ifname;
	const char *secret;
	int (*copy)(void *arg, void *dst, const void *src, size_t len);
	int memory; /* enum net_memory of the heap */
};

__attribute__((unused)) static double job_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* A barrier without the network. */
__attribute__((unused)) static void job_meet(struct job *j)
{
	uint32_t round = __atomic_load_n(&j->block->round, __ATOMIC_ACQUIRE);

	if (__atomic_add_fetch(&j->block->came, 1, __ATOMIC_ACQ_REL) == (uint32_t)j->n) {
		__atomic_store_n(&j->block->came, 0, __ATOMIC_RELAXED);
		__atomic_add_fetch(&j->block->round, 1, __ATOMIC_RELEASE);
	}
	while (__atomic_load_n(&j->block->round, __ATOMIC_ACQUIRE) == round)
		usleep(200);
}

/* Until @word is at least @value, seen by the others. */
__attribute__((unused)) static void job_await(uint32_t *word, uint32_t value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value)
		usleep(200);
}

__attribute__((unused)) static void job_tell(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

__attribute__((unused)) static void *job_shared(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return p;
}

__attribute__((unused)) static void job_make(struct job *j, int n, size_t len)
{
	memset(j, 0, sizeof(*j));
	j->n = n;
	j->len = len;
	j->timeout_s = JOB_WAIT_S;
	j->secret = "0123456789abcdef";
	j->ifname = "lo";
	j->block = job_shared(sizeof(*j->block));
	for (int i = 0; i < n; i++)
		j->heap[i] = job_shared(len);
}

/* Whether that way exists here: libfabric or its provider may be missing, or not be wanted. */
__attribute__((unused)) static int job_has(const char *provider)
{
	int32_t proc_of = 0;
	struct net_config config = { .n_pes = 1,
				     .n_procs = 1,
				     .proc_of = &proc_of,
				     .secret = (const unsigned char *)"0123456789abcdef",
				     .provider = provider,
				     .ifname = "lo" };
	struct net *net;
	int status = 1;
	pid_t pid;

	if (getenv("JOB_SOCKETS"))
		return 0;
	pid = fork(); /* libfabric does not like to be forked after its first use */
	if (pid == 0 && TEST_TSAN)
		_exit(1); /* it would see only half of what libfabric does */
	if (pid == 0)
		_exit(net_open(&config, &net) != 0);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0;
}

__attribute__((unused)) static void job_drop(struct job *j)
{
	munmap(j->block, sizeof(*j->block));
	for (int i = 0; i < j->n; i++)
		munmap(j->heap[i], j->len);
}

__attribute__((unused)) static int job_open(struct job *j, int rank)
{
	int32_t proc_of[JOB_MAX] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	struct net_config config = { .n_pes = j->n,
				     .n_procs = j->n,
				     .my_proc = rank,
				     .proc_of = proc_of,
				     .secret = (const unsigned char *)j->secret,
				     .provider = j->provider,
				     .ifname = j->ifname,
				     .timeout_s = j->timeout_s,
				     .copy = j->copy };
	int err = net_open(&config, &j->net);

	test_rank = j->rank = rank;
	if (!CHECK_EQ("net_open", err, 0)) {
		fprintf(stderr, "%s\n", err_text());
		return err;
	}
	net_address(j->net, j->block->address[rank]);
	CHECK_EQ("region", net_region_add(j->net, rank, JOB_HEAP, j->memory, j->heap[rank], j->len),
		 0);
	job_meet(j);
	CHECK_EQ("peers",
		 net_peers(j->net, (const unsigned char(*)[NET_ADDRESS_BYTES])j->block->address),
		 0);
	return 0;
}

__attribute__((unused)) static void job_close(struct job *j)
{
	job_meet(j);
	net_close(j->net);
	j->net = NULL;
}

/* Exit code, or 1000 + signal. */
__attribute__((unused)) static int job_reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* Seconds of a test as the build with or without a sanitizer may take them. */
#define JOB_LIMIT(s) ((s) * (TEST_ASAN || TEST_TSAN ? 3 : 1))

__attribute__((unused)) static pid_t job_fork(struct job *j, int rank, void (*body)(struct job *))
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	test_checks = test_failures = 0;
	test_deadline(JOB_LIMIT(230));
	if (!job_open(j, rank))
		body(j);
	exit(test_result());
}

/* @body in each of @n processes, with the engine open. It calls job_close(). */
__attribute__((unused)) static void job_run(struct job *j, void (*body)(struct job *))
{
	pid_t pid[JOB_MAX];

	for (int i = 0; i < j->n; i++)
		pid[i] = job_fork(j, i, body);
	for (int i = 0; i < j->n; i++)
		CHECK_EQ("a process of the job", job_reap(pid[i]), 0);
}

__attribute__((unused)) static int job_put(struct job *j, int pe, size_t off, const void *src,
					   size_t len, unsigned flags)
{
	return net_put(j->net, &(struct net_at){ pe, JOB_HEAP, off }, src, len, NULL, flags);
}

__attribute__((unused)) static int job_get(struct job *j, int pe, size_t off, void *dst, size_t len,
					   unsigned flags)
{
	return net_get(j->net, &(struct net_at){ pe, JOB_HEAP, off }, dst, len, flags);
}

__attribute__((unused)) static int job_amo(struct job *j, int pe, size_t off, int width, int op,
					   uint64_t value, uint64_t compare, uint64_t *old)
{
	return net_amo(j->net, &(struct net_at){ pe, JOB_HEAP, off }, width, op, value, compare,
		       old);
}

/* Bytes that show their writer, place and time. */
__attribute__((unused)) static void job_fill(uint8_t *p, size_t len, unsigned seed)
{
	uint32_t x = seed * 2654435761u + 12345;

	for (size_t i = 0; i < len; i++) {
		x = x * 1664525u + 1013904223u;
		p[i] = (uint8_t)(x >> 24);
	}
}

#endif
