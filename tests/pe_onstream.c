// SPDX-License-Identifier: MIT
/* On-stream calls on the CPU: with a NULL stream they act at once, any other is refused. */
#include "pes.h"

#define LEN 100

static void work(unsigned char *area, uint64_t *sig)
{
	int next = (me + 1) % n_pes, prev = (me + n_pes - 1) % n_pes;
	unsigned char src[LEN], got[LEN];

	fill(src, me, LEN);
	poison(area, LEN + GUARD);
	memset(sig, 0, 16);
	CHECK_OK(mori_shmem_barrier_on_stream(NULL));
	CHECK_OK(mori_shmem_putmem_on_stream(area, src, LEN, next, 0, NULL));
	CHECK_OK(mori_shmem_quiet_on_stream(NULL));
	CHECK_OK(mori_shmem_getmem_on_stream(got, area, LEN, next, 0, NULL));
	CHECK_MEM("what I put", got, src, LEN);
	CHECK_OK(mori_shmem_barrier_on_stream(NULL));
	CHECK_AREA("put", area, LEN + GUARD, 0, prev, LEN);
	CHECK_OK(mori_shmem_barrier_on_stream(NULL));
	fill(src, me + 50, LEN);
	CHECK_OK(mori_shmem_putmem_signal_on_stream(area, src, LEN, &sig[0], 7,
						    MORI_SHMEM_SIGNAL_ADD, next, 0, NULL));
	CHECK_OK(mori_shmem_uint64_wait_until_on_stream(&sig[0], MORI_SHMEM_CMP_EQ, 7, NULL));
	CHECK_AREA("put with signal", area, LEN + GUARD, 0, prev + 50, LEN);
	CHECK_OK(mori_shmem_signal_op_on_stream(&sig[1], 9, MORI_SHMEM_SIGNAL_SET, next, 0, NULL));
	CHECK_OK(mori_shmem_int64_wait_until_on_stream((int64_t *)&sig[1], MORI_SHMEM_CMP_GT, -1,
						       NULL));
	CHECK_OK(mori_shmem_uint64_wait_until_on_stream(&sig[1], MORI_SHMEM_CMP_NE, 0, NULL));
	CHECK_OK(mori_shmem_uint32_wait_until_on_stream((uint32_t *)&sig[1], MORI_SHMEM_CMP_GE, 9,
							NULL));
	CHECK_OK(mori_shmem_int32_wait_until_on_stream((int32_t *)&sig[1], MORI_SHMEM_CMP_LE, 9,
						       NULL));
	BARRIER();
	CHECK_EQ("one signal each", sig[0] + sig[1], 16);
}

static void refused(unsigned char *area, uint64_t *sig)
{
	unsigned char src[LEN];
	uint32_t word = 0;
	void *s = &word;

	fill(src, me, LEN);
	poison(area, LEN + GUARD);
	BARRIER();
#define REFUSED(call) CHECK_EQ(#call, call, MORI_SHMEM_EINVAL)
	REFUSED(mori_shmem_barrier_on_stream(s));
	REFUSED(mori_shmem_quiet_on_stream(s));
	REFUSED(mori_shmem_putmem_on_stream(area, src, LEN, me, 0, s));
	REFUSED(mori_shmem_getmem_on_stream(src, area, LEN, me, 0, s));
	REFUSED(mori_shmem_putmem_signal_on_stream(area, src, LEN, sig, 1, 9, me, 0, s));
	REFUSED(mori_shmem_signal_op_on_stream(sig, 1, 9, me, 0, s));
	REFUSED(mori_shmem_uint64_wait_until_on_stream(sig, MORI_SHMEM_CMP_EQ, 7, s));
	REFUSED(mori_shmem_int64_wait_until_on_stream((int64_t *)sig, MORI_SHMEM_CMP_EQ, 7, s));
	REFUSED(mori_shmem_uint32_wait_until_on_stream(&word, MORI_SHMEM_CMP_EQ, 0, s));
	REFUSED(mori_shmem_int32_wait_until_on_stream((int32_t *)&word, MORI_SHMEM_CMP_EQ, 0, s));
	REFUSED(mori_shmem_putmem_on_stream(area, src, LEN, n_pes, 0, NULL));
	REFUSED(mori_shmem_signal_op_on_stream(sig, 1, 1, me, 0, NULL));
#undef REFUSED
	BARRIER();
	CHECK_EQ("untouched", not_poison(area, LEN + GUARD), LEN + GUARD);
	CHECK_EQ("untouched", differs(src, me, LEN), LEN);
	CHECK_EQ("no signal", sig[0], 7);
}

static int test_pe(void)
{
	unsigned char *area = pes_malloc(LEN + GUARD);
	uint64_t *sig = pes_malloc(16);

	work(area, sig);
	refused(area, sig);
	MUST(mori_shmem_free(sig));
	MUST(mori_shmem_free(area));
	return 0;
}
