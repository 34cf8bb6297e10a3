// SPDX-License-Identifier: MIT
/*
 * A process that is stopped, not dead: collective calls end after MORI_SHMEM_TIMEOUT
 * with an error that names it, waits after MORI_SHMEM_WAIT_TIMEOUT; finalize still
 * frees all. When it goes on it learns what happened, and all can be a new job.
 */
/* TEST: waits=1 net=nodes */
#include "fault.h"
#include "left.h"

#define PES 3

static char call[32];
static int stopped; /* which PE is */

static int do_call(int64_t *words, void *block)
{
	if (!strcmp(call, "barrier"))
		return mori_shmem_barrier_all();
	if (!strcmp(call, "malloc")) /* the text says which error it was */
		return mori_shmem_malloc(64) ? 0 : MORI_SHMEM_ETIMEDOUT;
	if (!strcmp(call, "free"))
		return mori_shmem_free(block);
	if (!strcmp(call, "register"))
		return mori_shmem_symmetric_register(block, 64);
	if (!strcmp(call, "wait")) {
		CHECK_EQ("for", mori_shmem_int64_wait_until_for(&words[stopped], 0, 5, 1000000),
			 MORI_SHMEM_ETIMEDOUT);
		return mori_shmem_int64_wait_until_equals(&words[stopped], 5);
	}
	return mori_shmem_finalize();
}

/* Over the network a PE that does not answer counts as lost: an error that names it. */
static void out_of_reach(int64_t *words)
{
	char name[32];

	snprintf(name, sizeof(name), "PE %d cannot be reached", stopped);
	CHECK_EQ("g", mori_shmem_int64_g(&words[fault_rank], stopped, 0), 0);
	CHECK_TEXT(mori_shmem_last_error(), name);
	CHECK_EQ("sticky", mori_shmem_check(NULL), MORI_SHMEM_ETIMEDOUT);
}

/* No barrier is possible any more, but all memory is still there, even that of the stopped PE. */
static void after_a_timeout(int64_t *words)
{
	CHECK_FAILS(mori_shmem_barrier_all(), MORI_SHMEM_ESTATE, "timed out");
	CHECK_NULL(mori_shmem_malloc(64), "timed out");
	if (test_p2p(fault_rank, stopped)) {
		CHECK_OK(mori_shmem_int64_p(&words[fault_rank], 70 + fault_rank, stopped, 0));
		CHECK_EQ("g", mori_shmem_int64_g(&words[fault_rank], stopped, 0), 70 + fault_rank);
	} else {
		out_of_reach(words);
	}
	CHECK_FAILS(mori_shmem_finalize(), MORI_SHMEM_ETIMEDOUT, "timed out");
}

/* A wait that timed out has broken nothing. */
static void after_a_wait(int64_t *words, void *block)
{
	char address[32];

	snprintf(address, sizeof(address), "%p", (void *)&words[stopped]);
	CHECK_TEXT(mori_shmem_last_error(), address);
	fault_hear(); /* it goes on */
	CHECK_OK(mori_shmem_int64_wait_until_for(&words[stopped], 0, 5, 60000000000u));
	CHECK_OK(mori_shmem_barrier_all());
	CHECK_OK(mori_shmem_free(block));
	CHECK_OK(mori_shmem_finalize());
}

/* The PE that was stopped, once it continues. */
static void awake(int64_t *words, void *block)
{
	if (!strcmp(call, "wait")) {
		for (int pe = 0; pe < fault_n; pe++)
			CHECK_OK(mori_shmem_int64_p(&words[fault_rank], 5, pe, 0));
		CHECK_OK(mori_shmem_barrier_all());
		CHECK_OK(mori_shmem_free(block));
		CHECK_OK(mori_shmem_finalize());
		return;
	}
	CHECK(do_call(words, block) != 0);
	CHECK_TEXT(mori_shmem_last_error(), "timed out");
	if (strcmp(call, "finalize") != 0) {
		for (int pe = 0; pe < fault_n; pe++)
			CHECK_EQ("word", words[pe],
				 pe != fault_rank && test_p2p(pe, fault_rank) ? 70 + pe : 0);
		CHECK(mori_shmem_finalize() != 0);
	}
}

static void actor(void)
{
	mori_shmem_uniqueid_t uid;
	struct left before;
	int64_t *words;
	void *block;

	left_start(&before);
	MUST(sscanf(fault_hear(), "%31s %d", call, &stopped) == 2);
	fault_join();
	words = mori_shmem_calloc((size_t)fault_n, sizeof(*words));
	block = mori_shmem_malloc(64);
	MUST(words && block);
	CHECK_OK(mori_shmem_barrier_all());
	fault_say("ready");
	fault_hear();
	if (fault_rank == stopped) {
		awake(words, block);
	} else {
		fault_report(fault_rank, do_call(words, block));
		if (!strcmp(call, "wait"))
			after_a_wait(words, block);
		else if (strcmp(call, "finalize") != 0)
			after_a_timeout(words);
	}
	CHECK_EQ("is_initialized", mori_shmem_is_initialized(), 0);
	CHECK_NOTHING_LEFT(&before);
	fault_say("over");
	setenv("MORI_SHMEM_TIMEOUT", "60", 1);
	fault_meet(&uid);
	fault_good_job(fault_rank, fault_n, &uid);
	CHECK_NOTHING_LEFT(&before);
}

const struct fault_role fault_roles[] = { { "actor", actor }, { NULL, NULL } };

/* Whether the list behind the first "PE " of @text, such as 0, 2-3, has @pe. */
static int named(const char *text, int pe)
{
	const char *at = strstr(text, "PE ");
	int first, last, n;

	for (at = at ? at + 3 : ""; sscanf(at, "%d%n", &first, &n) == 1; at += *at == ',' ? 2 : 0) {
		at += n;
		last = first;
		if (sscanf(at, "-%d%n", &last, &n) == 1)
			at += n;
		if (first <= pe && pe <= last)
			return 1;
	}
	return 0;
}

/* @victim is stopped, @host has the rendezvous. */
static void stop(const char *what, int victim, int host)
{
	int wait = !strcmp(what, "wait"), nodes = getenv("PES_NODE") != NULL;
	struct fault_pe pes[PES], *all[PES];
	char part[32];
	double since;

	test_at(what);
	/* Nodes report arrivals to each other from time to time: early on more may be named. */
	snprintf(part, sizeof(part),
		 wait  ? "int64_wait_until" :
		 nodes ? "did not come" :
			 "PE %d did not come",
		 victim);
	for (int i = 0; i < PES; i++) {
		all[i] = &pes[i];
		fault_start(&pes[i], "actor", i, PES, NULL);
		fault_tell(&pes[i], "%s %d", what, victim);
	}
	fault_share(all, PES, &pes[host]);
	for (int i = 0; i < PES; i++)
		fault_want(&pes[i], FAULT_LATE, "ready");
	CHECK_EQ("kill", kill(pes[victim].pid, SIGSTOP), 0);
	since = fault_now();
	for (int i = 0; i < PES; i++) {
		if (i != victim)
			fault_tell(&pes[i], "call");
	}
	for (int i = 0; i < PES; i++) {
		if (i == victim)
			continue;
		fault_want_report(&pes[i], FAULT_LATE, MORI_SHMEM_ETIMEDOUT, part);
		CHECK(wait || named(pes[i].line, victim));
	}
	printf("%s, PE %d, host %d: after %.1f s\n", what, victim, host, fault_now() - since);
	for (int i = 0; i < PES && !wait; i++) {
		if (i != victim)
			fault_want(&pes[i], FAULT_LATE, "over");
	}
	CHECK_EQ("kill", kill(pes[victim].pid, SIGCONT), 0);
	for (int i = 0; i < PES; i++) {
		if (wait || i == victim)
			fault_tell(&pes[i], "go on");
	}
	for (int i = 0; i < PES; i++) {
		if (wait || i == victim)
			fault_want(&pes[i], FAULT_LATE, "over");
	}
	fault_share(all, PES, &pes[1]);
	for (int i = 0; i < PES; i++)
		fault_end(&pes[i]);
}

static void fault_test(void)
{
	setenv("MORI_SHMEM_WAIT_TIMEOUT", "1", 1);
	stop("wait", 1, 0);
	/* Long enough for the others to come, however busy the machine is. */
	setenv("MORI_SHMEM_TIMEOUT", "5", 1);
	stop("barrier", 1, 0);
	stop("barrier", 0, 0);
	stop("malloc", 2, 2);
	stop("finalize", 1, 1);
}
