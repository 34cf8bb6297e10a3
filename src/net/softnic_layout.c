// SPDX-License-Identifier: MIT
/*
 * How the queues of a PE lie in memory. Doorbells lie side by side, so that looking at
 * thousands of them is cheap. Rings shrink with the number of PEs, then there are fewer.
 */
#include "net/softnic.h"
#include "nic/ionic_format.h"

#define MEMORY	  ((uint64_t)32 << 20) /* of one PE, as far as that can be */
#define LOG_MOST  8u		       /* slots of a ring */
#define LOG_LEAST 4u
#define CELLS	  17u	/* results that may be awaited at once, and one for nobody */
#define MTU	  4096u /* bnxt counts packets */
#define PAGE	  4096u

static uint64_t line(uint64_t bytes)
{
	return (bytes + 63) & ~(uint64_t)63;
}

static uint64_t shared_of(const struct nic_sizes *s)
{
	return line(s->ring) + line(s->cq) + line(s->psn) + line(s->cell_values) + 4 * 8;
}

static uint64_t own_of(const struct nic_sizes *s)
{
	return line(s->marks) + line(s->cell_users) + sizeof(struct nic_queue);
}

int soft_layout(struct soft_layout *l, uint32_t format, int n_pes, int num_qp, uint64_t heap)
{
	struct nic_queue *q = &l->first;

	*l = (struct soft_layout){ .num_qp = num_qp };
	q->format = format;
	q->cells = CELLS;
	q->mtu = MTU;
	q->heap = heap;
	q->log_slots = LOG_MOST;
	for (;;) {
		uint64_t n = (uint64_t)n_pes * (uint64_t)l->num_qp, each;

		q->log_cq = q->log_slots;
		if (nic_queue_sizes(q, &l->sizes))
			return MORI_SHMEM_EINVAL;
		each = shared_of(&l->sizes) + own_of(&l->sizes);
		l->n = (uint32_t)n;
		if (n * each <= MEMORY || (q->log_slots == LOG_LEAST && l->num_qp == 1))
			break;
		if (q->log_slots > LOG_LEAST)
			q->log_slots--;
		else
			l->num_qp /= 2;
	}
	l->shared_len = (l->n * shared_of(&l->sizes) + PAGE) / PAGE * PAGE + PAGE;
	l->own_len = l->n * own_of(&l->sizes) + PAGE;
	return nic_queue_reset(q, 0);
}

static uint64_t take(uint64_t *at, uint64_t bytes)
{
	uint64_t here = *at;

	*at += line(bytes);
	return bytes ? here : 0;
}

void soft_layout_fill(const struct soft_layout *l, void *shared, void *own, struct nic_queue *image)
{
	uint64_t rows = (uint64_t)(uintptr_t)shared, row = (uint64_t)l->n * 8;
	uint64_t at = line(rows + 4 * row);
	uint64_t mine = (uint64_t)(uintptr_t)own + l->n * sizeof(struct nic_queue);

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
		q->ring = take(&at, l->sizes.ring);
		q->cq = take(&at, l->sizes.cq);
		q->psn = take(&at, l->sizes.psn);
		q->cell_values = take(&at, l->sizes.cell_values);
		q->marks = take(&mine, l->sizes.marks);
		q->cell_users = take(&mine, l->sizes.cell_users);
		nic_clear_cq(q, (void *)(uintptr_t)q->cq, 0);
	}
}
