// SPDX-License-Identifier: MIT
/*
 * Progress does not depend on the target: PE 0 computes and calls nothing of the library while all
 * others put to it, get from it, add to it and signal it. It continues when words in its own memory
 * show that they are done.
 */
#include "pes.h"

#define LEN 20000

struct area {
	uint64_t sum, signals, done;
	double real;
	unsigned char from_0[LEN];
	unsigned char to_0[][LEN]; /* per PE */
};

/* Something that takes its time and that the compiler cannot leave out. */
static uint64_t compute(uint64_t x)
{
	for (int i = 0; i < 1000; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

static void busy(struct area *a)
{
	uint64_t x = 1;

	while (__atomic_load_n(&a->done, __ATOMIC_ACQUIRE) != (uint64_t)n_pes - 1)
		x = compute(x);
	CHECK(x != 0);
}

static void ask(struct area *a)
{
	unsigned char *data = pes_private(LEN);

	fill(data, me, LEN);
	CHECK_OK(mori_shmem_putmem_thread(a->to_0[me], data, LEN, 0, 0));
	poison(data, LEN);
	CHECK_OK(mori_shmem_getmem_thread(data, a->from_0, LEN, 0, 0));
	CHECK_EQ("got", differs(data, 77, LEN), LEN);
	for (int i = 0; i < 20; i++) {
		CHECK_OK(mori_shmem_uint64_atomic_add_thread(&a->sum, (uint64_t)me, 0, 0));
		(void)mori_shmem_double_atomic_fetch_add_thread(&a->real, 0.5, 0, 0);
		CHECK_OK(mori_shmem_signal_op_thread(&a->signals, 1, MORI_SHMEM_SIGNAL_ADD, 0, 0));
	}
	CHECK_OK(mori_shmem_quiet_thread());
	CHECK_OK(mori_shmem_getmem_thread(data, a->to_0[me], LEN, 0, 0));
	CHECK_EQ("there", differs(data, me, LEN), LEN);
	CHECK_OK(mori_shmem_uint64_atomic_add_thread(&a->done, 1, 0, 0));
	free(data);
}

static int test_pe(void)
{
	struct area *a = mori_shmem_calloc(1, sizeof(*a) + (size_t)n_pes * LEN);
	uint64_t others = (uint64_t)n_pes - 1;

	MUST(a ? 0 : MORI_SHMEM_ENOMEM);
	fill(a->from_0, me == 0 ? 77 : 78, LEN);
	BARRIER();
	if (me == 0)
		busy(a);
	else
		ask(a);
	if (me == 0) {
		CHECK_EQ("sum", a->sum, 20 * others * (others + 1) / 2);
		CHECK_EQ("halves", (uint64_t)(a->real * 2), 20 * others);
		CHECK_EQ("signals", a->signals, 20 * others);
		for (int pe = 1; pe < n_pes; pe++)
			CHECK_EQ("put", differs(a->to_0[pe], pe, LEN), LEN);
	}
	BARRIER();
	CHECK_OK(mori_shmem_free(a));
	return 0;
}
