// SPDX-License-Identifier: MIT
/*
 * Operations of host threads on memory that is far: they go through the PE's device.
 * Between far_begin() and far_end() the target of the host library does so.
 */
#ifndef MORI_CORE_FAR_H
#define MORI_CORE_FAR_H

#include "abi/state.h"

/* PEs of this process whose memory is far; 0: nothing here is ever called. */
extern uint32_t tgt_far_pes __attribute__((visibility("hidden")));

void far_add(int n);
void far_begin(const struct dev_state *st);
/* What went wrong since; the text is there. */
int far_end(void);

#endif
