// SPDX-License-Identifier: MIT
/* The fake libbnxt_re: reports what memory a queue pair needs, and uses it. */
#include "fake/fake.h"
#include "net/verbs_lib.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct umem {
	char *at;
	size_t len;
};

FAKE_EXPORT int bnxt_re_dv_init_obj(struct bnxt_dv_obj *obj, uint64_t type);
FAKE_EXPORT int bnxt_re_dv_get_default_db_region(struct ibv_context *c, struct bnxt_dv_db *out);
FAKE_EXPORT void *bnxt_re_dv_umem_reg(struct ibv_context *c, struct bnxt_dv_umem *in);
FAKE_EXPORT int bnxt_re_dv_umem_dereg(void *umem);
FAKE_EXPORT void *bnxt_re_dv_cq_mem_alloc(struct ibv_context *c, int n,
					  struct bnxt_dv_cq_attr *out);
FAKE_EXPORT struct ibv_cq *bnxt_re_dv_create_cq(struct ibv_context *c, struct bnxt_dv_cq_init *in);
FAKE_EXPORT int bnxt_re_dv_destroy_cq(struct ibv_cq *cq);
FAKE_EXPORT int bnxt_re_dv_qp_mem_alloc(struct ibv_pd *pd, struct ibv_qp_init_attr *attr,
					struct bnxt_dv_qp_mem *out);
FAKE_EXPORT struct ibv_qp *bnxt_re_dv_create_qp(struct ibv_pd *pd, struct bnxt_dv_qp_init *in);
FAKE_EXPORT int bnxt_re_dv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
				     uint32_t type, uint32_t value);
FAKE_EXPORT int bnxt_re_dv_destroy_qp(struct ibv_qp *qp);

int bnxt_re_dv_init_obj(struct bnxt_dv_obj *obj, uint64_t type)
{
	if (fake_step(__func__) || type != 2)
		return EIO;
	*(struct bnxt_dv_cq *)obj->cq.out =
		(struct bnxt_dv_cq){ ((struct ibv_cq *)obj->cq.in)->handle, 32, 0 };
	return 0;
}

int bnxt_re_dv_get_default_db_region(struct ibv_context *c, struct bnxt_dv_db *out)
{
	if (fake_step(__func__))
		return EIO;
	(void)c;
	out->dbr = fake_qp_last()->doorbells;
	return 0;
}

void *bnxt_re_dv_umem_reg(struct ibv_context *c, struct bnxt_dv_umem *in)
{
	char *at = in->addr;
	struct umem *u;

	if (fake_step(__func__))
		return NULL;
	if (in->comp_mask == 1)
		at = fake_nic_of(c)->no_dmabuf ? NULL : fake_dmabuf(in->dmabuf_fd);
	if (!at) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	u = malloc(sizeof(*u));
	*u = (struct umem){ at, in->size };
	fake_count(FAKE_UMEM, 1);
	return u;
}

int bnxt_re_dv_umem_dereg(void *umem)
{
	free(umem);
	fake_count(FAKE_UMEM, -1);
	return 0;
}

/* The real one keeps what it gives here until the context is closed. */
void *bnxt_re_dv_cq_mem_alloc(struct ibv_context *c, int n, struct bnxt_dv_cq_attr *out)
{
	if (fake_step(__func__))
		return NULL;
	out->ncqe = 1;
	while (out->ncqe < (uint32_t)n)
		out->ncqe *= 2;
	out->cqe_size = 32;
	return c;
}

struct ibv_cq *bnxt_re_dv_create_cq(struct ibv_context *c, struct bnxt_dv_cq_init *in)
{
	struct umem *u = in->umem;
	struct ibv_cq *cq;

	if (fake_step(__func__))
		return NULL;
	if (in->cq_handle != (uintptr_t)c || in->umem_offset % 4096 ||
	    in->umem_offset + in->ncqe * 32 > u->len) {
		errno = EINVAL;
		return NULL;
	}
	cq = calloc(1, sizeof(*cq));
	cq->context = c;
	cq->handle = 0x52;
	cq->cq_context = u->at + in->umem_offset;
	cq->cqe = (int)in->ncqe - 1;
	fake_count(FAKE_CQ, 1);
	return cq;
}

int bnxt_re_dv_destroy_cq(struct ibv_cq *cq)
{
	free(cq);
	fake_count(FAKE_CQ, -1);
	return 0;
}

int bnxt_re_dv_qp_mem_alloc(struct ibv_pd *pd, struct ibv_qp_init_attr *attr,
			    struct bnxt_dv_qp_mem *out)
{
	uint32_t slots = attr->cap.max_send_wr * 8;

	(void)pd;
	if (fake_step(__func__))
		return EIO;
	memset(out, 0, sizeof(*out));
	out->qp_handle = 0x1234;
	out->sq_slots = slots;
	out->sq_wqe_sz = 128;
	out->sq_psn_sz = fake_has_bnxt_msn() ? 8 : 16;
	out->sq_npsn = fake_has_bnxt_msn() ? slots / 2 : slots / 8;
	out->sq_len = (slots * 16 + out->sq_npsn * out->sq_psn_sz + 4095) & ~4095u;
	out->rq_len = 4096;
	return 0;
}

struct ibv_qp *bnxt_re_dv_create_qp(struct ibv_pd *pd, struct bnxt_dv_qp_init *in)
{
	struct umem *sq = in->sq_umem, *rq = in->rq_umem;
	struct fake_qp *q;

	if (fake_step(__func__))
		return NULL;
	if (in->qp_handle != 0x1234 || in->sq_len + in->sq_umem_offset > sq->len ||
	    in->rq_len + in->rq_umem_offset > rq->len || in->rq_umem_offset < in->sq_len) {
		errno = EINVAL;
		return NULL;
	}
	q = fake_qp_new(pd);
	q->ring = sq->at + in->sq_umem_offset;
	q->slots = in->sq_slots / 8;
	q->qp.send_cq = in->send_cq;
	q->numbers = in->sq_npsn;
	q->psns = (uint64_t *)(sq->at + in->sq_umem_offset + in->sq_len -
			       (size_t)in->sq_npsn * in->sq_psn_sz);
	return &q->qp;
}

int bnxt_re_dv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, uint32_t type,
			 uint32_t value)
{
	(void)type, (void)value;
	return fake_step(__func__) ? EIO : fake_qp_state((struct fake_qp *)qp, attr, mask);
}

int bnxt_re_dv_destroy_qp(struct ibv_qp *qp)
{
	fake_qp_free((struct fake_qp *)qp);
	return 0;
}
