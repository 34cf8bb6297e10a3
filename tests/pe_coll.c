// SPDX-License-Identifier: MIT
/*
 * Collectives of host threads against coll.h: every one with every type and operation, sizes from
 * none to several stages, over the teams of every job and over made ones. Which go together is
 * drawn; TEST_ALL takes more of them.
 */
/* TEST: pes=1,2,3,7 timeout=120 */
#define COVER_LIST(S, V, S0, V0) MORI_OPS_TEAM(V) MORI_OPS_COLL(S, thread)
#include "coll.h"

#define CASES (TEST_SCALE(500) / (pes_rounds(100) < 100 ? 3 : 1))

static int call(const struct one *o)
{
	mori_shmem_team_t t = o->team;

	switch (o->kind) {
	case SYNC:
		return o->seed % 2 ? CALL(team_sync_thread, t) : CALL(barrier_thread, t);
	case BROADCAST:
		return CALL(broadcast_thread, t, o->dest, o->src, o->count, o->dtype, o->root);
	case FCOLLECT:
		return CALL(fcollect_thread, t, o->dest, o->src, o->count, o->dtype);
	case COLLECT:
		return CALL(collect_thread, t, o->dest, o->src, count_of(o, o->at), o->dtype);
	case ALLTOALL:
		return CALL(alltoall_thread, t, o->dest, o->src, o->count, o->dtype);
	case REDUCE:
		return CALL(reduce_thread, t, o->dest, o->src, o->count, o->dtype, o->op);
	default:
		return CALL(reducescatter_thread, t, o->dest, o->src, o->count, o->dtype, o->op);
	}
}

/* What can be asked of teams, and of none. */
static void questions(mori_shmem_team_t odd)
{
	CHECK_EQ("my PE", CALL(team_my_pe, MORI_SHMEM_TEAM_WORLD), me);
	CHECK_EQ("PEs", CALL(team_n_pes, MORI_SHMEM_TEAM_WORLD), n_pes);
	CHECK_EQ("no team", mori_shmem_team_my_pe(MORI_SHMEM_TEAM_INVALID), -1);
	CHECK_EQ("no such team", mori_shmem_team_n_pes(12), -1);
	CHECK_EQ("a team beyond all", mori_shmem_team_n_pes(1000), -1);
	CHECK_EQ("translated",
		 CALL(team_translate_pe, MORI_SHMEM_TEAM_WORLD, n_pes - 1, MORI_SHMEM_TEAM_WORLD),
		 n_pes - 1);
	CHECK_EQ("no such member", mori_shmem_team_translate_pe(0, n_pes, 0), -1);
	if (odd == MORI_SHMEM_TEAM_INVALID)
		return;
	CHECK_EQ("in the odd ones", mori_shmem_team_my_pe(odd), me / 2);
	CHECK_EQ("not in it", mori_shmem_team_translate_pe(MORI_SHMEM_TEAM_WORLD, 0, odd), -1);
	CHECK_EQ("and back", mori_shmem_team_translate_pe(odd, me / 2, 0), me);
}

static int test_pe(void)
{
	mori_shmem_team_t odd = MORI_SHMEM_TEAM_INVALID, row, column, back;
	unsigned char *dest = pes_malloc(LARGE + GUARD), *src = pes_malloc(LARGE + GUARD);
	unsigned char *want = pes_private(LARGE + GUARD);
	int pes[64], width = n_pes > 3 ? 3 : n_pes;

	for (int i = 0; i < n_pes; i++)
		pes[i] = n_pes - 1 - i;
	if (n_pes > 1)
		CHECK_OK(mori_shmem_team_split_strided(MORI_SHMEM_TEAM_WORLD, 1, 2, n_pes / 2, NULL,
						       0, &odd));
	CHECK_EQ("in it or not", odd >= 0, me % 2);
	questions(odd);
	use_ctx = 1;
	questions(odd);
	use_ctx = 0;
	CHECK_OK(mori_shmem_team_split_2d(MORI_SHMEM_TEAM_WORLD, width, NULL, 0, &row, NULL, 0,
					  &column));
	CHECK_EQ("row", mori_shmem_team_my_pe(row), me % width);
	CHECK_EQ("column", mori_shmem_team_my_pe(column), me / width);
	CHECK_OK(mori_shmem_team_split_list(MORI_SHMEM_TEAM_WORLD, pes, n_pes, &back));
	CHECK_EQ("backwards", mori_shmem_team_my_pe(back), n_pes - 1 - me);
	for (int round = 0; round < 2; round++) {
		int n = CASES / 16 + 1;

		cases(MORI_SHMEM_TEAM_WORLD, 1000 + (uint64_t)round, 3 * n, dest, src, want);
		cases(row, 2000 + (uint64_t)round * 300, n, dest, src, want);
		cases(back, 3000 + (uint64_t)round * 300, n, dest, src, want);
		cases(column, 4000 + (uint64_t)round * 300, n, dest, src, want);
		cases(odd, 5000 + (uint64_t)round * 300, n, dest, src, want);
		cases(MORI_SHMEM_TEAM_NODE, 6000 + (uint64_t)round * 300, n, dest, src, want);
		cases(MORI_SHMEM_TEAM_SHARED, 7000 + (uint64_t)round * 300, n, dest, src, want);
	}
	CHECK_OK(mori_shmem_team_destroy(back));
	CHECK_OK(mori_shmem_team_destroy(column));
	CHECK_OK(mori_shmem_team_destroy(row));
	CHECK_OK(mori_shmem_team_destroy(odd));
	CHECK_EQ("no longer", mori_shmem_team_n_pes(back), -1);
	CHECK_EQ("check", mori_shmem_check(NULL), 0);
	cover_all();
	free(want);
	MUST(mori_shmem_free(src));
	MUST(mori_shmem_free(dest));
	return 0;
}
