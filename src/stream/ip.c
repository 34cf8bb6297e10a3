// SPDX-License-Identifier: MIT
/*
 * Read from the kernel each time: an interface may have come up since, and the process may have
 * changed its namespace.
 */
#include "stream/ip.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

/* Bridges and tunnels of a machine's own guests rarely lead to the peers. */
static int ip_is_virtual(const char *name)
{
	static const char *const prefix[] = { "docker", "br-", "veth", "virbr",	 "cni", "flannel",
					      "lxc",	"tun", "tap",  "podman", "kube" };

	for (size_t i = 0; i < sizeof(prefix) / sizeof(*prefix); i++) {
		if (!strncmp(name, prefix[i], strlen(prefix[i])))
			return 1;
	}
	return 0;
}

/* 1 and *out if others may use it. */
static int ip_addr_of(const struct ifaddrs *ifa, const char *ifname, enum ip_loopback loopback,
		      struct ip_addr *out)
{
	const struct sockaddr *sa = ifa->ifa_addr;
	int is_loopback = (ifa->ifa_flags & IFF_LOOPBACK) != 0;

	memset(out, 0, sizeof(*out));
	if (!sa || !(ifa->ifa_flags & IFF_UP))
		return 0;
	if (ifname ? strncmp(ifa->ifa_name, ifname, strlen(ifname)) != 0 :
		     is_loopback && loopback == IP_LOOPBACK_NONE)
		return 0;
	if (sa->sa_family == AF_INET) {
		const struct in_addr *a = &((const struct sockaddr_in *)(const void *)sa)->sin_addr;

		if ((ntohl(a->s_addr) >> 16) == 0xa9fe) /* 169.254.0.0/16, link-local */
			return 0;
		out->family = 4;
		memcpy(out->bytes, a, 4);
	} else if (sa->sa_family == AF_INET6) {
		const struct in6_addr *a =
			&((const struct sockaddr_in6 *)(const void *)sa)->sin6_addr;

		if (IN6_IS_ADDR_LINKLOCAL(a))
			return 0;
		out->family = 6;
		memcpy(out->bytes, a, 16);
	} else {
		return 0;
	}
	out->weight = (is_loopback != (loopback == IP_LOOPBACK_FIRST) ? 4 : 0) +
		      (ip_is_virtual(ifa->ifa_name) ? 2 : 0) + (out->family == 6);
	return 1;
}

/* Stable: the kernel's order decides among equals. */
static void ip_sort(struct ip_addr *a, int n)
{
	for (int i = 1; i < n; i++) {
		struct ip_addr x = a[i];
		int j = i;

		for (; j > 0 && a[j - 1].weight > x.weight; j--)
			a[j] = a[j - 1];
		a[j] = x;
	}
}

int ip_addrs(const char *ifname, enum ip_loopback loopback, struct ip_addr **out, int *n)
{
	struct ifaddrs *all, *ifa;
	struct ip_addr *list;
	int count = 0;

	if (getifaddrs(&all) < 0)
		return err_set(MORI_SHMEM_EIO, "cannot list network interfaces: %s",
			       strerror(errno));
	for (ifa = all; ifa; ifa = ifa->ifa_next)
		count++;
	list = calloc((size_t)count + 1, sizeof(*list));
	if (!list) {
		freeifaddrs(all);
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for %d addresses", count);
	}
	count = 0;
	for (ifa = all; ifa; ifa = ifa->ifa_next)
		count += ip_addr_of(ifa, ifname, loopback, &list[count]);
	freeifaddrs(all);
	ip_sort(list, count);
	*out = list;
	*n = count;
	return 0;
}

socklen_t ip_sockaddr(const struct ip_addr *a, uint16_t port, struct sockaddr_storage *out)
{
	memset(out, 0, sizeof(*out));
	if (a->family == 4) {
		struct sockaddr_in *in = (struct sockaddr_in *)out;

		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		memcpy(&in->sin_addr, a->bytes, 4);
		return sizeof(*in);
	} else {
		struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)out;

		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		memcpy(&in6->sin6_addr, a->bytes, 16);
		return sizeof(*in6);
	}
}

void ip_text(char *buf, size_t size, const struct ip_addr *a, uint16_t port)
{
	char text[INET6_ADDRSTRLEN] = "?";

	inet_ntop(a->family == 4 ? AF_INET : AF_INET6, a->bytes, text, sizeof(text));
	snprintf(buf, size, a->family == 4 ? "%s:%u" : "[%s]:%u", text, port);
}
