// SPDX-License-Identifier: MIT
/*
 * The loop of the rendezvous and its connections. A connection is a stranger
 * until its hello has come and is right; until then it has a fixed buffer, a short
 * deadline and a place among at most STRANGERS_MAX. Connections are closed only at
 * the end of a turn, so that no event points at freed memory.
 */
#include "boot/rdv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/log.h"

#define STRANGERS_MAX 256
#define HELLO_S	      5.0
#define CLOSE_S	      5.0
#define DEAF_S	      0.1
#define EVENTS	      64

struct msg *msg_new(enum wire_type type, size_t len)
{
	struct msg *m = len <= WIRE_BODY_MAX ? calloc(1, sizeof(*m) + len) : NULL;

	if (m) {
		m->refs = 1;
		m->len = sizeof(m->head) + len;
		m->head.type = type;
		m->head.len = (uint32_t)len;
	}
	return m;
}

void msg_put(struct msg *m)
{
	if (m && --m->refs == 0)
		free(m);
}

void conn_break(struct conn *c)
{
	if (!c->broken)
		c->rdv->n_broken++;
	c->broken = 1;
}

/*
 * Closing alone is not enough: while a child of a fork still has the descriptor,
 * epoll would go on to report it, with a pointer to what is freed.
 */
static void source_close(struct rdv *r, const struct source *s)
{
	(void)epoll_ctl(r->epoll, EPOLL_CTL_DEL, s->fd, NULL);
	sock_close(s->fd);
}

static void conn_watch(struct conn *c, int out)
{
	struct epoll_event ev = { .events = EPOLLIN | (out ? EPOLLOUT : 0), .data.ptr = c };

	if (c->wants_out != out && epoll_ctl(c->rdv->epoll, EPOLL_CTL_MOD, c->source.fd, &ev) == 0)
		c->wants_out = out;
}

/* Write what is queued until the socket is full. */
static void conn_flush(struct conn *c)
{
	while (c->out && !c->broken) {
		struct pending *p = c->out;
		ssize_t n = send(c->source.fd, (uint8_t *)&p->msg->head + p->sent,
				 p->msg->len - p->sent, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			break;
		if (n < 0) {
			conn_break(c);
			break;
		}
		p->sent += (size_t)n;
		if (p->sent < p->msg->len)
			continue;
		c->out = p->next;
		if (!c->out)
			c->out_end = &c->out;
		msg_put(p->msg);
		free(p);
	}
	conn_watch(c, c->out != NULL);
}

void conn_send(struct conn *c, struct msg *m)
{
	struct pending *p;

	if (!c || c->broken)
		return;
	p = m ? calloc(1, sizeof(*p)) : NULL;
	if (!p) {
		conn_break(c);
		return;
	}
	m->refs++;
	p->msg = m;
	*c->out_end = p;
	c->out_end = &p->next;
	if (c->out == p)
		conn_flush(c);
}

/* A stranger at the end, so that the oldest is first; there are never many. */
static void conn_link(struct conn *c)
{
	struct rdv *r = c->rdv;
	struct conn **at = &r->known;

	if (c->known) {
		r->n_known++;
	} else {
		for (at = &r->strangers; *at;)
			at = &(*at)->next;
		r->n_strangers++;
	}
	c->next = *at;
	*at = c;
}

/* A stranger who has proved the secret. */
static void conn_welcome(struct conn *c)
{
	struct rdv *r = c->rdv;
	struct conn **at = &r->strangers;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	r->n_strangers--;
	c->known = 1;
	conn_link(c);
}

/* Once it is off its list. */
static void conn_free(struct conn *c)
{
	source_close(c->rdv, &c->source);
	wire_in_free(&c->in);
	while (c->out) {
		struct pending *p = c->out;

		c->out = p->next;
		msg_put(p->msg);
		free(p);
	}
	free(c);
}

/* Answer a hello: the client needs to know whether it came to the right place. */
static void conn_answer(struct conn *c, enum wire_answer answer)
{
	struct rdv *r = c->rdv;
	struct wire_reply reply = {
		.magic = WIRE_MAGIC, .version = WIRE_VERSION, .answer = answer, .pid = r->pid
	};
	int ask = c->hello.what == WIRE_WHAT_ASK;
	struct iovec iov[2] = { { &reply, sizeof(reply) }, { r->uid_bytes, BOOT_UID_BYTES } };

	memcpy(reply.host, r->host, WIRE_HOST);
	if (answer == WIRE_WELCOME)
		memcpy(reply.secret, ask ? r->key : r->uid.server_secret, WIRE_SECRET);
	/* The first bytes on a new connection: they fit, or the peer is not worth waiting for. */
	if (wire_send(c->source.fd, iov, answer == WIRE_WELCOME && ask ? 2 : 1, 0) < 0) {
		conn_break(c);
	} else if (answer == WIRE_WELCOME && !ask) {
		conn_welcome(c);
	} else {
		/* It closes first, so that the answer is not cut off by a reset. */
		c->hello_over = 1;
	}
}

static void conn_check_hello(struct conn *c)
{
	struct rdv *r = c->rdv;
	const struct wire_hello *h = &c->hello;
	int right = 0;

	if (h->magic != WIRE_MAGIC) {
		conn_break(c);
		return;
	}
	if (h->version != WIRE_VERSION) {
		conn_answer(c, WIRE_OTHER_VERSION);
		return;
	}
	if (h->what == WIRE_WHAT_JOIN)
		right = wire_same(h->secret, r->uid.client_secret, WIRE_SECRET);
	else if (h->what == WIRE_WHAT_ASK && r->published)
		right = wire_same(h->secret, r->key, WIRE_SECRET);
	conn_answer(c, right ? WIRE_WELCOME : WIRE_FOREIGN);
}

static void conn_read_hello(struct conn *c)
{
	while (!c->broken && !c->known) {
		char waste[64];
		uint8_t *to = (uint8_t *)&c->hello + c->hello_have;
		size_t want = sizeof(c->hello) - c->hello_have;
		ssize_t n = c->hello_over ? recv(c->source.fd, waste, sizeof(waste), 0) :
					    recv(c->source.fd, to, want, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (n <= 0 || c->hello_over) {
			conn_break(c);
			return;
		}
		c->hello_have += (size_t)n;
		if (c->hello_have == sizeof(c->hello))
			conn_check_hello(c);
	}
}

/* One frame of a known process. Nonsense from one is a bug there: it is cut off. */
static void conn_frame(struct conn *c, uint32_t type, const uint8_t *body, size_t len)
{
	struct wire_join join;

	switch (type) {
	case WIRE_PROC:
		if (len != sizeof(c->proc) || c->has_proc)
			break;
		memcpy(&c->proc, body, len);
		c->proc.host[WIRE_HOST - 1] = '\0';
		c->has_proc = 1;
		return;
	case WIRE_JOIN:
		if (len < sizeof(join) || !c->has_proc)
			break;
		memcpy(&join, body, sizeof(join));
		if (join.rank < 0 || join.rank >= join.nranks ||
		    join.blob_len != len - sizeof(join))
			break;
		round_join(c, &join, body + sizeof(join));
		return;
	case WIRE_COLL:
		if (!c->world || !c->world->formed)
			break;
		world_coll(c, body, len);
		return;
	case WIRE_ABORT:
		if (!c->world || !c->world->formed || !len || len > WIRE_TEXT)
			break;
		world_end(c, body, len);
		return;
	case WIRE_BYE:
		c->bye = 1;
		conn_break(c);
		return;
	default:
		break;
	}
	log_warn("rendezvous: process %d on host %s sent nonsense (type %u, %zu bytes)",
		 c->has_proc ? c->proc.pid : 0, c->has_proc ? c->proc.host : "?", type, len);
	conn_break(c);
}

static void conn_read(struct conn *c)
{
	if (!c->known)
		conn_read_hello(c);
	while (c->known && !c->broken) {
		int got = wire_in_read(&c->in, c->source.fd);
		uint8_t *body = c->in.body;

		if (got < 0)
			conn_break(c);
		if (got <= 0)
			return;
		wire_in_next(&c->in);
		conn_frame(c, c->in.head.type, body, c->in.head.len);
		free(body);
	}
}

static void rdv_listen(struct rdv *r, int on)
{
	for (int i = 0; i < r->n_listeners; i++) {
		struct epoll_event ev = { .events = on ? EPOLLIN : 0,
					  .data.ptr = &r->listeners[i] };

		epoll_ctl(r->epoll, EPOLL_CTL_MOD, r->listeners[i].fd, &ev);
	}
	r->deaf_until = on ? 0 : wire_deadline(DEAF_S);
}

static void rdv_accept(struct rdv *r, int listener)
{
	/* A few at a time: those who have said hello must not wait behind those who never do. */
	for (int i = 0; i < EVENTS; i++) {
		int fd = sock_accept(listener);
		struct conn *c = fd >= 0 ? calloc(1, sizeof(*c)) : NULL;
		struct epoll_event ev = { .events = EPOLLIN, .data.ptr = c };

		if (!c) {
			int full = fd >= 0 || errno == EMFILE || errno == ENFILE ||
				   errno == ENOMEM || errno == ENOBUFS;

			sock_close(fd);
			if (full)
				rdv_listen(r, 0);
			return;
		}
		c->source = (struct source){ SOURCE_CONN, fd };
		c->rdv = r;
		c->deadline = wire_deadline(HELLO_S);
		c->out_end = &c->out;
		conn_link(c);
		sock_keepalive(fd);
		if (epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &ev) < 0)
			conn_break(c);
		else
			conn_read_hello(c);
	}
}

/* Strangers whose time is over or who are too many; the round's own deadline. */
static void rdv_expire(struct rdv *r)
{
	int64_t now = wire_now();
	int many = r->n_strangers - STRANGERS_MAX;

	for (struct conn *c = r->strangers; c; c = c->next) {
		if (many-- <= 0 && c->deadline > now)
			break;
		conn_break(c);
	}
	if (r->deaf_until && r->deaf_until <= now) {
		/* They hold the descriptors that are missing; a process of ours comes again. */
		int half = (r->n_strangers + 1) / 2;

		for (struct conn *c = r->strangers; c && half-- > 0; c = c->next)
			conn_break(c);
		rdv_listen(r, 1);
	}
	round_expire(r, now);
}

static void conn_gone(struct conn *c)
{
	if (c->world && c->world->formed)
		world_gone(c);
	else if (c->world)
		round_gone(c);
}

static void rdv_reap_list(struct rdv *r, struct conn **list, int *n)
{
	for (struct conn **at = list; *at;) {
		struct conn *c = *at;

		if (!c->broken) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		*n -= 1;
		r->n_broken--;
		conn_gone(c);
		conn_free(c);
	}
}

/* Losing one process sends messages to others, which may break those: until none is left. */
static void rdv_reap(struct rdv *r)
{
	while (r->n_broken > 0) {
		rdv_reap_list(r, &r->strangers, &r->n_strangers);
		rdv_reap_list(r, &r->known, &r->n_known);
	}
}

static int rdv_wait_ms(const struct rdv *r)
{
	int64_t first = INT64_MAX;

	if (r->strangers)
		first = r->strangers->deadline;
	if (r->forming && r->forming->deadline < first)
		first = r->forming->deadline;
	if (r->deaf_until && r->deaf_until < first)
		first = r->deaf_until;
	if (r->close_by && r->close_by < first)
		first = r->close_by;
	return first == INT64_MAX ? -1 : wire_left_ms(first);
}

static void rdv_start_closing(struct rdv *r)
{
	r->close_by = wire_deadline(CLOSE_S);
	for (int i = 0; i < r->n_listeners; i++)
		source_close(r, &r->listeners[i]);
	r->n_listeners = 0;
	r->deaf_until = 0;
	for (struct conn *c = r->strangers; c; c = c->next)
		conn_break(c);
	if (r->forming)
		round_fail(r, MORI_SHMEM_EREACH,
			   "the rendezvous has closed: process %d on host %s, "
			   "which hosts it, has finalized",
			   r->pid, r->host);
}

static int rdv_over(struct rdv *r)
{
	if (!__atomic_load_n(&r->closing, __ATOMIC_ACQUIRE))
		return 0;
	if (!r->close_by)
		rdv_start_closing(r);
	rdv_reap(r);
	return r->n_known == 0 || wire_left_ms(r->close_by) == 0;
}

static void rdv_drop_all(struct conn *c)
{
	while (c) {
		struct conn *next = c->next;

		conn_free(c);
		c = next;
	}
}

void rdv_free(struct rdv *r)
{
	for (struct conn *c = r->known; c; c = c->next) {
		struct msg *m = msg_new(WIRE_CLOSED, 0);

		conn_send(c, m);
		msg_put(m);
	}
	rdv_drop_all(r->known);
	rdv_drop_all(r->strangers);
	while (r->worlds) {
		struct world *w = r->worlds;

		r->worlds = w->next;
		world_free(w);
	}
	if (r->forming)
		world_free(r->forming);
	failure_clear(&r->failure);
	for (int i = 0; i < r->n_listeners; i++)
		sock_close(r->listeners[i].fd);
	free(r->listeners);
	sock_close(r->wake.fd);
	sock_close(r->epoll);
	free(r);
}

void *rdv_main(void *arg)
{
	struct rdv *r = arg;
	struct epoll_event ev[EVENTS];

	while (!rdv_over(r)) {
		int n = epoll_wait(r->epoll, ev, EVENTS, rdv_wait_ms(r));

		for (int i = 0; i < n; i++) {
			struct source *s = ev[i].data.ptr;
			struct conn *c = ev[i].data.ptr;
			eventfd_t ignored;

			if (s->kind == SOURCE_WAKE) {
				(void)eventfd_read(s->fd, &ignored);
			} else if (s->kind == SOURCE_LISTENER) {
				rdv_accept(r, s->fd);
			} else {
				if (ev[i].events & EPOLLOUT)
					conn_flush(c);
				conn_read(c);
			}
		}
		rdv_expire(r);
		rdv_reap(r);
	}
	return NULL;
}
