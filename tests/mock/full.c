// SPDX-License-Identifier: MIT
/*
 * What a host thread can do for a kernel that fills its GPU: all but atomics. The mock refuses
 * to launch anything; a GPU would have it wait for the kernel.
 */
#include "gpu.h"

static int test_pe(void)
{
	int next = (me + 1) % n_pes, left = (me + n_pes - 1) % n_pes;
	uint64_t *w = heap_malloc(4 * sizeof(*w)), data = 100 + (uint64_t)me;

	BARRIER();
	GPU(mockFull, 1);
	CHECK_OK(mori_shmem_signal_op_thread(&w[0], 5, MORI_SHMEM_SIGNAL_SET, next, 0));
	CHECK_OK(mori_shmem_putmem_signal_thread(&w[1], &data, sizeof(data), &w[2], 7,
						 MORI_SHMEM_SIGNAL_SET, next, 0));
	AWAIT(&w[0], 5);
	AWAIT(&w[2], 7);
	CHECK_EQ("data", mori_shmem_uint64_g(&w[1], me, 0), 100 + (uint64_t)left);
	CHECK(mori_shmem_signal_op_thread(&w[3], 1, MORI_SHMEM_SIGNAL_ADD, next, 0) < 0);
	GPU(mockFull, 0);
	CHECK_OK(mori_shmem_signal_op_thread(&w[3], 1, MORI_SHMEM_SIGNAL_ADD, next, 0));
	AWAIT(&w[3], 1);
	BARRIER();
	MUST(mori_shmem_free(w));
	return 0;
}
