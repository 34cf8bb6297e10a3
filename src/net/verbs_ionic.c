// SPDX-License-Identifier: MIT
/*
 * Pensando: queue pairs of libibverbs, whose rings libionic allocates in host memory and
 * describes. Its doorbells are one page with a word for each kind of queue.
 */
#include "net/verbs_lib.h"
#include "nic/ionic_format.h"
#include "util/err.h"

#define LOG_SLOT 6
#define LOG_CQE	 5

static uint32_t verbs_ionic_number(const struct ionic_dv_queue *q)
{
	return (uint32_t)(q->db_val >> IONIC_DB_NUMBER) & 0xffffff;
}

static int verbs_ionic_query(struct verbs_qp *q)
{
	const struct verbs_port *p = &q->nic->port;
	struct ionic_dv_ctx ctx = { 0 };
	struct ionic_dv_qp qp = { 0 };
	struct ionic_dv_cq cq = { 0 };
	int code = verbs_calls.ionic_get_ctx(&ctx, q->nic->ctx);

	if (code)
		return verbs_fail(p, code, "ionic_dv_get_ctx", "");
	code = verbs_calls.ionic_get_qp(&qp, q->qp);
	if (code)
		return verbs_fail(p, code, "ionic_dv_get_qp", "");
	code = verbs_calls.ionic_get_cq(&cq, q->cq, verbs_calls.ionic_qp_udma(q->qp));
	if (code)
		return verbs_fail(p, code, "ionic_dv_get_cq", "");
	if (qp.sq.log_stride != LOG_SLOT || cq.q.log_stride != LOG_CQE)
		return err_set(MORI_SHMEM_ENOTSUP,
			       "%s port %d: slots of 2^%u and completions of 2^%u bytes, not 64 "
			       "and 32",
			       p->name, p->port, qp.sq.log_stride, cq.q.log_stride);
	q->qpn = q->qp->qp_num;
	q->q.qpn = verbs_ionic_number(&qp.sq);
	q->q.cqn = verbs_ionic_number(&cq.q);
	q->q.bell = qp.sq.db_val;
	q->q.cq_bell = cq.q.db_val;
	q->q.log_slots = qp.sq.log_depth;
	q->q.log_cq = cq.q.log_depth;
	q->q.ring = (uintptr_t)qp.sq.at;
	q->q.cq = (uintptr_t)cq.q.at;
	q->q.doorbell = (uintptr_t)&ctx.db_ptr[ctx.sq_type];
	q->q.cq_doorbell = (uintptr_t)&ctx.db_ptr[ctx.cq_type];
	return 0;
}

static int verbs_ionic_make(struct verbs_qp *q)
{
	/* Kernels cannot access the NIC's own memory, where libionic would put the ring. */
	int code = verbs_calls.ionic_set_sqcmb ?
			   verbs_calls.ionic_set_sqcmb(q->nic->pd, false, false, false) :
			   0;

	return code ? verbs_fail(&q->nic->port, code, "ionic_dv_pd_set_sqcmb", "") :
		      verbs_make_plain(q, verbs_ionic_query);
}

static int verbs_ionic_unknown(const struct verbs_qp *q, const char *why)
{
	return err_set(MORI_SHMEM_ENOTSUP,
		       "%s port %d: the version of the NIC's format is unknown: %s",
		       q->nic->port.name, q->nic->port.port, why);
}

/*
 * The version of the format, which libionic knows and has no call for: let it write an entry
 * without ringing the doorbell, and read that. Kernels overwrite it.
 */
static int verbs_ionic_ready(struct verbs_qp *q)
{
	const struct verbs_port *p = &q->nic->port;
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;
	struct ionic_dv_qp qp = { 0 };
	const uint8_t *entry;
	int code;

	if (!verbs_calls.ionic_set_gda)
		return verbs_ionic_unknown(q, "libionic has no ionic_dv_qp_set_gda()");
	code = verbs_calls.ionic_set_gda(q->qp, true, false);
	if (code)
		return verbs_fail(p, code, "ionic_dv_qp_set_gda", "");
	code = ibv_post_send(q->qp, &wr, &bad);
	if (code)
		return verbs_fail(p, code, "ibv_post_send", "");
	code = verbs_calls.ionic_get_qp(&qp, q->qp);
	if (code)
		return verbs_fail(p, code, "ionic_dv_get_qp", "");
	entry = qp.sq.at;
	if (entry[IONIC_OPCODE] == ionic_opcode(NIC_WRITE, true))
		q->q.flags |= NIC_IONIC_V1;
	else if (entry[IONIC_OPCODE] != ionic_opcode(NIC_WRITE, false))
		return verbs_ionic_unknown(q, "libionic writes neither of the two known versions");
	return 0;
}

const struct verbs_vendor verbs_ionic = {
	.format = NIC_IONIC,
	.library = VERBS_IONIC,
	.driver = "ionic",
	.host_rings = true,
	.make = verbs_ionic_make,
	.unmake = verbs_unmake_plain,
	.modify = verbs_modify_plain,
	.ready = verbs_ionic_ready,
};
