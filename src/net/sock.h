// SPDX-License-Identifier: MIT
/*
 * The link over plain TCP sockets. Large data goes from the source to the socket and
 * from the socket to its place, without a copy in between. sock.c connects and finds
 * out what is ready, sock_greet.c lets in who belongs to the job, sock_io.c reads and writes.
 */
#ifndef MORI_NET_SOCK_H
#define MORI_NET_SOCK_H

#include "net/engine.h"

#define SOCK_RX	     (32u << 10)  /* receive buffer of a socket */
#define SOCK_STAGE   (64u << 10)  /* data of a device goes through so much at a time */
#define SOCK_QUEUE   (256u << 10) /* bytes copied and not sent, of one connection */
#define SOCK_DEAF_NS 50000000 /* between two tries to let somebody in where that was not possible */
#define SOCK_OUTS    256u     /* messages not sent, of one connection */

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
	bool fault; /* the data cannot be read: zeros go in its place, for the stream to go on */
	size_t stage_at, stage_len; /* of the data, what own[] holds for a device */
	uint8_t own[];
};

enum sock_state { SOCK_WAITING /* to connect again */, SOCK_CONNECTING, SOCK_HELLO, SOCK_OPEN };

struct sock {
	struct sock *next;
	int fd;
	enum sock_state state;
	struct conn *c;	   /* who made it; NULL: a stranger so far */
	struct conn *back; /* the other direction, from its first use on; NULL before */
	struct conn *on;   /* of the two, whose message is being received */
	uint64_t nonce;
	int64_t when;	 /* a stranger came; or to connect again */
	uint32_t tries;	 /* that were in vain */
	uint32_t events; /* what epoll is asked to tell */
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

struct sock_link {
	int listener, wake;
	int epoll; /* the listener and the sockets */
	int sleep; /* what the thread sleeps in: wake, and epoll unless somebody holds it */
	struct sock *socks, *dead;
	int n_socks, n_strangers, n_connecting;
	int n_waiting; /* atomic: of these, those that will connect again */
	int64_t swept; /* when strangers were last looked at whether they spoke or not */
	bool full;     /* of strangers: who comes waits */
	uint32_t ticks;
	bool held;	/* what comes does not end the thread's sleep */
	uint32_t steps; /* since then */
	bool unplugged; /* sockets that are open are not epoll's meanwhile */
	int look;	/* atomic: the thread was woken */
	int64_t deaf;	/* atomic: nobody can be let in before that time; 0: whoever comes is */
};

/* sock.c */
void sock_plug(struct engine *e, struct sock *s);
/* A socket on its way to the process; -errno. */
int sock_dial(const struct engine *e, int proc);
struct sock *sock_new(struct engine *e, int fd, enum sock_state state);
/* Off the list and closed; its memory stays until nobody can be looking at it. */
void sock_drop(struct sock_link *l, struct sock *s);
bool sock_is_up(const struct conn *c);
/* @c asks over the connection by which its process asks us. */
void sock_share(struct engine *e, struct conn *c);
void sock_opened(struct engine *e, struct sock *s); /* both sides have greeted */
/* sock_greet.c */
int greet_step(struct engine *e, struct sock *s); /* whether something happened */
/* Whether it is time to look at strangers who have not spoken. */
bool greet_sweeps(struct engine *e);
void greet_accept(struct engine *e);
/* Somebody may be waiting, and a descriptor or a stranger's place free again. */
void greet_hear(struct engine *e);
/* sock_io.c. Each ends the connection where the socket has failed. */
int sock_send(struct engine *e, struct conn *c, const struct msg *m, const struct piece *p);
int sock_flush(struct engine *e, struct sock *s); /* how often something happened */
int sock_read(struct engine *e, struct sock *s);  /* how many times it read */
/* Tell those who wait for what was not sent, and drop it. */
void sock_drop_out(struct sock *s, int status);
void sock_region_gone(struct engine *e, struct sock *s, const struct region *r);

#endif
