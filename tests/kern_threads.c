// SPDX-License-Identifier: MIT
/*
 * Several host threads of one PE: launches of one module take turns, those of
 * different modules run side by side and may wait for each other; any thread may
 * launch, and unloading waits for the launch that runs.
 */
/* TEST: pes=1 modes=procs */
#define PES_NO_INIT
#include "kern.h"

#include <setjmp.h>
#include <signal.h>

#define ROUNDS 50

/* A launch that outlives its PE on purpose: its calls need not be reported to the launcher. */
static __attribute__((constructor)) void prepare(void)
{
	unsetenv("MORI_NOTES");
}

struct job {
	pthread_t thread;
	mori_shmem_module_t *module;
	uint64_t *flag; /* the second of two waits for the first */
	int number;
	int err;
};

static void *bump(void *arg)
{
	struct job *j = arg;
	uint64_t seen, last = 0, *out = &seen;

	for (int i = 0; i < TEST_SCALE(ROUNDS); i++) {
		CHECK_OK(RUN_KERNEL(j->module, "counter", 1, 1, &out));
		CHECK(seen > last);
		last = seen;
	}
	return NULL;
}

/* Launches of four threads count as one after another. */
static void in_turn(mori_shmem_module_t *m)
{
	struct job jobs[4];
	uint64_t seen, *out = &seen;

	for (int i = 0; i < 4; i++) {
		jobs[i].module = m;
		pthread_create(&jobs[i].thread, NULL, bump, &jobs[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(jobs[i].thread, NULL);
	CHECK_OK(RUN_KERNEL(m, "counter", 1, 1, &out));
	CHECK_EQ("none was lost", seen, 4 * TEST_SCALE(ROUNDS) + 1);
}

static void *play(void *arg)
{
	struct job *j = arg;
	uint64_t rounds = TEST_SCALE(ROUNDS), mine = (uint64_t)j->number;

	j->err = RUN_KERNEL(j->module, "ping", 2, 3, &j->flag, &mine, &rounds);
	return NULL;
}

/* Two grids that answer each other, each in a thread and a module of its own. */
static void side_by_side(uint64_t *flag)
{
	struct job jobs[2];

	flag[0] = flag[1] = 0;
	for (int i = 0; i < 2; i++) {
		jobs[i] = (struct job){ .module = kern_load("ring"), .flag = flag, .number = i };
		pthread_create(&jobs[i].thread, NULL, play, &jobs[i]);
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(jobs[i].thread, NULL);
		CHECK_EQ("ping", jobs[i].err, 0);
		CHECK_EQ("rounds", flag[i], TEST_SCALE(ROUNDS));
		CHECK_OK(mori_shmem_module_unload(jobs[i].module));
	}
}

/* Unload finds a launch that runs: it must have ended before unload returns. */
static void unload_waits(uint64_t *flag)
{
	struct job j = { .module = kern_load("ring"), .flag = flag, .number = 1 };

	flag[0] = flag[1] = 0;
	pthread_create(&j.thread, NULL, play, &j);
	while (!__atomic_load_n(&flag[1], __ATOMIC_ACQUIRE)) {
		mori_shmem_uint64_p(&flag[0], 1, 0, 0);
		sched_yield();
	}
	mori_shmem_uint64_p(&flag[0], TEST_SCALE(ROUNDS), 0, 0);
	CHECK_OK(mori_shmem_module_unload(j.module));
	pthread_join(j.thread, NULL);
	CHECK_EQ("ping", j.err, 0);
	CHECK_EQ("all rounds", flag[1], TEST_SCALE(ROUNDS));
}

static sigjmp_buf back;

static void own_handler(int sig)
{
	siglongjmp(back, sig);
}

/* A fault of a thread that runs no kernel is the program's own, also while another does. */
static void own_fault(uint64_t *flag)
{
	struct job j = { .module = kern_load("ring"), .flag = flag, .number = 1 };
	struct sigaction mine = { .sa_handler = own_handler }, old;
	volatile int *volatile nowhere = NULL;
	int sig;

	flag[0] = flag[1] = 0;
	sigaction(SIGSEGV, &mine, &old);
	pthread_create(&j.thread, NULL, play, &j);
	while (!__atomic_load_n(&flag[1], __ATOMIC_ACQUIRE)) {
		mori_shmem_uint64_p(&flag[0], 1, 0, 0);
		sched_yield();
	}
	sig = sigsetjmp(back, 1);
	if (!sig)
		*nowhere = 1;
	CHECK_EQ("signal", sig, SIGSEGV);
	mori_shmem_uint64_p(&flag[0], TEST_SCALE(ROUNDS), 0, 0);
	pthread_join(j.thread, NULL);
	CHECK_EQ("the kernel beside it", j.err, 0);
	sigaction(SIGSEGV, &old, NULL);
	CHECK_OK(mori_shmem_module_unload(j.module));
}

/* Finalize finds a launch that would wait forever: its calls return a status, and it ends. */
static void finalize_ends(uint64_t *flag, struct job *j)
{
	*j = (struct job){ .module = kern_load("ring"), .flag = flag, .number = 1 };
	flag[0] = flag[1] = 0;
	pthread_create(&j->thread, NULL, play, j);
	while (!__atomic_load_n(&flag[1], __ATOMIC_ACQUIRE)) {
		mori_shmem_uint64_p(&flag[0], 1, 0, 0);
		sched_yield();
	}
	MUST(mori_shmem_finalize());
	pthread_join(j->thread, NULL);
	CHECK_EQ("ping", j->err, 0);
	CHECK_EQ("no more", play(j) || j->err == MORI_SHMEM_ESTATE, 1);
	CHECK_OK(mori_shmem_module_unload(j->module));
}

static int test_pe(void)
{
	mori_shmem_module_t *m;
	uint64_t *flag;
	struct job last;

	MUST(mori_shmem_init());
	pes_meet();
	m = kern_load("grid");
	if (!m) {
		MUST(mori_shmem_finalize());
		SKIP(KERN_NONE);
	}
	flag = pes_malloc(16);
	in_turn(m);
	side_by_side(flag);
	unload_waits(flag);
	if (!KERN_SMALL) /* which have handlers and ideas of their own */
		own_fault(flag);
	CHECK_OK(mori_shmem_module_unload(m));
	finalize_ends(flag, &last);
	return 0;
}
