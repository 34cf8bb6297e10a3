// SPDX-License-Identifier: MIT
/*
 * Quiet and fence in all their forms: they succeed for every PE and refuse one that does not exist;
 * after a quiet a get finds the data. pe_litmus.c tests what they order.
 */
#define COVER_LIST(S, V, S0, V0) MORI_OPS_ORDER(S0, thread) MORI_OPS_ORDER_PE(S)
#include "cover.h"

static int complete(int form, int pe)
{
	switch (form) {
	case 0:
		return CALL(quiet_thread);
	case 1:
		return CALL(quiet_thread_pe, pe);
	default:
		return CALL(quiet_thread_pe_qp, pe, 0);
	}
}

static int order(int form, int pe)
{
	switch (form) {
	case 0:
		return CALL(fence_thread);
	case 1:
		return CALL(fence_thread_pe, pe);
	default:
		return CALL(fence_thread_pe_qp, pe, 0);
	}
}

static void forms(uint32_t *words)
{
	for (int form = 0; form < 3; form++) {
		for (int pe = 0; pe < n_pes; pe++) {
			uint32_t v = (uint32_t)(me * 1000 + pe * 10 + form + 1), got = 0;

			MUST(mori_shmem_put_uint32_nbi_thread(&words[me], &v, 1, pe, 0));
			CHECK_OK(order(form, pe));
			CHECK_OK(complete(form, pe));
			MUST(mori_shmem_getmem_thread(&got, &words[me], 4, pe, 0));
			CHECK_EQ("there", got, v);
		}
	}
	BARRIER();
	for (int pe = 0; pe < n_pes; pe++)
		CHECK_EQ("here", words[pe], pe * 1000 + me * 10 + 3);
	BARRIER();
}

static void refused(void)
{
	static const int bad[] = { -1, -2, -2147483647, 2147483647 };

	for (int form = 1; form < 3; form++) {
		for (size_t i = 0; i < TEST_LEN(bad); i++) {
			CHECK_EQ("quiet", complete(form, bad[i]), MORI_SHMEM_EINVAL);
			CHECK_EQ("fence", order(form, bad[i]), MORI_SHMEM_EINVAL);
		}
		CHECK_EQ("quiet", complete(form, n_pes), MORI_SHMEM_EINVAL);
		CHECK_EQ("fence", order(form, n_pes), MORI_SHMEM_EINVAL);
	}
}

static int test_pe(void)
{
	uint32_t *words = pes_malloc((size_t)n_pes * 4);

	BARRIER();
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		forms(words);
		refused();
	}
	cover_all();
	MUST(mori_shmem_free(words));
	return 0;
}
