// SPDX-License-Identifier: MIT
/* The parts of hip.c that have files of their own, and our own kernels. */
#ifndef MORI_ACCEL_HIP_PARTS_H
#define MORI_ACCEL_HIP_PARTS_H

#include "accel/gpu.h"

/* hip_faults.c: names kernels before ROCm ends the process; and one that is being launched. */
void hip_watch_faults(void);
void hip_launched(const char *kernel, int pe);
/* hip_ranges.c: in place of HIP's own calls, which are in the table. */
void hip_adapt_ranges(struct gpu_calls *calls);
/* hip_modules.c: HIP does not list the kernels of a module, nor their parameters: the code object's notes do. */
void hip_adapt_modules(void *library, struct gpu_calls *calls);

/* Our own kernels, by processor; the last has no target. The build makes them. */
struct hip_kernels {
	const char *target;
	const unsigned char *image;
	unsigned long len;
};
extern const struct hip_kernels hip_kernels[];

#endif
