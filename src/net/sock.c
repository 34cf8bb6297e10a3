// SPDX-License-Identifier: MIT
/* The link over plain TCP sockets: addresses, connections, and who is ready. */
#include "net/sock.h"
#include "util/err.h"
#include "util/log.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG	    4096
#define FEW	    4	/* sockets that are tried one by one instead of asking epoll */
#define LOOK_EVERY  128 /* steps between two looks at the listener then */
#define UNPLUG	    64	/* steps of a caller that holds it, after which epoll forgets the sockets */
#define EVENTS	    32
#define NEAR_US	    60 /* handshakes within one machine take less */
#define NEAR_BUFFER (128 << 10)

/*
 * Within one machine (loopback, network namespaces) a window that grows to megabytes
 * outruns the caches and sets off needless retransmits: half the speed. Where the
 * round trip is that short a small one is faster; elsewhere the kernel knows best.
 */
static void sock_tune(int fd)
{
	struct tcp_info info;
	socklen_t n = sizeof(info);
	int one = 1, size = NEAR_BUFFER;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	memset(&info, 0, sizeof(info));
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) || info.tcpi_rtt > NEAR_US)
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

/* Have epoll tell of what @s waits for. */
void sock_plug(struct engine *e, struct sock *s)
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
 * To tell epoll of what comes costs the kernel, with each packet, a tenth of what the packet
 * itself does. A caller that waits again and again and tries the sockets one by one has no use
 * for that.
 */
static void sock_unplug(struct engine *e, bool on)
{
	struct sock_link *l = e->state;

	if (l->unplugged == on)
		return;
	l->unplugged = on;
	for (struct sock *s = l->socks; s; s = s->next)
		sock_plug(e, s);
}

struct sock *sock_new(struct engine *e, int fd, enum sock_state state)
{
	struct sock_link *l = e->state;
	struct sock *s = malloc(sizeof(*s));

	if (!s) {
		close(fd);
		return NULL;
	}
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
	if (!s->c)
		l->n_strangers--;
	sock_watch(l, s, 0);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	s->c = s->back = NULL;
}

static void sock_disconnect(struct engine *e, struct conn *c)
{
	struct sock *s = c->link;
	struct conn *other = s->c == c ? s->back : s->c;

	c->link = NULL;
	sock_drop_out(s, c->status);
	sock_drop(e->state, s);
	if (!other)
		return;
	other->link = NULL;
	conn_end(e, other, c->status, "%s", c->text);
}

void sock_share(struct engine *e, struct conn *c)
{
	struct sock *s = e->from[c->proc]->link;

	c->link = s;
	s->back = c;
	conn_up(e, c);
}

bool sock_is_up(const struct conn *c)
{
	return c && c->state == CONN_UP;
}

void sock_opened(struct engine *e, struct sock *s)
{
	struct sock_link *l = e->state;
	struct conn *c;

	s->state = SOCK_OPEN;
	l->n_connecting--;
	sock_plug(e, s);
	sock_tune(s->fd);
	conn_up(e, s->c);
	c = s->c->serves ? e->to[s->c->proc] : NULL;
	if (c && c->state == CONN_CONNECTING && !c->link)
		sock_share(e, c); /* it has given way to this one */
}

int sock_dial(const struct engine *e, int proc)
{
	const struct place *to = &e->addresses[proc];
	const struct sockaddr *sa = (const struct sockaddr *)to->bytes;
	int fd, err;

	if (!to->len || to->len > sizeof(to->bytes))
		return -EADDRNOTAVAIL;
	fd = socket(sa->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!connect(fd, sa, to->len) || errno == EINPROGRESS)
		return fd;
	err = errno;
	close(fd);
	return -err;
}

static int sock_connect(struct engine *e, struct conn *c)
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
	if (!s)
		return -ENOMEM;
	s->c = c;
	c->link = s;
	return 0;
}

/* Whether its peer owes us something; else only its end can come, which can wait. */
static bool sock_expects(const struct conn *c)
{
	return c->serves || c->n_asks || c->posted != c->flushed || c->nbi.left;
}

static int sock_step(struct engine *e, struct sock *s)
{
	int n = 0;

	if (s->fd < 0)
		return 0;
	if (s->state != SOCK_OPEN)
		return greet_step(e, s);
	if (s->out)
		n = sock_flush(e, s);
	return s->fd < 0 ? n : n + sock_read(e, s);
}

/* Whoever epoll names; those with something to send, and those that connect, besides. */
static int sock_step_ready(struct engine *e)
{
	struct sock_link *l = e->state;
	struct epoll_event ev[EVENTS];
	int ready = epoll_wait(l->epoll, ev, EVENTS, 0), n = 0;
	bool sweeps = greet_sweeps(e);

	for (int i = 0; i < ready; i++) {
		if (ev[i].data.ptr == &l->listener)
			greet_accept(e);
		else
			n += sock_step(e, ev[i].data.ptr);
	}
	for (struct sock *s = l->socks, *next; s; s = next) {
		next = s->next;
		if (s->state != SOCK_OPEN)
			n += s->c || sweeps ? greet_step(e, s) : 0;
		else if (l->unplugged)
			n += sock_step(e, s);
		else if (s->out)
			n += sock_flush(e, s);
	}
	return n;
}

static int sock_progress(struct engine *e)
{
	struct sock_link *l = e->state;
	int n = 0;

	greet_hear(e);
	if (l->held && l->n_socks <= FEW && ++l->steps == UNPLUG)
		sock_unplug(e, true);
	if (l->n_socks > FEW || l->n_connecting || ++l->ticks % LOOK_EVERY == 0 ||
	    __atomic_exchange_n(&l->look, 0, __ATOMIC_RELAXED)) {
		n = sock_step_ready(e);
	} else {
		for (struct sock *s = l->socks, *next; s; s = next) {
			next = s->next;
			if (!s->c || s->out || s->back || sock_expects(s->c))
				n += sock_step(e, s);
		}
	}
	while (l->dead) {
		struct sock *s = l->dead;

		l->dead = s->next;
		free(s);
	}
	return n;
}

/* Before the thread sleeps: have epoll tell of those that wait to send, and no others. */
static bool sock_may_sleep(struct engine *e)
{
	struct sock_link *l = e->state;

	for (struct sock *s = l->socks; s; s = s->next)
		sock_plug(e, s);
	return true;
}

static bool sock_sleep(struct engine *e, int64_t timeout_ns)
{
	struct sock_link *l = e->state;
	bool soon = __atomic_load_n(&l->deaf, __ATOMIC_RELAXED) ||
		    __atomic_load_n(&l->n_waiting, __ATOMIC_RELAXED);
	int64_t ns = soon && timeout_ns > SOCK_DEAF_NS ? SOCK_DEAF_NS : timeout_ns;
	struct timespec until = { ns / 1000000000, ns % 1000000000 };
	struct pollfd fd = { .fd = l->sleep, .events = POLLIN };
	uint64_t count;
	int n = ppoll(&fd, 1, &until, NULL);

	if (n > 0 && read(l->wake, &count, sizeof(count)) > 0)
		n = 0;
	__atomic_store_n(&l->look, 1, __ATOMIC_RELAXED);
	return n > 0;
}

static void sock_hold(struct engine *e, bool on)
{
	struct sock_link *l = e->state;
	struct epoll_event ev = { .events = on ? 0 : EPOLLIN, .data.fd = l->epoll };

	l->held = on;
	l->steps = 0;
	if (!on)
		sock_unplug(e, false);
	epoll_ctl(l->sleep, EPOLL_CTL_MOD, l->epoll, &ev);
}

static void sock_wake(struct engine *e)
{
	struct sock_link *l = e->state;
	uint64_t one = 1;

	if (write(l->wake, &one, sizeof(one)) < 0)
		log_debug("network: the thread ends at its next look");
}

/* How well an address suits, the best highest; < 0: not at all. */
static int place_suits(const struct engine *e, const struct ifaddrs *i)
{
	const char *want = e->config.ifname;
	bool lo = i->ifa_flags & IFF_LOOPBACK, v4;

	if (!i->ifa_addr || !(i->ifa_flags & IFF_UP))
		return -1;
	v4 = i->ifa_addr->sa_family == AF_INET;
	if (!v4 && i->ifa_addr->sa_family != AF_INET6)
		return -1;
	if (!v4 && IN6_IS_ADDR_LINKLOCAL(&((struct sockaddr_in6 *)i->ifa_addr)->sin6_addr))
		return -1; /* names no machine without its interface */
	if (want)
		return strncmp(i->ifa_name, want, strlen(want)) ? -1 : v4;
	return v4 + (lo == !!e->config.loopback ? 2 : 0);
}

static int sock_place(struct engine *e, struct place *at)
{
	struct ifaddrs *list, *best = NULL;
	socklen_t len;

	if (getifaddrs(&list))
		return err_set(MORI_SHMEM_EIO, "getifaddrs: %s", strerror(errno));
	for (struct ifaddrs *i = list; i; i = i->ifa_next) {
		if (place_suits(e, i) > (best ? place_suits(e, best) : -1))
			best = i;
	}
	if (!best) {
		freeifaddrs(list);
		return err_set(MORI_SHMEM_EREACH,
			       "no interface%s%s that is up has an address (MORI_SOCKET_IFNAME)",
			       e->config.ifname ? " " : "",
			       e->config.ifname ? e->config.ifname : "");
	}
	len = best->ifa_addr->sa_family == AF_INET ? sizeof(struct sockaddr_in) :
						     sizeof(struct sockaddr_in6);
	memcpy(at->bytes, best->ifa_addr, len);
	at->len = len;
	freeifaddrs(list);
	return 0;
}

static int sock_listen(struct engine *e, struct sock_link *l)
{
	struct place *at = &e->address;
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = &l->listener };
	socklen_t len = sizeof(at->bytes);
	int err = sock_place(e, at);

	if (err)
		return err;
	l->listener = socket(((struct sockaddr *)at->bytes)->sa_family,
			     SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (l->listener < 0 || bind(l->listener, (struct sockaddr *)at->bytes, at->len) ||
	    listen(l->listener, BACKLOG) ||
	    getsockname(l->listener, (struct sockaddr *)at->bytes, &len))
		return err_set(MORI_SHMEM_EIO, "the network's socket: %s", strerror(errno));
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	l->sleep = epoll_create1(EPOLL_CLOEXEC);
	l->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->epoll < 0 || l->sleep < 0 || l->wake < 0 ||
	    epoll_ctl(l->epoll, EPOLL_CTL_ADD, l->listener, &ev))
		return err_set(MORI_SHMEM_EIO, "epoll: %s", strerror(errno));
	for (int i = 0; i < 2; i++) {
		ev.data.fd = i ? l->wake : l->epoll;
		if (epoll_ctl(l->sleep, EPOLL_CTL_ADD, ev.data.fd, &ev))
			return err_set(MORI_SHMEM_EIO, "epoll: %s", strerror(errno));
	}
	return 0;
}

static int sock_open(struct engine *e)
{
	struct sock_link *l = calloc(1, sizeof(*l));

	if (!l)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for the network");
	l->listener = l->epoll = l->sleep = l->wake = -1;
	e->state = l;
	e->ordered = true;
	return sock_listen(e, l);
}

static void sock_close(struct engine *e)
{
	struct sock_link *l = e->state;

	if (!l)
		return;
	while (l->socks) /* strangers: the others went with their connections */
		sock_drop(l, l->socks);
	while (l->dead) {
		struct sock *s = l->dead;

		l->dead = s->next;
		free(s);
	}
	if (l->listener >= 0)
		close(l->listener);
	if (l->epoll >= 0)
		close(l->epoll);
	if (l->sleep >= 0)
		close(l->sleep);
	if (l->wake >= 0)
		close(l->wake);
	free(l);
}

static const char *sock_provider(const struct engine *e)
{
	(void)e;
	return "socket";
}

static void sock_region_new(struct engine *e, struct region *r)
{
	(void)e;
	(void)r;
}

static void sock_regions_gone(struct engine *e, struct region *r)
{
	struct sock_link *l = e->state;

	for (struct sock *s = l->socks, *next; s; s = next) {
		next = s->next;
		sock_region_gone(e, s, r);
	}
}

const struct link_ops link_sock = {
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
	.hold = sock_hold,
	.region_new = sock_region_new,
	.region_gone = sock_regions_gone,
};
