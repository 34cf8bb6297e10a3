// SPDX-License-Identifier: MIT
/*
 * Operations over a queue: copies, small values, atomics, data with a signal. An atomic that a
 * NIC lacks is emulated by compare-swaps on the 8 bytes around its word. Each is called by one
 * thread and returns 0 or a status.
 */
#ifndef MORI_NIC_TRANSFER_H
#define MORI_NIC_TRANSFER_H

#include "nic/post.h"
#include "target/amo.h"

/* An address at the other end of a queue. */
struct nic_remote {
	uint64_t addr;
	uint32_t key;
};

/* Memory at this end. */
struct nic_local {
	uint64_t addr;
	uint32_t key;
};

/*
 * @len bytes, more than none, by entries of q->max_len; gives what to wait for, or a status.
 * @kind is NIC_WRITE or NIC_READ, a constant where this is called; so is @hold.
 */
static inline __attribute__((always_inline, unused)) int64_t
nic_copy(struct nic_queue *q, struct nic_deadline p, const enum nic_kind kind, const bool hold,
	 struct nic_local l, struct nic_remote r, uint64_t len)
{
	struct nic_op op = { .kind = kind, .signal = true, .lkey = l.key, .rkey = r.key };
	int64_t issued = 0;

	for (uint64_t at = 0; at < len && issued >= 0; at += op.len) {
		bool more = len - at > q->max_len;

		op.local = l.addr + at;
		op.remote = r.addr + at;
		op.len = more ? q->max_len : len - at;
		issued = nic_issue(q, p, &op, !more && hold);
	}
	return issued; /* entries finish in order: waiting for the last waits for all */
}

/* NIC_DONE: @from may change after it, and the data is at the other end. */
DEV_INLINE int nic_put(struct nic_queue *q, struct nic_deadline p, uint32_t how,
		       struct nic_local from, struct nic_remote to, uint64_t len)
{
	return nic_finish(q, p, how, nic_copy(q, p, NIC_WRITE, how & NIC_HOLD, from, to, len));
}

/* Word @i of the @len bytes at @src. */
DEV_INLINE uint64_t nic_bytes(const void *src, uint64_t len, uint32_t i)
{
	const uint8_t *bytes = (const uint8_t *)src + i * 8ull;
	uint64_t word = 0;

	for (uint32_t k = 0; k < 8; k++)
		if (i * 8ull + k < len)
			word |= (uint64_t)bytes[k] << 8 * k;
	return word;
}

/* As masked atomics, with which mlx5 can execute all of them. */
DEV_INLINE void nic_amo_masked(struct nic_op *op, int rmw, uint64_t value, uint64_t compare)
{
	uint64_t ones = amo_ones(op->len == 8);
	bool adds = rmw == MORI_SHMEM_AMO_ADD || rmw == MORI_SHMEM_AMO_FETCH ||
		    rmw == MORI_SHMEM_AMO_XOR;

	op->kind = adds ? NIC_MASKED_ADD : NIC_MASKED_CAS;
	op->value = rmw == MORI_SHMEM_AMO_FETCH || rmw == MORI_SHMEM_AMO_AND ? 0 : value;
	op->compare = rmw == MORI_SHMEM_AMO_COMPARE_SWAP ? compare : 0;
	op->compare_mask = rmw == MORI_SHMEM_AMO_COMPARE_SWAP ? ones : 0;
	/* XOR is an add that carries nowhere; AND clears, and OR sets, some bits only. */
	op->value_mask = rmw == MORI_SHMEM_AMO_AND				  ? ~value & ones :
			 rmw == MORI_SHMEM_AMO_OR				  ? value :
			 rmw == MORI_SHMEM_AMO_ADD || rmw == MORI_SHMEM_AMO_FETCH ? 0 :
										    ones;
}

/* Makes an entry of the read-modify-write @rmw; false: the NIC has none. */
DEV_INLINE bool nic_amo_native(const struct nic_queue *q, struct nic_op *op, int rmw,
			       uint64_t value, uint64_t compare)
{
	op->value = value;
	if (rmw == AMO_READ) {
		op->kind = NIC_READ;
		return true;
	}
	if (q->format == NIC_SOFT) {
		op->kind = NIC_RMW;
		op->rmw = (uint32_t)rmw;
		op->compare = compare;
		return true;
	}
	if (rmw == AMO_ADD_REAL)
		return false;
	nic_amo_masked(op, rmw, value & amo_ones(op->len == 8), compare & amo_ones(op->len == 8));
	if (op->len == 8 && (rmw == MORI_SHMEM_AMO_ADD || rmw == MORI_SHMEM_AMO_FETCH))
		op->kind = NIC_ADD;
	else if (op->len == 8 && rmw == MORI_SHMEM_AMO_COMPARE_SWAP)
		op->kind = NIC_CAS;
	else
		return q->format == NIC_MLX5 && !(q->flags & NIC_NO_MASKED);
	op->value_mask = op->compare_mask = 0;
	return true;
}

DEV_INLINE uint64_t *nic_slot_owner(const struct nic_queue *q, uint32_t result)
{
	return (uint64_t *)tgt_pointer(q->slot_owner + result * 8ull);
}

/*
 * One of @n result slots from the @from-th on, if one is free; else 0, which is never handed out. A
 * slot that was left to an entry is free again when the NIC has finished that entry.
 */
DEV_INLINE uint32_t nic_result_take(const struct nic_queue *q, uint64_t from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t result = 1 + (uint32_t)((from + i) % (q->result_slots - 1));
		uint64_t user = nic_load_64(nic_slot_owner(q, result));

		if (user > 1 && nic_load_acquire_64(&q->done) < user >> 1)
			continue;
		if (user != 1 && nic_cas_64(nic_slot_owner(q, result), user, 1) == user)
			return result;
	}
	return 0;
}

DEV_INLINE uint64_t nic_result_value(const struct nic_queue *q, uint32_t result, uint32_t kind,
				     uint64_t size)
{
	uint64_t v = nic_load_64(tgt_pointer(q->result_values + result * 8ull));

	if (kind == NIC_READ)
		return size == 8 ? v : v & (((uint64_t)1 << 8 * size) - 1);
	if (size == 8)
		return q->flags & NIC_RESULT_BE_8 ? nic_be_64(v) : v;
	return q->flags & NIC_RESULT_BE_4 ? nic_be_32((uint32_t)v) : (uint32_t)v;
}

/* The result of an atomic: the old value; after an error, the entry that keeps its slot (or 0). */
struct nic_fetched {
	uint64_t old;
	int err;
};

/*
 * A read of more than a result slot holds goes through its bounce buffer, to the address in
 * op->value.
 */
DEV_INLINE bool nic_is_bulk(const struct nic_op *op)
{
	return op->kind == NIC_READ && op->len > 8;
}

DEV_INLINE void nic_unload(const struct nic_op *op)
{
	const uint8_t *from = (const uint8_t *)tgt_pointer(op->local);
	uint8_t *to = (uint8_t *)(uintptr_t)op->value; /* of any kind of memory */

	for (uint64_t i = 0; i < op->len; i++)
		to[i] = from[i];
}

/* One entry that fetches into result slot @result. */
DEV_INLINE struct nic_fetched nic_fetch(struct nic_queue *q, struct nic_deadline p,
					struct nic_op *op, uint32_t result)
{
	struct nic_fetched f = { 0, 0 };
	int64_t issued;

	op->local = nic_is_bulk(op) ? q->bounce + result * (uint64_t)NIC_BOUNCE :
				      q->result_values + result * 8ull;
	op->lkey = q->results_key;
	issued = nic_issue(q, p, op, false);
	f.err = nic_finish(q, p, NIC_DONE, issued);
	if (!f.err && nic_is_bulk(op))
		nic_unload(op);
	else if (!f.err)
		f.old = nic_result_value(q, result, op->kind, op->len);
	else if (issued >= 0) /* the NIC may still write it */
		f.old = (uint64_t)issued << 1;
	return f;
}

/* By compare-swaps on the 8 bytes around the word, until one finds what it expects. */
DEV_OUTLINE struct nic_fetched nic_emulate(struct nic_queue *q, struct nic_deadline p, int rmw,
					   uint32_t size, struct nic_remote r, uint64_t value,
					   uint64_t compare, uint32_t result)
{
	struct nic_op op = { .kind = NIC_ADD, .signal = true, .rkey = r.key, .len = 8 };
	uint32_t shift = size == 8 ? 0 : 8 * ((uint32_t)r.addr & 4);
	uint64_t ones = amo_ones(size == 8), next;
	struct nic_fetched f;
	struct tgt_wait w;
	int err = 0;

	op.remote = r.addr & ~(uint64_t)7;
	tgt_wait_start(&w, p.st, p.ns, &q->done, MORI_SHMEM_CMP_GT, nic_load_64(&q->done));
	for (;;) { /* the first time it adds 0, to see what is there */
		f = nic_fetch(q, p, &op, result);
		if (f.err || err || (op.kind == NIC_CAS && f.old == op.compare))
			break;
		op.compare = f.old;
		next = amo_eval(rmw, size == 8, f.old >> shift & ones, value, compare);
		op.value = (f.old & ~(ones << shift)) | next << shift;
		if (op.value == f.old)
			break;
		op.kind = NIC_CAS;
		err = nic_wait_step(q, p, &w);
	}
	if (f.err)
		return f;
	f.err = f.old == op.compare ? 0 : err;
	f.old = f.err ? 0 : f.old >> shift & ones;
	return f;
}

/*
 * nic_amo() with a result slot: any slot or, for an emulation, the one of its word, so that the
 * emulations of a queue do not undo each other's compare-swaps. In step: see nic_post().
 */
DEV_INLINE struct nic_fetched nic_amo_fetch(struct nic_queue *q, struct nic_deadline p, int rmw,
					    uint32_t size, struct nic_remote r, uint64_t value,
					    uint64_t compare, struct nic_op *op)
{
	uint64_t from = op ? nic_load_64(&q->taken) : r.addr >> 3;
	struct nic_fetched f = { 0, 0 };
	struct tgt_wait w;
	int err = 0;

	tgt_wait_start(&w, p.st, p.ns, &q->done, MORI_SHMEM_CMP_GT, nic_load_64(&q->done));
	for (;;) {
		uint32_t result = nic_result_take(q, from, op ? q->result_slots - 1 : 1);

		if (result) {
			f = op ? nic_fetch(q, p, op, result) :
				 nic_emulate(q, p, rmw, size, r, value, compare, result);
			nic_store_release_64(nic_slot_owner(q, result), f.err ? f.old : 0);
		}
		nic_in_step();
		if (result)
			return f;
		f.err = err;
		if (err)
			return f;
		nic_poll(q);
		err = nic_status(q);
		if (!err)
			err = nic_wait_step(q, p, &w);
	}
}

/*
 * One read-modify-write (see amo_rmw(), or AMO_READ) of 4 or 8 bytes at the other end; returns the
 * old value. Without @fetch it does not wait if the NIC can execute it itself.
 */
DEV_OUTLINE struct nic_fetched nic_amo(struct nic_queue *q, struct nic_deadline p, int rmw,
				       uint32_t size, struct nic_remote r, uint64_t value,
				       uint64_t compare, bool fetch)
{
	struct nic_op op = { .signal = true, .rkey = r.key, .remote = r.addr, .len = size };
	bool native = nic_amo_native(q, &op, rmw, value, compare);
	struct nic_fetched f = { 0, 0 };

	if (fetch || !native)
		return nic_amo_fetch(q, p, rmw, size, r, value, compare, native ? &op : NULL);
	op.local = q->result_values;
	op.lkey = q->results_key;
	f.err = nic_finish(q, p, 0, nic_issue(q, p, &op, false));
	return f;
}

#endif
