// SPDX-License-Identifier: MIT
/* The link over plain TCP sockets: addresses, connections, and which sockets are ready. */
#include "net/sock.h"
#include "stream/listen.h"
#include "stream/socket.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define FEW		    4	/* sockets that are polled one by one instead of through epoll */
#define LOOK_EVERY	    128 /* steps between two checks of the acceptor then */
#define UNPLUG		    64 /* steps of a polling caller after which epoll stops watching sockets */
#define EVENTS		    32
#define SAME_MACHINE_US	    60 /* handshakes within one machine take less */
#define SAME_MACHINE_BUFFER (128 << 10)

/*
 * Within one machine (loopback, network namespaces) a window that grows to megabytes overflows
 * the caches and causes needless retransmits, which halve the speed. A small window is faster if
 * the round trip is that short; otherwise the kernel chooses.
 */
static void sock_tune(int fd)
{
	struct tcp_info info;
	socklen_t n = sizeof(info);
	int one = 1, size = SAME_MACHINE_BUFFER;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	memset(&info, 0, sizeof(info));
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) || info.tcpi_rtt > SAME_MACHINE_US)
		return;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

static void sock_watch(struct sock_link *l, struct sock *s, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = s };

	if (s->events == events)
		return;
	epoll_ctl(l->epoll,
		  !events   ? EPOLL_CTL_DEL :
		  s->events ? EPOLL_CTL_MOD :
			      EPOLL_CTL_ADD,
		  s->fd, &ev);
	s->events = events;
}

/* Makes epoll report what @s waits for. */
void sock_plug(struct net *e, struct sock *s)
{
	struct sock_link *l = e->state;

	if (s->state == SOCK_CONNECTING)
		sock_watch(l, s, EPOLLOUT);
	else if (s->state == SOCK_WAITING || (s->state == SOCK_OPEN && l->unplugged))
		sock_watch(l, s, 0);
	else
		sock_watch(l, s, s->out ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

/*
 * Reporting a packet to epoll costs the kernel a tenth of what the packet itself costs. A caller
 * that polls the sockets one by one, wait after wait, does not need the report.
 */
static void sock_unplug(struct net *e, bool on)
{
	struct sock_link *l = e->state;

	if (l->unplugged == on)
		return;
	l->unplugged = on;
	for (struct sock *s = l->socks; s; s = s->next)
		sock_plug(e, s);
}

struct sock *sock_new(struct net *e, int fd, enum sock_state state)
{
	struct sock_link *l = e->state;
	struct sock *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	memset(s, 0, offsetof(struct sock, buf));
	s->fd = fd;
	s->state = state;
	s->out_end = &s->out;
	s->next = l->socks;
	l->socks = s;
	l->n_socks++;
	l->n_connecting++;
	sock_plug(e, s);
	return s;
}

void sock_drop(struct sock_link *l, struct sock *s)
{
	struct sock **at = &l->socks;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	s->next = l->dead;
	l->dead = s;
	l->n_socks--;
	if (s->state != SOCK_OPEN)
		l->n_connecting--;
	if (s->state == SOCK_WAITING)
		__atomic_sub_fetch(&l->n_waiting, 1, __ATOMIC_RELAXED);
	sock_watch(l, s, 0);
	socket_close(s->fd);
	s->fd = -1;
	s->c = s->back = NULL;
}

static void sock_disconnect(struct net *e, struct net_conn *c)
{
	struct sock *s = c->link;
	struct net_conn *other = s->c == c ? s->back : s->c;

	c->link = NULL;
	sock_drop_out(s, c->status);
	sock_drop(e->state, s);
	if (!other)
		return;
	other->link = NULL;
	net_conn_end(e, other, c->status, "%s", c->text);
}

void sock_share(struct net *e, struct net_conn *c)
{
	struct sock *s = e->from[c->proc]->link;

	c->link = s;
	s->back = c;
	net_conn_up(e, c);
}

bool sock_is_up(const struct net_conn *c)
{
	return c && c->state == CONN_UP;
}

void sock_opened(struct net *e, struct sock *s)
{
	struct sock_link *l = e->state;
	struct net_conn *c;

	s->state = SOCK_OPEN;
	l->n_connecting--;
	sock_plug(e, s);
	sock_tune(s->fd);
	net_conn_up(e, s->c);
	c = s->c->serves ? e->to[s->c->proc] : NULL;
	if (c && c->state == CONN_CONNECTING && !c->link)
		sock_share(e, c); /* that connection has given way to this one */
}

int sock_dial(const struct net *e, int proc)
{
	const struct net_addr *to = &e->addresses[proc];
	const struct sockaddr *sa = (const struct sockaddr *)to->bytes;
	int fd;

	if (!to->len || to->len > sizeof(to->bytes))
		return -EADDRNOTAVAIL;
	fd = socket_dial(sa, to->len);
	return fd < 0 ? -errno : fd;
}

static int sock_connect(struct net *e, struct net_conn *c)
{
	struct sock *s;
	int fd;

	if (sock_is_up(e->from[c->proc])) {
		sock_share(e, c);
		return 0;
	}
	fd = sock_dial(e, c->proc);
	if (fd < 0)
		return fd;
	s = sock_new(e, fd, SOCK_CONNECTING);
	if (!s) {
		socket_close(fd);
		return -ENOMEM;
	}
	s->c = c;
	c->link = s;
	return 0;
}

static void sock_free_dead(struct sock_link *l)
{
	while (l->dead) {
		struct sock *s = l->dead;

		l->dead = s->next;
		free(s);
	}
}

/* Whether the peer owes us something; else only the end can come, which can wait. */
static bool sock_expects(const struct net_conn *c)
{
	return c->serves || c->n_pending || c->posted != c->flushed || c->nbi.left;
}

static int sock_step(struct net *e, struct sock *s)
{
	int n = 0;

	if (s->fd < 0)
		return 0;
	if (s->state != SOCK_OPEN)
		return sock_step_greeting(e, s);
	if (s->out)
		n = sock_flush(e, s);
	return s->fd < 0 ? n : n + sock_read(e, s);
}

/* The sockets that epoll reports; also those with something to send, and those that connect. */
static int sock_step_ready(struct net *e)
{
	struct sock_link *l = e->state;
	struct epoll_event ev[EVENTS];
	int ready = epoll_wait(l->epoll, ev, EVENTS, 0), n = 0;

	for (int i = 0; i < ready; i++) {
		if (ev[i].data.ptr == &l->acceptor)
			n += acceptor_turn(&l->acceptor);
		else
			n += sock_step(e, ev[i].data.ptr);
	}
	for (struct sock *s = l->socks, *next; s; s = next) {
		next = s->next;
		if (s->state != SOCK_OPEN)
			n += sock_step_greeting(e, s);
		else if (l->unplugged)
			n += sock_step(e, s);
		else if (s->out)
			n += sock_flush(e, s);
	}
	return n;
}

static int sock_progress(struct net *e)
{
	struct sock_link *l = e->state;
	int n = 0;

	if (l->acceptor.due != INT64_MAX && clock_now() >= l->acceptor.due)
		n += acceptor_turn(&l->acceptor);
	if (l->muted && l->n_socks <= FEW && ++l->steps == UNPLUG)
		sock_unplug(e, true);
	if (l->n_socks > FEW || l->n_connecting || l->acceptor.n_strangers ||
	    ++l->ticks % LOOK_EVERY == 0 || __atomic_exchange_n(&l->woken, 0, __ATOMIC_RELAXED)) {
		n += sock_step_ready(e);
	} else {
		for (struct sock *s = l->socks, *next; s; s = next) {
			next = s->next;
			if (s->out || s->back || sock_expects(s->c))
				n += sock_step(e, s);
		}
	}
	sock_free_dead(l);
	return n;
}

/* Before the thread sleeps: makes epoll report the sockets that wait to send, and no others. */
static bool sock_may_sleep(struct net *e)
{
	struct sock_link *l = e->state;

	for (struct sock *s = l->socks; s; s = s->next)
		sock_plug(e, s);
	return true;
}

static bool sock_sleep(struct net *e, int64_t timeout_ns)
{
	struct sock_link *l = e->state;
	bool soon =
		acceptor_rests(&l->acceptor) || __atomic_load_n(&l->n_waiting, __ATOMIC_RELAXED);
	struct timespec until = clock_timespec(
		soon && timeout_ns > ACCEPTOR_RETRY_NS ? ACCEPTOR_RETRY_NS : timeout_ns);
	struct pollfd fd = { .fd = l->sleep, .events = POLLIN };
	uint64_t count;
	int n = ppoll(&fd, 1, &until, NULL);

	if (fd.revents & POLLNVAL) { /* the program has closed it */
		clock_sleep(CLOCK_NS_PER_S / 100);
		n = 0;
	}
	if (n > 0 && read(l->wake, &count, sizeof(count)) > 0)
		n = 0;
	__atomic_store_n(&l->woken, 1, __ATOMIC_RELAXED);
	return n > 0;
}

static void sock_mute(struct net *e, bool on)
{
	struct sock_link *l = e->state;
	struct epoll_event ev = { .events = on ? 0 : EPOLLIN, .data.fd = l->epoll };

	l->muted = on;
	l->steps = 0;
	if (!on)
		sock_unplug(e, false);
	epoll_ctl(l->sleep, EPOLL_CTL_MOD, l->epoll, &ev);
}

static void sock_wake(struct net *e)
{
	struct sock_link *l = e->state;
	uint64_t one = 1;

	if (write(l->wake, &one, sizeof(one)) < 0)
		log_debug("network: the thread ends at its next poll");
}

/* On the best address; e->address is then what peers connect to. */
static int sock_listen(struct net *e, struct sock_link *l)
{
	enum ip_loopback loopback = e->config.loopback ? IP_LOOPBACK_FIRST : IP_LOOPBACK_LAST;
	struct net_addr *at = &e->address;
	socklen_t len = sizeof(at->bytes);
	struct ip_addr *list;
	int n, fd = -EADDRNOTAVAIL, err = ip_addrs(e->config.ifname, loopback, &list, &n);

	if (err)
		return err;
	for (int i = 0; i < n && fd < 0; i++)
		fd = listen_at(&list[i], 0, 1);
	free(list);
	if (!n)
		return err_set(MORI_SHMEM_EREACH,
			       "no interface%s%s that is up has an address (MORI_SOCKET_IFNAME)",
			       e->config.ifname ? " " : "",
			       e->config.ifname ? e->config.ifname : "");
	if (fd >= 0 && getsockname(fd, (struct sockaddr *)at->bytes, &len))
		err = -errno;
	at->len = len;
	if (!err)
		err = fd < 0 ? fd : acceptor_open(&l->acceptor, sock_hear, e);
	if (!err)
		err = acceptor_add(&l->acceptor, fd);
	else
		socket_close(fd);
	return err ? err_set(MORI_SHMEM_EIO, "the network's socket: %s", strerror(-err)) : 0;
}

static int sock_epoll(struct sock_link *l)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = &l->acceptor };
	int err;

	l->epoll = socket_adopt(epoll_create1(EPOLL_CLOEXEC));
	l->sleep = socket_adopt(epoll_create1(EPOLL_CLOEXEC));
	l->wake = socket_adopt(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	err = l->epoll < 0 || l->sleep < 0 || l->wake < 0 ||
	      epoll_ctl(l->epoll, EPOLL_CTL_ADD, l->acceptor.epoll, &ev);
	for (int i = 0; i < 2 && !err; i++) {
		ev.data.fd = i ? l->wake : l->epoll;
		err = epoll_ctl(l->sleep, EPOLL_CTL_ADD, ev.data.fd, &ev);
	}
	return err ? err_set(MORI_SHMEM_EIO, "epoll: %s", strerror(errno)) : 0;
}

static int sock_open(struct net *e)
{
	struct sock_link *l = calloc(1, sizeof(*l));
	int err;

	if (!l)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for the network");
	l->acceptor = ACCEPTOR_CLOSED;
	l->epoll = l->sleep = l->wake = -1;
	e->state = l;
	e->ordered = true;
	err = sock_listen(e, l);
	return err ? err : sock_epoll(l);
}

static void sock_close(struct net *e)
{
	struct sock_link *l = e->state;

	if (!l)
		return;
	sock_free_dead(l);
	acceptor_close(&l->acceptor);
	socket_close(l->epoll);
	socket_close(l->sleep);
	socket_close(l->wake);
	free(l);
}

static const char *sock_provider(const struct net *e)
{
	(void)e;
	return "socket";
}

static void sock_region_new(struct net *e, struct net_region *r)
{
	(void)e;
	(void)r;
}

static void sock_regions_gone(struct net *e, struct net_region *r)
{
	struct sock_link *l = e->state;

	for (struct sock *s = l->socks, *next; s; s = next) {
		next = s->next;
		sock_region_gone(e, s, r);
	}
}

const struct net_link net_link_sock = {
	.name = "socket",
	.data_max = SIZE_MAX,
	.open = sock_open,
	.close = sock_close,
	.provider = sock_provider,
	.connect = sock_connect,
	.disconnect = sock_disconnect,
	.send = sock_send,
	.progress = sock_progress,
	.may_sleep = sock_may_sleep,
	.sleep = sock_sleep,
	.wake = sock_wake,
	.mute = sock_mute,
	.region_new = sock_region_new,
	.region_gone = sock_regions_gone,
};
