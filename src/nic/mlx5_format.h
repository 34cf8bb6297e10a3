// SPDX-License-Identifier: MIT
/* Numbers of the mlx5 format, for both sides of a queue: see mlx5.h. */
#ifndef MORI_NIC_MLX5_FORMAT_H
#define MORI_NIC_MLX5_FORMAT_H

#include "nic/entry.h"

#define MLX5_OP_WRITE	    0x08u
#define MLX5_OP_READ	    0x10u
#define MLX5_OP_CAS	    0x11u
#define MLX5_OP_ADD	    0x12u
#define MLX5_OP_MASKED_CAS  0x14u
#define MLX5_OP_MASKED_ADD  0x15u
#define MLX5_EXTENDED	    8u /* modifier of masked atomics: 8 for 4 bytes, 9 for 8 */
#define MLX5_SIGNAL	    8u /* in the control segment: completion wanted */
#define MLX5_INLINE	    0x80000000u
#define MLX5_SEND_RECORD    1 /* which of the two words of a doorbell record */
#define MLX5_CQE_OK	    0u
#define MLX5_CQE_ERROR	    13u
#define MLX5_CQE_NONE	    15u
#define MLX5_SYNDROME_OTHER 0x100u /* an error without a number */

static inline bool mlx5_extended(uint32_t kind)
{
	return kind == NIC_MASKED_ADD || kind == NIC_MASKED_CAS;
}

static inline uint32_t mlx5_opcode(uint32_t kind)
{
	switch (kind) {
	case NIC_READ:
		return MLX5_OP_READ;
	case NIC_ADD:
		return MLX5_OP_ADD;
	case NIC_CAS:
		return MLX5_OP_CAS;
	case NIC_MASKED_ADD:
		return MLX5_OP_MASKED_ADD;
	case NIC_MASKED_CAS:
		return MLX5_OP_MASKED_CAS;
	default: /* NIC_WRITE, NIC_INLINE */
		return MLX5_OP_WRITE;
	}
}

/* Segments of 16 bytes. */
static inline uint32_t mlx5_segments(const struct nic_op *op)
{
	if (op->kind == NIC_INLINE)
		return 2 + (4 + (uint32_t)op->len + 15) / 16;
	if (!nic_is_atomic(op->kind))
		return op->len ? 3 : 2;
	return op->kind == NIC_MASKED_CAS && op->len == 8 ? 5 : 4;
}

#endif
