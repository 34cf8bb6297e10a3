// SPDX-License-Identifier: MIT
/*
 * A kernel that waits for something that never comes ends by the deadline, and the log names each
 * waiting thread and its wait; a kernel in which no thread can ever continue ends at once.
 */
/* TEST: waits=1 pes=2 modes=procs,threads env=MORI_SHMEM_TIMEOUT=2 env=MORI_SHMEM_WAIT_REPORT=0.5 */
#include "kern.h"

#include <fcntl.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Standard error goes to a file until it is read. */
static int log_take(void)
{
	int file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), saved = dup(2);

	if (file < 0 || saved < 0 || dup2(file, 2) < 0)
		exit(1);
	close(file);
	return saved;
}

static void log_read(int saved, char *text, size_t size)
{
	ssize_t n = pread(2, text, size - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	dup2(saved, 2);
	close(saved);
}

static void never(mori_shmem_module_t *m, uint64_t *word)
{
	int saved = pes_here() == 1 ? log_take() : -1;
	char text[8192], line[128];
	double start = now();
	int err = RUN_KERNEL(m, "never", 4, 40, &word);
	mori_shmem_fault_t f = { .struct_size = sizeof(f) };

	if (saved >= 0)
		log_read(saved, text, sizeof(text));
	CHECK_EQ("never", err, MORI_SHMEM_ETIMEDOUT);
	CHECK(now() - start >= 1.9);
	snprintf(line, sizeof(line), "kernel never on PE %d: all threads have only waited for ",
		 me);
	CHECK_TEXT(mori_shmem_last_error(), line);
	CHECK_TEXT(mori_shmem_last_error(), "of 160 threads 120 wait for");
	if (saved >= 0) {
		snprintf(line, sizeof(line), "kernel never: 120 wait for %p (heap + 0x",
			 (void *)word);
		CHECK_TEXT(text, line);
		CHECK_TEXT(text,
			   " == 77 (0x4d), which is 0; first block (0, 0, 0), thread (0, 0, 0)");
		snprintf(line, sizeof(line), "kernel never: 1 wait for %p (heap + 0x",
			 (void *)(word + 1));
		CHECK_TEXT(text, line);
		CHECK_TEXT(text,
			   " > 40 (0x28), which is 0; first block (1, 0, 0), thread (5, 0, 0)");
		snprintf(line, sizeof(line), "warning: PE %d: kernel never has waited for ", me);
		CHECK_TEXT(text, line);
		CHECK_TEXT(text, " s: of 160 threads 120 wait for ");
		CHECK_TEXT(
			text,
			"kernel never: 39 wait for the rest of the block; first block (2, 0, 0), "
			"thread (1, 0, 0)");
	}
	CHECK_EQ("sticky", mori_shmem_check(&f), MORI_SHMEM_ETIMEDOUT);
	CHECK_TEXT(f.op, "never");
}

static void deadlock(mori_shmem_module_t *m, uint64_t *word)
{
	CHECK_EQ("deadlock", RUN_KERNEL(m, "deadlock", 2, 8, &word, &me), MORI_SHMEM_ETIMEDOUT);
	CHECK_TEXT(mori_shmem_last_error(), "which will never come");
	CHECK_TEXT(mori_shmem_last_error(), "of 16 threads 8 wait for the rest of the warp");
	CHECK_EQ("sticky", mori_shmem_check(NULL), MORI_SHMEM_ETIMEDOUT);
}

/*
 * A barrier has its own deadline: the kernel gets a status and continues, and a check returns which
 * PE was missing.
 */
static void missing(void)
{
	mori_shmem_module_t *m = kern_load("ring");
	uint64_t rounds = 1, bad = 0, *faults = &bad;
	mori_shmem_fault_t f = { .struct_size = sizeof(f) };

	CHECK_OK(RUN_KERNEL(m, "meet", 1, 40, &rounds, &faults));
	CHECK_EQ("every thread knows", bad, 40);
	CHECK_EQ("status", mori_shmem_check(&f), MORI_SHMEM_ETIMEDOUT);
	CHECK_TEXT(mori_shmem_last_error(),
		   "barrier_all_block in a kernel: PE 1 did not come within 2 s "
		   "(MORI_SHMEM_TIMEOUT) (block (0, 0, 0), thread (1, 0, 0))");
	CHECK_EQ("who is missing", f.pe, 1);
	CHECK_TEXT(f.op, "barrier_all_block");
	MUST(mori_shmem_module_unload(m));
}

static int test_pe(void)
{
	mori_shmem_module_t *m = kern_load("fault");
	uint64_t *word;
	int seen = 0, *out = &seen;

	if (!m)
		SKIP(KERN_NONE);
	word = pes_malloc(16);
	word[0] = word[1] = 0;
	BARRIER();
	never(m, word);
	deadlock(m, word);
	CHECK_OK(RUN_KERNEL(m, "fine", 4, 40, &out));
	CHECK_EQ("a kernel runs again", seen, 42);
	BARRIER();
	if (me == 0) {
		missing();
		MUST(mori_shmem_uint64_p(word, 1, 1, 0));
	} else {
		AWAIT(word, 1);
	}
	BARRIER();
	MUST(mori_shmem_free(word));
	MUST(mori_shmem_module_unload(m));
	return 0;
}
