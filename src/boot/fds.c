// SPDX-License-Identifier: MIT
/*
 * Descriptors between processes of a node. Each process listens on an abstract
 * unix socket (nothing is left in the file system) named by its random id. A parcel
 * is one connection and one packet, which proves the secret of the job; a caller
 * of another user, with another secret or with nothing to say is dropped.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "boot/boot_priv.h"
#include "boot/registry.h"
#include "util/err.h"

#define FDS_MAX	  250 /* the kernel's SCM_MAX_FD is 253 */
#define FDS_MAGIC UINT64_C(0x6d6f72692d666473)
#define CALLER_S  5.0
#define SEND_S	  10.0

struct packet {
	uint64_t magic;
	uint8_t secret[WIRE_SECRET];
	int32_t from;
	uint32_t tag;
	int32_t n;
	int32_t zero;
};

union control {
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

int fds_listen(struct boot *b)
{
	struct sockaddr_un sa;
	socklen_t len = fds_address(&b->me, &sa);

	b->unix_fd = sock_open(AF_UNIX, SOCK_SEQPACKET);
	if (b->unix_fd < 0 || bind(b->unix_fd, (struct sockaddr *)&sa, len) < 0 ||
	    listen(b->unix_fd, 4096) < 0)
		return err_set(MORI_SHMEM_EIO, "cannot listen on a unix socket: %s",
			       strerror(errno));
	return 0;
}

void fds_accept(struct boot *b)
{
	for (int i = 0; i < FDS_ACCEPTS && b->n_callers < FDS_CALLERS; i++) {
		int fd = sock_accept(b->unix_fd);
		struct ucred cred;
		socklen_t len = sizeof(cred);

		if (fd < 0)
			return;
		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0 ||
		    cred.uid != geteuid()) {
			sock_close(fd);
			continue;
		}
		if (b->n_callers == b->cap_callers) {
			int cap = 2 * b->cap_callers + 16;
			struct caller *more = realloc(b->callers, (size_t)cap * sizeof(*more));

			if (!more) {
				sock_close(fd);
				return;
			}
			b->callers = more;
			b->cap_callers = cap;
		}
		b->callers[b->n_callers++] = (struct caller){ fd, wire_deadline(CALLER_S) };
	}
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

static int parcel_add(struct boot *b, int from, uint32_t tag, const int *fds, int n)
{
	struct parcel *p = calloc(1, sizeof(*p) + (n > 0 ? (size_t)n : 0) * sizeof(int));
	struct parcel **at = &b->parcels;

	if (!p)
		return -1;
	p->from = from;
	p->tag = tag;
	p->n = n;
	if (n > 0)
		memcpy(p->fds, fds, (size_t)n * sizeof(int));
	pthread_mutex_lock(&b->lock);
	while (*at)
		at = &(*at)->next;
	*at = p;
	pthread_cond_broadcast(&b->cond);
	pthread_mutex_unlock(&b->lock);
	return 0;
}

static int packet_is_ours(struct boot *b, const struct packet *p, ssize_t len)
{
	if (len != sizeof(*p) || p->magic != FDS_MAGIC || p->from < 0 || p->n < 0 || p->n > FDS_MAX)
		return 0;
	return wire_same(p->secret, b->info.secret, WIRE_SECRET) && p->from < b->info.n_procs;
}

int fds_hear(struct boot *b, int fd)
{
	struct packet p;
	union control control;
	struct iovec iov = { &p, sizeof(p) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	int fds[FDS_MAX + 3], n, cut;
	ssize_t len;

	do
		len = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);
	while (len < 0 && errno == EINTR);
	if (len < 0)
		return errno != EAGAIN && errno != EWOULDBLOCK;
	n = fds_of(&msg, fds);
	cut = (msg.msg_flags & MSG_CTRUNC) != 0 || n != p.n;
	if (!packet_is_ours(b, &p, len)) {
		fds_close(fds, n);
		return 1;
	}
	if (cut) {
		fds_close(fds, n);
		n = -1;
	}
	if (parcel_add(b, p.from, p.tag, fds, n) && n > 0)
		fds_close(fds, n);
	return 1;
}

void fds_free(struct boot *b)
{
	while (b->parcels) {
		struct parcel *p = b->parcels;

		b->parcels = p->next;
		fds_close(p->fds, p->n);
		free(p);
	}
	for (int i = 0; i < b->n_callers; i++)
		sock_close(b->callers[i].fd);
	free(b->callers);
}

static int fds_to_self(struct boot *b, uint32_t tag, const int *fds, int n)
{
	int copies[FDS_MAX];

	for (int i = 0; i < n; i++) {
		copies[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 0);
		if (copies[i] < 0) {
			int err = errno;

			fds_close(copies, i);
			return err_set(MORI_SHMEM_EIO, "cannot copy a descriptor: %s",
				       strerror(err));
		}
	}
	if (parcel_add(b, b->my_proc, tag, copies, n)) {
		fds_close(copies, n);
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for %d descriptors", n);
	}
	return 0;
}

/* Unix sockets say EAGAIN when the peer's queue is full, and cannot be polled for it. */
static int fds_connect(int fd, const struct wire_proc *proc, int64_t deadline)
{
	struct sockaddr_un sa;
	socklen_t len = fds_address(proc, &sa);

	while (connect(fd, (struct sockaddr *)&sa, len) < 0) {
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		if (wire_left_ms(deadline) == 0)
			return -ETIMEDOUT;
		poll(NULL, 0, 1);
	}
	return 0;
}

static int fds_send(int fd, const struct packet *p, const int *fds, int64_t deadline)
{
	union control control;
	struct iovec iov = { (void *)p, sizeof(*p) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	size_t bytes = (size_t)p->n * sizeof(int);

	memset(&control, 0, sizeof(control));
	if (p->n > 0) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(bytes);
		control.align = (struct cmsghdr){ .cmsg_len = CMSG_LEN(bytes),
						  .cmsg_level = SOL_SOCKET,
						  .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.align), fds, bytes);
	}
	while (sendmsg(fd, &msg, MSG_NOSIGNAL) < 0) {
		/* ETOOMANYREFS: more on the way than one user may have; they are being taken. */
		if (errno != EAGAIN && errno != EINTR && errno != ETOOMANYREFS)
			return -errno;
		if (wire_left_ms(deadline) == 0)
			return -errno;
		poll(NULL, 0, 1);
	}
	return 0;
}

int boot_send_fds(struct boot *b, int to_proc, uint32_t tag, const int *fds, int n)
{
	struct packet p = { .magic = FDS_MAGIC, .from = b->my_proc, .tag = tag, .n = n };
	int64_t deadline = wire_deadline(SEND_S);
	char who[256];
	int fd, err;

	if (to_proc < 0 || to_proc >= b->info.n_procs || n < 0 || n > FDS_MAX)
		return err_set(MORI_SHMEM_EINVAL, "cannot send %d descriptors to process %d of %d",
			       n, to_proc, b->info.n_procs);
	if (b->pid != registry_pid())
		return err_set(MORI_SHMEM_ESTATE, "this process is a fork of the PE's process");
	if (to_proc == b->my_proc)
		return fds_to_self(b, tag, fds, n);
	table_who(b, to_proc, who, sizeof(who));
	if (__atomic_load_n(&b->lost[to_proc], __ATOMIC_ACQUIRE))
		return err_set(MORI_SHMEM_EPEER, "lost: %s", who);
	if (b->procs[to_proc].node != b->procs[b->my_proc].node)
		return err_set(MORI_SHMEM_EREACH, "descriptors cannot go to another node: %s", who);
	memcpy(p.secret, b->info.secret, WIRE_SECRET);
	fd = sock_open(AF_UNIX, SOCK_SEQPACKET);
	if (fd < 0)
		return err_set(MORI_SHMEM_EIO, "cannot open a unix socket: %s", strerror(errno));
	err = fds_connect(fd, &b->procs[to_proc].proc, deadline);
	if (err == -ECONNREFUSED) {
		sock_close(fd);
		return err_set(MORI_SHMEM_EREACH,
			       "%s has no socket here: it has ended, or it is in "
			       "another network namespace",
			       who);
	}
	if (!err)
		err = fds_send(fd, &p, fds, deadline);
	sock_close(fd);
	return err ? err_set(MORI_SHMEM_EIO, "cannot send %d descriptors to %s: %s", n, who,
			     strerror(-err)) :
		     0;
}

/* With the lock held: take the first parcel that fits off the list. */
static struct parcel *parcel_take(struct boot *b, int from, uint32_t tag)
{
	for (struct parcel **at = &b->parcels; *at; at = &(*at)->next) {
		struct parcel *p = *at;

		if (p->from != from || p->tag != tag)
			continue;
		*at = p->next;
		return p;
	}
	return NULL;
}

int boot_recv_fds(struct boot *b, int from_proc, uint32_t tag, int *fds, int n, double timeout_s)
{
	int64_t deadline = wire_deadline(timeout_s);
	struct parcel *p;
	char who[256];
	int over = 0, lost = 0, err = 0;

	if (from_proc < 0 || from_proc >= b->info.n_procs || n < 0 || n > FDS_MAX)
		return err_set(MORI_SHMEM_EINVAL,
			       "cannot receive %d descriptors from process %d of %d", n, from_proc,
			       b->info.n_procs);
	table_who(b, from_proc, who, sizeof(who));
	pthread_mutex_lock(&b->lock);
	for (;;) {
		p = parcel_take(b, from_proc, tag);
		if (p || over || lost)
			break;
		/* Any loss: the sender may have given up because of it, and sends no more. */
		lost = b->status;
		if (!lost)
			over = boot_cond_wait(b, deadline);
	}
	if (!p && lost)
		err = err_set(lost, "%s", b->text);
	pthread_mutex_unlock(&b->lock);
	if (err)
		return err;
	if (!p)
		return err_set(MORI_SHMEM_ETIMEDOUT, "no descriptors from %s within %g s", who,
			       timeout_s);
	if (p->n < 0)
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
	free(p);
	return err;
}
