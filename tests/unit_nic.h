// SPDX-License-Identifier: MIT
/*
 * A queue in ordinary memory, for tests of src/nic: its own memory with guards around
 * the ring, a state that ends its waits, and a server.
 */
#ifndef MORI_TESTS_UNIT_NIC_H
#define MORI_TESTS_UNIT_NIC_H

#include "nic/access.h"

#ifdef RIG_PAUSE
#include <sched.h>

/*
 * Makes threads collide where they rarely would: before the step that decides which one continues.
 */
static inline uint32_t rig_cas_32(void *p, uint32_t compare, uint32_t v)
{
	static _Thread_local uint32_t calls;

	if (++calls % 3 == 0)
		sched_yield();
	return nic_cas_32(p, compare, v);
}

#define nic_cas_32 rig_cas_32
#endif

static long rig_rang; /* how often a sleeping NIC would have been woken */

#define NIC_NOTIFY(q) ((void)(q), __atomic_add_fetch(&rig_rang, 1, __ATOMIC_RELAXED))

#include "fake/formats.h"
#include "fake/rig.h"
#include "test.h"

#define RIG_GUARD 256u
#define RIG_QPN	  0x00ab12cdu
#define RIG_CQN	  0x00012345u

struct rig {
	struct nic_queue q;
	struct nic_server s;
	struct dev_state st;
	struct nic_deadline p;
	uint32_t record[2], cq_record[2];
	uint64_t doorbell, cq_doorbell;
	uint8_t *ring; /* with its guards */
	size_t ring_len;
};

/* Each format with each of its variants, for loops over all. */
static const struct rig_kind {
	const char *name;
	uint32_t format, flags, index_by;
} rig_kinds[] = {
	{ "soft", NIC_SOFT, 0, 0 },
	{ "mlx5", NIC_MLX5, 0, 0 },
	{ "mlx5, no masked atomics", NIC_MLX5, NIC_NO_MASKED, 0 },
	{ "mlx5, results high byte first", NIC_MLX5, NIC_RESULT_BE_4 | NIC_RESULT_BE_8, 0 },
	{ "bnxt", NIC_BNXT, 0, 0 },
	{ "bnxt, table of messages", NIC_BNXT, NIC_BNXT_MSN, 0 },
	{ "bnxt, indices of units", NIC_BNXT, NIC_BNXT_MSN, 8 },
	{ "ionic", NIC_IONIC, 0, 0 },
	{ "ionic, version 1", NIC_IONIC, NIC_IONIC_V1, 0 },
};

static inline uint64_t rig_alloc(size_t len)
{
	void *p = aligned_alloc(64, (len + 63) & ~(size_t)63);

	if (!p)
		_exit(1);
	memset(p, 0xa5, len);
	return (uint64_t)(uintptr_t)p;
}

static inline void *rig_at(uint64_t addr)
{
	return (void *)(uintptr_t)addr;
}

/* Resets the counters of @q and clears its memory, whose addresses are this process's. */
static inline int rig_queue_start(struct nic_queue *q, uint64_t start)
{
	struct nic_sizes sizes;
	int err = nic_queue_reset(q, start);

	if (err)
		return err;
	(void)nic_queue_sizes(q, &sizes);
	memset(rig_at(q->ring), 0, sizes.ring);
	if (sizes.psn)
		memset(rig_at(q->psn), 0, sizes.psn);
	memset(rig_at(q->marks), 0, sizes.marks);
	memset(rig_at(q->result_values), 0, sizes.result_values);
	memset(rig_at(q->slot_owner), 0, sizes.slot_owner);
	*(uint64_t *)rig_at(q->slot_owner) = 1;
	nic_clear_cq(q, rig_at(q->cq), start);
	return 0;
}

/* A queue of @log_slots whose counters are at @start, as after that many slots. */
static inline void rig_open(struct rig *r, const struct rig_kind *kind, uint32_t log_slots,
			    uint64_t start)
{
	struct nic_queue *q = &r->q;
	struct nic_sizes sizes;

	memset(r, 0, sizeof(*r));
	r->st.life = DEV_LIFE_OPEN;
	r->p = (struct nic_deadline){ &r->st, DEV_NS_DEFAULT };
	q->format = kind->format;
	q->flags = kind->flags;
	q->index_by = kind->index_by;
	q->log_slots = q->log_cq = log_slots;
	q->qpn = RIG_QPN;
	q->cqn = RIG_CQN;
	q->bell = (uint64_t)RIG_QPN << 24;
	q->cq_bell = (uint64_t)RIG_CQN << 24;
	q->pe = 3;
	q->mtu = 1024;
	q->result_slots = 5;
	q->results_key = 0xce11;
	if (!CHECK_EQ(kind->name, nic_queue_sizes(q, &sizes), 0))
		_exit(1);
	r->ring_len = sizes.ring;
	r->ring = (uint8_t *)(uintptr_t)rig_alloc(sizes.ring + 2 * RIG_GUARD);
	q->ring = (uint64_t)(uintptr_t)r->ring + RIG_GUARD;
	q->cq = rig_alloc(sizes.cq);
	q->psn = sizes.psn ? rig_alloc(sizes.psn) : 0;
	q->marks = rig_alloc(sizes.marks);
	q->result_values = rig_alloc(sizes.result_values);
	q->slot_owner = rig_alloc(sizes.slot_owner);
	q->record = (uint64_t)(uintptr_t)r->record;
	q->cq_record = (uint64_t)(uintptr_t)r->cq_record;
	q->doorbell = (uint64_t)(uintptr_t)&r->doorbell;
	q->cq_doorbell = (uint64_t)(uintptr_t)&r->cq_doorbell;
	CHECK_EQ(kind->name, rig_queue_start(q, start), 0);
	/* What a NIC that has served the queue up to here was last notified of. */
	r->record[MLX5_SEND_RECORD] = nic_be_32((uint32_t)start & 0xffff);
	r->doorbell = q->format == NIC_SOFT  ? start :
		      q->format == NIC_IONIC ? start & ((1u << log_slots) - 1) :
					       0;
	nic_serve_open(&r->s, q);
}

static inline void rig_close(struct rig *r)
{
	const uint64_t parts[] = { r->q.cq, r->q.psn, r->q.marks, r->q.result_values,
				   r->q.slot_owner };

	for (size_t i = 0; i < RIG_GUARD; i++) {
		CHECK(r->ring[i] == 0xa5);
		CHECK(r->ring[RIG_GUARD + r->ring_len + i] == 0xa5);
	}
	free(r->ring);
	for (size_t i = 0; i < TEST_LEN(parts); i++)
		free((void *)(uintptr_t)parts[i]);
}

/* Carries out an entry between memory of this process. */
static inline void rig_do(const struct rig *r, const struct nic_job *job)
{
	void *local = (void *)(uintptr_t)job->op.local, *remote = (void *)(uintptr_t)job->op.remote;

	if (!job->op.len)
		return;
	switch (job->op.kind) {
	case NIC_WRITE:
		memcpy(remote, local, job->op.len);
		break;
	case NIC_READ:
		memcpy(local, remote, job->op.len);
		break;
	case NIC_INLINE:
		memcpy(remote, job->op.data, job->op.len);
		break;
	default:
		nic_serve_result(&r->s, job, local, formats_atomic(&job->op, remote));
		break;
	}
}

/* Posts @n entries in a row if there is room for all, with one doorbell. */
static inline bool rig_post(struct rig *r, const struct nic_op *ops, uint32_t n, uint64_t *end)
{
	uint32_t slots = 0;
	uint64_t slot;

	for (uint32_t i = 0; i < n; i++)
		slots += nic_slots(&r->q, &ops[i]);
	if (!nic_take(&r->q, slots, &slot))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		nic_write(&r->q, slot, &ops[i]);
		nic_publish(&r->q, slot, nic_slots(&r->q, &ops[i]));
		slot += nic_slots(&r->q, &ops[i]);
	}
	nic_ring(&r->q);
	*end = slot;
	return true;
}

/* Serves what is there; gives how many entries that were, or an error of the format. */
static inline int rig_serve(struct rig *r)
{
	struct nic_job job;
	int n = 0, got;

	while ((got = nic_serve_next(&r->s, &job)) > 0) {
		rig_do(r, &job);
		nic_serve_complete(&r->s, &job, 0);
		n++;
	}
	return got < 0 ? got : n;
}

/* Numbers that differ from run to run of a loop, and are the same every time. */
static inline uint64_t rig_random(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

#endif
