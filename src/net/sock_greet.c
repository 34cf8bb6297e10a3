// SPDX-License-Identifier: MIT
/* Greetings over the sockets of sock.c: those this process sends, and those of strangers. */
#include "net/sock.h"
#include "stream/socket.h"
#include "util/clock.h"
#include "util/log.h"

#include <errno.h>
#include <string.h>

#define TRIES	 20	  /* to connect to a peer that hangs up before the answer */
#define AGAIN_NS 20000000 /* between the first two; later up to eight times that */

/* Connecting: greet as soon as the socket takes it. */
static int sock_greet(struct net *e, struct sock *s)
{
	struct greeting g;
	int err = net_greet_make(e, &g, s->c->proc, s->nonce, GREET_NET);
	ssize_t n;

	if (err)
		return err;
	s->nonce = g.nonce;
	n = send(s->fd, &g, sizeof(g), MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return errno == EAGAIN || errno == ENOTCONN ? 0 : -errno;
	s->state = SOCK_GREETED;
	sock_plug(e, s);
	return n == sizeof(g) ? 1 : -EIO;
}

/*
 * Two processes that send each other requests share a connection: if both begin, the one that the
 * process with the lower number has begun.
 */
static bool sock_gives_way(const struct net *e, const struct greeting *g)
{
	const struct net_conn *mine = g->from > e->config.my_proc ? e->to[g->from] : NULL;

	return mine && mine->state != CONN_DEAD;
}

/* The peer of @s has begun to connect to this process, and keeps to that. */
static void sock_give_way(struct net *e, struct sock *s)
{
	struct net_conn *c = s->c;

	c->link = NULL;
	sock_drop(e->state, s);
	if (sock_is_up(e->from[c->proc]))
		sock_share(e, c);
	else if (e->from[c->proc])
		net_conn_end(e, c, MORI_SHMEM_EPEER, "it has closed the connection");
}

/* A process is let in once, and not after the path to it has ended. */
static bool sock_may_enter(const struct net *e, const struct greeting *g)
{
	return net_greet_check(e, g, sizeof(*g), GREET_NET) && !e->from[g->from] &&
	       !(e->to[g->from] && e->to[g->from]->state == CONN_DEAD);
}

enum acceptor_verdict sock_hear(void *arg, struct acceptor_stranger *p)
{
	enum acceptor_verdict verdict = acceptor_read(p);
	const struct greeting *g = &p->greeting;
	struct greeting answer;
	struct net *e = arg;
	struct sock *s;
	bool way;

	if (verdict != ACCEPTOR_TAKEN)
		return verdict;
	if (!sock_may_enter(e, g)) {
		log_info("network: rejected a connection with a bad greeting");
		return ACCEPTOR_DROP;
	}
	way = sock_gives_way(e, g);
	if (net_greet_make(e, &answer, g->from, g->nonce, way ? GREET_USE_MINE : GREET_ACCEPTED) ||
	    send(p->fd, &answer, sizeof(answer), MSG_DONTWAIT | MSG_NOSIGNAL) != sizeof(answer))
		return ACCEPTOR_DROP;
	s = way ? NULL : sock_new(e, p->fd, SOCK_GREETED);
	if (!s)
		return way ? ACCEPTOR_ANSWERED : ACCEPTOR_DROP;
	s->c = net_conn_new(e, g->from, true);
	if (s->c) {
		s->c->link = s;
		sock_opened(e, s);
	} else {
		sock_drop(e->state, s);
	}
	return verdict;
}

/* A peer that hangs up before the answer may have had no room for one more connection. */
static bool sock_retry(struct net *e, struct sock *s, int err)
{
	struct sock_link *l = e->state;

	if ((err != ECONNRESET && err != EPIPE) || s->tries == TRIES)
		return false;
	s->state = SOCK_WAITING;
	__atomic_add_fetch(&l->n_waiting, 1, __ATOMIC_RELAXED);
	sock_plug(e, s);
	socket_close(s->fd);
	s->fd = -1;
	s->have = s->nonce = 0;
	s->when = clock_now() + ((int64_t)AGAIN_NS << (s->tries < 3 ? s->tries : 3));
	s->tries++;
	return true;
}

/* The connection was not established: @err, or 0 for a bad answer. */
static void sock_failed(struct net *e, struct sock *s, int err)
{
	if (sock_retry(e, s, err))
		return;
	if (err == ECONNREFUSED)
		net_conn_end(e, s->c, MORI_SHMEM_EPEER, "nobody listens there any more");
	else if (err)
		net_conn_end(e, s->c, MORI_SHMEM_EREACH, "%s", strerror(err));
	else
		net_conn_end(e, s->c, MORI_SHMEM_EREACH,
			     "the process at its address is not of this job");
}

/* Once more, unless the peer has connected meanwhile. */
static int sock_redial(struct net *e, struct sock *s)
{
	struct sock_link *l = e->state;
	struct net_conn *c = s->c;

	if (clock_now() < s->when)
		return 0;
	if (sock_is_up(e->from[c->proc])) {
		c->link = NULL;
		sock_drop(l, s);
		sock_share(e, c);
		return 1;
	}
	s->state = SOCK_CONNECTING;
	__atomic_sub_fetch(&l->n_waiting, 1, __ATOMIC_RELAXED);
	s->fd = sock_dial(e, c->proc);
	if (s->fd < 0)
		sock_failed(e, s, -s->fd);
	else
		sock_plug(e, s);
	return 1;
}

int sock_step_greeting(struct net *e, struct sock *s)
{
	struct greeting answer;
	bool ours;
	ssize_t n;
	int err;

	if (s->state == SOCK_WAITING)
		return sock_redial(e, s);
	if (s->state == SOCK_CONNECTING) {
		err = sock_greet(e, s);
		if (err < 0)
			sock_failed(e, s, -err);
		return err != 0;
	}
	/* No byte beyond the answer is taken before it was found good. */
	n = recv(s->fd, s->buf + s->have, sizeof(answer) - s->have, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		sock_failed(e, s, n ? errno : ECONNRESET);
		return 1;
	}
	s->have += (size_t)n;
	if (s->have < sizeof(answer))
		return 1;
	memcpy(&answer, s->buf, sizeof(answer));
	s->have = 0;
	ours = answer.from == s->c->proc && answer.nonce == s->nonce;
	if (ours && net_greet_check(e, &answer, sizeof(answer), GREET_ACCEPTED))
		sock_opened(e, s);
	else if (ours && net_greet_check(e, &answer, sizeof(answer), GREET_USE_MINE))
		sock_give_way(e, s);
	else
		sock_failed(e, s, 0);
	return 1;
}
