// SPDX-License-Identifier: MIT
/*
 * A real NIC behind the queues of a PE, by net/verbs.h: which PEs it leads to, what it may access,
 * and the keys of that on every PE. Either all PEs of a job have one or none: if one PE has none,
 * all use the soft NIC.
 */
#ifndef MORI_CORE_RDMA_H
#define MORI_CORE_RDMA_H

#include "core/coll.h"
#include "net/verbs.h"

struct options;
struct pe;
struct pe_blob;
struct rdma;

/* Of enum option_nic. */
enum { RDMA_NOT, RDMA_MAY, RDMA_MUST };

/* Before anything is opened: whether a PE with these options uses no NIC, may have one, or must. */
uint32_t rdma_policy(const struct options *o);
/*
 * What these options request of verbs->open(); @pci: address of the device to be close to, or NULL.
 */
struct verbs_config rdma_config(const struct options *o, const char *pci);

/*
 * Collective, with the network open; @failed: the status so far, on this PE. *out is NULL if the
 * soft NIC is to serve all queues; a PE that must have a NIC gets a status instead.
 */
int rdma_open(struct pe *pe, int failed, struct rdma **out);
/* When kernels do not run any more. NULL will do. */
void rdma_close(struct rdma *r);

/* Queues per PE, at most. */
int rdma_num_qp(const struct rdma *r);
/* Queue @qp to @to as kernels are to have it, with format and all; NULL: the soft NIC's. */
const struct nic_queue *rdma_queue(const struct rdma *r, int to, int qp);

/*
 * What kernels have posted by @queues, [n_pes * num_qp] of the state as they have them, to @to or (-1) to all
 * is done: 0, or a status with its text.
 */
int rdma_drain(struct rdma *r, const void *queues, int to);

/*
 * The calls below do nothing without a NIC (@r NULL), and then it reaches everything.
 *
 * Whether the NIC may reach @len bytes at @ptr of this PE: the heap, a buffer, a window.
 */
bool rdma_reaches(struct rdma *r, const void *ptr, uint64_t len);
/* Memory that kernels use as local source or destination. */
int rdma_buffer(struct rdma *r, void *ptr, uint64_t len);
/* This PE's part of a window; collective: *call is what all PEs are in. */
int rdma_window(struct rdma *r, void *ptr, uint64_t len, int failed, const struct coll_call *call);
/* Of either. */
void rdma_forget(struct rdma *r, const void *ptr, uint64_t len, bool window);

#endif
