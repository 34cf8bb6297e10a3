// SPDX-License-Identifier: MIT
#include "nic/serve.h"

#include "nic/soft_format.h"

#include <mori/shmem_types.h>

#include <string.h>

bool nic_serve_shows(const struct nic_server *s, uint32_t slots)
{
	return nic_serve_rung(s) - s->next >= slots;
}

uint64_t nic_serve_word(const struct nic_server *s, uint32_t i)
{
	uint32_t log = nic_log_slot(s->format);
	uint64_t mask = ((uint64_t)1 << (s->log_slots + log)) - 1, v;

	memcpy(&v, (const char *)s->ring + (((s->next << log) + i * 8u) & mask), 8);
	return v;
}

/* Acquire: pairs with the release in soft_ring(). */
static uint64_t soft_rung(const struct nic_server *s)
{
	return __atomic_load_n((const uint64_t *)s->doorbell, __ATOMIC_ACQUIRE);
}

static int soft_read(const struct nic_server *s, struct nic_job *job)
{
	struct nic_op *op = &job->op;
	uint32_t first = (uint32_t)nic_serve_word(s, 0);

	op->kind = first & 0xff;
	op->signal = first >> 8 & SOFT_SIGNAL;
	op->rmw = first >> 16;
	op->len = (uint32_t)(nic_serve_word(s, 0) >> 32);
	op->remote = nic_serve_word(s, 1);
	op->rkey = (uint32_t)nic_serve_word(s, 2);
	op->lkey = (uint32_t)(nic_serve_word(s, 2) >> 32);
	op->local = nic_serve_word(s, 3);
	for (uint32_t i = 0; i < NIC_INLINE_MAX / 8; i++)
		op->data[i] = nic_serve_word(s, 4 + i);
	if (op->kind == NIC_INLINE)
		return op->len <= NIC_INLINE_MAX ? 0 : MORI_SHMEM_EINVAL;
	return op->kind == NIC_WRITE || op->kind == NIC_READ || op->kind == NIC_RMW ?
		       0 :
		       MORI_SHMEM_EINVAL;
}

static int soft_rmw(const struct nic_op *op, uint64_t *value)
{
	*value = op->value;
	return (int)op->rmw;
}

static uint64_t soft_complete(const struct nic_server *s, const struct nic_job *job, int error,
			      uint32_t fresh, uint64_t *cqe)
{
	(void)s;
	cqe[0] = nic_pair((uint32_t)(job->slot + job->slots), (uint32_t)-error);
	return nic_pair(0, fresh);
}

static const struct nic_serve_format soft_format = { soft_rung, soft_read, soft_rmw,
						     soft_complete };

const struct nic_serve_format *nic_serve_formats[NIC_FORMATS] = { [NIC_SOFT] = &soft_format };

void nic_serve_open(struct nic_server *s, const struct nic_queue *q)
{
	*s = (struct nic_server){
		.format = q->format,
		.flags = q->flags,
		.log_slots = q->log_slots,
		.log_cq = q->log_cq,
		.qpn = q->qpn,
		.index_by = q->index_by,
		.ring = (const void *)(uintptr_t)q->ring,
		.cq = (void *)(uintptr_t)q->cq,
		.doorbell = (const void *)(uintptr_t)q->doorbell,
		.record = (const void *)(uintptr_t)q->record,
		.next = q->ready,
		.completed = q->seen,
	};
}

uint64_t nic_serve_rung(const struct nic_server *s)
{
	return nic_serve_formats[s->format]->rung(s);
}

int nic_serve_next(struct nic_server *s, struct nic_job *job)
{
	int err;

	*job = (struct nic_job){ .slot = s->next, .slots = 1 };
	if (!nic_serve_shows(s, 1))
		return 0;
	err = nic_serve_formats[s->format]->read(s, job);
	if (err)
		return err;
	s->next += job->slots;
	return 1;
}

int nic_serve_rmw(const struct nic_server *s, const struct nic_op *op, uint64_t *value)
{
	return nic_serve_formats[s->format]->rmw(op, value);
}

void nic_serve_complete(struct nic_server *s, const struct nic_job *job, int error)
{
	uint32_t log = nic_log_cqe(s->format);
	uint64_t index = s->completed & (((uint64_t)1 << s->log_cq) - 1);
	uint64_t *cqe = (uint64_t *)((char *)s->cq + (index << log)), last;

	if (!error && !job->op.signal)
		return;
	memset(cqe, 0, ((size_t)1 << log) - 8);
	last = nic_serve_formats[s->format]->complete(
		s, job, error, ~(uint32_t)(s->completed >> s->log_cq) & 1, cqe);
	s->completed++;
	/* Release: pairs with the acquire of the leaf that polls. */
	__atomic_store_n(&cqe[((size_t)1 << log) / 8 - 1], last, __ATOMIC_RELEASE);
}

void nic_serve_result(const struct nic_server *s, const struct nic_job *job, void *local,
		      uint64_t old)
{
	uint32_t low = s->flags & NIC_RESULT_BE_4 ? nic_be_32((uint32_t)old) : (uint32_t)old;

	if (job->op.len == 8)
		__atomic_store_n((uint64_t *)local,
				 s->flags & NIC_RESULT_BE_8 ? nic_be_64(old) : old,
				 __ATOMIC_RELEASE);
	else
		__atomic_store_n((uint32_t *)local, low, __ATOMIC_RELEASE);
}
