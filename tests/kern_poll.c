// SPDX-License-Identifier: MIT
/*
 * Threads of a kernel that poll words instead of waiting: they let the writers of those words run;
 * a loop that only polls ends by the deadline of waits, and one that computes does not.
 */
/* TEST: pes=1 modes=procs env=MORI_SHMEM_TIMEOUT=2 timeout=120 */
#include "kern.h"

#include "kernels/poll.h"

#include <time.h>

#define BLOCKS	6u
#define THREADS 4u
#define ALL	(BLOCKS * THREADS)

static void chains(mori_shmem_module_t *m)
{
	uint64_t *words = pes_malloc((ALL + 1) * 8);

	for (int32_t how = 0; how < POLL_HOWS; how++) {
		memset(words, 0, ALL * 8);
		words[ALL] = 7;
		CHECK_OK(RUN_KERNEL(m, "poll_chain", BLOCKS, THREADS, &words, &how));
		for (unsigned i = 0; i < ALL; i++)
			CHECK_EQ("word", words[i], i + 1);
	}
	MUST(mori_shmem_free(words));
}

/* It has ended @kernel, at the place if it is said, and the next launch is refused. */
static void caught(mori_shmem_module_t *m, const char *kernel, int status, const char *place)
{
	uint64_t sum, *to = &sum, steps = 1;
	mori_shmem_fault_t fault = { .struct_size = sizeof(fault) };
	char text[64];

	CHECK_EQ(kernel, status, MORI_SHMEM_ETIMEDOUT);
	snprintf(text, sizeof(text), "kernel %s on PE %d", kernel, me);
	CHECK_TEXT(mori_shmem_last_error(), text);
	CHECK_TEXT(mori_shmem_last_error(), "MORI_SHMEM_TIMEOUT");
	CHECK_TEXT(mori_shmem_last_error(), place);
	CHECK_EQ("until the host has looked", RUN_KERNEL(m, "poll_compute", 1, 1, &to, &steps),
		 MORI_SHMEM_ETIMEDOUT);
	CHECK_EQ("sticky", mori_shmem_check(&fault), MORI_SHMEM_ETIMEDOUT);
	CHECK_TEXT(fault.op, kernel);
	if (place[0] == 'b') {
		CHECK_EQ("block", fault.block[0], 2);
		CHECK_EQ("thread", fault.thread[0], 3);
	}
	CHECK_OK(RUN_KERNEL(m, "poll_compute", 1, 1, &to, &steps));
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* How many steps take about a second of this thread. */
static uint64_t second(mori_shmem_module_t *m)
{
	uint64_t sum, *to = &sum, steps = 1 << 20;
	double took = 0;

	while (took < 0.1) {
		steps *= 2;
		took = -cpu_seconds();
		MUST(RUN_KERNEL(m, "poll_compute", 1, 1, &to, &steps));
		took += cpu_seconds();
	}
	return (uint64_t)((double)steps / took);
}

static void computes(mori_shmem_module_t *m)
{
	uint64_t *word = pes_malloc(8), sum = 0, *to = &sum, each = second(m), steps = each * 3;
	uint64_t n = 600;

	CHECK_OK(RUN_KERNEL(m, "poll_compute", 1, 1, &to, &steps));
	CHECK(sum != 0);
	memset(word, 0, 8);
	steps = each / 200;
	CHECK_OK(RUN_KERNEL(m, "poll_work", 1, 1, &word, &to, &n, &steps));
	MUST(mori_shmem_free(word));
}

static int test_pe(void)
{
	mori_shmem_module_t *m = kern_load("poll");
	uint64_t *word;
	int32_t how = POLL_G;

	if (!m)
		SKIP(KERN_NONE);
	word = pes_malloc(8);
	memset(word, 0, 8);
	chains(m);
	/* TSan's own work between two plain loads hides that they are a loop. */
	if (!TEST_TSAN)
		caught(m, "poll_plain", RUN_KERNEL(m, "poll_plain", 4, 5, &word),
		       "block (2, 0, 0), thread (3, 0, 0)");
	caught(m, "poll_ever", RUN_KERNEL(m, "poll_ever", 2, 3, &word, &how), "6 threads");
	how = POLL_TEST;
	caught(m, "poll_ever", RUN_KERNEL(m, "poll_ever", 2, 3, &word, &how), "6 threads");
	computes(m);
	MUST(mori_shmem_free(word));
	MUST(mori_shmem_module_unload(m));
	return 0;
}
