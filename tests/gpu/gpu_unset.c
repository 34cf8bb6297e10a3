// SPDX-License-Identifier: MIT
/*
 * A module that was never passed to mori_shmem_module_init(): its first call ends the launch, and
 * the driver says so. The context of the process is lost then, so nothing else is tried.
 */
#define PES_NO_INIT
#include "gpu.h"

static int test_pe(void)
{
	void *module = NULL, *kernel = NULL, *args[1];
	const char *name = "?";
	uint64_t out = 0;
	size_t size;
	char *image = gpu_image("misc", &size);
	int code;

	if (!image)
		SKIP("there is no module misc");
	gpu_begin();
	GPU(cuModuleLoadData, &module, image);
	GPU(cuModuleGetFunction, &kernel, module, "who");
	GPU(cuMemAlloc_v2, &out, (size_t)64);
	args[0] = &out;
	GPU(cuLaunchKernel, kernel, 1u, 1u, 1u, 1u, 1u, 1u, 0u, NULL, args, NULL);
	code = gpu_call("cuCtxSynchronize")();
	gpu_call("cuGetErrorName")(code, &name);
	printf("a call without a state: %d, %s\n", code, name);
	CHECK(code != 0);
	free(image);
	return 0;
}
