// SPDX-License-Identifier: MIT
/*
 * Descriptors between processes of a node. Each process listens on an abstract unix socket
 * (nothing is left in the file system) named by its random id. A parcel is one connection and one
 * packet: a greeting, which proves that the sender knows the secret of the job. A sender of
 * another user, or without the secret, is turned away.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "boot/boot_priv.h"
#include "boot/local.h"
#include "stream/socket.h"
#include "util/backoff.h"
#include "util/clock.h"
#include "util/err.h"

#define FDS_MAX 250 /* the kernel's SCM_MAX_FD is 253 */
#define SEND_S	10.0
#define ROOM_NS 2000000000 /* how long descriptors may be short before a wait for them fails */

union fds_control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
};

static socklen_t fds_address(const struct wire_proc *proc, struct sockaddr_un *sa)
{
	size_t n = 0;

	memset(sa, 0, sizeof(*sa));
	sa->sun_family = AF_UNIX;
	n = (size_t)snprintf(sa->sun_path + 1, sizeof(sa->sun_path) - 1, "mori-");
	for (size_t i = 0; i < sizeof(proc->id); i++)
		n += (size_t)snprintf(sa->sun_path + 1 + n, 3, "%02x", proc->id[i]);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
}

static void fds_close(const int *fds, int n)
{
	for (int i = 0; i < n; i++)
		close(fds[i]);
}

/* What came with a packet, in @fds (of FDS_MAX + 3). */
static int fds_of(struct msghdr *msg, int *fds)
{
	int n = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		int count;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		count = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(fds + n, CMSG_DATA(c), (size_t)count * sizeof(int));
		n += count;
	}
	return n;
}

static void fds_parcel_queue(struct boot *b, struct fds_parcel *p)
{
	struct fds_parcel **at = &b->parcels;

	pthread_mutex_lock(&b->lock);
	while (*at)
		at = &(*at)->next;
	*at = p;
	pthread_cond_broadcast(&b->cond);
	pthread_mutex_unlock(&b->lock);
}

static int fds_parcel_add(struct boot *b, int from, uint32_t tag, const int *fds, int n)
{
	struct fds_parcel *p = calloc(1, sizeof(*p) + (n > 0 ? (size_t)n : 0) * sizeof(int));

	if (!p)
		return -1;
	p->from = from;
	p->tag = tag;
	p->n = n;
	if (n > 0)
		memcpy(p->fds, fds, (size_t)n * sizeof(int));
	fds_parcel_queue(b, p);
	return 0;
}

void fds_none(struct boot *b, const uint8_t *body, size_t len)
{
	struct fds_parcel *p = calloc(1, sizeof(*p));
	struct wire_no_fds *none = malloc(sizeof(*none));

	if (!p || !none || len != sizeof(*none)) {
		free(p);
		free(none);
		return;
	}
	memcpy(none, body, len);
	none->text[WIRE_TEXT - 1] = '\0';
	p->from = none->from;
	p->tag = none->tag;
	p->none = none;
	fds_parcel_queue(b, p);
}

static void fds_parcel_free(struct fds_parcel *p)
{
	free(p->none);
	free(p);
}

void fds_turn(struct boot *b)
{
	int no_room;

	acceptor_turn(&b->acceptor);
	no_room = b->acceptor.no_room && clock_now() - b->acceptor.no_room > ROOM_NS;
	pthread_mutex_lock(&b->lock);
	if (b->no_room != no_room)
		pthread_cond_broadcast(&b->cond);
	b->no_room = no_room;
	pthread_mutex_unlock(&b->lock);
}

/* What the hash of a packet's greeting covers besides the two processes; never 0. */
static uint64_t fds_contents(uint32_t tag, int n)
{
	return (uint64_t)tag << 32 | (uint32_t)(n + 1);
}

static int fds_is_ours(const struct boot *b, int fd, const struct greeting *g, ssize_t len)
{
	struct ucred cred;
	socklen_t size = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) < 0 || cred.uid != geteuid())
		return 0;
	return len == sizeof(*g) && greet_check(g, b->secret, GREET_FDS) && g->from >= 0 &&
	       g->from < b->info.n_procs && g->to == b->my_proc;
}

/* @s has sent its packet, or hung up. */
static enum acceptor_verdict fds_hear(void *arg, struct acceptor_stranger *s)
{
	struct boot *b = arg;
	struct greeting g = { 0 };
	union fds_control control;
	struct iovec iov = { &g, sizeof(g) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	int fds[FDS_MAX + 3], n, kept;
	ssize_t len = recvmsg(s->fd, &msg, MSG_CMSG_CLOEXEC);

	if (len < 0)
		return errno == EAGAIN || errno == EINTR ? ACCEPTOR_WAIT : ACCEPTOR_DROP;
	n = fds_of(&msg, fds);
	kept = (msg.msg_flags & MSG_CTRUNC) || n + 1 != (int)(uint32_t)g.nonce ? -1 : n;
	if (!fds_is_ours(b, s->fd, &g, len) ||
	    fds_parcel_add(b, g.from, (uint32_t)(g.nonce >> 32), fds, kept) || kept < 0)
		fds_close(fds, n);
	return ACCEPTOR_DROP;
}

int fds_listen(struct boot *b)
{
	struct sockaddr_un sa;
	socklen_t len = fds_address(&b->me, &sa);
	int err = acceptor_open(&b->acceptor, fds_hear, b), fd = -1;

	if (!err) {
		fd = socket_open(AF_UNIX, SOCK_SEQPACKET);
		if (fd < 0 || bind(fd, (struct sockaddr *)&sa, len) < 0 || listen(fd, 4096) < 0)
			err = -errno;
		else
			err = acceptor_add(&b->acceptor, fd);
	}
	return err ? err_set(MORI_SHMEM_EIO, "cannot listen on a unix socket: %s", strerror(-err)) :
		     0;
}

void fds_free(struct boot *b)
{
	while (b->parcels) {
		struct fds_parcel *p = b->parcels;

		b->parcels = p->next;
		fds_close(p->fds, p->n);
		fds_parcel_free(p);
	}
	acceptor_close(&b->acceptor);
}

static int fds_to_self(struct boot *b, uint32_t tag, const int *fds, int n)
{
	int copies[FDS_MAX] = { 0 };

	for (int i = 0; i < n; i++) {
		copies[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 0);
		if (copies[i] < 0) {
			int err = errno;

			fds_close(copies, i);
			return err_set(MORI_SHMEM_EIO, "cannot copy a descriptor: %s",
				       strerror(err));
		}
	}
	if (fds_parcel_add(b, b->my_proc, tag, copies, n)) {
		fds_close(copies, n);
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for %d descriptors", n);
	}
	return 0;
}

/* The error is one that a wait may cure, and there is time for it: 0 after the wait. */
static int fds_again(int err, struct backoff *pause, int64_t deadline)
{
	/* ETOOMANYREFS: more are on the way than one user may have; they are being taken. */
	if (err != EAGAIN && err != EINTR && err != ETOOMANYREFS)
		return -err;
	if (clock_left_ms(deadline) == 0)
		return err == EAGAIN ? -ETIMEDOUT : -err;
	backoff_wait(pause);
	return 0;
}

/* Where the receiver's queue is full a unix socket returns EAGAIN, and cannot be polled for room. */
static int fds_connect(int fd, const struct wire_proc *proc, int64_t deadline)
{
	struct backoff pause = backoff_start(BACKOFF_QUEUE, NULL);
	struct sockaddr_un sa;
	socklen_t len = fds_address(proc, &sa);
	int err = 0;

	while (!err && connect(fd, (struct sockaddr *)&sa, len) < 0)
		err = fds_again(errno, &pause, deadline);
	return err;
}

static int fds_send(int fd, const struct greeting *g, const int *fds, int n, int64_t deadline)
{
	struct backoff pause = backoff_start(BACKOFF_QUEUE, NULL);
	union fds_control control;
	struct iovec iov = { (void *)g, sizeof(*g) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	size_t bytes = (size_t)n * sizeof(int);
	int err = 0;

	memset(&control, 0, sizeof(control));
	if (n > 0) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(bytes);
		control.align = (struct cmsghdr){ .cmsg_len = CMSG_LEN(bytes),
						  .cmsg_level = SOL_SOCKET,
						  .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.align), fds, bytes);
	}
	while (!err && sendmsg(fd, &msg, MSG_NOSIGNAL) < 0)
		err = fds_again(errno, &pause, deadline);
	return err;
}

static int fds_to_other(struct boot *b, int to_proc, uint32_t tag, const int *fds, int n)
{
	struct greeting g;
	int64_t deadline = clock_deadline(SEND_S);
	char who[256];
	int fd, err;

	table_who(b, to_proc, who, sizeof(who));
	if (__atomic_load_n(&b->lost[to_proc], __ATOMIC_ACQUIRE))
		return err_set(MORI_SHMEM_EPEER, "lost: %s", who);
	if (b->procs[to_proc].node != b->procs[b->my_proc].node)
		return err_set(MORI_SHMEM_EREACH, "descriptors cannot go to another node: %s", who);
	fd = socket_open(AF_UNIX, SOCK_SEQPACKET);
	if (fd < 0)
		return err_set(MORI_SHMEM_EIO, "cannot open a unix socket: %s", strerror(errno));
	err = fds_connect(fd, &b->procs[to_proc].proc, deadline);
	if (err == -ECONNREFUSED) {
		socket_close(fd);
		return err_set(MORI_SHMEM_EREACH,
			       "%s does not listen for descriptors here: it has ended, or it is in "
			       "another network namespace",
			       who);
	}
	if (!err)
		err = greet_make(&g, b->secret, GREET_FDS, b->my_proc, to_proc,
				 fds_contents(tag, n));
	if (!err)
		err = fds_send(fd, &g, fds, n, deadline);
	socket_close(fd);
	return err ? err_set(MORI_SHMEM_EIO, "cannot send %d descriptors to %s: %s", n, who,
			     strerror(-err)) :
		     0;
}

int boot_send_fds(struct boot *b, int to_proc, uint32_t tag, const int *fds, int n)
{
	int err;

	if (to_proc < 0 || to_proc >= b->info.n_procs || n < 0 || n > FDS_MAX)
		return err_set(MORI_SHMEM_EINVAL, "cannot send %d descriptors to process %d of %d",
			       n, to_proc, b->info.n_procs);
	if (b->pid != boot_local_pid())
		return err_set(MORI_SHMEM_ESTATE, "this process is a fork of the PE's process");
	if (to_proc == b->my_proc)
		return fds_to_self(b, tag, fds, n);
	err = fds_to_other(b, to_proc, tag, fds, n);
	if (err)
		boot_send_no_fds(b, to_proc, tag, err);
	return err;
}

void boot_send_no_fds(struct boot *b, int to_proc, uint32_t tag, int status)
{
	struct wire_no_fds none = {
		.from = b->my_proc, .to = to_proc, .tag = tag, .status = status
	};
	struct iovec part = { &none, sizeof(none) };
	struct err_was was;

	wire_copy_text(none.text, sizeof(none.text), err_text());
	err_save(&was);
	boot_send(b, WIRE_NO_FDS, &part, 1, clock_deadline(SEND_S));
	err_restore(&was);
}

/* With the lock held: take the first parcel that fits off the list. */
static struct fds_parcel *fds_parcel_take(struct boot *b, int from, uint32_t tag)
{
	for (struct fds_parcel **at = &b->parcels; *at; at = &(*at)->next) {
		struct fds_parcel *p = *at;

		if (p->from != from || p->tag != tag)
			continue;
		*at = p->next;
		return p;
	}
	return NULL;
}

int boot_recv_fds(struct boot *b, int from_proc, uint32_t tag, int *fds, int n, double timeout_s)
{
	int64_t deadline = clock_deadline(timeout_s);
	struct fds_parcel *p;
	char who[256];
	int over = 0, lost = 0, err = 0;

	if (from_proc < 0 || from_proc >= b->info.n_procs || n < 0 || n > FDS_MAX)
		return err_set(MORI_SHMEM_EINVAL,
			       "cannot receive %d descriptors from process %d of %d", n, from_proc,
			       b->info.n_procs);
	table_who(b, from_proc, who, sizeof(who));
	pthread_mutex_lock(&b->lock);
	for (;;) {
		p = fds_parcel_take(b, from_proc, tag);
		if (p || over || lost || b->no_room)
			break;
		/* Any loss: the sender may have given up because of it, and sends no more. */
		lost = b->status;
		if (!lost)
			over = boot_cond_wait(b, deadline);
	}
	if (!p && lost)
		err = err_set(lost, "%s", b->text);
	else if (!p && b->no_room)
		err = err_set(MORI_SHMEM_EIO,
			      "no descriptor is free for what %s sends: raise the limit of open "
			      "files (ulimit -n)",
			      who);
	pthread_mutex_unlock(&b->lock);
	if (err)
		return err;
	if (!p)
		return err_set(MORI_SHMEM_ETIMEDOUT, "no descriptors from %s within %g s", who,
			       timeout_s);
	if (p->none)
		err = err_set(p->none->status, "%s: %s", who, p->none->text);
	else if (p->n < 0)
		err = err_set(MORI_SHMEM_EIO,
			      "descriptors from %s did not fit: raise the limit of "
			      "open files (ulimit -n)",
			      who);
	else if (p->n != n)
		err = err_set(MORI_SHMEM_EMISMATCH, "%d descriptors came from %s, %d were expected",
			      p->n, who, n);
	if (err)
		fds_close(p->fds, p->n);
	else if (n > 0)
		memcpy(fds, p->fds, (size_t)n * sizeof(int));
	fds_parcel_free(p);
	return err;
}
