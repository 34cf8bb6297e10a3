// SPDX-License-Identifier: MIT
/* 50 jobs one after another, each with its own rendezvous: nothing stays open. */
#include "boot/helper.h"

static void *pe_main(void *arg)
{
	struct pe *p = arg;

	if (CHECK(pe_join(p) == 0)) {
		CHECK(boot_barrier(p->b, p->rank, WAIT_S) == 0);
		boot_leave(p->b, p->rank);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	struct pe pes[3] = { 0 };
	int fds = count_fds(), threads;

	test_deadline(120);
	if (argc > 1) {
		test_uid(argc, argv, uid);
		pes_start(pes, 1, 2, 3, uid, pe_main);
		pes_join(pes, 1);
		return test_result();
	}
	threads = count_threads();
	for (int i = 0; i < 50; i++) {
		int others = i % 10 == 0; /* a second process now and then */
		pid_t pid = 0;

		CHECK(boot_open_rdv(&c, uid) == 0);
		if (others)
			pid = spawn("pe", uid, 0);
		pes_start(pes, others ? 2 : 3, 0, 3, uid, pe_main);
		pes_join(pes, others ? 2 : 3);
		if (others)
			CHECK(reap(pid) == 0);
		CHECK(count_fds() == fds, "%d before, %d after turn %d", fds, count_fds(), i);
		CHECK(threads_are(threads));
	}
	return test_result();
}
