// SPDX-License-Identifier: MIT
/* TCP listeners: on every address, or on those of one interface, all with one port. */
#ifndef MORI_BOOT_LISTEN_H
#define MORI_BOOT_LISTEN_H

#include "boot/node.h"

struct listeners {
	int *fds;
	int n;
	uint16_t port;
	int loopback;		 /* reachable at 127.0.0.1 or ::1 */
	struct node_addr *addrs; /* to advertise */
	int n_addrs;
};

/*
 * @port 0: any free one. EINVAL if no interface is called @ifname (may be NULL),
 * EIO otherwise; with a @port that is taken, EIO too.
 */
int listen_open(const char *ifname, uint16_t port, struct listeners *out);
void listen_close(struct listeners *l);

#endif
