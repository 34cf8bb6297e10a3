// SPDX-License-Identifier: MIT
/*
 * One process in one world, for the files that make it up: boot.c joins and leaves, link.c
 * connects, reader.c is the thread that receives, gather.c the collectives, fds.c the descriptors.
 *
 * Locks, in this order: that of local.c (refs, members while forming), then watch_lock, then lock
 * (all else that changes). send_lock, for writing to the connection, is taken alone.
 */
#ifndef MORI_BOOT_BOOT_PRIV_H
#define MORI_BOOT_BOOT_PRIV_H

#include <pthread.h>
#include <sys/types.h>

#include "boot/boot.h"
#include "boot/uid.h"
#include "boot/wire.h"
#include "stream/acceptor.h"

#define LINK_GRACE_S 5.0 /* how long the rendezvous may take to respond beyond a time-out */

enum boot_proc { BOOT_PROC_LIVE, BOOT_PROC_LOST, BOOT_PROC_EXITED };
enum boot_state { BOOT_CONNECTING, BOOT_FORMING, BOOT_LIVE, BOOT_FAILED };
enum member_state { MEMBER_JOINING, MEMBER_IN, MEMBER_REFUSED, MEMBER_AGAIN };

/* A PE of this process. */
struct boot_member {
	int rank;
	enum member_state state;
	int status; /* why it was refused */
	char *text;
	uint64_t seq; /* of its next collective */
};

/* A collective as the PEs of this process see it. */
struct boot_gather {
	struct boot_gather *next;
	uint64_t seq;
	enum wire_kind kind;
	size_t len;
	int left;	 /* PEs of this process that have taken the result */
	int n_parts;	 /* PEs that have contributed; never more than n_in */
	int n_sent;	 /* how many of these were sent */
	uint32_t *ranks; /* that have contributed, in order; entries never change */
	uint8_t *parts;
	int bad, status; /* agree: the lowest of them that failed */
	char *text;
	int asked; /* the rendezvous was notified of the time-out */
	int done;
	struct wire_result result;
	uint8_t *body; /* the frame the result came in; data or text at @data */
	const uint8_t *data;
	size_t data_len;
};

struct fds_parcel { /* descriptors that have arrived */
	struct fds_parcel *next;
	int from;
	uint32_t tag;
	int n;			  /* -1: some were lost on the way */
	struct wire_no_fds *none; /* why none come; NULL: they came */
	int fds[];
};

struct boot_watcher {
	boot_lost_fn lost;
	void *arg;
};

struct boot {
	struct boot *next; /* of local.c */
	int refs;	   /* under the lock of local.c */
	pid_t pid;
	unsigned char uid[BOOT_UID_BYTES];
	int alone; /* boot_alone(): no sockets, no thread */

	pthread_mutex_t lock;
	pthread_cond_t cond;
	enum boot_state state;
	int status; /* FAILED, or LIVE and broken; else 0 */
	char text[WIRE_TEXT];
	struct boot_member **members; /* this process's PEs; fixed once LIVE */
	int n_members;
	struct boot_gather *gathers;
	struct fds_parcel *parcels;
	int no_room;   /* for descriptors that others send */
	uint8_t *lost; /* by process, enum boot_proc; atomic */

	pthread_mutex_t send_lock;
	int fd;	     /* to the rendezvous */
	int wake_fd; /* stops the reader */
	pthread_t reader;
	int has_reader;
	int leaving; /* goodbye was said */
	int64_t leave_by;
	struct wire_in in;	  /* this and the next ones: only for the reader */
	struct acceptor acceptor; /* of descriptors, once the secret is known */
	int has_table;
	int link_down;
	int robbed; /* the program has closed these descriptors */
	int closed; /* the rendezvous has reported its end */
	struct wire_server server;

	pthread_mutex_t watch_lock;
	struct boot_watcher *watchers;
	int n_watchers;
	boot_hear_fn hear; /* watch_lock: of boot_listen() */
	void *hear_arg;
	int host_lost;		    /* watch_lock: the rendezvous was lost, and no PE with it */
	char abort_text[WIRE_TEXT]; /* watch_lock: why a PE ended the job; "" before */

	uint8_t key[MAC_BYTES];	   /* the secret of the id */
	uint8_t secret[MAC_BYTES]; /* of the job */
	struct wire_proc me;
	/* The table; fixed once LIVE. */
	uint8_t *blobs;
	struct wire_table info;
	struct wire_entry *procs;
	struct boot_peer *peers;
	struct boot_member **by_rank; /* NULL for PEs elsewhere */
	int n_in;		      /* how many are not NULL */
	int my_proc;
};

/* link.c: connects and greets, or err_set() */
int link_connect(const struct uid *uid, double report_s, int64_t deadline, int *fd,
		 struct wire_server *server);
/*
 * Connects to @sa, greets with @kind and checks the answer: 0 or -errno; -EPERM if the other side
 * does not know @key, -EPROTO if it answers with another version.
 */
int link_greet(const struct sockaddr *sa, socklen_t len, const uint8_t *key, enum greet_kind kind,
	       int64_t deadline, struct greeting *answer, int *fd);

/* boot.c */
/* Sends a frame of up to three buffers. A failure breaks the world. */
int boot_send(struct boot *b, enum wire_type type, const struct iovec *parts, int n,
	      int64_t deadline);
/* With the lock held: this world, or this attempt to form one, has failed. */
void boot_break(struct boot *b, int status, const char *text);
int boot_cond_wait(struct boot *b, int64_t deadline); /* 0, or 1 after the deadline */
void boot_free(struct boot *b);

/* table.c: fills in what the accessors return, with the lock held; 0 or MORI_SHMEM_E* */
int table_take(struct boot *b, const uint8_t *body, size_t len);
/* As text_who(). */
int table_who(const struct boot *b, int proc, char *buf, size_t size);
/* A table of one PE, for boot_alone(). */
int table_alone(struct boot *b, const void *blob, size_t len);
void table_free(struct boot *b);

/* reader.c */
void *reader_main(void *boot);
/* A PE, of this process or another, has ended the job. */
void reader_aborted(struct boot *b, const char *text);

/* gather.c */
void gather_result(struct boot *b, uint8_t *body, size_t len); /* takes @body */
void gather_end_all(struct boot *b);			       /* with the lock held */
void gather_free_all(struct boot *b);

/* fds.c */
int fds_listen(struct boot *b);
void fds_none(struct boot *b, const uint8_t *body, size_t len); /* they do not come */
void fds_turn(struct boot *b);					/* takes those that have come */
void fds_free(struct boot *b);

#endif
