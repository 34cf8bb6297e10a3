// SPDX-License-Identifier: MIT
/*
 * The other side of a queue, on the host: what a NIC does with it, in any format.
 * It reads entries back as struct nic_op and writes completions; executing them is the caller's
 * job. One thread serves a queue.
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
	uint64_t completed;   /* completions written */
};

/* An entry in the queue. */
struct nic_job {
	struct nic_op op;
	uint64_t slot;
	uint32_t slots;
};

/*
 * How entries of a format are read and completed. rung: see nic_serve_rung(); read fills *job in
 * but for slot, 0 or MORI_SHMEM_EINVAL; rmw: see nic_serve_rmw(); complete writes all words of a
 * completion but the last, which it gives: @fresh is 1 in even rounds through the ring.
 */
struct nic_serve_format {
	uint64_t (*rung)(const struct nic_server *s);
	int (*read)(const struct nic_server *s, struct nic_job *job);
	int (*rmw)(const struct nic_op *op, uint64_t *value);
	uint64_t (*complete)(const struct nic_server *s, const struct nic_job *job, int error,
			     uint32_t fresh, uint64_t *cqe);
};

/*
 * NULL: entries of the format cannot be read here. The library has the soft format alone; a build
 * for tests adds the others (tests/fake/formats.c).
 */
extern const struct nic_serve_format *nic_serve_formats[NIC_FORMATS];

/*
 * For readers: whether at least @slots slots are shown but not yet read, and word @i of the first
 * of them.
 */
bool nic_serve_shows(const struct nic_server *s, uint32_t slots);
uint64_t nic_serve_word(const struct nic_server *s, uint32_t i);

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
 * The read-modify-write of an atomic (see amo_rmw()) and its operand, from the masks of the format
 * where that has no codes; -1: it is none.
 */
int nic_serve_rmw(const struct nic_server *s, const struct nic_op *op, uint64_t *value);

/*
 * Completes @job and all before it, or reports with @error (MORI_SHMEM_E*) that it failed. Jobs
 * complete in order; of those done, only the ones with op.signal write a completion.
 */
void nic_serve_complete(struct nic_server *s, const struct nic_job *job, int error);

/* What @job fetched goes to @local, as the NIC of the format writes it. */
void nic_serve_result(const struct nic_server *s, const struct nic_job *job, void *local,
		      uint64_t old);

#endif
