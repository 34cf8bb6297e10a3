// SPDX-License-Identifier: MIT
/*
 * One process in one world, for the files that make it up: boot.c joins and
 * leaves, link.c connects, reader.c is the thread that listens, gather.c the
 * collectives, fds.c the descriptors.
 *
 * Locks, in this order: the registry (refs, members while forming), then watch_lock,
 * then lock (all else that changes). send_lock is taken alone: whoever holds it writes.
 */
#ifndef MORI_BOOT_BOOT_PRIV_H
#define MORI_BOOT_BOOT_PRIV_H

#include <pthread.h>
#include <sys/types.h>

#include "boot/boot.h"
#include "boot/uid.h"
#include "boot/wire.h"

#define LINK_GRACE_S 5.0 /* what an answer of the rendezvous may take beyond a time-out */

enum boot_state { BOOT_CONNECTING, BOOT_FORMING, BOOT_LIVE, BOOT_FAILED };
enum member_state { MEMBER_JOINING, MEMBER_IN, MEMBER_REFUSED, MEMBER_AGAIN };

/* A PE of this process. */
struct member {
	int rank;
	enum member_state state;
	int status; /* why it was refused */
	char *text;
	uint64_t seq; /* of its next collective */
};

/* A collective as the PEs of this process see it. */
struct gather {
	struct gather *next;
	uint64_t seq;
	enum wire_kind kind;
	size_t len;
	int left;	 /* PEs of this process that have taken the result */
	int n_parts;	 /* PEs that gave a part; never more than n_in */
	int n_sent;	 /* how many of these were sent */
	uint32_t *ranks; /* who gave, in the order of coming; entries never change */
	uint8_t *parts;
	int bad, status; /* agree: the lowest of them that failed */
	char *text;
	int asked; /* the rendezvous was told that time is up */
	int done;
	struct wire_result result;
	uint8_t *body; /* the frame the result came in; data or text at @data */
	const uint8_t *data;
	size_t data_len;
};

struct parcel { /* descriptors that have come */
	struct parcel *next;
	int from;
	uint32_t tag;
	int n; /* -1: some were lost on the way */
	int fds[];
};

struct caller { /* somebody on the unix socket who has not spoken yet */
	int fd;
	int64_t deadline;
};

struct watcher {
	boot_lost_fn lost;
	void *arg;
};

#define FDS_CALLERS 1024
#define FDS_ACCEPTS 64 /* let in at a time, so that the rendezvous is heard meanwhile */

struct boot {
	struct boot *next; /* registry */
	int refs;	   /* registry lock */
	pid_t pid;
	unsigned char uid[BOOT_UID_BYTES];
	int alone; /* boot_alone(): no sockets, no thread */

	pthread_mutex_t lock;
	pthread_cond_t cond;
	enum boot_state state;
	int status; /* FAILED, or LIVE and broken; 0 while all is well */
	char text[WIRE_TEXT];
	struct member **members; /* this process's PEs; fixed once LIVE */
	int n_members;
	struct gather *gathers;
	struct parcel *parcels;
	uint8_t *lost; /* by process; atomic */

	pthread_mutex_t send_lock;
	int fd;	     /* to the rendezvous */
	int unix_fd; /* where descriptors arrive; -1 for none */
	int wake_fd; /* stops the reader */
	pthread_t reader;
	int has_reader;
	int leaving; /* goodbye was said */
	int64_t leave_by;
	struct wire_in in; /* reader only, as the next ones */
	int has_table;	   /* callers wait until then: the secret is in it */
	int link_down;
	int closed;		/* the rendezvous has said that it ends */
	struct caller *callers; /* FDS_CALLERS at most; others wait to be let in */
	int n_callers, cap_callers;
	struct wire_reply server;

	pthread_mutex_t watch_lock;
	struct watcher *watchers;
	int n_watchers;
	int host_lost;		    /* watch_lock: the rendezvous went without a PE */
	char abort_text[WIRE_TEXT]; /* watch_lock: why a PE ended the job; "" while none has */

	struct wire_proc me;
	/* The table; fixed once LIVE. */
	uint8_t *blobs;
	struct wire_table info;
	struct wire_entry *procs;
	struct boot_peer *peers;
	struct member **by_rank; /* NULL for PEs elsewhere */
	int n_in;		 /* how many are not NULL */
	int my_proc;
};

/* link.c: connect and be welcomed, or err_set() */
int link_connect(const struct uid *uid, int64_t deadline, int *fd, struct wire_reply *reply);
/* One connection to @sa with one hello: 0, -errno, or one of these. */
enum { LINK_FOREIGN = 1, LINK_OLD = 2 };
int link_hello(const struct sockaddr *sa, socklen_t len, const struct wire_hello *hello,
	       const uint8_t proof[WIRE_SECRET], int64_t deadline, int *fd,
	       struct wire_reply *reply);

/* boot.c */
/* A frame of up to three parts. On a failure the world is broken. */
int boot_send(struct boot *b, enum wire_type type, const struct iovec *parts, int n,
	      int64_t deadline);
/* With the lock held: nothing more will come of this world, or this attempt. */
void boot_break(struct boot *b, int status, const char *text);
int boot_cond_wait(struct boot *b, int64_t deadline); /* 0, or 1 when time is up */
void boot_free(struct boot *b);

/* table.c: make the accessors work, with the lock held; 0 or MORI_SHMEM_E* */
int table_take(struct boot *b, const uint8_t *body, size_t len);
/* As text_who(). */
int table_who(const struct boot *b, int proc, char *buf, size_t size);
/* A table of one PE, for boot_alone(). */
int table_alone(struct boot *b, const void *blob, size_t len);
void table_free(struct boot *b);

/* reader.c */
void *reader_main(void *boot);
/* A PE, here or elsewhere, has ended the job. */
void reader_aborted(struct boot *b, const char *text);

/* gather.c */
void gather_result(struct boot *b, uint8_t *body, size_t len); /* takes @body */
void gather_end_all(struct boot *b);			       /* with the lock held */
void gather_free_all(struct boot *b);

/* fds.c */
int fds_listen(struct boot *b);
void fds_accept(struct boot *b);
/* 1: the caller has spoken, or is dropped. */
int fds_hear(struct boot *b, int fd);
void fds_free(struct boot *b);

#endif
