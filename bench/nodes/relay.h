// SPDX-License-Identifier: MIT
/*
 * A hub in user space that delays frames and loses some: a TAP device in each node and
 * one beside the hub, and a process that reads from all and writes to the one a frame is
 * for. For kernels without netem, and without a firewall.
 */
#ifndef BENCH_NODES_RELAY_H
#define BENCH_NODES_RELAY_H

#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>

#include "cable.h"

#define RELAY_FRAME 2048
#define RELAY_QUEUE 8192 /* frames under way; more are lost, as on any hub */

struct relay_frame {
	uint64_t due;
	int from;
	unsigned len;
	unsigned char data[RELAY_FRAME];
};

struct relay {
	int fd[65], n; /* the last is the hub's own */
	double delay_ms, loss;
	uint64_t random;
	struct relay_frame *queue;
	unsigned head, count;
};

static inline uint64_t relay_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* The last byte of an address is the number of its node, from 1 on. */
static inline int relay_tap(const char *name, int host)
{
	struct ifreq r = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);

	strcpy(r.ifr_name, name);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &r) ||
	    sh("ip link set %s address 02:00:00:00:00:%02x", name, host + 1))
		return -1;
	return fd;
}

static inline int relay_enter(pid_t pid)
{
	char path[64];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 || setns(fd, CLONE_NEWNET);
	if (fd >= 0)
		close(fd);
	return err;
}

static inline int relay_open(struct relay *r, const pid_t *nodes, int n)
{
	r->n = n + 1;
	r->queue = calloc(RELAY_QUEUE, sizeof(*r->queue));
	r->fd[n] = relay_tap("hub", n);
	for (int i = 0; i < n; i++) {
		r->fd[i] = relay_enter(nodes[i]) ? -1 : relay_tap("eth0", i);
		if (r->fd[i] < 0 || cable_end(i))
			return -1;
	}
	return !r->queue || r->fd[n] < 0 ? -1 : 0;
}

static inline int relay_loses(struct relay *r)
{
	r->random = r->random * 6364136223846793005u + 1442695040888963407u;
	return (double)(r->random >> 40) / (1 << 24) * 100 < r->loss;
}

static inline void relay_read(struct relay *r, int from)
{
	for (;;) {
		struct relay_frame *f = &r->queue[(r->head + r->count) % RELAY_QUEUE];
		ssize_t len = r->count < RELAY_QUEUE ? read(r->fd[from], f->data, RELAY_FRAME) : -1;

		if (len < 14)
			return;
		if (relay_loses(r))
			continue;
		f->due = relay_now() + (uint64_t)(r->delay_ms * 1e6);
		f->from = from;
		f->len = (unsigned)len;
		r->count++;
	}
}

/* Frames for many go to all; a device that is down or full loses them. */
static inline void relay_write(struct relay *r, const struct relay_frame *f)
{
	int to = f->data[5] - 1;

	for (int i = 0; i < r->n; i++) {
		if (i != f->from && ((f->data[0] & 1) || i == to) &&
		    write(r->fd[i], f->data, f->len) < 0)
			continue;
	}
}

static inline void relay_run(struct relay *r)
{
	for (;;) {
		struct pollfd p[65];
		uint64_t now = relay_now(), wait = 1000000000;
		struct timespec ts;

		while (r->count && r->queue[r->head].due <= now) {
			relay_write(r, &r->queue[r->head]);
			r->head = (r->head + 1) % RELAY_QUEUE;
			r->count--;
		}
		if (r->count)
			wait = r->queue[r->head].due - now;
		ts = (struct timespec){ .tv_sec = (time_t)(wait / 1000000000),
					.tv_nsec = (long)(wait % 1000000000) };
		for (int i = 0; i < r->n; i++)
			p[i] = (struct pollfd){ .fd = r->fd[i], .events = POLLIN };
		if (ppoll(p, (nfds_t)r->n, &ts, NULL) <= 0)
			continue;
		for (int i = 0; i < r->n; i++) {
			if (p[i].revents & POLLIN)
				relay_read(r, i);
		}
	}
}

/* The relay's process, once all devices exist; -1 if they cannot be created. */
static inline pid_t relay_start(const pid_t *nodes, int n, double delay_ms, double loss)
{
	struct relay r = { .delay_ms = delay_ms, .loss = loss, .random = 42 };
	int ready[2];
	char byte = 0;
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_TIMERSLACK, 1000UL);
		byte = relay_open(&r, nodes, n) ? 'n' : 'y';
		if (write(ready[1], &byte, 1) != 1 || byte == 'n')
			_exit(1);
		relay_run(&r);
	}
	if (pid > 0 && (read(ready[0], &byte, 1) != 1 || byte != 'y'))
		pid = -1;
	close(ready[0]);
	close(ready[1]);
	return pid;
}

#endif
