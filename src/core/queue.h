// SPDX-License-Identifier: MIT
/* The queues by which kernels reach memory that load and store do not, and what is behind them. */
#ifndef MORI_CORE_QUEUE_H
#define MORI_CORE_QUEUE_H

#include "core/coll.h"

struct pe;

/*
 * Once the network is open; a second time does nothing. The soft NIC serves them, and with
 * @nics a real one where all PEs have it: then all PEs must call, also one that has @failed.
 */
int queue_open(struct pe *pe, bool nics, int failed);
/* What kernels have posted ends first; after it they must not run. */
void queue_close(struct pe *pe);
/* What kernels have posted to @to, or (-1) to all, is done. The text names the PE. */
int queue_quiet(struct pe *pe, int to);

/* Where this PE's flags of kernels' barriers are. */
uint64_t queue_flags(const struct pe *pe);
uint64_t queue_flags_len(const struct pe *pe);
/* Whether the pages of the heap must stay as they are, because a NIC knows them. */
bool queue_keeps_pages(const struct pe *pe);

/* Whether what serves the queues gets at @len bytes of this PE's host memory. */
bool queue_reaches(struct pe *pe, const void *ptr, uint64_t len);
/* What a real NIC must know besides; nothing where there is none. See rdma.h. */
int queue_buffer(struct pe *pe, void *ptr, uint64_t len);
void queue_buffer_gone(struct pe *pe, const void *ptr, uint64_t len);
int queue_window(struct pe *pe, void *ptr, uint64_t len, int failed, const struct coll_call *call);
void queue_window_gone(struct pe *pe, const void *ptr, uint64_t len);

#endif
