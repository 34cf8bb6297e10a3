// SPDX-License-Identifier: MIT
/*
 * Init and finalize again and again leave nothing behind on the GPU. A module of the user's
 * own, kept across finalize, gives a status while there is no job and acts in the next one, whose
 * init says how many calls were made in between.
 */
#define PES_NO_INIT
#include "gpu.h"

#define TIMES 12

static _Thread_local struct {
	int times;
	char text[512];
} heard;

static __attribute__((constructor)) void prepare(void)
{
	unsetenv("MORI_NOTES"); /* what fails here is meant to */
}

static void hear(void *arg, const char *text)
{
	(void)arg;
	heard.times++;
	snprintf(heard.text, sizeof(heard.text), "%s", text);
}

static size_t gpu_free(void)
{
	size_t left, total;

	GPU(cuMemGetInfo_v2, &left, &total);
	return left;
}

static void launch(void *f, uint64_t out, int want_me, int want_n, int want_status)
{
	void *args[] = { &out };
	void *stream = gpu_stream();
	int got[3] = { -99, -99, -99 };

	GPU(cuLaunchKernel, f, 1, 1, 1, 1, 1, 1, 0, stream, args, NULL);
	GPU(cuStreamSynchronize, stream);
	GPU(cuStreamDestroy_v2, stream);
	GPU(cuMemcpyDtoH_v2, got, out, sizeof(got));
	CHECK_EQ("me", got[0], want_me);
	CHECK_EQ("PEs", got[1], want_n);
	CHECK_EQ("barrier", got[2], want_status);
}

static int test_pe(void)
{
	size_t size, before = 0;
	void *module, *f, *g;
	char *image = gpu_image("misc", &size);
	uint64_t out = 0, start;
	void *args[] = { &ctx, &out };
	double first = 0, later = 0;

	if (!image)
		SKIP("there is no module misc");
	gpu_begin();
	GPU(cuModuleLoadData, &module, image);
	GPU(cuModuleGetFunction, &f, module, "who");
	GPU(cuModuleGetFunction, &g, module, "who_ctx");
	GPU(cuMemAlloc_v2, &out, (size_t)64);
	mori_shmem_on_fault(hear, NULL);
	for (int i = 0; i < TIMES; i++) {
		mori_shmem_module_t *own;
		void *block;

		start = mori_clock_ns();
		MUST(mori_shmem_init());
		later = (double)(mori_clock_ns() - start) / 1e6;
		first = i ? first : later;
		pes_meet();
		CHECK_EQ("calls after finalize are told", heard.times, i);
		CHECK(!i || strstr(heard.text, "have made 3 call(s)"));
		own = gpu_load("misc");
		block = heap_malloc(1 << 20);
		if (!i)
			CHECK_EQ("linked", mori_shmem_module_init(module), 0);
		BARRIER();
		launch(f, out, me, n_pes, 0);
		BARRIER();
		GPU(cuLaunchKernel, g, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL);
		GPU(cuStreamSynchronize, NULL);
		if (i % 2) { /* the rest is finalize's to unload and free */
			MUST(mori_shmem_free(block));
			MUST(mori_shmem_module_unload(own));
		}
		MUST(mori_shmem_finalize());
		launch(f, out, MORI_SHMEM_ESTATE, MORI_SHMEM_ESTATE, MORI_SHMEM_ESTATE);
		if (i == 1)
			before = gpu_free();
	}
	CHECK(gpu_free() + ((size_t)4 << 20) >= before || pes_here() > 1 || n_pes > 1);
	printf("init: %.1f ms at first, %.1f ms later, %d PEs; free before %zu, after %zu\n", first,
	       later, n_pes, before, gpu_free());
	GPU(cuModuleUnload, module);
	free(image);
	return 0;
}
