// SPDX-License-Identifier: MIT
/*
 * The layout of a PE's queues in memory. Doorbells are adjacent, so that polling thousands
 * of them is cheap. With more PEs rings get shorter, then there are fewer queues.
 */
#include "net/softnic.h"
#include "nic/ionic_format.h"

#define MEMORY	  ((uint64_t)32 << 20) /* of one PE, if the smallest queues fit in */
#define LOG_MOST  8u		       /* slots of a ring */
#define LOG_LEAST 4u
#define RESULTS	  17u	/* results that may be awaited at once, and one that nobody wants */
#define MTU	  4096u /* bnxt counts packets */
#define PAGE	  4096u

static uint64_t soft_line(uint64_t bytes)
{
	return (bytes + 63) & ~(uint64_t)63;
}

static uint64_t soft_shared_size(const struct nic_sizes *s)
{
	return soft_line(s->ring) + soft_line(s->cq) + soft_line(s->psn) +
	       soft_line(s->result_values) + 4 * 8;
}

static uint64_t soft_own_size(const struct nic_sizes *s)
{
	return soft_line(s->marks) + soft_line(s->slot_owner) + sizeof(struct nic_queue);
}

int soft_layout(struct soft_layout *l, uint32_t format, int n_pes, int num_qp, uint64_t heap)
{
	struct nic_queue *q = &l->first;

	if (format >= NIC_FORMATS || !nic_serve_formats[format])
		return MORI_SHMEM_ENOTSUP;
	*l = (struct soft_layout){ .num_qp = num_qp };
	q->format = format;
	q->result_slots = RESULTS;
	q->mtu = MTU;
	q->heap = heap;
	q->log_slots = LOG_MOST;
	for (;;) {
		uint64_t n = (uint64_t)n_pes * (uint64_t)l->num_qp, each;

		q->log_cq = q->log_slots;
		if (nic_queue_sizes(q, &l->sizes))
			return MORI_SHMEM_EINVAL;
		each = soft_shared_size(&l->sizes) + soft_own_size(&l->sizes);
		l->n = (uint32_t)n;
		if (n * each <= MEMORY || (q->log_slots == LOG_LEAST && l->num_qp == 1))
			break;
		if (q->log_slots > LOG_LEAST)
			q->log_slots--;
		else
			l->num_qp /= 2;
	}
	l->shared_len = (l->n * soft_shared_size(&l->sizes) + PAGE) / PAGE * PAGE + PAGE;
	l->own_len = l->n * soft_own_size(&l->sizes) + PAGE;
	return nic_queue_reset(q, 0);
}

static uint64_t soft_take(uint64_t *at, uint64_t bytes)
{
	uint64_t here = *at;

	*at += soft_line(bytes);
	return bytes ? here : 0;
}

void soft_layout_fill(const struct soft_layout *l, void *shared, void *own, struct nic_queue *image)
{
	uint64_t rows = (uint64_t)(uintptr_t)shared, row = (uint64_t)l->n * 8;
	uint64_t at = soft_line(rows + 4 * row);
	/* The owners of all, which are written, then the marks, which only queues in use touch. */
	uint64_t mine = (uint64_t)(uintptr_t)own + l->n * sizeof(struct nic_queue);
	uint64_t marks = mine + l->n * soft_line(l->sizes.slot_owner);

	for (uint32_t i = 0; i < l->n; i++) {
		struct nic_queue *q = &image[i];

		*q = l->first;
		q->pe = (int32_t)i / l->num_qp;
		q->qp = (int32_t)i % l->num_qp;
		q->qpn = q->cqn = (i + 1) & 0xffffff;
		q->bell = q->cq_bell = (uint64_t)q->qpn << IONIC_DB_NUMBER;
		q->doorbell = rows + i * 8ull;
		q->record = rows + row + i * 8ull;
		q->cq_record = rows + 2 * row + i * 8ull;
		q->cq_doorbell = rows + 3 * row + i * 8ull;
		q->ring = soft_take(&at, l->sizes.ring);
		q->cq = soft_take(&at, l->sizes.cq);
		q->psn = soft_take(&at, l->sizes.psn);
		q->result_values = soft_take(&at, l->sizes.result_values);
		q->marks = soft_take(&marks, l->sizes.marks);
		q->slot_owner = soft_take(&mine, l->sizes.slot_owner);
		if (!nic_cq_is_zero(q->format)) /* else it would only be touched */
			nic_clear_cq(q, (void *)(uintptr_t)q->cq, 0);
	}
}
