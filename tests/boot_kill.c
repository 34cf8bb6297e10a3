// SPDX-License-Identifier: MIT
/*
 * Processes that end without a goodbye: in a barrier, while a round forms, before
 * the others look, and the one that hosts the rendezvous. The others get EPEER
 * naming its PEs, within a few seconds, and are called back once.
 */
#include "boot/helper.h"

struct seen {
	pthread_mutex_t lock;
	int calls, proc;
	char text[256];
};

static void on_lost(void *arg, int proc, const char *text)
{
	struct seen *s = arg;

	pthread_mutex_lock(&s->lock);
	__atomic_fetch_add(&s->calls, 1, __ATOMIC_RELAXED);
	s->proc = proc;
	snprintf(s->text, sizeof(s->text), "%s", text);
	pthread_mutex_unlock(&s->lock);
}

/* A PE that waits in a barrier until somebody is lost; exits 0 if that went right. */
static void check_loss(struct pe *p, const char *who, int proc)
{
	struct seen s = { .lock = PTHREAD_MUTEX_INITIALIZER, .proc = -2 }, late = s;
	double start = seconds();
	uint64_t mine = 0, all[8];
	int err;

	boot_watch(p->b, on_lost, &s);
	err = boot_barrier(p->b, p->rank, WAIT_S);
	CHECK(err == MORI_SHMEM_EPEER, "%d", err);
	CHECK(strstr(err_text(), who), "wanted %s", who);
	CHECK(seconds() - start < 30);
	for (int i = 0; i < 500 && !__atomic_load_n(&s.calls, __ATOMIC_RELAXED); i++)
		nap(0.01);
	boot_watch(p->b, NULL, &s); /* from here on no call is running */
	CHECK(s.calls == 1, "%d calls", s.calls);
	CHECK(s.proc == proc, "process %d", s.proc);
	CHECK(strstr(s.text, who), "%s", s.text);
	for (int i = 0; i < p->nranks; i++)
		CHECK(boot_lost(p->b, i) == (boot_peer(p->b, i)->proc == proc));
	/* A later request is answered at once. */
	boot_watch(p->b, on_lost, &late);
	CHECK(late.calls == 1 && late.proc == proc);
	boot_watch(p->b, NULL, &late);
	CHECK(boot_allgather(p->b, p->rank, &mine, sizeof(mine), all, WAIT_S) == MORI_SHMEM_EPEER);
	CHECK(strstr(err_text(), who));
}

static void *pe_victim(void *arg)
{
	struct pe *p = arg;

	/* One of the two stays out, or the barrier would be over. */
	if (CHECK(pe_join(p) == 0) && p->rank % 2)
		boot_barrier(p->b, p->rank, WAIT_S);
	return NULL;
}

static void *pe_joiner(void *arg)
{
	pe_join(arg);
	return NULL;
}

/* Two PEs in a process that is to be killed. */
static void run_victim(const unsigned char *uid, int first, int nranks)
{
	struct pe pes[2] = { 0 };

	pes_start(pes, 2, first, nranks, uid, pe_victim);
	for (;;)
		pause();
}

static int run_watcher(const unsigned char *uid, int rank, int nranks, int victim)
{
	struct pe p = { .uid = uid, .rank = rank, .nranks = nranks, .timeout_s = WAIT_S };
	char who[128];

	if (!CHECK(pe_join(&p) == 0))
		return test_result();
	snprintf(who, sizeof(who), "PEs 1, 2 (process %d on host ", victim);
	check_loss(&p, who, 1);
	boot_leave(p.b, rank);
	return test_result();
}

/* PEs 1 and 2 are killed while 0 (here) and 3 (elsewhere) are in a barrier. */
static void run_in_barrier(void)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	struct pe p = { .uid = uid, .rank = 0, .nranks = 4, .timeout_s = WAIT_S };
	pid_t victim, other;
	char who[128];

	CHECK(boot_open_rdv(&c, uid) == 0);
	victim = spawn("victim", uid, 2, 1, 4);
	other = spawn("watcher", uid, 3, 3, 4, (int)victim);
	CHECK(pe_join(&p) == 0);
	nap(0.1);
	kill(victim, SIGKILL);
	snprintf(who, sizeof(who), "PEs 1, 2 (process %d on host ", (int)victim);
	check_loss(&p, who, 1);
	boot_leave(p.b, 0);
	CHECK(reap(other) == 0);
	CHECK(reap(victim) == 1000 + SIGKILL);
}

/* Kills a process of two PEs @after seconds of forming a round; whether the third is notified. */
static int kill_in_round(double after, struct pe *p)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	pid_t victim;
	char who[128];

	*p = (struct pe){ .uid = uid, .rank = 0, .nranks = 4, .timeout_s = after + 5 };
	CHECK(boot_open_rdv(&c, uid) == 0);
	victim = spawn("victim", uid, 2, 1, 4);
	pthread_create(&p->thread, NULL, pe_joiner, p);
	nap(after);
	kill(victim, SIGKILL);
	pthread_join(p->thread, NULL);
	reap(victim);
	boot_close_rdv(uid);
	snprintf(who, sizeof(who), "PEs 1, 2 (process %d on host ", (int)victim);
	return p->status == MORI_SHMEM_EPEER && strstr(p->text, who) != NULL;
}

/*
 * A process is killed while the round forms: no process waits for its time-out. On a busy machine
 * it may not have joined by then, and is not missed: later, then.
 */
static void run_in_round(void)
{
	struct pe p;
	int told = kill_in_round(0.3, &p) || kill_in_round(3, &p) || kill_in_round(12, &p);

	CHECK(told, "%d: %s", p.status, p.text);
}

/* The process that hosts the rendezvous, with or without PEs, sends its id through a pipe. */
static void run_host(int fd, int pes)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];

	if (boot_open_rdv(&c, uid) || write(fd, uid, sizeof(uid)) != sizeof(uid))
		exit(1);
	if (pes)
		run_victim(uid, 0, 3);
	for (;;)
		pause();
}

static void run_host_dies(int pes)
{
	unsigned char uid[BOOT_UID_BYTES] = { 0 };
	struct pe p = {
		.uid = uid, .rank = pes ? 2 : 0, .nranks = pes ? 3 : 1, .timeout_s = WAIT_S
	};
	int ends[2];
	pid_t host;
	char who[128];

	CHECK(pipe(ends) == 0);
	host = spawn("host", uid, 2, ends[1], pes);
	CHECK(read(ends[0], uid, sizeof(uid)) == sizeof(uid));
	CHECK(pe_join(&p) == 0);
	kill(host, SIGKILL);
	reap(host);
	while (!pes && !boot_barrier(p.b, p.rank, WAIT_S))
		; /* barriers of one PE until the report has arrived */
	snprintf(who, sizeof(who),
		 pes ? "PEs 0, 1 (process %d on host " : "the rendezvous (process %d on host ",
		 (int)host);
	check_loss(&p, who, pes ? 0 : -1);
	boot_leave(p.b, p.rank);
	close(ends[0]);
	close(ends[1]);
}

/* A process that finalizes while others still need it: an error for them, but no loss. */
static void run_leaver(void)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	struct pe p = { .uid = uid, .rank = 0, .nranks = 2, .timeout_s = WAIT_S };
	struct seen s = { .lock = PTHREAD_MUTEX_INITIALIZER };
	pid_t leaver;
	int err;

	CHECK(boot_open_rdv(&c, uid) == 0);
	leaver = spawn("leaver", uid, 0);
	CHECK(pe_join(&p) == 0);
	boot_watch(p.b, on_lost, &s);
	err = boot_barrier(p.b, 0, WAIT_S);
	CHECK(err == MORI_SHMEM_EPEER && strstr(err_text(), "PE 1 (process"), "%d", err);
	CHECK(strstr(err_text(), "has finalized"));
	CHECK(boot_barrier(p.b, 0, WAIT_S) == MORI_SHMEM_EPEER);
	CHECK(boot_lost(p.b, 1) == 0);
	CHECK(reap(leaver) == 0);
	boot_watch(p.b, NULL, &s);
	CHECK(s.calls == 0);
	boot_leave(p.b, 0);
}

static int run_leaving(const unsigned char *uid)
{
	struct pe p = { .uid = uid, .rank = 1, .nranks = 2, .timeout_s = WAIT_S };

	if (CHECK(pe_join(&p) == 0))
		boot_leave(p.b, 1);
	return test_result();
}

int main(int argc, char **argv)
{
	unsigned char uid[BOOT_UID_BYTES];
	int fds = count_fds(), threads = count_threads();

	test_deadline(120);
	if (argc > 1) {
		test_uid(argc, argv, uid);
		if (!strcmp(argv[1], "victim"))
			run_victim(uid, atoi(argv[3]), atoi(argv[4]));
		if (!strcmp(argv[1], "host"))
			run_host(atoi(argv[3]), atoi(argv[4]));
		if (!strcmp(argv[1], "leaver"))
			return run_leaving(uid);
		return run_watcher(uid, atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
	}
	run_in_barrier();
	run_in_round();
	run_leaver();
	run_host_dies(1);
	run_host_dies(0);
	CHECK(count_fds() == fds, "%d before, %d after", fds, count_fds());
	CHECK(threads_are(threads));
	return test_result();
}
