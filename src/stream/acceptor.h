// SPDX-License-Identifier: MIT
/*
 * Listeners, and the strangers who have connected to them: a stranger is a connection whose
 * greeting has not been found good. At most ACCEPTOR_HELD strangers are held, each for some
 * seconds and without memory beyond its greeting; others wait in the kernel's queue, and none is
 * cut off because others came. Where no descriptor is free the listeners rest for a moment, so
 * that those who wait there do not keep the owner's loop running.
 *
 * The owner watches @epoll, and calls acceptor_turn() when it is readable or @due has passed.
 */
#ifndef MORI_STREAM_ACCEPTOR_H
#define MORI_STREAM_ACCEPTOR_H

#include "stream/greet.h"

#define ACCEPTOR_HELD	  256
#define ACCEPTOR_ACCEPTS  32	   /* in one turn, so that those held are read between */
#define ACCEPTOR_RETRY_NS 50000000 /* the rest of the listeners */

struct acceptor_stranger {
	struct acceptor_stranger *next;
	int fd;
	int64_t since;
	bool answered; /* it may hang up now: if we did, unread bytes would cut off the answer */
	size_t have;   /* bytes of the greeting */
	struct greeting greeting;
};

enum acceptor_verdict {
	ACCEPTOR_WAIT,	   /* for the rest of the greeting */
	ACCEPTOR_TAKEN,	   /* the descriptor is the owner's now */
	ACCEPTOR_ANSWERED, /* to be closed once it has read the answer */
	ACCEPTOR_DROP,
};

/* A stranger's descriptor is readable. */
typedef enum acceptor_verdict (*acceptor_fn)(void *arg, struct acceptor_stranger *s);

struct acceptor {
	int epoll;
	int64_t due; /* when the next turn is due even without an event */
	acceptor_fn hear;
	void *arg;
	int *listeners;
	int n_listeners;
	struct acceptor_stranger *oldest, **newest;
	int n_strangers;
	bool full;	  /* of strangers */
	int64_t no_room;  /* since when there is no descriptor; 0: there is */
	int64_t retry_at; /* atomic: the listeners rest until then; 0: they do not */
};

#define ACCEPTOR_CLOSED ((struct acceptor){ .epoll = -1, .due = INT64_MAX })

/* 0 or -errno; acceptor_close() undoes what there is. */
int acceptor_open(struct acceptor *a, acceptor_fn hear, void *arg);
/* Takes @listener, even if it fails. */
int acceptor_add(struct acceptor *a, int listener);
/* Leaves ACCEPTOR_CLOSED, which may be closed again. */
void acceptor_close(struct acceptor *a);

/* How many strangers were taken. */
int acceptor_turn(struct acceptor *a);
/* Reads what there is of the greeting; ACCEPTOR_TAKEN: all of it is there. */
enum acceptor_verdict acceptor_read(struct acceptor_stranger *s);
/* Answers with a refusal, which says our version. */
enum acceptor_verdict acceptor_refuse(struct acceptor_stranger *s);

/* Whether the listeners rest; any thread may ask. */
static inline bool acceptor_rests(const struct acceptor *a)
{
	return __atomic_load_n(&a->retry_at, __ATOMIC_RELAXED) != 0;
}

#endif
