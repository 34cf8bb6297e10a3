// SPDX-License-Identifier: MIT
/*
 * Who is connected. A process connects to another with its first request and proves with
 * its first bytes that it knows the job's secret; so does the response. No other process is
 * let in, and none connects twice: a replayed greeting is useless. A connection that has
 * ended stays, with the reason.
 */
#include "net/engine.h"
#include "util/err.h"
#include "util/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int net_greet_make(const struct net *e, struct greeting *g, int to, uint64_t nonce,
		   enum greet_kind kind)
{
	return greet_make(g, e->secret, kind, e->config.my_proc, to, nonce);
}

bool net_greet_check(const struct net *e, const struct greeting *g, size_t len,
		     enum greet_kind kind)
{
	return len >= sizeof(*g) && greet_check(g, e->secret, kind) && g->to == e->config.my_proc &&
	       g->from >= 0 && g->from < e->config.n_procs;
}

uint64_t net_conn_token(const struct net *e, int from, int to)
{
	struct {
		int32_t from, to;
		char what[8];
	} text = { from, to, "message" };
	uint8_t mac[MAC_BYTES];
	uint64_t token;

	mac_make(e->secret, &text, sizeof(text), mac);
	memcpy(&token, mac, sizeof(token));
	return token;
}

struct net_conn *net_conn_new(struct net *e, int proc, bool serves)
{
	struct net_conn *c = calloc(1, sizeof(*c));

	if (!c) {
		err_set(MORI_SHMEM_ENOMEM, "out of memory for a connection");
		return NULL;
	}
	c->proc = proc;
	c->serves = serves;
	c->resps_end = &c->resps;
	c->next = e->conns;
	e->conns = c;
	if (serves)
		e->from[proc] = c;
	else
		e->to[proc] = c;
	return c;
}

int net_conn_error(const struct net_conn *c, int pe)
{
	return err_set(c->status, "PE %d cannot be reached over the network: %s", pe, c->text);
}

void net_conn_up(struct net *e, struct net_conn *c)
{
	c->state = CONN_UP;
	c->news = true;
	engine_changed(e);
}

void net_conn_end(struct net *e, struct net_conn *c, int status, const char *fmt, ...)
{
	va_list ap;

	if (c->state == CONN_DEAD)
		return;
	va_start(ap, fmt);
	vsnprintf(c->text, sizeof(c->text), fmt, ap);
	va_end(ap);
	log_debug("network: %s process %d: %s", c->serves ? "from" : "to", c->proc, c->text);
	c->state = CONN_DEAD;
	c->status = status;
	/* First: after the completion of a request its buffer is no longer ours. */
	if (c->link)
		e->link->disconnect(e, c);
	net_req_end_all(e, c);
	net_serve_forget(e, c);
	engine_changed(e);
}

void net_conn_free(struct net *e, struct net_conn *c)
{
	net_conn_end(e, c, MORI_SHMEM_ESTATE, "the network is closed");
	while (c->remotes) {
		struct net_remote *r = c->remotes;

		c->remotes = r->next;
		free(r);
	}
	free(c);
}

struct net_conn *net_conn_start(struct net *e, int pe)
{
	struct net_conn *c = e->to[e->proc_of[pe]];
	int err;

	if (!c)
		c = net_conn_new(e, e->proc_of[pe], false);
	if (c && c->state == CONN_NEW) {
		c->state = CONN_CONNECTING;
		err = e->link->connect(e, c);
		if (err)
			net_conn_end(e, c, MORI_SHMEM_EREACH, "cannot connect: %s", strerror(-err));
	}
	return c;
}
