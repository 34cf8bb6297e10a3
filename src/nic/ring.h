// SPDX-License-Identifier: MIT
/* The base of every format's leaves: words of the ring, completions, marks. */
#ifndef MORI_NIC_RING_H
#define MORI_NIC_RING_H

#include "nic/entry.h"
#include "nic/access.h"

/* The content of a completion. */
struct nic_completion {
	uint64_t end;	   /* slots finished */
	uint64_t bad;	   /* the slot of an entry that failed */
	uint32_t syndrome; /* why, in the NIC's numbers; 0: it did not */
};

/* An entry in the ring: stores to it never alias the words of the queue itself. */
struct nic_entry {
	uint8_t *ring;
	uint64_t at, mask;
};

DEV_INLINE struct nic_entry nic_entry(const struct nic_queue *q, uint64_t slot)
{
	uint32_t log = nic_log_slot(q->format);

	return (struct nic_entry){ (uint8_t *)tgt_pointer(q->ring), slot << log,
				   ((uint64_t)1 << (q->log_slots + log)) - 1 };
}

/* Word @i of 8 bytes; the entry may go on at the ring's start. */
DEV_INLINE uint64_t *nic_word(struct nic_entry e, uint32_t i)
{
	return (uint64_t *)(e.ring + ((e.at + i * 8u) & e.mask));
}

DEV_INLINE void nic_put_word(struct nic_entry e, uint32_t i, uint64_t v)
{
	*nic_word(e, i) = v;
}

DEV_INLINE const uint64_t *nic_cqe(const struct nic_queue *q, uint64_t at)
{
	uint64_t index = at & (((uint64_t)1 << q->log_cq) - 1);

	return (const uint64_t *)tgt_pointer(q->cq + (index << nic_log_cqe(q->format)));
}

/* 1 in even rounds of @at through the completion ring, 0 in odd ones. */
DEV_INLINE uint32_t nic_first_rounds(const struct nic_queue *q, uint64_t at)
{
	return ~(uint32_t)(at >> q->log_cq) & 1;
}

/* A mark is the slot's counter plus 1, and below it how many slots the entry has. */
DEV_INLINE uint64_t *nic_mark(const struct nic_queue *q, uint64_t slot)
{
	uint64_t index = slot & (((uint64_t)1 << q->log_slots) - 1);

	return (uint64_t *)tgt_pointer(q->marks + index * 8);
}

/* Slots of the entry that starts at @slot; 0 if it is not written yet. */
DEV_INLINE uint32_t nic_marked(const struct nic_queue *q, uint64_t slot)
{
	uint64_t mark = nic_load_acquire_64(nic_mark(q, slot));

	return mark >> 8 == slot + 1 ? (uint32_t)(mark & 255) : 0;
}

#endif
