// SPDX-License-Identifier: MIT
/*
 * What every test program uses: checks that count and continue, a skip, a deadline. A program that
 * made no check fails. Safe in many threads at once; the counts are the process's. Exit codes: 0
 * passed, 1 failed, 77 skipped.
 */
#ifndef MORI_TESTS_TEST_H
#define MORI_TESTS_TEST_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEST_PRINTED 20 /* failures shown; the rest is only counted */

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define TEST_TSAN 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define TEST_ASAN 1
#endif
#ifdef __SANITIZE_THREAD__
#define TEST_TSAN 1
#endif
#ifndef TEST_ASAN
#define TEST_ASAN 0
#endif
#ifndef TEST_TSAN
#define TEST_TSAN 0
#endif

/* Iterations: as they are, or fewer where each takes many times as long. */
#define TEST_SCALE(n)	(TEST_TSAN ? ((n) + 19) / 20 : TEST_ASAN ? ((n) + 3) / 4 : (n))
#define TEST_LEN(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Whether load and store reach from one PE to another, by the environment, so that tests do not
 * rely on the library: MORI_DISABLE_P2P, and PES_NODE, the PEs a node has.
 */
static inline int test_p2p(int pe, int other)
{
	const char *off = getenv("MORI_DISABLE_P2P"), *node = getenv("PES_NODE");

	if (pe == other)
		return 1;
	return !(off && !strcmp(off, "1")) && (!node || pe / atoi(node) == other / atoi(node));
}

/* PES_NODE simulates nodes on one machine, of this many PEs each. Of the PE's process, early. */
static inline void test_name_node(int rank)
{
	const char *size = getenv("PES_NODE");
	char name[32];

	if (!size || atoi(size) < 1)
		return;
	snprintf(name, sizeof(name), "node %d", rank / atoi(size));
	setenv("MORI_NODE_ID", name, 0);
}

static long test_checks, test_failures;
static const char *test_where = "start"; /* what the deadline says it was doing */
static _Thread_local int test_rank = -1; /* shown with a failure, if not negative */

static inline void test_at(const char *where)
{
	__atomic_store_n(&test_where, where, __ATOMIC_RELAXED);
}

static inline int test_fail_begin(const char *file, int line, char *text, size_t size)
{
	long nth = __atomic_add_fetch(&test_failures, 1, __ATOMIC_RELAXED);
	char who[32] = "";

	if (nth == TEST_PRINTED + 1)
		fprintf(stderr, "more failures are not shown\n");
	if (test_rank >= 0)
		snprintf(who, sizeof(who), "PE %d: ", test_rank);
	snprintf(text, size, "%s:%d: %s", file, line, who);
	if (getenv("TEST_FIRST")) { /* the first failure is all that is asked for */
		fprintf(stderr, "%sfailed\n", text);
		_exit(1);
	}
	return nth <= TEST_PRINTED;
}

static inline int test_check(const char *file, int line, const char *what, int good)
{
	char head[256];

	__atomic_add_fetch(&test_checks, 1, __ATOMIC_RELAXED);
	if (!good && test_fail_begin(file, line, head, sizeof(head)))
		fprintf(stderr, "%s%s does not hold\n", head, what);
	return good;
}

static inline int test_check_eq(const char *file, int line, const char *what, long long got,
				long long want)
{
	char head[256];

	__atomic_add_fetch(&test_checks, 1, __ATOMIC_RELAXED);
	if (got != want && test_fail_begin(file, line, head, sizeof(head)))
		fprintf(stderr, "%s%s: got %lld (%#llx), want %lld (%#llx)\n", head, what, got, got,
			want, want);
	return got == want;
}

static inline int test_check_mem(const char *file, int line, const char *what, const void *got,
				 const void *want, size_t n)
{
	const unsigned char *g = got, *w = want;
	char head[256];
	size_t i = 0;

	__atomic_add_fetch(&test_checks, 1, __ATOMIC_RELAXED);
	if (!n || !memcmp(g, w, n))
		return 1;
	while (g[i] == w[i])
		i++;
	if (test_fail_begin(file, line, head, sizeof(head)))
		fprintf(stderr, "%s%s: byte %zu of %zu is %#x, want %#x\n", head, what, i, n, g[i],
			w[i]);
	return 0;
}

static inline int test_check_text(const char *file, int line, const char *text, const char *part)
{
	char head[256];

	__atomic_add_fetch(&test_checks, 1, __ATOMIC_RELAXED);
	if (strstr(text, part))
		return 1;
	if (test_fail_begin(file, line, head, sizeof(head)))
		fprintf(stderr, "%s\"%s\" does not contain \"%s\"\n", head, text, part);
	return 0;
}

/* Each gives 1 if it held, so that a test can stop where going on makes no sense. */
#define CHECK(cond) test_check(__FILE__, __LINE__, #cond, !!(cond))
#define CHECK_EQ(name, got, want)                                                                  \
	test_check_eq(__FILE__, __LINE__, name, (long long)(got), (long long)(want))
#define CHECK_MEM(name, got, want, n) test_check_mem(__FILE__, __LINE__, name, got, want, n)
#define CHECK_TEXT(text, part)	      test_check_text(__FILE__, __LINE__, text, part)

#define SKIP(reason) return test_skip(reason)

static inline int test_skip(const char *reason)
{
	printf("skipped: %s\n", reason);
	return 77;
}

static inline void test_too_late(int sig)
{
	static const char text[] = "the deadline of the test has passed in: ";
	const char *where = __atomic_load_n(&test_where, __ATOMIC_RELAXED);

	(void)sig;
	if (write(2, text, sizeof(text) - 1) >= 0 && write(2, where, strlen(where)) >= 0 &&
	    write(2, "\n", 1) >= 0)
		_exit(1);
	_exit(1);
}

/* End the process, as failed, if it is still there after that time; 0 takes it back. */
static inline void test_deadline(unsigned seconds)
{
	signal(SIGALRM, test_too_late);
	alarm(seconds);
}

/* The exit code of a program whose tests have all returned. */
static inline int test_result(void)
{
	if (!test_checks)
		fprintf(stderr, "no check was made\n");
	if (test_failures)
		fprintf(stderr, "%ld of %ld checks failed\n", test_failures, test_checks);
	return !test_checks || test_failures;
}

#endif
