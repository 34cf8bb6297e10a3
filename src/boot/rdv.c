// SPDX-License-Identifier: MIT
/*
 * The loop of the rendezvous, and its connections with processes whose greeting was good.
 * Connections are closed only at the end of a turn, so that no event points at freed memory.
 */
#include "boot/rdv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "stream/socket.h"
#include "util/clock.h"
#include "util/log.h"

#define CLOSE_S 5.0
#define EVENTS	64

struct rdv_msg *rdv_msg_new(enum wire_type type, size_t len)
{
	struct rdv_msg *m = len <= WIRE_BODY_MAX ? calloc(1, sizeof(*m) + len) : NULL;

	if (m) {
		m->refs = 1;
		m->len = sizeof(m->head) + len;
		m->head.type = type;
		m->head.len = (uint32_t)len;
	}
	return m;
}

void rdv_msg_put(struct rdv_msg *m)
{
	if (m && --m->refs == 0)
		free(m);
}

void rdv_conn_break(struct rdv_conn *c)
{
	if (!c->broken)
		c->rdv->n_broken++;
	c->broken = 1;
}

static void rdv_conn_watch(struct rdv_conn *c, int out)
{
	struct epoll_event ev = { .events = EPOLLIN | (out ? EPOLLOUT : 0), .data.ptr = c };

	if (c->wants_out != out && epoll_ctl(c->rdv->epoll, EPOLL_CTL_MOD, c->fd, &ev) == 0)
		c->wants_out = out;
}

/* Writes queued messages until the socket is full. */
static void rdv_conn_flush(struct rdv_conn *c)
{
	while (c->out && !c->broken) {
		struct rdv_pending *p = c->out;
		ssize_t n = send(c->fd, (uint8_t *)&p->msg->head + p->sent, p->msg->len - p->sent,
				 MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			break;
		if (n < 0) {
			rdv_conn_break(c);
			break;
		}
		p->sent += (size_t)n;
		if (p->sent < p->msg->len)
			continue;
		c->out = p->next;
		if (!c->out)
			c->out_end = &c->out;
		rdv_msg_put(p->msg);
		free(p);
	}
	rdv_conn_watch(c, c->out != NULL);
}

void rdv_conn_send(struct rdv_conn *c, struct rdv_msg *m)
{
	struct rdv_pending *p;

	if (!c || c->broken)
		return;
	p = m ? calloc(1, sizeof(*p)) : NULL;
	if (!p) {
		rdv_conn_break(c);
		return;
	}
	m->refs++;
	p->msg = m;
	*c->out_end = p;
	c->out_end = &p->next;
	if (c->out == p)
		rdv_conn_flush(c);
}

/* Once it is off its list. */
static void rdv_conn_free(struct rdv_conn *c)
{
	/* The child of a fork may still have it, and epoll would go on to report it. */
	(void)epoll_ctl(c->rdv->epoll, EPOLL_CTL_DEL, c->fd, NULL);
	socket_close(c->fd);
	wire_in_free(&c->in);
	free(c->waits);
	free(c->answer);
	while (c->out) {
		struct rdv_pending *p = c->out;

		c->out = p->next;
		rdv_msg_put(p->msg);
		free(p);
	}
	free(c);
}

/* Whether the greeting with @nonce is the first; -1 without memory. */
static int rdv_is_first(struct rdv *r, uint64_t nonce)
{
	uint64_t *more = realloc(r->nonces, (r->n_nonces + 1) * sizeof(*more));

	if (!more)
		return -1;
	r->nonces = more;
	for (size_t i = 0; i < r->n_nonces; i++) {
		if (more[i] == nonce)
			return 0;
	}
	more[r->n_nonces++] = nonce;
	return 1;
}

static enum acceptor_verdict rdv_welcome(struct rdv *r, int fd)
{
	struct rdv_conn *c = calloc(1, sizeof(*c));
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = c };

	if (!c || epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &ev) < 0) {
		free(c);
		return ACCEPTOR_DROP;
	}
	socket_tune(fd);
	c->fd = fd;
	c->rdv = r;
	c->out_end = &c->out;
	c->next = r->conns;
	r->conns = c;
	r->n_conns++;
	return ACCEPTOR_TAKEN;
}

enum acceptor_verdict rdv_hear(void *arg, struct acceptor_stranger *s)
{
	struct rdv *r = arg;
	const struct greeting *g = &s->greeting;
	int joins;
	const uint8_t *key;
	struct wire_server server = { .pid = r->pid };
	uint8_t id[BOOT_UID_BYTES];
	struct greeting answer;
	struct iovec iov[2] = { { &answer, sizeof(answer) }, { &server, sizeof(server) } };
	enum acceptor_verdict verdict = acceptor_read(s);

	if (verdict != ACCEPTOR_TAKEN)
		return verdict;
	joins = g->kind == GREET_JOIN;
	key = joins ? r->uid.secret : r->key;
	if (!greet_is_one(g, sizeof(*g)))
		return ACCEPTOR_DROP;
	if ((!joins && !r->published) ||
	    !greet_check(g, key, joins ? GREET_JOIN : GREET_FETCH_ID) ||
	    rdv_is_first(r, g->nonce) <= 0)
		return acceptor_refuse(s);
	if (greet_make(&answer, key, GREET_ACCEPTED, 0, 0, g->nonce))
		return ACCEPTOR_DROP;
	memcpy(server.host, r->host, WIRE_HOST);
	if (!joins) {
		memcpy(id, r->uid_bytes, BOOT_UID_BYTES);
		greet_mask(key, g->nonce, id, BOOT_UID_BYTES);
		iov[1] = (struct iovec){ id, BOOT_UID_BYTES };
	}
	/* The first bytes on a new connection: there is room for them. */
	if (socket_send(s->fd, iov, 2, 0))
		return ACCEPTOR_DROP;
	return joins ? rdv_welcome(r, s->fd) : ACCEPTOR_ANSWERED;
}

/* One frame of a process. A malformed one is a bug there: the connection is closed. */
static void rdv_conn_frame(struct rdv_conn *c, uint32_t type, const uint8_t *body, size_t len)
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
		rdv_round_join(c, &join, body + sizeof(join));
		return;
	case WIRE_COLL:
		if (!c->world || !c->world->formed)
			break;
		rdv_world_coll(c, body, len);
		return;
	case WIRE_ABORT:
		if (!c->world || !c->world->formed || !len || len > WIRE_TEXT)
			break;
		rdv_world_end(c, body, len);
		return;
	case WIRE_NO_FDS:
		if (!c->world || !c->world->formed || len != sizeof(struct wire_no_fds))
			break;
		rdv_world_no_fds(c, body);
		return;
	case WIRE_SAY:
		if (!c->world || !c->world->formed || rdv_still_hear(c, body, len))
			break;
		return;
	case WIRE_EXIT:
		c->exits = 1;
		return;
	case WIRE_BYE:
		c->bye = 1;
		rdv_conn_break(c);
		return;
	default:
		break;
	}
	log_warn("rendezvous: process %d on host %s sent a malformed message (type %u, %zu bytes)",
		 c->has_proc ? c->proc.pid : 0, c->has_proc ? c->proc.host : "?", type, len);
	rdv_conn_break(c);
}

static void rdv_conn_read(struct rdv_conn *c)
{
	while (!c->broken) {
		int got = wire_in_read(&c->in, c->fd);
		uint8_t *body = c->in.body;

		if (got < 0)
			rdv_conn_break(c);
		if (got <= 0)
			return;
		wire_in_next(&c->in);
		rdv_conn_frame(c, c->in.head.type, body, c->in.head.len);
		free(body);
	}
}

static void rdv_conn_gone(struct rdv_conn *c)
{
	if (c->world && c->world->formed)
		rdv_world_gone(c);
	else if (c->world)
		rdv_round_gone(c);
}

/*
 * The loss of one process sends messages to others, which may break their connections: repeats
 * until none is broken.
 */
static void rdv_reap(struct rdv *r)
{
	while (r->n_broken > 0) {
		for (struct rdv_conn **at = &r->conns; *at;) {
			struct rdv_conn *c = *at;

			if (!c->broken) {
				at = &c->next;
				continue;
			}
			*at = c->next;
			r->n_conns--;
			r->n_broken--;
			rdv_conn_gone(c);
			rdv_conn_free(c);
		}
	}
}

static int rdv_wait_ms(const struct rdv *r)
{
	int64_t first = r->acceptor.due, still = rdv_still_due(r), round = rdv_round_due(r);

	if (still < first)
		first = still;
	if (round < first)
		first = round;
	if (r->answer_by && r->answer_by < first)
		first = r->answer_by;
	if (r->close_by && r->close_by < first)
		first = r->close_by;
	/* In time to notice boot_close_rdv() when the program has closed the eventfd. */
	return clock_left_ms(clock_sooner(first, 1.0));
}

static void rdv_start_closing(struct rdv *r)
{
	r->close_by = clock_deadline(CLOSE_S);
	acceptor_close(&r->acceptor);
	if (r->forming)
		rdv_round_fail(r, MORI_SHMEM_EREACH,
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
	return r->n_conns == 0 || clock_left_ms(r->close_by) == 0;
}

void rdv_free(struct rdv *r)
{
	while (r->conns) {
		struct rdv_conn *c = r->conns;
		struct rdv_msg *m = rdv_msg_new(WIRE_CLOSED, 0);

		r->conns = c->next;
		rdv_conn_send(c, m);
		rdv_msg_put(m);
		rdv_conn_free(c);
	}
	while (r->worlds) {
		struct rdv_world *w = r->worlds;

		r->worlds = w->next;
		rdv_world_free(w);
	}
	if (r->forming)
		rdv_world_free(r->forming);
	rdv_failure_clear(&r->failure);
	rdv_order_close(r);
	acceptor_close(&r->acceptor);
	free(r->nonces);
	socket_close(r->wake);
	socket_close(r->epoll);
	free(r);
}

void *rdv_main(void *arg)
{
	struct rdv *r = arg;
	struct epoll_event ev[EVENTS];

	while (!rdv_over(r)) {
		int n = epoll_wait(r->epoll, ev, EVENTS, rdv_wait_ms(r));

		if (n < 0 && errno == EBADF) /* the program has closed it, too */
			clock_sleep(CLOCK_NS_PER_S / 100);
		for (int i = 0; i < n; i++) {
			struct rdv_conn *c = ev[i].data.ptr;
			eventfd_t ignored;

			if (!c) {
				(void)eventfd_read(r->wake, &ignored);
			} else if (ev[i].data.ptr == &r->acceptor) {
				r->acceptor.due = 0;
			} else {
				if (ev[i].events & EPOLLOUT)
					rdv_conn_flush(c);
				rdv_conn_read(c);
			}
		}
		if (r->acceptor.due <= clock_now())
			acceptor_turn(&r->acceptor);
		rdv_round_turn(r, clock_now());
		rdv_still_turn(r, clock_now());
		rdv_reap(r);
		__atomic_store_n(&r->spent,
				 r->failure.status && !r->forming && !r->worlds && !r->n_conns,
				 __ATOMIC_RELAXED);
		if (n < EVENTS) /* else more may have arrived before the order */
			rdv_order_run(r);
	}
	return NULL;
}
