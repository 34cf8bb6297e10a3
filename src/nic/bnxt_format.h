// SPDX-License-Identifier: MIT
/* Numbers of the bnxt format, for both sides of a queue: see bnxt.h. */
#ifndef MORI_NIC_BNXT_FORMAT_H
#define MORI_NIC_BNXT_FORMAT_H

#include "nic/entry.h"

#define BNXT_OP_WRITE	       0x04u
#define BNXT_OP_READ	       0x06u
#define BNXT_OP_CAS	       0x08u
#define BNXT_OP_ADD	       0x0bu
#define BNXT_SIGNAL	       0x01u /* flags, in bits 8 to 15 of the first word */
#define BNXT_INLINE	       0x10u
#define BNXT_UNIT	       16u	    /* bytes of a unit; the header counts them */
#define BNXT_DB_SQ	       (0x0u << 28) /* types of doorbell, above the queue's number */
#define BNXT_DB_CQ	       (0x4u << 28)
#define BNXT_DB_VALID	       (1u << 26)
#define BNXT_DB_EPOCH	       24 /* bit of the index: odd rounds through the ring */
#define BNXT_DB_QPN	       0xfffffu
#define BNXT_PSN	       0xffffffu
#define BNXT_CQE_REQ	       0x0u /* types of completion, in bits 1 to 4 */
#define BNXT_CQE_TERM	       0xeu
#define BNXT_CQE_TERM_SYNDROME 0x100u /* the NIC has ended the queue */

static inline uint32_t bnxt_opcode(uint32_t kind)
{
	switch (kind) {
	case NIC_READ:
		return BNXT_OP_READ;
	case NIC_ADD:
		return BNXT_OP_ADD;
	case NIC_CAS:
		return BNXT_OP_CAS;
	default: /* NIC_WRITE, NIC_INLINE */
		return BNXT_OP_WRITE;
	}
}

/* Units of 16 bytes that an entry fills: header, address or operands, and data. */
static inline uint32_t bnxt_units(const struct nic_op *op)
{
	if (op->kind == NIC_INLINE)
		return 2 + ((uint32_t)op->len + BNXT_UNIT - 1) / BNXT_UNIT;
	return 3;
}

/* Packets of an entry, for its sequence numbers; one at least. */
static inline uint32_t bnxt_packets(uint64_t len, uint32_t mtu)
{
	return len ? (uint32_t)((len + mtu - 1) / mtu) : 1;
}

#endif
