// SPDX-License-Identifier: MIT
/*
 * Operations of host threads on device memory, which go through the PE's device: between
 * device_mem_begin() and device_mem_end() the target of the host library calls it.
 */
#ifndef MORI_CORE_DEVICE_MEM_H
#define MORI_CORE_DEVICE_MEM_H

#include "abi/state.h"

/* PEs of this process with device memory; 0: nothing here is ever called. */
extern uint32_t tgt_device_pes __attribute__((visibility("hidden")));

void device_mem_count(int n);
void device_mem_begin(const struct dev_state *st);
/* The first failure since, with its text; 0: none. */
int device_mem_end(void);

#endif
