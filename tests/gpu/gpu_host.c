// SPDX-License-Identifier: MIT
/* Host operations on heaps of a GPU: copies of every size and alignment, values, atomics, waits. */
#include "gpu.h"

#define N 70001

static void copies(unsigned char *heap)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 4, 7, 8, 15, 16, 255, 4096, 65537 };
	int next = (me + 1) % n_pes, left = (me + n_pes - 1) % n_pes;
	unsigned char *mine = pes_private(N), *seen = pes_private(N);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t n = sizes[i], off = GUARD + i % 9;

		poison(mine, N);
		heap_set(heap, mine, N);
		BARRIER();
		fill(mine, me * 100 + (int)i, n);
		CHECK_OK(mori_shmem_putmem_thread(heap + off, mine, n, next, 0));
		BARRIER();
		heap_get(seen, heap, N);
		CHECK_AREA("put", seen, N, off, left * 100 + (int)i, n);
		poison(seen, N);
		CHECK_OK(mori_shmem_getmem_thread(seen + off, heap + off, n, next, 0));
		CHECK_AREA("get", seen, N, off, me * 100 + (int)i, n);
		BARRIER();
	}
	free(mine);
	free(seen);
}

static void words(uint64_t *w)
{
	int next = (me + 1) % n_pes, left = (me + n_pes - 1) % n_pes;
	uint64_t sum = 0;

	CHECK_OK(mori_shmem_uint64_p(&w[0], 1000 + (uint64_t)me, next, 0));
	CHECK_OK(mori_shmem_int32_p((int32_t *)&w[1], -5 - me, next, 0));
	CHECK_OK(mori_shmem_double_p((double *)&w[2], 0.5 + me, next, 0));
	BARRIER();
	CHECK_EQ("p", heap_word(&w[0]), 1000 + (uint64_t)left);
	CHECK_EQ("g", mori_shmem_uint64_g(&w[0], next, 0), 1000 + (uint64_t)me);
	CHECK_EQ("g int32", mori_shmem_int32_g((int32_t *)&w[1], me, 0), -5 - left);
	CHECK(mori_shmem_double_g((double *)&w[2], next, 0) == 0.5 + me);
	for (int i = 0; i < 20; i++) {
		CHECK_OK(mori_shmem_uint64_atomic_add_thread(&w[3], (uint64_t)me + 1, 0, 0));
		mori_shmem_uint32_atomic_fetch_inc_thread((uint32_t *)&w[4], 0, 0);
		CHECK_OK(mori_shmem_float_atomic_add_thread((float *)&w[5], 0.5f, 0, 0));
	}
	mori_shmem_uint64_atomic_compare_swap_thread(&w[6], 0, (uint64_t)me + 1, 0, 0);
	BARRIER();
	for (int pe = 0; pe < n_pes; pe++)
		sum += 20 * ((uint64_t)pe + 1);
	CHECK_EQ("add", mori_shmem_uint64_g(&w[3], 0, 0), sum);
	CHECK_EQ("inc", mori_shmem_uint32_g((uint32_t *)&w[4], 0, 0), 20 * (uint32_t)n_pes);
	CHECK(mori_shmem_float_g((float *)&w[5], 0, 0) == 10.0f * (float)n_pes);
	CHECK(mori_shmem_uint64_g(&w[6], 0, 0) - 1 < (uint64_t)n_pes);
	BARRIER();
}

static void signals(unsigned char *heap, uint64_t *sig)
{
	int next = (me + 1) % n_pes, left = (me + n_pes - 1) % n_pes;
	unsigned char data[512], seen[512];

	for (uint64_t round = 1; round <= 10; round++) {
		fill(data, me + 10 * (int)round, sizeof(data));
		CHECK_OK(mori_shmem_putmem_signal_thread(heap, data, sizeof(data), sig, 1,
							 MORI_SHMEM_SIGNAL_ADD, next, 0));
		AWAIT(sig, round);
		heap_get(seen, heap, sizeof(seen));
		CHECK_EQ("with the signal", differs(seen, left + 10 * (int)round, sizeof(seen)),
			 sizeof(seen));
		BARRIER();
	}
	CHECK_EQ("test", mori_shmem_uint64_test(sig, MORI_SHMEM_CMP_GT, 10), 0);
	CHECK_EQ("no wait for ever", mori_shmem_uint64_wait_until_equals_for(sig, 11, 20000000),
		 MORI_SHMEM_ETIMEDOUT);
	CHECK_TEXT(mori_shmem_last_error(), "== 11 (0xb), which is 10 (0xa)");
}

static void errors(uint64_t *w)
{
	uint64_t v = 0;
	mori_shmem_fault_t fault = { .struct_size = sizeof(fault) };

	CHECK_EQ("no such PE", mori_shmem_putmem_thread(w, &v, 8, n_pes, 0), MORI_SHMEM_EINVAL);
	CHECK_EQ("no heap", mori_shmem_putmem_thread(&v, &v, 8, 0, 0), MORI_SHMEM_EINVAL);
	CHECK(!mori_shmem_malloc((size_t)1 << 50));
	CHECK_EQ("a window of the host", mori_shmem_symmetric_register(&v, 8), MORI_SHMEM_ENOTSUP);
	CHECK_EQ("NULL", (long)mori_shmem_uint64_g(NULL, 0, 0), 0);
	CHECK_EQ("check", mori_shmem_check(&fault), MORI_SHMEM_EINVAL);
	CHECK_EQ("checked", mori_shmem_check(&fault), 0);
	BARRIER();
}

/* Memory that somebody else has pinned is a buffer all the same, and stays pinned. */
static void pinned(void)
{
	void *p = aligned_alloc(4096, 4096);

	gpu_begin();
	GPU(cuMemHostRegister_v2, p, (size_t)4096, 3u);
	CHECK_OK(mori_shmem_buffer_register(p, 4096));
	CHECK_OK(mori_shmem_buffer_deregister(p, 4096));
	GPU(cuMemHostUnregister, p);
	GPU(cuCtxSetCurrent, NULL);
	free(p);
}

/* What the thread has current is as it was, none or some; and no error of ours is left behind. */
static void context(void)
{
	void *before = NULL, *after = NULL;

	for (int turn = 0; turn < 2; turn++) {
		GPU(cuCtxGetCurrent, &before);
		MUST(mori_shmem_free(heap_malloc(64)));
		GPU(cuCtxGetCurrent, &after);
		CHECK(before == after);
		if (gpu_is_hip())
			GPU(cuPeekAtLastError);
		gpu_begin();
	}
	GPU(cuCtxSetCurrent, NULL);
}

static int test_pe(void)
{
	unsigned char *heap = heap_malloc(N);
	uint64_t *w = heap_malloc(64), *sig = heap_malloc(8);

	copies(heap);
	words(w);
	signals(heap, sig);
	errors(w);
	pinned();
	context();
	MUST(mori_shmem_free(sig));
	MUST(mori_shmem_free(w));
	MUST(mori_shmem_free(heap));
	return 0;
}
