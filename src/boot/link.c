// SPDX-License-Identifier: MIT
/*
 * Reaching a rendezvous by its id. A pass tries every address once; a pass in
 * which each was refused or belongs to somebody else means that nobody listens:
 * at once on the listener's own node, after a few passes from elsewhere. Silence
 * (a network that is slow to come up, a busy host) is waited out.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "boot/boot_priv.h"
#include "util/err.h"
#include "util/log.h"

#define CONNECT_S   3.0 /* for one address */
#define HELLO_S	    10.0
#define PASSES_AWAY 5
#define DROPS_MAX   20 /* connections that ended before the answer: too busy, or no rendezvous */
#define TARGETS_MAX (UID_ADDRS_MAX + 2)

static int link_dial(int fd, const struct sockaddr *sa, socklen_t len, int64_t deadline)
{
	socklen_t size = sizeof(int);
	int err = 0;

	if (connect(fd, sa, len) == 0)
		return 0;
	if (errno != EINPROGRESS && errno != EINTR)
		return -errno;
	err = wire_wait(fd, POLLOUT, deadline);
	if (err)
		return err;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size) < 0)
		return -errno;
	return -err;
}

int link_hello(const struct sockaddr *sa, socklen_t len, const struct wire_hello *hello,
	       const uint8_t proof[WIRE_SECRET], int64_t deadline, int *out,
	       struct wire_reply *reply)
{
	struct iovec iov = { (void *)hello, sizeof(*hello) };
	int fd = sock_open(sa->sa_family, SOCK_STREAM);
	int err;

	if (fd < 0)
		return -errno;
	err = link_dial(fd, sa, len, wire_sooner(deadline, CONNECT_S));
	if (err)
		goto close_fd;
	sock_keepalive(fd);
	deadline = wire_sooner(deadline, HELLO_S);
	err = wire_send(fd, &iov, 1, deadline);
	if (!err)
		err = wire_recv(fd, reply, sizeof(*reply), deadline);
	if (err == -ETIMEDOUT)
		err = -EAGAIN; /* somebody is there, but says nothing */
	if (!err && reply->magic != WIRE_MAGIC)
		err = LINK_FOREIGN;
	else if (!err && (reply->version != WIRE_VERSION || reply->answer == WIRE_OTHER_VERSION))
		err = LINK_OLD;
	else if (!err &&
		 (reply->answer != WIRE_WELCOME || !wire_same(reply->secret, proof, WIRE_SECRET)))
		err = LINK_FOREIGN;
	if (err)
		goto close_fd;
	reply->host[WIRE_HOST - 1] = '\0';
	*out = fd;
	return 0;

close_fd:
	sock_close(fd);
	return err;
}

struct targets {
	struct node_addr addrs[TARGETS_MAX];
	int n;
	int n_loopback; /* how many of them, first */
	int same_node;
	int err;    /* the last one */
	int drops;  /* in a row */
	int passes; /* in a row, in which nobody listened */
};

static void targets_set(struct targets *t, const struct uid *uid)
{
	static const struct node_addr loopback[2] = {
		{ .family = 4, .bytes = { 127, 0, 0, 1 } },
		{ .family = 6, .bytes = { [15] = 1 } },
	};

	memset(t, 0, sizeof(*t));
	t->same_node = uid->node == node_real();
	if (uid->loopback && (t->same_node || uid->n_addrs == 0)) {
		memcpy(t->addrs, loopback, sizeof(loopback));
		t->n = t->n_loopback = 2;
	}
	memcpy(t->addrs + t->n, uid->addrs, (size_t)uid->n_addrs * sizeof(*uid->addrs));
	t->n += uid->n_addrs;
}

/* What one pass came to: the most hopeful of what its addresses gave, or no hope at all. */
enum pass { PASS_IN, PASS_NOBODY, PASS_FOREIGN, PASS_OLD, PASS_DROPPED, PASS_SILENT, PASS_UNABLE };

static enum pass pass_of(int err, int family)
{
	switch (err) {
	case 0:
		return PASS_IN;
	case LINK_FOREIGN:
		return PASS_FOREIGN;
	case LINK_OLD:
		return PASS_OLD;
	case -ECONNRESET:
	case -EPIPE:
		return PASS_DROPPED;
	case -ECONNREFUSED:
	case -EAFNOSUPPORT:
	case -ENETUNREACH:
	case -EINVAL: /* loopback to an address of another scope */
		return PASS_NOBODY;
	case -EADDRNOTAVAIL: /* no IPv6 here; or no port left, for the moment */
		return family == 6 ? PASS_NOBODY : PASS_SILENT;
	case -EMFILE:
	case -ENFILE:
	case -ENOBUFS:
	case -ENOMEM:
		return PASS_UNABLE;
	default:
		return PASS_SILENT;
	}
}

static enum pass link_pass(struct targets *t, const struct uid *uid, int64_t deadline, int *fd,
			   struct wire_reply *reply)
{
	struct wire_hello hello = { .magic = WIRE_MAGIC,
				    .version = WIRE_VERSION,
				    .what = WIRE_WHAT_JOIN };
	enum pass best = PASS_NOBODY, loopback = PASS_NOBODY;

	memcpy(hello.secret, uid->client_secret, WIRE_SECRET);
	for (int i = 0; i < t->n; i++) {
		struct sockaddr_storage sa;
		socklen_t len = node_sockaddr(&t->addrs[i], uid->port, &sa);
		int err = link_hello((struct sockaddr *)&sa, len, &hello, uid->server_secret,
				     deadline, fd, reply);
		enum pass p = pass_of(err, t->addrs[i].family);
		char text[64];

		t->err = err;
		if (p == PASS_IN || p == PASS_UNABLE)
			return p;
		node_addr_text(text, sizeof(text), &t->addrs[i], uid->port);
		log_debug("rendezvous at %s: %s", text, err < 0 ? strerror(-err) : "not the one");
		if (p > best)
			best = p;
		if (i < t->n_loopback && p > loopback)
			loopback = p;
	}
	/* Nobody at the listener's own loopback: an address that is silent does not matter. */
	if (t->same_node && t->n_loopback && best == PASS_SILENT)
		return loopback;
	return best;
}

static int link_error(const struct targets *t, const struct uid *uid, enum pass p)
{
	char where[64] = "loopback";

	if (t->n)
		node_addr_text(where, sizeof(where), &t->addrs[0], uid->port);
	switch (p) {
	case PASS_UNABLE:
		return err_set(MORI_SHMEM_EIO, "cannot open a socket: %s", strerror(-t->err));
	case PASS_OLD:
		return err_set(MORI_SHMEM_EABI,
			       "the rendezvous at %s speaks another version of the protocol",
			       where);
	case PASS_FOREIGN:
	case PASS_DROPPED:
		return err_set(MORI_SHMEM_EREACH,
			       "foreign unique id: who listens at %s is not the rendezvous of this "
			       "id (its job has ended, or the id is of another job)",
			       where);
	case PASS_NOBODY:
		return err_set(
			MORI_SHMEM_EREACH,
			"stale unique id: nobody listens at %s (the process that made the id "
			"has finalized or ended)",
			where);
	default:
		return err_set(MORI_SHMEM_EREACH,
			       "no answer from the rendezvous at %s and %d more addresses in time; "
			       "MORI_SOCKET_IFNAME chooses the interface",
			       where, t->n ? t->n - 1 : 0);
	}
}

/* 1 if @p, after what went before, is final. */
static int pass_is_final(struct targets *t, enum pass p)
{
	t->drops = p == PASS_DROPPED ? t->drops + 1 : 0;
	t->passes = p < PASS_DROPPED ? t->passes + 1 : 0;
	return p == PASS_UNABLE || t->drops >= DROPS_MAX ||
	       t->passes >= (t->same_node ? 1 : PASSES_AWAY);
}

int link_connect(const struct uid *uid, int64_t deadline, int *fd, struct wire_reply *reply)
{
	struct targets t;
	double pause_s = 0.02;

	targets_set(&t, uid);
	for (;;) {
		enum pass p = link_pass(&t, uid, deadline, fd, reply);

		if (p == PASS_IN)
			return 0;
		if (pass_is_final(&t, p) || wire_left_ms(deadline) == 0)
			return link_error(&t, uid, p);
		poll(NULL, 0, wire_left_ms(wire_sooner(deadline, pause_s)));
		pause_s = pause_s < 0.1 ? pause_s * 2 : pause_s;
	}
}
