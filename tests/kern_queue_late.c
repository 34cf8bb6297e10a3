// SPDX-License-Identifier: MIT
/*
 * A PE that does not answer any more, without being lost: kernels that reach it by queues get a
 * status in every thread within MORI_SHMEM_TIMEOUT, the host learns which PE it was, and
 * the others still reach each other.
 */
/* TEST: waits=1 wrapper=none timeout=120 */
#define PES_NO_INIT
#include "kern.h"

#include <signal.h>
#include <sys/wait.h>

#define PES	3
#define VICTIM	2
#define THREADS 40
#define BYTES	300000u

static int *through; /* survivors that have seen it all; shared */

static void survive(mori_shmem_module_t *m, char *at, int32_t scope)
{
	char *own = pes_private(BYTES);
	int32_t out[THREADS] = { 0 }, *to = out, pe = VICTIM;
	char *data = at + 64;
	uint64_t len = BYTES;
	mori_shmem_fault_t fault = { .struct_size = sizeof(fault) };
	int told = 0;
	int sticky;

	CHECK_EQ("launch", RUN_KERNEL(m, "until", 1, THREADS, &to, &data, &own, &len, &pe, &scope),
		 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(out[i] == MORI_SHMEM_EPEER || out[i] == MORI_SHMEM_ETIMEDOUT);
	/* The first status of one thread; those of a group got the same. */
	sticky = mori_shmem_check(&fault);
	for (int i = 0; i < THREADS && !told; i++)
		told = out[i] == sticky;
	CHECK(told);
	CHECK_EQ("which", fault.pe, VICTIM);
	for (int i = 1; i < THREADS; i++)
		if (scope == 2 || (scope == 1 && i % (int)kern_warp()))
			CHECK_EQ("group", out[i], out[i - 1]);
	/* The other survivor stays until both know of each other. */
	CHECK_OK(mori_shmem_uint64_p((uint64_t *)at + 1 + me, 7, 1 - me, 0));
	CHECK_OK(mori_shmem_quiet_thread_pe(1 - me));
	CHECK_OK(mori_shmem_uint64_wait_until_equals((uint64_t *)at + 2 - me, 7));
	__atomic_add_fetch(through, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(through, __ATOMIC_ACQUIRE) < PES - 1)
		usleep(1000);
	free(own);
}

static void child(struct kern_way *way, int rank, int32_t scope)
{
	mori_shmem_init_attr_t attr;
	mori_shmem_module_t *m;
	char *at;

	test_deadline(TEST_TSAN || TEST_ASAN ? 100 : 60);
	MUST(mori_shmem_set_attr_uniqueid_args(rank, PES, kern_way(way, rank), &attr));
	MUST(mori_shmem_init_attr(MORI_SHMEM_INIT_WITH_UNIQUEID, &attr));
	pes_meet();
	at = mori_shmem_calloc(BYTES + 64, 1);
	MUST(at ? 0 : MORI_SHMEM_ENOMEM);
	m = kern_load("queue");
	if (rank == VICTIM)
		raise(SIGSTOP);
	survive(m, at, scope);
	_exit(test_result()); /* no finalize: the others would wait for the one that stopped */
}

static void case_of(int32_t scope)
{
	struct kern_way *way = kern_ways(1);
	pid_t pid[PES];

	*through = 0;
	for (int i = 0; i < PES; i++) {
		pid[i] = fork();
		if (!pid[i])
			child(way, i, scope);
	}
	for (int i = 0; i < PES; i++) {
		int status = 0;

		if (i == VICTIM)
			kill(pid[i], SIGKILL);
		waitpid(pid[i], &status, 0);
		if (i != VICTIM)
			CHECK_EQ("survivor", WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
	}
	munmap(way, sizeof(*way));
}

static int test_pe(void)
{
	size_t size;
	void *image = kern_image("queue", &size);

	if (!image)
		SKIP(KERN_NONE);
	free(image);
	through = mmap(NULL, sizeof(*through), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (through == MAP_FAILED)
		return 1;
	setenv("MORI_DISABLE_P2P", "1", 1);
	setenv("MORI_SHMEM_TIMEOUT", "2", 1);
	for (int32_t scope = 0; scope < 3; scope++)
		case_of(scope);
	return 0;
}
