// SPDX-License-Identifier: MIT
/*
 * Failures in kernels of a device, which the host finds in a copy of the state there: counted
 * exactly, reported once, and not if they were checked. With a short MORI_SHMEM_WAIT_TIMEOUT.
 */
#include "heard.h"

#define WAITS 70 /* more than are kept */

/* @n waits for what never comes. */
static void fail(uint64_t *word, int n, void *stream)
{
	for (int i = 0; i < n; i++)
		CHECK_OK(mori_shmem_uint64_wait_until_on_stream(word, MORI_SHMEM_CMP_EQ, 77,
								stream));
	GPU(cuStreamSynchronize, stream);
}

/* Of a kernel that is not the library's own: threads have their names. */
static void by_threads(mori_shmem_module_t *module, uint64_t *word)
{
	int *status = heap_malloc(4);
	mori_shmem_fault_t f = { .struct_size = sizeof(f) };

	CHECK_OK(RUN_KERNEL(module, "put_to", 5, 100, &word, &(int){ 99 }, &status));
	CHECK_EQ("not by its own launch", heard.times, 0);
	BARRIER();
	CHECK_EQ("many threads", heard.times, 1);
	CHECK(strstr(heard.text, "mori_shmem_uint64_p in a kernel: there is no PE 99"));
	CHECK(strstr(heard.text, "; 499 more"));
	CHECK_EQ("check", mori_shmem_check(&f), MORI_SHMEM_EINVAL);
	CHECK(!strcmp(f.op, "uint64_p") && f.pe == 99);
	CHECK(f.block[0] >= 0 && f.block[0] < 5 && f.thread[0] >= 0 && f.thread[0] < 100);
}

static int test_pe(void)
{
	uint64_t *word = heap_malloc(8);
	mori_shmem_module_t *module;
	mori_shmem_fault_t f = { .struct_size = sizeof(f) };
	void *stream;

	gpu_begin();
	stream = gpu_stream();
	mori_shmem_on_fault(hear, NULL);
	fail(word, WAITS, stream);
	CHECK_EQ("nobody has asked", heard.times, 0);
	BARRIER();
	CHECK_EQ("told", heard.times, 1);
	CHECK(strstr(heard.text,
		     "wait_until_block in a kernel: timed out waiting for the word at "));
	CHECK(strstr(heard.text, "; 69 more"));
	BARRIER();
	CHECK_EQ("once", heard.times, 1);
	CHECK_EQ("status", mori_shmem_status(), MORI_SHMEM_ETIMEDOUT);
	CHECK_EQ("check", mori_shmem_check(&f), MORI_SHMEM_ETIMEDOUT);
	CHECK_EQ("block", f.block[0], 0);
	CHECK(strstr(mori_shmem_last_error(), "; 69 more"));
	CHECK_EQ("cleared", mori_shmem_status(), 0);
	fail(word, 2, stream);
	CHECK_EQ("looked at", mori_shmem_check(NULL), MORI_SHMEM_ETIMEDOUT);
	CHECK(strstr(mori_shmem_last_error(), "; 1 more"));
	fail(word, 1, stream);
	CHECK_EQ("looked at", mori_shmem_status(), MORI_SHMEM_ETIMEDOUT);
	BARRIER();
	CHECK_EQ("not told", heard.times, 1);
	CHECK_EQ("still there", mori_shmem_check(NULL), MORI_SHMEM_ETIMEDOUT);
	heard.times = 0;
	module = getenv("MOCK_CUDA_LEAKS") ? NULL : gpu_load("misc");
	if (module)
		by_threads(module, word);
	GPU(cuStreamDestroy_v2, stream);
	return 0;
}
