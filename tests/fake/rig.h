// SPDX-License-Identifier: MIT
/* What tests need of a queue beyond what the library does, over the same code. */
#ifndef MORI_TESTS_RIG_H
#define MORI_TESTS_RIG_H

#include "nic/setup.h"
#include "nic/transfer.h"

/* NIC_DONE: the data is here. */
DEV_INLINE int rig_get(struct nic_queue *q, struct nic_deadline p, uint32_t how,
		       struct nic_local to, struct nic_remote from, uint64_t len)
{
	return nic_finish(q, p, how, nic_copy(q, p, NIC_READ, how & NIC_HOLD, to, from, len));
}

/* Up to NIC_INLINE_MAX bytes, which may change as soon as this has returned. */
DEV_INLINE int rig_put_inline(struct nic_queue *q, struct nic_deadline p, uint32_t how,
			      const void *src, struct nic_remote to, uint64_t len)
{
	struct nic_op op = { .kind = NIC_INLINE, .signal = true, .rkey = to.key };

	op.remote = to.addr;
	op.len = len;
	for (uint32_t i = 0; i < NIC_INLINE_MAX / 8; i++)
		op.data[i] = nic_bytes(src, len, i);
	return nic_finish(q, p, how, nic_issue(q, p, &op, how & NIC_HOLD));
}

/*
 * The data, then a signal: MORI_SHMEM_AMO_SET or _ADD of 8 bytes. Entries of a queue take
 * effect in order, and one doorbell shows both.
 */
DEV_INLINE int rig_put_signal(struct nic_queue *q, struct nic_deadline p, struct nic_local from,
			      struct nic_remote to, uint64_t len, struct nic_remote sig, int rmw,
			      uint64_t value)
{
	int err = nic_put(q, p, NIC_HOLD, from, to, len);

	return err ? err : nic_amo(q, p, rmw, 8, sig, value, 0, false).err;
}

#endif
