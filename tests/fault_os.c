// SPDX-License-Identifier: MIT
/* TEST: waits=1 net=procs */
/*
 * The system gives no more: descriptors run out on one PE at every step of init,
 * a file may not be large, address space runs out, or a heap is larger than there can be. Nobody hangs, the
 * text says why, and when there is room again the job works.
 */
#include "fault.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define PES   3
#define STEPS 16 /* more descriptors than an init needs */

static void limit(int what, rlim_t to)
{
	struct rlimit l;

	MUST(!getrlimit(what, &l));
	l.rlim_cur = to < l.rlim_max ? to : l.rlim_max;
	MUST(!setrlimit(what, &l));
}

/* The limit that leaves room for @n more descriptors. */
static rlim_t room_for(int n)
{
	int fd = 0;

	while (fcntl(fd, F_GETFD) >= 0 || n-- > 0)
		fd++;
	return (rlim_t)fd;
}

/* "n": how many descriptors it may open; -1: all it wants. */
static void few_files(void)
{
	mori_shmem_uniqueid_t uid;
	char seconds[8];
	int err, n;

	test_rank = fault_rank;
	while (strcmp(fault_hear(), "end") != 0) {
		fault_meet(&uid);
		MUST(sscanf(fault_hear(), "%d %7s", &n, seconds) == 2);
		setenv("MORI_BOOTSTRAP_TIMEOUT", seconds, 1);
		if (n >= 0)
			limit(RLIMIT_NOFILE, room_for(n));
		err = fault_init(fault_rank, fault_n, &uid);
		limit(RLIMIT_NOFILE, RLIM_INFINITY);
		fault_report(fault_rank, err);
		if (!err)
			CHECK_OK(mori_shmem_finalize());
	}
	setenv("MORI_BOOTSTRAP_TIMEOUT", "60", 1);
	fault_meet(&uid);
	fault_good_job(fault_rank, fault_n, &uid);
}

static rlim_t address_space(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	MUST(f && fscanf(f, "%lu", &pages) == 1);
	fclose(f);
	return (rlim_t)pages * 4096;
}

#define WINDOW ((size_t)64 << 20)

static char *file_memory(int *fd)
{
	void *p;

	*fd = memfd_create("test-window", MFD_CLOEXEC);
	MUST(*fd >= 0 && !ftruncate(*fd, (off_t)WINDOW));
	p = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	MUST(p != MAP_FAILED);
	return p;
}

/* Over the network no PE maps a window of another. */
static int maps(void)
{
	return !getenv("MORI_DISABLE_P2P");
}

/* PE 1 cannot map the first windows; nothing of them may come back with the second. */
static void window(void)
{
	int fds[2], next = (fault_rank + 1) % fault_n, left = (fault_rank + fault_n - 1) % fault_n;
	char *first = file_memory(&fds[0]), *p = file_memory(&fds[1]);

	fault_join();
	if (fault_rank == 1)
		limit(RLIMIT_AS, address_space() + WINDOW / 2);
	fault_report(fault_rank, mori_shmem_symmetric_register(first, WINDOW));
	limit(RLIMIT_AS, RLIM_INFINITY);
	CHECK_OK(mori_shmem_symmetric_register(p, WINDOW));
	CHECK_OK(mori_shmem_int64_p((int64_t *)p, 40 + fault_rank, next, 0));
	if (maps())
		CHECK_FAILS(mori_shmem_int64_p((int64_t *)first, 1, next, 0), MORI_SHMEM_EINVAL,
			    "int64_p");
	else
		CHECK_OK(mori_shmem_int64_p((int64_t *)first, 60 + fault_rank, next, 0));
	CHECK_OK(mori_shmem_barrier_all());
	CHECK_EQ("in the second", *(int64_t *)p, 40 + left);
	CHECK_EQ("in the first", *(int64_t *)first, maps() ? 0 : 60 + left);
	CHECK_OK(mori_shmem_symmetric_deregister(p, WINDOW));
	if (!maps())
		CHECK_OK(mori_shmem_symmetric_deregister(first, WINDOW));
	CHECK_OK(mori_shmem_finalize());
}

/* A heap too large for every PE, then one that one PE cannot map, then a valid one. */
static void heap(void)
{
	mori_shmem_uniqueid_t uid;

	test_rank = fault_rank;
	setenv("MORI_SHMEM_HEAP_SIZE", "4611686018427387904", 1);
	fault_meet(&uid);
	fault_report(fault_rank, fault_init(fault_rank, fault_n, &uid));
	setenv("MORI_SHMEM_HEAP_SIZE", "1G", 1);
	fault_meet(&uid);
	if (fault_rank == 1 && !FAULT_TOOL)
		limit(RLIMIT_AS, address_space() + ((rlim_t)1 << 30));
	else if (fault_rank == 1)
		setenv("MORI_SHMEM_HEAP_SIZE", "2G", 1);
	fault_report(fault_rank, fault_init(fault_rank, fault_n, &uid));
	limit(RLIMIT_AS, RLIM_INFINITY);
	setenv("MORI_SHMEM_HEAP_SIZE", "1G", 1);
	fault_meet(&uid);
	fault_good_job(fault_rank, fault_n, &uid);
}

/* PE 0 of the node cannot make what it is to send to the others. */
static void no_file(void)
{
	mori_shmem_uniqueid_t uid;

	test_rank = fault_rank;
	setenv("MORI_BOOTSTRAP_TIMEOUT", "600", 1); /* longer than the test waits */
	fault_meet(&uid);
	if (fault_rank == 0)
		limit(RLIMIT_FSIZE, 1);
	fault_report(fault_rank, fault_init(fault_rank, fault_n, &uid));
	limit(RLIMIT_FSIZE, RLIM_INFINITY);
	fault_meet(&uid);
	fault_good_job(fault_rank, fault_n, &uid);
}

const struct fault_role fault_roles[] = { { "files", few_files },
					  { "window", window },
					  { "heap", heap },
					  { "no_file", no_file },
					  { NULL, NULL } };

static void start(const char *role, struct fault_pe *pes, struct fault_pe **all)
{
	for (int i = 0; i < PES; i++) {
		all[i] = &pes[i];
		fault_start(&pes[i], role, i, PES, NULL);
	}
}

/* All fail, or none; the host can be the one that has no room. */
static void files(struct fault_pe *pes, struct fault_pe **all, int poor, int n)
{
	int status[PES], rank;

	for (int i = 0; i < PES; i++)
		fault_tell(&pes[i], "next");
	fault_share(all, PES, &pes[0]);
	for (int i = 0; i < PES; i++)
		fault_tell(&pes[i], "%d %s", i == poor ? n : -1, n < STEPS - 1 ? "1" : "60");
	for (int i = 0; i < PES; i++) {
		MUST(fault_want(&pes[i], FAULT_LATE, ""));
		MUST(sscanf(pes[i].line, "%d %d", &rank, &status[i]) == 2);
	}
	printf("PE %d may open %d: %s\n", poor, n, pes[poor].line);
	for (int i = 0; i < PES; i++)
		CHECK_EQ(pes[i].line, status[i] < 0, status[poor] < 0);
	CHECK(n < STEPS - 1 || !status[poor]);
	CHECK(n > 0 || status[poor] < 0);
}

static void fault_test(void)
{
	struct fault_pe pes[PES], *all[PES];

	start("files", pes, all);
	for (int n = 0; n < STEPS; n++) {
		test_at("files");
		files(pes, all, 1, n);
	}
	for (int i = 0; i < PES; i++)
		fault_tell(&pes[i], "end");
	fault_share(all, PES, &pes[2]);
	for (int i = 0; i < PES; i++)
		fault_end(&pes[i]);

	test_at("a file may not be that large");
	start("no_file", pes, all);
	fault_share(all, PES, &pes[1]);
	for (int i = 0; i < PES; i++)
		fault_want_report(&pes[i], FAULT_LATE, MORI_SHMEM_ENOMEM, "ulimit -f");
	fault_share(all, PES, &pes[2]);
	for (int i = 0; i < PES; i++)
		fault_end(&pes[i]);

	test_at("heap");
	start("heap", pes, all);
	fault_share(all, PES, &pes[0]);
	for (int i = 0; i < PES; i++)
		fault_want_report(&pes[i], FAULT_LATE, MORI_SHMEM_ENOMEM, "PE 0");
	fault_share(all, PES, &pes[1]);
	for (int i = 0; i < PES; i++) {
		fault_want_report(&pes[i], FAULT_LATE,
				  FAULT_TOOL ? MORI_SHMEM_EMISMATCH : MORI_SHMEM_ENOMEM, "PE 1");
	}
	fault_share(all, PES, &pes[2]);
	for (int i = 0; i < PES; i++)
		fault_end(&pes[i]);

	if (FAULT_TOOL)
		return; /* they need more address space than can be limited */
	test_at("window");
	start("window", pes, all);
	fault_share(all, PES, &pes[0]);
	for (int i = 0; i < PES; i++)
		fault_want_report(&pes[i], FAULT_LATE, maps() ? MORI_SHMEM_EIO : 0,
				  !maps() ? "" :
				  i == 1  ? "map" :
					    "PE 1");
	for (int i = 0; i < PES; i++)
		fault_end(&pes[i]);
}
