// SPDX-License-Identifier: MIT
/* What a module of another version looks like. */
#include <stdint.h>

__attribute__((visibility("default"))) struct {
	uint32_t size, abi;
	void *state;
	uint32_t flags, reserved;
} globalGpuStates = { 8, 4711, 0, 0, 0 };
__attribute__((visibility("default"))) void *mori_cpu_grid;
