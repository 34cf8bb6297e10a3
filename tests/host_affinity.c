// SPDX-License-Identifier: MIT
/*
 * MORI_IGNORE_CPU_AFFINITY: the library's own threads run on the cores of the thread that calls
 * init, or, where the variable is set, on all that the process may have.
 */
#include "test.h"

#include <mori/shmem.h>

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static mori_shmem_uniqueid_t uid;
static pthread_barrier_t both;
static pid_t own[2];  /* the threads of this test */
static pid_t foreign; /* of a sanitizer, which begins with the first thread; 0: there is none */

static int cores_of(pid_t thread)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	return sched_getaffinity(thread, sizeof(set), &set) ? -1 : CPU_COUNT(&set);
}

/* How many threads of the library there are, each with @want cores, or with more than one for 0. */
static int library_threads(int want)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *d;
	int n = 0;

	while (tasks && (d = readdir(tasks))) {
		pid_t thread = (pid_t)atoi(d->d_name);
		int ours = thread != own[0] && thread != own[1] && thread != foreign;
		int cores = thread > 0 && ours ? cores_of(thread) : -1;

		if (cores < 0)
			continue; /* not a thread of the library, or it has just ended */
		n++;
		if (want)
			CHECK_EQ("cores", cores, want);
		else
			CHECK(cores > 1);
	}
	if (tasks)
		closedir(tasks);
	return n;
}

static void be_pe(int rank, int want)
{
	mori_shmem_init_attr_t attr;

	own[rank] = gettid();
	CHECK_EQ("attr", mori_shmem_set_attr_uniqueid_args(rank, 2, &uid, &attr), 0);
	CHECK_EQ("init", mori_shmem_init_attr(MORI_SHMEM_INIT_WITH_UNIQUEID, &attr), 0);
	pthread_barrier_wait(&both);
	if (!rank)
		CHECK(library_threads(want) >= 3); /* rendezvous, bootstrap, network */
	pthread_barrier_wait(&both);
	CHECK_EQ("finalize", mori_shmem_finalize(), 0);
}

static void *nothing(void *arg)
{
	return arg;
}

/* The thread that is left when one has come and gone. */
static void find_foreign(void)
{
	pthread_t brief;
	struct dirent *d;
	DIR *tasks;

	CHECK_EQ("thread", pthread_create(&brief, NULL, nothing, NULL), 0);
	pthread_join(brief, NULL);
	usleep(10000); /* until the kernel has forgotten it */
	tasks = opendir("/proc/self/task");
	while (tasks && (d = readdir(tasks)))
		if (atoi(d->d_name) > 0 && atoi(d->d_name) != gettid())
			foreign = (pid_t)atoi(d->d_name);
	if (tasks)
		closedir(tasks);
}

static void *other_pe(void *want)
{
	be_pe(1, *(int *)want);
	return NULL;
}

static void run_job(int want)
{
	pthread_t other;

	if (!CHECK_EQ("id", mori_shmem_get_unique_id(&uid), 0) ||
	    !CHECK_EQ("thread", pthread_create(&other, NULL, other_pe, &want), 0))
		return;
	be_pe(0, want);
	pthread_join(other, NULL);
}

int main(void)
{
	cpu_set_t one;

	test_deadline(60);
	if (cores_of(0) < 2)
		SKIP("only one core");
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	setenv("MORI_DISABLE_P2P", "1", 1); /* with the threads of the network */
	setenv("MORI_SHMEM_HEAP_SIZE", "1M", 1);
	pthread_barrier_init(&both, NULL, 2);
	if (!CHECK_EQ("one core", sched_setaffinity(0, sizeof(one), &one), 0))
		return test_result();
	find_foreign();
	run_job(1);
	setenv("MORI_IGNORE_CPU_AFFINITY", "1", 1);
	run_job(0);
	setenv("MORI_IGNORE_CPU_AFFINITY", "0", 1);
	run_job(1);
	return test_result();
}
