// SPDX-License-Identifier: MIT
/* A kernel of one PE uses a bad pointer: that is reported as its fault, and kept until checked. */
#include "gpu.h"

/* A wait on a stream ends by MORI_SHMEM_WAIT_TIMEOUT, and the stream continues. */
static void on_stream(uint64_t *word)
{
	mori_shmem_fault_t fault = { .struct_size = sizeof(fault) };
	void *stream;

	gpu_begin();
	stream = gpu_stream();
	CHECK_OK(mori_shmem_uint64_wait_until_on_stream(word, MORI_SHMEM_CMP_EQ, 77, stream));
	CHECK_OK(mori_shmem_signal_op_on_stream(word + 1, 5, MORI_SHMEM_SIGNAL_SET, me, 0, stream));
	GPU(cuStreamSynchronize, stream);
	CHECK_EQ("a wait on a stream", mori_shmem_check(&fault), MORI_SHMEM_ETIMEDOUT);
	CHECK(strstr(fault.op, "wait_until"));
	CHECK_EQ("what came after it", heap_word(word + 1), 5);
	GPU(cuStreamDestroy_v2, stream);
}

static int test_pe(void)
{
	mori_shmem_module_t *module = gpu_load("misc");
	uint64_t *word = heap_malloc(16);
	int *status = heap_malloc(4);
	mori_shmem_fault_t fault = { .struct_size = sizeof(fault) };

	if (!module)
		SKIP("there is no module misc");
	CHECK_OK(RUN_KERNEL(module, "wait_for", 1, 1, &word, &(uint64_t){ 1000000 }, &status));
	CHECK_EQ("a deadline", mori_shmem_check(&fault), MORI_SHMEM_ETIMEDOUT);
	CHECK(strstr(fault.op, "wait_until_equals_for"));
	CHECK_EQ("block", fault.block[0], 0);
	on_stream(word);
	CHECK_OK(RUN_KERNEL(module, "put_to", 1, 1, &word, &(int){ 99 }, &status));
	CHECK_EQ("no such PE", mori_shmem_check(&fault), MORI_SHMEM_EINVAL);
	CHECK_EQ("which", fault.pe, 99);
	CHECK_EQ("no kernel", RUN_KERNEL(module, "nothing", 1, 1, NULL), MORI_SHMEM_ENOENT);
	CHECK_EQ("too large", RUN_KERNEL(module, "meet", 1, 2000, &status), MORI_SHMEM_EINVAL);
	CHECK_EQ("no arguments", RUN_KERNEL(module, "meet", 1, 1, NULL), MORI_SHMEM_EINVAL);
	CHECK_EQ("no image", mori_shmem_module_load("hello", 6, &module), MORI_SHMEM_EINVAL);
	BARRIER();
	CHECK_EQ("a bad pointer", RUN_KERNEL(module, "bad_pointer", 1, 1, &word),
		 MORI_SHMEM_EFAULT);
	CHECK(strstr(mori_shmem_last_error(), "bad_pointer"));
	CHECK_EQ("again", RUN_KERNEL(module, "meet", 1, 1, &status), MORI_SHMEM_EFAULT);
	CHECK_EQ("check", mori_shmem_check(&fault), MORI_SHMEM_EFAULT);
	CHECK(!strcmp(fault.op, "bad_pointer"));
	return 0;
}
