// SPDX-License-Identifier: MIT
/* MORI_SHMEM_WAIT_TIMEOUT ends every wait without a time of its own, and only those. */
/* TEST: env=MORI_SHMEM_WAIT_TIMEOUT=0.2 */
#include "pes.h"

static int test_pe(void)
{
	uint64_t *words = pes_malloc(4 * 8);
	size_t at[4];
	char text[160];

	memset(words, 0, 4 * 8);
	CHECK_EQ("until", mori_shmem_uint64_wait_until(words, MORI_SHMEM_CMP_NE, 0),
		 MORI_SHMEM_ETIMEDOUT);
	snprintf(text, sizeof(text),
		 "mori_shmem_uint64_wait_until: waited in vain for 0.2 s "
		 "(MORI_SHMEM_WAIT_TIMEOUT): %p (heap + 0x",
		 (void *)words);
	CHECK_TEXT(mori_shmem_last_error(), text);
	CHECK_TEXT(mori_shmem_last_error(), ") != 0, which is 0");
	words[0] = 77;
	CHECK_EQ("until", mori_shmem_int32_wait_until((int32_t *)words, MORI_SHMEM_CMP_LT, -3),
		 MORI_SHMEM_ETIMEDOUT);
	CHECK_TEXT(mori_shmem_last_error(), ") < -3, which is 77 (0x4d)");
	words[0] = 0;
	CHECK_EQ("equals", mori_shmem_uint64_wait_until_equals(words, 1), MORI_SHMEM_ETIMEDOUT);
	CHECK_EQ("all", mori_shmem_uint64_wait_until_all(words, 4, NULL, MORI_SHMEM_CMP_GT, 0),
		 MORI_SHMEM_ETIMEDOUT);
	words[0] = words[1] = 1;
	CHECK_EQ("all but two",
		 mori_shmem_uint64_wait_until_all(words, 4, NULL, MORI_SHMEM_CMP_GT, 0),
		 MORI_SHMEM_ETIMEDOUT);
	snprintf(text, sizeof(text), "%p (heap + 0x", (void *)&words[2]);
	CHECK_TEXT(mori_shmem_last_error(), text);
	words[0] = words[1] = 0;
	CHECK_EQ("none so far", mori_shmem_check(NULL), 0);
	(void)mori_shmem_uint64_wait_until_greater_than(words, 0);
	CHECK_EQ("greater", mori_shmem_check(NULL), MORI_SHMEM_ETIMEDOUT);
	CHECK_EQ("any", mori_shmem_uint64_wait_until_any(words, 4, NULL, MORI_SHMEM_CMP_NE, 0),
		 SIZE_MAX);
	CHECK_EQ("any", mori_shmem_check(NULL), MORI_SHMEM_ETIMEDOUT);
	CHECK_EQ("some",
		 mori_shmem_uint64_wait_until_some(words, 4, at, NULL, MORI_SHMEM_CMP_NE, 0), 0);
	CHECK_EQ("some", mori_shmem_check(NULL), MORI_SHMEM_ETIMEDOUT);
	BARRIER();
	/* A peer that takes longer than that is still waited for if the call says so. */
	usleep(400000);
	MUST(mori_shmem_uint64_p(words, 5, (me + 1) % n_pes, 0));
	CHECK_EQ("a longer time", mori_shmem_uint64_wait_until_equals_for(words, 5, AWAIT_NS), 0);
	BARRIER(); /* nor does it end a collective */
	if (me == 0)
		usleep(400000);
	CHECK_OK(mori_shmem_barrier_all());
	MUST(mori_shmem_free(words));
	return 0;
}
