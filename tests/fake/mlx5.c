// SPDX-License-Identifier: MIT
/*
 * The fake libmlx5: describes plain queue pairs, and executes the few commands that
 * make one by DevX. Fields are read at the offsets of the kernel's mlx5_ifc.h, written
 * here a second time as the words they are in.
 */
#include "fake/fake.h"

#include <infiniband/mlx5dv.h>

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct mlx5dv_devx_obj {
	bool is_qp;
	struct fake_qp *qp;
};

struct umem {
	struct mlx5dv_devx_umem umem; /* first */
	char *at;
	size_t len;
	struct umem *next;
};

static struct umem *umems;
static uint32_t next_umem = 0x900, next_cq = 0x500;
static _Alignas(64) struct mlx5_wqe_av the_av;

FAKE_EXPORT int mlx5dv_init_obj(struct mlx5dv_obj *obj, uint64_t type)
{
	if (fake_step(__func__))
		return EIO;
	if (type & MLX5DV_OBJ_QP) {
		struct fake_qp *q = (struct fake_qp *)obj->qp.in;

		memset(obj->qp.out, 0, sizeof(*obj->qp.out));
		obj->qp.out->dbrec = q->record;
		obj->qp.out->sq.buf = q->ring;
		obj->qp.out->sq.wqe_cnt = q->slots;
		obj->qp.out->sq.stride = 64;
		obj->qp.out->bf.reg = q->doorbells;
	}
	if (type & MLX5DV_OBJ_CQ) {
		struct ibv_cq *cq = obj->cq.in;

		memset(obj->cq.out, 0, sizeof(*obj->cq.out));
		obj->cq.out->buf = cq->cq_context;
		obj->cq.out->dbrec = (__be32 *)(cq + 1) + 2;
		obj->cq.out->cqe_cnt = (uint32_t)cq->cqe + 1;
		obj->cq.out->cqe_size = 64;
		obj->cq.out->cqn = cq->handle;
	}
	if (type & MLX5DV_OBJ_PD)
		obj->pd.out->pdn = obj->pd.in->handle;
	if (type & MLX5DV_OBJ_AH) {
		memcpy(the_av.rmac, "\x02\xfa\xce\x00\x00\x01", 6);
		the_av.rlid = htons(0xc123);
		obj->ah.out->av = &the_av;
	}
	return 0;
}

FAKE_EXPORT struct ibv_context *mlx5dv_open_device(struct ibv_device *d,
						   struct mlx5dv_context_attr *attr)
{
	struct ibv_context *c;

	if (fake_step(__func__))
		return NULL;
	if (attr->flags != MLX5DV_CONTEXT_FLAGS_DEVX) {
		errno = EINVAL;
		return NULL;
	}
	c = fake_open(d);
	if (c && fake_nic_of(c)->no_devx) {
		ibv_close_device(c);
		errno = EPERM;
		return NULL;
	}
	return c;
}

static struct mlx5dv_devx_umem *umem_new(char *at, size_t len)
{
	struct umem *u = calloc(1, sizeof(*u));

	u->umem.umem_id = next_umem++;
	u->at = at;
	u->len = len;
	u->next = umems;
	umems = u;
	fake_count(FAKE_UMEM, 1);
	return &u->umem;
}

FAKE_EXPORT struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg(struct ibv_context *c, void *at,
							  size_t len, uint32_t access)
{
	(void)c, (void)access;
	return fake_step(__func__) ? NULL : umem_new(at, len);
}

FAKE_EXPORT struct mlx5dv_devx_umem *mlx5dv_devx_umem_reg_ex(struct ibv_context *c,
							     struct mlx5dv_devx_umem_in *in)
{
	if (fake_step(__func__))
		return NULL;
	if (fake_nic_of(c)->no_dmabuf || in->comp_mask != MLX5DV_UMEM_MASK_DMABUF ||
	    !fake_dmabuf(in->dmabuf_fd)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	return umem_new((char *)fake_dmabuf(in->dmabuf_fd) + (uintptr_t)in->addr, in->size);
}

FAKE_EXPORT int mlx5dv_devx_umem_dereg(struct mlx5dv_devx_umem *umem)
{
	struct umem **at = &umems;

	while (&(*at)->umem != umem)
		at = &(*at)->next;
	*at = (*at)->next;
	free(umem);
	fake_count(FAKE_UMEM, -1);
	return 0;
}

FAKE_EXPORT struct mlx5dv_devx_uar *mlx5dv_devx_alloc_uar(struct ibv_context *c, uint32_t flags)
{
	struct mlx5dv_devx_uar *u;

	(void)flags;
	if (fake_step(__func__))
		return NULL;
	u = calloc(1, sizeof(*u));
	u->reg_addr = fake_page(c);
	u->base_addr = fake_page(c);
	u->page_id = 0x77;
	fake_count(FAKE_UAR, 1);
	return u;
}

FAKE_EXPORT void mlx5dv_devx_free_uar(struct mlx5dv_devx_uar *u)
{
	free(u);
	fake_count(FAKE_UAR, -1);
}

FAKE_EXPORT int mlx5dv_devx_query_eqn(struct ibv_context *c, uint32_t vector, uint32_t *eqn)
{
	(void)c, (void)vector;
	*eqn = 5;
	return fake_step(__func__) ? EIO : 0;
}

/* The word at byte @at of a command. */
static uint32_t word(const void *in, size_t at)
{
	uint32_t v;

	memcpy(&v, (const char *)in + at, 4);
	return ntohl(v);
}

/* @len bytes at offset @off of an umem; NULL if it has none such. */
static char *inside(uint32_t id, uint32_t off, size_t len)
{
	for (struct umem *u = umems; u; u = u->next)
		if (u->umem.umem_id == id)
			return off + len <= u->len ? u->at + off : NULL;
	return NULL;
}

static char *told[4]; /* of the queue pair that is being made */

static bool good_cq(const void *in)
{
	uint32_t log = word(in, 0x1c) >> 24;

	told[2] = inside(word(in, 0x58), word(in, 0x54), (size_t)64 << log);
	told[3] = inside(word(in, 0x14), word(in, 0x4c), 8);
	return told[2] && told[3] && word(in, 0x10) >> 25 & 1 && /* the record is in an umem */
	       (word(in, 0x1c) & 0xffffff) == 0x77 && word(in, 0x24) == 5 && word(in, 0x5c) >> 31;
}

/* The context of a queue pair begins at byte 0x18. */
static bool good_qp(const void *in)
{
	uint32_t log = word(in, 0x20) >> 11 & 15;

	told[0] = inside(word(in, 0x108), word(in, 0x104), (size_t)64 << log);
	told[1] = inside(word(in, 0xfc), word(in, 0xbc), 8);
	return told[0] && told[1] && !(word(in, 0x18) >> 16 & 255) &&
	       (word(in, 0x18) >> 11 & 3) == 3 && (word(in, 0x1c) & 0xffffff) == 7 &&
	       (word(in, 0x24) & 0xffffff) == 0x77 && (word(in, 0x94) & 0xffffff) >= 0x500 &&
	       (word(in, 0xc4) >> 24) == 3 && word(in, 0xe8) >> 28 & 1 && word(in, 0x10c) >> 31;
}

FAKE_EXPORT struct mlx5dv_devx_obj *mlx5dv_devx_obj_create(struct ibv_context *c, const void *in,
							   size_t in_len, void *out, size_t out_len)
{
	uint32_t opcode = word(in, 0) >> 16, number;
	struct mlx5dv_devx_obj *o;
	struct ibv_pd pd = { .context = c };

	if (fake_step(__func__))
		return NULL;
	if (in_len != 0x110 || out_len != 16 ||
	    (opcode == 0x400 ? !good_cq(in) : opcode != 0x500 || !good_qp(in))) {
		errno = EREMOTEIO;
		return NULL;
	}
	o = calloc(1, sizeof(*o));
	o->is_qp = opcode == 0x500;
	number = next_cq++;
	if (o->is_qp) {
		o->qp = fake_qp_new(&pd);
		o->qp->devx = true;
		o->qp->doorbells = fake_page(c);
		memcpy(o->qp->told, told, sizeof(told));
		number = o->qp->qp.qp_num;
	}
	number = htonl(number);
	memcpy((char *)out + 8, &number, 4);
	fake_count(FAKE_OBJ, 1);
	return o;
}

FAKE_EXPORT int mlx5dv_devx_obj_destroy(struct mlx5dv_devx_obj *o)
{
	if (o->is_qp)
		fake_qp_free(o->qp);
	free(o);
	fake_count(FAKE_OBJ, -1);
	return 0;
}

/* The fields as attributes of a plain queue pair, so that one check does for both. */
FAKE_EXPORT int mlx5dv_devx_obj_modify(struct mlx5dv_devx_obj *o, const void *in, size_t in_len,
				       void *out, size_t out_len)
{
	uint32_t opcode = word(in, 0) >> 16, rights = word(in, 0xa8) >> 13 & 7;
	struct ibv_qp_attr a = { .qp_state = (enum ibv_qp_state)(opcode - 0x501) };
	int mask = IBV_QP_STATE;

	(void)out, (void)out_len;
	if (fake_step(__func__))
		return EIO;
	if (in_len != 0x110 || (word(in, 8) & 0xffffff) != o->qp->qp.qp_num ||
	    (opcode != 0x504 && (rights != 7 || (word(in, 0xa8) >> 16 & 15) != 1)))
		return EREMOTEIO;
	a.port_num = (uint8_t)(word(in, 0x54) >> 16);
	if (opcode == 0x502) {
		mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
		a.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				    IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_LOCAL_WRITE;
	} else if (opcode == 0x503) {
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
		a.path_mtu = (enum ibv_mtu)(word(in, 0x20) >> 29);
		a.dest_qp_num = word(in, 0x2c) & 0xffffff;
		a.rq_psn = word(in, 0xac) & 0xffffff;
		a.max_dest_rd_atomic = (uint8_t)(1u << (word(in, 0xa8) >> 21 & 7));
		a.min_rnr_timer = word(in, 0xac) >> 24 & 31;
		a.ah_attr.port_num = a.port_num;
		a.ah_attr.is_global = !fake_nic_of(o->qp->qp.context)->port[0].infiniband ||
				      (word(in, 0x34) >> 23 & 1);
		a.ah_attr.dlid = (uint16_t)word(in, 0x34);
		a.ah_attr.sl = fake_nic_of(o->qp->qp.context)->port[0].infiniband ?
				       word(in, 0x54) >> 24 & 15 :
				       word(in, 0x54) >> 28 & 7;
		a.ah_attr.grh.sgid_index = (uint8_t)(word(in, 0x38) >> 16);
		a.ah_attr.grh.hop_limit = (uint8_t)word(in, 0x38);
		a.ah_attr.grh.traffic_class = (uint8_t)(word(in, 0x3c) >> 20);
		memcpy(a.ah_attr.grh.dgid.raw, (const char *)in + 0x40, 16);
		if (!fake_nic_of(o->qp->qp.context)->port[0].infiniband &&
		    (memcmp((const char *)in + 0x56, the_av.rmac, 6) != 0 ||
		     (word(in, 0x50) & 0xffff) != 0xc123))
			return EREMOTEIO;
	} else if (opcode == 0x504) {
		mask |= IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
		a.sq_psn = word(in, 0x90) & 0xffffff;
		a.max_rd_atomic = (uint8_t)(1u << (word(in, 0x88) >> 21 & 7));
		a.timeout = (uint8_t)(word(in, 0x38) >> 27);
		a.retry_cnt = word(in, 0x88) >> 16 & 7;
	}
	return fake_qp_state(o->qp, &a, mask);
}
