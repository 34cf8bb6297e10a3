// SPDX-License-Identifier: MIT
#include "stream/acceptor.h"

#include "stream/socket.h"
#include "util/clock.h"
#include "util/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#define STRANGER_NS (5 * CLOCK_NS_PER_S)
#define CROWDED_NS  CLOCK_NS_PER_S /* the same while others wait */
#define EVENTS	    64

int acceptor_open(struct acceptor *a, acceptor_fn hear, void *arg)
{
	*a = ACCEPTOR_CLOSED;
	a->hear = hear;
	a->arg = arg;
	a->newest = &a->oldest;
	a->epoll = socket_adopt(epoll_create1(EPOLL_CLOEXEC));
	return a->epoll < 0 ? -errno : 0;
}

int acceptor_add(struct acceptor *a, int listener)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int *more = realloc(a->listeners, ((size_t)a->n_listeners + 1) * sizeof(*more));

	if (!more) {
		socket_close(listener);
		return -ENOMEM;
	}
	a->listeners = more;
	a->listeners[a->n_listeners++] = listener;
	return epoll_ctl(a->epoll, EPOLL_CTL_ADD, listener, &ev) < 0 ? -errno : 0;
}

/*
 * Off the list. Closing a descriptor does not take it from epoll while the child of a fork still
 * has it, and an event would then lead to memory that is free.
 */
static void acceptor_remove(struct acceptor *a, struct acceptor_stranger *s, bool close_it)
{
	struct acceptor_stranger **at = &a->oldest;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	if (!*at)
		a->newest = at;
	a->n_strangers--;
	(void)epoll_ctl(a->epoll, EPOLL_CTL_DEL, s->fd, NULL);
	if (close_it)
		socket_close(s->fd);
	free(s);
}

void acceptor_close(struct acceptor *a)
{
	while (a->oldest)
		acceptor_remove(a, a->oldest, true);
	for (int i = 0; i < a->n_listeners; i++) {
		(void)epoll_ctl(a->epoll, EPOLL_CTL_DEL, a->listeners[i], NULL);
		socket_close(a->listeners[i]);
	}
	free(a->listeners);
	socket_close(a->epoll);
	*a = ACCEPTOR_CLOSED;
}

enum acceptor_verdict acceptor_read(struct acceptor_stranger *s)
{
	uint8_t *to = (uint8_t *)&s->greeting + s->have;
	ssize_t n = recv(s->fd, to, sizeof(s->greeting) - s->have, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return ACCEPTOR_WAIT;
	if (n <= 0)
		return ACCEPTOR_DROP;
	s->have += (size_t)n;
	return s->have == sizeof(s->greeting) ? ACCEPTOR_TAKEN : ACCEPTOR_WAIT;
}

enum acceptor_verdict acceptor_refuse(struct acceptor_stranger *s)
{
	struct greeting g = greet_refusal();

	return send(s->fd, &g, sizeof(g), MSG_NOSIGNAL) == sizeof(g) ? ACCEPTOR_ANSWERED :
								       ACCEPTOR_DROP;
}

/* Reads on and drops it, until the other side hangs up. */
static enum acceptor_verdict acceptor_drain(struct acceptor_stranger *s)
{
	char waste[64];
	ssize_t n = recv(s->fd, waste, sizeof(waste), 0);

	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)) ? ACCEPTOR_WAIT :
									 ACCEPTOR_DROP;
}

/* Whether @s was taken. */
static int acceptor_hear(struct acceptor *a, struct acceptor_stranger *s)
{
	enum acceptor_verdict verdict = s->answered ? acceptor_drain(s) : a->hear(a->arg, s);

	s->answered |= verdict == ACCEPTOR_ANSWERED;
	if (verdict == ACCEPTOR_TAKEN || verdict == ACCEPTOR_DROP)
		acceptor_remove(a, s, verdict == ACCEPTOR_DROP);
	return verdict == ACCEPTOR_TAKEN;
}

/* -errno if nobody waits at @listener, or there is no room for a connection that does. */
static int acceptor_accept(struct acceptor *a, int listener, int *taken)
{
	int fd = socket_accept(listener);
	struct acceptor_stranger *s = fd < 0 ? NULL : calloc(1, sizeof(*s));
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = s };
	int err = fd < 0 ? -errno : s ? 0 : -ENOMEM;

	if (!err && epoll_ctl(a->epoll, EPOLL_CTL_ADD, fd, &ev) < 0)
		err = -errno;
	if (err || !s) {
		socket_close(fd);
		free(s);
		return err;
	}
	s->fd = fd;
	s->since = clock_now();
	*a->newest = s;
	a->newest = &s->next;
	a->n_strangers++;
	*taken += acceptor_hear(a, s); /* most greet at once */
	return 0;
}

static void acceptor_rest(struct acceptor *a, bool on)
{
	struct epoll_event ev = { .events = on ? 0 : EPOLLIN };

	for (int i = 0; i < a->n_listeners; i++)
		epoll_ctl(a->epoll, EPOLL_CTL_MOD, a->listeners[i], &ev);
	__atomic_store_n(&a->retry_at, on ? clock_now() + ACCEPTOR_RETRY_NS : 0, __ATOMIC_RELAXED);
}

static int acceptor_accept_all(struct acceptor *a)
{
	int taken = 0, n = 0, err = 0;

	for (int i = 0; i < a->n_listeners; i++) {
		for (err = 0; n < ACCEPTOR_ACCEPTS && a->n_strangers < ACCEPTOR_HELD && !err; n++)
			err = acceptor_accept(a, a->listeners[i], &taken);
		if (socket_no_room(-err))
			break;
	}
	a->full = a->n_strangers >= ACCEPTOR_HELD;
	if (a->full || socket_no_room(-err))
		acceptor_rest(a, true);
	if (!socket_no_room(-err)) {
		a->no_room = 0;
	} else if (!a->no_room) {
		log_warn("no descriptor is free for those who connect: they wait (ulimit -n)");
		a->no_room = clock_now();
	}
	return taken;
}

int acceptor_turn(struct acceptor *a)
{
	struct epoll_event ev[EVENTS];
	int n = epoll_wait(a->epoll, ev, EVENTS, 0), taken = 0;
	bool knocks = false;
	int64_t now, limit;

	for (int i = 0; i < n; i++) {
		if (ev[i].data.ptr)
			taken += acceptor_hear(a, ev[i].data.ptr);
		else
			knocks = true;
	}
	if (knocks)
		taken += acceptor_accept_all(a);
	now = clock_now();
	limit = acceptor_rests(a) ? CROWDED_NS : STRANGER_NS;
	while (a->oldest && now - a->oldest->since >= limit)
		acceptor_remove(a, a->oldest, true);
	if (acceptor_rests(a) &&
	    (now >= a->retry_at || (a->full && a->n_strangers < ACCEPTOR_HELD)))
		acceptor_rest(a, false);
	a->due = a->oldest ? a->oldest->since + limit : INT64_MAX;
	if (acceptor_rests(a) && a->retry_at < a->due)
		a->due = a->retry_at;
	return taken;
}
