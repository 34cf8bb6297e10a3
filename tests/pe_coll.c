// SPDX-License-Identifier: MIT
/*
 * Collectives of host threads against coll.h: every one with every type and operation, sizes from
 * none to several stages, over the teams of every job and over made ones. Which go together is
 * drawn; TEST_ALL takes more of them.
 */
/* TEST: pes=1,2,3,7 timeout=120 */
#define COVER_LIST(S, V, S0, V0) MORI_OPS_TEAM(V) MORI_OPS_COLL(S, thread)
#include "coll.h"

#include <mori/shmem_collectives.h>

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

/* Names with a type and an operation, of each width and kind. */
static void typed(unsigned char *dest, unsigned char *src)
{
	int n = n_pes, sum = n * (n - 1) / 2;

	*(float *)src = 0.5f + (float)me;
	CHECK_OK(mori_shmem_float_sum_reduce(0, (float *)dest, (float *)src, 1));
	CHECK(*(float *)dest == 0.5f * (float)n + (float)sum);
	*(double *)src = me;
	CHECK_OK(mori_shmem_double_max_reduce(0, (double *)dest, (double *)src, 1));
	CHECK(*(double *)dest == n - 1);
	src[0] = 'a' + (unsigned char)me;
	CHECK_OK(mori_shmem_char_min_reduce(0, (char *)dest, (char *)src, 1));
	CHECK_EQ("char", dest[0], 'a');
	CHECK_OK(mori_shmem_fcollectmem(0, dest, src, 1));
	CHECK_EQ("bytes", dest[n - 1], 'a' + n - 1);
	*(unsigned *)src = 1u << me;
	CHECK_OK(mori_shmem_uint_or_reduce(0, (unsigned *)dest, (unsigned *)src, 1));
	CHECK_EQ("or", *(unsigned *)dest, (1u << n) - 1);
	*(uint16_t *)src = 0x3f80; /* 1 */
	CHECK_OK(mori_shmem_bfloat16_avg_reduce(0, (uint16_t *)dest, (uint16_t *)src, 1));
	CHECK_EQ("bfloat16", *(uint16_t *)dest, 0x3f80);
	((long *)src)[n - 1] = me;
	CHECK_OK(mori_shmem_long_sum_reducescatter(0, (long *)dest, (long *)src, 1));
	if (me == n - 1)
		CHECK_EQ("long", *(long *)dest, sum);
	CHECK_OK(mori_shmem_int8_broadcast(0, (int8_t *)dest, (int8_t *)src, 1, n - 1));
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
	each(MORI_SHMEM_TEAM_WORLD, dest, src, want);
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
	typed(dest, src);
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
