// SPDX-License-Identifier: MIT
/*
 * Queue pairs of ConnectX by the NIC's own commands (DevX), with rings and doorbell
 * records in memory that we choose: the device's, by dma-buf. A command is a sequence of
 * big-endian fields at bit offsets, as in mlx5_ifc.h of the kernel and of rdma-core; those
 * of a queue pair's context begin at QPC, and in it those of its path at PATH.
 */
#include "net/verbs_devx.h"
#include "util/err.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND_BYTES  0x110
#define RESPONSE_BYTES 16

enum { CREATE_CQ = 0x400, CREATE_QP = 0x500, RST2INIT = 0x502, INIT2RTR, RTR2RTS };

/* A field: its first bit and its width, at most 32. */
struct verbs_devx_field {
	uint16_t at, bits;
};

#define QPC	  0xc0
#define PATH	  (QPC + 0xc0)
#define CQC	  0x80
#define F(at, n)  ((struct verbs_devx_field){ at, n })
#define OPCODE	  F(0, 16)
#define NUMBER	  F(0x48, 24) /* of a queue, in commands and responses */
#define QP_STATE  F(QPC + 0x13, 2)
#define QP_PD	  F(QPC + 0x28, 24)
#define QP_MTU	  F(QPC + 0x40, 3)
#define QP_MSG	  F(QPC + 0x43, 5)
#define QP_LOG_SQ F(QPC + 0x51, 4)
#define QP_CLOCK  F(QPC + 0x58, 2)
#define QP_UAR	  F(QPC + 0x68, 24)
#define QP_PEER	  F(QPC + 0xa8, 24)
#define QP_READS  F(QPC + 0x388, 3) /* its own, as a logarithm */
#define QP_RETRY  F(QPC + 0x38d, 3)
#define QP_RNR	  F(QPC + 0x390, 3)
#define QP_PSN	  F(QPC + 0x3c8, 24)
#define QP_CQ	  F(QPC + 0x3e8, 24)
#define QP_SERVES F(QPC + 0x488, 3) /* reads of the peer, as a logarithm */
#define QP_ATOMIC F(QPC + 0x48c, 4)
#define QP_RIGHTS F(QPC + 0x490, 3) /* read, write, atomics */
#define QP_TIMER  F(QPC + 0x4a3, 5)
#define QP_RQ_PSN F(QPC + 0x4a8, 24)
#define QP_RCQ	  F(QPC + 0x4e8, 24)
#define QP_DBR	  F(QPC + 0x520, 32) /* the lower half of 64 bits; an offset fits */
#define QP_RQ	  F(QPC + 0x565, 3)
#define QP_DBR_IN F(QPC + 0x683, 1)
#define QP_DBR_ID F(QPC + 0x720, 32)
#define QP_WQ	  F(0x820, 32)
#define QP_WQ_ID  F(0x840, 32)
#define QP_WQ_IN  F(0x860, 1)
#define PATH_GRH  F(PATH + 0x28, 1)
#define PATH_LID  F(PATH + 0x30, 16)
#define PATH_ACK  F(PATH + 0x40, 5)
#define PATH_FROM F(PATH + 0x48, 8)
#define PATH_HOPS F(PATH + 0x58, 8)
#define PATH_TC	  F(PATH + 0x64, 8)
#define PATH_GID  (PATH + 0x80)
#define PATH_DSCP F(PATH + 0x10a, 6)
#define PATH_UDP  F(PATH + 0x110, 16)
#define PATH_PRIO F(PATH + 0x121, 3)
#define PATH_SL	  F(PATH + 0x124, 4)
#define PATH_PORT F(PATH + 0x128, 8)
#define PATH_MAC  (PATH + 0x130)
#define CQ_DBR_IN F(CQC + 0x6, 1)
#define CQ_DBR_ID F(CQC + 0x20, 32)
#define CQ_LOG	  F(CQC + 0x63, 5)
#define CQ_UAR	  F(CQC + 0x68, 24)
#define CQ_EQ	  F(CQC + 0xa0, 32)
#define CQ_DBR	  F(CQC + 0x1e0, 32)
#define CQ_WQ	  F(0x2a0, 32)
#define CQ_WQ_ID  F(0x2c0, 32)
#define CQ_WQ_IN  F(0x2e0, 1)

#define MIGRATED	3 /* the state of a path that is in use */
#define NO_RECEIVES	3
#define ATOMICS_OF_IB	1
#define CLOCK_OF_KERNEL 1
#define ALL_RIGHTS	7
#define CQ_RECORD	64 /* after the one of the queue pair */

struct verbs_devx_qp {
	struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_uar *uar;
	struct mlx5dv_devx_obj *cq, *qp;
	uint32_t cq_at, records_at; /* offsets in the memory; the ring is at its start */
	uint32_t pdn;
};

static void verbs_devx_set(void *command, struct verbs_devx_field f, uint32_t value)
{
	uint8_t *p = (uint8_t *)command + f.at / 32 * 4;
	uint32_t shift = 32u - f.bits - f.at % 32;
	uint32_t mask = (f.bits == 32 ? UINT32_MAX : (1u << f.bits) - 1) << shift, word;

	memcpy(&word, p, 4);
	word = __builtin_bswap32(word);
	word = (word & ~mask) | (value << shift & mask);
	word = __builtin_bswap32(word);
	memcpy(p, &word, 4);
}

static uint32_t verbs_devx_get(const void *response, struct verbs_devx_field f)
{
	uint32_t word;

	memcpy(&word, (const uint8_t *)response + f.at / 32 * 4, 4);
	return __builtin_bswap32(word) >> (32u - f.bits - f.at % 32) &
	       (f.bits == 32 ? UINT32_MAX : (1u << f.bits) - 1);
}

static uint32_t verbs_devx_log(uint32_t n)
{
	return n ? 31u - (uint32_t)__builtin_clz(n) : 0;
}

/* Device memory by dma-buf, else as if it were host memory (nvidia-peermem). */
static int verbs_devx_umem_open(struct verbs_qp *q, struct verbs_devx_qp *x)
{
	struct verbs *v = q->nic;
	uint64_t off;
	int fd = -1, code;

	if (q->rings.device && verbs_calls.mlx5_umem_reg_ex)
		fd = verbs_part_fd(v, q->rings.at, q->rings.len, &off);
	if (fd >= 0) {
		struct mlx5dv_devx_umem_in in = {
			.addr = (void *)(uintptr_t)off,
			.size = q->rings.len,
			.access = IBV_ACCESS_LOCAL_WRITE,
			.pgsz_bitmap = UINT64_MAX & ~(uint64_t)4095,
			.comp_mask = MLX5DV_UMEM_MASK_DMABUF,
			.dmabuf_fd = fd,
		};

		x->umem = verbs_calls.mlx5_umem_reg_ex(v->ctx, &in);
		close(fd);
	}
	errno = 0;
	if (!x->umem)
		x->umem = verbs_calls.mlx5_umem_reg(v->ctx, q->rings.at, q->rings.len,
						    IBV_ACCESS_LOCAL_WRITE);
	code = errno;
	return x->umem ? 0 :
			 verbs_fail(&v->port, code, "memory for a queue cannot be registered",
				    "load nvidia-peermem, or use a driver and kernel with dma-buf");
}

static int verbs_devx_rings_open(struct verbs_qp *q, struct verbs_devx_qp *x)
{
	uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	struct nic_sizes sizes;
	int err;

	q->q.log_slots = q->q.log_cq = q->nic->config.log_slots;
	q->q.result_slots = 2; /* for the sizes; verbs_qp.c sets its own */
	err = nic_queue_sizes(&q->q, &sizes);
	if (err)
		return err_set(err, "%s: a queue of 2^%u slots is not possible", q->nic->port.name,
			       q->q.log_slots);
	x->cq_at = ((uint32_t)sizes.ring + page - 1) & ~(page - 1);
	x->records_at = x->cq_at + (((uint32_t)sizes.cq + page - 1) & ~(page - 1));
	err = verbs_rings_open(q, x->records_at + page, x->cq_at);
	return err ? err : verbs_devx_umem_open(q, x);
}

static int verbs_devx_pd_number(struct verbs_qp *q, struct verbs_devx_qp *x)
{
	struct mlx5dv_pd pd = { 0 };
	struct mlx5dv_obj obj = { .pd = { q->nic->pd, &pd } };
	int code = verbs_calls.mlx5_init_obj(&obj, MLX5DV_OBJ_PD);

	x->pdn = pd.pdn;
	return code ? verbs_fail(&q->nic->port, code, "mlx5dv_init_obj", "") : 0;
}

static int verbs_devx_cq_open(struct verbs_qp *q, struct verbs_devx_qp *x)
{
	uint32_t in[COMMAND_BYTES / 4] = { 0 }, out[RESPONSE_BYTES / 4] = { 0 }, eqn;
	int code = verbs_calls.mlx5_query_eqn(q->nic->ctx, 0, &eqn);

	if (code)
		return verbs_fail(&q->nic->port, code, "mlx5dv_devx_query_eqn", "");
	verbs_devx_set(in, OPCODE, CREATE_CQ);
	verbs_devx_set(in, CQ_DBR_IN, 1);
	verbs_devx_set(in, CQ_DBR_ID, x->umem->umem_id);
	verbs_devx_set(in, CQ_DBR, x->records_at + CQ_RECORD);
	verbs_devx_set(in, CQ_LOG, q->q.log_cq);
	verbs_devx_set(in, CQ_UAR, x->uar->page_id);
	verbs_devx_set(in, CQ_EQ, eqn);
	verbs_devx_set(in, CQ_WQ, x->cq_at);
	verbs_devx_set(in, CQ_WQ_ID, x->umem->umem_id);
	verbs_devx_set(in, CQ_WQ_IN, 1);
	errno = 0;
	x->cq = verbs_calls.mlx5_obj_create(q->nic->ctx, in, sizeof(in), out, sizeof(out));
	if (!x->cq)
		return verbs_fail(&q->nic->port, errno,
				  "a completion queue cannot be created (DevX)", "");
	q->q.cqn = verbs_devx_get(out, NUMBER);
	return 0;
}

static int verbs_devx_qp_open(struct verbs_qp *q, struct verbs_devx_qp *x)
{
	uint32_t in[COMMAND_BYTES / 4] = { 0 }, out[RESPONSE_BYTES / 4] = { 0 };

	verbs_devx_set(in, OPCODE, CREATE_QP);
	verbs_devx_set(in, QP_STATE, MIGRATED);
	verbs_devx_set(in, QP_PD, x->pdn);
	verbs_devx_set(in, QP_LOG_SQ, q->q.log_slots);
	verbs_devx_set(in, QP_CLOCK, CLOCK_OF_KERNEL);
	verbs_devx_set(in, QP_UAR, x->uar->page_id);
	verbs_devx_set(in, QP_CQ, q->q.cqn);
	verbs_devx_set(in, QP_RCQ, q->q.cqn);
	verbs_devx_set(in, QP_RQ, NO_RECEIVES);
	verbs_devx_set(in, QP_DBR_IN, 1);
	verbs_devx_set(in, QP_DBR, x->records_at);
	verbs_devx_set(in, QP_DBR_ID, x->umem->umem_id);
	verbs_devx_set(in, QP_WQ, 0);
	verbs_devx_set(in, QP_WQ_ID, x->umem->umem_id);
	verbs_devx_set(in, QP_WQ_IN, 1);
	errno = 0;
	x->qp = verbs_calls.mlx5_obj_create(q->nic->ctx, in, sizeof(in), out, sizeof(out));
	if (!x->qp)
		return verbs_fail(&q->nic->port, errno, "a queue pair cannot be created (DevX)",
				  "");
	q->qpn = q->q.qpn = verbs_devx_get(out, NUMBER);
	return 0;
}

int verbs_devx_make(struct verbs_qp *q)
{
	struct verbs_devx_qp *x = calloc(1, sizeof(*x));
	int err;

	if (!x)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a queue");
	q->made = x;
	q->q.flags = NIC_NO_MASKED;
	err = verbs_devx_rings_open(q, x);
	if (!err)
		err = verbs_devx_pd_number(q, x);
	if (err)
		return err;
	errno = 0;
	x->uar = verbs_calls.mlx5_uar_alloc(q->nic->ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	if (!x->uar)
		return verbs_fail(&q->nic->port, errno, "mlx5dv_devx_alloc_uar", "");
	err = verbs_devx_cq_open(q, x);
	if (!err)
		err = verbs_devx_qp_open(q, x);
	q->q.ring = q->rings.addr;
	q->q.cq = q->rings.addr + x->cq_at;
	q->q.record = q->rings.addr + x->records_at;
	q->q.cq_record = q->q.record + CQ_RECORD;
	q->q.doorbell = (uintptr_t)x->uar->reg_addr;
	return err;
}

void verbs_devx_unmake(struct verbs_qp *q)
{
	struct verbs_devx_qp *x = q->made;

	if (!x)
		return;
	if (x->qp)
		verbs_calls.mlx5_obj_destroy(x->qp);
	if (x->cq)
		verbs_calls.mlx5_obj_destroy(x->cq);
	if (x->uar)
		verbs_calls.mlx5_uar_free(x->uar);
	if (x->umem)
		verbs_calls.mlx5_umem_dereg(x->umem);
	free(x);
	q->made = NULL;
}

/* The hardware address of the next hop, which the kernel finds for an address handle. */
static int verbs_devx_set_mac(struct verbs_qp *q, uint8_t *in, struct ibv_ah_attr *path)
{
	struct mlx5dv_ah out = { 0 };
	struct mlx5dv_obj obj = { .ah = { NULL, &out } };
	struct ibv_ah *ah;
	int code;

	errno = 0;
	ah = verbs_calls.ibv_create_ah(q->nic->pd, path);
	if (!ah)
		return errno ? errno : EIO;
	obj.ah.in = ah;
	code = verbs_calls.mlx5_init_obj(&obj, MLX5DV_OBJ_AH);
	if (!code) {
		memcpy(in + PATH_MAC / 8, out.av->rmac, sizeof(out.av->rmac));
		/* With RoCE this is the UDP port. */
		verbs_devx_set(in, PATH_UDP, __builtin_bswap16(out.av->rlid));
	}
	verbs_calls.ibv_destroy_ah(ah);
	return code;
}

static int verbs_devx_set_path(struct verbs_qp *q, uint8_t *in, const struct ibv_ah_attr *given)
{
	struct ibv_ah_attr path = *given;

	verbs_devx_set(in, PATH_PORT, path.port_num);
	if (path.is_global) {
		memcpy(in + PATH_GID / 8, path.grh.dgid.raw, 16);
		verbs_devx_set(in, PATH_FROM, path.grh.sgid_index);
		verbs_devx_set(in, PATH_HOPS, path.grh.hop_limit);
		verbs_devx_set(in, PATH_TC, path.grh.traffic_class);
	}
	if (!q->nic->port.ethernet) {
		verbs_devx_set(in, PATH_GRH, path.is_global);
		verbs_devx_set(in, PATH_LID, path.dlid);
		verbs_devx_set(in, PATH_SL, path.sl);
		return 0;
	}
	verbs_devx_set(in, PATH_PRIO, path.sl & 7u);
	verbs_devx_set(in, PATH_DSCP, path.grh.traffic_class >> 2);
	return verbs_devx_set_mac(q, in, &path);
}

int verbs_devx_modify(struct verbs_qp *q, const struct ibv_qp_attr *attr)
{
	uint32_t in[COMMAND_BYTES / 4] = { 0 }, out[RESPONSE_BYTES / 4] = { 0 };
	struct verbs_devx_qp *x = q->made;
	int code = 0;

	verbs_devx_set(in, NUMBER, q->qpn);
	if (attr->qp_state == IBV_QPS_INIT) {
		verbs_devx_set(in, OPCODE, RST2INIT);
		verbs_devx_set(in, QP_STATE, MIGRATED);
		verbs_devx_set(in, QP_RIGHTS, ALL_RIGHTS);
		verbs_devx_set(in, QP_ATOMIC, ATOMICS_OF_IB);
		verbs_devx_set(in, PATH_PORT, attr->port_num);
	} else if (attr->qp_state == IBV_QPS_RTR) {
		verbs_devx_set(in, OPCODE, INIT2RTR);
		verbs_devx_set(in, QP_MTU, attr->path_mtu);
		verbs_devx_set(in, QP_MSG, 30);
		verbs_devx_set(in, QP_PEER, attr->dest_qp_num);
		verbs_devx_set(in, QP_RQ_PSN, attr->rq_psn);
		verbs_devx_set(in, QP_SERVES, verbs_devx_log(attr->max_dest_rd_atomic));
		verbs_devx_set(in, QP_TIMER, attr->min_rnr_timer);
		verbs_devx_set(in, QP_RIGHTS, ALL_RIGHTS);
		verbs_devx_set(in, QP_ATOMIC, ATOMICS_OF_IB);
		code = verbs_devx_set_path(q, (uint8_t *)in, &attr->ah_attr);
	} else {
		verbs_devx_set(in, OPCODE, RTR2RTS);
		verbs_devx_set(in, QP_READS, verbs_devx_log(attr->max_rd_atomic));
		verbs_devx_set(in, QP_RETRY, attr->retry_cnt);
		verbs_devx_set(in, QP_RNR, attr->rnr_retry);
		verbs_devx_set(in, QP_PSN, attr->sq_psn);
		verbs_devx_set(in, PATH_ACK, attr->timeout);
	}
	return code ? code : verbs_calls.mlx5_obj_modify(x->qp, in, sizeof(in), out, sizeof(out));
}
