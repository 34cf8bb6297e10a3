// SPDX-License-Identifier: MIT
#include "fake/formats.h"

#include "nic/bnxt_format.h"
#include "nic/ionic_format.h"
#include "nic/mlx5_format.h"
#include "target/amo.h"

/* Half of a word: 0 is the one at the lower address. */
static uint32_t formats_half(uint64_t v, int which)
{
	return (uint32_t)(which ? v >> 32 : v);
}

static uint32_t formats_half_be(uint64_t v, int which)
{
	return nic_be_32(formats_half(v, which));
}

/* A lost peer, memory that is not there, anything else: in the numbers of the format. */
static uint32_t formats_syndrome(const uint8_t table[3], int error)
{
	bool silent = error == MORI_SHMEM_EPEER || error == MORI_SHMEM_ETIMEDOUT;

	return !error ? 0 : table[silent ? 0 : error == MORI_SHMEM_EFAULT ? 1 : 2];
}

/* The read-modify-write that an atomic was made of; -1: none. */
static int formats_rmw(const struct nic_op *op, uint64_t *value)
{
	uint64_t ones = op->len == 8 ? UINT64_MAX : UINT32_MAX;

	*value = op->value & ones;
	if (op->kind == NIC_ADD)
		return MORI_SHMEM_AMO_ADD;
	if (op->kind == NIC_CAS)
		return MORI_SHMEM_AMO_COMPARE_SWAP;
	if (op->kind == NIC_MASKED_ADD)
		return !op->value_mask	      ? MORI_SHMEM_AMO_ADD :
		       op->value_mask == ones ? MORI_SHMEM_AMO_XOR :
						-1;
	if (op->compare_mask == ones && op->value_mask == ones)
		return MORI_SHMEM_AMO_COMPARE_SWAP;
	if (op->compare_mask)
		return -1;
	if (op->value_mask == ones)
		return MORI_SHMEM_AMO_SET;
	if (op->value == op->value_mask)
		return MORI_SHMEM_AMO_OR;
	*value = ~op->value_mask & ones;
	return op->value ? -1 : MORI_SHMEM_AMO_AND;
}

static uint64_t mlx5_rung(const struct nic_server *s)
{
	const uint32_t *record = (const uint32_t *)s->record + MLX5_SEND_RECORD;

	/* Acquire: pairs with the release in mlx5_ring(). */
	return nic_unwrap(s->next, nic_be_32(__atomic_load_n(record, __ATOMIC_ACQUIRE)), 16);
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
		op->len = formats_half_be(nic_serve_word(s, i), 0);
	op->lkey = formats_half_be(nic_serve_word(s, i), 1);
	op->local = nic_be_64(nic_serve_word(s, i + 1));
}

static int mlx5_read_inline(const struct nic_server *s, struct nic_op *op)
{
	op->kind = NIC_INLINE;
	op->len = formats_half_be(nic_serve_word(s, 4), 0) & ~MLX5_INLINE;
	if (op->len > NIC_INLINE_MAX)
		return MORI_SHMEM_EINVAL;
	for (uint32_t i = 0; i * 8 < op->len; i++) {
		op->data[i] = formats_half(nic_serve_word(s, 4 + i), 1);
		if (i * 8 + 4 < op->len) /* the next word may be beyond the entry */
			op->data[i] |= (uint64_t)formats_half(nic_serve_word(s, 5 + i), 0) << 32;
	}
	return 0;
}

static void mlx5_read_atomic(const struct nic_server *s, struct nic_op *op)
{
	uint64_t a = nic_serve_word(s, 4), b = nic_serve_word(s, 5);

	if (!mlx5_extended(op->kind)) {
		op->value = nic_be_64(a);
		op->compare = nic_be_64(b);
	} else if (op->kind == NIC_MASKED_ADD) {
		op->value = op->len == 8 ? nic_be_64(a) : formats_half_be(a, 0);
		op->value_mask = op->len == 8 ? nic_be_64(b) : formats_half_be(a, 1);
	} else if (op->len == 8) {
		op->value = nic_be_64(a);
		op->compare = nic_be_64(b);
		op->value_mask = nic_be_64(nic_serve_word(s, 6));
		op->compare_mask = nic_be_64(nic_serve_word(s, 7));
	} else {
		op->value = formats_half_be(a, 0);
		op->compare = formats_half_be(a, 1);
		op->value_mask = formats_half_be(b, 0);
		op->compare_mask = formats_half_be(b, 1);
	}
	mlx5_read_data(s, op->kind == NIC_MASKED_CAS && op->len == 8 ? 8 : 6, op);
}

static int mlx5_read(const struct nic_server *s, struct nic_job *job)
{
	struct nic_op *op = &job->op;
	uint32_t first = formats_half_be(nic_serve_word(s, 0), 0),
		 second = formats_half_be(nic_serve_word(s, 0), 1);
	uint32_t segments = second & 0x3f;

	op->kind = mlx5_kind(first & 0xff);
	if (!op->kind || (first >> 8 & 0xffff) != (s->next & 0xffff) || second >> 8 != s->qpn)
		return MORI_SHMEM_EINVAL;
	job->slots = (segments + 3) / 4;
	if (!nic_serve_shows(s, job->slots))
		return MORI_SHMEM_EINVAL;
	op->signal = formats_half_be(nic_serve_word(s, 1), 0) & MLX5_SIGNAL;
	op->remote = nic_be_64(nic_serve_word(s, 2));
	op->rkey = formats_half_be(nic_serve_word(s, 3), 0);
	if (nic_is_atomic(op->kind)) {
		op->len = !mlx5_extended(op->kind) || first >> 24 & 1 ? 8 : 4;
		mlx5_read_atomic(s, op);
	} else if (op->kind == NIC_WRITE && segments > 2 &&
		   formats_half_be(nic_serve_word(s, 4), 0) & MLX5_INLINE) {
		if (mlx5_read_inline(s, op))
			return MORI_SHMEM_EINVAL;
	} else if (segments > 2) {
		mlx5_read_data(s, 4, op);
	}
	return segments == mlx5_segments(op) ? 0 : MORI_SHMEM_EINVAL;
}

static uint64_t mlx5_complete(const struct nic_server *s, const struct nic_job *job, int error,
			      uint32_t fresh, uint64_t *cqe)
{
	uint32_t syndrome = formats_syndrome((const uint8_t[]){ 0x15, 0x13, 0x14 }, error);
	uint32_t op = (syndrome ? MLX5_CQE_ERROR : MLX5_CQE_OK) << 4 | !fresh;

	cqe[6] = (uint64_t)syndrome << 56;
	return nic_pair_be(mlx5_opcode(job->op.kind) << 24 | s->qpn,
			   (uint32_t)(job->slot & 0xffff) << 16 | op);
}

static uint64_t bnxt_rung(const struct nic_server *s)
{
	/* Acquire: pairs with the release in bnxt_ring(). */
	uint64_t bell = __atomic_load_n((const uint64_t *)s->doorbell, __ATOMIC_ACQUIRE);
	uint32_t index = formats_half(bell, 0) & ((1u << BNXT_DB_EPOCH) - 1);
	uint32_t round = formats_half(bell, 0) >> BNXT_DB_EPOCH & 1;

	if (!(formats_half(bell, 1) & BNXT_DB_VALID))
		return s->next;
	return nic_unwrap(s->next, index / s->index_by + (round << s->log_slots), s->log_slots + 1);
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
	uint32_t first = formats_half(nic_serve_word(s, 0), 0), flags = first >> 8 & 0xff,
		 units = first >> 16;

	op->kind = bnxt_kind(first & 0xff, flags);
	op->signal = flags & BNXT_SIGNAL;
	if (!op->kind)
		return MORI_SHMEM_EINVAL;
	if (nic_is_atomic(op->kind)) {
		op->rkey = formats_half(nic_serve_word(s, 0), 1);
		op->remote = nic_serve_word(s, 1);
		op->value = nic_serve_word(s, 2);
		op->compare = nic_serve_word(s, 3);
		op->len = 8;
	} else {
		op->len = formats_half(nic_serve_word(s, 1), 0);
		op->remote = nic_serve_word(s, 2);
		op->rkey = formats_half(nic_serve_word(s, 3), 0);
	}
	if (op->kind == NIC_INLINE) {
		for (uint32_t i = 0; op->len <= NIC_INLINE_MAX && i * 8 < op->len; i++)
			op->data[i] = nic_serve_word(s, 4 + i);
	} else {
		op->local = nic_serve_word(s, 4);
		op->lkey = formats_half(nic_serve_word(s, 5), 0);
	}
	if ((op->kind == NIC_INLINE && op->len > NIC_INLINE_MAX) ||
	    units != (s->index_by > 1 ? s->index_by : bnxt_units(op)))
		return MORI_SHMEM_EINVAL;
	return 0;
}

static uint64_t bnxt_complete(const struct nic_server *s, const struct nic_job *job, int error,
			      uint32_t fresh, uint64_t *cqe)
{
	uint32_t syndrome = formats_syndrome((const uint8_t[]){ 0x0a, 0x07, 0x08 }, error);

	cqe[1] = (job->slot + job->slots) & (((uint64_t)1 << s->log_slots) - 1);
	return fresh | BNXT_CQE_REQ << 1 | syndrome << 8;
}

static uint64_t ionic_rung(const struct nic_server *s)
{
	/* Acquire: pairs with the release in ionic_ring(). */
	uint64_t bell = __atomic_load_n((const uint64_t *)s->doorbell, __ATOMIC_ACQUIRE);

	return nic_unwrap(s->next, bell & 0xffff, s->log_slots);
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
	op->value = (uint64_t)formats_half_be(nic_serve_word(s, 3), 1) << 32 |
		    formats_half_be(nic_serve_word(s, 4), 0);
	op->compare = (uint64_t)formats_half_be(nic_serve_word(s, 4), 1) << 32 |
		      formats_half_be(nic_serve_word(s, 5), 0);
	op->lkey = formats_half_be(nic_serve_word(s, s->flags & NIC_IONIC_V1 ? 7 : 5), 1);
	op->local = nic_be_64(nic_serve_word(s, 6));
}

static int ionic_read(const struct nic_server *s, struct nic_job *job)
{
	uint64_t size = (uint64_t)1 << s->log_slots;
	uint32_t first = formats_half_be(nic_serve_word(s, 1), 0), flags = first & 0xffff;
	uint32_t colour = s->next & size ? 0 : IONIC_COLOUR;
	struct nic_op *op = &job->op;

	op->kind = ionic_kind(first >> 24, flags, s->flags & NIC_IONIC_V1);
	op->signal = flags & IONIC_SIGNAL;
	if (!op->kind || nic_serve_word(s, 0) != (s->next & (size - 1)) ||
	    (flags & IONIC_COLOUR) != colour)
		return MORI_SHMEM_EINVAL;
	op->remote = (uint64_t)formats_half_be(nic_serve_word(s, 2), 0) << 32 |
		     formats_half_be(nic_serve_word(s, 2), 1);
	op->rkey = formats_half_be(nic_serve_word(s, 3), 0);
	if (nic_is_atomic(op->kind)) {
		ionic_read_atomic(s, op);
		return 0;
	}
	op->len = formats_half_be(nic_serve_word(s, 3), 1);
	if (op->kind != NIC_INLINE) {
		op->local = nic_be_64(nic_serve_word(s, 4));
		op->lkey = formats_half_be(nic_serve_word(s, 5), 1);
		return formats_half_be(nic_serve_word(s, 5), 0) == op->len ? 0 : MORI_SHMEM_EINVAL;
	}
	for (uint32_t i = 0; op->len <= NIC_INLINE_MAX && i * 8 < op->len; i++)
		op->data[i] = nic_serve_word(s, 4 + i);
	return op->len <= NIC_INLINE_MAX ? 0 : MORI_SHMEM_EINVAL;
}

static uint64_t ionic_complete(const struct nic_server *s, const struct nic_job *job, int error,
			       uint32_t fresh, uint64_t *cqe)
{
	uint32_t syndrome = formats_syndrome((const uint8_t[]){ 11, 9, 10 }, error);
	uint32_t op = s->qpn << 8 | IONIC_CQE_REMOTE << 5 | fresh;

	cqe[0] = nic_pair_be(0, (uint32_t)(job->slot + job->slots));
	return nic_pair_be(syndrome, op | (syndrome ? IONIC_CQE_ERROR : 0));
}

__attribute__((constructor)) static void formats_add(void)
{
	static const struct nic_serve_format mlx5 = { mlx5_rung, mlx5_read, formats_rmw,
						      mlx5_complete };
	static const struct nic_serve_format bnxt = { bnxt_rung, bnxt_read, formats_rmw,
						      bnxt_complete };
	static const struct nic_serve_format ionic = { ionic_rung, ionic_read, formats_rmw,
						       ionic_complete };

	nic_serve_formats[NIC_MLX5] = &mlx5;
	nic_serve_formats[NIC_BNXT] = &bnxt;
	nic_serve_formats[NIC_IONIC] = &ionic;
}

/* What a masked atomic leaves of @old. */
static uint64_t formats_masked(const struct nic_op *op, uint64_t old)
{
	uint64_t ones = op->len == 8 ? UINT64_MAX : UINT32_MAX, m = op->value_mask;

	if (op->kind == NIC_RMW)
		return amo_eval((int)op->rmw, op->len == 8, old, op->value, op->compare);
	if (op->kind == NIC_MASKED_ADD)
		return (((old & ~m) + (op->value & ~m)) ^ ((old ^ op->value) & m)) & ones;
	if ((old ^ op->compare) & op->compare_mask)
		return old;
	return (old & ~m) | (op->value & m);
}

uint64_t formats_atomic(const struct nic_op *op, void *at)
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
		while (!__atomic_compare_exchange_n(wide, &old, formats_masked(op, old), false,
						    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			;
		return old;
	}
	low = __atomic_load_n(narrow, __ATOMIC_SEQ_CST);
	while (!__atomic_compare_exchange_n(narrow, &low, (uint32_t)formats_masked(op, low), false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	return low;
}
