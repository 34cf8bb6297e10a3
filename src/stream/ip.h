// SPDX-License-Identifier: MIT
/* Addresses of this machine's interfaces. */
#ifndef MORI_STREAM_IP_H
#define MORI_STREAM_IP_H

#include <stdint.h>
#include <sys/socket.h>

struct ip_addr {
	uint8_t family; /* 4 or 6 */
	uint8_t bytes[16];
	int weight; /* lower is better */
};

enum ip_loopback { IP_LOOPBACK_NONE, IP_LOOPBACK_LAST, IP_LOOPBACK_FIRST };

/*
 * Addresses that others may use, best first, in *out (free it). Without @ifname: of all
 * interfaces that are up, loopback as @loopback says. With it: of the interfaces whose name
 * begins with it, even lo.
 */
int ip_addrs(const char *ifname, enum ip_loopback loopback, struct ip_addr **out, int *n);

socklen_t ip_sockaddr(const struct ip_addr *a, uint16_t port, struct sockaddr_storage *out);
/* "192.0.2.1:4000", "[fd00::1]:4000" */
void ip_text(char *buf, size_t size, const struct ip_addr *a, uint16_t port);

#endif
