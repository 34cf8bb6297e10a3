// SPDX-License-Identifier: MIT
/*
 * Greetings over the sockets of sock.c: whoever connects must prove with its first bytes that
 * it knows the job's secret, and so must the answer.
 */
#include "net/sock.h"
#include "util/log.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define STRANGERS   256 /* held at a time; who comes then waits at the listener */
#define STRANGER_NS 5000000000
#define CROWDED_NS  1000000000 /* the same while others wait */
#define SWEEP_NS    100000000
#define ACCEPTS	    32	     /* in one step, so that what they say is read before more are let in */
#define TRIES	    20	     /* to connect to somebody who hangs up before the answer */
#define AGAIN_NS    20000000 /* between the first two; later up to eight times that */

/* Connecting: say hello as soon as the socket takes it. */
static int greet_say(struct engine *e, struct sock *s)
{
	struct hello hello;
	ssize_t n;
	int err = s->c ? hello_make(e, &hello, s->c->proc, s->nonce, HELLO_ASK) : -ENOTCONN;

	if (err)
		return err;
	s->nonce = hello.nonce;
	n = send(s->fd, &hello, sizeof(hello), MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return errno == EAGAIN || errno == ENOTCONN ? 0 : -errno;
	s->state = SOCK_HELLO;
	sock_plug(e, s);
	return n == sizeof(hello) ? 1 : -EIO;
}

/* Two processes that ask each other share a connection: that of the lower number, if both begin. */
static bool greet_gives_way(struct engine *e, const struct hello *h)
{
	const struct conn *mine = h->from > e->config.my_proc ? e->to[h->from] : NULL;

	return mine && mine->state != CONN_DEAD;
}

/* The one we asked has begun to ask us, and keeps to that. */
static void greet_give_way(struct engine *e, struct sock *s)
{
	struct conn *c = s->c;

	c->link = NULL;
	sock_drop(e->state, s);
	if (sock_is_up(e->from[c->proc]))
		sock_share(e, c);
	else if (e->from[c->proc])
		conn_end(e, c, MORI_SHMEM_EPEER, "it has closed the connection");
}

/* The first bytes of @s are here: of the one we asked, or of one who asks. */
static bool greet_know(struct engine *e, struct sock *s, const struct hello *h)
{
	struct sock_link *l = e->state;
	struct hello answer;
	bool way;

	if (s->c)
		return hello_good(e, h, sizeof(*h), HELLO_ANSWER) && h->from == s->c->proc &&
		       h->nonce == s->nonce;
	/* Nobody comes twice, nor after the path to it has ended: it may be one who overheard it. */
	if (!hello_good(e, h, sizeof(*h), HELLO_ASK) || e->from[h->from] ||
	    (e->to[h->from] && e->to[h->from]->state == CONN_DEAD))
		return false;
	way = greet_gives_way(e, h);
	if (hello_make(e, &answer, h->from, h->nonce, way ? HELLO_MINE : HELLO_ANSWER) ||
	    send(s->fd, &answer, sizeof(answer), MSG_DONTWAIT | MSG_NOSIGNAL) != sizeof(answer) ||
	    way)
		return false;
	s->c = conn_new(e, h->from, true);
	if (!s->c)
		return false;
	l->n_strangers--;
	s->c->link = s;
	return true;
}

/* Whoever hangs up before the answer may have had too many to listen to. */
static bool greet_again(struct engine *e, struct sock *s, int err)
{
	struct sock_link *l = e->state;

	if ((err != ECONNRESET && err != EPIPE) || s->tries == TRIES)
		return false;
	s->state = SOCK_WAITING;
	__atomic_add_fetch(&l->n_waiting, 1, __ATOMIC_RELAXED);
	sock_plug(e, s);
	close(s->fd);
	s->fd = -1;
	s->have = s->nonce = 0;
	s->when = engine_now() + ((int64_t)AGAIN_NS << (s->tries < 3 ? s->tries : 3));
	s->tries++;
	return true;
}

static void greet_refuse(struct engine *e, struct sock *s, int err)
{
	if (s->c && greet_again(e, s, err))
		return;
	if (s->c && err == ECONNREFUSED)
		conn_end(e, s->c, MORI_SHMEM_EPEER, "nobody listens there any more");
	else if (s->c && err)
		conn_end(e, s->c, MORI_SHMEM_EREACH, "%s", strerror(err));
	else if (s->c)
		conn_end(e, s->c, MORI_SHMEM_EREACH, "whoever answers there is not of this job");
	else {
		log_info("network: somebody was turned away");
		sock_drop(e->state, s);
	}
}

/* Once more, unless the other side has connected meanwhile. */
static int greet_dial(struct engine *e, struct sock *s)
{
	struct sock_link *l = e->state;
	struct conn *c = s->c;

	if (engine_now() < s->when)
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
		greet_refuse(e, s, -s->fd);
	else
		sock_plug(e, s);
	return 1;
}

/* Whether @s may stay although it has not said all. */
static bool greet_may_wait(struct engine *e, const struct sock *s)
{
	const struct sock_link *l = e->state;

	return s->c || engine_now() - s->when < (l->full ? CROWDED_NS : STRANGER_NS);
}

bool greet_sweeps(struct engine *e)
{
	struct sock_link *l = e->state;
	int64_t now = l->n_strangers ? engine_now() : 0;

	if (now - l->swept < SWEEP_NS)
		return false;
	l->swept = now;
	return true;
}

int greet_step(struct engine *e, struct sock *s)
{
	struct hello hello;
	bool known;
	ssize_t n;
	int err;

	if (s->state == SOCK_WAITING)
		return greet_dial(e, s);
	if (s->state == SOCK_CONNECTING) {
		err = greet_say(e, s);
		if (err < 0)
			greet_refuse(e, s, -err);
		return err != 0;
	}
	/* No byte beyond the greeting is taken before it was found good. */
	n = recv(s->fd, s->buf + s->have, sizeof(hello) - s->have, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		if (greet_may_wait(e, s))
			return 0;
		n = 0;
	}
	if (n <= 0) {
		known = s->c != NULL;
		greet_refuse(e, s, n ? errno : ECONNRESET);
		return known; /* a flood of others is no progress */
	}
	s->have += (size_t)n;
	if (s->have < sizeof(hello))
		return 1;
	memcpy(&hello, s->buf, sizeof(hello));
	s->have = 0;
	if (greet_know(e, s, &hello))
		sock_opened(e, s);
	else if (s->c && hello_good(e, &hello, sizeof(hello), HELLO_MINE) &&
		 hello.from == s->c->proc && hello.nonce == s->nonce)
		greet_give_way(e, s);
	else
		greet_refuse(e, s, 0);
	return 1;
}

/*
 * Whether nobody can be let in at present. Who waits at the listener would end every sleep of the
 * thread, so that epoll does not tell of it meanwhile: see greet_hear().
 */
static void greet_deafen(struct sock_link *l, bool on)
{
	struct epoll_event ev = { .events = on ? 0 : EPOLLIN, .data.ptr = &l->listener };

	if (on && !l->deaf && !l->full)
		log_warn("network: no descriptor is free for who connects: it waits (ulimit -n)");
	if (on || l->deaf)
		epoll_ctl(l->epoll, EPOLL_CTL_MOD, l->listener, &ev);
	__atomic_store_n(&l->deaf, on ? engine_now() + SOCK_DEAF_NS : 0, __ATOMIC_RELAXED);
}

/* Whether @err says that there is no room for a socket. */
static bool greet_no_room(int err)
{
	return err == EMFILE || err == ENFILE || err == ENOBUFS || err == ENOMEM;
}

void greet_accept(struct engine *e)
{
	struct sock_link *l = e->state;
	struct sock *s;
	int fd = 0, err;

	for (int n = 0; n < ACCEPTS && l->n_strangers < STRANGERS && fd >= 0; n++) {
		fd = accept4(l->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		s = fd < 0 ? NULL : sock_new(e, fd, SOCK_HELLO);
		if (!s)
			continue;
		s->when = engine_now();
		l->n_strangers++;
	}
	err = fd < 0 ? errno : 0;
	l->full = l->n_strangers >= STRANGERS;
	greet_deafen(l, l->full || greet_no_room(err));
}

void greet_hear(struct engine *e)
{
	struct sock_link *l = e->state;

	if (l->deaf && ((l->full && l->n_strangers < STRANGERS) || engine_now() >= l->deaf))
		greet_accept(e);
}
