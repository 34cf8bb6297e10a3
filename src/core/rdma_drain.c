// SPDX-License-Identifier: MIT
/*
 * The end of what kernels have posted to a real NIC. Its completions are taken by whoever
 * posts; where no kernel runs any more that is the host: on the CPU as a kernel would do it,
 * on a GPU by looking at a copy, which changes nothing for the next kernel.
 */
#include "core/rdma_priv.h"
#include "dev/dev.h"
#include "nic/post.h"
#include "nic/setup.h"
#include "util/err.h"

#include <stdlib.h>
#include <time.h>

#define NAP_NS 50000

static int told(const struct rdma *r, const struct nic_queue *q, int err)
{
	if (!err)
		return 0;
	return err_set(err, "what kernels had posted to PE %d by %s was not done: %s%s%s", q->pe,
		       verbs_port(r->nic)->name, err_name(err), q->status ? ": " : "",
		       q->status ? nic_syndrome_text(q->format, q->syndrome) : "");
}

/* A copy of a queue of the device, with what its completions say by now. */
static int look(struct rdma *r, const void *at, struct nic_queue *q)
{
	struct accel *a = &r->pe->accel;
	struct nic_sizes sizes;
	uint64_t unused = 0, seen;
	char *cq;
	int err = accel_copy(a, q, at, sizeof(*q));

	if (err || q->status || q->done == q->taken)
		return err;
	(void)nic_queue_sizes(q, &sizes);
	cq = malloc(sizes.cq + sizes.marks);
	if (!cq)
		return err_set(MORI_SHMEM_ENOMEM, "no memory to look at a queue");
	err = accel_copy(a, cq, (const void *)(uintptr_t)q->cq, sizes.cq);
	if (!err)
		err = accel_copy(a, cq + sizes.cq, (const void *)(uintptr_t)q->marks, sizes.marks);
	/* A kernel may be posting: what is finished in the copy was ready before it was made. */
	if (!err)
		err = accel_copy(a, &q->ready, &((const struct nic_queue *)at)->ready,
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

static int drain_far(struct rdma *r, const void *at)
{
	const struct dev_state *st = r->pe->state;
	uint64_t end = 0, limit = tgt_now_ns() + st->sync_ns;
	struct nic_queue q;
	int err;

	for (bool first = true;; first = false) {
		err = look(r, at, &q);
		if (first)
			end = q.taken;
		if (err || q.status || q.done >= end)
			return err ? err : told(r, &q, q.status);
		if (__atomic_load_n(&st->gone[q.pe], __ATOMIC_RELAXED))
			return told(r, &q, MORI_SHMEM_EPEER);
		if (st->sync_ns && tgt_now_ns() > limit)
			return told(r, &q, MORI_SHMEM_ETIMEDOUT);
		nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
	}
}

static int drain_near(struct rdma *r, struct nic_queue *q)
{
	const struct dev_state *st = r->pe->state;
	struct nic_patience p = { st, st->sync_ns ? st->sync_ns : DEV_NS_DEFAULT };

	if (nic_load_64(&q->taken) == nic_load_acquire_64(&q->done) && !nic_status(q))
		return 0;
	return told(r, q, nic_quiet(q, p));
}

int rdma_drain(struct rdma *r, const void *queues, int to)
{
	const struct nic_queue *q = queues;
	int num_qp = r->pe->state->num_qp, n = r->pe->world->n_pes * num_qp, err = 0;

	for (int i = 0; i < n; i++, q++) {
		int got = 0;

		if (!rdma_queue(r, i / num_qp, i % num_qp) || (to >= 0 && i / num_qp != to))
			continue;
		if (pe_far(r->pe))
			got = drain_far(r, q);
		else
			got = drain_near(r, (struct nic_queue *)q);
		err = err ? err : got;
	}
	return err;
}
