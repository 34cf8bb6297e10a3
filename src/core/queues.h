// SPDX-License-Identifier: MIT
/* The queues by which kernels reach memory that load and store do not, and what is behind them. */
#ifndef MORI_CORE_QUEUES_H
#define MORI_CORE_QUEUES_H

#include "core/coll.h"

struct pe;

/*
 * Called once the network is open; a second call does nothing. The soft NIC serves the queues, or
 * with @nics a real one if all PEs have it: then all PEs must call, even one that has @failed.
 */
int queue_open(struct pe *pe, bool nics, int failed);
/* Waits for what kernels have posted; after it they must not run. */
void queue_close(struct pe *pe);
/*
 * Waits until what kernels have posted to @to, or (-1) to all, is complete. The text names the PE.
 */
int queue_quiet(struct pe *pe, int to);

/* Whether nothing that kernels of this PE have posted is under way, as far as the host sees. */
bool queue_idle(const struct pe *pe);

#endif
