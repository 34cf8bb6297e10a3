// SPDX-License-Identifier: MIT
/* What a module of another version looks like. */
#include <stdint.h>

__attribute__((visibility("default"))) struct {
	uint32_t size, abi;
	void *state;
} globalGpuStates = { 8, 4711, 0 };
__attribute__((visibility("default"))) void *mori_cpu_grid;
