// SPDX-License-Identifier: MIT
/*
 * Kernels that nobody can end do not last until the limit: when all PEs wait in kernels, and when
 * the others are in finalize.
 */
/* TEST: waits=1 pes=2 modes=procs,threads env=MORI_SHMEM_TIMEOUT=100000 */
#include "kern.h"

static int test_pe(void)
{
	mori_shmem_module_t *m = kern_load("fault");
	uint64_t *word;
	char line[128];

	if (!m)
		SKIP(KERN_NONE);
	word = pes_malloc(16);
	word[0] = word[1] = 0;
	BARRIER();
	CHECK_EQ("all wait", RUN_KERNEL(m, "never", 4, 40, &word), MORI_SHMEM_ETIMEDOUT);
	snprintf(line, sizeof(line),
		 "kernel never on PE %d: all PEs wait for each other: of 160 threads 120 wait for ",
		 me);
	CHECK_TEXT(mori_shmem_last_error(), line);
	CHECK_TEXT(mori_shmem_last_error(), " == 77 (0x4d), which is 0; first block (0, 0, 0)");
	CHECK_EQ("sticky", mori_shmem_check(NULL), MORI_SHMEM_ETIMEDOUT);
	BARRIER();
	if (me == 0)
		return 0;
	CHECK_EQ("the other is in finalize", RUN_KERNEL(m, "never", 4, 40, &word),
		 MORI_SHMEM_EPEER);
	snprintf(line, sizeof(line),
		 "kernel never on PE %d: no PE is left that could end this wait "
		 "(in mori_shmem_finalize(): PE 0): of 160 threads",
		 me);
	CHECK_TEXT(mori_shmem_last_error(), line);
	CHECK_EQ("sticky", mori_shmem_check(NULL), MORI_SHMEM_EPEER);
	return 0;
}
