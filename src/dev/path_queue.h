// SPDX-License-Identifier: MIT
/*
 * The path of queues: executes each act of a request. One lane posts for its scope and rings once;
 * the kind of NIC is a field of the queue. All of this is a few functions that are called, so that
 * code for load and store only has to jump over the calls.
 */
#ifndef MORI_DEV_PATH_QUEUE_H
#define MORI_DEV_PATH_QUEUE_H

#include "dev/req.h"
#include "nic/transfer.h"

/*
 * A call of @fn by its address. If ptxas knows the called function, it gives the caller the
 * registers of both, and a chain of calls the sum: few threads of a kernel would fit.
 */
#ifdef __NVPTX__
#define DEV_CALL_INDIRECT(fn)                                                                      \
	(*({                                                                                       \
		__typeof__(&(fn)) volatile dev_indirect_fn = &(fn);                                \
		dev_indirect_fn;                                                                   \
	}))
#else
#define DEV_CALL_INDIRECT(fn) (fn)
#endif

/* The result of an act; by value, so that it stays in registers. */
struct dev_outcome {
	uint64_t result;
	int err;
};

/* An act, its operation and its flags, in one word. */
enum dev_queue_how {
	DEV_QUEUE_OP = 8, /* from this bit on */
	DEV_QUEUE_WIDE = 1 << 16,
	DEV_QUEUE_NBI = 1 << 17,
	DEV_QUEUE_GIVES = 1 << 18,
};

DEV_INLINE struct nic_deadline dev_queue_deadline(const struct dev_state *st)
{
	return (struct nic_deadline){ st, st->sync_ns ? st->sync_ns : DEV_NS_DEFAULT };
}

DEV_INLINE struct nic_queue *dev_queue_to(const struct dev_state *st, int pe, int qp)
{
	uint32_t n = (uint32_t)st->num_qp;

	return (struct nic_queue *)tgt_pointer((uint64_t)(uintptr_t)st->queues) +
	       ((uint64_t)(uint32_t)pe * n + (uint32_t)qp % n);
}

/* A call to @pe failed. The status of the queue does not always show that the PE is lost. */
DEV_INLINE int dev_queue_fail(const struct dev_state *st, int err, int pe, uint64_t off)
{
	if (tgt_load_relaxed_32(&st->lost) && tgt_load_relaxed_32(&st->gone[pe]))
		err = MORI_SHMEM_EPEER;
	return tgt_fail(st, err, pe, st->heap_base + off, 0);
}

/* The region that a real NIC may access and that contains the @len bytes at @addr; NULL: none. */
DEV_OUTLINE const struct nic_region *dev_queue_region(const struct nic_queue *q, uint64_t addr,
						      uint64_t len, bool shared)
{
	uint64_t at = q->regions, has;

	for (const struct nic_region *r; at; at = nic_load_acquire_64(&r->next)) {
		r = (const struct nic_region *)tgt_pointer(at);
		/*
		 * Acquire: pairs with the release of the registering thread; the other fields
		 * belong to this length.
		 */
		has = nic_load_acquire_64(&r->len);
		if (addr - r->base < has && len <= has - (addr - r->base) && (!shared || r->shared))
			return r;
	}
	return NULL;
}

/*
 * Where the @len bytes at offset @off from this PE's heap are at the other end of @q; address 0:
 * nowhere.
 */
DEV_INLINE struct nic_remote dev_queue_remote(const struct dev_state *st, const struct nic_queue *q,
					      uint64_t off, uint64_t len)
{
	struct nic_remote to = { q->heap + off, q->rkey };
	const struct nic_region *r;

	if (!q->regions)
		return to;
	r = dev_queue_region(q, st->heap_base + off, len, true);
	if (!r)
		return (struct nic_remote){ 0, 0 };
	to.addr = r->peer[q->pe].addr + (st->heap_base + off - r->base);
	to.key = r->peer[q->pe].key;
	return to;
}

/* Whether the NIC itself can access @len bytes of this PE, and under which key. */
DEV_INLINE bool dev_queue_local(const struct nic_queue *q, uint64_t local, uint64_t len,
				struct nic_local *out)
{
	const struct nic_region *r = NULL;

	*out = (struct nic_local){ local, q->lkey };
	if (tgt_private((const void *)(uintptr_t)local))
		return false;
	if (!q->regions)
		return true;
	r = dev_queue_region(q, local, len, false);
	out->key = r ? r->lkey : 0;
	return r != NULL;
}

/* A put of @len bytes that are few, or that the NIC cannot load: the entries hold the data. */
DEV_OUTLINE int64_t dev_queue_inline(const struct dev_state *st, struct nic_queue *q,
				     struct nic_remote to, const void *local, uint64_t len,
				     bool hold)
{
	struct nic_op op = { .kind = NIC_INLINE, .signal = true, .rkey = to.key };
	int64_t issued = 0;

	for (uint64_t at = 0; at < len && issued >= 0; at += op.len) {
		op.len = len - at < NIC_INLINE_MAX ? len - at : NIC_INLINE_MAX;
		op.remote = to.addr + at;
		for (uint32_t i = 0; i < NIC_INLINE_MAX / 8; i++)
			op.data[i] = nic_bytes((const char *)local + at, op.len, i);
		issued = nic_issue(q, dev_queue_deadline(st), &op, hold && at + op.len == len);
	}
	return issued;
}

/* Returns when the source may change, unless @how says otherwise. */
DEV_INLINE int dev_queue_put(const struct dev_state *st, struct nic_queue *q, struct nic_remote to,
			     uint64_t local, uint64_t len, bool hold, int64_t *wait)
{
	struct nic_deadline p = dev_queue_deadline(st);
	struct nic_local from;
	int64_t issued;

	*wait = 0;
	if (!len)
		return 0;
	if (len <= NIC_INLINE_MAX || !dev_queue_local(q, local, len, &from)) {
		issued = dev_queue_inline(st, q, to, (const void *)(uintptr_t)local, len, hold);
	} else {
		issued = nic_copy(q, p, NIC_WRITE, hold, from, to, len);
		*wait = issued;
	}
	return issued < 0 ? (int)issued : 0;
}

/*
 * A get to memory that the NIC cannot store to: in small pieces, through result slots of the queue.
 */
DEV_OUTLINE int dev_queue_get_private(const struct dev_state *st, struct nic_queue *q,
				      struct nic_remote from, uint8_t *local, uint64_t len)
{
	uint64_t most = q->bounce ? NIC_BOUNCE : 8;
	struct nic_fetched f = { 0, 0 };

	for (uint64_t at = 0, n; at < len && !f.err; at += n) {
		n = len - at < most ? len - at : most;
		f = nic_amo(q, dev_queue_deadline(st), AMO_READ, (uint32_t)n,
			    (struct nic_remote){ from.addr + at, from.key },
			    (uint64_t)(uintptr_t)(local + at), 0, true);
		for (uint64_t i = 0; !f.err && n <= 8 && i < n; i++)
			local[at + i] = (uint8_t)(f.old >> 8 * i);
	}
	return f.err;
}

DEV_INLINE int dev_queue_get(const struct dev_state *st, struct nic_queue *q,
			     struct nic_remote from, uint64_t local, uint64_t len, bool nbi)
{
	struct nic_deadline p = dev_queue_deadline(st);
	struct nic_local to;

	if (!len)
		return 0;
	if (!dev_queue_local(q, local, len, &to))
		return dev_queue_get_private(st, q, from, (uint8_t *)(uintptr_t)local, len);
	return nic_finish(q, p, nbi ? 0 : NIC_DONE, nic_copy(q, p, NIC_READ, false, to, from, len));
}

/* The data, followed by the signal, with one doorbell. */
DEV_INLINE int dev_queue_put_signal(const struct dev_state *st, struct nic_queue *q, uint32_t how,
				    struct nic_remote to, struct nic_remote sig, uint64_t local,
				    uint64_t len, uint64_t value)
{
	bool signals = (how & 0xff) == DEV_ACT_PUT_SIGNAL;
	struct nic_deadline p = dev_queue_deadline(st);
	int64_t wait;
	int err = dev_queue_put(st, q, to, local, len, signals, &wait);

	if (!err && signals)
		err = nic_amo(q, p, (how >> DEV_QUEUE_OP) & 0xff, 8, sig, value, 0, false).err;
	return err || !wait || how & DEV_QUEUE_NBI ? err : nic_wait(q, p, (uint64_t)wait);
}

/* One value of up to 16 bytes. */
DEV_INLINE int dev_queue_value(const struct dev_state *st, struct nic_queue *q,
			       struct nic_remote to, uint64_t len, uint64_t first, uint64_t second)
{
	struct nic_op op = { .kind = NIC_INLINE, .signal = true, .rkey = to.key };
	int64_t issued;

	op.remote = to.addr;
	op.len = len;
	op.data[0] = first;
	op.data[1] = second;
	issued = nic_issue(q, dev_queue_deadline(st), &op, false);
	return issued < 0 ? (int)issued : 0;
}

/* By one lane. Every act except quiet and fence. */
DEV_OUTLINE struct dev_outcome dev_queue_execute(const struct dev_state *st, uint32_t how, int pe,
						 int qp, uint64_t off, uint64_t sig, uint64_t local,
						 uint64_t len, uint64_t value, uint64_t compare)
{
	struct nic_queue *q = dev_queue_to(st, pe, qp);
	struct nic_remote remote = dev_queue_remote(st, q, off, len), at = remote;
	struct nic_fetched f = { 0, 0 };
	uint32_t act = how & 0xff;
	int op = (int)(how >> DEV_QUEUE_OP & 0xff);

	if (act == DEV_ACT_PUT_SIGNAL)
		at = dev_queue_remote(st, q, sig, 8);
	/* Memory that is not registered with the NIC; a copy of nothing may have any address. */
	if ((!remote.addr && len) || (!at.addr && act == DEV_ACT_PUT_SIGNAL))
		f.err = MORI_SHMEM_EFAULT;
	else if (act == DEV_ACT_PUT || act == DEV_ACT_PUT_SIGNAL)
		f.err = dev_queue_put_signal(st, q, how, remote, at, local, len, value);
	else if (act == DEV_ACT_GET)
		f.err = dev_queue_get(st, q, remote, local, len, how & DEV_QUEUE_NBI);
	else if (act == DEV_ACT_P)
		f.err = dev_queue_value(st, q, remote, len, value, compare);
	else /* a word: read, signal or atomic */
		f = nic_amo(q, dev_queue_deadline(st), op, (uint32_t)len, remote, value, compare,
			    how & DEV_QUEUE_GIVES);
	if (f.err)
		f.err = dev_queue_fail(st, f.err, pe, off);
	return (struct dev_outcome){ f.old, f.err };
}

/* The queues that an act of order concerns: from @from up to @to, without @but. */
struct dev_queue_span {
	uint32_t from, to, but;
};

/*
 * A quiet concerns the queues it names; a fence all queues to the PE, unless there is a single one,
 * which is in order by itself, and no other path. A signal must not overtake what is in other
 * queues, and concerns those.
 */
DEV_INLINE struct dev_queue_span dev_queue_span(const struct dev_state *st, enum dev_act act,
						int pe, int qp)
{
	uint32_t n = (uint32_t)st->num_qp;
	struct dev_queue_span s = { 0, n * (uint32_t)st->n_pes, UINT32_MAX };

	if (!st->queues || (act == DEV_ACT_FENCE && n == 1 && dev_one_path(st, pe)))
		s.to = 0;
	if (pe == DEV_ALL || !s.to)
		return s;
	s.from = (uint32_t)pe * n;
	s.to = s.from + n;
	if (act == DEV_ACT_SIGNAL)
		s.but = s.from + (uint32_t)qp % n;
	if (act == DEV_ACT_QUIET && qp != DEV_ALL) {
		s.from += (uint32_t)qp % n;
		s.to = s.from + 1;
	}
	return s;
}

/* Completes what was posted to this lane's share of the queues to @pe, or to all PEs. */
DEV_OUTLINE int dev_queue_order(const struct dev_state *st, uint32_t first, uint32_t lanes,
				enum dev_act act, int pe, int qp)
{
	struct dev_queue_span s = dev_queue_span(st, act, pe, qp);
	uint32_t n = (uint32_t)st->num_qp;
	int err = 0;

	for (uint32_t i = s.from + first; i < s.to; i += lanes) {
		struct nic_queue *q = dev_queue_to(st, (int)(i / n), (int)(i % n));
		int got = i != s.but && (nic_load_64(&q->taken) != nic_load_acquire_64(&q->done) ||
					 nic_status(q)) ?
				  nic_quiet(q, dev_queue_deadline(st)) :
				  0;

		if (got && !err)
			err = dev_queue_fail(st, got, q->pe, 0);
	}
	return err;
}

/*
 * Writes the flag of this PE at @pe, which the barriers of kernels poll there. @flag: the one here.
 */
DEV_OUTLINE int dev_queue_flag(const struct dev_state *st, int pe, uint64_t flag, uint64_t epoch)
{
	struct nic_queue *q = dev_queue_to(st, pe, 0);
	int err = dev_queue_value(st, q, dev_queue_remote(st, q, flag - st->heap_base, 8), 8, epoch,
				  0);

	return err ? dev_queue_fail(st, err, pe, flag - st->heap_base) : 0;
}

/* Fills in what an act also needs: the code, the length and the bits of its value. */
DEV_INLINE void dev_queue_terms(enum dev_act act, struct dev_req *r)
{
	if (act == DEV_ACT_P) {
		r->value = nic_bytes(r->local, r->len, 0);
		r->compare = nic_bytes(r->local, r->len, 1);
		r->local = NULL;
	} else if (act == DEV_ACT_G) {
		r->op = AMO_READ;
	} else if (act == DEV_ACT_SIGNAL) {
		r->len = 8;
	} else if (act == DEV_ACT_AMO || act == DEV_ACT_ADD_REAL) {
		r->len = r->wide ? 8 : 4;
	}
	if (act == DEV_ACT_ADD_REAL) {
		r->op = AMO_ADD_REAL;
		r->value = amo_real_bits(r->wide, r->add);
	}
}

/* The error that the lanes found, each in its share of the queues; the same for all of them. */
DEV_INLINE int dev_queue_worst(enum dev_scope scope, int err)
{
	if (dev_likely(!tgt_any(scope, err != 0)))
		return 0;
	if (tgt_any(scope, err == MORI_SHMEM_EPEER))
		return MORI_SHMEM_EPEER;
	if (tgt_any(scope, err == MORI_SHMEM_ETIMEDOUT))
		return MORI_SHMEM_ETIMEDOUT;
	return tgt_any(scope, err == MORI_SHMEM_ESTATE) ? MORI_SHMEM_ESTATE : MORI_SHMEM_EIO;
}

DEV_INLINE int dev_queue(const struct dev_state *st, enum dev_scope scope, enum dev_act act,
			 struct dev_req *r)
{
	struct dev_outcome e = { 0, 0 };
	uint32_t how = (uint32_t)act;

	if (act == DEV_ACT_QUIET || act == DEV_ACT_FENCE || act == DEV_ACT_SIGNAL) {
		if (act != DEV_ACT_SIGNAL)
			tgt_fence_full(st); /* for those with load and store */
		if (act != DEV_ACT_SIGNAL || st->num_qp > 1)
			e.err = dev_queue_worst(
				scope, DEV_CALL_INDIRECT(dev_queue_order)(st, tgt_lane(scope),
									  tgt_lanes(scope), act,
									  r->pe, r->qp));
		if (act != DEV_ACT_SIGNAL || e.err)
			return e.err;
	}
	dev_queue_terms(act, r);
	how |= (uint32_t)r->op << DEV_QUEUE_OP | (r->nbi ? DEV_QUEUE_NBI : 0) |
	       (r->gives ? DEV_QUEUE_GIVES : 0);
	if (tgt_leads(scope))
		e = DEV_CALL_INDIRECT(dev_queue_execute)(st, how, r->pe, r->qp, r->off, r->sig,
							 (uint64_t)(uintptr_t)r->local, r->len,
							 r->value, r->compare);
	if (r->gives)
		r->result = tgt_share_rare(scope, e.result);
	e.err = dev_share_status(scope, e.err);
	if (!TGT_GPU)
		tgt_leave(scope);
	return e.err;
}

#endif
