// SPDX-License-Identifier: MIT
/*
 * ionic (AMD Pensando), reliable connections. A slot is an entry of 64 bytes, numbers
 * high byte first but for its index, by rdma-core's providers/ionic (ionic_fw_types.h,
 * ionic_verbs.c, ionic_queue.h): a header of 16 bytes, then the remote address and
 * key, then the data, where it is, or an atomic's operands. A bit of each entry and
 * of each completion, the colour, changes with every round through the ring. Every
 * entry here is a message, so the count of messages is the count of slots.
 */
#ifndef MORI_NIC_IONIC_H
#define MORI_NIC_IONIC_H

#include "nic/ionic_format.h"
#include "nic/ring.h"

DEV_INLINE void ionic_write_atomic(struct nic_entry e, bool v1, const struct nic_op *op)
{
	uint64_t compare = op->kind == NIC_CAS ? op->compare : 0;

	nic_put_word(e, 3, nic_pair_be(op->rkey, (uint32_t)(op->value >> 32)));
	nic_put_word(e, 4, nic_pair_be((uint32_t)op->value, (uint32_t)(compare >> 32)));
	if (v1) {
		nic_put_word(e, 5, nic_pair_be((uint32_t)compare, 0));
		nic_put_word(e, 6, nic_be_64(op->local));
		nic_put_word(e, 7, nic_pair_be(8, op->lkey));
	} else {
		nic_put_word(e, 5, nic_pair_be((uint32_t)compare, op->lkey));
		nic_put_word(e, 6, nic_be_64(op->local));
		nic_put_word(e, 7, 0);
	}
}

DEV_INLINE void ionic_write_data(struct nic_entry e, const struct nic_op *op)
{
	nic_put_word(e, 3, nic_pair_be(op->rkey, (uint32_t)op->len));
	if (op->kind == NIC_INLINE) {
		for (uint32_t i = 0; i < NIC_INLINE_MAX / 8; i++)
			nic_put_word(e, 4 + i, op->data[i]);
		return;
	}
	nic_put_word(e, 4, nic_be_64(op->local));
	nic_put_word(e, 5, nic_pair_be((uint32_t)op->len, op->lkey));
	nic_put_word(e, 6, 0);
	nic_put_word(e, 7, 0);
}

DEV_INLINE void ionic_write(const struct nic_queue *q, uint64_t slot, const struct nic_op *op)
{
	uint64_t size = (uint64_t)1 << q->log_slots;
	uint32_t flags = slot & size ? 0 : IONIC_COLOUR;
	uint32_t parts = op->kind == NIC_INLINE ? 0 : 1;
	struct nic_entry e = nic_entry(q, slot);
	bool v1 = q->flags & NIC_IONIC_V1;

	flags |= (op->signal ? IONIC_SIGNAL : 0) | (op->kind == NIC_INLINE ? IONIC_INLINE : 0);
	nic_put_word(e, 0, slot & (size - 1));
	nic_put_word(e, 1, nic_pair_be(ionic_opcode(op->kind, v1) << 24 | parts << 16 | flags, 0));
	nic_put_word(e, 2, nic_pair_be((uint32_t)(op->remote >> 32), (uint32_t)op->remote));
	if (nic_is_atomic(op->kind))
		ionic_write_atomic(e, v1, op);
	else
		ionic_write_data(e, op);
}

DEV_INLINE uint64_t ionic_doorbell(uint64_t bell, uint64_t at, uint32_t log)
{
	return bell | (at & (((uint64_t)1 << log) - 1));
}

DEV_INLINE void ionic_ring(struct nic_queue *q, uint64_t from, uint64_t last, uint64_t end)
{
	(void)from, (void)last;
	nic_doorbell(q->doorbell, ionic_doorbell(q->bell, end, q->log_slots));
}

DEV_INLINE bool ionic_poll(const struct nic_queue *q, uint64_t at, struct nic_completion *c)
{
	const uint64_t *cqe = nic_cqe(q, at);
	uint64_t last = nic_load_acquire_64(cqe + 3);
	uint32_t tail = nic_be_32((uint32_t)(last >> 32)), status = nic_be_32((uint32_t)last);

	if ((tail & IONIC_CQE_COLOUR) != nic_first_rounds(q, at))
		return false;
	c->end = q->done;
	c->bad = q->done;
	if (IONIC_CQE_TYPE(tail) == IONIC_CQE_REMOTE) {
		c->end = nic_unwrap(q->done, nic_be_32((uint32_t)(cqe[0] >> 32)), q->log_slots);
		c->bad = c->end - 1;
	} else if (IONIC_CQE_TYPE(tail) == IONIC_CQE_LOCAL) {
		c->bad = nic_unwrap(q->done, cqe[2] & 0xffff, q->log_slots);
	}
	c->syndrome = !(tail & IONIC_CQE_ERROR) ? 0 : status ? status : IONIC_NO_SYNDROME;
	return true;
}

DEV_INLINE void ionic_seen(const struct nic_queue *q, uint64_t seen)
{
	nic_doorbell(q->cq_doorbell, ionic_doorbell(q->cq_bell, seen, q->log_cq));
}

DEV_INLINE bool ionic_peer_gone(uint32_t syndrome)
{
	return syndrome == 11 || syndrome == 12;
}

#endif
