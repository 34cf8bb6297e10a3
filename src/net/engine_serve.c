// SPDX-License-Identifier: MIT
/*
 * What comes in: requests of peers on this process's memory, done in the order in
 * which each peer sent them, and answers to this process's own. Runs in whatever
 * thread drives the engine.
 */
#include "net/engine.h"
#include "util/err.h"
#include "util/tsan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where a request's bytes are; NULL where this PE has no such. */
static uint8_t *serve_find(struct engine *e, const struct msg *m, uint32_t region, uint64_t off,
			   uint64_t len, bool *device)
{
	struct region *r = mem_find(e, m->pe, region);

	if (!r || off > r->len || len > r->len - off)
		return NULL;
	*device = r->kind == NET_DEV;
	return r->base + off;
}

/*
 * On memory of a device. A word that is only read or set needs no read-modify-write, which
 * may have to wait for a device that is full.
 */
static int serve_amo_device(struct engine *e, const struct msg *m, uint8_t *at, int width,
			    uint64_t *old)
{
	bool asked = m->type == MSG_AMO && (m->flags & MSG_REPLY);
	bool set = !asked && (m->op == MORI_SHMEM_AMO_SET || m->op == MORI_SHMEM_SIGNAL_SET);
	uint64_t word = m->value;
	int err;

	if (set)
		return mem_copy(e, true, at, &word, (size_t)width);
	if (e->config.amo && m->op != MORI_SHMEM_AMO_FETCH)
		return e->config.amo(e->config.copy_arg, at, width, m->op, m->value, m->compare,
				     old);
	/* The engine's lock makes these atomic with each other. */
	word = 0;
	err = mem_copy(e, true, &word, at, (size_t)width);
	if (err)
		return err;
	*old = amo_apply(&word, width, m->op, m->value, m->compare);
	return m->op == MORI_SHMEM_AMO_FETCH ? 0 : mem_copy(e, true, at, &word, (size_t)width);
}

static int serve_amo(struct engine *e, const struct msg *m, uint32_t region, uint64_t off,
		     int width, uint64_t *old)
{
	bool device = false;
	uint8_t *at = serve_find(e, m, region, off, (uint64_t)width, &device);

	if (!at || !amo_known(m->op, width) || (uintptr_t)at % (uintptr_t)width)
		return MORI_SHMEM_EINVAL;
	if (!device) {
		tsan_foreign_begin();
		*old = amo_apply(at, width, m->op, m->value, m->compare);
		tsan_foreign_end();
		return 0;
	}
	return serve_amo_device(e, m, at, width, old);
}

uint8_t *msg_sink(struct engine *e, struct conn *c, const struct msg *m, bool *device)
{
	const struct ask *a;

	*device = false;
	if (m->type == MSG_PUT)
		return serve_find(e, m, m->region, m->off, m->len, device);
	a = m->type == MSG_ANSWER ? ask_find(c, m->id) : NULL;
	if (!a || a->len != m->len)
		return NULL;
	*device = a->device;
	return a->dst;
}

/*
 * 0, or -EAGAIN: no room yet. A word is read here, at once: what a link could not send it would
 * read again, and find another value.
 */
static int reply_send(struct engine *e, struct conn *c, const struct reply *r)
{
	struct piece p = {
		.data = r->data, .len = r->msg.len, .device = r->device, .stable = true
	};
	uint64_t word;
	int err = 0;

	if (p.len && p.len <= WORD_BYTES) {
		if (mem_copy(e, p.device, &word, p.data, p.len))
			err = -EFAULT;
		p = (struct piece){ .data = &word, .len = p.len };
	}
	if (!err)
		err = e->link->send(e, c, &r->msg, &p);
	if (err && err != -EAGAIN)
		conn_end(e, c, MORI_SHMEM_EPEER, "%s", strerror(-err));
	return err == -EAGAIN ? err : 0;
}

static void serve_reply(struct engine *e, struct conn *c, const struct reply *r)
{
	struct reply *later;

	if (!c->replies && !reply_send(e, c, r))
		return;
	later = malloc(sizeof(*later));
	if (!later) {
		conn_end(e, c, MORI_SHMEM_ENOMEM, "out of memory for an answer");
		return;
	}
	*later = *r;
	later->next = NULL;
	*c->replies_end = later;
	c->replies_end = &later->next;
	e->n_replies++;
}

void serve_replies(struct engine *e, struct conn *c)
{
	while (c->replies && c->state != CONN_DEAD) {
		struct reply *r = c->replies;

		if (reply_send(e, c, r))
			return;
		if (c->state == CONN_DEAD)
			return; /* and its replies are gone */
		c->replies = r->next;
		if (!c->replies)
			c->replies_end = &c->replies;
		e->n_replies--;
		free(r);
	}
}

void serve_forget(struct engine *e, struct conn *c)
{
	while (c->replies) {
		struct reply *r = c->replies;

		c->replies = r->next;
		e->n_replies--;
		free(r);
	}
	c->replies_end = &c->replies;
}

void serve_region_gone(struct engine *e, const struct region *region)
{
	for (struct conn *c = e->conns; c; c = c->next) {
		for (struct reply *r = c->replies; r; r = r->next) {
			if (!r->data || (size_t)(r->data - region->base) >= region->len)
				continue;
			r->data = NULL;
			r->msg.len = 0;
			r->msg.status = MORI_SHMEM_EINVAL;
		}
	}
}

static void serve_get(struct engine *e, struct conn *c, const struct msg *m, struct reply *r)
{
	r->data = m->len <= e->link->data_max ?
			  serve_find(e, m, m->region, m->off, m->len, &r->device) :
			  NULL;
	r->msg.len = r->data ? m->len : 0;
	r->msg.status = r->data ? 0 : MORI_SHMEM_EINVAL;
	serve_reply(e, c, r);
}

static void serve_region(struct engine *e, struct conn *c, const struct msg *m, struct reply *r)
{
	const struct region *region = mem_find(e, m->pe, m->region);

	if (region) {
		r->msg.off2 = region->len;
		r->msg.value = region->key;
		r->msg.off = region->addr;
		r->msg.flags = region->link ? MSG_DIRECT : 0;
	} else {
		r->msg.status = MORI_SHMEM_EINVAL;
	}
	serve_reply(e, c, r);
}

static void answer_done(struct engine *e, struct conn *c, const struct msg *m, int status)
{
	struct ask *a = ask_find(c, m->id);

	if (!a)
		return;
	if (!status)
		status = m->status;
	if (a->answer)
		*a->answer = *m;
	if (a->post)
		a->post->old = m->value;
	ask_end(e, c, a, status);
}

void msg_done(struct engine *e, struct conn *c, const struct msg *m, int status)
{
	struct reply r = { .msg = { .type = MSG_ANSWER, .id = m->id, .pe = m->pe } };
	uint64_t old;

	switch (m->type) {
	case MSG_ANSWER:
		answer_done(e, c, m, status);
		return;
	case MSG_DONE:
		c->flushed = m->id > c->flushed ? m->id : c->flushed;
		c->nbi.status = c->nbi.status ? c->nbi.status : m->status;
		post_flushed(e, c, m->status);
		return;
	case MSG_PUT: /* no signal for data that did not arrive */
		if (!status && (m->flags & MSG_SIGNAL))
			status = serve_amo(e, m, m->region2, m->off2, 8, &old);
		break;
	case MSG_AMO:
		status = serve_amo(e, m, m->region, m->off, m->width, &r.msg.value);
		if (!(m->flags & MSG_REPLY))
			break;
		r.msg.status = status;
		serve_reply(e, c, &r);
		return;
	case MSG_GET:
		serve_get(e, c, m, &r);
		return;
	case MSG_FLUSH:
		r.msg.status = c->bad;
		c->bad = 0;
		serve_reply(e, c, &r);
		return;
	case MSG_REGION:
		serve_region(e, c, m, &r);
		return;
	default:
		status = MORI_SHMEM_EINVAL;
	}
	c->served++;
	c->ack |= !!(m->flags & MSG_ACK);
	if (status && !c->bad)
		c->bad = status;
}

void msg_pause(struct engine *e, struct conn *c)
{
	struct msg m = { .type = MSG_DONE, .id = c->served, .status = c->bad };
	int err;

	if (!c->ack || c->state == CONN_DEAD)
		return;
	/* Not before answers that wait; the last one says it for all. */
	err = c->replies ? -EAGAIN : e->link->send(e, c, &m, &(struct piece){ 0 });
	if (err == -EAGAIN)
		e->late = true; /* engine_progress() tries again */
	else if (err)
		conn_end(e, c, MORI_SHMEM_EPEER, "%s", strerror(-err));
	if (!err) {
		c->ack = false;
		c->bad = 0;
	}
}
