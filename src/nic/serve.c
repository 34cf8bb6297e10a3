// SPDX-License-Identifier: MIT
#include "nic/serve.h"

#include "nic/bnxt_format.h"
#include "nic/ionic_format.h"
#include "nic/mlx5_format.h"

#include <mori/shmem_types.h>

#include <string.h>

/* Slots shown and not yet read must be so many at least. */
static bool there(const struct nic_server *s, uint32_t slots)
{
	return nic_serve_rung(s) - s->next >= slots;
}

static uint64_t word(const struct nic_server *s, uint32_t i)
{
	uint32_t log = nic_log_slot(s->format);
	uint64_t mask = ((uint64_t)1 << (s->log_slots + log)) - 1, v;

	memcpy(&v, (const char *)s->ring + (((s->next << log) + i * 8u) & mask), 8);
	return v;
}

/* Half of a word: 0 is the one at the lower address. */
static uint32_t half(uint64_t v, int which)
{
	return (uint32_t)(which ? v >> 32 : v);
}

static uint32_t half_be(uint64_t v, int which)
{
	return nic_be_32(half(v, which));
}

void nic_serve_open(struct nic_server *s, const struct nic_queue *q)
{
	*s = (struct nic_server){
		.format = q->format,
		.flags = q->flags,
		.log_slots = q->log_slots,
		.log_cq = q->log_cq,
		.qpn = q->qpn,
		.index_by = q->index_by,
		.ring = (const void *)(uintptr_t)q->ring,
		.cq = (void *)(uintptr_t)q->cq,
		.doorbell = (const void *)(uintptr_t)q->doorbell,
		.record = (const void *)(uintptr_t)q->record,
		.next = q->ready,
		.told = q->seen,
	};
}

/* Acquire: pairs with the release of the leaf that rings. */
uint64_t nic_serve_rung(const struct nic_server *s)
{
	uint64_t bell;

	if (s->format == NIC_MLX5) {
		const uint32_t *record = (const uint32_t *)s->record + MLX5_SEND_RECORD;

		return nic_unwrap(s->next, nic_be_32(__atomic_load_n(record, __ATOMIC_ACQUIRE)),
				  16);
	}
	bell = __atomic_load_n((const uint64_t *)s->doorbell, __ATOMIC_ACQUIRE);
	if (s->format == NIC_BNXT) {
		uint32_t index = half(bell, 0) & ((1u << BNXT_DB_EPOCH) - 1);
		uint32_t round = half(bell, 0) >> BNXT_DB_EPOCH & 1;

		if (!(half(bell, 1) & BNXT_DB_VALID))
			return s->next;
		return nic_unwrap(s->next, index / s->index_by + (round << s->log_slots),
				  s->log_slots + 1);
	}
	return s->format == NIC_IONIC ? nic_unwrap(s->next, bell & 0xffff, s->log_slots) : bell;
}

static int soft_read(const struct nic_server *s, struct nic_job *job)
{
	struct nic_op *op = &job->op;
	uint32_t first = half(word(s, 0), 0);

	op->kind = first & 0xff;
	op->signal = first >> 8 & 1;
	op->len = half(word(s, 0), 1);
	op->remote = word(s, 1);
	op->rkey = half(word(s, 2), 0);
	op->lkey = half(word(s, 2), 1);
	op->local = word(s, 3);
	for (uint32_t i = 0; i < NIC_INLINE_MAX / 8; i++)
		op->data[i] = word(s, 4 + i);
	if (op->kind < NIC_WRITE || op->kind > NIC_ADD_REAL ||
	    (op->kind == NIC_INLINE && op->len > NIC_INLINE_MAX))
		return MORI_SHMEM_EINVAL;
	return 0;
}

static uint32_t mlx5_kind(uint32_t opcode)
{
	switch (opcode) {
	case MLX5_OP_WRITE:
		return NIC_WRITE;
	case MLX5_OP_READ:
		return NIC_READ;
	case MLX5_OP_ADD:
		return NIC_ADD;
	case MLX5_OP_CAS:
		return NIC_CAS;
	case MLX5_OP_MASKED_ADD:
		return NIC_MASKED_ADD;
	case MLX5_OP_MASKED_CAS:
		return NIC_MASKED_CAS;
	default:
		return 0;
	}
}

/* A data segment at word @i. */
static void mlx5_read_data(const struct nic_server *s, uint32_t i, struct nic_op *op)
{
	if (!nic_is_atomic(op->kind))
		op->len = half_be(word(s, i), 0);
	op->lkey = half_be(word(s, i), 1);
	op->local = nic_be_64(word(s, i + 1));
}

static int mlx5_read_inline(const struct nic_server *s, struct nic_op *op)
{
	op->kind = NIC_INLINE;
	op->len = half_be(word(s, 4), 0) & ~MLX5_INLINE;
	if (op->len > NIC_INLINE_MAX)
		return MORI_SHMEM_EINVAL;
	for (uint32_t i = 0; i * 8 < op->len; i++) {
		op->data[i] = half(word(s, 4 + i), 1);
		if (i * 8 + 4 < op->len) /* the next word may be beyond the entry */
			op->data[i] |= (uint64_t)half(word(s, 5 + i), 0) << 32;
	}
	return 0;
}

static void mlx5_read_atomic(const struct nic_server *s, struct nic_op *op)
{
	uint64_t a = word(s, 4), b = word(s, 5);

	if (!mlx5_extended(op->kind)) {
		op->value = nic_be_64(a);
		op->compare = nic_be_64(b);
	} else if (op->kind == NIC_MASKED_ADD) {
		op->value = op->len == 8 ? nic_be_64(a) : half_be(a, 0);
		op->value_mask = op->len == 8 ? nic_be_64(b) : half_be(a, 1);
	} else if (op->len == 8) {
		op->value = nic_be_64(a);
		op->compare = nic_be_64(b);
		op->value_mask = nic_be_64(word(s, 6));
		op->compare_mask = nic_be_64(word(s, 7));
	} else {
		op->value = half_be(a, 0);
		op->compare = half_be(a, 1);
		op->value_mask = half_be(b, 0);
		op->compare_mask = half_be(b, 1);
	}
	mlx5_read_data(s, op->kind == NIC_MASKED_CAS && op->len == 8 ? 8 : 6, op);
}

static int mlx5_read(const struct nic_server *s, struct nic_job *job)
{
	struct nic_op *op = &job->op;
	uint32_t first = half_be(word(s, 0), 0), second = half_be(word(s, 0), 1);
	uint32_t segments = second & 0x3f;

	op->kind = mlx5_kind(first & 0xff);
	if (!op->kind || (first >> 8 & 0xffff) != (s->next & 0xffff) || second >> 8 != s->qpn)
		return MORI_SHMEM_EINVAL;
	job->slots = (segments + 3) / 4;
	if (!there(s, job->slots))
		return MORI_SHMEM_EINVAL;
	op->signal = half_be(word(s, 1), 0) & MLX5_SIGNAL;
	op->remote = nic_be_64(word(s, 2));
	op->rkey = half_be(word(s, 3), 0);
	if (nic_is_atomic(op->kind)) {
		op->len = !mlx5_extended(op->kind) || first >> 24 & 1 ? 8 : 4;
		mlx5_read_atomic(s, op);
	} else if (op->kind == NIC_WRITE && segments > 2 && half_be(word(s, 4), 0) & MLX5_INLINE) {
		if (mlx5_read_inline(s, op))
			return MORI_SHMEM_EINVAL;
	} else if (segments > 2) {
		mlx5_read_data(s, 4, op);
	}
	return segments == mlx5_segments(op) ? 0 : MORI_SHMEM_EINVAL;
}

static uint32_t bnxt_kind(uint32_t opcode, uint32_t flags)
{
	switch (opcode) {
	case BNXT_OP_WRITE:
		return flags & BNXT_INLINE ? NIC_INLINE : NIC_WRITE;
	case BNXT_OP_READ:
		return NIC_READ;
	case BNXT_OP_CAS:
		return NIC_CAS;
	case BNXT_OP_ADD:
		return NIC_ADD;
	default:
		return 0;
	}
}

static int bnxt_read(const struct nic_server *s, struct nic_job *job)
{
	struct nic_op *op = &job->op;
	uint32_t first = half(word(s, 0), 0), flags = first >> 8 & 0xff, units = first >> 16;

	op->kind = bnxt_kind(first & 0xff, flags);
	op->signal = flags & BNXT_SIGNAL;
	if (!op->kind)
		return MORI_SHMEM_EINVAL;
	if (nic_is_atomic(op->kind)) {
		op->rkey = half(word(s, 0), 1);
		op->remote = word(s, 1);
		op->value = word(s, 2);
		op->compare = word(s, 3);
		op->len = 8;
	} else {
		op->len = half(word(s, 1), 0);
		op->remote = word(s, 2);
		op->rkey = half(word(s, 3), 0);
	}
	if (op->kind == NIC_INLINE) {
		for (uint32_t i = 0; op->len <= NIC_INLINE_MAX && i * 8 < op->len; i++)
			op->data[i] = word(s, 4 + i);
	} else {
		op->local = word(s, 4);
		op->lkey = half(word(s, 5), 0);
	}
	if ((op->kind == NIC_INLINE && op->len > NIC_INLINE_MAX) ||
	    units != (s->index_by > 1 ? s->index_by : bnxt_units(op)))
		return MORI_SHMEM_EINVAL;
	return 0;
}

static uint32_t ionic_kind(uint32_t opcode, uint32_t flags, bool v1)
{
	static const uint8_t kinds[] = { NIC_WRITE, NIC_READ, NIC_CAS, NIC_ADD };

	for (size_t i = 0; i < sizeof(kinds); i++)
		if (opcode == ionic_opcode(kinds[i], v1))
			return kinds[i] == NIC_WRITE && flags & IONIC_INLINE ? NIC_INLINE :
									       kinds[i];
	return 0;
}

static void ionic_read_atomic(const struct nic_server *s, struct nic_op *op)
{
	op->len = 8;
	op->value = (uint64_t)half_be(word(s, 3), 1) << 32 | half_be(word(s, 4), 0);
	op->compare = (uint64_t)half_be(word(s, 4), 1) << 32 | half_be(word(s, 5), 0);
	op->lkey = half_be(word(s, s->flags & NIC_IONIC_V1 ? 7 : 5), 1);
	op->local = nic_be_64(word(s, 6));
}

static int ionic_read(const struct nic_server *s, struct nic_job *job)
{
	uint64_t size = (uint64_t)1 << s->log_slots;
	uint32_t first = half_be(word(s, 1), 0), flags = first & 0xffff;
	uint32_t colour = s->next & size ? 0 : IONIC_COLOUR;
	struct nic_op *op = &job->op;

	op->kind = ionic_kind(first >> 24, flags, s->flags & NIC_IONIC_V1);
	op->signal = flags & IONIC_SIGNAL;
	if (!op->kind || word(s, 0) != (s->next & (size - 1)) || (flags & IONIC_COLOUR) != colour)
		return MORI_SHMEM_EINVAL;
	op->remote = (uint64_t)half_be(word(s, 2), 0) << 32 | half_be(word(s, 2), 1);
	op->rkey = half_be(word(s, 3), 0);
	if (nic_is_atomic(op->kind)) {
		ionic_read_atomic(s, op);
		return 0;
	}
	op->len = half_be(word(s, 3), 1);
	if (op->kind != NIC_INLINE) {
		op->local = nic_be_64(word(s, 4));
		op->lkey = half_be(word(s, 5), 1);
		return half_be(word(s, 5), 0) == op->len ? 0 : MORI_SHMEM_EINVAL;
	}
	for (uint32_t i = 0; op->len <= NIC_INLINE_MAX && i * 8 < op->len; i++)
		op->data[i] = word(s, 4 + i);
	return op->len <= NIC_INLINE_MAX ? 0 : MORI_SHMEM_EINVAL;
}

static int read_entry(const struct nic_server *s, struct nic_job *job)
{
	switch ((enum nic_format)s->format) {
	case NIC_MLX5:
		return mlx5_read(s, job);
	case NIC_BNXT:
		return bnxt_read(s, job);
	case NIC_IONIC:
		return ionic_read(s, job);
	default:
		return soft_read(s, job);
	}
}

int nic_serve_next(struct nic_server *s, struct nic_job *job)
{
	int err;

	*job = (struct nic_job){ .slot = s->next, .slots = 1 };
	if (!there(s, 1))
		return 0;
	err = read_entry(s, job);
	if (err)
		return err;
	s->next += job->slots;
	return 1;
}

/* An error in the numbers of the format. */
static uint32_t syndrome_of(uint32_t format, int error)
{
	static const uint8_t table[NIC_FORMATS][3] = {
		[NIC_MLX5] = { 0x15, 0x13, 0x14 },
		[NIC_BNXT] = { 0x0a, 0x07, 0x08 },
		[NIC_IONIC] = { 11, 9, 10 },
	};
	bool silent = error == MORI_SHMEM_EPEER || error == MORI_SHMEM_ETIMEDOUT;

	if (!error || format == NIC_SOFT)
		return (uint32_t)-error;
	return table[format][silent ? 0 : error == MORI_SHMEM_EFAULT ? 1 : 2];
}

/* The words of a completion but the last, which makes it valid. */
static uint64_t completion(const struct nic_server *s, const struct nic_job *job, uint32_t syndrome,
			   uint64_t *cqe)
{
	uint32_t fresh = ~(uint32_t)(s->told >> s->log_cq) & 1;
	uint64_t end = job->slot + job->slots, mask = ((uint64_t)1 << s->log_slots) - 1;
	uint32_t op;

	switch ((enum nic_format)s->format) {
	case NIC_MLX5:
		op = (syndrome ? MLX5_CQE_ERROR : MLX5_CQE_OK) << 4 | !fresh;
		cqe[6] = (uint64_t)syndrome << 56;
		return nic_pair_be(mlx5_opcode(job->op.kind) << 24 | s->qpn,
				   (uint32_t)(job->slot & 0xffff) << 16 | op);
	case NIC_BNXT:
		cqe[1] = end & mask;
		return fresh | BNXT_CQE_REQ << 1 | syndrome << 8;
	case NIC_IONIC:
		cqe[0] = nic_pair_be(0, (uint32_t)end);
		op = s->qpn << 8 | IONIC_CQE_REMOTE << 5 | fresh;
		return nic_pair_be(syndrome, op | (syndrome ? IONIC_CQE_ERROR : 0));
	default:
		cqe[0] = nic_pair((uint32_t)end, syndrome);
		return nic_pair(0, fresh);
	}
}

void nic_serve_tell(struct nic_server *s, const struct nic_job *job, int error)
{
	uint32_t log = nic_log_cqe(s->format);
	uint64_t index = s->told & (((uint64_t)1 << s->log_cq) - 1);
	uint64_t *cqe = (uint64_t *)((char *)s->cq + (index << log)), last;

	if (!error && !job->op.signal)
		return;
	memset(cqe, 0, ((size_t)1 << log) - 8);
	last = completion(s, job, syndrome_of(s->format, error), cqe);
	s->told++;
	/* Release: pairs with the acquire of the leaf that polls. */
	__atomic_store_n(&cqe[((size_t)1 << log) / 8 - 1], last, __ATOMIC_RELEASE);
}

/* What a masked atomic leaves of @old. */
static uint64_t masked(const struct nic_op *op, uint64_t old)
{
	uint64_t ones = op->len == 8 ? UINT64_MAX : UINT32_MAX, m = op->value_mask;

	if (op->kind == NIC_ADD_REAL)
		return nic_add_real((uint32_t)op->len, old, op->value);
	if (op->kind == NIC_MASKED_ADD)
		return (((old & ~m) + (op->value & ~m)) ^ ((old ^ op->value) & m)) & ones;
	if ((old ^ op->compare) & op->compare_mask)
		return old;
	return (old & ~m) | (op->value & m);
}

uint64_t nic_serve_atomic(const struct nic_op *op, void *at)
{
	uint64_t *wide = (uint64_t *)at, old;
	uint32_t *narrow = (uint32_t *)at, low;

	if (op->kind == NIC_ADD)
		return __atomic_fetch_add(wide, op->value, __ATOMIC_SEQ_CST);
	if (op->kind == NIC_CAS) {
		old = op->compare;
		__atomic_compare_exchange_n(wide, &old, op->value, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST);
		return old;
	}
	if (op->len == 8) {
		old = __atomic_load_n(wide, __ATOMIC_SEQ_CST);
		while (!__atomic_compare_exchange_n(wide, &old, masked(op, old), false,
						    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			;
		return old;
	}
	low = __atomic_load_n(narrow, __ATOMIC_SEQ_CST);
	while (!__atomic_compare_exchange_n(narrow, &low, (uint32_t)masked(op, low), false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	return low;
}

void nic_serve_result(const struct nic_server *s, const struct nic_job *job, void *local,
		      uint64_t old)
{
	uint32_t low = s->flags & NIC_RESULT_BE_4 ? nic_be_32((uint32_t)old) : (uint32_t)old;

	if (job->op.len == 8)
		__atomic_store_n((uint64_t *)local,
				 s->flags & NIC_RESULT_BE_8 ? nic_be_64(old) : old,
				 __ATOMIC_RELEASE);
	else
		__atomic_store_n((uint32_t *)local, low, __ATOMIC_RELEASE);
}
