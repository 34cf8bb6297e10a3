// SPDX-License-Identifier: MIT
/*
 * Sockets with deadlines, frames, time and chance. Every socket is non-blocking
 * and on the list of this process from the moment it exists: the lock is held
 * over socket() and accept() so that no fork can fall in between.
 */
#define _GNU_SOURCE

#include "boot/wire.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)

/* Which descriptors are boot's sockets, by number. A registry of the process. */
static struct {
	pthread_mutex_t lock;
	uint8_t *is_ours;
	size_t size;
} socks = { .lock = PTHREAD_MUTEX_INITIALIZER };

int64_t wire_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

int64_t wire_deadline(double timeout_s)
{
	double most = 1e9; /* thirty years; also what a NaN becomes */

	if (timeout_s < 0)
		timeout_s = 0;
	if (!(timeout_s < most))
		timeout_s = most;
	return wire_now() + (int64_t)(timeout_s * (double)NS_PER_S);
}

int64_t wire_sooner(int64_t deadline, double timeout_s)
{
	int64_t other = wire_deadline(timeout_s);

	return other < deadline ? other : deadline;
}

int wire_left_ms(int64_t deadline)
{
	int64_t left = deadline - wire_now();

	if (left <= 0)
		return 0;
	left = (left + 999999) / 1000000;
	return left > 3600000 ? 3600000 : (int)left;
}

uint32_t wire_ms(double timeout_s)
{
	double ms = timeout_s * 1e3;

	if (!(ms < (double)UINT32_MAX))
		return UINT32_MAX;
	return ms > 0 ? (uint32_t)ms : 0;
}

struct timespec wire_timespec(int64_t deadline)
{
	struct timespec ts = { .tv_sec = deadline / NS_PER_S, .tv_nsec = deadline % NS_PER_S };

	return ts;
}

/* With the lock held. Takes @fd, or closes it when there is no memory. */
static int sock_track(int fd)
{
	if (fd >= 0 && (size_t)fd >= socks.size) {
		size_t size = (size_t)fd * 2 + 64;
		uint8_t *more = realloc(socks.is_ours, size);

		if (!more) {
			close(fd);
			errno = ENOMEM;
			return -1;
		}
		memset(more + socks.size, 0, size - socks.size);
		socks.is_ours = more;
		socks.size = size;
	}
	if (fd >= 0)
		socks.is_ours[fd] = 1;
	return fd;
}

int sock_open(int family, int type)
{
	int fd;

	pthread_mutex_lock(&socks.lock);
	fd = sock_track(socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
	pthread_mutex_unlock(&socks.lock);
	return fd;
}

int sock_accept(int listener)
{
	int fd;

	pthread_mutex_lock(&socks.lock);
	do
		fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	fd = sock_track(fd);
	pthread_mutex_unlock(&socks.lock);
	return fd;
}

int sock_adopt(int fd)
{
	int err = errno;

	pthread_mutex_lock(&socks.lock);
	errno = err;
	fd = sock_track(fd);
	pthread_mutex_unlock(&socks.lock);
	return fd;
}

void sock_close(int fd)
{
	if (fd < 0)
		return;
	pthread_mutex_lock(&socks.lock);
	if ((size_t)fd < socks.size)
		socks.is_ours[fd] = 0;
	close(fd);
	pthread_mutex_unlock(&socks.lock);
}

void sock_fork_lock(void)
{
	pthread_mutex_lock(&socks.lock);
}

void sock_fork_unlock(void)
{
	pthread_mutex_unlock(&socks.lock);
}

/* In the child of a fork, which has one thread: no lock, only close(). */
void sock_close_all(void)
{
	for (size_t fd = 0; fd < socks.size; fd++) {
		if (socks.is_ours[fd])
			close((int)fd);
		socks.is_ours[fd] = 0;
	}
}

/*
 * A peer whose machine is gone sends nothing, so ask: after 5 s without a word,
 * every 2 s, five times. Failures here only make detection slower.
 */
void sock_keepalive(int fd)
{
	static const struct {
		int level, name, value;
	} opts[] = {
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },  { IPPROTO_TCP, TCP_NODELAY, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, 5 }, { IPPROTO_TCP, TCP_KEEPINTVL, 2 },
		{ IPPROTO_TCP, TCP_KEEPCNT, 5 },  { IPPROTO_TCP, TCP_USER_TIMEOUT, 20000 },
	};

	for (size_t i = 0; i < sizeof(opts) / sizeof(*opts); i++)
		setsockopt(fd, opts[i].level, opts[i].name, &opts[i].value, sizeof(int));
}

int wire_thread(pthread_t *out, void *(*start)(void *), void *arg)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int err = pthread_attr_init(&attr);

	if (err)
		return -err;
	/* Little is kept on the stack; the default of 8 MiB counts against locked memory. */
	pthread_attr_setstacksize(&attr, 512 << 10);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(out, &attr, start, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return -err;
}

int wire_wait(int fd, short events, int64_t deadline)
{
	struct pollfd p = { .fd = fd, .events = events };
	int n;

	do
		n = poll(&p, 1, wire_left_ms(deadline));
	while ((n < 0 && errno == EINTR) || (n == 0 && wire_left_ms(deadline) > 0));
	if (n < 0)
		return -errno;
	return n ? 0 : -ETIMEDOUT;
}

/* Step @iov over @done bytes; returns how many entries are used up. */
static int iov_advance(struct iovec *iov, int n, size_t done)
{
	int i = 0;

	while (i < n && done >= iov[i].iov_len)
		done -= iov[i++].iov_len;
	if (i < n) {
		iov[i].iov_base = (char *)iov[i].iov_base + done;
		iov[i].iov_len -= done;
	}
	return i;
}

int wire_send(int fd, const struct iovec *parts, int n, int64_t deadline)
{
	struct iovec iov[4];
	struct msghdr msg = { .msg_iov = iov };

	if (n > 4)
		return -EINVAL;
	memcpy(iov, parts, (size_t)n * sizeof(*iov));
	msg.msg_iovlen = (size_t)n;
	while (msg.msg_iovlen > 0) {
		ssize_t done = sendmsg(fd, &msg, MSG_NOSIGNAL);
		int used;

		if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			int err = wire_wait(fd, POLLOUT, deadline);

			if (err)
				return err;
			continue;
		}
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		used = iov_advance(msg.msg_iov, (int)msg.msg_iovlen, (size_t)done);
		msg.msg_iov += used;
		msg.msg_iovlen -= (size_t)used;
	}
	return 0;
}

int wire_recv(int fd, void *buf, size_t len, int64_t deadline)
{
	size_t have = 0;

	while (have < len) {
		ssize_t got = recv(fd, (char *)buf + have, len - have, 0);

		if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			int err = wire_wait(fd, POLLIN, deadline);

			if (err)
				return err;
			continue;
		}
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -ECONNRESET;
		have += (size_t)got;
	}
	return 0;
}

/* The head is complete: room for the body. */
static int wire_in_body(struct wire_in *in)
{
	if (in->head.len > WIRE_BODY_MAX)
		return -EMSGSIZE;
	/* One more byte, a zero, so that a text at the end of a body is a string. */
	in->body = calloc(1, (size_t)in->head.len + 1);
	return in->body ? 0 : -ENOMEM;
}

int wire_in_read(struct wire_in *in, int fd)
{
	for (;;) {
		size_t head = sizeof(in->head);
		size_t want = head + (in->body ? in->head.len : 0);
		uint8_t *to = (uint8_t *)&in->head + in->have;
		ssize_t got;

		if (in->body && in->have == want)
			return 1;
		if (in->have >= head)
			to = in->body + (in->have - head);
		got = recv(fd, to, want - in->have, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
		if (got == 0)
			return -ECONNRESET;
		in->have += (size_t)got;
		if (in->have == head && !in->body) {
			int err = wire_in_body(in);

			if (err)
				return err;
		}
	}
}

void wire_in_next(struct wire_in *in)
{
	in->body = NULL;
	in->have = 0;
}

void wire_in_free(struct wire_in *in)
{
	free(in->body);
	wire_in_next(in);
}

int wire_random(void *buf, size_t len)
{
	size_t have = 0;

	while (have < len) {
		ssize_t got = getrandom((char *)buf + have, len - have, 0);

		if (got < 0 && errno != EINTR)
			return -errno;
		have += got > 0 ? (size_t)got : 0;
	}
	return 0;
}

int wire_same(const void *a, const void *b, size_t len)
{
	const volatile uint8_t *x = a, *y = b;
	uint8_t differ = 0;

	for (size_t i = 0; i < len; i++)
		differ |= x[i] ^ y[i];
	return differ == 0;
}

/* FNV-1a with a final mix, so that short inputs differ in every bit. */
uint64_t wire_hash(uint64_t seed, const void *data, size_t len)
{
	const uint8_t *p = data;
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ seed;

	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	h = (h ^ (h >> 32)) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ (h >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
	return h ^ (h >> 32);
}

void wire_digest(const char *text, uint8_t out[16])
{
	uint64_t half[2] = { wire_hash(1, text, strlen(text)), wire_hash(2, text, strlen(text)) };

	memcpy(out, half, 16);
}

void wire_copy_text(char *dst, size_t size, const char *src)
{
	size_t n = strnlen(src, size - 1);

	memcpy(dst, src, n);
	dst[n] = '\0';
}

int text_ranks(char *buf, size_t size, const uint8_t *set, int n)
{
	size_t at = 0;
	int count = 0, cut = 0;

	buf[0] = '\0';
	for (int i = 0; i < n; i++) {
		char part[32];
		int first = i;

		if (!set[i])
			continue;
		while (i + 1 < n && set[i + 1])
			i++;
		count += i - first + 1;
		if (cut)
			continue;
		snprintf(part, sizeof(part),
			 i == first	? "%s%d" :
			 i == first + 1 ? "%s%d, %d" :
					  "%s%d-%d",
			 at ? ", " : "", first, i);
		cut = at + strlen(part) + sizeof(", ...") > size;
		at += (size_t)snprintf(buf + at, size - at, "%s", cut ? ", ..." : part);
	}
	return count;
}

int text_who(char *buf, size_t size, const uint8_t *set, int n, const struct wire_proc *proc)
{
	char ranks[128];
	int count = text_ranks(ranks, sizeof(ranks), set, n);

	snprintf(buf, size, "PE%s %s (process %d on host %s)", count == 1 ? "" : "s", ranks,
		 proc->pid, proc->host);
	return count;
}
