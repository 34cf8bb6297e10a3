// SPDX-License-Identifier: MIT
/*
 * Who is connected. A process connects when it first asks another for something and
 * proves with its first bytes that it knows the job's secret; so does the answer.
 * Nobody else is let in, and nobody twice: a greeting that was overheard is of no use. A
 * connection that has ended stays, with the reason.
 */
#include "net/engine.h"
#include "util/err.h"
#include "util/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define HELLO_MAGIC   UINT64_C(0x6d6f72692d6e6574) /* "mori-net"; also tells the byte order */
#define HELLO_VERSION 2u

int hello_make(const struct engine *e, struct hello *h, int to, uint64_t nonce,
	       enum hello_kind kind)
{
	_Static_assert(sizeof(*h) == HELLO_BYTES, "what is sent");
	memset(h, 0, sizeof(*h));
	if (!nonce && getrandom(&nonce, sizeof(nonce), 0) != sizeof(nonce))
		return -EIO;
	h->magic = HELLO_MAGIC;
	h->version = HELLO_VERSION;
	h->from = e->config.my_proc;
	h->to = to;
	h->kind = kind;
	h->nonce = nonce;
	mac_make(e->secret, h, offsetof(struct hello, mac), h->mac);
	return 0;
}

bool hello_good(const struct engine *e, const struct hello *h, size_t len, enum hello_kind kind)
{
	uint8_t mac[MAC_BYTES];

	if (len < sizeof(*h) || h->magic != HELLO_MAGIC || h->version != HELLO_VERSION)
		return false;
	mac_make(e->secret, h, offsetof(struct hello, mac), mac);
	return mac_same(mac, h->mac) && h->kind == kind && h->to == e->config.my_proc &&
	       h->from >= 0 && h->from < e->config.n_procs;
}

uint64_t conn_token(const struct engine *e, int from, int to)
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

struct conn *conn_new(struct engine *e, int proc, bool serves)
{
	struct conn *c = calloc(1, sizeof(*c));

	if (!c) {
		err_set(MORI_SHMEM_ENOMEM, "out of memory for a connection");
		return NULL;
	}
	c->proc = proc;
	c->serves = serves;
	c->replies_end = &c->replies;
	c->posts_end = &c->posts;
	c->flying_end = &c->flying;
	c->next = e->conns;
	e->conns = c;
	if (serves)
		e->from[proc] = c;
	else
		e->to[proc] = c;
	return c;
}

int conn_error(const struct conn *c, int pe)
{
	return err_set(c->status, "PE %d cannot be reached over the network: %s", pe, c->text);
}

void conn_up(struct engine *e, struct conn *c)
{
	c->state = CONN_UP;
	c->news = true;
	engine_changed(e);
}

void conn_end(struct engine *e, struct conn *c, int status, const char *fmt, ...)
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
	/* First: whoever is told may do with its memory what it likes. */
	if (c->link)
		e->link->disconnect(e, c);
	ask_end_all(e, c, status);
	post_end_all(e, c, status);
	serve_forget(e, c);
	engine_changed(e);
}

void conn_free(struct engine *e, struct conn *c)
{
	conn_end(e, c, MORI_SHMEM_ESTATE, "the network is closed");
	while (c->far) {
		struct far_region *r = c->far;

		c->far = r->next;
		free(r);
	}
	free(c);
}

static bool conn_is_up(void *what)
{
	return ((struct conn *)what)->state == CONN_UP;
}

struct conn *conn_start(struct engine *e, int pe)
{
	struct conn *c = e->to[e->proc_of[pe]];
	int err;

	if (!c)
		c = conn_new(e, e->proc_of[pe], false);
	if (c && c->state == CONN_NEW) {
		c->state = CONN_CONNECTING;
		err = e->link->connect(e, c);
		if (err)
			conn_end(e, c, MORI_SHMEM_EREACH, "cannot connect: %s", strerror(-err));
	}
	return c;
}

int conn_to(struct engine *e, int pe, struct conn **out)
{
	struct conn *c = conn_start(e, pe);

	*out = c;
	if (!c)
		return MORI_SHMEM_ENOMEM;
	return c->state == CONN_DEAD ? conn_error(c, pe) : engine_wait(e, c, pe, conn_is_up, c);
}
