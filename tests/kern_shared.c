// SPDX-License-Identifier: MIT
/*
 * Memory of a block whose size the launch sets: zero at first, aligned, a block's own while many
 * blocks run at once, and none where none was requested.
 */
/* TEST: pes=2 modes=procs,threads net=procs,threads */
#include "kern.h"

#define BLOCKS	12u
#define THREADS 16u

static void fill_with(mori_shmem_module_t *m, uint64_t *at, uint64_t words)
{
	const unsigned grid[3] = { BLOCKS, 1, 1 }, block[3] = { THREADS, 1, 1 };
	uint64_t bad = 0, *faults = &bad;
	void *args[] = { &at, &words, &faults };

	memset(at, 0, BLOCKS * 8);
	CHECK_OK(mori_shmem_kernel_launch(m, "shared_fill", grid, block, words * 8, args, NULL));
	CHECK_EQ("words that are wrong", bad, 0);
	for (unsigned i = 0; i < BLOCKS; i++) {
		CHECK(at[i] != 0);
		CHECK_EQ("alignment", at[i] % 16, 0);
		for (unsigned k = 0; k < i; k++)
			CHECK(at[i] >= at[k] + words * 8 || at[k] >= at[i] + words * 8);
	}
}

static int test_pe(void)
{
	mori_shmem_module_t *m = kern_load("shared");
	uint64_t *at, none = 1, *to = &none;
	const unsigned one[3] = { 1, 1, 1 };
	void *args[] = { &to };

	if (!m)
		SKIP(KERN_NONE);
	at = pes_malloc(BLOCKS * 8);
	fill_with(m, at, 1);
	fill_with(m, at, 1000);
	fill_with(m, at, 1 << 15);
	CHECK_OK(RUN_KERNEL(m, "shared_none", 1, 1, &to));
	CHECK_EQ("nothing was asked for", none, 0);
	CHECK_EQ("more than there is",
		 mori_shmem_kernel_launch(m, "shared_none", one, one, SIZE_MAX, args, NULL),
		 MORI_SHMEM_ENOMEM);
	CHECK(!mori_shared_memory());
	MUST(mori_shmem_free(at));
	MUST(mori_shmem_module_unload(m));
	return 0;
}
