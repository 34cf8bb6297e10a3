// SPDX-License-Identifier: MIT
/*
 * mlx5 (NVIDIA ConnectX), reliable connections. Segments of 16 bytes, numbers high
 * byte first, as in infiniband/mlx5dv.h: control, remote address, then data, inline
 * data, or an atomic and where the result goes. A slot is 64 bytes; an entry of more
 * than four segments has two. Counters of slots have 16 bits.
 */
#ifndef MORI_NIC_MLX5_H
#define MORI_NIC_MLX5_H

#include "nic/mlx5_format.h"
#include "nic/ring.h"

DEV_INLINE uint32_t mlx5_slots(const struct nic_op *op)
{
	return (mlx5_segments(op) + 3) / 4;
}

DEV_INLINE void mlx5_write_data(struct nic_entry e, uint32_t i, const struct nic_op *op)
{
	nic_put_word(e, i, nic_pair_be((uint32_t)op->len, op->lkey));
	nic_put_word(e, i + 1, nic_be_64(op->local));
}

/* The length of 4 bytes goes before the data, which then is off by half a word. */
DEV_INLINE void mlx5_write_inline(struct nic_entry e, const struct nic_op *op)
{
	uint32_t before = nic_be_32((uint32_t)op->len | MLX5_INLINE);
	uint32_t words = (mlx5_segments(op) - 2) * 2;

	for (uint32_t i = 0; i < NIC_INLINE_MAX / 8 + 2; i++) {
		uint64_t data = i < NIC_INLINE_MAX / 8 ? op->data[i] : 0;

		if (i < words)
			nic_put_word(e, 4 + i, nic_pair(before, (uint32_t)data));
		before = (uint32_t)(data >> 32);
	}
}

DEV_INLINE void mlx5_write_atomic(struct nic_entry e, const struct nic_op *op)
{
	uint32_t mask = (uint32_t)op->value_mask;

	if (!mlx5_extended(op->kind)) {
		nic_put_word(e, 4, nic_be_64(op->value));
		nic_put_word(e, 5, nic_be_64(op->kind == NIC_CAS ? op->compare : 0));
	} else if (op->len == 8) {
		bool cas = op->kind == NIC_MASKED_CAS;

		nic_put_word(e, 4, nic_be_64(op->value));
		nic_put_word(e, 5, nic_be_64(cas ? op->compare : op->value_mask));
		if (cas) {
			nic_put_word(e, 6, nic_be_64(op->value_mask));
			nic_put_word(e, 7, nic_be_64(op->compare_mask));
			mlx5_write_data(e, 8, op);
			return;
		}
	} else if (op->kind == NIC_MASKED_CAS) {
		nic_put_word(e, 4, nic_pair_be((uint32_t)op->value, (uint32_t)op->compare));
		nic_put_word(e, 5, nic_pair_be(mask, (uint32_t)op->compare_mask));
	} else {
		nic_put_word(e, 4, nic_pair_be((uint32_t)op->value, mask));
		nic_put_word(e, 5, 0);
	}
	mlx5_write_data(e, 6, op);
}

DEV_INLINE void mlx5_write(const struct nic_queue *q, uint64_t slot, const struct nic_op *op)
{
	uint32_t mod = mlx5_extended(op->kind) ? MLX5_EXTENDED | (op->len == 8) : 0;
	uint32_t first = mod << 24 | (uint32_t)(slot & 0xffff) << 8 | mlx5_opcode(op->kind);
	uint32_t second = q->qpn << 8 | mlx5_segments(op);
	struct nic_entry e = nic_entry(q, slot);

	nic_put_word(e, 0, nic_pair_be(first, second));
	nic_put_word(e, 1, nic_pair_be(op->signal ? MLX5_SIGNAL : 0, 0));
	nic_put_word(e, 2, nic_be_64(op->remote));
	nic_put_word(e, 3, nic_pair_be(op->rkey, 0));
	if (nic_is_atomic(op->kind))
		mlx5_write_atomic(e, op);
	else if (op->kind == NIC_INLINE)
		mlx5_write_inline(e, op);
	else if (op->len) /* a segment of length 0 would mean 2 GiB */
		mlx5_write_data(e, 4, op);
}

/*
 * The record, then the register, in this order: the NIC reads the record after it
 * was rung. The register takes the start of the last entry, as libmlx5 writes it.
 */
DEV_INLINE void mlx5_ring(struct nic_queue *q, uint64_t from, uint64_t last, uint64_t end)
{
	uint32_t *record = (uint32_t *)tgt_pointer(q->record);
	uint64_t first = *nic_word(nic_entry(q, last), 0);

	(void)from;
	/* From here on the NIC may finish the entry, and its slots may be taken again. */
	nic_store_release_32(record + MLX5_SEND_RECORD, nic_be_32((uint32_t)end & 0xffff));
	nic_doorbell(q->doorbell, first);
}

DEV_INLINE bool mlx5_poll(const struct nic_queue *q, uint64_t at, struct nic_completion *c)
{
	const uint64_t *cqe = nic_cqe(q, at);
	uint64_t tail = nic_load_acquire_64(cqe + 7);
	uint32_t opcode = (uint32_t)(tail >> 60), owner = (uint32_t)(tail >> 56) & 1;
	uint32_t counter = nic_be_32((uint32_t)(tail >> 32)) >> 16;

	if (opcode == MLX5_CQE_NONE || owner == nic_first_rounds(q, at))
		return false;
	c->bad = nic_unwrap(q->done, counter, 16);
	c->end = c->bad + (nic_load_64(nic_mark(q, c->bad)) & 255);
	c->syndrome = opcode == MLX5_CQE_OK ? 0 : (uint32_t)(cqe[6] >> 56);
	if (opcode != MLX5_CQE_OK && !c->syndrome)
		c->syndrome = MLX5_SYNDROME_OTHER;
	return true;
}

DEV_INLINE void mlx5_seen(const struct nic_queue *q, uint64_t seen)
{
	nic_store_release_32(tgt_pointer(q->cq_record), nic_be_32((uint32_t)seen & 0xffffff));
}

/* Retries exceeded (transport, not ready), remote aborted. */
DEV_INLINE bool mlx5_peer_gone(uint32_t syndrome)
{
	return syndrome == 0x15 || syndrome == 0x16 || syndrome == 0x22;
}

#endif
