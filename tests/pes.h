// SPDX-License-Identifier: MIT
/*
 * A program of PEs: it includes this and defines test_pe(), which every PE runs
 * between init and finalize. main() starts one thread for each PE that `mori run` gives
 * this process (MORI_THREADS); alone it is a job of one PE. Leading arguments
 * NAME=VALUE are put into the environment first. Every PE makes the same
 * collective calls, whatever its checks say. Define PES_NO_INIT to call init and
 * finalize in test_pe() itself.
 */
#ifndef MORI_TESTS_PES_H
#define MORI_TESTS_PES_H

#include "test.h"

#include <mori/shmem.h>

#include <pthread.h>
#include <sched.h>

#define POISON 0xa5 /* where nothing may be written */
#define SPENT  0x3c /* around a source and, once it may be reused, in it: never to arrive */
#define GUARD  64   /* bytes before and after what a test may write */

static int test_pe(void);

static int test_argc;
static char **test_argv;
static _Thread_local int me = -1, n_pes = -1;
static _Thread_local uint64_t ctx; /* for the forms that take one */

/* A call that must succeed; shows why it did not. */
static inline int pes_ok(const char *file, int line, const char *what, int status)
{
	char head[256];

	__atomic_add_fetch(&test_checks, 1, __ATOMIC_RELAXED);
	if (status && test_fail_begin(file, line, head, sizeof(head)))
		fprintf(stderr, "%s%s: %s: %s\n", head, what, mori_shmem_strerror(status),
			mori_shmem_last_error());
	return !status;
}
#define CHECK_OK(call) pes_ok(__FILE__, __LINE__, #call, call)

/* What a test stands on rather than tests: no check if it succeeds, the end if not. */
static inline void pes_must(const char *file, int line, const char *what, int status)
{
	if (status) {
		pes_ok(file, line, what, status);
		exit(1);
	}
}
#define MUST(call) pes_must(__FILE__, __LINE__, #call, call)
#define BARRIER()  MUST(mori_shmem_barrier_all())
/* A word of this PE that a peer sets or adds up to @value. */
#define AWAIT(word, value) MUST(mori_shmem_uint64_wait_until_equals_for(word, value, AWAIT_NS))
#define AWAIT_NS	   40000000000u

/* Byte @i of what a PE sends in a round: differs by both, never POISON or SPENT. */
static inline unsigned char pattern(int seed, size_t i)
{
	uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u + (uint64_t)(seed + 1) * 0xbf58476d1ce4e5b9u;
	unsigned char byte = (unsigned char)((x ^ (x >> 29)) * 0x94d049bb133111ebu >> 56);

	return byte == POISON || byte == SPENT ? 0x11 : byte;
}

static inline void fill(void *to, int seed, size_t n)
{
	unsigned char *p = to;

	for (size_t i = 0; i < n; i++)
		p[i] = pattern(seed, i);
}

static inline void poison(void *to, size_t n)
{
	memset(to, POISON, n);
}

/* Where the first byte is that is not as it should be; n if all are. */
static inline size_t differs(const void *at, int seed, size_t n)
{
	const unsigned char *p = at;
	size_t i = 0;

	while (i < n && p[i] == pattern(seed, i))
		i++;
	return i;
}

static inline size_t not_poison(const void *at, size_t n)
{
	const unsigned char *p = at;
	size_t i = 0;

	while (i < n && p[i] == POISON)
		i++;
	return i;
}

/* @area of @size bytes holds @n bytes of pattern from @off on, and poison around them. */
static inline int pes_area(const char *file, int line, const char *what, const void *area,
			   size_t size, size_t off, int seed, size_t n)
{
	const unsigned char *p = area;
	char text[128];
	int good = 1;

	snprintf(text, sizeof(text), "%s, %zu bytes: guard before", what, n);
	good &= test_check_eq(file, line, text, (long long)not_poison(p, off), (long long)off);
	snprintf(text, sizeof(text), "%s, %zu bytes: data", what, n);
	good &= test_check_eq(file, line, text, (long long)differs(p + off, seed, n), (long long)n);
	snprintf(text, sizeof(text), "%s, %zu bytes: guard after", what, n);
	good &= test_check_eq(file, line, text, (long long)not_poison(p + off + n, size - off - n),
			      (long long)(size - off - n));
	return good;
}
#define CHECK_AREA(what, area, size, off, seed, n)                                                 \
	pes_area(__FILE__, __LINE__, what, area, size, off, seed, n)

/* Memory, poisoned; symmetric (on every PE when it returns) or the PE's own. */
static inline void *pes_malloc(size_t size)
{
	void *p = mori_shmem_malloc(size);

	MUST(p ? 0 : MORI_SHMEM_ENOMEM);
	poison(p, size);
	BARRIER();
	return p;
}

static inline void *pes_private(size_t size)
{
	void *p = malloc(size);

	if (!p)
		exit(1);
	poison(p, size);
	return p;
}

/* Learn what the macros of this file need; after an init. */
static inline void pes_meet(void)
{
	me = test_rank = mori_shmem_my_pe();
	n_pes = mori_shmem_n_pes();
	MUST(mori_shmem_device_state(&ctx));
}

static inline void *pes_run(void *arg)
{
	long *skipped = arg;

#ifndef PES_NO_INIT
	MUST(mori_shmem_init());
	/* Failed attempts on the way are not a failure. */
	CHECK_EQ(mori_shmem_last_error(), mori_shmem_take_error(), 0);
	CHECK_EQ(mori_shmem_last_error(), *mori_shmem_last_error(), 0);
	pes_meet();
#endif
	if (test_pe() == 77)
		__atomic_add_fetch(skipped, 1, __ATOMIC_RELAXED);
#ifndef PES_NO_INIT
	MUST(mori_shmem_finalize());
#endif
	return NULL;
}

static inline int pes_p2p(int pe)
{
	return test_p2p(me, pe);
}

/* Iterations: fewer where each crosses a network. */
static inline int pes_rounds(int n)
{
	const char *off = getenv("MORI_DISABLE_P2P");

	return getenv("PES_NODE") || (off && !strcmp(off, "1")) ? (n + 99) / 100 : n;
}

/* How many PEs this process hosts. */
static inline int pes_here(void)
{
	const char *text = getenv("MORI_THREADS");
	int n = text ? atoi(text) : 1;

	return n > 0 ? n : 1;
}

static inline int pes_main(void)
{
	int n = pes_here(), started = 0;
	pthread_t *threads = calloc((size_t)n, sizeof(*threads));
	const char *rank = getenv("MORI_RANK");
	long skipped = 0;

	test_name_node(rank ? atoi(rank) : 0);
	if (n == 1)
		pes_run(&skipped);
	for (; threads && n > 1 && started < n; started++) {
		if (pthread_create(&threads[started], NULL, pes_run, &skipped)) {
			perror("pthread_create");
			exit(1);
		}
	}
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return skipped == n && !test_failures ? 77 : test_result();
}

/*
 * AMD's HIP takes down at exit what its threads still use, and some process in a few hundred ends by a
 * signal: what the test found is said by then, and nothing of the library's is left to do.
 */
_Noreturn static void pes_leave(int code)
{
	const char *device = getenv("MORI_SHMEM_DEVICE");

	if (!device || strcmp(device, "hip") != 0)
		exit(code);
	fflush(NULL);
	_exit(code);
}

int main(int argc, char **argv)
{
	const char *seconds = getenv("PES_DEADLINE");

	test_deadline(seconds ? (unsigned)atoi(seconds) : TEST_TSAN || TEST_ASAN ? 330 : 110);
	while (argc > 1 && strchr(argv[1], '=')) {
		char *value = strchr(argv[1], '=');

		*value = '\0';
		setenv(argv[1], value + 1, 1);
		argv++;
		argc--;
	}
	test_argc = argc;
	test_argv = argv;
	pes_leave(pes_main());
}

#endif
