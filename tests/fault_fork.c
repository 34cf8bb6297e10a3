// SPDX-License-Identifier: MIT
/*
 * A PE forks. The child is not a PE, and whatever it does or however it ends, the job does not
 * notice; it can be a job of its own. When the parent dies its peers know, although the child, and
 * a program it started, live on.
 */
/* TEST: net=procs */
#include "fault.h"
#include "left.h"

#include <dirent.h>
#include <spawn.h>

#define PES 3

extern char **environ;

static int64_t *words;
static uint64_t ctx;

/* What the library had opened is closed: nobody may take the child for the PE. */
static void child_has_no_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	char to[256];

	while (dir && (entry = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, to, sizeof(to) - 1);

		to[n < 0 ? 0 : n] = '\0';
		if (atoi(entry->d_name) > 2 && atoi(entry->d_name) != FAULT_FD)
			CHECK_EQ(to, strstr(to, "socket:") || strstr(to, "anon_inode:"), 0);
	}
	if (dir)
		closedir(dir);
}

static void child_is_no_pe(void)
{
	CHECK_EQ("is_initialized", mori_shmem_is_initialized(), 0);
	CHECK_FAILS(mori_shmem_my_pe(), MORI_SHMEM_ESTATE, "no PE in this process");
	CHECK_FAILS(mori_shmem_barrier_all(), MORI_SHMEM_ESTATE, "barrier");
	CHECK_FAILS(mori_shmem_int64_p(words, 666, 0, 0), MORI_SHMEM_ESTATE, "int64_p");
	CHECK_FAILS(mori_shmem_ctx_int64_p(ctx, words, 666, 0, 0), MORI_SHMEM_ESTATE, "int64_p");
	CHECK_FAILS(mori_shmem_int64_wait_until_equals(words, 667), MORI_SHMEM_ESTATE, "wait");
	CHECK_NULL(mori_shmem_malloc(8), "mori_shmem_");
	CHECK_NULL(mori_shmem_current(), "mori_shmem_");
	CHECK_NULL(mori_shmem_find(fault_rank), "mori_shmem_");
	CHECK_FAILS(mori_shmem_free(words), MORI_SHMEM_ESTATE, "free");
	CHECK_FAILS(mori_shmem_finalize(), MORI_SHMEM_ESTATE, "finalize");
}

static void child_job(void)
{
	mori_shmem_uniqueid_t uid;

	MUST(CHECK_OK(mori_shmem_init()));
	CHECK_EQ("n_pes", mori_shmem_n_pes(), 1);
	CHECK_OK(mori_shmem_barrier_all());
	CHECK_OK(mori_shmem_finalize());
	if (TEST_TSAN)
		return; /* it does not allow threads in the child of a process with threads */
	MUST(CHECK_OK(mori_shmem_get_unique_id(&uid)));
	fault_good_job(0, 1, &uid);
}

/* @stay: reports its number and lives until it is killed. */
static pid_t fork_child(int stay)
{
	pid_t pid = fork();

	MUST(pid >= 0);
	if (pid)
		return pid;
	child_has_no_descriptors();
	child_is_no_pe();
	child_job();
	child_is_no_pe();
	if (stay) {
		fault_say("child %d %ld", getpid(), test_failures);
		for (;;)
			pause();
	}
	if (TEST_ASAN) /* it would count what the threads of the parent had */
		_exit(test_failures != 0);
	exit(test_failures != 0); /* with all that runs at an exit */
}

static pid_t spawn_sleep(void)
{
	char *argv[] = { (char *)"sleep", (char *)"300", NULL };
	pid_t pid;

	MUST(!posix_spawnp(&pid, "sleep", NULL, NULL, argv, environ));
	return pid;
}

static void actor(void)
{
	struct left before;
	int victim, status;

	left_start(&before);
	victim = atoi(fault_hear());
	fault_join();
	words = mori_shmem_calloc((size_t)fault_n, sizeof(*words));
	MUST(words && !mori_shmem_device_state(&ctx));
	for (int i = 0; i < 3; i++) {
		pid_t pid = i < 2 ? fork_child(0) : 0;

		CHECK_OK(mori_shmem_int64_p(&words[fault_rank], i, (fault_rank + 1) % fault_n, 0));
		CHECK_OK(mori_shmem_barrier_all());
		CHECK_EQ("word", words[(fault_rank + fault_n - 1) % fault_n], i);
		if (pid)
			MUST(waitpid(pid, &status, 0) == pid && !status);
		CHECK_OK(mori_shmem_barrier_all());
	}
	if (fault_rank == victim) {
		fault_say("sleep %d", spawn_sleep());
		fork_child(1);
	}
	fault_say("ready");
	if (fault_rank == victim)
		fault_hear();
	fault_report(fault_rank, mori_shmem_barrier_all());
	CHECK_EQ("finalize", mori_shmem_finalize(), MORI_SHMEM_EPEER);
	CHECK_NOTHING_LEFT(&before);
}

const struct fault_role fault_roles[] = { { "actor", actor }, { NULL, NULL } };

/* The child and the program outlive the PE; they are ours then. */
static void reap(pid_t pid)
{
	CHECK_EQ("it lives", kill(pid, 0), 0);
	CHECK_EQ("kill", kill(pid, SIGKILL), 0);
	CHECK_EQ("waitpid", waitpid(pid, NULL, 0), pid);
}

static void job(int victim, int host)
{
	struct fault_pe pes[PES], *all[PES];
	int child = 0, sleeper = 0, failed = -1, ready = 0;
	char part[32];

	for (int i = 0; i < PES; i++) {
		all[i] = &pes[i];
		fault_start(&pes[i], "actor", i, PES, NULL);
		fault_tell(&pes[i], "%d", victim);
	}
	fault_share(all, PES, &pes[host]);
	for (int i = 0; i < PES; i++) {
		if (i != victim)
			fault_want(&pes[i], FAULT_LATE, "ready");
	}
	for (int i = 0; i < 3; i++) { /* parent and child write as they come */
		MUST(fault_want(&pes[victim], FAULT_LATE, ""));
		sscanf(pes[victim].line, "child %d %d", &child, &failed);
		sscanf(pes[victim].line, "sleep %d", &sleeper);
		ready += !strcmp(pes[victim].line, "ready");
	}
	MUST(child > 0 && sleeper > 0);
	CHECK_EQ("failures in the child", failed, 0);
	CHECK_EQ("ready", ready, 1);
	fault_sleep(0.05);
	fault_kill(&pes[victim]);
	snprintf(part, sizeof(part), "PE %d ", victim);
	for (int i = 0; i < PES; i++) {
		if (i == victim)
			continue;
		fault_want_report(&pes[i], FAULT_SOON, MORI_SHMEM_EPEER, part);
		fault_end(&pes[i]);
	}
	reap(child);
	reap(sleeper);
}

static void fault_test(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	test_at("a PE that forks");
	job(1, 0);
	test_at("the PE with the rendezvous forks");
	job(0, 0);
}
