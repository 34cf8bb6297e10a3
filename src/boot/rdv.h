// SPDX-License-Identifier: MIT
/*
 * The rendezvous: one thread that alone owns listeners, connections and worlds, without locks.
 * rdv.c runs the loop and the connections, rdv_round.c gathers PEs into worlds, rdv_world.c serves
 * worlds that have formed, rdv_still.c finds out that none of their PEs can go on, rdv_order.c does
 * what a launcher in the same process asks for, and rdv_ask.c collects who waits for what.
 */
#ifndef MORI_BOOT_RDV_H
#define MORI_BOOT_RDV_H

#include <pthread.h>
#include <stdio.h>

#include "boot/boot.h"
#include "boot/uid.h"
#include "boot/wire.h"
#include "stream/acceptor.h"
#include "stream/listen.h"
#include "util/clock.h"

/* Bytes for one or more connections. */
struct rdv_msg {
	int refs;
	size_t len;
	struct wire_head head;
	uint8_t body[];
};

struct rdv_pending {
	struct rdv_pending *next;
	struct rdv_msg *msg;
	size_t sent;
};

struct rdv_conn {
	int fd;
	struct rdv_conn *next;
	struct rdv *rdv;
	int broken;  /* to be closed at the end of this turn of the loop */
	int bye;     /* has said goodbye */
	int exits;   /* has said that it exits without */
	int refused; /* its round failed and it was notified */
	struct wire_in in;
	struct rdv_pending *out, **out_end;
	int wants_out; /* EPOLLOUT is requested */
	int has_proc;
	struct wire_proc proc;
	struct rdv_world *world; /* forming or formed; NULL before the first join */
	int n_joined;		 /* PEs it joined with */
	int proc_index;		 /* in a formed world */
	unsigned still;		 /* rdv_still.c: 0, or what it has said, with BOOT_YES */
	int confirmed;		 /* it is so for the question that is under way */
	char *waits;		 /* the text of that */
	char *answer; /* rdv_ask.c: to the last question of the launcher; NULL: none yet */
};

struct rdv_coll {
	struct rdv_coll *next;
	uint64_t seq;
	enum wire_kind kind;
	uint64_t len;
	int n_came;
	uint8_t *came; /* by rank */
	int bad, status;
	char *text;		  /* agree: of the lowest rank that failed */
	struct rdv_msg *gathered; /* allgather: the result as it fills */
	int first;		  /* the rank that opened it */
};

/* A round while it forms, a world once all PEs have joined. */
struct rdv_world {
	struct rdv_world *prev, *next;
	int formed;
	int nranks;
	uint32_t blob_len;
	int n_joined;
	int first; /* the rank that opened the round */
	int64_t deadline;
	double timeout_s;	      /* of the joiner that set the deadline */
	struct clock_lasting lasting; /* while forming: until it says who is missing */
	struct rdv_conn **by_rank;    /* while forming */
	uint8_t *blobs;
	/* once formed */
	int n_procs;
	struct wire_proc *procs;
	struct rdv_conn **conns; /* by process; NULL once it is closed */
	int32_t *proc_of;	 /* by rank */
	int n_conns;
	int n_left; /* processes that said goodbye */
	int lost;   /* a process is lost: no collective can complete */
	/* rdv_still.c */
	uint64_t question; /* the number of the last */
	int asking;	   /* 0, or the first or second time that it is asked */
	int64_t ask_at;	   /* when it is asked the second time; 0: not yet known */
	int reported;	   /* that all wait */
	struct rdv_coll *colls;
	uint64_t n_done; /* collectives with a lower number are over */
};

/*
 * The last round that failed, for ranks that join too late to be notified with the others. Two sets
 * if it failed because PEs disagree on their number: one for each number.
 */
struct rdv_failure {
	int nranks[2];	  /* 0: none */
	uint8_t *told[2]; /* by rank */
	int status;
	char text[WIRE_TEXT];
};

/* A set of ranks, of any world of the rendezvous. */
struct rdv_ranks {
	uint8_t *set;
	int n;
};

struct rdv_ended;
struct rdv_order;

struct rdv {
	struct rdv *next; /* of local.c */
	pid_t pid;
	unsigned char uid_bytes[BOOT_UID_BYTES];
	struct uid uid;
	int one_shot; /* of boot_find(): ends with its first job, even one that failed */
	pthread_t thread;
	int epoll;
	int wake; /* an eventfd */
	struct acceptor acceptor;
	uint64_t *nonces; /* of all greetings that were good: none is accepted again */
	size_t n_nonces;
	struct rdv_conn *conns;
	int n_conns, n_broken;
	struct rdv_world *forming, *worlds;
	struct rdv_failure failure;
	char host[WIRE_HOST];
	int published; /* the id goes to whoever knows the key */
	uint8_t key[MAC_BYTES];
	int closing; /* atomic: set by boot_close_rdv() */
	int spent;   /* atomic: its last job never formed, and nobody is here */
	int64_t close_by;
	struct rdv_ranks lost;	 /* PEs whose connection ended without a goodbye */
	struct rdv_ended *ended; /* processes that never join again; rdv_order.c */
	pthread_mutex_t order_lock;
	pthread_cond_t order_moved;
	struct rdv_order *order; /* of the launcher's thread; NULL: none */
	uint64_t question;	 /* of the launcher, the last */
	int64_t answer_by;	 /* when it is answered with what there is; 0: there is none */
	int blamed; /* order_lock: -1, or the first rank of the process; text says how it ended */
	char blamed_text[WIRE_TEXT];
};

/*
 * As boot_open_rdv(). With @extra it also listens there (taken, even on error) and sends the id to
 * whoever knows @key. @one_shot: see the struct.
 */
int rdv_open(const struct boot_config *config, int one_shot, struct listener_set *extra,
	     const uint8_t *key, unsigned char uid[BOOT_UID_BYTES]);
/* The one of this process with that id; NULL: none. */
struct rdv *rdv_here(const unsigned char uid[BOOT_UID_BYTES]);
/* 1 if this process hosts it; *one_shot as it was opened. */
int rdv_is_here(const unsigned char uid[BOOT_UID_BYTES], int *one_shot);

/* rdv.c, for the thread's other files */
struct rdv_msg *rdv_msg_new(enum wire_type type, size_t len);
void rdv_msg_put(struct rdv_msg *m);
/* Sends or queues; the caller keeps its reference. A failure marks @c as broken. */
void rdv_conn_send(struct rdv_conn *c, struct rdv_msg *m);
void rdv_conn_break(struct rdv_conn *c);
/* A stranger greets the rendezvous. */
enum acceptor_verdict rdv_hear(void *rdv, struct acceptor_stranger *s);
void *rdv_main(void *rdv);
void rdv_free(struct rdv *r);

/* rdv_round.c */
void rdv_round_join(struct rdv_conn *c, const struct wire_join *join, const uint8_t *blob);
void rdv_round_gone(struct rdv_conn *c); /* its connection ended while the round formed */
void rdv_round_fail(struct rdv *r, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Who has come, who has not, and for how long the round has formed. */
void rdv_round_text(const struct rdv_world *w, int64_t now, char *text, size_t size);
/* Reports a round that lasts, and ends one whose time is over. */
void rdv_round_turn(struct rdv *r, int64_t now);
/* When to call that; INT64_MAX: not at all. */
int64_t rdv_round_due(const struct rdv *r);
/* Fails the round if a rank that it lacks belongs to a process that has ended. */
void rdv_round_doomed(struct rdv *r);
void rdv_failure_clear(struct rdv_failure *f);

/* rdv_order.c */
void rdv_order_open(struct rdv *r);
void rdv_order_close(struct rdv *r);
/* Called when all that has arrived is read. */
void rdv_order_run(struct rdv *r);
/* The processes that have ended, a line each. */
void rdv_ended_text(const struct rdv *r, FILE *out);
/* 1 if a rank that the forming @w lacks has ended; @text says which and how. */
int rdv_ended_missing(struct rdv *r, const struct rdv_world *w, char *text, size_t size);
/* The connection of @rank has ended without a goodbye. */
void rdv_rank_lost(struct rdv *r, int rank);

/* rdv_ask.c */
/* Asks every process who waits for what, for the launcher. */
void rdv_ask(struct rdv *r, double timeout_s);
/* Whether all have answered, or it is too late. */
int rdv_ask_over(const struct rdv *r, int64_t now);
/* What they have answered, to be freed. */
char *rdv_ask_text(struct rdv *r);
void rdv_ask_hear(struct rdv_conn *c, uint64_t number, const char *text);

/* rdv_still.c */
struct rdv_msg *rdv_still_msg(enum boot_what what, unsigned flags, uint64_t number,
			      const char *text);
/* What a process says about its waits; -1: malformed. */
int rdv_still_hear(struct rdv_conn *c, const uint8_t *body, size_t len);
/* A process has left: the rest may be still. */
void rdv_still_left(struct rdv_world *w);
/* Asks the second time where that is due; and when the next is, or INT64_MAX. */
void rdv_still_turn(struct rdv *r, int64_t now);
int64_t rdv_still_due(const struct rdv *r);

/* rdv_world.c */
void rdv_world_send(struct rdv_world *w, struct rdv_msg *m);
int rdv_world_form(struct rdv_world *w); /* 0, or MORI_SHMEM_ENOMEM and nothing changed */
void rdv_world_coll(struct rdv_conn *c, const uint8_t *body, size_t len);
void rdv_world_no_fds(struct rdv_conn *c, const uint8_t *body);
void rdv_world_end(struct rdv_conn *c, const uint8_t *text, size_t len);
void rdv_world_gone(struct rdv_conn *c); /* by goodbye or not */
void rdv_world_free(struct rdv_world *w);

#endif
