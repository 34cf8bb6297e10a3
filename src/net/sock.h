// SPDX-License-Identifier: MIT
/*
 * The link over plain TCP sockets. Large data goes from the source to the socket and
 * from the socket to its place, without a copy in between. sock.c connects and finds
 * out what is ready, sock_io.c reads and writes.
 */
#ifndef MORI_NET_SOCK_H
#define MORI_NET_SOCK_H

#include "net/engine.h"

#define SOCK_RX	   (32u << 10)	/* receive buffer of a socket */
#define SOCK_STAGE (64u << 10)	/* data of a device goes through so much at a time */
#define SOCK_QUEUE (256u << 10) /* bytes copied and not sent, of one connection */
#define SOCK_OUTS  256u		/* messages not sent, of one connection */

/* A message that the socket has not taken yet. */
struct out {
	struct out *next;
	struct msg head;
	size_t sent; /* of head and data */
	const uint8_t *data;
	size_t len;
	struct batch *batch;
	bool device;
	bool stable;
	size_t stage_at, stage_len; /* of the data, what own[] holds for a device */
	uint8_t own[];
};

enum sock_state { SOCK_CONNECTING, SOCK_HELLO, SOCK_OPEN };

struct sock {
	struct sock *next;
	int fd;
	enum sock_state state;
	struct conn *c;	   /* who made it; NULL: a stranger so far */
	struct conn *back; /* the other direction, from its first use on; NULL before */
	struct conn *on;   /* of the two, whose message is being received */
	uint64_t nonce;
	int64_t deadline; /* of a stranger */
	uint32_t events;  /* what epoll is asked to tell */
	struct out *out, **out_end;
	uint32_t n_out;
	size_t out_bytes;
	/* receiving */
	size_t at, have; /* of buf[] */
	bool in_data;
	struct msg head;
	uint8_t *sink; /* NULL: drop it */
	bool device;
	size_t left;
	int status;
	uint8_t buf[SOCK_RX];
};

/* sock.c */
void sock_plug(struct engine *e, struct sock *s);
/* sock_io.c. Each ends the connection where the socket has failed. */
int sock_send(struct engine *e, struct conn *c, const struct msg *m, const struct piece *p);
int sock_flush(struct engine *e, struct sock *s); /* how often something happened */
int sock_read(struct engine *e, struct sock *s);  /* how many times it read */
/* Tell those who wait for what was not sent, and drop it. */
void sock_drop_out(struct sock *s, int status);
void sock_region_gone(struct engine *e, struct sock *s, const struct region *r);

#endif
