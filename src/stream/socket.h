// SPDX-License-Identifier: MIT
/*
 * Sockets of the bootstrap and of the network. Each is non-blocking, close-on-exec and on a list
 * of this process from the moment it exists, so that the child of a fork can close them all: a
 * peer must see the end of the parent even while the child lives.
 *
 * Functions that take a deadline return 0 or -errno: -ETIMEDOUT, or -ECONNRESET at the end of a
 * stream. The others return a descriptor, or -1 with errno.
 */
#ifndef MORI_STREAM_SOCKET_H
#define MORI_STREAM_SOCKET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define SOCKET_IOV_MAX 4 /* buffers of one socket_send() */

int socket_open(int family, int type);
int socket_accept(int listener);
int socket_adopt(int fd); /* an eventfd or the like; -1 passes through */
void socket_close(int fd);

/* Begins to connect: writable once that has ended, then socket_error(). */
int socket_dial(const struct sockaddr *sa, socklen_t len);
/* How the connection attempt ended: 0 or -errno. */
int socket_error(int fd);
/* Small messages leave at once; a peer whose machine is gone is noticed within 20 s. */
void socket_tune(int fd);
/* 1 if @err says that there is no room for one more descriptor. */
int socket_no_room(int err);

int socket_wait(int fd, short events, int64_t deadline);
/* All of it before @deadline. */
int socket_send(int fd, const struct iovec *iov, int n, int64_t deadline);
int socket_recv(int fd, void *buf, size_t len, int64_t deadline);

/* Around a fork, and in its child. */
void socket_fork_lock(void);
void socket_fork_unlock(void);
void socket_close_all(void);

#endif
