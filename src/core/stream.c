// SPDX-License-Identifier: MIT
/*
 * Operations in the order of a stream. The CPU has no streams: the only one is NULL, and operations
 * on it are complete when the call returns. On a GPU a copy is the driver's own, and the rest are
 * kernels of one block, so that a wait ends by its deadline or when a PE is lost; all of it can be
 * captured in a graph. Peers that load and store do not reach have all of it by kernels, which post
 * to their queues.
 */
#include "core/fail.h"
#include "core/queues.h"
#include "core/rdma.h"
#include "core/registry.h"
#include "dev/rma.h"
#include "dev/wait.h"
#include "ops/shmem_list.h"
#include "util/err.h"

#define PUT_BY_KERNEL ((size_t)1 << 16) /* with a signal: bytes up to which one block does both */

/* Whether no other PE of this process has its device. */
static bool stream_alone(const struct pe *pe)
{
	bool alone = true;

	pthread_mutex_lock(&pe->world->lock);
	for (struct pe *p = pe->world->members; p; p = p->sibling)
		alone &= p == pe || p->accel.number != pe->accel.number;
	pthread_mutex_unlock(&pe->world->lock);
	return alone;
}

/* The PE that acts, on a device with streams; NULL and *err 0 where the CPU acts at once. */
static struct pe *stream_pe(struct registry_call *call, const char *name, void *stream, int *err)
{
	struct pe *pe = registry_enter_pe(call);

	*err = pe ? 0 : fail_status(NULL, name, MORI_SHMEM_ESTATE);
	if (!pe || !pe_device_mem(pe)) {
		registry_leave(call);
		if (pe && stream)
			*err = err_set(MORI_SHMEM_EINVAL,
				       "mori_shmem_%s: the CPU has no streams; pass NULL", name);
		return NULL;
	}
	*err = pe->accel.mem->stream_check(pe->accel.dev, stream, stream_alone(pe));
	return *err ? NULL : pe;
}

static int stream_task(struct pe *pe, enum dev_task_id id, struct dev_task *task, int lanes,
		       void *stream)
{
	task->ctx = pe->ctx;
	pe_expose_state(pe); /* a graph may keep it */
	return pe->accel.mem->stream_task(pe->accel.dev, id, task, lanes, stream);
}

int mori_shmem_barrier_on_stream(void *stream)
{
	struct dev_task task = { 0 };
	int err;
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = stream_pe(&call, "barrier_on_stream", stream, &err);

	if (!pe)
		return err ? err : mori_shmem_barrier_all();
	return stream_task(pe, DEV_TASK_barrier, &task, pe->world->n_pes, stream);
}

/* Where @len bytes at a symmetric address are on another PE; NULL: a queue leads there. */
static int stream_resolve(struct pe *pe, const char *name, const void *addr, uint64_t len, int rank,
			  void **out)
{
	struct dev_addr s = dev_addr_resolve(pe->state, addr, len, rank);

	if (s.err)
		return fail_status(
			pe->state, name,
			tgt_fail(pe->state, s.err, rank, (uint64_t)(uintptr_t)addr, len));
	*out = s.slot < 0 ? NULL : (void *)(uintptr_t)dev_heap_at(pe->state, s.slot, s.off);
	return 0;
}

/* The same where a queue leads to the other PE. Host memory must be registered with a NIC. */
static int stream_queue(struct pe *pe, const char *name, const void *remote, struct dev_task *task,
			void *stream)
{
	bool get = task->src == (uint64_t)(uintptr_t)remote;
	const void *local = (const void *)(uintptr_t)(get ? task->dest : task->src);
	bool host = !pe_device_holds(pe, local);

	if (host && !rdma_reaches(pe->rdma, local, task->bytes))
		return err_set(
			MORI_SHMEM_EINVAL,
			"%s: the %llu bytes of host memory at %p are not registered with the "
			"NIC; call mori_shmem_buffer_register() first",
			name, (unsigned long long)task->bytes, local);
	return stream_task(pe,
			   get	? DEV_TASK_get :
			   host ? DEV_TASK_put_host :
				  DEV_TASK_put,
			   task, 1, stream);
}

/* Between this PE and another; @remote is the symmetric one. */
static int stream_copy(struct pe *pe, const char *name, const void *remote, void *dest,
		       const void *src, size_t bytes, int rank, int qp, void *stream)
{
	struct dev_task task = {
		.dest = (uint64_t)(uintptr_t)dest,
		.src = (uint64_t)(uintptr_t)src,
		.bytes = bytes,
		.pe = rank,
		.qp = qp,
	};
	void *at = NULL;
	int err = stream_resolve(pe, name, remote, bytes, rank, &at);

	if (err || !bytes)
		return err;
	if (!at)
		return stream_queue(pe, name, remote, &task, stream);
	dest = remote == dest ? at : dest;
	src = remote == src ? at : src;
	/*
	 * The driver's copies of all streams of a process stand in few queues. Those of two PEs
	 * whose streams wait for each other may block each other there forever; kernels do not.
	 */
	if (stream_alone(pe) || !pe_device_holds(pe, dest) || !pe_device_holds(pe, src))
		return pe->accel.mem->stream_copy(pe->accel.dev, dest, src, bytes, stream);
	task.dest = (uint64_t)(uintptr_t)dest;
	task.src = (uint64_t)(uintptr_t)src;
	return stream_task(pe, DEV_TASK_copy, &task, (int)(bytes / 16 < 65536 ? bytes / 16 : 65536),
			   stream);
}

int mori_shmem_putmem_on_stream(void *dest, const void *src, size_t bytes, int pe, int qp,
				void *stream)
{
	int err;
	REGISTRY_CALL struct registry_call call;
	struct pe *me = stream_pe(&call, "putmem_on_stream", stream, &err);

	if (!me)
		return err ? err : mori_shmem_putmem_thread(dest, src, bytes, pe, qp);
	return stream_copy(me, "putmem_on_stream", dest, dest, src, bytes, pe, qp, stream);
}

int mori_shmem_getmem_on_stream(void *dest, const void *src, size_t bytes, int pe, int qp,
				void *stream)
{
	int err;
	REGISTRY_CALL struct registry_call call;
	struct pe *me = stream_pe(&call, "getmem_on_stream", stream, &err);

	if (!me)
		return err ? err : mori_shmem_getmem_thread(dest, src, bytes, pe, qp);
	return stream_copy(me, "getmem_on_stream", src, dest, src, bytes, pe, qp, stream);
}

/* Errors that a kernel would find are better reported now. */
static int stream_signal_check(struct pe *pe, const char *name, void *sig, int op, int rank)
{
	void *at;

	if (!dev_signal_op(op) || !tgt_aligned(sig, 8))
		return fail_status(
			pe->state, name,
			tgt_fail(pe->state, MORI_SHMEM_EINVAL, rank, (uint64_t)(uintptr_t)sig, 8));
	return stream_resolve(pe, name, sig, 8, rank, &at);
}

int mori_shmem_putmem_signal_on_stream(void *dest, const void *src, size_t bytes, void *sig,
				       uint64_t value, int op, int pe, int qp, void *stream)
{
	static const char name[] = "putmem_signal_on_stream";
	struct dev_task task = {
		.dest = (uint64_t)(uintptr_t)dest,
		.src = (uint64_t)(uintptr_t)src,
		.bytes = bytes,
		.sig = (uint64_t)(uintptr_t)sig,
		.value = value,
		.op = op,
		.pe = pe,
		.qp = qp,
	};
	void *at = NULL;
	int err;
	REGISTRY_CALL struct registry_call call;
	struct pe *me = stream_pe(&call, name, stream, &err);

	if (!me)
		return err ? err :
			     mori_shmem_putmem_signal_thread(dest, src, bytes, sig, value, op, pe,
							     qp);
	err = stream_signal_check(me, name, sig, op, pe);
	if (!err)
		err = stream_resolve(me, name, dest, bytes, pe, &at);
	if (!err && (!at || bytes <= PUT_BY_KERNEL) && (!bytes || pe_device_holds(me, src)))
		return stream_task(me, DEV_TASK_put_signal, &task, at ? (int)(bytes / 16 + 1) : 1,
				   stream);
	if (!err)
		err = stream_copy(me, name, dest, dest, src, bytes, pe, qp, stream);
	return err ? err : stream_task(me, DEV_TASK_signal, &task, 1, stream);
}

int mori_shmem_signal_op_on_stream(uint64_t *sig, uint64_t value, int op, int pe, int qp,
				   void *stream)
{
	struct dev_task task = {
		.sig = (uint64_t)(uintptr_t)sig, .value = value, .op = op, .pe = pe, .qp = qp
	};
	int err;
	REGISTRY_CALL struct registry_call call;
	struct pe *me = stream_pe(&call, "signal_op_on_stream", stream, &err);

	if (!me)
		return err ? err : mori_shmem_signal_op_thread(sig, value, op, pe, qp);
	err = stream_signal_check(me, "signal_op_on_stream", sig, op, pe);
	return err ? err : stream_task(me, DEV_TASK_signal, &task, 1, stream);
}

int mori_shmem_quiet_on_stream(void *stream)
{
	struct dev_task task = { 0 };
	int err;
	REGISTRY_CALL struct registry_call call;
	struct pe *pe = stream_pe(&call, "quiet_on_stream", stream, &err);

	if (!pe)
		return err ? err : mori_shmem_quiet_thread();
	return stream_task(pe, DEV_TASK_quiet, &task, 1, stream);
}

/* The word of a wait, which may be any memory of the device. */
static int stream_wait(struct pe *pe, const char *name, void *addr, enum dev_kind kind, int cmp,
		       uint64_t value, void *stream)
{
	struct dev_task task = {
		.dest = (uint64_t)(uintptr_t)addr, .value = value, .kind = kind, .cmp = cmp
	};
	int err = dev_wait_valid(pe->state, addr, kind, cmp);

	return err ? fail_status(pe->state, name, err) :
		     stream_task(pe, DEV_TASK_wait, &task, 1, stream);
}

#define WAIT_ON_STREAM(name, type, ...)                                                            \
	int mori_shmem_##name##_wait_until_on_stream(type *addr, int cmp, type v, void *stream)    \
	{                                                                                          \
		int err;                                                                           \
		REGISTRY_CALL struct registry_call call;                                           \
		struct pe *pe = stream_pe(&call, #name "_wait_until_on_stream", stream, &err);     \
		if (!pe)                                                                           \
			return err ? err : mori_shmem_##name##_wait_until(addr, cmp, v);           \
		return stream_wait(pe, #name "_wait_until_on_stream", addr, DEV_KIND_##name, cmp,  \
				   (uint64_t)v, stream);                                           \
	}
MORI_EACH_AMO_TYPE(WAIT_ON_STREAM, )
