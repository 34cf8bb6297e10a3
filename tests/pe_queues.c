// SPDX-License-Identifier: MIT
/* The number of queues to a PE is what could be set up, not what was requested. */
/* TEST: pes=2 modes=procs,threads net=procs,threads */
#include "pes.h"

#define ASKED 100000

__attribute__((constructor)) static void ask(void)
{
	setenv("MORI_NUM_QP_PER_PE", "100000", 1);
}

static int test_pe(void)
{
	int n = mori_shmem_num_qp_per_pe();

	if (test_p2p(me, 1 - me)) /* none are there, and load and store are one way */
		CHECK_EQ("none", n, 1);
	else
		CHECK(n > 0 && n < ASKED / 2);
	BARRIER();
	return 0;
}
