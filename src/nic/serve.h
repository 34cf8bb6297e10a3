// SPDX-License-Identifier: MIT
/*
 * The other side of a queue, on the host: what a NIC does with it, in any format.
 * Reads entries back to struct nic_op and writes completions; carrying them out is
 * somebody else's. One thread serves a queue.
 */
#ifndef MORI_NIC_SERVE_H
#define MORI_NIC_SERVE_H

#include "nic/entry.h"

/* A queue as its server sees it: the pointers are the server's own. */
struct nic_server {
	uint32_t format, flags, log_slots, log_cq, qpn, index_by;
	const void *ring;
	void *cq;
	const void *doorbell; /* the register's word */
	const void *record;   /* mlx5: the doorbell record */
	uint64_t next;	      /* the slot of the next entry */
	uint64_t told;	      /* completions written */
};

/* An entry in the queue. */
struct nic_job {
	struct nic_op op;
	uint64_t slot;
	uint32_t slots;
};

/* A server of @q, whose addresses must be this process's; fields can be changed after. */
void nic_serve_open(struct nic_server *s, const struct nic_queue *q);

/* Slots that the posters have shown, as a counter. */
uint64_t nic_serve_rung(const struct nic_server *s);

/*
 * The next entry: 1 and *job, 0 if there is none, or MORI_SHMEM_EINVAL for one that is
 * not of this format or not of this queue; *job then says where.
 */
int nic_serve_next(struct nic_server *s, struct nic_job *job);

/*
 * Says that @job and all before it are done, or with @error (MORI_SHMEM_E*) that it
 * failed. Jobs are told in order; of those done only the ones with op.signal.
 */
void nic_serve_tell(struct nic_server *s, const struct nic_job *job, int error);

/* One atomic on memory of this process, at @at; gives what was there. */
uint64_t nic_serve_atomic(const struct nic_op *op, void *at);

/* What @job fetched goes to @local, as the NIC of the format writes it. */
void nic_serve_result(const struct nic_server *s, const struct nic_job *job, void *local,
		      uint64_t old);

#endif
