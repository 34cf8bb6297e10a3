// SPDX-License-Identifier: MIT
/* TEST: waits=1 */
/*
 * A job that does not come about: a rank that never comes, two with one rank, PEs
 * that disagree on their number, on their heaps or on the network's link. Everybody who came gets the
 * same error, which names the wrong process, and the same processes can then form a job.
 */
#include "fault.h"
#include "left.h"

#define PES  4
#define HOST 1

/* "rank n" is what to say in the first attempt; then the job that works. */
static void actor(void)
{
	mori_shmem_uniqueid_t uid;
	struct left before;
	int rank, n, host;

	test_rank = fault_rank;
	left_start(&before);
	MUST(sscanf(fault_hear(), "%d %d %d", &rank, &n, &host) == 3);
	fault_meet(&uid);
	if (rank >= 0) {
		fault_hear();
		fault_report(rank, fault_init(rank, n, &uid));
		CHECK_EQ("is_initialized", mori_shmem_is_initialized(), 0);
	}
	if (host) /* its rendezvous still listens: another attempt with the id may follow */
		left_look(&before);
	else
		CHECK_NOTHING_LEFT(&before);
	unsetenv("MORI_FABRIC_PROVIDER");
	unsetenv("MORI_SHMEM_HEAP_SIZE");
	unsetenv("MORI_SHMEM_MODE");
	unsetenv("MORI_SHMEM_SHARE");
	unsetenv("MORI_SHMEM_VMM_CHUNK_SIZE");
	setenv("MORI_BOOTSTRAP_TIMEOUT", "60", 1);
	fault_meet(&uid);
	fault_good_job(fault_rank, fault_n, &uid);
	CHECK_NOTHING_LEFT(&before);
}

struct claim {
	int rank, n; /* -1: does not come */
};

/* What the PEs claim, in which order they come, what all get, and two parts of the text. */
static void fail_together(const char *where, const struct claim *claims, const char *order,
			  int status, const char *env, const char *part, const char *other)
{
	struct fault_pe pes[PES], *all[PES];
	char first[FAULT_LINE] = "";
	double since;

	test_at(where);
	for (int i = 0; i < PES; i++) {
		all[i] = &pes[i];
		fault_start(&pes[i], "actor", i, PES, i == PES - 1 ? env : NULL);
		fault_tell(&pes[i], "%d %d %d", claims[i].rank, claims[i].n, i == HOST);
	}
	since = fault_now();
	fault_share(all, PES, &pes[HOST]);
	for (; *order; order++) {
		fault_tell(&pes[*order - '0'], "come");
		fault_sleep(0.03);
	}
	for (int i = 0; i < PES; i++) {
		const char *text;

		if (claims[i].rank < 0)
			continue;
		fault_want_report(&pes[i], FAULT_LATE, status, part);
		CHECK_TEXT(pes[i].line, other);
		text = strchr(pes[i].line, '-');
		if (!first[0])
			snprintf(first, sizeof(first), "%s", text ? text : "?");
		CHECK_TEXT(text ? text : "", first);
	}
	printf("%s: %s (after %.1f s)\n", where, first, fault_now() - since);
	fault_share(all, PES, &pes[PES - 1]);
	for (int i = 0; i < PES; i++)
		fault_end(&pes[i]);
	test_at("between jobs");
}

static void look_for_tcp(void *found, const char *section, const char *key, const char *value,
			 const char *note)
{
	(void)note;
	if (!strcmp(section, "transport") && !strcmp(key, "network") && !strcmp(value, "tcp"))
		*(int *)found = 1;
}

/* Links that do not understand each other, where libfabric has another than the plain socket. */
static void fail_on_links(const struct claim *claims)
{
	int found = 0;

	setenv("MORI_FABRIC_PROVIDER", "tcp", 1);
	MUST(!mori_shmem_info(look_for_tcp, &found));
	setenv("MORI_FABRIC_PROVIDER", "socket", 1);
	setenv("MORI_DISABLE_P2P", "1", 1);
	if (found)
		fail_together("another link", claims, "0123", MORI_SHMEM_EMISMATCH,
			      "MORI_FABRIC_PROVIDER=tcp",
			      "PE 0 and PE 3 have different links to the network: socket and tcp",
			      "MORI_FABRIC_PROVIDER");
	unsetenv("MORI_FABRIC_PROVIDER");
	unsetenv("MORI_DISABLE_P2P");
}

const struct fault_role fault_roles[] = { { "actor", actor }, { NULL, NULL } };

static void fault_test(void)
{
	static const struct claim good[PES] = { { 0, 4 }, { 1, 4 }, { 2, 4 }, { 3, 4 } };
	static const struct claim absent[PES] = { { 0, 4 }, { 1, 4 }, { -1, 0 }, { -1, 0 } };
	static const struct claim gap[PES] = { { 0, 4 }, { -1, 0 }, { 2, 4 }, { 3, 4 } };
	static const struct claim twice[PES] = { { 0, 4 }, { 1, 4 }, { 2, 4 }, { 1, 4 } };
	static const struct claim more[PES] = { { 0, 4 }, { 1, 4 }, { 2, 5 }, { 3, 4 } };
	static const struct claim fewer[PES] = { { 0, 4 }, { 1, 4 }, { 0, 2 }, { 3, 4 } };

	setenv("MORI_BOOTSTRAP_TIMEOUT", "4", 1);
	fail_together("ranks 2 and 3 never come", absent, "01", MORI_SHMEM_ETIMEDOUT, NULL,
		      "2, 3 of 4", "4 s");
	fail_together("rank 1, the host, never comes", gap, "320", MORI_SHMEM_ETIMEDOUT, NULL,
		      "rank 1 of 4", "4 s");
	setenv("MORI_BOOTSTRAP_TIMEOUT", "60", 1);
	fail_together("rank 1 twice", twice, "0132", MORI_SHMEM_EMISMATCH, NULL, "rank 1 of 4",
		      "process");
	fail_together("another number", more, "0123", MORI_SHMEM_EMISMATCH, NULL, "says 5",
		      "says 4");
	fail_together("another number", more, "2130", MORI_SHMEM_EMISMATCH, NULL, "says 5",
		      "says 4");
	fail_together("another number", fewer, "0123", MORI_SHMEM_EMISMATCH, NULL, "says 2",
		      "says 4");
	fail_together("another number", fewer, "2103", MORI_SHMEM_EMISMATCH, NULL, "says 2",
		      "says 4");
	fail_together("another number", fewer, "0213", MORI_SHMEM_EMISMATCH, NULL, "says 2",
		      "says 4");
	fail_together("another size", good, "0123", MORI_SHMEM_EMISMATCH, "MORI_SHMEM_HEAP_SIZE=3M",
		      "PE 0 and PE 3", "3145728");
	fail_together("another mode", good, "0123", MORI_SHMEM_EMISMATCH, "MORI_SHMEM_MODE=vmm",
		      "PE 0 and PE 3", "different heaps: MORI_SHMEM_MODE static and vmm; set");
	fail_together("another way to share", good, "0123", MORI_SHMEM_EMISMATCH,
		      "MORI_SHMEM_SHARE=fd", "PE 0 and PE 3", "MORI_SHMEM_SHARE auto and fd; set");
	fail_together("another chunk", good, "0123", MORI_SHMEM_EMISMATCH,
		      "MORI_SHMEM_VMM_CHUNK_SIZE=1M", "PE 0 and PE 3", "1048576");
	fail_on_links(good);
	unsetenv("MORI_BOOTSTRAP_TIMEOUT");
}
