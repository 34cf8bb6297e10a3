// SPDX-License-Identifier: MIT
/*
 * A program closes all descriptors, those of the library too. It is lost to the others; finalize
 * ends all the same, there and here, and the next job works.
 */
/* TEST: waits=1 net=procs */
#include "fault.h"

#define PES 3

static void actor(void)
{
	mori_shmem_uniqueid_t uid;
	int victim = atoi(fault_hear());

	test_rank = fault_rank;
	fault_meet(&uid);
	MUST(CHECK_OK(fault_init(fault_rank, fault_n, &uid)));
	CHECK_OK(mori_shmem_barrier_all());
	for (int fd = 3; fault_rank == victim && fd < 256; fd++) {
		if (fd != FAULT_FD)
			close(fd);
	}
	mori_shmem_finalize(); /* whatever it says */
	fault_say("finalized");
	fault_meet(&uid);
	fault_good_job(fault_rank, fault_n, &uid);
}

const struct fault_role fault_roles[] = { { "actor", actor }, { NULL, NULL } };

static void fault_test(void)
{
	struct fault_pe pes[PES], *all[PES];

	if (TEST_TSAN)
		exit(test_skip("TSan takes descriptors closed under a wait for races"));
	for (int victim = 0; victim < 2; victim++) { /* the one with the rendezvous, and not */
		test_at(victim ? "a PE" : "the PE with the rendezvous");
		for (int i = 0; i < PES; i++) {
			all[i] = &pes[i];
			fault_start(&pes[i], "actor", i, PES, NULL);
			fault_tell(&pes[i], "%d", victim);
		}
		fault_share(all, PES, &pes[0]);
		for (int i = 0; i < PES; i++)
			fault_want(&pes[i], FAULT_LATE, "finalized");
		fault_share(all, PES, &pes[1]);
		for (int i = 0; i < PES; i++)
			fault_end(&pes[i]);
	}
}
