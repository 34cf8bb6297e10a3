// SPDX-License-Identifier: MIT
/*
 * A process dies while the job is being made: waiting for the others, handing out
 * descriptors, or at any moment. The others get an error that names it, in time,
 * whichever step they are in, and can be a job of their own.
 */
/* TEST: waits=1 net=procs,nodes */
#include "fault.h"
#include "left.h"

#include <dlfcn.h>
#include <sys/mman.h>

#define PES 3

static int die_sending; /* this process dies instead of handing out descriptors */

/* Found before the C library's own: the library sends its descriptors through here. */
__attribute__((visibility("default"))) ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	static void *found;
	void *real = __atomic_load_n(&found, __ATOMIC_RELAXED);

	if (die_sending && msg->msg_control)
		kill(getpid(), SIGKILL);
	if (!real) {
		real = dlsym(RTLD_NEXT, "sendmsg");
		__atomic_store_n(&found, real, __ATOMIC_RELAXED);
	}
	return ((ssize_t(*)(int, const struct msghdr *, int))real)(fd, msg, flags);
}

/* A mapping of a file, so that a window of it needs a descriptor of each process. */
static void *file_memory(int *fd)
{
	void *p;

	*fd = memfd_create("test-window", MFD_CLOEXEC);
	MUST(*fd >= 0 && !ftruncate(*fd, 4096));
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	MUST(p != MAP_FAILED);
	return p;
}

/* After the loss: nothing left, and a job with those who live. */
static void again(const struct left *before)
{
	mori_shmem_uniqueid_t uid;
	int rank, n, host;

	fault_say("over");
	setenv("MORI_BOOTSTRAP_TIMEOUT", "60", 1);
	MUST(sscanf(fault_hear(), "%d %d %d", &rank, &n, &host) == 3);
	if (!host) /* whose rendezvous still listens, for another attempt with the id */
		CHECK_NOTHING_LEFT(before);
	fault_meet(&uid);
	fault_good_job(rank, n, &uid);
}

/* Joins as soon as it has the id; the director decides who dies. */
static void actor(void)
{
	mori_shmem_uniqueid_t uid;
	struct left before;
	int err;

	test_rank = fault_rank;
	left_start(&before);
	fault_meet(&uid);
	fault_say("coming");
	err = fault_init(fault_rank, fault_n, &uid);
	fault_report(fault_rank, err);
	if (!err) { /* the loss came after; then the next call sees it */
		fault_hear();
		CHECK_EQ("barrier", mori_shmem_barrier_all(), MORI_SHMEM_EPEER);
		CHECK_EQ("finalize", mori_shmem_finalize(), MORI_SHMEM_EPEER);
	}
	CHECK_EQ("is_initialized", mori_shmem_is_initialized(), 0);
	again(&before);
}

static void late(void)
{
	mori_shmem_uniqueid_t uid;
	struct left before;

	test_rank = fault_rank;
	left_start(&before);
	fault_meet(&uid);
	fault_hear();
	fault_report(fault_rank, fault_init(fault_rank, fault_n, &uid));
	again(&before);
}

static void sender(void)
{
	die_sending = 1;
	actor();
}

/* The window's descriptors: the victim dies where it should send its own. */
static void window(void)
{
	struct left before;
	void *memory;
	int fd;

	left_start(&before);
	memory = file_memory(&fd);
	fault_join();
	CHECK_OK(mori_shmem_symmetric_register(memory, 4096));
	CHECK_OK(mori_shmem_symmetric_deregister(memory, 4096));
	die_sending = fault_rank == 1;
	fault_report(fault_rank, mori_shmem_symmetric_register(memory, 4096));
	CHECK_EQ("barrier", mori_shmem_barrier_all(), MORI_SHMEM_EPEER);
	CHECK_EQ("finalize", mori_shmem_finalize(), MORI_SHMEM_EPEER);
	munmap(memory, 4096);
	close(fd);
	again(&before);
}

const struct fault_role fault_roles[] = { { "actor", actor },
					  { "late", late },
					  { "sender", sender },
					  { "window", window },
					  { NULL, NULL } };

static void new_job(struct fault_pe **alive, int n, const struct fault_pe *host)
{
	for (int i = 0; i < n; i++)
		fault_want(alive[i], FAULT_LATE, "over");
	for (int i = 0; i < n; i++)
		fault_tell(alive[i], "%d %d %d", i, n, alive[i] == host);
	fault_share(alive, n, alive[0]);
	for (int i = 0; i < n; i++)
		fault_end(alive[i]);
}

/* PE 2 never comes; PE 1 is killed while PE 0 and it wait for that. */
static void while_forming(int host)
{
	struct fault_pe pes[PES], *all[PES] = { &pes[0], &pes[1], &pes[2] };
	struct fault_pe *alive[2] = { &pes[0], &pes[2] };
	char part[64];

	fault_start(&pes[0], "actor", 0, PES, NULL);
	fault_start(&pes[1], "actor", 1, PES, NULL);
	fault_start(&pes[2], "late", 2, PES, NULL);
	fault_share(all, PES, &pes[host]);
	fault_want(&pes[0], FAULT_LATE, "coming");
	fault_want(&pes[1], FAULT_LATE, "coming");
	fault_sleep(FAULT_TOOL ? 2 : 1);
	/* In a round a rendezvous knows its own process by number only. */
	snprintf(part, sizeof(part),
		 host == 1 ? "rendezvous (process %d on" : "PE 1 (process %d on", pes[1].pid);
	fault_kill(&pes[1]);
	fault_want_report(&pes[0], FAULT_SOON, MORI_SHMEM_EPEER, part);
	fault_tell(&pes[2], "come");
	if (host == 1)
		fault_want_report(&pes[2], FAULT_SOON, MORI_SHMEM_EREACH, "stale");
	else
		fault_want_report(&pes[2], FAULT_SOON, MORI_SHMEM_EPEER, part);
	new_job(alive, 2, &pes[host]);
}

/* @role dies on its own at @victim, which is not the host. */
static void while_sending(const char *role, int victim)
{
	int host = (victim + 1) % PES, n = 0, status;
	struct fault_pe pes[PES], *all[PES], *alive[PES];
	char part[32];

	snprintf(part, sizeof(part), "PE %d (process ", victim);
	for (int i = 0; i < PES; i++) {
		all[i] = &pes[i];
		fault_start(&pes[i], strcmp(role, "sender") || i == victim ? role : "actor", i, PES,
			    NULL);
		if (i != victim)
			alive[n++] = &pes[i];
	}
	fault_share(all, PES, &pes[host]);
	for (int i = 0; i < n; i++) {
		if (!strcmp(role, "sender"))
			fault_want(alive[i], FAULT_LATE, "coming");
		fault_want_report(alive[i], FAULT_LATE, MORI_SHMEM_EPEER, part);
	}
	fault_close(&pes[victim], &status);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	/* Its world had formed, so the rendezvous has gone with it. */
	new_job(alive, n, NULL);
}

/*
 * Killed at any moment: init fails and names it, or it worked and the next call
 * does. Before it has joined it is a rank that never comes.
 */
static void at_any_time(int round)
{
	int victim = round % PES, host = (victim + 1) % PES, n = 0, failed = 0;
	struct fault_pe pes[PES], *all[PES], *alive[PES];
	char who[32];

	for (int i = 0; i < PES; i++) {
		all[i] = &pes[i];
		fault_start(&pes[i], "actor", i, PES, NULL);
		if (i != victim)
			alive[n++] = &pes[i];
	}
	fault_share(all, PES, &pes[host]);
	for (int i = 0; i < PES; i++)
		fault_want(&pes[i], FAULT_LATE, "coming");
	fault_sleep(round * 0.0001);
	fault_kill(&pes[victim]);
	snprintf(who, sizeof(who), "PE %d (process ", victim);
	for (int i = 0; i < n; i++) {
		int rank, err = 1;

		fault_want(alive[i], FAULT_LATE, "");
		MUST(sscanf(alive[i]->line, "%d %d", &rank, &err) == 2);
		/* Where the machine is slow others may be late as well, and the rendezvous. */
		CHECK(err == 0 || err == MORI_SHMEM_EPEER || err == MORI_SHMEM_ETIMEDOUT ||
		      err == MORI_SHMEM_EREACH);
		CHECK_TEXT(alive[i]->line, err == MORI_SHMEM_EPEER ? who : "");
		failed += err != 0;
		if (!err)
			fault_tell(alive[i], "go on");
	}
	printf("%d", failed);
	new_job(alive, n, &pes[host]);
}

static void fault_test(void)
{
	setenv("MORI_BOOTSTRAP_TIMEOUT", "60", 1);
	test_at("while forming");
	while_forming(0);
	test_at("while forming, with the rendezvous");
	while_forming(1);
	test_at("while sending the heap");
	while_sending("sender", 0);
	test_at("while sending a window");
	while_sending("window", 1);
	test_at("at any time");
	setenv("MORI_BOOTSTRAP_TIMEOUT", "2", 1);
	for (int i = 0; i < TEST_SCALE(60); i++)
		at_any_time(i);
	printf(": inits that failed, of 2\n");
}
