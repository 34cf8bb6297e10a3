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

#define STRANGERS   256
#define STRANGER_NS ((int64_t)5000000000)

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

static void greet_refuse(struct engine *e, struct sock *s, int err)
{
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

int greet_step(struct engine *e, struct sock *s)
{
	struct hello hello;
	ssize_t n;
	int err;

	if (s->state == SOCK_CONNECTING) {
		err = greet_say(e, s);
		if (err < 0)
			greet_refuse(e, s, -err);
		return err != 0;
	}
	/* No byte beyond the greeting is taken before it was found good. */
	n = recv(s->fd, s->buf + s->have, sizeof(hello) - s->have, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		if (!s->deadline || engine_now() < s->deadline)
			return 0;
		n = 0;
	}
	if (n <= 0) {
		greet_refuse(e, s, n ? errno : ECONNRESET);
		return 1;
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

	if (on && !l->deaf)
		log_warn("network: no descriptor is free for who connects: it waits (ulimit -n)");
	if (on || l->deaf)
		epoll_ctl(l->epoll, EPOLL_CTL_MOD, l->listener, &ev);
	__atomic_store_n(&l->deaf, on ? engine_now() + SOCK_DEAF_NS : 0, __ATOMIC_RELAXED);
}

void greet_accept(struct engine *e)
{
	struct sock_link *l = e->state;
	struct sock *s, *oldest;
	int fd;

	while ((fd = accept4(l->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		oldest = NULL;
		for (s = l->socks; s; s = s->next)
			oldest = s->c ? oldest : s; /* the list begins with the newest */
		if (l->n_strangers >= STRANGERS && oldest)
			sock_drop(l, oldest);
		l->n_strangers++;
		s = sock_new(e, fd, SOCK_HELLO);
		if (s)
			s->deadline = engine_now() + STRANGER_NS;
		else
			l->n_strangers--;
	}
	greet_deafen(l, errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
}

void greet_hear(struct engine *e)
{
	struct sock_link *l = e->state;

	if (l->deaf && engine_now() >= l->deaf)
		greet_accept(e);
}
