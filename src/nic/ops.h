// SPDX-License-Identifier: MIT
/*
 * Operations over a queue: copies, small values, atomics, data with a signal. What a
 * NIC cannot do is made of what it can: a read-modify-write of its own word by
 * compare-swaps on the 8 bytes around it. All are of one thread, and all give 0 or
 * why not.
 */
#ifndef MORI_NIC_OPS_H
#define MORI_NIC_OPS_H

#include "nic/post.h"

/* A place at the other end of a queue. */
struct nic_remote {
	uint64_t addr;
	uint32_t key;
};

/* Memory of this end. */
struct nic_local {
	uint64_t addr;
	uint32_t key;
};

/*
 * @len bytes, more than none, by entries of q->max_len; gives what to wait for, or a status.
 * @kind is NIC_WRITE or NIC_READ, a constant where this is called; so is @hold.
 */
static inline __attribute__((always_inline, unused)) int64_t
nic_copy(struct nic_queue *q, struct nic_patience p, const enum nic_kind kind, const bool hold,
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
	return issued; /* entries finish in order: waiting for the last is waiting for all */
}

/* NIC_DONE: @from may change after it, and the data is at the other end. */
NIC_LEAF int nic_put(struct nic_queue *q, struct nic_patience p, uint32_t how,
		     struct nic_local from, struct nic_remote to, uint64_t len)
{
	return nic_finish(q, p, how, nic_copy(q, p, NIC_WRITE, how & NIC_HOLD, from, to, len));
}

/* NIC_DONE: the data is here. */
NIC_LEAF int nic_get(struct nic_queue *q, struct nic_patience p, uint32_t how, struct nic_local to,
		     struct nic_remote from, uint64_t len)
{
	return nic_finish(q, p, how, nic_copy(q, p, NIC_READ, how & NIC_HOLD, to, from, len));
}

/* Word @i of the @len bytes at @src. */
NIC_LEAF uint64_t nic_bytes(const void *src, uint64_t len, uint32_t i)
{
	const uint8_t *bytes = (const uint8_t *)src + i * 8ull;
	uint64_t word = 0;

	for (uint32_t k = 0; k < 8; k++)
		if (i * 8ull + k < len)
			word |= (uint64_t)bytes[k] << 8 * k;
	return word;
}

/* Up to NIC_INLINE_MAX bytes, which may change as soon as this has returned. */
NIC_LEAF int nic_put_inline(struct nic_queue *q, struct nic_patience p, uint32_t how,
			    const void *src, struct nic_remote to, uint64_t len)
{
	struct nic_op op = { .kind = NIC_INLINE, .signal = true, .rkey = to.key };

	op.remote = to.addr;
	op.len = len;
	for (uint32_t i = 0; i < NIC_INLINE_MAX / 8; i++)
		op.data[i] = nic_bytes(src, len, i);
	return nic_finish(q, p, how, nic_issue(q, p, &op, how & NIC_HOLD));
}

NIC_LEAF uint64_t nic_ones(uint32_t size)
{
	return size == 8 ? UINT64_MAX : UINT32_MAX;
}

/* As masked read-modify-writes, which give every one of them. */
NIC_LEAF void nic_amo_masked(struct nic_op *op, int rmw, uint64_t value, uint64_t compare)
{
	uint64_t ones = nic_ones((uint32_t)op->len);
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

/* Makes an entry of the read-modify-write @rmw, one of tgt_amo(); false: the NIC has none. */
NIC_LEAF bool nic_amo_native(const struct nic_queue *q, struct nic_op *op, int rmw, uint64_t value,
			     uint64_t compare)
{
	bool masked =
		q->format == NIC_SOFT || (q->format == NIC_MLX5 && !(q->flags & NIC_NO_MASKED));

	if (rmw == NIC_AMO_READ || (rmw == NIC_AMO_ADD_REAL && q->format == NIC_SOFT)) {
		op->kind = rmw == NIC_AMO_READ ? NIC_READ : NIC_ADD_REAL;
		op->value = value;
		return true;
	}
	if (rmw == NIC_AMO_ADD_REAL)
		return false;
	value &= nic_ones((uint32_t)op->len);
	compare &= nic_ones((uint32_t)op->len);
	nic_amo_masked(op, rmw, value, compare);
	if (op->len == 8 && (rmw == MORI_SHMEM_AMO_ADD || rmw == MORI_SHMEM_AMO_FETCH))
		op->kind = NIC_ADD;
	else if (op->len == 8 && rmw == MORI_SHMEM_AMO_COMPARE_SWAP)
		op->kind = NIC_CAS;
	else
		return masked;
	op->value_mask = op->compare_mask = 0;
	return true;
}

NIC_LEAF uint64_t *nic_cell_user(const struct nic_queue *q, uint32_t cell)
{
	return (uint64_t *)tgt_pointer(q->cell_users + cell * 8ull);
}

/*
 * One of @n cells from the @from-th on, if one is free; else 0, which is never given. A
 * cell that was left to an entry is free when the NIC has finished that.
 */
NIC_LEAF uint32_t nic_cell_take(const struct nic_queue *q, uint64_t from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t cell = 1 + (uint32_t)((from + i) % (q->cells - 1));
		uint64_t user = nic_load_64(nic_cell_user(q, cell));

		if (user > 1 && nic_load_acquire_64(&q->done) < user >> 1)
			continue;
		if (user != 1 && nic_cas_64(nic_cell_user(q, cell), user, 1) == user)
			return cell;
	}
	return 0;
}

NIC_LEAF uint64_t nic_cell_value(const struct nic_queue *q, uint32_t cell, uint32_t kind,
				 uint64_t size)
{
	uint64_t v = nic_load_64(tgt_pointer(q->cell_values + cell * 8ull));

	if (kind == NIC_READ)
		return size == 8 ? v : v & (((uint64_t)1 << 8 * size) - 1);
	if (size == 8)
		return q->flags & NIC_RESULT_BE_8 ? nic_be_64(v) : v;
	return q->flags & NIC_RESULT_BE_4 ? nic_be_32((uint32_t)v) : (uint32_t)v;
}

/* What an atomic gives: what was there; after an error, to whom its cell is left (or 0). */
struct nic_fetched {
	uint64_t old;
	int err;
};

/* A read of more than a cell holds comes through its bounce, to where op->value says. */
NIC_LEAF bool nic_is_bulk(const struct nic_op *op)
{
	return op->kind == NIC_READ && op->len > 8;
}

NIC_LEAF void nic_unload(const struct nic_op *op)
{
	const uint8_t *from = (const uint8_t *)tgt_pointer(op->local);
	uint8_t *to = (uint8_t *)(uintptr_t)op->value; /* of any kind of memory */

	for (uint64_t i = 0; i < op->len; i++)
		to[i] = from[i];
}

/* One entry that fetches, with cell @cell for the result. */
NIC_LEAF struct nic_fetched nic_fetch(struct nic_queue *q, struct nic_patience p, struct nic_op *op,
				      uint32_t cell)
{
	struct nic_fetched f = { 0, 0 };
	int64_t issued;

	op->local = nic_is_bulk(op) ? q->bounce + cell * (uint64_t)NIC_BOUNCE :
				      q->cell_values + cell * 8ull;
	op->lkey = q->cells_key;
	issued = nic_issue(q, p, op, false);
	f.err = nic_finish(q, p, NIC_DONE, issued);
	if (!f.err && nic_is_bulk(op))
		nic_unload(op);
	else if (!f.err)
		f.old = nic_cell_value(q, cell, op->kind, op->len);
	else if (issued >= 0) /* the NIC may still write it */
		f.old = (uint64_t)issued << 1;
	return f;
}

/* What the read-modify-write leaves of @old. */
NIC_LEAF uint64_t nic_amo_result(int rmw, uint32_t size, uint64_t old, uint64_t value,
				 uint64_t compare)
{
	switch (rmw) {
	case NIC_AMO_ADD_REAL:
		return nic_add_real(size, old, value);
	case MORI_SHMEM_AMO_ADD:
		return old + value;
	case MORI_SHMEM_AMO_AND:
		return old & value;
	case MORI_SHMEM_AMO_OR:
		return old | value;
	case MORI_SHMEM_AMO_XOR:
		return old ^ value;
	case MORI_SHMEM_AMO_SET:
		return value;
	case MORI_SHMEM_AMO_COMPARE_SWAP:
		return old == compare ? value : old;
	default: /* MORI_SHMEM_AMO_FETCH */
		return old;
	}
}

/* By compare-swaps on the 8 bytes around the word, until one finds what it expects. */
NIC_CALL struct nic_fetched nic_emulate(struct nic_queue *q, struct nic_patience p, int rmw,
					uint32_t size, struct nic_remote r, uint64_t value,
					uint64_t compare, uint32_t cell)
{
	struct nic_op op = { .kind = NIC_ADD, .signal = true, .rkey = r.key, .len = 8 };
	uint32_t shift = size == 8 ? 0 : 8 * ((uint32_t)r.addr & 4);
	uint64_t ones = nic_ones(size), next;
	struct nic_fetched f;
	struct tgt_wait w;
	int err = 0;

	op.remote = r.addr & ~(uint64_t)7;
	tgt_wait_start(&w, p.st, p.ns, &q->done, MORI_SHMEM_CMP_GT, nic_load_64(&q->done));
	for (;;) { /* the first time it adds 0, to see what is there */
		f = nic_fetch(q, p, &op, cell);
		if (f.err || err || (op.kind == NIC_CAS && f.old == op.compare))
			break;
		op.compare = f.old;
		next = nic_amo_result(rmw, size, f.old >> shift & ones, value & ones,
				      compare & ones);
		op.value = (f.old & ~(ones << shift)) | (next & ones) << shift;
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
 * nic_amo() with a cell: any one, or for an emulation the one of its word, so that those of
 * a queue do not undo each other's compare-swaps. In step: see nic_post().
 */
NIC_LEAF struct nic_fetched nic_amo_fetch(struct nic_queue *q, struct nic_patience p, int rmw,
					  uint32_t size, struct nic_remote r, uint64_t value,
					  uint64_t compare, struct nic_op *op)
{
	uint64_t from = op ? nic_load_64(&q->taken) : r.addr >> 3;
	struct nic_fetched f = { 0, 0 };
	struct tgt_wait w;
	int err = 0;

	tgt_wait_start(&w, p.st, p.ns, &q->done, MORI_SHMEM_CMP_GT, nic_load_64(&q->done));
	for (;;) {
		uint32_t cell = nic_cell_take(q, from, op ? q->cells - 1 : 1);

		if (cell) {
			f = op ? nic_fetch(q, p, op, cell) :
				 nic_emulate(q, p, rmw, size, r, value, compare, cell);
			nic_store_release_64(nic_cell_user(q, cell), f.err ? f.old : 0);
		}
		nic_in_step();
		if (cell)
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
 * One read-modify-write (see tgt_amo(), and enum nic_amo) of 4 or 8 bytes at the other end,
 * and what was there. Without @fetch it does not wait, where the NIC can do it by itself.
 */
NIC_CALL struct nic_fetched nic_amo(struct nic_queue *q, struct nic_patience p, int rmw,
				    uint32_t size, struct nic_remote r, uint64_t value,
				    uint64_t compare, bool fetch)
{
	struct nic_op op = { .signal = true, .rkey = r.key, .remote = r.addr, .len = size };
	bool native = nic_amo_native(q, &op, rmw, value, compare);
	struct nic_fetched f = { 0, 0 };

	if (fetch || !native)
		return nic_amo_fetch(q, p, rmw, size, r, value, compare, native ? &op : NULL);
	op.local = q->cell_values;
	op.lkey = q->cells_key;
	f.err = nic_finish(q, p, 0, nic_issue(q, p, &op, false));
	return f;
}

/*
 * The data, then a signal: MORI_SHMEM_AMO_SET or _ADD of 8 bytes. Entries of a queue take
 * effect in order, and one doorbell shows both.
 */
NIC_LEAF int nic_put_signal(struct nic_queue *q, struct nic_patience p, struct nic_local from,
			    struct nic_remote to, uint64_t len, struct nic_remote sig, int rmw,
			    uint64_t value)
{
	int err = nic_put(q, p, NIC_HOLD, from, to, len);

	return err ? err : nic_amo(q, p, rmw, 8, sig, value, 0, false).err;
}

#endif
