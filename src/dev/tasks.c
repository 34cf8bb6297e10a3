// SPDX-License-Identifier: MIT
/*
 * The kernels of abi/task.h, over the same bodies as the device library. A block does
 * each; a failure is left in the PE's state with the name of the operation.
 */
#include "abi/opcodes.h"
#include "abi/task.h"
#include "dev/atomic.h"
#include "dev/barrier.h"
#include "dev/order.h"
#include "dev/rma.h"
#include "dev/wait.h"

#include <mori/shmem_device.h>

#define TASK(name) MORI_KERNEL void mori_task_##name(struct dev_task t)

#define TASK_DECLARE(name) TASK(name);
DEV_TASKS(TASK_DECLARE)
#undef TASK_DECLARE

/* NULL after finalize: then there is nothing to do, and one thread reports it. */
DEV_INLINE struct dev_state *task_state(uint64_t ctx)
{
	struct dev_state *st = tgt_pointer(ctx);

	if (dev_likely(tgt_load_relaxed_32(&st->life) == DEV_LIFE_OPEN))
		return st;
	if (!mori_thread_id())
		(void)tgt_count_late(st);
	return NULL;
}

DEV_INLINE void task_end(struct dev_state *st, enum dev_op op, int err)
{
	if (err)
		(void)tgt_sign(st, op, err);
}

/* A task that is one operation, @op, of the PE. */
#define TASK_OF(name, op, call)                                                                    \
	TASK(name)                                                                                 \
	{                                                                                          \
		struct dev_state *st = task_state(t.ctx);                                          \
                                                                                                   \
		if (st)                                                                            \
			task_end(st, DEV_OP_##op, call);                                           \
	}

TASK_OF(barrier, barrier_all_block, dev_barrier(st, DEV_block))
TASK_OF(quiet, quiet_block, dev_quiet(st, DEV_block))
TASK_OF(signal, signal_op_block,
	dev_signal(st, DEV_block, tgt_pointer(t.sig), t.value, t.op, t.pe, t.qp))
TASK_OF(put_signal, putmem_signal_block,
	dev_put_signal(st, DEV_block, tgt_pointer(t.dest), tgt_pointer(t.src), t.bytes, 1,
		       tgt_pointer(t.sig), t.value, t.op, t.pe, t.qp))
TASK_OF(get, getmem_block,
	dev_get(st, DEV_block, tgt_pointer(t.dest), tgt_pointer(t.src), t.bytes, 1, t.pe, t.qp))
TASK_OF(wait, uint64_wait_until_block,
	dev_wait(st, DEV_block, tgt_pointer(t.dest), (enum dev_kind)t.kind, t.cmp, t.value,
		 DEV_NS_DEFAULT))

/* For peers behind a queue: the data has arrived when the stream continues. */
TASK(put)
{
	struct dev_state *st = task_state(t.ctx);
	int err;

	if (!st)
		return;
	err = dev_put(st, DEV_block, tgt_pointer(t.dest), tgt_pointer(t.src), t.bytes, 1, t.pe,
		      t.qp);
	task_end(st, DEV_OP_putmem_block, err ? err : dev_quiet_pe(st, DEV_block, t.pe, DEV_ALL));
}

/* The same from host memory, which the NIC can read even if this thread cannot. */
TASK(put_host)
{
	struct dev_state *st = task_state(t.ctx);
	struct nic_remote to;
	struct nic_local from;
	struct dev_addr s;
	struct nic_queue *q;
	int err;

	if (!st)
		return;
	s = dev_addr_resolve(st, tgt_pointer(t.dest), t.bytes, t.pe);
	if (s.err) {
		task_end(st, DEV_OP_putmem_block, tgt_fail(st, s.err, t.pe, t.dest, t.bytes));
		return;
	}
	q = dev_queue_to(st, t.pe, t.qp);
	to = dev_queue_remote(st, q, s.off, t.bytes);
	err = !to.addr || !dev_queue_local(q, t.src, t.bytes, &from) ?
		      MORI_SHMEM_EFAULT :
		      nic_put(q, dev_queue_deadline(st), NIC_DONE, from, to, t.bytes);
	task_end(st, DEV_OP_putmem_block, err ? dev_queue_fail(st, err, t.pe, s.off) : 0);
}

/* By one thread; the address is local, and everything has been checked. */
TASK(amo)
{
	uint64_t old = tgt_amo(tgt_pointer(t.dest), dev_kind_wide((enum dev_kind)t.kind), t.op,
			       t.value, t.compare);

	tgt_store_relaxed_64(tgt_pointer(t.result), old);
}

/* The blocks share it, in parts of whole lines; addresses are the memory's own. */
TASK(copy)
{
	uint64_t part = (t.bytes / mori_grid_size() + 127) & ~(uint64_t)127;
	uint64_t from = part * mori_block_id();

	if (from < t.bytes)
		tgt_copy(DEV_block, (char *)tgt_pointer(t.dest) + from,
			 (const char *)tgt_pointer(t.src) + from,
			 t.bytes - from < part || mori_block_id() + 1 == mori_grid_size() ?
				 t.bytes - from :
				 part);
}
