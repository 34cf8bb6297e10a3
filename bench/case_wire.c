// SPDX-License-Identifier: MIT
/*
 * What the network itself can do: plain sockets between PE 0 and PE 1, as the limit
 * for operations that load and store cannot do. A thread of PE 1 serves them while
 * PE 1 waits in the library. Two sockets: one for small messages, whose ends spin, and
 * one for bulk data with buffers of 128 KiB, which is the fastest within one machine.
 */
#include "bench.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SMALL, BULK, SOCKETS };
enum { BULK_FROM = 32 << 10, BULK_BUFFER = 128 << 10, WIRE_BATCH_NS = 1000000 };

struct wire {
	int fd[SOCKETS];
	pthread_t server[SOCKETS];
};

/* A request of PE 0: @n times @out bytes there and @back bytes back. */
struct turn {
	uint64_t n, out, back;
};

static void tune(int fd, int which)
{
	int one = 1, size = BULK_BUFFER;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (which != BULK)
		return;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

/* All @len bytes, over and over into (or out of) @room bytes at @buf. */
static int move(int fd, int which, int out, unsigned char *buf, size_t room, size_t len)
{
	int flags = which == SMALL ? MSG_DONTWAIT : 0;

	for (size_t done = 0; done < len;) {
		size_t at = done % room, part = room - at < len - done ? room - at : len - done;
		ssize_t n = out ? send(fd, buf + at, part, flags | MSG_NOSIGNAL) :
				  recv(fd, buf + at, part, flags);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || (errno != EAGAIN && errno != EINTR))
			return -1;
	}
	return 0;
}

static int rounds(struct bench *b, int fd, int which, const struct turn *t)
{
	unsigned char few[64] = { 0 };
	size_t room = b->len ? b->len : 8, most = sizeof(few);
	int err = 0;

	for (uint64_t i = 0; i < t->n && !err; i++) {
		int first = b->me == 0;

		err = move(fd, which, first, t->out > most ? first ? b->src : b->dst : few,
			   t->out > most ? room : most, t->out);
		if (!err)
			err = move(fd, which, !first,
				   t->back > most ? first ? b->dst : b->src : few,
				   t->back > most ? room : most, t->back);
	}
	return err;
}

struct served {
	struct bench *b;
	int fd, which;
};

/* PE 1: sleeps until PE 0 sends a request, ends with its socket. */
static void *serve(void *arg)
{
	struct served s = *(struct served *)arg;
	struct turn t;

	free(arg);
	while (recv(s.fd, &t, sizeof(t), MSG_WAITALL) == sizeof(t)) {
		if (rounds(s.b, s.fd, s.which, &t))
			break;
	}
	close(s.fd);
	return NULL;
}

/* The first address of this node that other nodes can reach. */
static uint32_t my_address(void)
{
	struct ifaddrs *list = NULL;
	uint32_t found = htonl(INADDR_LOOPBACK);

	if (getifaddrs(&list))
		return found;
	for (struct ifaddrs *i = list; i; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET ||
		    (i->ifa_flags & IFF_LOOPBACK) || !(i->ifa_flags & IFF_UP))
			continue;
		found = ((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr.s_addr;
		break;
	}
	freeifaddrs(list);
	return found;
}

/* PE 1 has published on the board where it listens: address and port. */
static int dial(struct wire *w, int which, uint64_t place)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = (uint16_t)(place >> 32) };

	at.sin_addr.s_addr = (uint32_t)place;
	w->fd[which] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (w->fd[which] < 0)
		return -1;
	tune(w->fd[which], which);
	return connect(w->fd[which], (struct sockaddr *)&at, sizeof(at));
}

static int listen_at(int which, uint64_t *place)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	at.sin_addr.s_addr = my_address();
	tune(fd, which);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 1) ||
	    getsockname(fd, (struct sockaddr *)&at, &len))
		return -1;
	*place = (uint64_t)at.sin_port << 32 | at.sin_addr.s_addr;
	return fd;
}

static int answer(struct bench *b, struct wire *w, int which, int listener)
{
	int fd = listener < 0 ? -1 : accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct served *s = fd < 0 ? NULL : malloc(sizeof(*s));

	if (!s)
		return -1;
	tune(fd, which);
	*s = (struct served){ b, fd, which };
	if (!pthread_create(&w->server[which], NULL, serve, s))
		return 0;
	free(s);
	return -1;
}

static int wire_open(struct bench *b)
{
	struct wire *w = calloc(1, sizeof(*w));
	int err = w ? 0 : -1;

	for (int which = 0; which < SOCKETS && !err; which++) {
		uint64_t place = 0;
		int listener = b->me == 1 ? listen_at(which, &place) : -1;

		if (b->me == 1)
			err = api_p(&b->board->flag, place, 0) | api_quiet();
		err |= api_barrier();
		if (!err && b->me == 0)
			err = dial(w, which, api_g(&b->board->flag, 0));
		if (!err && b->me == 1)
			err = answer(b, w, which, listener);
		if (listener >= 0)
			close(listener);
		err |= api_barrier();
	}
	if (err)
		fprintf(stderr, "mori-bench: no plain socket to PE 1\n");
	b->batch_ns = WIRE_BATCH_NS; /* turns long enough for either to reach its full speed */
	b->wire = w;
	return err;
}

int bench_wire(struct bench *b, size_t n, size_t out, size_t back)
{
	int which = out + back < BULK_FROM ? SMALL : BULK;
	struct turn t = { n, out, back };

	if (b->me)
		return 0; /* its thread does it */
	if (send(b->wire->fd[which], &t, sizeof(t), MSG_NOSIGNAL) != sizeof(t))
		return -1;
	return rounds(b, b->wire->fd[which], which, &t);
}

int bench_limit(struct bench *b, bench_fn memory, bench_fn wire, bench_fn *out)
{
	int over_net = bench_over_net(b);

	*out = !over_net ? memory : API_IS_PEER ? NULL : wire;
	return over_net && !API_IS_PEER && !b->wire ? wire_open(b) : 0;
}

int bench_limit_end(struct bench *b)
{
	for (int which = 0; b->last && b->wire && which < SOCKETS; which++) {
		if (b->me == 0)
			close(b->wire->fd[which]);
		else if (b->me == 1)
			pthread_join(b->wire->server[which], NULL);
	}
	if (b->last) {
		free(b->wire);
		b->wire = NULL;
	}
	return bench_close_buffers(b);
}
