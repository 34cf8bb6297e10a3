// SPDX-License-Identifier: MIT
/*
 * The lock of the list is held over socket() and accept(), so that no fork can fall between the
 * system call and the entry.
 */
#define _GNU_SOURCE

#include "stream/socket.h"

#include "util/clock.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The descriptors on the list, by number. */
static struct {
	pthread_mutex_t lock;
	uint8_t *is_ours;
	size_t size;
} sockets = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* With the lock held. Closes @fd when there is no memory for it. */
static int socket_track(int fd)
{
	if (fd >= 0 && (size_t)fd >= sockets.size) {
		size_t size = (size_t)fd * 2 + 64;
		uint8_t *more = realloc(sockets.is_ours, size);

		if (!more) {
			close(fd);
			errno = ENOMEM;
			return -1;
		}
		memset(more + sockets.size, 0, size - sockets.size);
		sockets.is_ours = more;
		sockets.size = size;
	}
	if (fd >= 0)
		sockets.is_ours[fd] = 1;
	return fd;
}

int socket_open(int family, int type)
{
	int fd;

	pthread_mutex_lock(&sockets.lock);
	fd = socket_track(socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
	pthread_mutex_unlock(&sockets.lock);
	return fd;
}

int socket_accept(int listener)
{
	int fd;

	pthread_mutex_lock(&sockets.lock);
	do
		fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	fd = socket_track(fd);
	pthread_mutex_unlock(&sockets.lock);
	return fd;
}

int socket_adopt(int fd)
{
	int err = errno;

	pthread_mutex_lock(&sockets.lock);
	errno = err;
	fd = socket_track(fd);
	pthread_mutex_unlock(&sockets.lock);
	return fd;
}

/* One that is not on the list was closed by socket_close_all(), and its number may be another's. */
void socket_close(int fd)
{
	if (fd < 0)
		return;
	pthread_mutex_lock(&sockets.lock);
	if ((size_t)fd < sockets.size && sockets.is_ours[fd]) {
		sockets.is_ours[fd] = 0;
		close(fd);
	}
	pthread_mutex_unlock(&sockets.lock);
}

void socket_fork_lock(void)
{
	pthread_mutex_lock(&sockets.lock);
}

void socket_fork_unlock(void)
{
	pthread_mutex_unlock(&sockets.lock);
}

/* The child of a fork has one thread: no lock, only close(). */
void socket_close_all(void)
{
	for (size_t fd = 0; fd < sockets.size; fd++) {
		if (sockets.is_ours[fd])
			close((int)fd);
		sockets.is_ours[fd] = 0;
	}
}

int socket_dial(const struct sockaddr *sa, socklen_t len)
{
	int fd = socket_open(sa->sa_family, SOCK_STREAM), err;

	if (fd < 0 || !connect(fd, sa, len) || errno == EINPROGRESS || errno == EINTR)
		return fd;
	err = errno;
	socket_close(fd);
	errno = err;
	return -1;
}

int socket_error(int fd)
{
	socklen_t size = sizeof(int);
	int err = 0;

	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size) < 0 ? -errno : -err;
}

/*
 * A peer whose machine is gone sends nothing, so the kernel probes: after 5 s of silence, every
 * 2 s, five times. A failure here only makes detection slower.
 */
void socket_tune(int fd)
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

int socket_no_room(int err)
{
	return err == EMFILE || err == ENFILE || err == ENOBUFS || err == ENOMEM;
}

int socket_wait(int fd, short events, int64_t deadline)
{
	struct pollfd p = { .fd = fd, .events = events };
	int n;

	do
		n = poll(&p, 1, clock_left_ms(deadline));
	while ((n < 0 && errno == EINTR) || (n == 0 && clock_left_ms(deadline) > 0));
	if (n < 0)
		return -errno;
	return n ? 0 : -ETIMEDOUT;
}

/* A call has failed with errno: 0 to repeat it, once the socket is ready. */
static int socket_again(int fd, short events, int64_t deadline)
{
	if (errno == EINTR)
		return 0;
	return errno == EAGAIN || errno == EWOULDBLOCK ? socket_wait(fd, events, deadline) : -errno;
}

/* A socket that a launcher has made may be a blocking one. */
int socket_send(int fd, const struct iovec *buffers, int n, int64_t deadline)
{
	struct iovec iov[SOCKET_IOV_MAX], *at = iov;
	int err = 0;

	memcpy(iov, buffers, (size_t)n * sizeof(*iov));
	while (n > 0 && !err) {
		struct msghdr msg = { .msg_iov = at, .msg_iovlen = (size_t)n };
		ssize_t done = sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (done < 0) {
			err = socket_again(fd, POLLOUT, deadline);
			continue;
		}
		for (; n > 0 && (size_t)done >= at->iov_len; n--)
			done -= (ssize_t)at++->iov_len;
		if (n > 0)
			*at = (struct iovec){ (char *)at->iov_base + done,
					      at->iov_len - (size_t)done };
	}
	return err;
}

int socket_recv(int fd, void *buf, size_t len, int64_t deadline)
{
	size_t have = 0;
	int err = 0;

	while (have < len && !err) {
		ssize_t got = recv(fd, (char *)buf + have, len - have, MSG_DONTWAIT);

		if (got > 0)
			have += (size_t)got;
		else
			err = got ? socket_again(fd, POLLIN, deadline) : -ECONNRESET;
	}
	return err;
}
