// SPDX-License-Identifier: MIT
/*
 * Requests. Those of a connection are queued until the link has taken all their messages,
 * one after the other. A request that its caller waits for is then complete when its
 * responses have arrived and nothing refers to its buffer any more; one that ends by done(),
 * and a flush, when the owner has acknowledged it, unless it has a response.
 */
#include "net/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GET_BYTES    (4u << 20) /* of one message, so that a peer at work is seen to be */
#define PENDING_MOST 64u	/* messages to one process that wait for their responses */
#define CHECK_NS     100000000	/* between two checks of the deadlines */

static void net_req_list_add(struct net_req_list *l, struct net_req *r)
{
	r->next = NULL;
	if (l->first)
		l->last->next = r;
	else
		l->first = r;
	l->last = r;
}

/* Somebody waits for a request from here on, and no longer. */
static void net_conn_await(struct net *e, struct net_conn *c)
{
	e->n_awaited++;
	if (!c->n_awaited++)
		c->heard = clock_now();
}

static void net_conn_await_end(struct net *e, struct net_conn *c)
{
	e->n_awaited--;
	c->n_awaited--;
}

static void net_req_complete(struct net *e, struct net_req *r, int status)
{
	r->state = NET_REQ_COMPLETE;
	if (!r->status)
		r->status = status ? status : r->batch.status;
	engine_changed(e);
	if (!r->done)
		return;
	if (r->conn)
		net_conn_await_end(e, r->conn);
	r->done(r);
}

/* All of @r is sent, or an error ended that early. */
static void net_req_sent(struct net *e, struct net_conn *c, struct net_req *r)
{
	r->state = NET_REQ_SENT;
	if (r->posted > c->flushed) {
		r->state = NET_REQ_UNACKED;
		net_req_list_add(&c->unacked, r);
	} else if (!r->batch.left) {
		net_req_complete(e, r, 0);
	}
}

/* What counts the messages of @r that refer to its buffer, or have a response. */
static struct net_batch *net_req_batch(struct net_conn *c, struct net_req *r)
{
	return r->flags & NET_NBI ? &c->nbi : &r->batch;
}

/* The next message of @r. */
static struct net_msg net_req_msg(const struct net_req *r, enum net_msg_type type)
{
	return (struct net_msg){ .type = (uint8_t)type,
				 .pe = r->at.pe,
				 .region = r->at.region,
				 .off = r->at.off + r->sent };
}

/* Sends @m, which has no response. */
static int net_req_post(struct net *e, struct net_conn *c, struct net_req *r, struct net_msg *m,
			const struct net_buf *buf)
{
	int err;

	/* The sender of a signal rarely waits for it, and the owner has better things to do. */
	if (r->done || !(m->flags & MSG_SIGNAL))
		m->flags |= MSG_ACK;
	err = e->link->send(e, c, m, buf);
	if (err)
		return err;
	c->posted++;
	if (m->flags & MSG_ACK)
		c->acked = c->posted;
	if (r->done)
		r->posted = c->posted;
	return 0;
}

struct net_pending *net_pending_find(struct net_conn *c, uint64_t id)
{
	struct net_pending *p = c->pending;

	while (p && p->id != id)
		p = p->next;
	return p;
}

static void net_pending_end(struct net *e, struct net_conn *c, struct net_pending *p, int status)
{
	struct net_pending **at = &c->pending;
	struct net_req *r = p->req;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	c->n_pending--;
	p->batch->left--;
	if (status && !p->batch->status)
		p->batch->status = status;
	p->next = e->pending_free;
	e->pending_free = p;
	if (r && r->state == NET_REQ_SENT && !r->batch.left)
		net_req_complete(e, r, 0);
}

/* Sends @m, whose response brings @len bytes to @dst. */
static int net_req_call(struct net *e, struct net_conn *c, struct net_req *r, struct net_msg *m,
			void *dst, size_t len)
{
	struct net_pending *p = e->pending_free;
	int err;

	if (c->n_pending >= PENDING_MOST)
		return -EAGAIN;
	if (p)
		e->pending_free = p->next;
	else
		p = malloc(sizeof(*p));
	if (!p)
		return -ENOMEM;
	*p = (struct net_pending){ .next = c->pending,
				   .id = ++e->next_id,
				   .batch = net_req_batch(c, r),
				   .dst = dst,
				   .len = len,
				   .device = r->flags & NET_DEVICE,
				   .req = r->flags & NET_NBI ? NULL : r,
				   .posted = c->posted,
				   .n_rma = c->n_rma };
	c->pending = p;
	c->n_pending++;
	p->batch->left++;
	m->id = p->id;
	err = e->link->send(e, c, m, &(struct net_buf){ 0 });
	if (err)
		net_pending_end(e, c, p, 0);
	return err;
}

/*
 * Each of these sends one message, or begins one RMA: 1 if that was the last of the
 * request, 0 if there are more, or -errno. -EAGAIN: not now.
 */
static int net_req_rma(struct net *e, struct net_conn *c, struct net_req *r)
{
	size_t most = e->link->rma_max(e), left = r->len - r->sent;
	struct net_rma rma = { .write = r->kind == NET_REQ_PUT,
			       .local = (uint8_t *)r->local + r->sent,
			       .desc = r->desc,
			       .len = left < most ? left : most,
			       .addr = r->addr + r->sent,
			       .key = r->key,
			       .batch = net_req_batch(c, r) };
	int err = e->link->rma(e, c, &rma);

	if (err)
		return err;
	r->sent += rma.len;
	if (r->sent < r->len)
		return 0;
	c->n_rma += rma.write;
	return !r->signal;
}

static int net_req_put(struct net *e, struct net_conn *c, struct net_req *r)
{
	size_t left = r->len - r->sent, len = left < e->link->data_max ? left : e->link->data_max;
	struct net_msg m = net_req_msg(r, MSG_PUT);
	struct net_buf buf = { .data = (const uint8_t *)r->local + r->sent,
			       .len = len,
			       .device = r->flags & NET_DEVICE };
	bool last = len == left;
	int err;

	m.len = len;
	/* Nothing reports a loose one later. */
	if (r->done || r->len > EAGER_BYTES || r->flags & NET_LOOSE)
		buf.batch = net_req_batch(c, r);
	if (last && r->signal) {
		if (r->direct && !e->ordered && net_req_batch(c, r)->left)
			return -EAGAIN;
		m.flags = MSG_SIGNAL;
		m.op = (uint8_t)r->signal->op;
		m.region2 = r->signal->region;
		m.off2 = r->signal->off;
		m.value = r->signal->value;
	}
	err = net_req_post(e, c, r, &m, &buf);
	if (err)
		return err;
	r->sent += len;
	/* Nobody asks for the last one posted any more; behind others they would. */
	if (last && r->flags & NET_LOOSE && c->flushed + 1 == c->posted)
		c->flushed = c->posted;
	return last;
}

static int net_req_get(struct net *e, struct net_conn *c, struct net_req *r)
{
	size_t most = e->link->data_max < GET_BYTES ? e->link->data_max : GET_BYTES;
	size_t left = r->len - r->sent, len = left < most ? left : most;
	struct net_msg m = net_req_msg(r, MSG_GET);
	int err;

	m.len = len;
	err = net_req_call(e, c, r, &m, (uint8_t *)r->local + r->sent, len);
	if (err)
		return err;
	r->sent += len;
	return r->sent == r->len;
}

static int net_req_amo(struct net *e, struct net_conn *c, struct net_req *r)
{
	struct net_msg m = net_req_msg(r, MSG_AMO);
	int err;

	if (!e->ordered && c->nbi.left)
		return -EAGAIN;
	m.op = (uint8_t)r->op;
	m.width = (uint8_t)r->width;
	m.flags = r->fetch ? MSG_FETCH : 0;
	m.value = r->value;
	m.compare = r->compare;
	err = r->fetch ? net_req_call(e, c, r, &m, NULL, 0) :
			 net_req_post(e, c, r, &m, &(struct net_buf){ 0 });
	return err ? err : 1;
}

/* A message only if the owner does not acknowledge everything by itself. */
static int net_req_flush(struct net *e, struct net_conn *c, struct net_req *r)
{
	struct net_msg m = net_req_msg(r, MSG_FLUSH);
	int err;

	if (!e->ordered && c->nbi.left)
		return -EAGAIN;
	if (c->n_rma == c->rma_flushed && c->acked == c->posted) {
		r->posted = c->posted;
		return 1;
	}
	err = net_req_call(e, c, r, &m, NULL, 0);
	return err ? err : 1;
}

static int net_req_step(struct net *e, struct net_conn *c, struct net_req *r)
{
	struct net_msg m;
	int err = 0;

	if (r->direct && r->sent < r->len)
		return net_req_rma(e, c, r);
	switch (r->kind) {
	case NET_REQ_PUT:
		return net_req_put(e, c, r);
	case NET_REQ_GET:
		return net_req_get(e, c, r);
	case NET_REQ_AMO:
		return net_req_amo(e, c, r);
	case NET_REQ_FLUSH:
		return net_req_flush(e, c, r);
	case NET_REQ_REGION:
		m = net_req_msg(r, MSG_REGION);
		err = net_req_call(e, c, r, &m, NULL, 0);
		break;
	case NET_REQ_NONE:
		break;
	}
	return err ? err : 1;
}

/* Sends what there is room for; how many requests that ended the queueing of. */
static int net_req_push(struct net *e, struct net_conn *c)
{
	int n = 0;

	while (c->queued.first && c->state == CONN_UP) {
		struct net_req *r = c->queued.first;
		int got;

		do
			got = net_req_step(e, c, r);
		while (!got);
		if (got == -EAGAIN)
			break;
		n++;
		if (got == -EFAULT) /* of the local buffer */
			r->status = MORI_SHMEM_EFAULT;
		else if (got == -ENOMEM)
			r->status = MORI_SHMEM_ENOMEM;
		else if (got < 0) {
			net_conn_end(e, c, MORI_SHMEM_EPEER, "%s", strerror(-got));
			break;
		}
		c->queued.first = r->next;
		e->n_queued--;
		net_req_sent(e, c, r);
	}
	return n;
}

void net_req_submit(struct net *e, struct net_conn *c, struct net_req *r)
{
	r->conn = c;
	r->state = NET_REQ_QUEUED;
	r->old = r->sent = r->posted = 0;
	r->batch = (struct net_batch){ 0 };
	if (r->done && c)
		net_conn_await(e, c);
	if (!c || c->state == CONN_DEAD) {
		net_req_complete(e, r, c ? c->status : MORI_SHMEM_ENOMEM);
		return;
	}
	net_req_list_add(&c->queued, r);
	e->n_queued++;
	net_req_push(e, c);
}

bool net_req_ready(void *request)
{
	struct net_req *r = request;

	if (r->kind == NET_REQ_FLUSH && r->conn->nbi.left)
		return false;
	return r->state == NET_REQ_COMPLETE || (r->state == NET_REQ_SENT && !r->batch.left);
}

void net_req_wait(struct net *e, struct net_req *r)
{
	if (!r->conn || net_req_ready(r))
		return;
	net_conn_await(e, r->conn);
	engine_wait(e, r->at.pe, net_req_ready, r);
	net_conn_await_end(e, r->conn);
}

/* A peer that somebody waits for and that has been silent for too long is given up. */
static void net_conn_check(struct net *e, struct net_conn *c)
{
	if (c->news)
		c->heard = e->now;
	c->news = false;
	if (c->n_awaited && e->config.timeout_s > 0 &&
	    (double)(e->now - c->heard) > e->config.timeout_s * 1e9)
		net_conn_end(e, c, MORI_SHMEM_ETIMEDOUT,
			     "it has not answered for %g s (MORI_SHMEM_TIMEOUT)",
			     e->config.timeout_s);
}

int net_req_progress(struct net *e)
{
	bool check;
	int n = 0;

	e->now = clock_now();
	check = e->now - e->checked > CHECK_NS;
	if (!check && !e->n_queued)
		return 0;
	for (struct net_conn *c = e->conns; c; c = c->next) {
		n += net_req_push(e, c);
		if (check)
			net_conn_check(e, c);
	}
	if (check)
		e->checked = e->now;
	return n;
}

void net_req_acked(struct net *e, struct net_conn *c, int status)
{
	while (c->unacked.first && c->unacked.first->posted <= c->flushed) {
		struct net_req *r = c->unacked.first;

		c->unacked.first = r->next;
		net_req_complete(e, r, status);
	}
}

void net_req_end_all(struct net *e, struct net_conn *c)
{
	struct net_req_list *lists[] = { &c->unacked, &c->queued };

	while (c->pending)
		net_pending_end(e, c, c->pending, c->status);
	for (int i = 0; i < 2; i++) {
		while (lists[i]->first) {
			struct net_req *r = lists[i]->first;

			lists[i]->first = r->next;
			e->n_queued -= i;
			net_req_complete(e, r, c->status);
		}
	}
}

struct net_remote *net_remote_find(struct net_conn *c, const struct net_at *at)
{
	struct net_remote *r = c->remotes;

	while (r && (r->pe != at->pe || r->id != at->region))
		r = r->next;
	return r;
}

void net_remote_forget(struct net *e, uint32_t id)
{
	for (struct net_conn *c = e->conns; c; c = c->next) {
		for (struct net_remote **at = &c->remotes; *at;) {
			struct net_remote *r = *at;

			if (r->id != id) {
				at = &r->next;
				continue;
			}
			*at = r->next;
			free(r);
		}
	}
}

static int net_remote_update(struct net_conn *c, const struct net_at *at, const struct net_msg *m)
{
	struct net_remote *r = net_remote_find(c, at);

	if (!r) {
		r = calloc(1, sizeof(*r));
		if (!r)
			return MORI_SHMEM_ENOMEM;
		r->next = c->remotes;
		c->remotes = r;
	}
	*r = (struct net_remote){ .next = r->next,
				  .pe = at->pe,
				  .id = at->region,
				  .direct = m->flags & MSG_DIRECT,
				  .addr = m->off,
				  .key = m->value,
				  .len = m->off2 };
	return 0;
}

void net_pending_done(struct net *e, struct net_conn *c, const struct net_msg *m, int status)
{
	struct net_pending *p = net_pending_find(c, m->id);
	struct net_req *r = p ? p->req : NULL;

	if (!p)
		return;
	if (!status)
		status = m->status;
	if (r && r->kind == NET_REQ_FLUSH) {
		c->flushed = p->posted > c->flushed ? p->posted : c->flushed;
		c->rma_flushed = p->n_rma > c->rma_flushed ? p->n_rma : c->rma_flushed;
	} else if (r && r->kind == NET_REQ_REGION && !status) {
		status = net_remote_update(c, &r->at, m);
	} else if (r) {
		r->old = m->value;
	}
	net_pending_end(e, c, p, status);
}
