// SPDX-License-Identifier: MIT
/*
 * Waits for what kernels have posted to a real NIC. The poster polls its completions; when no
 * kernel runs any more the host does: on the CPU as a kernel would, on a GPU by polling a copy of
 * the queue, which changes nothing for the next kernel.
 */
#include "core/rdma_priv.h"
#include "dev/dev.h"
#include "nic/post.h"
#include "nic/setup.h"
#include "util/backoff.h"
#include "util/clock.h"
#include "util/err.h"

#include <stdlib.h>

static int rdma_drain_status(const struct rdma *r, const struct nic_queue *q, int err)
{
	if (!err)
		return 0;
	return err_set(err, "what kernels had posted to PE %d by %s did not complete: %s%s%s",
		       q->pe, verbs->port(r->nic)->name, err_name(err), q->status ? ": " : "",
		       q->status ? nic_syndrome_text(q->format, q->syndrome) : "");
}

/* Copies a queue from the device and polls the copy's completions. */
static int rdma_drain_poll_copy(struct rdma *r, const void *at, struct nic_queue *q)
{
	struct accel *a = &r->pe->accel;
	struct nic_sizes sizes;
	uint64_t unused = 0, seen;
	char *cq;
	int err = a->mem->copy(a->dev, q, at, sizeof(*q));

	if (err || q->status || q->done == q->taken)
		return err;
	(void)nic_queue_sizes(q, &sizes);
	cq = malloc(sizes.cq + sizes.marks);
	if (!cq)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a copy of a queue");
	err = a->mem->copy(a->dev, cq, (const void *)(uintptr_t)q->cq, sizes.cq);
	if (!err)
		err = a->mem->copy(a->dev, cq + sizes.cq, (const void *)(uintptr_t)q->marks,
				   sizes.marks);
	/* A kernel may be posting: what is complete in the copy was ready before it was made. */
	if (!err)
		err = a->mem->copy(a->dev, &q->ready, &((const struct nic_queue *)at)->ready,
				   sizeof(q->ready));
	q->cq = (uint64_t)(uintptr_t)cq;
	q->marks = q->cq + sizes.cq;
	q->cq_record = q->cq_doorbell = (uint64_t)(uintptr_t)&unused;
	q->poller = 0;
	do {
		seen = q->seen;
		if (!err)
			nic_poll(q);
	} while (q->seen != seen);
	q->cq = q->cq_record = q->cq_doorbell = q->marks = 0;
	free(cq);
	return err;
}

static int rdma_drain_device(struct rdma *r, const void *at)
{
	const struct dev_state *st = r->pe->state;
	struct backoff wait = backoff_start(BACKOFF_DRAIN, NULL);
	int64_t limit = clock_after(clock_now(), st->sync_ns);
	struct nic_queue q;
	uint64_t end = 0;
	int err;

	for (bool first = true;; first = false) {
		err = rdma_drain_poll_copy(r, at, &q);
		if (first)
			end = q.taken;
		if (err || q.status || q.done >= end)
			return err ? err : rdma_drain_status(r, &q, q.status);
		if (__atomic_load_n(&st->gone[q.pe], __ATOMIC_RELAXED))
			return rdma_drain_status(r, &q, MORI_SHMEM_EPEER);
		if (st->sync_ns && clock_now() > limit)
			return rdma_drain_status(r, &q, MORI_SHMEM_ETIMEDOUT);
		backoff_wait(&wait);
	}
}

static int rdma_drain_host(struct rdma *r, struct nic_queue *q)
{
	const struct dev_state *st = r->pe->state;
	struct nic_deadline p = { st, st->sync_ns ? st->sync_ns : DEV_NS_DEFAULT };

	if (nic_load_64(&q->taken) == nic_load_acquire_64(&q->done) && !nic_status(q))
		return 0;
	return rdma_drain_status(r, q, nic_quiet(q, p));
}

int rdma_drain(struct rdma *r, const void *queues, int to)
{
	const struct nic_queue *q = queues;
	int num_qp = r->pe->state->num_qp, n = r->pe->world->n_pes * num_qp, err = 0;

	for (int i = 0; i < n; i++, q++) {
		int got = 0;

		if (!rdma_queue(r, i / num_qp, i % num_qp) || (to >= 0 && i / num_qp != to))
			continue;
		if (pe_device_mem(r->pe))
			got = rdma_drain_device(r, q);
		else
			got = rdma_drain_host(r, (struct nic_queue *)q);
		err = err ? err : got;
	}
	return err;
}
