// SPDX-License-Identifier: MIT
/* Connections by libfabric: requests carry the greeting, and so do their answers. */
#include "net/fabric.h"
#include "util/err.h"
#include "util/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BACKLOG 1024

void fabric_disconnect(struct engine *e, struct conn *c)
{
	struct fabric *f = fabric_of(e);
	struct fabric_conn *fc = c->link;

	c->link = NULL;
	if (fc->connecting)
		f->n_connecting--;
	/* Closed first: from here on nobody's memory is touched. */
	if (fc->ep && fc->ep != f->ep)
		fi_close(&fc->ep->fid);
	for (struct op *op = fc->ops, *next; op; op = next) {
		next = op->next;
		op->fc = NULL;
		op->prev = op->next = NULL;
		if (op->batch) {
			op->batch->left--;
			op->batch->status = c->status;
			op->batch = NULL;
		}
	}
	fabric_bufs_release(f, fc->held);
	free(fc);
}

static struct fabric_conn *conn_attach(struct conn *c)
{
	struct fabric_conn *fc = calloc(1, sizeof(*fc));

	if (fc) {
		fc->c = c;
		fc->addr = FI_ADDR_UNSPEC;
		c->link = fc;
	}
	return fc;
}

static int conn_bind(struct fabric *f, struct fabric_conn *fc, struct fi_info *info)
{
	int err = fi_endpoint(f->domain, info, &fc->ep, fc);

	if (!err)
		err = fi_ep_bind(fc->ep, &f->cq->fid, FI_TRANSMIT | FI_RECV);
	if (!err)
		err = fi_ep_bind(fc->ep, &f->eq->fid, 0);
	if (!err)
		err = fi_ep_bind(fc->ep, &f->srx->fid, 0);
	return err ? err : fi_enable(fc->ep);
}

static int conn_insert(struct engine *e, struct conn *c, const struct place *to)
{
	struct fabric *f = fabric_of(e);
	struct fabric_conn *fc = conn_attach(c);

	if (!fc)
		return -ENOMEM;
	fc->ep = f->ep;
	if (fi_av_insert(f->av, to->bytes, 1, &fc->addr, 0, NULL) != 1)
		return -EADDRNOTAVAIL;
	conn_up(e, c);
	return 0;
}

int fabric_connect(struct engine *e, struct conn *c)
{
	const struct place *to = &e->addresses[c->proc];
	struct fabric *f = fabric_of(e);
	struct fabric_conn *fc;
	struct fi_info *info;
	struct hello hello;
	int err;

	if (!to->len || to->len > sizeof(to->bytes))
		return -EADDRNOTAVAIL;
	if (!f->connected)
		return conn_insert(e, c, to);
	fc = conn_attach(c);
	info = fc ? f->lib.dupinfo(f->info) : NULL;
	if (!info)
		return -ENOMEM;
	free(info->dest_addr);
	info->dest_addr = malloc(to->len);
	if (info->dest_addr) {
		memcpy(info->dest_addr, to->bytes, to->len);
		info->dest_addrlen = to->len;
	}
	err = info->dest_addr ? conn_bind(f, fc, info) : -ENOMEM;
	f->lib.freeinfo(info);
	if (!err)
		err = hello_make(e, &hello, c->proc, 0, HELLO_ASK);
	if (err)
		return err;
	fc->nonce = hello.nonce;
	fc->connecting = true;
	f->n_connecting++;
	return fi_connect(fc->ep, to->bytes, &hello, sizeof(hello));
}

struct conn *fabric_sender(struct engine *e, const struct msg *m)
{
	struct fabric *f = fabric_of(e);
	struct conn *c;

	if (m->src < 0 || m->src >= e->config.n_procs)
		return NULL;
	if (!f->connected && m->token != conn_token(e, m->src, e->config.my_proc))
		return NULL;
	if (m->type == MSG_ANSWER || m->type == MSG_DONE)
		return e->to[m->src];
	c = e->from[m->src];
	if (c || f->connected)
		return c && c->state != CONN_DEAD ? c : NULL;
	c = conn_new(e, m->src, true);
	if (c && conn_insert(e, c, &e->addresses[m->src])) {
		conn_end(e, c, MORI_SHMEM_EREACH, "its address is not known");
		c = NULL;
	}
	return c;
}

static void event_request(struct engine *e, struct fi_eq_cm_entry *entry, size_t data_len)
{
	const struct hello *h = (const struct hello *)entry->data;
	struct fabric *f = fabric_of(e);
	struct fabric_conn *fc = NULL;
	struct hello answer;
	struct conn *c = NULL;
	int err = -EACCES;

	if (!hello_good(e, h, data_len, HELLO_ASK)) {
		log_info("network: a stranger was turned away");
	} else if (!e->from[h->from]) {
		c = conn_new(e, h->from, true);
		fc = c ? conn_attach(c) : NULL;
		err = fc ? conn_bind(f, fc, entry->info) : -ENOMEM;
	}
	if (!err)
		err = hello_make(e, &answer, h->from, h->nonce, HELLO_ANSWER);
	if (err) {
		fi_reject(f->pep, entry->info->handle, NULL, 0);
	} else {
		c->state = CONN_CONNECTING;
		fc->connecting = true;
		f->n_connecting++;
		err = fi_accept(fc->ep, &answer, sizeof(answer));
	}
	if (err && c)
		conn_end(e, c, MORI_SHMEM_EIO, "accept: %s", f->lib.strerror(-err));
	f->lib.freeinfo(entry->info);
}

static void event_connected(struct engine *e, struct conn *c, const struct fi_eq_cm_entry *entry,
			    size_t data_len)
{
	const struct hello *h = (const struct hello *)entry->data;
	struct fabric_conn *fc = c->link;

	if (!fc->connecting)
		return;
	if (!c->serves && (!hello_good(e, h, data_len, HELLO_ANSWER) || h->from != c->proc ||
			   h->nonce != fc->nonce)) {
		conn_end(e, c, MORI_SHMEM_EREACH, "whoever answers there is not of this job");
		return;
	}
	fc->connecting = false;
	fabric_of(e)->n_connecting--;
	conn_up(e, c);
}

static struct conn *event_conn(struct engine *e, const struct fid *fid)
{
	struct conn *c;

	for (c = e->conns; c; c = c->next) {
		const struct fabric_conn *fc = c->link;

		if (fc && fc->ep && &fc->ep->fid == fid)
			break;
	}
	return c;
}

static void event_error(struct engine *e)
{
	struct fabric *f = fabric_of(e);
	struct fi_eq_err_entry entry;
	struct conn *c;

	memset(&entry, 0, sizeof(entry));
	if (fi_eq_readerr(f->eq, &entry, 0) <= 0)
		return;
	c = event_conn(e, entry.fid);
	if (c)
		conn_end(e, c, MORI_SHMEM_EPEER, "%s", f->lib.strerror(entry.err));
}

int fabric_events(struct engine *e)
{
	struct fabric *f = fabric_of(e);
	union {
		struct fi_eq_cm_entry entry;
		uint8_t bytes[sizeof(struct fi_eq_cm_entry) + 256];
	} ev;
	uint32_t event;
	struct conn *c;
	int n = 0;

	for (ssize_t got; (got = fi_eq_read(f->eq, &event, &ev, sizeof(ev), 0)) != -FI_EAGAIN;
	     n++) {
		if (got == -FI_EAVAIL) {
			event_error(e);
			continue;
		}
		if (got < (ssize_t)sizeof(ev.entry))
			break;
		if (event == FI_CONNREQ) {
			event_request(e, &ev.entry, (size_t)got - sizeof(ev.entry));
			continue;
		}
		c = event_conn(e, ev.entry.fid);
		if (c && event == FI_CONNECTED)
			event_connected(e, c, &ev.entry, (size_t)got - sizeof(ev.entry));
		else if (c && event == FI_SHUTDOWN)
			conn_end(e, c, MORI_SHMEM_EPEER, "it has closed the connection");
	}
	return n;
}

static int listen_connected(struct fabric *f, struct place *at, size_t *len)
{
	int backlog = BACKLOG;
	int err = fi_passive_ep(f->fabric, f->info, &f->pep, NULL);

	if (!err)
		err = fi_pep_bind(f->pep, &f->eq->fid, 0);
	if (!err) {
		fi_control(&f->pep->fid, FI_BACKLOG, &backlog); /* fewer will do */
		err = fi_listen(f->pep);
	}
	if (!err)
		err = fi_getname(&f->pep->fid, at->bytes, len);
	return err ? err : fi_srx_context(f->domain, f->info->rx_attr, &f->srx, NULL);
}

static int listen_connectionless(struct fabric *f, struct place *at, size_t *len)
{
	struct fi_av_attr av = { .type = FI_AV_TABLE, .count = 64 };
	int err = fi_av_open(f->domain, &av, &f->av, NULL);

	if (!err)
		err = fi_endpoint(f->domain, f->info, &f->ep, NULL);
	if (!err)
		err = fi_ep_bind(f->ep, &f->av->fid, 0);
	if (!err)
		err = fi_ep_bind(f->ep, &f->cq->fid, FI_TRANSMIT | FI_RECV);
	if (!err)
		err = fi_enable(f->ep);
	return err ? err : fi_getname(&f->ep->fid, at->bytes, len);
}

int fabric_listen(struct engine *e)
{
	struct fabric *f = fabric_of(e);
	struct place *at = &e->address;
	size_t len = sizeof(at->bytes);
	int err = f->connected ? listen_connected(f, at, &len) : listen_connectionless(f, at, &len);

	if (err)
		return fabric_fail(f, MORI_SHMEM_EIO, "cannot listen", err);
	if (len > sizeof(at->bytes))
		return err_set(MORI_SHMEM_ENOTSUP,
			       "libfabric (%s): its addresses have %zu bytes, %zu is the most",
			       f->info->fabric_attr->prov_name, len, sizeof(at->bytes));
	at->len = (uint32_t)len;
	return 0;
}
