// SPDX-License-Identifier: MIT
/*
 * Collectives and splits that go wrong: members that call differently, arguments that one of them or
 * all have wrong, teams that are none. Everybody gets an error at once, and the next call works.
 */
/* TEST: pes=2,3 */
#include "pes.h"

static _Thread_local int64_t *dest, *src;

/* What this PE gets: @mine where it is the one that errs, else @others. */
static void check(const char *what, int got, int who, int mine, int others, const char *text)
{
	test_at(what);
	CHECK_EQ(what, got, me == who ? mine : others);
	if (me == who && mine)
		CHECK_TEXT(mori_shmem_last_error(), text);
	mori_shmem_take_error();
	/* The team is as good as before. */
	src[0] = me + 1;
	CHECK_OK(mori_shmem_reduce_thread(0, dest, src, 1, MORI_SHMEM_INT64, MORI_SHMEM_SUM));
	CHECK_EQ("the sum after it", dest[0], n_pes * (n_pes + 1) / 2);
}

static int reduce(size_t n, int dtype, int op)
{
	return mori_shmem_reduce_thread(MORI_SHMEM_TEAM_WORLD, dest, src, n, dtype, op);
}

static void differing(void)
{
	const int one = me == 1, all = MORI_SHMEM_EMISMATCH;

	check("sizes", reduce(one ? 5 : 6, MORI_SHMEM_INT64, MORI_SHMEM_SUM), 1, all, all,
	      "made another call");
	check("large and small", reduce(one ? 5 : 60000, MORI_SHMEM_INT64, MORI_SHMEM_SUM), 1, all,
	      all, "PE 0 made another call");
	check("types", reduce(5, one ? MORI_SHMEM_INT64 : MORI_SHMEM_UINT64, MORI_SHMEM_SUM), 1,
	      all, all, "another type");
	check("operations", reduce(5, MORI_SHMEM_INT64, one ? MORI_SHMEM_MAX : MORI_SHMEM_MIN), 1,
	      all, all, "operation");
	check("calls",
	      one ? mori_shmem_barrier_thread(0) :
		    mori_shmem_fcollect_thread(0, dest, src, 1, MORI_SHMEM_INT64),
	      1, all, all, "made another call");
	check("roots", mori_shmem_broadcast_thread(0, dest, src, 1, MORI_SHMEM_INT64, one), 1, all,
	      all, "root");
}

static void refused(void)
{
	const int one = me == 1, bad = MORI_SHMEM_EINVAL, all = MORI_SHMEM_EMISMATCH;
	int64_t own[4] = { 0 };

	check("no type", reduce(5, one ? 77 : MORI_SHMEM_INT64, MORI_SHMEM_SUM), 1, bad, all,
	      "no elements of type 77");
	check("no operation", reduce(5, MORI_SHMEM_INT64, one ? -1 : 0), 1, bad, all, "operation");
	check("and of floats", reduce(5, MORI_SHMEM_FLOAT32, MORI_SHMEM_AND), me, bad, bad,
	      "are for integers");
	check("root", mori_shmem_broadcast_thread(0, dest, src, 1, MORI_SHMEM_INT64, n_pes), me,
	      bad, bad, "which has PEs 0 to");
	check("own memory",
	      mori_shmem_reduce_thread(0, one ? own : dest, src, 4, MORI_SHMEM_INT64, 0), 1, bad,
	      all, "is not symmetric memory");
	check("an odd address",
	      mori_shmem_reduce_thread(0, one ? (void *)((char *)dest + 4) : dest, src, 4,
				       MORI_SHMEM_INT64, 0),
	      1, bad, all, "");
	check("no team", mori_shmem_team_sync_thread(MORI_SHMEM_TEAM_INVALID), me, bad, bad,
	      "is in no team -1");
	check("no such team", mori_shmem_barrier_thread(9), me, bad, bad, "is in no team 9");
}

static void splits(void)
{
	const int one = me == 1, bad = MORI_SHMEM_EINVAL, all = MORI_SHMEM_EMISMATCH;
	mori_shmem_team_t team, teams[20];
	int n = 0, err;
	const int twice[] = { 0, 0 };

	check("strides", mori_shmem_team_split_strided(0, 0, 1, one ? 1 : 2, NULL, 0, &team), 1,
	      all, all, "team_split_strided");
	check("beyond", mori_shmem_team_split_strided(0, 0, 1, n_pes + 1, NULL, 0, &team), me, bad,
	      bad, "which has PEs 0 to");
	check("twice", mori_shmem_team_split_list(0, twice, 2, &team), me, bad, bad, "both PE 0");
	check("of no team", mori_shmem_team_split_strided(11, 0, 1, 1, NULL, 0, &team), me, bad,
	      bad, "is in no team 11");
	check("every job's", mori_shmem_team_destroy(MORI_SHMEM_TEAM_WORLD), me, bad, bad,
	      "every job has");
	check("none to end", mori_shmem_team_destroy(MORI_SHMEM_TEAM_INVALID), me, 0, 0, "");
	while (!(err = mori_shmem_team_split_strided(0, 0, 1, n_pes, NULL, 0, &teams[n])))
		n++;
	check("too many", err, me, MORI_SHMEM_ENOMEM, MORI_SHMEM_ENOMEM,
	      "mori_shmem_team_destroy()");
	CHECK_EQ("as many as there can be", n, 13);
	while (n--)
		CHECK_OK(mori_shmem_team_destroy(teams[n]));
	CHECK_OK(mori_shmem_team_split_strided(0, 0, 1, n_pes, NULL, 0, &team));
	CHECK_OK(mori_shmem_team_destroy(team));
}

static int test_pe(void)
{
	dest = pes_malloc(60000 * 8);
	src = pes_malloc(60000 * 8);
	differing();
	refused();
	splits();
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	MUST(mori_shmem_free(src));
	MUST(mori_shmem_free(dest));
	return 0;
}
