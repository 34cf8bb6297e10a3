// SPDX-License-Identifier: MIT
/*
 * The link over plain TCP sockets. Large data goes from the source to the socket and from the
 * socket to its destination, without a copy in between. sock.c connects and finds the sockets
 * that are ready, sock_greet.c exchanges greetings, sock_io.c reads and writes.
 */
#ifndef MORI_NET_SOCK_H
#define MORI_NET_SOCK_H

#include "net/engine.h"
#include "stream/acceptor.h"

#define SOCK_RX	   COPIED_BYTES /* receive buffer of a socket */
#define SOCK_STAGE (64u << 10)	/* device memory is staged in buffers of this size */
#define SOCK_QUEUE (256u << 10) /* bytes copied and not sent, of one connection */
#define SOCK_OUTS  256u		/* messages not sent, of one connection */

/* A message that the socket has not taken yet. */
struct sock_out {
	struct sock_out *next;
	struct net_msg head;
	size_t sent; /* of head and data */
	const uint8_t *data;
	size_t len;
	struct net_batch *batch;
	bool device;
	bool stable;
	bool fault; /* the data cannot be read: zeros are sent in its place, to keep the stream whole */
	size_t stage_at, stage_len; /* the part of a device's data that own[] holds */
	uint8_t own[];
};

enum sock_state { SOCK_WAITING /* to connect again */, SOCK_CONNECTING, SOCK_GREETED, SOCK_OPEN };

struct sock {
	struct sock *next;
	int fd;
	enum sock_state state;
	struct net_conn *c;    /* that opened it */
	struct net_conn *back; /* the other direction, from its first use on; NULL before */
	struct net_conn *on;   /* of the two, whose message is being received */
	uint64_t nonce;
	int64_t when;	 /* to connect again */
	uint32_t tries;	 /* that failed */
	uint32_t events; /* that epoll reports */
	struct sock_out *out, **out_end;
	uint32_t n_out;
	size_t out_bytes;
	/* receiving */
	size_t at, have; /* of buf[] */
	bool in_data;
	struct net_msg head;
	uint8_t *sink; /* NULL: drop it */
	bool device;
	size_t left;
	int status;
	uint8_t buf[SOCK_RX];
};

struct sock_link {
	struct acceptor acceptor;
	int wake;  /* an eventfd */
	int epoll; /* the acceptor and the sockets */
	int sleep; /* in which the thread sleeps: wake, and epoll unless that is muted */
	struct sock *socks, *dead;
	int n_socks, n_connecting;
	int n_waiting; /* atomic: of these, those that will connect again */
	uint32_t ticks;
	bool muted;	/* what arrives does not end the thread's sleep */
	uint32_t steps; /* since then */
	bool unplugged; /* epoll does not watch open sockets meanwhile */
	int woken;	/* atomic: the thread was woken */
};

/* sock.c */
void sock_plug(struct net *e, struct sock *s);
/* A socket on its way to the process; -errno. */
int sock_dial(const struct net *e, int proc);
struct sock *sock_new(struct net *e, int fd, enum sock_state state);
/* Takes it off the list and closes it; its memory stays until no event can lead to it. */
void sock_drop(struct sock_link *l, struct sock *s);
bool sock_is_up(const struct net_conn *c);
/* @c sends its requests over the connection that serves its process. */
void sock_share(struct net *e, struct net_conn *c);
void sock_opened(struct net *e, struct sock *s); /* the greetings were good */
/* sock_greet.c */
int sock_step_greeting(struct net *e, struct sock *s); /* whether something happened */
enum acceptor_verdict sock_hear(void *net, struct acceptor_stranger *s);
/* sock_io.c. Each ends the connection if the socket has failed. */
int sock_send(struct net *e, struct net_conn *c, const struct net_msg *m, const struct net_buf *p);
int sock_flush(struct net *e, struct sock *s); /* how often something happened */
int sock_read(struct net *e, struct sock *s);  /* how many times it read */
/* Drops what was not sent, and completes its requests with @status. */
void sock_drop_out(struct sock *s, int status);
void sock_region_gone(struct net *e, struct sock *s, const struct net_region *r);

#endif
