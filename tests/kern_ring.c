// SPDX-License-Identifier: MIT
/*
 * All blocks of all PEs wait for each other, on two cores and with more threads
 * than any of them has: 64 blocks of 128 threads on each of 8 PEs.
 */
/* TEST: pes=8 modes=procs,threads,mixed timeout=180 quick=0 */
#include "kern.h"

static int test_pe(void)
{
	mori_shmem_module_t *m = kern_load("ring");
	uint64_t blocks = 64, threads = 128, rounds = 4, meets = 50, bad = 0, *faults = &bad;
	uint64_t *in, *out, *sig;

	if (!m)
		SKIP(KERN_NONE);
	if (KERN_SMALL) {
		threads = 16;
		blocks = 512 / 16 / (uint64_t)pes_here();
	}
	in = pes_malloc((rounds + 1) * blocks * 128);
	out = pes_private(blocks * 128);
	sig = pes_malloc(blocks * 8);
	memset(sig, 0, blocks * 8);
	BARRIER();
	CHECK_OK(RUN_KERNEL(m, "ring", (unsigned)blocks, (unsigned)threads, &in, &out, &sig,
			    &rounds, &faults));
	CHECK_EQ("words that are wrong", bad, 0);
	for (uint64_t i = 0; i < blocks; i++)
		CHECK_EQ("signals", sig[i], rounds);
	CHECK_OK(RUN_KERNEL(m, "meet", 1, 40, &meets, &faults));
	CHECK_EQ("barriers that failed", bad, 0);
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	BARRIER();
	MUST(mori_shmem_free(sig));
	MUST(mori_shmem_free(in));
	free(out);
	MUST(mori_shmem_module_unload(m));
	return 0;
}
