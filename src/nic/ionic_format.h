// SPDX-License-Identifier: MIT
/* Numbers of the ionic format, for both sides of a queue: see ionic.h. */
#ifndef MORI_NIC_IONIC_FORMAT_H
#define MORI_NIC_IONIC_FORMAT_H

#include "nic/entry.h"

#define IONIC_OPCODE	     8	       /* byte of an entry */
#define IONIC_INLINE	     (1u << 2) /* flags of an entry */
#define IONIC_SIGNAL	     (1u << 3)
#define IONIC_COLOUR	     (1u << 4)
#define IONIC_DB_NUMBER	     24 /* where a doorbell has the queue's number */
#define IONIC_CQE_COLOUR     (1u << 0)
#define IONIC_CQE_ERROR	     (1u << 1)
#define IONIC_CQE_TYPE(tail) ((tail) >> 5 & 7)
#define IONIC_CQE_REMOTE     2u /* counts messages */
#define IONIC_CQE_LOCAL	     3u /* names an entry */
#define IONIC_NO_SYNDROME    0x100u

/* The opcode of @kind in the version of the format; v1: the first. */
static inline uint32_t ionic_opcode(uint32_t kind, bool v1)
{
	switch (kind) {
	case NIC_READ:
		return v1 ? 3 : 0x02;
	case NIC_CAS:
		return v1 ? 6 : 0x04;
	case NIC_ADD:
		return v1 ? 7 : 0x05;
	default: /* NIC_WRITE, NIC_INLINE */
		return v1 ? 4 : 0x21;
	}
}

#endif
