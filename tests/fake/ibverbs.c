// SPDX-License-Identifier: MIT
/* The fake libibverbs: devices, ports, regions, plain queue pairs, and what others share. */
#include "fake/fake.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#undef ibv_get_device_list
#undef ibv_query_port
#undef ibv_reg_mr_iova

#define CQE_BYTES  64 /* the largest of all vendors */
#define SLOT_BYTES 64

static struct {
	pthread_mutex_t lock;
	const struct fake_nic *nics;
	int n, calls, fail_at;
	const char *failed;
	int live[FAKE_KINDS];
	uint32_t next_key, next_qpn;
	struct fake_mr *mrs;
	struct fake_qp *qps;
	bool msn;
	int ionic;
	char fail_call[64]; /* the name of a call that fails, and from which time on */
	int fail_from;
	pthread_mutex_t serving; /* held while a queue pair is served; before lock */
} fake = { .ionic = 2,
	   .lock = PTHREAD_MUTEX_INITIALIZER,
	   .serving = PTHREAD_MUTEX_INITIALIZER,
	   .next_key = 0x100,
	   .next_qpn = 0x40 };

static __thread struct fake_qp *last_qp;

struct fake_mr {
	struct ibv_mr mr; /* first */
	uint64_t iova;
	int access;
	struct fake_mr *next;
};

struct fake_cq {
	struct ibv_cq cq; /* first */
	void *ring;
	uint32_t record[4];
};

struct fake_ctx {
	_Alignas(4096) uint64_t page[512];
	struct ibv_context c;
	const struct fake_nic *nic;
};

static const char *const kinds[FAKE_KINDS] = {
	"contexts",    "protection domains",
	"regions",     "completion queues",
	"queue pairs", "address handles",
	"lists",       "umems",
	"UARs",	       "objects",
};

void fake_nics(const struct fake_nic *nics, int n)
{
	fake.nics = nics;
	fake.n = n;
}

int fake_fail(int nth)
{
	int calls = fake.calls;

	fake.calls = 0;
	fake.fail_at = nth;
	fake.failed = "";
	return calls;
}

const char *fake_failed(void)
{
	return fake.failed;
}

bool fake_step(const char *call)
{
	bool fails;

	pthread_mutex_lock(&fake.lock);
	fails = ++fake.calls == fake.fail_at;
	if (fake.fail_from && !strcmp(call, fake.fail_call)) {
		if (fake.fail_from == 1)
			fails = true;
		else
			fake.fail_from--;
	}
	pthread_mutex_unlock(&fake.lock);
	if (fails) {
		fake.failed = call;
		errno = EIO;
	}
	return fails;
}

void fake_count(enum fake_kind kind, int by)
{
	pthread_mutex_lock(&fake.lock);
	fake.live[kind] += by;
	pthread_mutex_unlock(&fake.lock);
}

int fake_live(bool say)
{
	int n = 0;

	for (int i = 0; i < FAKE_KINDS; i++) {
		if (fake.live[i] && say)
			fprintf(stderr, "%d %s are left\n", fake.live[i], kinds[i]);
		n += abs(fake.live[i]);
	}
	return n;
}

void fake_fail_call(const char *name)
{
	size_t len = name ? strcspn(name, ":") : 0;

	if (!len || len >= sizeof(fake.fail_call))
		return;
	memcpy(fake.fail_call, name, len);
	fake.fail_from = name[len] ? atoi(name + len + 1) : 1;
}

void fake_bnxt_msn(bool on)
{
	fake.msn = on;
}

void fake_ionic(int version)
{
	fake.ionic = version;
}

int fake_ionic_version(void)
{
	return fake.ionic;
}

bool fake_has_bnxt_msn(void)
{
	return fake.msn;
}

static struct fake_ctx *ctx_of(const struct ibv_context *c)
{
	return (struct fake_ctx *)((uintptr_t)c - offsetof(struct fake_ctx, c));
}

uint64_t *fake_page(const struct ibv_context *c)
{
	return ctx_of(c)->page;
}

void *fake_dmabuf(int fd)
{
	void *at;

	return pread(fd, &at, sizeof(at), 0) == sizeof(at) ? at : NULL;
}

FAKE_EXPORT struct ibv_device **ibv_get_device_list(int *n)
{
	struct ibv_device **list, *d;

	if (fake_step(__func__))
		return NULL;
	list = calloc((size_t)fake.n + 1, sizeof(*list));
	for (int i = 0; i < fake.n; i++) {
		d = list[i] = calloc(1, sizeof(*d));
		snprintf(d->name, sizeof(d->name), "%s", fake.nics[i].name);
	}
	fake_count(FAKE_LIST, 1);
	*n = fake.n;
	return list;
}

FAKE_EXPORT void ibv_free_device_list(struct ibv_device **list)
{
	for (struct ibv_device **d = list; *d; d++)
		free(*d);
	free(list);
	fake_count(FAKE_LIST, -1);
}

static const struct fake_nic *nic_named(const char *name)
{
	for (int i = 0; i < fake.n; i++)
		if (!strcmp(fake.nics[i].name, name))
			return &fake.nics[i];
	return NULL;
}

const struct fake_nic *fake_nic_of(const struct ibv_context *c)
{
	return ctx_of(c)->nic;
}

/* As libionic, whose entries have the opcode in their 9th byte: in the first slot, for one of them. */
static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	static const uint8_t opcodes[] = { 0x7f, 4, 0x21 };
	struct fake_qp *q = (struct fake_qp *)qp;

	*bad = wr;
	if (fake_step("ibv_post_send"))
		return EIO;
	if (!q->quiet || !q->ready || wr->opcode != IBV_WR_RDMA_WRITE || wr->num_sge)
		return EINVAL;
	((uint8_t *)q->ring)[8] = opcodes[fake.ionic];
	return 0;
}

struct ibv_context *fake_open(struct ibv_device *d)
{
	const struct fake_nic *nic = nic_named(d->name);
	struct fake_ctx *c;

	if (nic->closed) {
		errno = EACCES;
		return NULL;
	}
	c = aligned_alloc(4096, (sizeof(*c) + 4095) & ~(size_t)4095);
	memset(c, 0, sizeof(*c));
	c->nic = nic;
	c->c.ops.post_send = post_send;
	fake_count(FAKE_CTX, 1);
	return &c->c;
}

FAKE_EXPORT struct ibv_context *ibv_open_device(struct ibv_device *d)
{
	return fake_step(__func__) ? NULL : fake_open(d);
}

FAKE_EXPORT int ibv_close_device(struct ibv_context *c)
{
	free(ctx_of(c));
	fake_count(FAKE_CTX, -1);
	return 0;
}

FAKE_EXPORT int ibv_query_device(struct ibv_context *c, struct ibv_device_attr *out)
{
	if (fake_step(__func__))
		return EIO;
	memset(out, 0, sizeof(*out));
	out->phys_port_cnt = (uint8_t)fake_nic_of(c)->ports;
	out->max_qp_rd_atom = 16;
	out->max_qp_init_rd_atom = 8;
	out->atomic_cap = IBV_ATOMIC_HCA;
	return 0;
}

/* As the exported call of the real one: what came later in the struct is not touched. */
FAKE_EXPORT int ibv_query_port(struct ibv_context *c, uint8_t port, struct _compat_ibv_port_attr *o)
{
	const struct fake_port *p = &fake_nic_of(c)->port[port - 1];
	struct ibv_port_attr *out = (struct ibv_port_attr *)o;

	if (fake_step(__func__))
		return EIO;
	out->state = p->state;
	out->active_mtu = p->mtu;
	out->max_mtu = IBV_MTU_4096;
	out->gid_tbl_len = 6;
	out->max_msg_sz = 1u << 30;
	out->lid = p->lid;
	out->active_speed = p->speed;
	out->active_width = p->width;
	out->link_layer = p->infiniband ? IBV_LINK_LAYER_INFINIBAND : IBV_LINK_LAYER_ETHERNET;
	return 0;
}

FAKE_EXPORT int _ibv_query_gid_ex(struct ibv_context *c, uint32_t port, uint32_t index,
				  struct ibv_gid_entry *out, uint32_t flags, size_t size)
{
	const struct fake_port *p = &fake_nic_of(c)->port[port - 1];

	(void)flags;
	if (fake_step(__func__))
		return EIO;
	if (index >= 6 || size != sizeof(*out) || !p->gids[index].text)
		return ENODATA;
	memset(out, 0, sizeof(*out));
	if (inet_pton(AF_INET6, p->gids[index].text, out->gid.raw) != 1)
		return EINVAL;
	out->gid_index = index;
	out->gid_type = p->infiniband	  ? IBV_GID_TYPE_IB :
			p->gids[index].v2 ? IBV_GID_TYPE_ROCE_V2 :
					    IBV_GID_TYPE_ROCE_V1;
	return 0;
}

FAKE_EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *c)
{
	struct ibv_pd *pd;

	if (fake_step(__func__))
		return NULL;
	pd = calloc(1, sizeof(*pd));
	pd->context = c;
	pd->handle = 7;
	fake_count(FAKE_PD, 1);
	return pd;
}

FAKE_EXPORT int ibv_dealloc_pd(struct ibv_pd *pd)
{
	free(pd);
	fake_count(FAKE_PD, -1);
	return 0;
}

static struct ibv_mr *mr_new(struct ibv_pd *pd, void *at, size_t len, uint64_t iova, int access)
{
	struct fake_mr *m = calloc(1, sizeof(*m));

	pthread_mutex_lock(&fake.lock);
	m->mr = (struct ibv_mr){ .context = pd->context, .pd = pd, .addr = at, .length = len };
	m->mr.lkey = fake.next_key++;
	m->mr.rkey = fake.next_key++;
	m->iova = iova;
	m->access = access;
	m->next = fake.mrs;
	fake.mrs = m;
	pthread_mutex_unlock(&fake.lock);
	fake_count(FAKE_MR, 1);
	return &m->mr;
}

FAKE_EXPORT struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *at, size_t len, uint64_t iova,
					   int access)
{
	if (fake_step(__func__))
		return NULL;
	return mr_new(pd, at, len, iova, access);
}

FAKE_EXPORT struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t off, size_t len,
					     uint64_t iova, int fd, int access)
{
	if (fake_step(__func__))
		return NULL;
	if (fake_nic_of(pd->context)->no_dmabuf || !fake_dmabuf(fd)) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	return mr_new(pd, (char *)fake_dmabuf(fd) + off, len, iova, access);
}

FAKE_EXPORT int ibv_dereg_mr(struct ibv_mr *mr)
{
	struct fake_mr **at = &fake.mrs;

	pthread_mutex_lock(&fake.serving);
	pthread_mutex_lock(&fake.lock);
	while (&(*at)->mr != mr)
		at = &(*at)->next;
	*at = (*at)->next;
	pthread_mutex_unlock(&fake.lock);
	pthread_mutex_unlock(&fake.serving);
	free(mr);
	fake_count(FAKE_MR, -1);
	return 0;
}

void *fake_reach(uint32_t key, uint64_t addr, uint64_t len, bool remote)
{
	return fake_reach_by(NULL, key, addr, len, remote);
}

void *fake_reach_by(const struct ibv_context *c, uint32_t key, uint64_t addr, uint64_t len,
		    bool remote)
{
	int need = remote ? IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				    IBV_ACCESS_REMOTE_ATOMIC :
			    IBV_ACCESS_LOCAL_WRITE;
	void *out = NULL;

	pthread_mutex_lock(&fake.lock);
	for (struct fake_mr *m = fake.mrs; m && !out; m = m->next)
		if (key == (remote ? m->mr.rkey : m->mr.lkey) && addr >= m->iova &&
		    (!c || c == m->mr.context) && addr + len <= m->iova + m->mr.length &&
		    (m->access & need) == need)
			out = (char *)m->mr.addr + (addr - m->iova);
	pthread_mutex_unlock(&fake.lock);
	return out;
}

static uint32_t up(uint32_t n)
{
	uint32_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

static void *ring_new(size_t len)
{
	void *p;

	len = (len + 4095) & ~(size_t)4095;
	p = aligned_alloc(4096, len);
	memset(p, 0xa5, len);
	return p;
}

FAKE_EXPORT struct ibv_cq *ibv_create_cq(struct ibv_context *c, int n, void *arg,
					 struct ibv_comp_channel *channel, int vector)
{
	struct fake_cq *q;

	(void)arg, (void)channel, (void)vector;
	if (fake_step(__func__))
		return NULL;
	q = calloc(1, sizeof(*q));
	q->cq.context = c;
	q->cq.cqe = (int)up((uint32_t)n + 1) - 1;
	q->cq.handle = 0x31;
	q->ring = ring_new(((size_t)q->cq.cqe + 1) * CQE_BYTES);
	q->cq.cq_context = q->ring;
	fake_count(FAKE_CQ, 1);
	return &q->cq;
}

FAKE_EXPORT int ibv_destroy_cq(struct ibv_cq *cq)
{
	free(((struct fake_cq *)cq)->ring);
	free(cq);
	fake_count(FAKE_CQ, -1);
	return 0;
}

struct fake_qp *fake_qp_new(struct ibv_pd *pd)
{
	struct fake_qp *q = calloc(1, sizeof(*q));

	pthread_mutex_lock(&fake.serving);
	pthread_mutex_lock(&fake.lock);
	q->qp.context = pd->context;
	q->qp.pd = pd;
	q->qp.qp_num = fake.next_qpn++;
	q->qp.state = IBV_QPS_RESET;
	q->page = aligned_alloc(4096, 4096);
	memset(q->page, 0, 4096);
	q->doorbells = q->page;
	q->next = fake.qps;
	fake.qps = q;
	pthread_mutex_unlock(&fake.lock);
	pthread_mutex_unlock(&fake.serving);
	fake_count(FAKE_QP, 1);
	last_qp = q;
	return q;
}

struct fake_qp *fake_qp_last(void)
{
	return last_qp;
}

bool fake_each(bool (*serve)(struct fake_qp *q))
{
	bool did = false;

	pthread_mutex_lock(&fake.serving);
	for (struct fake_qp *q = fake.qps; q; q = q->next) {
		if (q->served)
			did |= serve(q);
	}
	pthread_mutex_unlock(&fake.serving);
	return did;
}

void fake_qp_free(struct fake_qp *q)
{
	struct fake_qp **at = &fake.qps;

	pthread_mutex_lock(&fake.serving);
	pthread_mutex_lock(&fake.lock);
	while (*at != q)
		at = &(*at)->next;
	*at = q->next;
	pthread_mutex_unlock(&fake.lock);
	pthread_mutex_unlock(&fake.serving);
	if (last_qp == q)
		last_qp = NULL;
	free(q->page);
	free(q);
	fake_count(FAKE_QP, -1);
}

struct fake_qp *fake_qp_find(uint32_t qpn)
{
	struct fake_qp *q;

	pthread_mutex_lock(&fake.lock);
	for (q = fake.qps; q && q->qp.qp_num != qpn; q = q->next)
		;
	pthread_mutex_unlock(&fake.lock);
	return q;
}

/* As libmlx5 does, an entry gets room for the largest there could be: four slots. */
FAKE_EXPORT struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct fake_qp *q;

	if (fake_step(__func__))
		return NULL;
	if (attr->qp_type != IBV_QPT_RC || attr->cap.max_send_sge != 1 ||
	    attr->cap.max_inline_data < 32) {
		errno = EINVAL;
		return NULL;
	}
	q = fake_qp_new(pd);
	q->qp.send_cq = attr->send_cq;
	q->slots = up(attr->cap.max_send_wr * 4);
	q->ring = ring_new((size_t)q->slots * SLOT_BYTES);
	return &q->qp;
}

FAKE_EXPORT int ibv_destroy_qp(struct ibv_qp *qp)
{
	void *ring = ((struct fake_qp *)qp)->ring;

	fake_qp_free((struct fake_qp *)qp);
	free(ring);
	return 0;
}

/* What must be given for a state, by the InfiniBand specification. */
int fake_qp_state(struct fake_qp *q, const struct ibv_qp_attr *attr, int mask)
{
	static const int must[] = {
		[IBV_QPS_INIT] = IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		[IBV_QPS_RTR] = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		[IBV_QPS_RTS] = IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
	};
	enum ibv_qp_state to = attr->qp_state;

	if (to < IBV_QPS_INIT || to > IBV_QPS_RTS || to != q->qp.state + 1 ||
	    mask != (must[to] | IBV_QP_STATE))
		return EINVAL;
	if (to == IBV_QPS_INIT) {
		q->attr.port_num = attr->port_num;
		q->attr.qp_access_flags = attr->qp_access_flags;
	} else if (to == IBV_QPS_RTR) {
		q->attr.path_mtu = attr->path_mtu;
		q->attr.dest_qp_num = attr->dest_qp_num;
		q->attr.rq_psn = attr->rq_psn;
		q->attr.ah_attr = attr->ah_attr;
		q->attr.max_dest_rd_atomic = attr->max_dest_rd_atomic;
	} else {
		q->attr.sq_psn = attr->sq_psn;
		q->attr.max_rd_atomic = attr->max_rd_atomic;
		q->attr.timeout = attr->timeout;
		q->attr.retry_cnt = attr->retry_cnt;
		pthread_mutex_lock(&fake.serving);
		q->ready = true;
		if (fake_serves())
			fake_serve_open(q);
		pthread_mutex_unlock(&fake.serving);
	}
	q->qp.state = to;
	return 0;
}

FAKE_EXPORT int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	return fake_step(__func__) ? EIO : fake_qp_state((struct fake_qp *)qp, attr, mask);
}

FAKE_EXPORT struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ibv_ah *ah;

	if (fake_step(__func__))
		return NULL;
	(void)attr;
	ah = calloc(1, sizeof(*ah));
	ah->context = pd->context;
	fake_count(FAKE_AH, 1);
	return ah;
}

FAKE_EXPORT int ibv_destroy_ah(struct ibv_ah *ah)
{
	free(ah);
	fake_count(FAKE_AH, -1);
	return 0;
}
