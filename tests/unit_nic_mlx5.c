// SPDX-License-Identifier: MIT
/*
 * mlx5 entries are, byte for byte, what the inline functions and structs of
 * infiniband/mlx5dv.h make; completions written by its structs are understood, and
 * its functions understand ours.
 */
#if !__has_include(<infiniband/mlx5dv.h>)
#include "test.h"

int main(void)
{
	SKIP("infiniband/mlx5dv.h (package libibverbs-dev) is not installed");
}
#else
#include "unit_nic.h"

#include <infiniband/mlx5dv.h>

#define ROUNDS 200

static struct nic_op random_op(uint64_t *seed, uint32_t kind)
{
	struct nic_op op = { .kind = kind, .signal = rig_random(seed) & 1 };

	op.lkey = (uint32_t)rig_random(seed);
	op.rkey = (uint32_t)rig_random(seed);
	op.local = rig_random(seed);
	op.remote = rig_random(seed);
	op.len = 1 + rig_random(seed) % 0x3fffffff;
	return op;
}

/* The start of the entry, up to and with the remote address. */
static void oracle_head(uint8_t *out, uint16_t slot, const struct nic_op *op, uint8_t opcode,
			uint8_t opmod, uint8_t ds)
{
	struct mlx5_wqe_raddr_seg *raddr = (struct mlx5_wqe_raddr_seg *)(out + 16);

	mlx5dv_set_ctrl_seg((struct mlx5_wqe_ctrl_seg *)out, slot, opcode, opmod, RIG_QPN,
			    op->signal ? MLX5_WQE_CTRL_CQ_UPDATE : 0, ds, 0, 0);
	raddr->raddr = htobe64(op->remote);
	raddr->rkey = htobe32(op->rkey);
}

static void oracle_data(uint8_t *out, const struct nic_op *op, uint32_t len)
{
	mlx5dv_set_data_seg((struct mlx5_wqe_data_seg *)out, len, op->lkey, op->local);
}

/* Writes @op at @slot and compares @ds segments with @want, also where the ring ends. */
static void compare(const char *name, uint64_t slot, const struct nic_op *op, const uint8_t *want,
		    uint32_t ds)
{
	uint8_t got[128];
	struct rig r;

	rig_open(&r, &rig_kinds[1], 3, slot);
	nic_write(&r.q, slot, op);
	for (uint32_t i = 0; i < ds * 16; i++)
		got[i] = ((uint8_t *)(uintptr_t)r.q.ring)[(slot * 64 + i) % (8 * 64)];
	CHECK_MEM(name, got, want, ds * 16);
	CHECK_EQ(name, nic_slots(&r.q, op), (ds + 3) / 4);
	rig_close(&r);
}

static void test_copies(uint64_t *seed)
{
	static const struct {
		uint32_t kind;
		uint8_t opcode;
	} rows[] = { { NIC_WRITE, MLX5_OPCODE_RDMA_WRITE }, { NIC_READ, MLX5_OPCODE_RDMA_READ } };

	for (int i = 0; i < ROUNDS; i++) {
		struct nic_op op = random_op(seed, rows[i & 1].kind);
		uint64_t slot = rig_random(seed) & 0xffffffff;
		uint8_t want[128] = { 0 };

		oracle_head(want, (uint16_t)slot, &op, rows[i & 1].opcode, 0, 3);
		oracle_data(want + 32, &op, (uint32_t)op.len);
		compare(i & 1 ? "read" : "write", slot, &op, want, 3);
		op.len = 0;
		memset(want, 0, sizeof(want));
		oracle_head(want, (uint16_t)slot, &op, rows[i & 1].opcode, 0, 2);
		compare("nothing", slot, &op, want, 2);
	}
}

static void test_inline(uint64_t *seed)
{
	for (uint32_t len = 1; len <= NIC_INLINE_MAX; len++) {
		struct nic_op op = random_op(seed, NIC_INLINE);
		uint64_t slot = rig_random(seed) & 0xffffffff;
		uint8_t want[128] = { 0 }, data[NIC_INLINE_MAX] = { 0 };
		uint8_t ds = (uint8_t)(2 + (4 + len + 15) / 16);
		struct mlx5_wqe_inl_data_seg *seg = (struct mlx5_wqe_inl_data_seg *)(want + 32);

		for (uint32_t i = 0; i < len; i++)
			data[i] = (uint8_t)rig_random(seed);
		memcpy(op.data, data, sizeof(data));
		op.len = len;
		oracle_head(want, (uint16_t)slot, &op, MLX5_OPCODE_RDMA_WRITE, 0, ds);
		seg->byte_count = htobe32(len | MLX5_INLINE_SEG);
		memcpy(seg + 1, data, len);
		compare("inline", slot, &op, want, ds);
	}
}

static void test_atomics(uint64_t *seed)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct nic_op op = random_op(seed, i & 1 ? NIC_CAS : NIC_ADD);
		uint64_t slot = rig_random(seed) & 0xffffffff;
		uint8_t want[128] = { 0 };
		struct mlx5_wqe_atomic_seg *seg = (struct mlx5_wqe_atomic_seg *)(want + 32);

		op.len = 8;
		op.value = rig_random(seed);
		op.compare = i & 1 ? rig_random(seed) : 0;
		oracle_head(want, (uint16_t)slot, &op,
			    i & 1 ? MLX5_OPCODE_ATOMIC_CS : MLX5_OPCODE_ATOMIC_FA, 0, 4);
		seg->swap_add = htobe64(op.value);
		seg->compare = htobe64(op.compare);
		oracle_data(want + 48, &op, 8);
		compare(i & 1 ? "compare-swap" : "add", slot, &op, want, 4);
	}
}

/*
 * The header has no structs for masked atomics. The order of their fields and the modifiers
 * 8 and 9 are as in OpenUCX's src/uct/ib/mlx5/ib_mlx5.h and ib_mlx5.inl.
 */
static void test_masked(uint64_t *seed)
{
	for (int i = 0; i < 4 * ROUNDS; i++) {
		bool cas = i & 1, wide = i & 2;
		struct nic_op op = random_op(seed, cas ? NIC_MASKED_CAS : NIC_MASKED_ADD);
		uint64_t slot = rig_random(seed) & 0xffffffff,
			 ones = wide ? UINT64_MAX : UINT32_MAX;
		uint8_t want[128] = { 0 }, ds = cas && wide ? 5 : 4;
		uint64_t *w = (uint64_t *)(want + 32);
		uint32_t *n = (uint32_t *)(want + 32);

		op.len = wide ? 8 : 4;
		op.value = rig_random(seed) & ones;
		op.value_mask = rig_random(seed) & ones;
		op.compare = cas ? rig_random(seed) & ones : 0;
		op.compare_mask = cas ? rig_random(seed) & ones : 0;
		oracle_head(want, (uint16_t)slot, &op,
			    cas ? MLX5_OPCODE_ATOMIC_MASKED_CS : MLX5_OPCODE_ATOMIC_MASKED_FA,
			    wide ? 9 : 8, ds);
		if (wide) {
			w[0] = htobe64(op.value);
			w[1] = htobe64(cas ? op.compare : op.value_mask);
			w[2] = cas ? htobe64(op.value_mask) : 0;
			w[3] = cas ? htobe64(op.compare_mask) : 0;
		} else {
			n[0] = htobe32((uint32_t)op.value);
			n[1] = htobe32((uint32_t)(cas ? op.compare : op.value_mask));
			n[2] = cas ? htobe32((uint32_t)op.value_mask) : 0;
			n[3] = cas ? htobe32((uint32_t)op.compare_mask) : 0;
		}
		oracle_data(want + (ds - 1) * 16, &op, (uint32_t)op.len);
		compare("masked", slot, &op, want, ds);
	}
}

/* A completion of the entry at @slot, by the header's structs. */
static void oracle_cqe(struct rig *r, uint64_t at, uint64_t slot, uint8_t opcode, uint8_t syndrome)
{
	struct mlx5_cqe64 *cqe = (struct mlx5_cqe64 *)(uintptr_t)r->q.cq + at % 8;
	struct mlx5_err_cqe *err = (struct mlx5_err_cqe *)cqe;

	memset(cqe, 0x5a, sizeof(*cqe));
	cqe->wqe_counter = htobe16((uint16_t)slot);
	if (opcode == MLX5_CQE_REQ_ERR)
		err->syndrome = syndrome;
	cqe->op_own = (uint8_t)(opcode << 4);
	mlx5dv_set_cqe_owner(cqe, at / 8 & 1);
}

/* Records, register and completions, past the end of every counter. */
static void test_ring_and_poll(void)
{
	struct nic_op two = { .kind = NIC_MASKED_CAS, .len = 8, .signal = true };
	struct nic_op one = { .kind = NIC_WRITE, .len = 64, .signal = true };
	struct mlx5_wqe_ctrl_seg ctrl;
	uint64_t start = (1 << 16) - 5, end = 0;
	struct rig r;

	rig_open(&r, &rig_kinds[1], 3, start);
	r.q.seen = (1 << 24) - 3; /* the record of completions has 24 bits */
	for (int i = 0; i < 40; i++) {
		const struct nic_op *op = i & 1 ? &two : &one;
		uint64_t slot = r.q.taken, seen = r.q.seen;

		CHECK(rig_post(&r, op, 1, &end));
		CHECK_EQ("slots", end - slot, i & 1 ? 2 : 1);
		CHECK_EQ("record", be32toh(r.record[MLX5_SND_DBR]), end & 0xffff);
		mlx5dv_set_ctrl_seg(&ctrl, (uint16_t)slot, i & 1 ? 0x14 : 8, i & 1 ? 9 : 0, RIG_QPN,
				    0, i & 1 ? 5 : 3, 0, 0);
		CHECK_MEM("register", &r.doorbell, &ctrl, 8);
		nic_poll(&r.q);
		CHECK_EQ("not done", r.q.done, slot);
		oracle_cqe(&r, seen, slot, MLX5_CQE_REQ, 0);
		nic_poll(&r.q);
		CHECK_EQ("done", r.q.done, end);
		CHECK_EQ("seen", be32toh(r.cq_record[0]), (seen + 1) & 0xffffff);
	}
	CHECK_EQ("rings", r.q.rings, 40);
	CHECK(rig_post(&r, &one, 1, &end));
	oracle_cqe(&r, r.q.seen, end - 1, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	CHECK_EQ("error", nic_wait(&r.q, r.p, end), MORI_SHMEM_EIO);
	CHECK_EQ("syndrome", r.q.syndrome, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	CHECK_EQ("bad", r.q.bad, end - 1);
	rig_close(&r);
}

/* What the server writes, by the header's functions. */
static void test_tell(void)
{
	struct nic_op op = { .kind = NIC_READ, .len = 8, .signal = true };
	struct nic_job job;
	uint64_t end;
	struct rig r;

	rig_open(&r, &rig_kinds[1], 3, 0);
	for (int i = 0; i < 30; i++) {
		struct mlx5_cqe64 *cqe = (struct mlx5_cqe64 *)(uintptr_t)r.q.cq + i % 8;
		int error = i == 29 ? MORI_SHMEM_EPEER : 0;

		CHECK(rig_post(&r, &op, 1, &end));
		CHECK_EQ("job", nic_serve_next(&r.s, &job), 1);
		CHECK_EQ("nothing yet", mlx5dv_get_cqe_owner(cqe), i < 8 ? 0 : ~(i / 8) & 1);
		nic_serve_complete(&r.s, &job, error);
		CHECK_EQ("owner", mlx5dv_get_cqe_owner(cqe), i / 8 & 1);
		CHECK_EQ("opcode", mlx5dv_get_cqe_opcode(cqe),
			 error ? MLX5_CQE_REQ_ERR : MLX5_CQE_REQ);
		CHECK_EQ("counter", be16toh(cqe->wqe_counter), i);
		CHECK_EQ("qpn", be32toh(cqe->sop_drop_qpn) & 0xffffff, RIG_QPN);
		CHECK_EQ("wait", nic_wait(&r.q, r.p, end), error);
		if (error)
			CHECK_EQ("syndrome", ((struct mlx5_err_cqe *)cqe)->syndrome,
				 MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	}
	rig_close(&r);
}

int main(void)
{
	uint64_t seed = 1;

	test_deadline(100);
	test_copies(&seed);
	test_inline(&seed);
	test_atomics(&seed);
	test_masked(&seed);
	test_ring_and_poll();
	test_tell();
	return test_result();
}
#endif
