// SPDX-License-Identifier: MIT
/*
 * What goes over the sockets of boot, and the sockets themselves. A connection
 * opens with one struct wire_hello and one struct wire_reply of fixed size; after
 * that it carries frames: a struct wire_head and its body. Integers are in the
 * byte order of the machine; the magic number of another order is refused.
 */
#ifndef MORI_BOOT_WIRE_H
#define MORI_BOOT_WIRE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>
#include <time.h>

#define WIRE_MAGIC   UINT64_C(0x6d6f72692d726476) /* "mori-rdv" */
#define WIRE_VERSION 1u
#define WIRE_SECRET  16
#define WIRE_HOST    64
#define WIRE_TEXT    512
/* Of one body: its length travels in 32 bits, and a wild one must not look like work. */
#define WIRE_BODY_MAX (1u << 30)

enum wire_what { WIRE_WHAT_JOIN = 1, WIRE_WHAT_ASK = 2 }; /* ASK: only the unique id */

struct wire_hello {
	uint64_t magic;
	uint32_t version;
	uint32_t what;
	uint8_t secret[WIRE_SECRET]; /* of the id for JOIN, the published key for ASK */
	uint8_t zero[32];
};

enum wire_answer { WIRE_WELCOME = 0, WIRE_FOREIGN = 1, WIRE_OTHER_VERSION = 2 };

struct wire_reply {
	uint64_t magic;
	uint32_t version;
	uint32_t answer;
	uint8_t secret[WIRE_SECRET]; /* the server's proof; zero unless welcome */
	int32_t pid;
	int32_t zero;
	char host[WIRE_HOST];
};

struct wire_head {
	uint32_t type;
	uint32_t len; /* of the body */
};

enum wire_type {
	/* to the rendezvous */
	WIRE_PROC = 1, /* struct wire_proc, once, first */
	WIRE_JOIN,     /* struct wire_join, blob */
	WIRE_COLL,     /* struct wire_coll, uint32_t ranks[n], data or text */
	WIRE_BYE,      /* nothing */
	WIRE_ABORT,    /* text; the rendezvous hands it on to the other processes */
	/* to the processes */
	WIRE_TABLE,   /* struct wire_table, wire_entry[n_procs], int32_t proc_of[n_pes], blobs */
	WIRE_REFUSED, /* struct wire_refused */
	WIRE_RESULT,  /* struct wire_result, data or text */
	WIRE_LOST,    /* int32_t proc */
	WIRE_CLOSED,  /* nothing: the rendezvous ends in good order */
};

struct wire_proc {
	uint8_t id[16];	  /* random; names the process and its unix socket */
	uint8_t node[16]; /* equal on one node */
	int32_t pid;
	int32_t hosts; /* 1: the rendezvous is in this process */
	char host[WIRE_HOST];
};

struct wire_join {
	int32_t rank;
	int32_t nranks;
	uint32_t left_ms;    /* how long it still waits */
	uint32_t timeout_ms; /* how long it was to wait, for the text */
	uint32_t blob_len;
	uint32_t zero;
};

struct wire_table {
	int32_t n_pes;
	int32_t n_procs;
	int32_t n_nodes;
	int32_t host_proc; /* the one that hosts the rendezvous, -1 for none */
	uint32_t blob_len;
	uint32_t zero;
	uint8_t secret[WIRE_SECRET];
};

struct wire_entry {
	struct wire_proc proc;
	int32_t node;
	int32_t zero;
};

struct wire_refused {
	int32_t rank; /* -1: everybody of this connection */
	int32_t status;
	char text[WIRE_TEXT];
};

enum wire_kind { WIRE_BARRIER, WIRE_ALLGATHER, WIRE_AGREE };

struct wire_coll {
	uint64_t seq;
	uint32_t kind;
	uint32_t n;	     /* PEs this message speaks for */
	uint64_t len;	     /* bytes each of them gives */
	int32_t ask;	     /* 1: out of time, end it now */
	int32_t bad;	     /* agree: lowest of these ranks that failed, -1 for none */
	int32_t status;	     /* agree: its status */
	uint32_t timeout_ms; /* for the text */
};

struct wire_result {
	uint64_t seq;
	int32_t failed; /* 1: the collective itself; a text follows */
	int32_t status;
	int32_t bad; /* agree: whose status and text it is, -1 for nobody's */
	int32_t zero;
};

/* Time: nanoseconds of the monotonic clock. */
int64_t wire_now(void);
int64_t wire_deadline(double timeout_s);
int64_t wire_sooner(int64_t deadline, double timeout_s);
/* For poll(): milliseconds left, rounded up; 0 when over. */
int wire_left_ms(int64_t deadline);
uint32_t wire_ms(double timeout_s); /* for a message */
struct timespec wire_timespec(int64_t deadline);

/*
 * Every socket boot opens is on a list of this process, so that the child of a
 * fork can close them all. Non-blocking, close-on-exec. -1 with errno on error.
 */
int sock_open(int family, int type);
int sock_accept(int listener);
int sock_adopt(int fd); /* an eventfd or the like; -1 passes through */
void sock_close(int fd);
void sock_keepalive(int fd);
/* For registry.c: around and after a fork. */
void sock_fork_lock(void);
void sock_fork_unlock(void);
void sock_close_all(void);

/* A thread of boot's own: no signal goes to it. 0 or -errno. */
int wire_thread(pthread_t *out, void *(*start)(void *), void *arg);

/* Until poll() reports @events: 0 or -errno. */
int wire_wait(int fd, short events, int64_t deadline);
/* All of it before @deadline: 0 or -errno (-ETIMEDOUT; -ECONNRESET at the end of a stream). */
int wire_send(int fd, const struct iovec *iov, int n, int64_t deadline);
int wire_recv(int fd, void *buf, size_t len, int64_t deadline);

/* A frame as it comes in. Zero it first. */
struct wire_in {
	struct wire_head head;
	size_t have; /* bytes of head and body so far */
	uint8_t *body;
};

/*
 * Read what is there without waiting: 1 a whole frame is in @in (take @body, which
 * is the caller's to free, then wire_in_next()), 0 not yet, -errno; -ECONNRESET at the end.
 */
int wire_in_read(struct wire_in *in, int fd);
void wire_in_next(struct wire_in *in);
void wire_in_free(struct wire_in *in);

int wire_random(void *buf, size_t len);
int wire_same(const void *a, const void *b, size_t len); /* in constant time */
uint64_t wire_hash(uint64_t seed, const void *data, size_t len);
/* 16 bytes that tell strings apart; no secret is made this way. */
void wire_digest(const char *text, uint8_t out[16]);
void wire_copy_text(char *dst, size_t size, const char *src);

/* "1, 4-7": the i of 0 .. n - 1 with set[i] != 0; cut short with "..." Returns how many. */
int text_ranks(char *buf, size_t size, const uint8_t *set, int n);
/* "PEs 1, 4-7 (process 4711 on host a)"; returns how many. */
int text_who(char *buf, size_t size, const uint8_t *set, int n, const struct wire_proc *proc);

#endif
