// SPDX-License-Identifier: MIT
/* TCP listeners: on every address, or on those of one interface, all with one port. */
#ifndef MORI_STREAM_LISTEN_H
#define MORI_STREAM_LISTEN_H

#include "stream/ip.h"

struct listener_set {
	int *fds;
	int n;
	uint16_t port;
	int loopback;	       /* reachable at 127.0.0.1 or ::1 */
	struct ip_addr *addrs; /* to advertise */
	int n_addrs;
};

/*
 * @port 0: any free one. EINVAL if no interface is called @ifname (may be NULL),
 * EIO otherwise, even for a @port that is taken.
 */
int listen_open(const char *ifname, uint16_t port, struct listener_set *out);
void listen_close(struct listener_set *l);

/* One listener: the descriptor or -errno. @only6: leave IPv4 to another listener. */
int listen_at(const struct ip_addr *a, uint16_t port, int only6);

#endif
