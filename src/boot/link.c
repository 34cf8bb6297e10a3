// SPDX-License-Identifier: MIT
/*
 * Reaching a rendezvous by its id. A pass tries every address once. If in one pass every address
 * refused the connection or belongs to somebody else, nobody listens: that is final at once on
 * the listener's own node, after a few passes from elsewhere. Silence (a network that is slow to
 * come up, a busy host) is waited out.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "boot/boot_priv.h"
#include "boot/node.h"
#include "stream/socket.h"
#include "util/backoff.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#define DIAL_S	    3.0 /* for one address */
#define ANSWER_S    10.0
#define PASSES_AWAY 5
#define DROPS_MAX   20 /* connections that ended before the answer: too busy, or no rendezvous */
#define ADDRS_MAX   (UID_ADDRS_MAX + 2)

/* An answer has come: 0, or why it is not the right one. */
static int link_check(const struct greeting *answer, const uint8_t *key, uint64_t nonce)
{
	if (!greet_is_one(answer, sizeof(*answer)))
		return -EPERM;
	if (answer->version != GREET_VERSION)
		return -EPROTO;
	return greet_check(answer, key, GREET_ACCEPTED) && answer->nonce == nonce ? 0 : -EPERM;
}

int link_greet(const struct sockaddr *sa, socklen_t len, const uint8_t *key, enum greet_kind kind,
	       int64_t deadline, struct greeting *answer, int *out)
{
	int fd = socket_dial(sa, len), err;
	struct greeting mine;

	if (fd < 0) /* EPERM says here that the key is wrong */
		return errno == EPERM ? -EACCES : -errno;
	err = socket_wait(fd, POLLOUT, clock_sooner(deadline, DIAL_S));
	if (!err)
		err = socket_error(fd);
	socket_tune(fd);
	deadline = clock_sooner(deadline, ANSWER_S);
	if (!err)
		err = greet_make(&mine, key, kind, 0, 0, 0);
	if (!err)
		err = socket_send(fd, &(struct iovec){ &mine, sizeof(mine) }, 1, deadline);
	if (!err) {
		err = socket_recv(fd, answer, sizeof(*answer), deadline);
		/* Somebody is there, but is silent. */
		err = err == -ETIMEDOUT ? -EAGAIN : err ? err : link_check(answer, key, mine.nonce);
	}
	if (err)
		socket_close(fd);
	else
		*out = fd;
	return err;
}

struct link_targets {
	struct ip_addr addrs[ADDRS_MAX];
	int n;
	int n_loopback; /* how many of them, first */
	int same_node;
	int err;    /* the last one */
	int drops;  /* in a row */
	int passes; /* in a row, in which nobody listened */
	uint32_t version;
};

static void link_targets_set(struct link_targets *t, const struct uid *uid)
{
	static const struct ip_addr loopback[2] = {
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

/* The result of a pass is the most hopeful of those of its addresses, or LINK_UNABLE. */
enum link_outcome {
	LINK_IN,
	LINK_NOBODY,
	LINK_DENIED, /* by this system */
	LINK_FOREIGN,
	LINK_OTHER_VERSION,
	LINK_DROPPED,
	LINK_SILENT,
	LINK_UNABLE,
};

static enum link_outcome link_outcome_of(int err, int family)
{
	switch (err) {
	case 0:
		return LINK_IN;
	case -EPERM:
		return LINK_FOREIGN;
	case -EPROTO:
		return LINK_OTHER_VERSION;
	case -ECONNRESET:
	case -EPIPE:
		return LINK_DROPPED;
	case -ECONNREFUSED:
	case -EAFNOSUPPORT:
	case -ENETUNREACH:
	case -EINVAL: /* loopback to an address of another scope */
		return LINK_NOBODY;
	case -EACCES:
		return LINK_DENIED;
	case -EADDRNOTAVAIL: /* no IPv6 here; or no port left, for the moment */
		return family == 6 ? LINK_NOBODY : LINK_SILENT;
	default:
		return socket_no_room(-err) ? LINK_UNABLE : LINK_SILENT;
	}
}

static enum link_outcome link_pass(struct link_targets *t, const struct uid *uid, int64_t deadline,
				   int *fd, struct wire_server *server)
{
	enum link_outcome best = LINK_NOBODY, loopback = LINK_NOBODY;

	for (int i = 0; i < t->n; i++) {
		struct sockaddr_storage sa;
		socklen_t len = ip_sockaddr(&t->addrs[i], uid->port, &sa);
		struct greeting answer = { 0 };
		int err = link_greet((struct sockaddr *)&sa, len, uid->secret, GREET_JOIN, deadline,
				     &answer, fd);
		enum link_outcome outcome;
		char text[64];

		if (!err) {
			err = socket_recv(*fd, server, sizeof(*server), deadline);
			if (err)
				socket_close(*fd);
		}
		outcome = link_outcome_of(err, t->addrs[i].family);
		t->err = err;
		if (outcome == LINK_IN || outcome == LINK_UNABLE)
			return outcome;
		if (outcome == LINK_OTHER_VERSION)
			t->version = answer.version;
		ip_text(text, sizeof(text), &t->addrs[i], uid->port);
		log_debug("rendezvous at %s: %s", text, strerror(-err));
		if (outcome > best)
			best = outcome;
		if (i < t->n_loopback && outcome > loopback)
			loopback = outcome;
	}
	/* Nobody at the listener's own loopback: an address that is silent does not matter. */
	if (t->same_node && t->n_loopback && best == LINK_SILENT)
		return loopback;
	return best;
}

static int link_error(const struct link_targets *t, const struct uid *uid, enum link_outcome p)
{
	char where[64] = "loopback";

	if (t->n)
		ip_text(where, sizeof(where), &t->addrs[0], uid->port);
	switch (p) {
	case LINK_UNABLE:
		return err_set(MORI_SHMEM_EIO, "cannot open a socket: %s", strerror(-t->err));
	case LINK_OTHER_VERSION:
		return err_set(MORI_SHMEM_EABI,
			       "the rendezvous at %s speaks version %u of the protocol, this "
			       "library speaks version %u",
			       where, t->version, GREET_VERSION);
	case LINK_FOREIGN:
	case LINK_DROPPED:
		return err_set(
			MORI_SHMEM_EREACH,
			"foreign unique id: the listener at %s is not the rendezvous of this "
			"id (its job has ended, or the id is of another job)",
			where);
	case LINK_DENIED:
		return err_set(
			MORI_SHMEM_EREACH,
			"this process may not connect to the rendezvous at %s: %s (a firewall, "
			"or a filter of system calls)",
			where, strerror(EACCES));
	case LINK_NOBODY:
		return err_set(
			MORI_SHMEM_EREACH,
			"stale unique id: nobody listens at %s (the process that made the id "
			"has finalized or ended)",
			where);
	default:
		return err_set(MORI_SHMEM_EREACH,
			       "no answer from the rendezvous at %s and %d more addresses in time "
			       "(%s); MORI_SOCKET_IFNAME chooses the interface",
			       where, t->n ? t->n - 1 : 0, strerror(-t->err));
	}
}

/* Whether @p, after the passes before it, is final. */
static int link_is_final(struct link_targets *t, enum link_outcome p)
{
	t->drops = p == LINK_DROPPED ? t->drops + 1 : 0;
	t->passes = p < LINK_DROPPED ? t->passes + 1 : 0;
	return p == LINK_UNABLE || t->drops >= DROPS_MAX ||
	       t->passes >= (t->same_node ? 1 : PASSES_AWAY);
}

int link_connect(const struct uid *uid, double report_s, int64_t deadline, int *fd,
		 struct wire_server *server)
{
	struct clock_lasting lasting = clock_lasting(report_s);
	struct backoff pause = backoff_start(BACKOFF_CONNECT, NULL);
	struct link_targets t;
	char where[64];

	link_targets_set(&t, uid);
	for (;;) {
		enum link_outcome p = link_pass(&t, uid, deadline, fd, server);

		if (p == LINK_IN)
			return 0;
		if (link_is_final(&t, p) || clock_left_ms(deadline) == 0)
			return link_error(&t, uid, p);
		if (clock_lasts(&lasting, clock_now())) {
			ip_text(where, sizeof(where), &t.addrs[0], uid->port);
			log_warn("mori_shmem_init has waited for %.3g s for an answer of the "
				 "rendezvous at %s%s",
				 (double)(clock_now() - lasting.since) / 1e9, where,
				 t.n > 1 ? " and its other addresses" : "");
		}
		backoff_wait(&pause);
	}
}
