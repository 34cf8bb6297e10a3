// SPDX-License-Identifier: MIT
/*
 * Queue pairs: made by the NIC's maker, given the words that posters need beside the
 * rings, shown to kernels, and taken through the states that connect them.
 */
#include "net/verbs_lib.h"
#include "util/err.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CELLS	     128u /* 32 KiB of bounces */
#define READS_MOST   16u  /* reads and atomics under way: more than any NIC of today has */
#define ACK_TIMEOUT  18	  /* 4 us << 18, a second, until an entry is sent again */
#define RETRIES	     7	  /* the most there is */
#define RNR_TIMER    12
#define HOPS	     64
#define LOG_LEN_MOST 30

int verbs_modify_plain(struct verbs_qp *q, struct ibv_qp_attr *attr, int mask)
{
	return verbs_calls.ibv_modify_qp(q->qp, attr, mask);
}

void verbs_unmake_plain(struct verbs_qp *q)
{
	if (q->qp)
		verbs_calls.ibv_destroy_qp(q->qp);
	if (q->cq)
		verbs_calls.ibv_destroy_cq(q->cq);
	q->qp = NULL;
	q->cq = NULL;
}

/*
 * The library decides how many slots a request takes, and may give more than asked for:
 * then it is asked for less, until the completion ring has a place for each.
 */
int verbs_make_plain(struct verbs_qp *q, int (*look)(struct verbs_qp *q))
{
	struct verbs *v = q->nic;
	uint32_t want = 1u << v->config.log_slots;
	int err;

	errno = 0;
	q->cq = verbs_calls.ibv_create_cq(v->ctx, (int)want - 1, NULL, NULL, 0);
	if (!q->cq)
		return verbs_fail(&v->port, errno, "ibv_create_cq", "");
	for (uint32_t entries = want; entries; entries /= 2) {
		struct ibv_qp_init_attr attr = {
			.send_cq = q->cq,
			.recv_cq = q->cq,
			.cap = { .max_send_wr = entries,
				 .max_recv_wr = 1,
				 .max_send_sge = 1,
				 .max_recv_sge = 1,
				 .max_inline_data = NIC_INLINE_MAX },
			.qp_type = IBV_QPT_RC,
		};

		errno = 0;
		q->qp = verbs_calls.ibv_create_qp(v->pd, &attr);
		if (!q->qp)
			return verbs_fail(&v->port, errno, "ibv_create_qp",
					  "is the limit of locked memory (ulimit -l) high enough?");
		err = look(q);
		if (err || q->q.log_slots <= v->config.log_slots)
			return err;
		verbs_calls.ibv_destroy_qp(q->qp);
		q->qp = NULL;
	}
	return err_set(MORI_SHMEM_ENOTSUP, "%s port %d: no queue pair of %u slots is to be had",
		       v->port.name, v->port.port, want);
}

/* Bounces, cells and marks: their place in a part of our own, and what they begin with. */
static int own_open(struct verbs_qp *q)
{
	struct nic_sizes sizes;
	struct nic_queue *n = &q->q;
	uint64_t users, *image;
	int err;

	n->cells = CELLS;
	if (nic_queue_reset(n, 0) || nic_queue_sizes(n, &sizes))
		return err_set(MORI_SHMEM_ENOTSUP,
			       "%s port %d: a queue of 2^%u slots and 2^%u completions does not do",
			       q->nic->port.name, q->nic->port.port, n->log_slots, n->log_cq);
	users = CELLS * NIC_BOUNCE + sizes.cell_values + sizes.marks;
	err = verbs_part_open(q->nic, users + sizes.cell_users, &q->own);
	if (err)
		return err;
	n->bounce = q->own.addr;
	n->cell_values = n->bounce + CELLS * NIC_BOUNCE;
	n->marks = n->cell_values + sizes.cell_values;
	n->cell_users = q->own.addr + users;
	image = calloc(1, q->own.len);
	if (!image)
		return err_set(MORI_SHMEM_ENOMEM, "no memory for a queue");
	image[users / 8] = 1; /* the first cell is for values nobody wants */
	err = verbs_part_fill(q->nic, &q->own, image);
	free(image);
	if (!err)
		err = verbs_part_reg(q->nic, &q->own, &q->cells);
	if (!err)
		n->cells_key = q->cells->mr->lkey;
	return err;
}

/* Rings that the library has placed are the host's. */
static void clear_rings(struct verbs_qp *q)
{
	struct nic_sizes sizes;

	if (q->rings.at)
		return;
	(void)nic_queue_sizes(&q->q, &sizes);
	memset((void *)(uintptr_t)q->q.ring, 0, sizes.ring);
	nic_clear_cq(&q->q, (void *)(uintptr_t)q->q.cq, 0);
}

static int show(struct verbs_qp *q, uint64_t *addr, uint64_t len, bool io)
{
	int err = *addr ? verbs_show(q->nic, addr, len, io, &q->shown[q->n_shown]) : 0;

	if (!err)
		q->n_shown += *addr != 0;
	return err;
}

/* Registers, and of rings that are not in a part of our own their memory. */
static int show_all(struct verbs_qp *q)
{
	struct nic_sizes sizes;
	int err;

	(void)nic_queue_sizes(&q->q, &sizes);
	err = show(q, &q->q.doorbell, 8, true);
	if (!err)
		err = show(q, &q->q.cq_doorbell, 8, true);
	if (err || q->rings.at)
		return err;
	err = show(q, &q->q.ring, sizes.ring, false);
	if (!err)
		err = show(q, &q->q.cq, sizes.cq, false);
	if (!err)
		err = show(q, &q->q.record, 8, false);
	return err ? err : show(q, &q->q.cq_record, 8, false);
}

static int to_init(struct verbs_qp *q)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT,
		.port_num = (uint8_t)q->nic->port.port,
		.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
	};
	int code = q->nic->maker->modify(
		q, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);

	return code ? verbs_fail(&q->nic->port, code, "a queue pair cannot be initialised", "") : 0;
}

/* Packets of an earlier queue pair with the same number must not be taken for new ones. */
static uint32_t first_psn(const struct verbs_qp *q)
{
	struct timespec now;
	uint64_t z;

	clock_gettime(CLOCK_MONOTONIC, &now);
	z = (uint64_t)now.tv_nsec + ((uint64_t)now.tv_sec << 30) + (uintptr_t)q;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	return (uint32_t)(z >> 32) & 0xffffff;
}

int verbs_qp_open(struct verbs *v, int pe, int qp, struct verbs_qp **out)
{
	struct verbs_qp *q;
	int err;

	if (!v->heap)
		return err_set(MORI_SHMEM_EINVAL, "%s: the heap comes before its queues",
			       v->port.name);
	q = calloc(1, sizeof(*q));
	if (!q)
		return err_set(MORI_SHMEM_ENOMEM, "no memory for a queue");
	q->nic = v;
	q->psn = first_psn(q);
	q->q.format = v->port.format;
	q->q.pe = pe;
	q->q.qp = qp;
	q->q.lkey = v->heap->mr->lkey;
	q->q.max_len = v->port.max_len < 1u << LOG_LEN_MOST ? v->port.max_len : 1u << LOG_LEN_MOST;
	q->q.mtu = 128u << v->port.mtu;
	q->q.next_psn = q->psn;
	err = v->maker->make(q);
	if (!err)
		err = own_open(q);
	if (!err) {
		clear_rings(q);
		err = show_all(q);
	}
	if (!err)
		err = to_init(q);
	if (err)
		verbs_qp_close(q);
	else
		*out = q;
	return err;
}

void verbs_qp_close(struct verbs_qp *q)
{
	if (!q)
		return;
	/* The NIC first: it must not write to what is given back. */
	q->nic->maker->unmake(q);
	for (int i = 0; i < q->n_shown; i++)
		verbs_hide(q->nic, q->shown[i]);
	verbs_region_remove(q->cells);
	verbs_part_close(q->nic, &q->own);
	verbs_part_close(q->nic, &q->rings);
	free(q);
}

static uint8_t least(int a, int b)
{
	int n = a < b ? a : b;

	return (uint8_t)(n<1 ? 1 : n>(int) READS_MOST ? (int)READS_MOST : n);
}

void verbs_qp_record(const struct verbs_qp *q, struct verbs_record *out)
{
	const struct verbs_port *p = &q->nic->port;

	*out = (struct verbs_record){
		.magic = VERBS_RECORD,
		.qpn = q->qpn,
		.psn = q->psn,
		.rkey = q->nic->heap->mr->rkey,
		.heap = q->nic->heap_at,
		.lid = p->lid,
		.mtu = (uint8_t)p->mtu,
		.ethernet = p->ethernet,
		.v2 = p->v2,
		.reads = least(q->nic->attr.max_qp_rd_atom, READS_MOST),
	};
	memcpy(out->gid, p->gid, sizeof(out->gid));
	snprintf(out->name, sizeof(out->name), "%.31s", p->name);
}

void verbs_qp_path(const struct verbs_qp *q, const struct verbs_record *peer,
		   struct ibv_ah_attr *out)
{
	const struct verbs *v = q->nic;
	const struct verbs_port *p = &v->port;

	*out = (struct ibv_ah_attr){ .dlid = peer->lid, .port_num = (uint8_t)p->port };
	out->sl = v->config.sl < 0 ? 0 : (uint8_t)v->config.sl;
	/* Within an InfiniBand subnet its short address will do. */
	out->is_global = p->ethernet || !peer->lid || v->config.gid_index >= 0 ||
			 memcmp(peer->gid, p->gid, 8) != 0;
	if (!out->is_global)
		return;
	memcpy(out->grh.dgid.raw, peer->gid, sizeof(peer->gid));
	out->grh.sgid_index = (uint8_t)p->gid_index;
	out->grh.hop_limit = HOPS;
	out->grh.traffic_class = v->config.tc < 0 ? 0 : (uint8_t)v->config.tc;
}

static int check_peer(const struct verbs_qp *q, const struct verbs_record *peer)
{
	const struct verbs_port *p = &q->nic->port;
	const char *what = NULL;

	if (peer->magic != VERBS_RECORD)
		return err_set(MORI_SHMEM_EINVAL,
			       "%s port %d: PE %d sent no address of a NIC: does it have one, and "
			       "the same version of this library?",
			       p->name, p->port, q->q.pe);
	if (peer->ethernet != p->ethernet)
		what = "one is InfiniBand, the other Ethernet; choose with MORI_RDMA_DEVICES";
	else if (p->ethernet && peer->v2 != p->v2)
		what = "one has a GID of RoCE v1, the other of v2; choose with MORI_IB_GID_INDEX";
	else if (peer->mtu < 1 || peer->mtu > 5)
		what = "its MTU makes no sense";
	if (!what)
		return 0;
	return err_set(MORI_SHMEM_EREACH, "%s port %d and %.31s of PE %d do not go together: %s",
		       p->name, p->port, peer->name, q->q.pe, what);
}

static int to_rtr(struct verbs_qp *q, const struct verbs_record *peer, uint32_t mtu)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = (enum ibv_mtu)mtu,
		.dest_qp_num = peer->qpn,
		.rq_psn = peer->psn,
		.max_dest_rd_atomic = least(q->nic->attr.max_qp_rd_atom, READS_MOST),
		.min_rnr_timer = RNR_TIMER,
	};
	char what[128], gid[64];
	int code;

	verbs_qp_path(q, peer, &a.ah_attr);
	code = q->nic->maker->modify(q, &a,
				     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
					     IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
					     IBV_QP_MIN_RNR_TIMER);
	if (!code)
		return 0;
	snprintf(what, sizeof(what), "no way from GID %d to %s of PE %d on %.31s",
		 q->nic->port.gid_index,
		 inet_ntop(AF_INET6, peer->gid, gid, sizeof(gid)) ? gid : "?", q->q.pe, peer->name);
	return verbs_fail(&q->nic->port, code, what,
			  "are both in one network? see MORI_IB_GID_INDEX, MORI_RDMA_DEVICES");
}

static int to_rts(struct verbs_qp *q, const struct verbs_record *peer)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = q->psn,
		.timeout = ACK_TIMEOUT,
		.retry_cnt = RETRIES,
		.rnr_retry = RETRIES,
		.max_rd_atomic = least(q->nic->attr.max_qp_init_rd_atom, peer->reads),
	};
	int code = q->nic->maker->modify(q, &a,
					 IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
						 IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
						 IBV_QP_MAX_QP_RD_ATOMIC);

	return code ? verbs_fail(&q->nic->port, code, "a queue pair cannot be made ready to send",
				 "") :
		      0;
}

int verbs_qp_connect(struct verbs_qp *q, const struct verbs_record *peer, struct nic_queue *out)
{
	uint32_t mtu = q->nic->port.mtu < peer->mtu ? q->nic->port.mtu : peer->mtu;
	int err = check_peer(q, peer);

	if (!err)
		err = to_rtr(q, peer, mtu);
	if (!err)
		err = to_rts(q, peer);
	if (!err && q->nic->maker->ready)
		err = q->nic->maker->ready(q);
	if (err)
		return err;
	q->q.mtu = 128u << mtu;
	q->q.rkey = peer->rkey;
	q->q.heap = peer->heap;
	*out = q->q;
	return 0;
}
