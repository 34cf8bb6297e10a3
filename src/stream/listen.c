// SPDX-License-Identifier: MIT
/* Listeners: [::] for both families if the kernel can, else 0.0.0.0. */
#include "stream/listen.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "stream/socket.h"
#include "util/err.h"

#define PORT_TRIES 16 /* one port must be free on every address of an interface */

int listen_at(const struct ip_addr *a, uint16_t port, int only6)
{
	struct sockaddr_storage sa;
	socklen_t len = ip_sockaddr(a, port, &sa);
	int fd = socket_open(sa.ss_family, SOCK_STREAM);
	int err;

	if (fd < 0)
		return -errno;
	if (a->family == 6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only6, sizeof(only6)) < 0)
		goto close_fd;
	if (bind(fd, (struct sockaddr *)&sa, len) < 0 || listen(fd, 4096) < 0)
		goto close_fd;
	return fd;

close_fd:
	err = errno;
	socket_close(fd);
	return -err;
}

static uint16_t listen_port(int fd)
{
	struct sockaddr_storage sa = { 0 };
	socklen_t len = sizeof(sa);

	if (getsockname(fd, (struct sockaddr *)&sa, &len) < 0)
		return 0;
	return ntohs(sa.ss_family == AF_INET ? ((struct sockaddr_in *)&sa)->sin_port :
					       ((struct sockaddr_in6 *)&sa)->sin6_port);
}

static int listen_everywhere(uint16_t port, struct listener_set *l)
{
	struct ip_addr any = { .family = 6 };
	int fd = listen_at(&any, port, 0);

	if (fd < 0 && fd != -EADDRINUSE) {
		any.family = 4;
		fd = listen_at(&any, port, 0);
	}
	if (fd < 0)
		return fd;
	l->fds[l->n++] = fd;
	l->port = listen_port(fd);
	l->loopback = 1;
	return 0;
}

/*
 * The first address chooses the port, the others must get it too. An address
 * that cannot be bound at all (one that is still tentative) is not advertised.
 */
static int listen_on_addrs(uint16_t port, struct listener_set *l)
{
	int err = 0, kept = 0;

	for (int i = 0; i < l->n_addrs; i++) {
		int fd = listen_at(&l->addrs[i], port, 1);

		if (fd == -EADDRINUSE) {
			while (l->n > 0)
				socket_close(l->fds[--l->n]);
			return fd;
		}
		if (fd < 0) {
			err = fd;
			continue;
		}
		l->addrs[kept++] = l->addrs[i];
		l->fds[l->n++] = fd;
		port = listen_port(fd);
	}
	l->n_addrs = kept;
	l->port = port;
	return kept ? 0 : err;
}

static int listen_is_loopback(const struct ip_addr *a)
{
	return a->family == 4 ? a->bytes[0] == 127 :
				!memcmp(a->bytes, &in6addr_loopback, sizeof(in6addr_loopback));
}

int listen_open(const char *ifname, uint16_t port, struct listener_set *out)
{
	struct listener_set l = { 0 };
	int err;

	if (ifname && !ifname[0])
		ifname = NULL;
	err = ip_addrs(ifname, IP_LOOPBACK_NONE, &l.addrs, &l.n_addrs);
	if (err)
		return err;
	if (ifname && l.n_addrs == 0) {
		free(l.addrs);
		return err_set(MORI_SHMEM_EINVAL,
			       "MORI_SOCKET_IFNAME: no interface '%s' is up and has an address",
			       ifname);
	}
	l.fds = calloc((size_t)l.n_addrs + 1, sizeof(*l.fds));
	if (!l.fds) {
		free(l.addrs);
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a rendezvous");
	}
	err = ifname ? listen_on_addrs(port, &l) : listen_everywhere(port, &l);
	for (int i = 0; ifname && err == -EADDRINUSE && port == 0 && i < PORT_TRIES; i++)
		err = listen_on_addrs(port, &l);
	for (int i = 0; ifname && i < l.n_addrs; i++)
		l.loopback |= listen_is_loopback(&l.addrs[i]);
	if (err) {
		listen_close(&l);
		return err_set(MORI_SHMEM_EIO, "cannot listen on TCP port %u: %s", port,
			       strerror(-err));
	}
	*out = l;
	return 0;
}

void listen_close(struct listener_set *l)
{
	for (int i = 0; i < l->n; i++)
		socket_close(l->fds[i]);
	free(l->fds);
	free(l->addrs);
	memset(l, 0, sizeof(*l));
}
