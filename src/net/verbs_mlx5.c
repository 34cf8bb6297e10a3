// SPDX-License-Identifier: MIT
/*
 * ConnectX: queue pairs of libibverbs, whose rings libmlx5 allocates in host memory and
 * describes; or, if the device has memory for them, of our own commands (verbs_devx.c).
 * Neither enables masked atomics, so there are none.
 */
#include "net/verbs_devx.h"
#include "util/err.h"
#include "util/log.h"

#include <errno.h>
#include <string.h>

static bool verbs_mlx5_power(uint32_t n)
{
	return n && !(n & (n - 1));
}

static uint64_t verbs_mlx5_address(const void *p)
{
	return (uintptr_t)p;
}

static int verbs_mlx5_query(struct verbs_qp *q)
{
	struct mlx5dv_qp qp = { 0 };
	struct mlx5dv_cq cq = { 0 };
	struct mlx5dv_obj obj = { .qp = { q->qp, &qp }, .cq = { q->cq, &cq } };
	const struct verbs_port *p = &q->nic->port;
	int code = verbs_calls.mlx5_init_obj(&obj, MLX5DV_OBJ_QP | MLX5DV_OBJ_CQ);

	if (code)
		return verbs_fail(p, code, "mlx5dv_init_obj", "");
	if (cq.cqe_size != 64 || qp.sq.stride != 64 || !verbs_mlx5_power(cq.cqe_cnt) ||
	    !verbs_mlx5_power(qp.sq.wqe_cnt))
		return err_set(MORI_SHMEM_ENOTSUP,
			       "%s port %d: completions of %u bytes and slots of %u, not 64; "
			       "unset MLX5_CQE_SIZE",
			       p->name, p->port, cq.cqe_size, qp.sq.stride);
	q->qpn = q->q.qpn = q->qp->qp_num;
	q->q.cqn = cq.cqn;
	q->q.flags = NIC_NO_MASKED;
	q->q.log_slots = (uint32_t)__builtin_ctz(qp.sq.wqe_cnt);
	q->q.log_cq = (uint32_t)__builtin_ctz(cq.cqe_cnt);
	q->q.ring = verbs_mlx5_address(qp.sq.buf);
	q->q.cq = verbs_mlx5_address(cq.buf);
	q->q.record = verbs_mlx5_address(qp.dbrec);
	q->q.cq_record = verbs_mlx5_address(cq.dbrec);
	q->q.doorbell = verbs_mlx5_address(qp.bf.reg);
	return 0;
}

static bool verbs_mlx5_wants_devx(const struct verbs *v)
{
	return v->config.memory && v->config.memory->alloc;
}

static struct ibv_context *verbs_mlx5_open(struct verbs *v, struct ibv_device *d)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_context *ctx;

	if (!verbs_mlx5_wants_devx(v))
		return verbs_calls.ibv_open(d);
	errno = 0;
	ctx = verbs_calls.mlx5_open(d, &attr);
	v->devx = ctx != NULL;
	if (ctx)
		return ctx;
	log_warn("%s cannot be opened for DevX: %s", d->name, strerror(errno));
	return verbs_calls.ibv_open(d);
}

static int verbs_mlx5_make(struct verbs_qp *q)
{
	const struct verbs *v = q->nic;

	if (v->config.device && !v->devx)
		return err_set(MORI_SHMEM_ENOTSUP, "%s port %d: without DevX " VERBS_OVERTAKES,
			       v->port.name, v->port.port);
	return v->devx ? verbs_devx_make(q) : verbs_make_plain(q, verbs_mlx5_query);
}

static void verbs_mlx5_unmake(struct verbs_qp *q)
{
	if (q->nic->devx)
		verbs_devx_unmake(q);
	else
		verbs_unmake_plain(q);
}

static int verbs_mlx5_modify(struct verbs_qp *q, struct ibv_qp_attr *attr, int mask)
{
	return q->nic->devx ? verbs_devx_modify(q, attr) : verbs_modify_plain(q, attr, mask);
}

const struct verbs_vendor verbs_mlx5 = {
	.format = NIC_MLX5,
	.library = VERBS_MLX5,
	.driver = "mlx5",
	.open = verbs_mlx5_open,
	.make = verbs_mlx5_make,
	.unmake = verbs_mlx5_unmake,
	.modify = verbs_mlx5_modify,
};
