// SPDX-License-Identifier: MIT
/*
 * Node identity and addresses, read from the kernel each time: an interface may
 * have come up since, and a process may have changed its namespace.
 */
#include "boot/node.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/err.h"

void node_host(char host[WIRE_HOST])
{
	char name[256];

	if (gethostname(name, sizeof(name)) < 0 || !name[0])
		strcpy(name, "unknown");
	name[sizeof(name) - 1] = '\0';
	wire_copy_text(host, WIRE_HOST, name);
}

/* First line of the kernel's boot id; where /proc is closed, the host's name must do. */
static void node_boot_id(char *buf, size_t size)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, buf, size - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (n > 0) {
		buf[n] = '\0';
		buf[strcspn(buf, "\n")] = '\0';
	} else {
		char host[WIRE_HOST];

		node_host(host);
		snprintf(buf, size, "host:%s", host);
	}
}

static void node_text(char *buf, size_t size)
{
	static const char *const spaces[] = { "/proc/self/ns/net", "/proc/self/ns/user" };
	size_t at;

	node_boot_id(buf, size);
	for (int i = 0; i < 2; i++) {
		struct stat st = { 0 };

		at = strlen(buf);
		if (stat(spaces[i], &st) == 0)
			snprintf(buf + at, size - at, " %llx:%llx", (unsigned long long)st.st_dev,
				 (unsigned long long)st.st_ino);
	}
}

uint64_t node_real(void)
{
	char text[256];

	node_text(text, sizeof(text));
	return wire_hash(0, text, strlen(text));
}

void node_identity(const char *node_id, uint8_t out[16])
{
	char text[512];

	if (node_id && node_id[0])
		snprintf(text, sizeof(text), "id %s", node_id);
	else
		node_text(text, sizeof(text));
	wire_digest(text, out);
}

/* Bridges and tunnels of a machine's own guests rarely lead to the peers. */
static int node_is_virtual(const char *name)
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
static int node_addr_of(const struct ifaddrs *ifa, const char *ifname, struct node_addr *out)
{
	const struct sockaddr *sa = ifa->ifa_addr;

	memset(out, 0, sizeof(*out));
	if (!sa || !(ifa->ifa_flags & IFF_UP))
		return 0;
	if (ifname ? strncmp(ifa->ifa_name, ifname, strlen(ifname)) != 0 :
		     (ifa->ifa_flags & IFF_LOOPBACK) != 0)
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
	out->weight = (node_is_virtual(ifa->ifa_name) ? 2 : 0) + (out->family == 6);
	return 1;
}

/* Stable: the kernel's order decides among equals. */
static void node_sort(struct node_addr *a, int n)
{
	for (int i = 1; i < n; i++) {
		struct node_addr x = a[i];
		int j = i;

		for (; j > 0 && a[j - 1].weight > x.weight; j--)
			a[j] = a[j - 1];
		a[j] = x;
	}
}

int node_addrs(const char *ifname, struct node_addr **out, int *n)
{
	struct ifaddrs *all, *ifa;
	struct node_addr *list, one;
	int count = 0;

	if (getifaddrs(&all) < 0)
		return err_set(MORI_SHMEM_EIO, "cannot list network interfaces: %s",
			       strerror(errno));
	for (ifa = all; ifa; ifa = ifa->ifa_next)
		count += node_addr_of(ifa, ifname, &one);
	list = calloc((size_t)count + 1, sizeof(*list));
	if (!list) {
		freeifaddrs(all);
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for %d addresses", count);
	}
	count = 0;
	for (ifa = all; ifa; ifa = ifa->ifa_next)
		count += node_addr_of(ifa, ifname, &list[count]);
	freeifaddrs(all);
	node_sort(list, count);
	*out = list;
	*n = count;
	return 0;
}

socklen_t node_sockaddr(const struct node_addr *a, uint16_t port, struct sockaddr_storage *out)
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

void node_addr_text(char *buf, size_t size, const struct node_addr *a, uint16_t port)
{
	char text[INET6_ADDRSTRLEN] = "?";

	inet_ntop(a->family == 4 ? AF_INET : AF_INET6, a->bytes, text, sizeof(text));
	snprintf(buf, size, a->family == 4 ? "%s:%u" : "[%s]:%u", text, port);
}
