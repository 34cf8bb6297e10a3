// SPDX-License-Identifier: MIT
/*
 * The format of this library's own soft NIC. A slot is 64 bytes:
 *	 0	kind (1 byte), flags (1), the code of an atomic (2), length (4)
 *	 8	remote address
 *	16	remote key, local key
 *	24	local address
 *	32	the data of an inline write; or value and compare
 * A completion is 16 bytes: the low half of the counter of finished slots, the
 * syndrome, 4 bytes of nothing, and in the last word 1 in even rounds through the
 * ring, 0 in odd ones. The doorbell is a word of memory that holds the counter of
 * slots that are ready.
 */
#ifndef MORI_NIC_SOFT_H
#define MORI_NIC_SOFT_H

#include "nic/access.h"
#include "nic/ring.h"
#include "nic/soft_format.h"

DEV_INLINE void soft_write(const struct nic_queue *q, uint64_t slot, const struct nic_op *op)
{
	uint32_t flags = op->signal ? SOFT_SIGNAL : 0;
	struct nic_entry e = nic_entry(q, slot);

	nic_put_word(e, 0, nic_pair(op->kind | flags << 8 | op->rmw << 16, (uint32_t)op->len));
	nic_put_word(e, 1, op->remote);
	nic_put_word(e, 2, nic_pair(op->rkey, op->lkey));
	nic_put_word(e, 3, op->local);
	for (uint32_t i = 0; i < NIC_INLINE_MAX / 8; i++)
		nic_put_word(e, 4 + i, op->data[i]);
}

/* Release: pairs with the acquire in nic_serve_rung(). */
DEV_INLINE void soft_ring(struct nic_queue *q, uint64_t from, uint64_t last, uint64_t end)
{
	(void)from, (void)last;
	nic_store_release_64(tgt_pointer(q->doorbell), end);
}

DEV_INLINE bool soft_poll(const struct nic_queue *q, uint64_t at, struct nic_completion *c)
{
	const uint64_t *cqe = nic_cqe(q, at);
	uint64_t tail = nic_load_acquire_64(cqe + 1);

	if (tail >> 32 != nic_first_rounds(q, at))
		return false;
	c->end = nic_unwrap(q->done, (uint32_t)cqe[0], 32);
	c->syndrome = (uint32_t)(cqe[0] >> 32);
	c->bad = c->end - 1;
	return true;
}

/* The soft NIC keeps to the ring of entries. */
DEV_INLINE void soft_seen(const struct nic_queue *q, uint64_t seen)
{
	(void)q, (void)seen;
}

DEV_INLINE bool soft_peer_gone(uint32_t syndrome)
{
	return syndrome == (uint32_t)-MORI_SHMEM_EPEER ||
	       syndrome == (uint32_t)-MORI_SHMEM_ETIMEDOUT ||
	       syndrome == (uint32_t)-MORI_SHMEM_EREACH;
}

#endif
