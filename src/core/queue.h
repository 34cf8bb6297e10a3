// SPDX-License-Identifier: MIT
/* The queues by which kernels reach memory that load and store do not, and what is behind them. */
#ifndef MORI_CORE_QUEUE_H
#define MORI_CORE_QUEUE_H

struct pe;

/* Once the network is open; a second time does nothing. */
int queue_open(struct pe *pe);
/* What kernels have posted ends first; after it they must not run. */
void queue_close(struct pe *pe);
/* What kernels have posted to @to, or (-1) to all, is done. The text names the PE. */
int queue_quiet(struct pe *pe, int to);

#endif
