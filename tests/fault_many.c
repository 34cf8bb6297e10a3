// SPDX-License-Identifier: MIT
/*
 * Many PEs, more than cores, that disagree again and again: not one of them may
 * take a failed barrier for a successful one, or vice versa.
 */
/* TEST: net=procs */
#include "fault.h"
#include "left.h"

#define PES    12
#define ROUNDS TEST_SCALE(2000)

static mori_shmem_uniqueid_t uid;

/* Only in the first leaf of a tree of PEs, or only in the last, or all over. */
static size_t size_of(int round, int rank)
{
	switch (round % 4) {
	case 0:
		return rank == 0 ? 128 : 64;
	case 1:
		return rank == PES - 1 ? 128 : 64;
	case 2:
		return 64 + (size_t)rank;
	default:
		return 64;
	}
}

static void *pe_main(void *arg)
{
	int rank = (int)(intptr_t)arg;

	test_rank = rank;
	MUST(CHECK_OK(fault_init(rank, PES, &uid)));
	for (int i = 0; i < ROUNDS; i++) {
		void *p = mori_shmem_malloc(size_of(i, rank));

		if (!CHECK_EQ("a block", p != NULL, i % 4 == 3))
			fprintf(stderr, "in round %d\n", i);
		if (p)
			CHECK_OK(mori_shmem_free(p));
		CHECK_EQ("barrier",
			 i % 5 == rank % 5 ? mori_shmem_sync_all() : mori_shmem_barrier_all(),
			 MORI_SHMEM_EMISMATCH);
	}
	CHECK_OK(mori_shmem_barrier_all());
	CHECK_OK(mori_shmem_finalize());
	return NULL;
}

const struct fault_role fault_roles[] = { { NULL, NULL } };

static void fault_test(void)
{
	pthread_t threads[PES];
	struct left before;

	test_at("many PEs that disagree");
	left_start(&before);
	MUST(CHECK_OK(mori_shmem_get_unique_id(&uid)));
	for (int i = 0; i < PES; i++)
		MUST(!pthread_create(&threads[i], NULL, pe_main, (void *)(intptr_t)i));
	for (int i = 0; i < PES; i++)
		pthread_join(threads[i], NULL);
	CHECK_NOTHING_LEFT(&before);
}
