// SPDX-License-Identifier: MIT
/*
 * A process is killed while the kernels of the others wait for it: each kernel gets
 * MORI_SHMEM_EPEER in every thread, or is ended with it where it only looks, and the host
 * learns which PE it was.
 */
/* TEST: wrapper=none timeout=120 net=procs */
#define PES_NO_INIT
#include "kern.h"

#include "kernels/lost.h"

#include <sys/wait.h>
#include <time.h>

#define PES	3
#define THREADS 3

static int lanes(int how)
{
	return how == LOST_BARRIER_THREAD || how == LOST_BARRIER_BLOCK ? 1 : 2;
}

/* A survivor: runs the kernel, and reports the result. */
static void survive(mori_shmem_module_t *m, uint64_t *words, int32_t how)
{
	unsigned blocks = (unsigned)lanes(how), threads = how == LOST_BARRIER_THREAD ? 1 : THREADS;
	int32_t out[2 * THREADS] = { 0 }, *to = out;
	int status = RUN_KERNEL(m, "lost", blocks, threads, &to, &words, &how);
	mori_shmem_fault_t fault = { .struct_size = sizeof(fault) };

	if (how >= LOST_ENDED) {
		CHECK_EQ("launch", status, MORI_SHMEM_EPEER);
		CHECK_TEXT(mori_shmem_last_error(), "kernel lost on PE");
		CHECK_TEXT(mori_shmem_last_error(), "PE 2");
	} else {
		CHECK_EQ("launch", status, 0);
		for (unsigned i = 0; i < blocks * threads; i++)
			CHECK_EQ("status", out[i], MORI_SHMEM_EPEER);
	}
	CHECK_EQ("sticky", mori_shmem_check(&fault), MORI_SHMEM_EPEER);
	CHECK_EQ("cleared", mori_shmem_check(NULL), 0);
	CHECK_EQ("host", mori_shmem_barrier_all(), MORI_SHMEM_EPEER);
	CHECK_TEXT(mori_shmem_last_error(), "PE 2");
}

static void child(struct kern_way *way, int rank, int32_t how)
{
	mori_shmem_init_attr_t attr;
	mori_shmem_module_t *m;
	uint64_t *words;

	test_deadline(TEST_TSAN || TEST_ASAN ? 100 : 40);
	MUST(mori_shmem_set_attr_uniqueid_args(rank, PES, kern_way(way, rank), &attr));
	MUST(mori_shmem_init_attr(MORI_SHMEM_INIT_WITH_UNIQUEID, &attr));
	pes_meet();
	m = kern_load("lost");
	words = mori_shmem_calloc(LOST_WORDS, 8);
	MUST(words ? 0 : MORI_SHMEM_ENOMEM);
	if (rank == LOST_VICTIM) {
		nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
		raise(SIGKILL);
	}
	survive(m, words, how);
	CHECK_EQ("finalize", mori_shmem_finalize(), MORI_SHMEM_EPEER);
	_exit(test_result());
}

static void case_of(int32_t how)
{
	struct kern_way *way = kern_ways(1);
	pid_t pid[PES];

	for (int i = 0; i < PES; i++) {
		pid[i] = fork();
		if (!pid[i])
			child(way, i, how);
	}
	for (int i = 0; i < PES; i++) {
		int status = 0;

		waitpid(pid[i], &status, 0);
		if (i == LOST_VICTIM)
			CHECK(WIFSIGNALED(status));
		else if (!CHECK_EQ("survivor", WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0))
			fprintf(stderr, "case %d, PE %d\n", how, i);
	}
	munmap(way, sizeof(*way));
}

static int test_pe(void)
{
	size_t size;
	void *image = kern_image("lost", &size);

	if (!image)
		SKIP(KERN_NONE);
	free(image);
	/* TSan's own work between two plain loads hides that they are a loop. */
	for (int32_t how = 0; how < (TEST_TSAN ? LOST_PLAIN : LOST_HOWS); how++)
		case_of(how);
	return 0;
}
