// SPDX-License-Identifier: MIT
/* Connections of libfabric: requests to connect carry the greeting, as do their responses. */
#include "net/fabric.h"
#include "util/err.h"
#include "util/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BACKLOG 1024

void fabric_disconnect(struct net *e, struct net_conn *c)
{
	struct fabric *f = fabric_of(e);
	struct fabric_conn *fc = c->link;

	c->link = NULL;
	if (fc->connecting)
		f->n_connecting--;
	/* Closed first: from here on no memory is accessed. */
	if (fc->ep && fc->ep != f->ep)
		fi_close(&fc->ep->fid);
	for (struct fabric_op *op = fc->ops, *next; op; op = next) {
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

static struct fabric_conn *fabric_conn_attach(struct net_conn *c)
{
	struct fabric_conn *fc = calloc(1, sizeof(*fc));

	if (fc) {
		fc->c = c;
		fc->addr = FI_ADDR_UNSPEC;
		c->link = fc;
	}
	return fc;
}

static int fabric_conn_bind(struct fabric *f, struct fabric_conn *fc, struct fi_info *info)
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

static int fabric_conn_insert(struct net *e, struct net_conn *c, const struct net_addr *to)
{
	struct fabric *f = fabric_of(e);
	struct fabric_conn *fc = fabric_conn_attach(c);

	if (!fc)
		return -ENOMEM;
	fc->ep = f->ep;
	if (fi_av_insert(f->av, to->bytes, 1, &fc->addr, 0, NULL) != 1)
		return -EADDRNOTAVAIL;
	net_conn_up(e, c);
	return 0;
}

int fabric_connect(struct net *e, struct net_conn *c)
{
	const struct net_addr *to = &e->addresses[c->proc];
	struct fabric *f = fabric_of(e);
	struct fabric_conn *fc;
	struct fi_info *info;
	struct greeting hello;
	int err;

	if (!to->len || to->len > sizeof(to->bytes))
		return -EADDRNOTAVAIL;
	if (!f->connected)
		return fabric_conn_insert(e, c, to);
	fc = fabric_conn_attach(c);
	info = fc ? f->lib.dupinfo(f->info) : NULL;
	if (!info)
		return -ENOMEM;
	free(info->dest_addr);
	info->dest_addr = malloc(to->len);
	if (info->dest_addr) {
		memcpy(info->dest_addr, to->bytes, to->len);
		info->dest_addrlen = to->len;
	}
	err = info->dest_addr ? fabric_conn_bind(f, fc, info) : -ENOMEM;
	f->lib.freeinfo(info);
	if (!err)
		err = net_greet_make(e, &hello, c->proc, 0, GREET_NET);
	if (err)
		return err;
	fc->nonce = hello.nonce;
	fc->connecting = true;
	f->n_connecting++;
	return fi_connect(fc->ep, to->bytes, &hello, sizeof(hello));
}

struct net_conn *fabric_sender(struct net *e, const struct net_msg *m)
{
	struct fabric *f = fabric_of(e);
	struct net_conn *c;

	if (m->src < 0 || m->src >= e->config.n_procs)
		return NULL;
	if (!f->connected && m->token != net_conn_token(e, m->src, e->config.my_proc))
		return NULL;
	if (m->type == MSG_RESPONSE || m->type == MSG_DONE)
		return e->to[m->src];
	c = e->from[m->src];
	if (c || f->connected)
		return c && c->state != CONN_DEAD ? c : NULL;
	c = net_conn_new(e, m->src, true);
	if (c && fabric_conn_insert(e, c, &e->addresses[m->src])) {
		net_conn_end(e, c, MORI_SHMEM_EREACH, "its address is not known");
		c = NULL;
	}
	return c;
}

static void fabric_event_request(struct net *e, struct fi_eq_cm_entry *entry, size_t data_len)
{
	const struct greeting *h = (const struct greeting *)entry->data;
	struct fabric *f = fabric_of(e);
	struct fabric_conn *fc = NULL;
	struct greeting answer;
	struct net_conn *c = NULL;
	int err = -EACCES;

	if (!net_greet_check(e, h, data_len, GREET_NET)) {
		log_info("network: rejected a connection with a bad greeting");
	} else if (!e->from[h->from]) {
		c = net_conn_new(e, h->from, true);
		fc = c ? fabric_conn_attach(c) : NULL;
		err = fc ? fabric_conn_bind(f, fc, entry->info) : -ENOMEM;
	}
	if (!err)
		err = net_greet_make(e, &answer, h->from, h->nonce, GREET_ACCEPTED);
	if (err) {
		fi_reject(f->pep, entry->info->handle, NULL, 0);
	} else {
		c->state = CONN_CONNECTING;
		fc->connecting = true;
		f->n_connecting++;
		err = fi_accept(fc->ep, &answer, sizeof(answer));
	}
	if (err && c)
		net_conn_end(e, c, MORI_SHMEM_EIO, "accept: %s", f->lib.strerror(-err));
	f->lib.freeinfo(entry->info);
}

static void fabric_event_connected(struct net *e, struct net_conn *c,
				   const struct fi_eq_cm_entry *entry, size_t data_len)
{
	const struct greeting *h = (const struct greeting *)entry->data;
	struct fabric_conn *fc = c->link;

	if (!fc->connecting)
		return;
	if (!c->serves && (!net_greet_check(e, h, data_len, GREET_ACCEPTED) || h->from != c->proc ||
			   h->nonce != fc->nonce)) {
		net_conn_end(e, c, MORI_SHMEM_EREACH,
			     "the process at its address is not of this job");
		return;
	}
	fc->connecting = false;
	fabric_of(e)->n_connecting--;
	net_conn_up(e, c);
}

static struct net_conn *fabric_event_conn(struct net *e, const struct fid *fid)
{
	struct net_conn *c;

	for (c = e->conns; c; c = c->next) {
		const struct fabric_conn *fc = c->link;

		if (fc && fc->ep && &fc->ep->fid == fid)
			break;
	}
	return c;
}

static void fabric_event_error(struct net *e)
{
	struct fabric *f = fabric_of(e);
	struct fi_eq_err_entry entry;
	struct net_conn *c;

	memset(&entry, 0, sizeof(entry));
	if (fi_eq_readerr(f->eq, &entry, 0) <= 0)
		return;
	c = fabric_event_conn(e, entry.fid);
	if (c)
		net_conn_end(e, c, MORI_SHMEM_EPEER, "%s", f->lib.strerror(entry.err));
}

int fabric_events(struct net *e)
{
	struct fabric *f = fabric_of(e);
	union {
		struct fi_eq_cm_entry entry;
		uint8_t bytes[sizeof(struct fi_eq_cm_entry) + 256];
	} ev;
	uint32_t event;
	struct net_conn *c;
	int n = 0;

	for (ssize_t got; (got = fi_eq_read(f->eq, &event, &ev, sizeof(ev), 0)) != -FI_EAGAIN;
	     n++) {
		if (got == -FI_EAVAIL) {
			fabric_event_error(e);
			continue;
		}
		if (got < (ssize_t)sizeof(ev.entry))
			break;
		if (event == FI_CONNREQ) {
			fabric_event_request(e, &ev.entry, (size_t)got - sizeof(ev.entry));
			continue;
		}
		c = fabric_event_conn(e, ev.entry.fid);
		if (c && event == FI_CONNECTED)
			fabric_event_connected(e, c, &ev.entry, (size_t)got - sizeof(ev.entry));
		else if (c && event == FI_SHUTDOWN)
			net_conn_end(e, c, MORI_SHMEM_EPEER, "it has closed the connection");
	}
	return n;
}

static int fabric_listen_connected(struct fabric *f, struct net_addr *at, size_t *len)
{
	int backlog = BACKLOG;
	int err = fi_passive_ep(f->fabric, f->info, &f->pep, NULL);

	if (!err)
		err = fi_pep_bind(f->pep, &f->eq->fid, 0);
	if (!err) {
		fi_control(&f->pep->fid, FI_BACKLOG, &backlog); /* a failure does no harm */
		err = fi_listen(f->pep);
	}
	if (!err)
		err = fi_getname(&f->pep->fid, at->bytes, len);
	return err ? err : fi_srx_context(f->domain, f->info->rx_attr, &f->srx, NULL);
}

static int fabric_listen_connectionless(struct fabric *f, struct net_addr *at, size_t *len)
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

int fabric_listen(struct net *e)
{
	struct fabric *f = fabric_of(e);
	struct net_addr *at = &e->address;
	size_t len = sizeof(at->bytes);
	int err = f->connected ? fabric_listen_connected(f, at, &len) :
				 fabric_listen_connectionless(f, at, &len);

	if (err)
		return fabric_fail(f, MORI_SHMEM_EIO, "cannot listen", err);
	if (len > sizeof(at->bytes))
		return err_set(MORI_SHMEM_ENOTSUP,
			       "libfabric (%s): its addresses have %zu bytes, more than %zu",
			       f->info->fabric_attr->prov_name, len, sizeof(at->bytes));
	at->len = (uint32_t)len;
	return 0;
}
