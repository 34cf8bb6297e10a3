// SPDX-License-Identifier: MIT
/*
 * Where a process listens, as anybody on the machine can find out: TCP ports and
 * abstract unix sockets, through /proc.
 */
#ifndef MORI_TESTS_PORTS_H
#define MORI_TESTS_PORTS_H

#include "test.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#define PORTS_MAX 16

struct ports {
	struct {
		int family; /* AF_INET, AF_INET6 or AF_UNIX */
		int port;
		char name[108]; /* unix: without the zero byte */
	} at[PORTS_MAX];
	int n;
};

static inline int ports_owns(int pid, unsigned long inode)
{
	char path[64], want[64], link[600], target[64];
	struct dirent *e;
	int found = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	snprintf(want, sizeof(want), "socket:[%lu]", inode);
	dir = opendir(path);
	while (dir && !found && (e = readdir(dir))) {
		ssize_t len;

		snprintf(link, sizeof(link), "%s/%s", path, e->d_name);
		len = readlink(link, target, sizeof(target) - 1);
		target[len > 0 ? len : 0] = '\0';
		found = !strcmp(target, want);
	}
	if (dir)
		closedir(dir);
	return found;
}

static inline void ports_tcp(int pid, const char *file, int family, struct ports *out)
{
	FILE *f = fopen(file, "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		unsigned port, state;
		unsigned long inode;

		if (sscanf(line,
			   " %*d: %*[0-9A-F]:%x %*[0-9A-F]:%*x %x %*x:%*x %*x:%*x %*x %*d %*d %lu",
			   &port, &state, &inode) != 3)
			continue;
		if (state != 0x0a || out->n == PORTS_MAX || !ports_owns(pid, inode))
			continue;
		out->at[out->n].family = family;
		out->at[out->n++].port = (int)port;
	}
	if (f)
		fclose(f);
}

static inline void ports_unix(int pid, struct ports *out)
{
	FILE *f = fopen("/proc/net/unix", "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		unsigned flags;
		unsigned long inode;
		char name[108] = "";

		/* 10000: it accepts connections. */
		if (sscanf(line, "%*x: %*x %*x %x %*x %*x %lu @%107s", &flags, &inode, name) != 3)
			continue;
		if (!(flags & 0x10000) || out->n == PORTS_MAX || !ports_owns(pid, inode))
			continue;
		out->at[out->n].family = AF_UNIX;
		strcpy(out->at[out->n++].name, name);
	}
	if (f)
		fclose(f);
}

static inline void ports_of(int pid, struct ports *out)
{
	memset(out, 0, sizeof(*out));
	ports_tcp(pid, "/proc/net/tcp", AF_INET, out);
	ports_tcp(pid, "/proc/net/tcp6", AF_INET6, out);
	ports_unix(pid, out);
}

/* A connection to the @i-th of them; -1 with errno. */
static inline int ports_connect(const struct ports *p, int i)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_addr = in6addr_loopback };
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	const void *to = &v4;
	socklen_t len = sizeof(v4);
	int type = SOCK_STREAM, fd;

	v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	v4.sin_port = v6.sin6_port = htons((uint16_t)p->at[i].port);
	if (p->at[i].family == AF_INET6) {
		to = &v6;
		len = sizeof(v6);
	} else if (p->at[i].family == AF_UNIX) {
		size_t n = strlen(p->at[i].name);

		memcpy(un.sun_path + 1, p->at[i].name, n);
		to = &un;
		len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
		type = SOCK_SEQPACKET;
	}
	fd = socket(p->at[i].family, type | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, to, len)) {
		int err = errno;

		close(fd);
		errno = err;
		fd = -1;
	}
	return fd;
}

#endif
