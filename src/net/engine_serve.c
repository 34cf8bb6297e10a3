// SPDX-License-Identifier: MIT
/*
 * What arrives: requests of peers for this process's memory, done in the order in which
 * each peer sent them, and responses to this process's own. Runs in the thread that makes
 * the engine progress.
 */
#include "net/engine.h"
#include "util/err.h"
#include "util/tsan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of a request to @pe that was refused: there is no such memory. */
static int net_serve_refusal(const struct net *e, int pe)
{
	return pe >= 0 && pe < e->config.n_pes && e->left[pe] ? MORI_SHMEM_ESTATE :
								MORI_SHMEM_EINVAL;
}

/* The bytes that a request names, to be stored to or loaded; NULL and *status: it is refused. */
static uint8_t *net_serve_find(struct net *e, const struct net_msg *m, uint32_t region,
			       uint64_t off, uint64_t len, bool write, bool *device, int *status)
{
	struct net_region *r = net_mem_find(e, m->pe, region);
	uint64_t copied = write && len > COPIED_BYTES ? COPIED_BYTES : len;

	*status = 0;
	if (!r || off > r->len || len > r->len - off)
		*status = net_serve_refusal(e, m->pe);
	else if (r->kind == NET_USER && !net_mem_mapped(r->base + off, copied, write))
		*status = MORI_SHMEM_EFAULT;
	if (*status)
		return NULL;
	*device = r->kind == NET_DEV;
	return r->base + off;
}

/*
 * On device memory. A word that is only read or set needs no read-modify-write, which may
 * have to wait for a busy device.
 */
static int net_serve_amo_device(struct net *e, const struct net_msg *m, uint8_t *at, int width,
				uint64_t *old)
{
	bool fetch = m->type == MSG_AMO && (m->flags & MSG_FETCH);
	bool set = !fetch && (m->op == MORI_SHMEM_AMO_SET || m->op == MORI_SHMEM_SIGNAL_SET);
	uint64_t word = m->value;
	int err;

	if (set)
		return net_mem_copy(e, true, at, &word, (size_t)width);
	if (e->config.amo && m->op != MORI_SHMEM_AMO_FETCH)
		return e->config.amo(e->config.copy_arg, at, width, m->op, m->value, m->compare,
				     old);
	/* The engine's lock makes these atomic with each other. */
	word = 0;
	err = net_mem_copy(e, true, &word, at, (size_t)width);
	if (err)
		return err;
	*old = amo_apply(&word, width, m->op, m->value, m->compare);
	return m->op == MORI_SHMEM_AMO_FETCH ? 0 : net_mem_copy(e, true, at, &word, (size_t)width);
}

static int net_serve_amo(struct net *e, const struct net_msg *m, uint32_t region, uint64_t off,
			 int width, uint64_t *old)
{
	bool device = false;
	int status;
	uint8_t *at = net_serve_find(e, m, region, off, (uint64_t)width, true, &device, &status);

	if (!at)
		return status;
	if (!amo_known(m->op, width) || (uintptr_t)at % (uintptr_t)width)
		return MORI_SHMEM_EINVAL;
	if (!device) {
		tsan_foreign_begin();
		*old = amo_apply(at, width, m->op, m->value, m->compare);
		tsan_foreign_end();
		return 0;
	}
	return net_serve_amo_device(e, m, at, width, old);
}

uint8_t *net_serve_sink(struct net *e, struct net_conn *c, const struct net_msg *m, bool *device,
			int *status)
{
	const struct net_pending *p;

	*device = false;
	if (m->type == MSG_PUT)
		return net_serve_find(e, m, m->region, m->off, m->len, true, device, status);
	*status = MORI_SHMEM_EINVAL;
	p = m->type == MSG_RESPONSE ? net_pending_find(c, m->id) : NULL;
	if (!p || p->len != m->len)
		return NULL;
	*status = 0;
	*device = p->device;
	return p->dst;
}

/*
 * 0, or -EAGAIN: no room yet. A word is read here, once: a link that could not send it at
 * once would read it again, and might find another value.
 */
static int net_resp_send(struct net *e, struct net_conn *c, const struct net_resp *r)
{
	struct net_buf p = {
		.data = r->data, .len = r->msg.len, .device = r->device, .stable = true
	};
	uint64_t word;
	int err = 0;

	if (p.len && p.len <= WORD_BYTES) {
		if (net_mem_copy(e, p.device, &word, p.data, p.len))
			err = -EFAULT;
		p = (struct net_buf){ .data = &word, .len = p.len };
	}
	if (!err)
		err = e->link->send(e, c, &r->msg, &p);
	if (err && err != -EAGAIN)
		net_conn_end(e, c, MORI_SHMEM_EPEER, "%s", strerror(-err));
	return err == -EAGAIN ? err : 0;
}

static void net_serve_resp(struct net *e, struct net_conn *c, const struct net_resp *r)
{
	struct net_resp *later;

	if (!c->resps && !net_resp_send(e, c, r))
		return;
	later = malloc(sizeof(*later));
	if (!later) {
		net_conn_end(e, c, MORI_SHMEM_ENOMEM, "out of memory for a response");
		return;
	}
	*later = *r;
	later->next = NULL;
	*c->resps_end = later;
	c->resps_end = &later->next;
	e->n_resps++;
}

void net_serve_resps(struct net *e, struct net_conn *c)
{
	while (c->resps && c->state != CONN_DEAD) {
		struct net_resp *r = c->resps;

		if (net_resp_send(e, c, r))
			return;
		if (c->state == CONN_DEAD)
			return; /* net_conn_end() has freed them */
		c->resps = r->next;
		if (!c->resps)
			c->resps_end = &c->resps;
		e->n_resps--;
		free(r);
	}
}

void net_serve_forget(struct net *e, struct net_conn *c)
{
	while (c->resps) {
		struct net_resp *r = c->resps;

		c->resps = r->next;
		e->n_resps--;
		free(r);
	}
	c->resps_end = &c->resps;
}

void net_serve_region_gone(struct net *e, const struct net_region *region)
{
	for (struct net_conn *c = e->conns; c; c = c->next) {
		for (struct net_resp *r = c->resps; r; r = r->next) {
			if (!r->data || (size_t)(r->data - region->base) >= region->len)
				continue;
			r->data = NULL;
			r->msg.len = 0;
			r->msg.status = net_serve_refusal(e, region->pe);
		}
	}
}

static void net_serve_get(struct net *e, struct net_conn *c, const struct net_msg *m,
			  struct net_resp *r)
{
	int status = MORI_SHMEM_EINVAL;

	if (m->len <= e->link->data_max)
		r->data =
			net_serve_find(e, m, m->region, m->off, m->len, false, &r->device, &status);
	r->msg.len = r->data ? m->len : 0;
	r->msg.status = status;
	net_serve_resp(e, c, r);
}

static void net_serve_region(struct net *e, struct net_conn *c, const struct net_msg *m,
			     struct net_resp *r)
{
	const struct net_region *region = net_mem_find(e, m->pe, m->region);

	if (region) {
		r->msg.off2 = region->len;
		r->msg.value = region->key;
		r->msg.off = region->addr;
		r->msg.flags = region->link ? MSG_DIRECT : 0;
	} else {
		r->msg.status = net_serve_refusal(e, m->pe);
	}
	net_serve_resp(e, c, r);
}

void net_serve_msg(struct net *e, struct net_conn *c, const struct net_msg *m, int status)
{
	struct net_resp r = { .msg = { .type = MSG_RESPONSE, .id = m->id, .pe = m->pe } };
	uint64_t old;

	switch (m->type) {
	case MSG_RESPONSE:
		net_pending_done(e, c, m, status);
		return;
	case MSG_DONE:
		c->flushed = m->id > c->flushed ? m->id : c->flushed;
		c->nbi.status = c->nbi.status ? c->nbi.status : m->status;
		net_req_acked(e, c, m->status);
		return;
	case MSG_PUT: /* no signal for data that did not arrive */
		if (!status && (m->flags & MSG_SIGNAL))
			status = net_serve_amo(e, m, m->region2, m->off2, 8, &old);
		break;
	case MSG_AMO:
		status = net_serve_amo(e, m, m->region, m->off, m->width, &r.msg.value);
		if (!(m->flags & MSG_FETCH))
			break;
		r.msg.status = status;
		net_serve_resp(e, c, &r);
		return;
	case MSG_GET:
		net_serve_get(e, c, m, &r);
		return;
	case MSG_FLUSH:
		r.msg.status = c->bad;
		c->bad = 0;
		net_serve_resp(e, c, &r);
		return;
	case MSG_REGION:
		net_serve_region(e, c, m, &r);
		return;
	default:
		status = MORI_SHMEM_EINVAL;
	}
	c->served++;
	c->ack |= !!(m->flags & MSG_ACK);
	if (status && !c->bad)
		c->bad = status;
}

void net_serve_idle(struct net *e, struct net_conn *c)
{
	struct net_msg m = { .type = MSG_DONE, .id = c->served, .status = c->bad };
	int err;

	if (!c->ack || c->state == CONN_DEAD)
		return;
	/* Not before responses that wait: the last acknowledgement counts for all. */
	err = c->resps ? -EAGAIN : e->link->send(e, c, &m, &(struct net_buf){ 0 });
	if (err == -EAGAIN)
		e->done_late = true; /* engine_progress() tries again */
	else if (err)
		net_conn_end(e, c, MORI_SHMEM_EPEER, "%s", strerror(-err));
	if (!err) {
		c->ack = false;
		c->bad = 0;
	}
}
