// SPDX-License-Identifier: MIT
/* Signals alone: set and add by either code, many at once, nothing for a wrong call. */
#define COVER_LIST(S, V, S0, V0) MORI_OPS_SIGNAL(S, thread) MORI_OPS_SIGNAL_FETCH(V)
#include "cover.h"

#define ROUNDS pes_rounds(TEST_SCALE(2000))

static const uint64_t values[] = { 0, 1, 0x80000000u, 0xffffffffu, 1ull << 63, UINT64_MAX };

/* Each PE has word me of every PE. */
static void set_and_add(uint64_t *sig)
{
	for (size_t i = 0; i < TEST_LEN(values); i++) {
		for (int pe = 0; pe < n_pes; pe++) {
			CHECK_OK(CALL(signal_op_thread, &sig[me], values[i] + (uint64_t)me,
				      i % 2 ? MORI_SHMEM_SIGNAL_SET : 3, pe, 0));
			CHECK_OK(CALL(signal_op_thread, &sig[me], 3 * values[i] + (uint64_t)pe,
				      i % 2 ? MORI_SHMEM_SIGNAL_ADD : 4, pe, 0));
		}
		BARRIER();
		for (int pe = 0; pe < n_pes; pe++)
			CHECK_EQ("set, then add", CALL(signal_fetch, &sig[pe]),
				 4 * values[i] + (uint64_t)pe + (uint64_t)me);
		BARRIER();
	}
}

/* Every PE adds to one word of every PE; nothing is lost, and no other word moves. */
static void many_adds(uint64_t *sig)
{
	const uint64_t each = ROUNDS, n = (uint64_t)n_pes;

	sig[0] = sig[2] = 77;
	sig[1] = (uint64_t)me << 40;
	BARRIER();
	for (uint64_t i = 0; i < each; i++) {
		for (int pe = 0; pe < n_pes; pe++)
			MUST(mori_shmem_signal_op_thread(&sig[1], (uint64_t)me + 1,
							 MORI_SHMEM_SIGNAL_ADD, pe, 0));
	}
	AWAIT(&sig[1], ((uint64_t)me << 40) + each * n * (n + 1) / 2);
	BARRIER();
	CHECK_EQ("all adds, once each", CALL(signal_fetch, &sig[1]),
		 ((uint64_t)me << 40) + each * n * (n + 1) / 2);
	CHECK_EQ("before", sig[0], 77);
	CHECK_EQ("after", sig[2], 77);
	BARRIER();
}

static void refused(uint64_t *sig)
{
	static const int bad[] = { -1, 0, 1, 2, 5, 6, 7, 8, 11, 14, 19 };
	uint64_t mine = 5;

	sig[0] = sig[1] = 77;
	BARRIER();
	for (size_t i = 0; i < TEST_LEN(bad); i++)
		CHECK_EQ("wrong op", CALL(signal_op_thread, &sig[0], 1, bad[i], 0, 0),
			 MORI_SHMEM_EINVAL);
	CHECK_EQ("not aligned", CALL(signal_op_thread, (uint64_t *)((char *)sig + 4), 1, 9, 0, 0),
		 MORI_SHMEM_EINVAL);
	CHECK_EQ("no such PE", CALL(signal_op_thread, sig, 1, 9, n_pes, 0), MORI_SHMEM_EINVAL);
	CHECK_EQ("no such PE", CALL(signal_op_thread, sig, 1, 9, -1, 0), MORI_SHMEM_EINVAL);
	CHECK_EQ("not symmetric", CALL(signal_op_thread, &mine, 1, 9, 0, 0), MORI_SHMEM_EINVAL);
	CHECK_EQ("NULL", CALL(signal_op_thread, NULL, 1, 9, 0, 0), MORI_SHMEM_EINVAL);
	BARRIER();
	CHECK_EQ("untouched", sig[0], 77);
	CHECK_EQ("untouched", sig[1], 77);
	CHECK_EQ("untouched", mine, 5);
	CHECK_EQ("no fault yet", mori_shmem_check(NULL), 0);
	CHECK_EQ("fetch of NULL", CALL(signal_fetch, NULL), 0);
	CHECK_EQ("fetch of NULL", mori_shmem_check(NULL), MORI_SHMEM_EINVAL);
	BARRIER();
}

static int test_pe(void)
{
	size_t n = n_pes < 3 ? 3 : (size_t)n_pes;
	uint64_t *sig = pes_malloc(n * 8);

	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		set_and_add(sig);
		many_adds(sig);
		refused(sig);
	}
	cover_all();
	MUST(mori_shmem_free(sig));
	return 0;
}
