// SPDX-License-Identifier: MIT
/*
 * The rendezvous: one thread that owns listeners, connections and worlds, and
 * touches them alone, without locks. rdv.c runs the loop and the connections,
 * rdv_round.c gathers PEs into worlds, rdv_world.c serves worlds that have formed.
 */
#ifndef MORI_BOOT_RDV_H
#define MORI_BOOT_RDV_H

#include <pthread.h>

#include "boot/listen.h"
#include "boot/uid.h"
#include "boot/wire.h"

/* What an epoll event points at: the first member of each. */
enum source_kind { SOURCE_WAKE, SOURCE_LISTENER, SOURCE_CONN };

struct source {
	enum source_kind kind;
	int fd;
};

/* Bytes for one or more connections. */
struct msg {
	int refs;
	size_t len;
	struct wire_head head;
	uint8_t body[];
};

struct pending {
	struct pending *next;
	struct msg *msg;
	size_t sent;
};

struct conn {
	struct source source;
	struct conn *next; /* in rdv->strangers, oldest first, or rdv->known */
	struct rdv *rdv;
	int known;	  /* has proved the secret */
	int broken;	  /* to be closed at the end of this turn of the loop */
	int bye;	  /* has said goodbye */
	int refused;	  /* its round failed and it was told */
	int hello_over;	  /* a stranger that got its answer: closed once that is sent */
	int64_t deadline; /* of a stranger's hello */
	struct wire_hello hello;
	size_t hello_have;
	struct wire_in in;
	struct pending *out, **out_end;
	int wants_out; /* EPOLLOUT is asked for */
	int has_proc;
	struct wire_proc proc;
	struct world *world; /* forming or formed; NULL before the first join */
	int n_joined;	     /* PEs it joined with */
	int proc_index;	     /* in a formed world */
};

struct coll {
	struct coll *next;
	uint64_t seq;
	enum wire_kind kind;
	uint64_t len;
	int n_came;
	uint8_t *came; /* by rank */
	int bad, status;
	char *text;	      /* agree: of the lowest rank that failed */
	struct msg *gathered; /* allgather: the result as it fills */
	int first;	      /* the rank that opened it */
};

/* A round while it forms, a world once all have come. */
struct world {
	struct world *prev, *next;
	int formed;
	int nranks;
	uint32_t blob_len;
	int n_joined;
	int first; /* the rank that opened the round */
	int64_t deadline;
	double timeout_s;      /* of the joiner that set the deadline */
	struct conn **by_rank; /* while forming */
	uint8_t *blobs;
	/* once formed */
	int n_procs;
	struct wire_proc *procs;
	struct conn **conns; /* by process; NULL when it has gone */
	int32_t *proc_of;    /* by rank */
	int n_conns;
	int n_left; /* processes that said goodbye */
	int lost;   /* a process is lost: no collective can complete */
	struct coll *colls;
	uint64_t n_done; /* collectives with a lower number are over */
};

/*
 * The last round that failed, for those who come too late to hear it. Twice, where
 * it failed because PEs disagree on their number: for each number of them.
 */
struct failure {
	int nranks[2];	  /* 0: none */
	uint8_t *told[2]; /* by rank */
	int status;
	char text[WIRE_TEXT];
};

struct rdv {
	struct rdv *next; /* registry */
	pid_t pid;
	unsigned char uid_bytes[BOOT_UID_BYTES];
	struct uid uid;
	int one_shot; /* of boot_find(): ends with its first job, also one that failed */
	pthread_t thread;
	int epoll;
	struct source wake;
	struct source *listeners;
	int n_listeners;
	int64_t deaf_until; /* out of descriptors: do not accept before */
	struct conn *strangers, *known;
	int n_strangers, n_known, n_broken;
	struct world *forming, *worlds;
	struct failure failure;
	char host[WIRE_HOST];
	int published; /* whoever says the key is given the id */
	uint8_t key[WIRE_SECRET];
	int closing; /* atomic: set by boot_close_rdv() */
	int64_t close_by;
};

/*
 * As boot_open_rdv(). With @extra, also listen there (taken, also on error) and hand
 * the id to whoever says @key. @one_shot: see the struct.
 */
int rdv_open(const struct boot_config *config, int one_shot, struct listeners *extra,
	     const uint8_t *key, unsigned char uid[BOOT_UID_BYTES]);
/* 1 if this process hosts it; *one_shot as it was opened. */
int rdv_is_here(const unsigned char uid[BOOT_UID_BYTES], int *one_shot);

/* rdv.c, for the thread's other files */
struct msg *msg_new(enum wire_type type, size_t len);
void msg_put(struct msg *m);
/* Sends or queues; the caller keeps its reference. A failure marks @c as broken. */
void conn_send(struct conn *c, struct msg *m);
void conn_break(struct conn *c);
void *rdv_main(void *rdv);
void rdv_free(struct rdv *r);

/* rdv_round.c */
void round_join(struct conn *c, const struct wire_join *join, const uint8_t *blob);
void round_gone(struct conn *c); /* its connection ended while the round formed */
void round_fail(struct rdv *r, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void round_expire(struct rdv *r, int64_t now);
void failure_clear(struct failure *f);

/* rdv_world.c */
int world_form(struct world *w); /* 0, or MORI_SHMEM_ENOMEM and nothing changed */
void world_coll(struct conn *c, const uint8_t *body, size_t len);
void world_end(struct conn *c, const uint8_t *text, size_t len);
void world_gone(struct conn *c); /* by goodbye or not */
void world_free(struct world *w);

#endif
