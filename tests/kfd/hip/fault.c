// SPDX-License-Identifier: MIT
/*
 * usage: fault KERNELS.hsaco host | other
 * A kernel goes where its GPU has no memory: to memory of the process that is not registered, or
 * to memory of VMM that another GPU alone has been given. Prints what HIP says of it.
 */
#include "hip.h"

#define PART ((size_t)2 << 20)

/* Of GPU 0, for itself alone. */
static uint64_t *fault_part(void)
{
	struct hip_part_how how = { .type = 1, .handle = 1, .place = { 1, 0 } };
	struct hip_access access = { { 1, 0 }, 3 };
	hip_part part;
	void *at = NULL;

	MUST(hipMemCreate(&part, PART, &how, 0));
	MUST(hipMemAddressReserve(&at, PART, 0, NULL, 0));
	MUST(hipMemMap(at, PART, 0, part, 0));
	MUST(hipMemSetAccess(at, PART, &access, 1));
	return at;
}

int main(int argc, char **argv)
{
	static uint64_t plain[512];
	uint64_t *at = plain, n = 64, seed = 1;
	hip_module module;

	if (argc < 3)
		return 2;
	test_deadline(120);
	hip_open();
	if (!strcmp(argv[2], "other")) {
		at = fault_part();
		module = hip_load(argv[1]);
		LAUNCH(module, "fill", 1, 64, NULL, &at, &n, &seed);
		MUST(hipDeviceSynchronize());
		printf("GPU 0 has written\n");
		fflush(stdout);
		MUST(hipSetDevice(1));
	}
	module = hip_load(argv[1]);
	LAUNCH(module, "fill", 1, 64, NULL, &at, &n, &seed);
	printf("HIP says %d\n", hipDeviceSynchronize());
	return test_result();
}
