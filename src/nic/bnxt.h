// SPDX-License-Identifier: MIT
/*
 * bnxt (Broadcom NetXtreme-E), reliable connections. A slot is an entry of 128
 * bytes, eight units of 16, numbers low byte first, by rdma-core's
 * providers/bnxt_re (bnxt_re-abi.h, verbs.c, db.c): a header, then the remote address
 * or an atomic's operands, then where the data is, or the data. For each entry the
 * NIC finds in a table of the ring's size which packets it sends; packets have
 * numbers of 24 bits, in the order of the entries, so whoever rings gives them out.
 */
#ifndef MORI_NIC_BNXT_H
#define MORI_NIC_BNXT_H

#include "nic/bnxt_format.h"
#include "nic/ring.h"

DEV_INLINE void bnxt_write(const struct nic_queue *q, uint64_t slot, const struct nic_op *op)
{
	uint32_t flags =
		(op->signal ? BNXT_SIGNAL : 0) | (op->kind == NIC_INLINE ? BNXT_INLINE : 0);
	/* Where indices count units, an entry takes all of its slot. */
	uint32_t units = q->index_by > 1 ? q->index_by : bnxt_units(op);
	uint32_t first = units << 16 | flags << 8 | bnxt_opcode(op->kind);
	bool atomic = nic_is_atomic(op->kind);
	struct nic_entry e = nic_entry(q, slot);

	nic_put_word(e, 0, nic_pair(first, atomic ? op->rkey : 0));
	nic_put_word(e, 1, atomic ? op->remote : op->len);
	nic_put_word(e, 2, atomic ? op->value : op->remote);
	nic_put_word(e, 3, op->kind == NIC_CAS ? op->compare : atomic ? 0 : op->rkey);
	if (op->kind == NIC_INLINE) {
		for (uint32_t i = 0; i < NIC_INLINE_MAX / 8; i++)
			nic_put_word(e, 4 + i, op->data[i]);
		return;
	}
	nic_put_word(e, 4, op->local);
	nic_put_word(e, 5, nic_pair(op->lkey, (uint32_t)op->len));
}

/* Bytes on the wire: those of an atomic are where other entries have nothing. */
DEV_INLINE uint64_t bnxt_length(struct nic_entry e, uint32_t opcode)
{
	if (opcode == BNXT_OP_CAS || opcode == BNXT_OP_ADD)
		return 8;
	return (uint32_t)*nic_word(e, 1);
}

DEV_INLINE uint32_t bnxt_index(const struct nic_queue *q, uint64_t slot)
{
	return (uint32_t)(slot & (((uint64_t)1 << q->log_slots) - 1)) * q->index_by;
}

/* What the NIC needs to send the entry at @slot again. */
DEV_INLINE void bnxt_number(struct nic_queue *q, uint64_t slot)
{
	uint64_t index = slot & (((uint64_t)1 << q->log_psn) - 1);
	struct nic_entry e = nic_entry(q, slot);
	uint32_t opcode = (uint32_t)*nic_word(e, 0) & 0xff, psn = q->next_psn & BNXT_PSN;
	uint32_t next = (psn + bnxt_packets(bnxt_length(e, opcode), q->mtu)) & BNXT_PSN;
	uint64_t start = bnxt_index(q, slot);

	q->next_psn = next;
	if (q->flags & NIC_BNXT_MSN) {
		*(uint64_t *)tgt_pointer(q->psn + index * 8) =
			start << 48 | (uint64_t)next << 24 | psn;
	} else {
		uint64_t *n = (uint64_t *)tgt_pointer(q->psn + index * 16);

		n[0] = nic_pair(opcode << 24 | psn, next);
		n[1] = start & 0xffff;
	}
}

/* An index, the round through the ring beside it, and above both the queue's number. */
DEV_INLINE uint64_t bnxt_doorbell(uint32_t index, uint64_t round, uint32_t type, uint32_t number)
{
	return nic_pair(index | (uint32_t)(round & 1) << BNXT_DB_EPOCH,
			(number & BNXT_DB_QPN) | type | BNXT_DB_VALID);
}

DEV_INLINE void bnxt_ring(struct nic_queue *q, uint64_t from, uint64_t last, uint64_t end)
{
	(void)last;
	for (uint64_t slot = from; slot < end; slot++)
		bnxt_number(q, slot);
	nic_doorbell(q->doorbell,
		     bnxt_doorbell(bnxt_index(q, end), end >> q->log_slots, BNXT_DB_SQ, q->qpn));
}

/* The index in a completion is that of the entry after the last finished one. */
DEV_INLINE bool bnxt_poll(const struct nic_queue *q, uint64_t at, struct nic_completion *c)
{
	const uint64_t *cqe = nic_cqe(q, at);
	uint32_t tail = (uint32_t)nic_load_acquire_64(cqe + 3);
	uint32_t type = tail >> 1 & 15, status = tail >> 8 & 255;

	if ((tail & 1) != nic_first_rounds(q, at))
		return false;
	c->end = nic_unwrap(q->done, (uint32_t)cqe[1] & 0xffff, q->log_slots);
	c->syndrome = status;
	if (type == BNXT_CQE_TERM) {
		c->end = q->done;
		c->syndrome = status ? status : BNXT_CQE_TERM_SYNDROME;
	} else if (type != BNXT_CQE_REQ) {
		c->end = q->done; /* nothing of the send side */
		c->syndrome = 0;
	}
	c->bad = q->done; /* of an error the first entry that is not finished */
	return true;
}

DEV_INLINE void bnxt_seen(const struct nic_queue *q, uint64_t seen)
{
	uint32_t index = (uint32_t)(seen & (((uint64_t)1 << q->log_cq) - 1));

	nic_doorbell(q->cq_doorbell, bnxt_doorbell(index, seen >> q->log_cq, BNXT_DB_CQ, q->cqn));
}

DEV_INLINE bool bnxt_peer_gone(uint32_t syndrome)
{
	return syndrome == 0x09 || syndrome == 0x0a;
}

#endif
