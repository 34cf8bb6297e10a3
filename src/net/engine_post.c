// SPDX-License-Identifier: MIT
/*
 * Posts: what is asked for by somebody who cannot wait, and told by a call. Those of a
 * connection wait in a list until they are sent; then puts and atomics without a result
 * wait for the owner's word, and the others for their answers. They go by messages alone.
 */
#include "net/engine.h"

#include <errno.h>
#include <string.h>

#define POST_GET_BYTES (4u << 20) /* of one request */
#define LOOK_NS	       100000000  /* between two looks at the deadlines */

static void post_told(struct engine *e, struct conn *c, struct net_post *p, int status)
{
	p->status = status ? status : p->batch.status;
	c->n_posts--;
	e->n_posts--;
	c->post_at = engine_now();
	p->done(p);
}

static struct net_post *post_take(struct net_post **list, struct net_post ***end)
{
	struct net_post *p = *list;

	*list = p->next;
	if (!*list)
		*end = list;
	return p;
}

static void post_last(struct net_post *p, struct net_post ***end)
{
	p->next = NULL;
	**end = p;
	*end = &p->next;
}

/* 0, or -errno; -EAGAIN: no room. */
static int post_send(struct engine *e, struct conn *c, struct net_post *p, struct msg *m,
		     const struct piece *piece)
{
	int err;

	m->flags = MSG_ACK;
	err = e->link->send(e, c, m, piece);
	if (!err)
		p->upto = c->acked = ++c->posted;
	return err;
}

static int post_ask(struct engine *e, struct conn *c, struct net_post *p, struct msg *m,
		    struct ask *what)
{
	struct ask *a;
	int err;

	if (c->n_asks >= ASK_WINDOW)
		return -EAGAIN;
	what->batch = &p->batch;
	a = ask_new(e, c, m, what);
	if (!a)
		return -ENOMEM;
	a->post = NULL; /* until it is sent */
	err = e->link->send(e, c, m, &(struct piece){ 0 });
	if (err)
		ask_end(e, c, a, 0);
	else
		a->post = p;
	return err;
}

static int post_put(struct engine *e, struct conn *c, struct net_post *p)
{
	struct msg m = { .type = MSG_PUT, .pe = p->at.pe, .region = p->at.region };
	struct piece piece = { .device = p->flags & NET_DEVICE, .batch = &p->batch };
	size_t left = p->len - p->sent;
	int err;

	piece.data = (const uint8_t *)p->local + p->sent;
	piece.len = left < e->link->data_max ? left : e->link->data_max;
	m.off = p->at.off + p->sent;
	m.len = piece.len;
	err = post_send(e, c, p, &m, &piece);
	if (!err)
		p->sent += piece.len;
	return err;
}

static int post_get(struct engine *e, struct conn *c, struct net_post *p)
{
	size_t most = e->link->data_max < POST_GET_BYTES ? e->link->data_max : POST_GET_BYTES;
	size_t left = p->len - p->sent, len = left < most ? left : most;
	struct msg m = { .type = MSG_GET,
			 .pe = p->at.pe,
			 .region = p->at.region,
			 .off = p->at.off + p->sent,
			 .len = len };
	struct ask what = { .dst = (uint8_t *)p->local + p->sent,
			    .len = len,
			    .device = p->flags & NET_DEVICE };
	int err;

	p->sent += len; /* the answer may be here before this returns */
	err = post_ask(e, c, p, &m, &what);
	if (err)
		p->sent -= len;
	return err;
}

static int post_amo(struct engine *e, struct conn *c, struct net_post *p)
{
	struct msg m = { .type = MSG_AMO,
			 .op = (uint8_t)p->op,
			 .width = (uint8_t)p->width,
			 .flags = p->fetch ? MSG_REPLY : 0,
			 .pe = p->at.pe,
			 .region = p->at.region,
			 .off = p->at.off,
			 .value = p->value,
			 .compare = p->compare };

	return p->fetch ? post_ask(e, c, p, &m, &(struct ask){ 0 }) :
			  post_send(e, c, p, &m, &(struct piece){ 0 });
}

static bool post_asks(const struct net_post *p)
{
	return p->kind == NET_POST_GET || p->fetch;
}

/* Sends of the first post what there is room for: 1 if that is all of it, 0, or -errno. */
static int post_step(struct engine *e, struct conn *c, struct net_post *p)
{
	int err;

	do
		err = p->kind == NET_POST_PUT ? post_put(e, c, p) :
		      p->kind == NET_POST_GET ? post_get(e, c, p) :
						post_amo(e, c, p);
	while (!err && p->kind != NET_POST_AMO && p->sent < p->len);
	return err ? err : 1;
}

/* Sends what there is room for; how many things it did. */
static int post_push(struct engine *e, struct conn *c)
{
	int n = 0;

	while (c->posts && c->state == CONN_UP) {
		struct net_post *p = c->posts;
		int got = post_step(e, c, p);

		if (got == -EAGAIN)
			break;
		n++;
		if (got < 0) {
			conn_end(e, c, MORI_SHMEM_EPEER, "%s", strerror(-got));
			break;
		}
		post_take(&c->posts, &c->posts_end);
		p->next = NULL;
		if (!post_asks(p))
			post_last(p, &c->flying_end);
		else if (!p->batch.left)
			post_told(e, c, p, 0);
	}
	return n;
}

/* An answer has come. One whose requests are not all sent is told later. */
void post_answered(struct engine *e, struct conn *c, struct net_post *p)
{
	if (!p->batch.left && p != c->posts)
		post_told(e, c, p, 0);
}

void post_flushed(struct engine *e, struct conn *c, int status)
{
	while (c->flying && c->flying->upto <= c->flushed)
		post_told(e, c, post_take(&c->flying, &c->flying_end), status);
}

/* After ask_end_all(). */
void post_end_all(struct engine *e, struct conn *c, int status)
{
	while (c->flying)
		post_told(e, c, post_take(&c->flying, &c->flying_end), status);
	while (c->posts)
		post_told(e, c, post_take(&c->posts, &c->posts_end), status);
}

/* Whoever owes an answer and has been silent for too long is given up. */
static void post_overdue(struct engine *e, struct conn *c, int64_t now)
{
	int64_t heard = conn_heard(c, now), since = heard > c->post_at ? heard : c->post_at;

	if (c->n_posts && e->config.timeout_s > 0 &&
	    (double)(now - since) > e->config.timeout_s * 1e9)
		conn_end(e, c, MORI_SHMEM_ETIMEDOUT,
			 "it has not answered for %g s (MORI_SHMEM_TIMEOUT)", e->config.timeout_s);
}

int post_progress(struct engine *e)
{
	int64_t now = engine_now();
	bool look = now - e->post_look > LOOK_NS;
	int n = 0;

	for (struct conn *c = e->conns; c; c = c->next) {
		n += post_push(e, c);
		if (look)
			post_overdue(e, c, now);
	}
	if (look)
		e->post_look = now;
	return n;
}

void post_add(struct net *n, struct net_post *p)
{
	struct engine *e = engine_of(n);
	struct conn *c = NULL;

	p->sent = p->upto = p->old = 0;
	p->batch = (struct batch){ 0 };
	engine_enter(e);
	if (p->kind != NET_POST_NONE) {
		c = conn_start(e, p->at.pe);
		p->status = !c ? MORI_SHMEM_ENOMEM : c->state == CONN_DEAD ? c->status : 0;
	}
	if (p->status || p->kind == NET_POST_NONE) {
		p->done(p);
	} else {
		if (!c->n_posts++)
			c->post_at = engine_now();
		e->n_posts++;
		post_last(p, &c->posts_end);
		post_push(e, c);
	}
	engine_leave(e);
}
