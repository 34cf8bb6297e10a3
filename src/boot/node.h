// SPDX-License-Identifier: MIT
/*
 * Where this process is: which node, which addresses.
 *
 * A node is what shares a running kernel and lets one process reach another's
 * abstract unix socket: the boot id, the network namespace (abstract names live
 * in it, and so does loopback) and the user namespace (the owner of a peer's
 * socket is only known inside one). Memory travels as descriptors through that
 * socket, so the IPC, PID and mount namespaces do not matter. Host names are for
 * people only: they may be equal on two machines.
 */
#ifndef MORI_BOOT_NODE_H
#define MORI_BOOT_NODE_H

#include <stdint.h>
#include <sys/socket.h>

#include "boot/wire.h"

struct node_addr {
	uint8_t family; /* 4 or 6 */
	uint8_t bytes[16];
	int weight; /* lower is better */
};

/* The identity that loopback follows, whatever MORI_NODE_ID says. */
uint64_t node_real(void);
/* What the PEs of a node have in common; @node_id may be NULL. */
void node_identity(const char *node_id, uint8_t out[16]);
void node_host(char host[WIRE_HOST]);

/*
 * Addresses others may use, best first, in *out (free it). Without @ifname: all
 * interfaces that are up but loopback. With it: those whose name begins so, also lo.
 */
int node_addrs(const char *ifname, struct node_addr **out, int *n);

socklen_t node_sockaddr(const struct node_addr *a, uint16_t port, struct sockaddr_storage *out);
/* "192.0.2.1:4000", "[fd00::1]:4000" */
void node_addr_text(char *buf, size_t size, const struct node_addr *a, uint16_t port);

#endif
