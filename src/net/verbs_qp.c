// SPDX-License-Identifier: MIT
/*
 * Queue pairs: created by the vendor's library, completed with the memory that posters need
 * beside the rings, made accessible to kernels, and taken through the states that connect
 * them.
 */
#include "net/verbs_lib.h"
#include "util/clock.h"
#include "util/err.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RESULTS	     128u /* 32 KiB of bounces */
#define READS_MOST   16u  /* reads and atomics under way: no NIC has more */
#define ACK_TIMEOUT  18	  /* an entry is sent again after 4 us << 18, a second */
#define RETRIES	     7	  /* the maximum */
#define RNR_TIMER    12
#define HOPS	     64
#define LOG_LEN_MOST 30

struct ibv_qp_init_attr verbs_qp_attr(const struct verbs_qp *q, uint32_t entries)
{
	return (struct ibv_qp_init_attr){
		.send_cq = q->cq,
		.recv_cq = q->cq,
		.cap = { .max_send_wr = entries,
			 .max_recv_wr = 1,
			 .max_send_sge = 1,
			 .max_recv_sge = 1,
			 .max_inline_data = NIC_INLINE_MAX },
		.qp_type = IBV_QPT_RC,
	};
}

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
 * The library decides how many slots a request takes, and may provide more than requested:
 * then we request fewer, until the completion ring has room for each.
 */
int verbs_make_plain(struct verbs_qp *q, int (*query)(struct verbs_qp *q))
{
	struct verbs *v = q->nic;
	uint32_t want = 1u << v->config.log_slots;
	int err;

	errno = 0;
	q->cq = verbs_calls.ibv_create_cq(v->ctx, (int)want - 1, NULL, NULL, 0);
	if (!q->cq)
		return verbs_fail(&v->port, errno, "ibv_create_cq", "");
	for (uint32_t entries = want; entries; entries /= 2) {
		struct ibv_qp_init_attr attr = verbs_qp_attr(q, entries);

		errno = 0;
		q->qp = verbs_calls.ibv_create_qp(v->pd, &attr);
		if (!q->qp)
			return verbs_fail(&v->port, errno, "ibv_create_qp",
					  "is the limit of locked memory (ulimit -l) high enough?");
		err = query(q);
		if (err || q->q.log_slots <= v->config.log_slots)
			return err;
		verbs_calls.ibv_destroy_qp(q->qp);
		q->qp = NULL;
	}
	return err_set(MORI_SHMEM_ENOTSUP, "%s port %d: a queue pair of %u slots is not possible",
		       v->port.name, v->port.port, want);
}

/* Bounces, result slots and marks: memory of our own for them, and its first contents. */
static int verbs_qp_own_open(struct verbs_qp *q)
{
	struct nic_sizes sizes;
	struct nic_queue *n = &q->q;
	uint8_t *image;
	uint64_t users;
	int err;

	n->result_slots = RESULTS;
	if (nic_queue_reset(n, 0) || nic_queue_sizes(n, &sizes))
		return err_set(
			MORI_SHMEM_ENOTSUP,
			"%s port %d: a queue of 2^%u slots and 2^%u completions is not supported",
			q->nic->port.name, q->nic->port.port, n->log_slots, n->log_cq);
	users = RESULTS * NIC_BOUNCE + sizes.result_values + sizes.marks;
	err = verbs_part_open(q->nic, users + sizes.slot_owner, &q->own, &image);
	if (err)
		return err;
	n->bounce = q->own.addr;
	n->result_values = n->bounce + RESULTS * NIC_BOUNCE;
	n->marks = n->result_values + sizes.result_values;
	n->slot_owner = q->own.addr + users;
	/* The first slot is for results that nobody wants. */
	*(uint64_t *)(void *)(image + users) = 1;
	err = verbs_part_fill(q->nic, &q->own, image);
	if (!err)
		err = verbs_part_reg(q->nic, &q->own, &q->own_mr);
	if (!err)
		n->results_key = q->own_mr->mr->lkey;
	return err;
}

int verbs_rings_open(struct verbs_qp *q, uint64_t len, uint64_t cq_at)
{
	uint8_t *image;
	int err = verbs_part_open(q->nic, len, &q->rings, &image);

	if (err)
		return err;
	nic_clear_cq(&q->q, image + cq_at, 0);
	return verbs_part_fill(q->nic, &q->rings, image);
}

/* Rings that the library has allocated are in host memory. */
static void verbs_qp_clear_rings(struct verbs_qp *q)
{
	struct nic_sizes sizes;

	if (q->rings.at)
		return;
	(void)nic_queue_sizes(&q->q, &sizes);
	memset((void *)(uintptr_t)q->q.ring, 0, sizes.ring);
	nic_clear_cq(&q->q, (void *)(uintptr_t)q->q.cq, 0);
}

static int verbs_qp_show(struct verbs_qp *q, uint64_t *addr, uint64_t len, bool io)
{
	int err = *addr ? verbs_show(q->nic, addr, len, io, &q->shown[q->n_shown]) : 0;

	if (!err)
		q->n_shown += *addr != 0;
	return err;
}

/* Registers, and the memory of rings that are not in our own. */
static int verbs_qp_show_all(struct verbs_qp *q)
{
	struct nic_sizes sizes;
	int err;

	(void)nic_queue_sizes(&q->q, &sizes);
	err = verbs_qp_show(q, &q->q.doorbell, 8, true);
	if (!err)
		err = verbs_qp_show(q, &q->q.cq_doorbell, 8, true);
	if (err || q->rings.at)
		return err;
	err = verbs_qp_show(q, &q->q.ring, sizes.ring, false);
	if (!err)
		err = verbs_qp_show(q, &q->q.cq, sizes.cq, false);
	if (!err)
		err = verbs_qp_show(q, &q->q.record, 8, false);
	return err ? err : verbs_qp_show(q, &q->q.cq_record, 8, false);
}

static int verbs_qp_to_init(struct verbs_qp *q)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT,
		.port_num = (uint8_t)q->nic->port.port,
		.qp_access_flags = VERBS_ACCESS,
	};
	int code = q->nic->vendor->modify(
		q, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);

	return code ? verbs_fail(&q->nic->port, code, "a queue pair cannot be initialised", "") : 0;
}

/* Packets of an earlier queue pair with the same number must not be taken for new ones. */
static uint32_t verbs_qp_first_psn(const struct verbs_qp *q)
{
	uint64_t z = (uint64_t)clock_now() + (uintptr_t)q;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	return (uint32_t)(z >> 32) & 0xffffff;
}

int verbs_qp_open(struct verbs *v, int pe, int qp, struct verbs_qp **out)
{
	struct verbs_qp *q;
	int err;

	if (!v->heap)
		return err_set(MORI_SHMEM_EINVAL, "%s: it needs the heap before its queues",
			       v->port.name);
	q = calloc(1, sizeof(*q));
	if (!q)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a queue");
	q->nic = v;
	q->psn = verbs_qp_first_psn(q);
	q->q.format = v->port.format;
	q->q.pe = pe;
	q->q.qp = qp;
	q->q.lkey = v->heap->mr->lkey;
	q->q.max_len = v->port.max_len < 1u << LOG_LEN_MOST ? v->port.max_len : 1u << LOG_LEN_MOST;
	q->q.mtu = 128u << v->port.mtu;
	q->q.next_psn = q->psn;
	err = v->vendor->make(q);
	if (!err)
		err = verbs_qp_own_open(q);
	if (!err) {
		verbs_qp_clear_rings(q);
		err = verbs_qp_show_all(q);
	}
	if (!err)
		err = verbs_qp_to_init(q);
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
	/* The NIC first: it must not write to memory that is freed. */
	q->nic->vendor->unmake(q);
	for (int i = 0; i < q->n_shown; i++)
		verbs_hide(q->nic, q->shown[i]);
	verbs_region_remove(q->own_mr);
	verbs_part_close(q->nic, &q->own);
	verbs_part_close(q->nic, &q->rings);
	free(q);
}

static uint8_t verbs_qp_reads(int a, int b)
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
		.reads = verbs_qp_reads(q->nic->attr.max_qp_rd_atom, READS_MOST),
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
	/* Within an InfiniBand subnet the short address is enough. */
	out->is_global = p->ethernet || !peer->lid || v->config.gid_index >= 0 ||
			 memcmp(peer->gid, p->gid, 8) != 0;
	if (!out->is_global)
		return;
	memcpy(out->grh.dgid.raw, peer->gid, sizeof(peer->gid));
	out->grh.sgid_index = (uint8_t)p->gid_index;
	out->grh.hop_limit = HOPS;
	out->grh.traffic_class = v->config.tc < 0 ? 0 : (uint8_t)v->config.tc;
}

static int verbs_qp_check_peer(const struct verbs_qp *q, const struct verbs_record *peer)
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
		what = "its MTU is invalid";
	if (!what)
		return 0;
	return err_set(MORI_SHMEM_EREACH, "%s port %d and %.31s of PE %d cannot be connected: %s",
		       p->name, p->port, peer->name, q->q.pe, what);
}

static int verbs_qp_to_rtr(struct verbs_qp *q, const struct verbs_record *peer, uint32_t mtu)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = (enum ibv_mtu)mtu,
		.dest_qp_num = peer->qpn,
		.rq_psn = peer->psn,
		.max_dest_rd_atomic = verbs_qp_reads(q->nic->attr.max_qp_rd_atom, READS_MOST),
		.min_rnr_timer = RNR_TIMER,
	};
	char what[160], gid[64];
	int code;

	verbs_qp_path(q, peer, &a.ah_attr);
	code = q->nic->vendor->modify(q, &a,
				      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
					      IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
					      IBV_QP_MIN_RNR_TIMER);
	if (!code)
		return 0;
	snprintf(what, sizeof(what), "no path from GID %d to %s of PE %d on %.31s",
		 q->nic->port.gid_index,
		 inet_ntop(AF_INET6, peer->gid, gid, sizeof(gid)) ? gid : "?", q->q.pe, peer->name);
	return verbs_fail(&q->nic->port, code, what,
			  "are both in one network? see MORI_IB_GID_INDEX, MORI_RDMA_DEVICES");
}

static int verbs_qp_to_rts(struct verbs_qp *q, const struct verbs_record *peer)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = q->psn,
		.timeout = ACK_TIMEOUT,
		.retry_cnt = RETRIES,
		.rnr_retry = RETRIES,
		.max_rd_atomic = verbs_qp_reads(q->nic->attr.max_qp_init_rd_atom, peer->reads),
	};
	int code = q->nic->vendor->modify(q, &a,
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
	int err = verbs_qp_check_peer(q, peer);

	if (!err)
		err = verbs_qp_to_rtr(q, peer, mtu);
	if (!err)
		err = verbs_qp_to_rts(q, peer);
	if (!err && q->nic->vendor->ready)
		err = q->nic->vendor->ready(q);
	if (err)
		return err;
	q->q.mtu = 128u << mtu;
	q->q.rkey = peer->rkey;
	q->q.heap = peer->heap;
	*out = q->q;
	return 0;
}
