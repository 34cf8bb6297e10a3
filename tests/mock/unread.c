// SPDX-License-Identifier: MIT
/*
 * A device that fails when the host reads what has failed in kernels, as after the loss of its
 * context: the report still says that there was a failure, and why it could not be read. The last
 * failure is one of finalize.
 */
#define PES_NO_INIT
#include "heard.h"

/* A kernel fails, and so does the @n-th copy from then on. */
static void fail(uint64_t *word, void *stream, int n)
{
	CHECK_OK(mori_shmem_uint64_wait_until_on_stream(word, MORI_SHMEM_CMP_EQ, 77, stream));
	GPU(cuStreamSynchronize, stream);
	CHECK_EQ("not before somebody asks", heard.times, 0);
	GPU(mockFail, n);
}

static void check_why(const char *text)
{
	CHECK_TEXT(text, "what has failed in its kernels could not be read: cannot copy to or "
			 "from the GPU: CUDA_ERROR_OF_MOCK");
}

static int test_pe(void)
{
	uint64_t *word;
	void *stream;

	mori_shmem_on_fault(hear, NULL);
	MUST(mori_shmem_init());
	pes_meet();
	word = heap_malloc(8);
	gpu_begin();
	stream = gpu_stream();
	fail(word, stream, 1);
	BARRIER();
	CHECK_EQ("told", heard.times, 1);
	CHECK_TEXT(heard.text, "nobody has looked at a failure on PE ");
	check_why(heard.text);
	BARRIER();
	CHECK_EQ("once", heard.times, 1);
	CHECK_EQ("can be read again", mori_shmem_check(NULL), MORI_SHMEM_ETIMEDOUT);
	CHECK_EQ("all of it", mori_shmem_check(NULL), 0);
	heard.times = 0;
	fail(word, stream, 1);
	CHECK_EQ("check", mori_shmem_check(NULL), MORI_SHMEM_EFAULT);
	check_why(mori_shmem_last_error());
	CHECK_EQ("can be read again", mori_shmem_check(NULL), MORI_SHMEM_ETIMEDOUT);
	fail(word, stream, 2); /* the first one requests only the code */
	CHECK_EQ("status", mori_shmem_status(), MORI_SHMEM_ETIMEDOUT);
	BARRIER();
	CHECK_EQ("looked at", heard.times, 0);
	mori_shmem_check(NULL);
	GPU(cuStreamDestroy_v2, stream);
	MUST(mori_shmem_free(word));
	GPU(mockFail, me); /* PE 1 alone */
	MUST(mori_shmem_finalize());
	return 0;
}
