// SPDX-License-Identifier: MIT
/* The fake libionic: describes plain queue pairs. */
#include "fake/fake.h"
#include "net/verbs_lib.h"

#include <errno.h>
#include <string.h>

#define SQ_TYPE	      3
#define CQ_TYPE	      5
#define CQ_NUMBER(cq) ((cq)->handle)

FAKE_EXPORT int ionic_dv_get_ctx(struct ionic_dv_ctx *out, struct ibv_context *c);
FAKE_EXPORT int ionic_dv_get_cq(struct ionic_dv_cq *out, struct ibv_cq *cq, uint8_t udma);
FAKE_EXPORT int ionic_dv_get_qp(struct ionic_dv_qp *out, struct ibv_qp *qp);
FAKE_EXPORT uint8_t ionic_dv_qp_get_udma_idx(struct ibv_qp *qp);
FAKE_EXPORT int ionic_dv_qp_set_gda(struct ibv_qp *qp, bool send, bool recv);
FAKE_EXPORT int ionic_dv_pd_set_sqcmb(struct ibv_pd *pd, bool on, bool express, bool must);

int ionic_dv_get_ctx(struct ionic_dv_ctx *out, struct ibv_context *c)
{
	if (fake_step(__func__))
		return EIO;
	(void)c;
	*out = (struct ionic_dv_ctx){ fake_qp_last()->doorbells, fake_qp_last()->doorbells + 8,
				      SQ_TYPE, 4, CQ_TYPE };
	return 0;
}

static struct ionic_dv_queue queue(void *at, uint32_t n, uint8_t log_stride, uint32_t number)
{
	return (struct ionic_dv_queue){
		.at = at,
		.size = (size_t)n << log_stride,
		.db_val = (uint64_t)number << 24 | FAKE_BELL,
		.mask = (uint16_t)(n - 1),
		.log_depth = (uint8_t)__builtin_ctz(n),
		.log_stride = log_stride,
	};
}

int ionic_dv_get_cq(struct ionic_dv_cq *out, struct ibv_cq *cq, uint8_t udma)
{
	if (fake_step(__func__))
		return EIO;
	if (udma != 1)
		return EINVAL;
	out->q = queue(cq->cq_context, (uint32_t)cq->cqe + 1, 5, CQ_NUMBER(cq));
	return 0;
}

int ionic_dv_get_qp(struct ionic_dv_qp *out, struct ibv_qp *qp)
{
	struct fake_qp *q = (struct fake_qp *)qp;

	if (fake_step(__func__))
		return EIO;
	memset(out, 0, sizeof(*out));
	out->sq = queue(q->ring, q->slots, 6, qp->qp_num);
	return 0;
}

uint8_t ionic_dv_qp_get_udma_idx(struct ibv_qp *qp)
{
	(void)qp;
	return 1;
}

int ionic_dv_qp_set_gda(struct ibv_qp *qp, bool send, bool recv)
{
	if (fake_step(__func__))
		return EIO;
	((struct fake_qp *)qp)->quiet = send;
	return recv ? EINVAL : 0;
}

int ionic_dv_pd_set_sqcmb(struct ibv_pd *pd, bool on, bool express, bool must)
{
	(void)pd;
	return fake_step(__func__) ? EIO : on || express || must ? EINVAL : 0;
}
