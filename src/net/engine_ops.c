// SPDX-License-Identifier: MIT
/* The calls that wait: each submits a request and returns when it is complete. */
#include "net/engine.h"
#include "util/err.h"

#include <stdlib.h>

static int net_op_error(int pe, int status)
{
	if (status == MORI_SHMEM_EINVAL)
		return err_set(status,
			       "PE %d refused an access over the network: no such memory, a word "
			       "that is not aligned, or no such operation",
			       pe);
	if (status == MORI_SHMEM_EFAULT)
		return err_set(status,
			       "memory that a put or get names could not be read or written, here "
			       "or at PE %d",
			       pe);
	if (status == MORI_SHMEM_ESTATE)
		return err_set(MORI_SHMEM_EPEER, "PE %d has finalized", pe);
	return err_set(status, "an access to PE %d over the network failed: %s", pe,
		       err_name(status));
}

/* Of a request or a batch to @pe, over @c. */
static int net_op_status(const struct net_conn *c, int pe, int status)
{
	if (!status || !c)
		return status;
	return c->state == CONN_DEAD ? net_conn_error(c, pe) : net_op_error(pe, status);
}

static int net_op_run(struct net *e, struct net_conn *c, struct net_req *r)
{
	net_req_submit(e, c, r);
	net_req_wait(e, r);
	return net_op_status(c, r->at.pe, r->status ? r->status : r->batch.status);
}

/* A connection that has ended reports that it lost something once. */
static void net_conn_reported(struct net_conn *c)
{
	c->nbi.status = 0;
	if (c->state != CONN_DEAD)
		return;
	c->flushed = c->posted;
	c->rma_flushed = c->n_rma;
}

static int net_flush_wait(struct net *e, struct net_conn *c, struct net_req *r)
{
	int err, nbi;

	net_req_wait(e, r);
	err = net_op_status(c, r->at.pe, r->status ? r->status : r->batch.status);
	nbi = net_op_status(c, r->at.pe, c->nbi.status);
	net_conn_reported(c);
	return err ? err : nbi;
}

static int net_flush_run(struct net *e, struct net_conn *c, int pe)
{
	struct net_req r = { .kind = NET_REQ_FLUSH, .at.pe = pe };

	net_req_submit(e, c, &r);
	return net_flush_wait(e, c, &r);
}

/* The caller's own memory. A short buffer is copied by the processor, which returns no status. */
static int net_op_local(const struct net_req *r)
{
	bool write = r->kind == NET_REQ_GET;

	if (r->len <= MEM_TRIED || (r->flags & NET_DEVICE) ||
	    net_mem_usable(r->local, r->len, write))
		return 0;
	return err_set(MORI_SHMEM_EFAULT, "this process cannot %s the %s, %p + %zu bytes",
		       write ? "write" : "read", write ? "destination" : "source", r->local,
		       r->len);
}

/* Whether @r goes by RMA, which both ends must allow. */
static int net_op_direct(struct net *e, struct net_conn *c, struct net_req *r)
{
	struct net_req ask = { .kind = NET_REQ_REGION, .at = r->at };
	const struct net_remote *remote;
	uint64_t end;
	int err;

	if (!e->link->rma || r->len <= EAGER_BYTES || (r->flags & NET_DEVICE) ||
	    !e->link->rma_local(e, r->local, r->len, &r->desc))
		return 0;
	if (__builtin_add_overflow(r->at.off, r->len, &end))
		end = UINT64_MAX;
	remote = net_remote_find(c, &r->at);
	if (!remote || end > remote->len) {
		err = net_op_run(e, c, &ask);
		if (err)
			return err;
		remote = net_remote_find(c, &r->at);
	}
	if (!remote || end > remote->len)
		return net_op_error(r->at.pe, MORI_SHMEM_EINVAL);
	r->direct = remote->direct;
	r->addr = remote->addr + r->at.off;
	r->key = remote->key;
	/* An RMA may overtake messages that the owner has received and not yet done. */
	if (r->direct && r->kind == NET_REQ_PUT && c->fenced > c->flushed)
		return net_flush_run(e, c, r->at.pe);
	return 0;
}

static int net_op_access(struct net *e, struct net_req *r)
{
	struct net_conn *c;
	int err = r->kind == NET_REQ_AMO ? 0 : net_op_local(r);

	if (err)
		return err;
	engine_enter(e);
	c = net_conn_start(e, r->at.pe);
	if (c && r->kind != NET_REQ_AMO)
		err = net_op_direct(e, c, r);
	if (!err)
		err = net_op_run(e, c, r);
	engine_leave(e);
	return err;
}

int net_put(struct net *e, const struct net_at *to, const void *src, size_t len,
	    const struct net_signal *signal, unsigned flags)
{
	struct net_req r = { .kind = NET_REQ_PUT,
			     .flags = flags,
			     .at = *to,
			     .local = (void *)(uintptr_t)src, /* which a put only reads */
			     .len = len,
			     .signal = signal };

	return len || signal ? net_op_access(e, &r) : 0;
}

int net_get(struct net *e, const struct net_at *from, void *dst, size_t len, unsigned flags)
{
	struct net_req r = {
		.kind = NET_REQ_GET, .flags = flags, .at = *from, .local = dst, .len = len
	};

	return len ? net_op_access(e, &r) : 0;
}

int net_amo(struct net *e, const struct net_at *at, int width, int op, uint64_t value,
	    uint64_t compare, uint64_t *old)
{
	struct net_req r = { .kind = NET_REQ_AMO,
			     .at = *at,
			     .width = width,
			     .op = op,
			     .fetch = old,
			     .value = value,
			     .compare = compare };
	int err;

	if (!amo_known(op, width))
		return err_set(MORI_SHMEM_EINVAL, "there is no atomic operation %d on %d bytes", op,
			       width);
	err = net_op_access(e, &r);
	if (!err && old)
		*old = r.old;
	return err;
}

void net_submit(struct net *e, struct net_req *r)
{
	engine_enter(e);
	if (r->kind == NET_REQ_NONE)
		r->done(r);
	else
		net_req_submit(e, net_conn_start(e, r->at.pe), r);
	engine_leave(e);
}

/* A PE of the process, to name it. */
static int net_op_pe_of(const struct net *e, int proc)
{
	int pe = 0;

	while (e->proc_of[pe] != proc)
		pe++;
	return pe;
}

/* Whether anything may be under way, or was lost when the connection ended. */
static bool net_conn_busy(const struct net_conn *c)
{
	return !c->serves && (c->state == CONN_UP || c->state == CONN_DEAD) &&
	       (c->posted != c->flushed || c->n_rma != c->rma_flushed || c->nbi.left ||
		c->nbi.status);
}

static int net_quiet_all(struct net *e)
{
	struct net_req *reqs;
	size_t n = 0, i = 0;
	int err = 0, end;

	for (struct net_conn *c = e->conns; c; c = c->next)
		n += net_conn_busy(c);
	reqs = calloc(n + 1, sizeof(*reqs));
	if (!reqs)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a quiet");
	for (struct net_conn *c = e->conns; c; c = c->next) {
		if (!net_conn_busy(c))
			continue;
		reqs[i].kind = NET_REQ_FLUSH;
		reqs[i].at.pe = net_op_pe_of(e, c->proc);
		net_req_submit(e, c, &reqs[i++]);
	}
	for (i = 0; i < n; i++) {
		end = net_flush_wait(e, reqs[i].conn, &reqs[i]);
		err = err ? err : end;
	}
	free(reqs);
	return err;
}

/* A request of net_settle() that is over; its net is behind it. */
struct net_settling {
	struct net_req req;
	struct net *net;
};

static void net_settled(struct net_req *r)
{
	struct net_settling *s =
		(struct net_settling *)((char *)r - offsetof(struct net_settling, req));

	s->net->n_settling--;
	free(s);
}

bool net_settle(struct net *e)
{
	bool settled = true;

	engine_enter(e);
	for (struct net_conn *c = e->conns; c; c = c->next) {
		bool asks = !e->n_settling || !settled;
		struct net_settling *s;

		if (c->serves || c->state != CONN_UP ||
		    (c->posted == c->flushed && c->n_rma == c->rma_flushed && !c->nbi.left))
			continue;
		s = asks ? calloc(1, sizeof(*s)) : NULL;
		settled = false;
		if (!s)
			continue;
		s->net = e;
		s->req.kind = NET_REQ_FLUSH;
		s->req.at.pe = net_op_pe_of(e, c->proc);
		s->req.done = net_settled;
		e->n_settling++;
		net_req_submit(e, c, &s->req);
	}
	engine_leave(e);
	return settled;
}

int net_quiet(struct net *e, int pe)
{
	struct net_conn *c;
	int err = 0;

	engine_enter(e);
	if (pe == NET_ALL) {
		err = net_quiet_all(e);
	} else {
		c = e->to[e->proc_of[pe]];
		if (c && (c->state == CONN_DEAD || net_conn_busy(c)))
			err = net_flush_run(e, c, pe);
	}
	engine_leave(e);
	return err;
}

/*
 * Messages are in order among each other and after the RMAs before them. For an RMA after
 * messages see net_op_direct().
 */
int net_fence(struct net *e, int pe)
{
	if (!e->ordered)
		return net_quiet(e, pe);
	engine_enter(e);
	for (struct net_conn *c = e->conns; c; c = c->next) {
		if (!c->serves && (pe == NET_ALL || c->proc == e->proc_of[pe]))
			c->fenced = c->posted;
	}
	engine_leave(e);
	return 0;
}
