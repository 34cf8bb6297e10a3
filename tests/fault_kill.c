// SPDX-License-Identifier: MIT
/*
 * A process is killed, or just exits, while the other PEs are in a call: each of
 * them gets an error that names its PEs, can still talk to those that live, can
 * finalize with nothing left behind, and can be in a new job.
 */
/* TEST: timeout=120 net=procs */
#include "fault.h"
#include "left.h"

#define PROCS 3 /* in each job */

enum how {
	IDLE,	/* the victim is doing something else */
	INSIDE, /* it is in the call too; the last process is not */
	EXITS,	/* it leaves on its own, without finalize */
};

static struct {
	char call[32];
	int threads;	  /* PEs per process */
	int victim, late; /* its process; the process that comes late, -1 for none */
	enum how how;
} plan;

enum phase { COME = 1, GO_ON, LOOK }; /* what the director says, in this order */

static struct { /* of this process */
	mori_shmem_uniqueid_t uid;
	struct left before;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	enum phase phase;
} here = { .lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER };

/* The main thread receives it for all. */
static void phase_hear(enum phase phase)
{
	fault_hear();
	if (plan.how == EXITS && fault_rank / plan.threads == plan.victim)
		_exit(0);
	pthread_mutex_lock(&here.lock);
	here.phase = phase;
	pthread_cond_broadcast(&here.moved);
	pthread_mutex_unlock(&here.lock);
}

static void phase_wait(enum phase phase)
{
	pthread_mutex_lock(&here.lock);
	while (here.phase < phase)
		pthread_cond_wait(&here.moved, &here.lock);
	pthread_mutex_unlock(&here.lock);
}

struct memory {
	int64_t *words; /* [n_pes] */
	void *spare;
};

static int do_call(struct memory *m)
{
	if (!strcmp(plan.call, "barrier"))
		return mori_shmem_barrier_all();
	if (!strcmp(plan.call, "sync"))
		return mori_shmem_sync_all();
	if (!strcmp(plan.call, "malloc")) /* the text says which error it was */
		return mori_shmem_malloc(4096) ? 0 : MORI_SHMEM_EPEER;
	if (!strcmp(plan.call, "free"))
		return mori_shmem_free(m->spare);
	if (!strcmp(plan.call, "wait"))
		return mori_shmem_int64_wait_until_equals(&m->words[0], 77);
	if (!strcmp(plan.call, "register"))
		return mori_shmem_symmetric_register(m->spare, 64);
	return mori_shmem_finalize();
}

static int is_victim(int rank)
{
	return rank / plan.threads == plan.victim;
}

/* Every kind of operation on a PE that is gone reports it. */
static void to_the_dead(struct memory *m, int pe)
{
	mori_shmem_fault_t fault = { .struct_size = sizeof(fault) };
	int64_t mine[2] = { 1, 2 };
	char name[32];

	snprintf(name, sizeof(name), "%d", pe);
	CHECK_FAILS(mori_shmem_putmem_thread(m->words, mine, 8, pe, 0), MORI_SHMEM_EPEER, name);
	CHECK_FAILS(mori_shmem_getmem_nbi_thread(mine, m->words, 8, pe, 0), MORI_SHMEM_EPEER, name);
	CHECK_FAILS(mori_shmem_int64_p(m->words, 1, pe, 0), MORI_SHMEM_EPEER, name);
	CHECK_FAILS(mori_shmem_int64_atomic_add_thread(m->words, 1, pe, 0), MORI_SHMEM_EPEER, name);
	CHECK_FAILS(mori_shmem_signal_op_thread((uint64_t *)m->words, 1, 9, pe, 0),
		    MORI_SHMEM_EPEER, name);
	CHECK_FAILS(mori_shmem_quiet_thread_pe(pe), MORI_SHMEM_EPEER, name);
	CHECK_EQ("g", mori_shmem_int64_g(m->words, pe, 0), 0);
	CHECK_EQ("check", mori_shmem_check(&fault), MORI_SHMEM_EPEER);
	CHECK_EQ("check", fault.pe, pe);
	CHECK_TEXT(fault.op, "int64_g");
}

static void among_the_living(struct memory *m, int rank)
{
	for (int pe = 0; pe < fault_n; pe++) {
		if (!is_victim(pe))
			CHECK_OK(mori_shmem_int64_p(&m->words[rank], 100 + rank * fault_n + pe, pe,
						    0));
	}
	CHECK_OK(mori_shmem_quiet_thread());
	fault_say("put");
	phase_wait(LOOK);
	for (int pe = 0; pe < fault_n; pe++) {
		int64_t want = is_victim(pe) ? 0 : 100 + pe * fault_n + rank;

		CHECK_EQ("word", __atomic_load_n(&m->words[pe], __ATOMIC_ACQUIRE), want);
		CHECK_EQ("wait", mori_shmem_int64_wait_until_equals(&m->words[pe], want), 0);
	}
}

static void after_the_loss(struct memory *m, int rank)
{
	for (int pe = 0; pe < fault_n; pe++) {
		if (is_victim(pe))
			to_the_dead(m, pe);
	}
	CHECK_EQ("barrier", mori_shmem_barrier_all(), MORI_SHMEM_EPEER);
	CHECK_NULL(mori_shmem_malloc(64), "lost");
	CHECK_EQ("free", mori_shmem_free(m->words), MORI_SHMEM_EPEER);
	CHECK_EQ("wait", mori_shmem_int64_wait_until_equals(m->words, 99), MORI_SHMEM_EPEER);
	among_the_living(m, rank);
	CHECK_EQ("finalize", mori_shmem_finalize(), MORI_SHMEM_EPEER);
}

static void *pe_main(void *arg)
{
	int rank = fault_rank + (int)(intptr_t)arg, late = rank / plan.threads == plan.late, err;
	struct memory m;

	test_rank = rank;
	MUST(CHECK_OK(fault_init(rank, fault_n, &here.uid)));
	m.words = mori_shmem_calloc((size_t)fault_n, sizeof(int64_t));
	m.spare = mori_shmem_malloc(4096);
	MUST(m.words && m.spare);
	CHECK_OK(mori_shmem_barrier_all());
	fault_say("ready");
	if (late || (is_victim(rank) && plan.how != INSIDE))
		phase_wait(COME);
	err = do_call(&m);
	fault_report(rank, err);
	if (strcmp(plan.call, "finalize") != 0) {
		phase_wait(GO_ON);
		after_the_loss(&m, rank);
	}
	return NULL;
}

static void actor(void)
{
	pthread_t threads[8];
	int how, rank, n;

	left_start(&here.before);
	MUST(sscanf(fault_hear(), "%31s %d %d %d %d", plan.call, &plan.threads, &plan.victim,
		    &plan.late, &how) == 5);
	plan.how = (enum how)how;
	fault_meet(&here.uid);
	for (int i = 0; i < plan.threads; i++)
		MUST(!pthread_create(&threads[i], NULL, pe_main, (void *)(intptr_t)i));
	for (int phase = COME; phase <= (strcmp(plan.call, "finalize") ? LOOK : COME); phase++)
		phase_hear((enum phase)phase);
	for (int i = 0; i < plan.threads; i++)
		pthread_join(threads[i], NULL);
	CHECK_EQ("is_initialized", mori_shmem_is_initialized(), 0);
	CHECK_NOTHING_LEFT(&here.before);
	fault_say("over");
	MUST(sscanf(fault_hear(), "%d %d", &rank, &n) == 2);
	fault_meet(&here.uid);
	fault_good_job(rank, n, &here.uid);
	CHECK_NOTHING_LEFT(&here.before);
}

const struct fault_role fault_roles[] = { { "actor", actor }, { NULL, NULL } };

static void new_job(struct fault_pe **alive, int n)
{
	for (int i = 0; i < n; i++)
		fault_tell(alive[i], "%d %d", i, n);
	fault_share(alive, n, alive[n - 1]);
	for (int i = 0; i < n; i++)
		fault_end(alive[i]);
}

/* What those that live report, in the words of the loss. */
static void see_reports(struct fault_pe *pe, double since)
{
	char part[64];

	if (plan.threads == 1)
		snprintf(part, sizeof(part), "PE %d (process ", plan.victim);
	else
		snprintf(part, sizeof(part), "PEs %d, %d (process ", 2 * plan.victim,
			 2 * plan.victim + 1);
	for (int i = 0; i < plan.threads; i++) {
		fault_want_report(pe, FAULT_SOON - (fault_now() - since), MORI_SHMEM_EPEER, part);
		CHECK_TEXT(pe->line, "lost");
	}
}

static void see_the_rest(struct fault_pe **alive, int n)
{
	for (int i = 0; i < n; i++)
		fault_tell(alive[i], "go on");
	for (int i = 0; i < n * plan.threads; i++)
		fault_want(alive[i / plan.threads], FAULT_LATE, "put");
	for (int i = 0; i < n; i++)
		fault_tell(alive[i], "look");
}

/* One job: @host is the process with the rendezvous. */
static void lose(const char *call, int threads, enum how how, int victim, int host)
{
	struct fault_pe pes[PROCS], *all[PROCS], *alive[PROCS];
	int n = 0, late = how == INSIDE ? PROCS - 1 : -1;
	char where[80];
	double since;

	snprintf(plan.call, sizeof(plan.call), "%s", call);
	plan.threads = threads;
	plan.victim = victim;
	snprintf(where, sizeof(where), "%s, %d threads, how %d, victim %d, host %d", call, threads,
		 how, victim, host);
	test_at(where);
	for (int i = 0; i < PROCS; i++) {
		all[i] = &pes[i];
		fault_start(&pes[i], "actor", i * threads, PROCS * threads, NULL);
		fault_tell(&pes[i], "%s %d %d %d %d", call, threads, victim, late, how);
		if (i != victim)
			alive[n++] = &pes[i];
	}
	fault_share(all, PROCS, &pes[host]);
	for (int i = 0; i < PROCS * threads; i++)
		fault_want(&pes[i / threads], FAULT_LATE, "ready");
	fault_sleep(0.1); /* until they are inside, most likely */
	since = fault_now();
	if (how == EXITS) {
		fault_tell(&pes[victim], "exit");
		fault_end(&pes[victim]);
	} else {
		fault_kill(&pes[victim]);
	}
	/* Before the loss is known, a late PE could still complete a barrier. */
	for (int i = 0; i < n; i++) {
		if (late < 0 || alive[i] != &pes[late])
			see_reports(alive[i], since);
		fault_tell(alive[i], "come");
	}
	if (late >= 0)
		see_reports(&pes[late], since);
	printf("%s: known after %.3f s\n", where, fault_now() - since);
	if (strcmp(call, "finalize") != 0)
		see_the_rest(alive, n);
	for (int i = 0; i < n; i++)
		fault_want(alive[i], FAULT_LATE, "over");
	new_job(alive, n);
	test_at("between jobs");
}

static void fault_test(void)
{
	static const char *const calls[] = { "barrier", "sync",	    "malloc",  "free",
					     "wait",	"register", "finalize" };

	for (size_t i = 0; i < TEST_LEN(calls); i++)
		lose(calls[i], 1, IDLE, 1, 0);
	for (size_t i = 0; i < TEST_LEN(calls); i++)
		lose(calls[i], i % 2 ? 2 : 1, INSIDE, (int)i % 2, (int)i % 2);
	lose("barrier", 2, IDLE, 2, 0);
	lose("wait", 2, IDLE, 1, 1);
	lose("malloc", 1, IDLE, 0, 0);
	lose("barrier", 1, EXITS, 1, 0);
	lose("wait", 2, EXITS, 0, 0);
}
