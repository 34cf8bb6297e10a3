// SPDX-License-Identifier: MIT
/*
 * NetXtreme-E: queue pairs of Broadcom's libbnxt_re, which reports how much memory they
 * need; we choose where. The ring is followed by the table for retransmission: 8 bytes per
 * message if the NIC retransmits by itself, and then indices count units of 16 bytes; else
 * 16 bytes per entry, and indices count entries.
 */
#include "net/verbs_lib.h"
#include "util/err.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define OBJ_CQ	    2u /* of bnxt_re_dv_init_obj() */
#define UMEM_DMABUF 1u
#define SLOT	    128u
#define UNIT	    16u
#define CQE	    32u

struct verbs_bnxt_qp {
	void *umem;
	struct bnxt_dv_qp_mem mem;
	struct bnxt_dv_cq_attr cq;
	uint64_t cq_handle;
	uint32_t rq_at, cq_at; /* offsets in the memory; the ring is at its start */
};

/* What the library needs, and whether our format fits that. */
static int verbs_bnxt_sizes(struct verbs_qp *q, struct verbs_bnxt_qp *b)
{
	struct ibv_qp_init_attr attr = verbs_qp_attr(q, 1u << q->nic->config.log_slots);
	const struct verbs_port *p = &q->nic->port;
	uint32_t slots, page = (uint32_t)sysconf(_SC_PAGESIZE);
	int code;

	errno = 0;
	b->cq_handle = (uintptr_t)verbs_calls.bnxt_cq_mem(q->nic->ctx,
							  1 << q->nic->config.log_slots, &b->cq);
	if (!b->cq_handle)
		return verbs_fail(p, errno, "bnxt_re_dv_cq_mem_alloc", "");
	code = verbs_calls.bnxt_qp_mem(q->nic->pd, &attr, &b->mem);
	if (code)
		return verbs_fail(p, code, "bnxt_re_dv_qp_mem_alloc", "");
	slots = b->mem.sq_slots / (SLOT / UNIT);
	if (b->cq.cqe_size != CQE || !slots || slots & (slots - 1) ||
	    b->cq.ncqe & (b->cq.ncqe - 1) || !b->mem.sq_npsn ||
	    b->mem.sq_npsn & (b->mem.sq_npsn - 1) ||
	    (b->mem.sq_psn_sz != 8 && b->mem.sq_psn_sz != 16) ||
	    b->mem.sq_len < slots * SLOT + b->mem.sq_npsn * b->mem.sq_psn_sz)
		return err_set(MORI_SHMEM_ENOTSUP,
			       "%s port %d: rings of %u units, %u numbers of %u bytes and %u "
			       "completions of %u bytes are not supported",
			       p->name, p->port, b->mem.sq_slots, b->mem.sq_npsn, b->mem.sq_psn_sz,
			       b->cq.ncqe, b->cq.cqe_size);
	q->q.flags = b->mem.sq_psn_sz == 8 ? NIC_BNXT_MSN : 0;
	q->q.index_by = b->mem.sq_psn_sz == 8 ? SLOT / UNIT : 1;
	q->q.log_slots = (uint32_t)__builtin_ctz(slots);
	q->q.log_cq = (uint32_t)__builtin_ctz(b->cq.ncqe);
	/* The table of messages wraps by itself, the other one with the ring. */
	q->q.log_psn =
		b->mem.sq_psn_sz == 8 ? (uint32_t)__builtin_ctz(b->mem.sq_npsn) : q->q.log_slots;
	b->rq_at = (b->mem.sq_len + page - 1) & ~(page - 1);
	b->cq_at = b->rq_at + ((b->mem.rq_len + page - 1) & ~(page - 1));
	return 0;
}

static int verbs_bnxt_rings_open(struct verbs_qp *q, struct verbs_bnxt_qp *b)
{
	struct bnxt_dv_umem in = { .access = IBV_ACCESS_LOCAL_WRITE };
	uint64_t off = 0;
	int err = verbs_rings_open(q, b->cq_at + b->cq.ncqe * CQE, b->cq_at), fd = -1;

	if (err)
		return err;
	in.addr = q->rings.at;
	in.size = q->rings.len;
	if (q->rings.device)
		fd = verbs_part_fd(q->nic, q->rings.at, q->rings.len, &off);
	if (fd >= 0 && !off) {
		in.comp_mask = UMEM_DMABUF;
		in.dmabuf_fd = fd;
		b->umem = verbs_calls.bnxt_umem_reg(q->nic->ctx, &in);
	}
	if (fd >= 0)
		close(fd);
	in.comp_mask = 0;
	errno = 0;
	if (!b->umem)
		b->umem = verbs_calls.bnxt_umem_reg(q->nic->ctx, &in);
	return b->umem ? 0 :
			 verbs_fail(&q->nic->port, errno, "memory for a queue cannot be registered",
				    "");
}

static int verbs_bnxt_cq_open(struct verbs_qp *q, struct verbs_bnxt_qp *b)
{
	struct bnxt_dv_cq_init in = {
		.cq_handle = b->cq_handle,
		.umem = b->umem,
		.umem_offset = b->cq_at,
		.ncqe = b->cq.ncqe,
	};
	struct bnxt_dv_cq cq = { 0 };
	struct bnxt_dv_obj obj = { 0 };
	int code;

	errno = 0;
	q->cq = verbs_calls.bnxt_create_cq(q->nic->ctx, &in);
	if (!q->cq)
		return verbs_fail(&q->nic->port, errno, "bnxt_re_dv_create_cq", "");
	obj.cq.in = q->cq;
	obj.cq.out = &cq;
	code = verbs_calls.bnxt_init_obj(&obj, OBJ_CQ);
	if (code)
		return verbs_fail(&q->nic->port, code, "bnxt_re_dv_init_obj", "");
	q->q.cqn = cq.cqn;
	return 0;
}

static int verbs_bnxt_qp_open(struct verbs_qp *q, struct verbs_bnxt_qp *b)
{
	struct ibv_qp_init_attr a = verbs_qp_attr(q, 1u << q->nic->config.log_slots);
	struct bnxt_dv_qp_init in = {
		.type = a.qp_type,
		.max_send_wr = a.cap.max_send_wr,
		.max_recv_wr = a.cap.max_recv_wr,
		.max_send_sge = a.cap.max_send_sge,
		.max_recv_sge = a.cap.max_recv_sge,
		.max_inline = a.cap.max_inline_data,
		.send_cq = q->cq,
		.recv_cq = q->cq,
		.qp_handle = b->mem.qp_handle,
		.sq_umem = b->umem,
		.sq_len = b->mem.sq_len,
		.sq_slots = b->mem.sq_slots,
		.rq_umem = b->umem,
		.rq_umem_offset = b->rq_at,
		.sq_wqe_sz = b->mem.sq_wqe_sz,
		.sq_psn_sz = b->mem.sq_psn_sz,
		.sq_npsn = b->mem.sq_npsn,
		.rq_len = b->mem.rq_len,
		.rq_slots = b->mem.rq_slots,
		.rq_wqe_sz = b->mem.rq_wqe_sz,
		.comp_mask = b->mem.comp_mask,
	};

	errno = 0;
	q->qp = verbs_calls.bnxt_create_qp(q->nic->pd, &in);
	if (!q->qp)
		return verbs_fail(&q->nic->port, errno, "bnxt_re_dv_create_qp", "");
	q->qpn = q->q.qpn = q->qp->qp_num;
	return 0;
}

static int verbs_bnxt_make(struct verbs_qp *q)
{
	struct verbs_bnxt_qp *b = calloc(1, sizeof(*b));
	struct bnxt_dv_db db = { 0 };
	int err, code;

	if (!b)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a queue");
	q->made = b;
	err = verbs_bnxt_sizes(q, b);
	if (!err)
		err = verbs_bnxt_rings_open(q, b);
	if (!err)
		err = verbs_bnxt_cq_open(q, b);
	if (!err)
		err = verbs_bnxt_qp_open(q, b);
	if (err)
		return err;
	code = verbs_calls.bnxt_db_region(q->nic->ctx, &db);
	if (code)
		return verbs_fail(&q->nic->port, code, "bnxt_re_dv_get_default_db_region", "");
	q->q.ring = q->rings.addr;
	q->q.psn = q->rings.addr + b->mem.sq_len - (uint64_t)b->mem.sq_npsn * b->mem.sq_psn_sz;
	q->q.cq = q->rings.addr + b->cq_at;
	q->q.doorbell = q->q.cq_doorbell = (uintptr_t)db.dbr;
	return 0;
}

static void verbs_bnxt_unmake(struct verbs_qp *q)
{
	struct verbs_bnxt_qp *b = q->made;

	if (!b)
		return;
	if (q->qp)
		verbs_calls.bnxt_destroy_qp(q->qp);
	if (q->cq)
		verbs_calls.bnxt_destroy_cq(q->cq);
	if (b->umem)
		verbs_calls.bnxt_umem_dereg(b->umem);
	free(b);
	q->made = NULL;
}

static int verbs_bnxt_modify(struct verbs_qp *q, struct ibv_qp_attr *attr, int mask)
{
	return verbs_calls.bnxt_modify_qp(q->qp, attr, mask, 0, 0);
}

const struct verbs_vendor verbs_bnxt = {
	.format = NIC_BNXT,
	.library = VERBS_BNXT,
	.driver = "bnxt",
	.make = verbs_bnxt_make,
	.unmake = verbs_bnxt_unmake,
	.modify = verbs_bnxt_modify,
};
