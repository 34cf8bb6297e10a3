// SPDX-License-Identifier: MIT
/* TEST: env=MORI_DISABLE_P2P=1 net=none */
/*
 * A process is killed, and the network breaks before the rendezvous, which is stopped, can say why.
 * An access to its PE fails with the loss all the same, and so does the barrier that another PE is
 * in, while the first one finalizes.
 */
#include "fault.h"

#define PES 3

enum { ACCESS, BARRIER, VICTIM };

/* Not a PE: so it can be stopped. */
static void host(void)
{
	mori_shmem_uniqueid_t uid;

	fault_meet(&uid);
	fault_hear();
}

static void actor(void)
{
	mori_shmem_uniqueid_t uid;
	uint64_t *word, got;
	int err = 0;

	test_rank = fault_rank;
	fault_meet(&uid);
	MUST(CHECK_OK(fault_init(fault_rank, fault_n, &uid)));
	word = mori_shmem_calloc(1, sizeof(*word));
	MUST(word != NULL);
	CHECK_OK(mori_shmem_getmem_thread(&got, word, sizeof(got), VICTIM, 0)); /* connects */
	CHECK_OK(mori_shmem_barrier_all());
	fault_say("ready");
	if (fault_rank == ACCESS) {
		while (!err)
			err = mori_shmem_getmem_thread(&got, word, sizeof(got), VICTIM, 0);
	} else {
		err = mori_shmem_barrier_all();
	}
	fault_report(fault_rank, err);
	fault_report(fault_rank, mori_shmem_finalize());
}

const struct fault_role fault_roles[] = { { "host", host }, { "actor", actor }, { NULL, NULL } };

static void fault_test(void)
{
	struct fault_pe pes[PES + 1], *all[PES + 1];

	test_at("the network breaks first");
	for (int i = 0; i <= PES; i++) {
		all[i] = &pes[i];
		fault_start(&pes[i], i < PES ? "actor" : "host", i, PES, NULL);
	}
	fault_share(all, PES + 1, &pes[PES]);
	for (int i = 0; i < PES; i++)
		fault_want(&pes[i], FAULT_LATE, "ready");
	fault_sleep(0.1); /* until they are inside, most likely */
	MUST(kill(pes[PES].pid, SIGSTOP) == 0);
	fault_kill(&pes[VICTIM]);
	fault_sleep(0.2); /* until the access has failed, most likely */
	MUST(kill(pes[PES].pid, SIGCONT) == 0);
	for (int i = 0; i < VICTIM; i++) {
		fault_want_report(&pes[i], FAULT_LATE, MORI_SHMEM_EPEER, "PE 2 (process ");
		fault_want_report(&pes[i], FAULT_LATE, MORI_SHMEM_EPEER, "PE 2 (process ");
		fault_end(&pes[i]);
	}
	fault_tell(&pes[PES], "end");
	fault_end(&pes[PES]);
}
