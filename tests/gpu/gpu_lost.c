// SPDX-License-Identifier: MIT
/*
 * PE 1 is killed while the kernels of the others wait: they end with a status, their
 * processes live, and the host call names the PE. The argument says what they wait in. Run
 * by `mori run --keep-going`; every PE that lives prints a line, which tests/gpu/run counts.
 */
#include "gpu.h"

#include <signal.h>

/* The wait is a kernel of the library's own. */
static int on_stream(const char *how, uint64_t *sig, int *status)
{
	int end = MORI_SHMEM_EPEER, err;
	void *stream;

	gpu_begin();
	stream = gpu_stream();
	err = !strcmp(how, "stream_wait") ?
		      mori_shmem_uint64_wait_until_on_stream(sig, MORI_SHMEM_CMP_EQ, 77, stream) :
		      mori_shmem_barrier_on_stream(stream);
	GPU(cuStreamSynchronize, stream);
	heap_set(status, &end, sizeof(end)); /* what a kernel would leave; the check decides */
	return err;
}

static int launch(mori_shmem_module_t *module, const char *how, uint64_t *box, uint64_t *sig,
		  int *status)
{
	if (!strncmp(how, "stream_", 7))
		return on_stream(how, sig, status);
	if (!strcmp(how, "meet"))
		return RUN_KERNEL(module, "meet", 1, 64, &status);
	if (!strcmp(how, "ring"))
		return RUN_KERNEL(module, "ring", 1, 64, &box, &sig, &status);
	return RUN_KERNEL(module, "wait_word", 1, 64, &sig, &status);
}

static int test_pe(void)
{
	const char *how = test_argc > 1 ? test_argv[1] : "wait_word";
	mori_shmem_module_t *module = gpu_load("misc");
	uint64_t *box = heap_malloc(16), *sig = heap_malloc(8), start;
	int *status = heap_malloc(4), got = 0, err;
	mori_shmem_fault_t fault = { .struct_size = sizeof(fault) };

	if (!module)
		SKIP("there is no module misc");
	BARRIER();
	start = mori_clock_ns();
	if (me == 1) {
		usleep(300000);
		raise(SIGKILL);
	}
	CHECK_OK(launch(module, how, box, sig, status));
	printf("PE %d: the kernel has ended after %.2f s\n", me,
	       (double)(mori_clock_ns() - start) / 1e9);
	MUST(mori_shmem_getmem_thread(&got, status, sizeof(got), me, 0));
	CHECK_EQ("status", got, MORI_SHMEM_EPEER);
	CHECK_EQ("check", mori_shmem_check(&fault), MORI_SHMEM_EPEER);
	CHECK(fault.op[0]);
	CHECK_EQ("barrier", mori_shmem_barrier_all(), MORI_SHMEM_EPEER);
	CHECK(strstr(mori_shmem_last_error(), "PE 1"));
	CHECK_OK(RUN_KERNEL(module, "put_to", 1, 1, &box, &(int){ 1 }, &status));
	MUST(mori_shmem_getmem_thread(&got, status, sizeof(got), me, 0));
	CHECK_EQ("a put to it", got, MORI_SHMEM_EPEER);
	CHECK_EQ("check", mori_shmem_check(NULL), MORI_SHMEM_EPEER);
	if (me != 2 && n_pes > 3) { /* those that live continue */
		CHECK_OK(RUN_KERNEL(module, "put_to", 1, 1, &box, &(int){ 2 }, &status));
		MUST(mori_shmem_getmem_thread(&got, status, sizeof(got), me, 0));
		CHECK_EQ("a put to another", got, 0);
	}
	err = mori_shmem_finalize();
	CHECK(err == MORI_SHMEM_EPEER || !err);
	if (!test_failures)
		printf("PE %d: all as it should be\n", me);
	fflush(stdout);
	_exit(test_failures != 0);
}
