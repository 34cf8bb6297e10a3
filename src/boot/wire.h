// SPDX-License-Identifier: MIT
/*
 * What processes and the rendezvous send each other once they have exchanged greetings
 * (stream/greet.h): frames, each a struct wire_head and its body. Integers are in the byte order
 * of the machine; a greeting in another order is refused.
 */
#ifndef MORI_BOOT_WIRE_H
#define MORI_BOOT_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "util/mac.h"

#define WIRE_HOST 64
#define WIRE_TEXT 512
/* Longest body: the length has 32 bits, and a corrupt one must not cause a huge allocation. */
#define WIRE_BODY_MAX (1u << 30)

/* Behind the answer to GREET_JOIN. */
struct wire_server {
	int32_t pid;
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
	WIRE_ABORT,    /* text; the rendezvous forwards it to the other processes */
	WIRE_NO_FDS,   /* struct wire_no_fds; forwarded to the process that waits for them */
	WIRE_EXIT,     /* nothing: the process exits without a goodbye */
	WIRE_SAY,      /* struct wire_tell, text */
	/* to the processes */
	WIRE_TABLE,   /* struct wire_table, wire_entry[n_procs], int32_t proc_of[n_pes], blobs */
	WIRE_REFUSED, /* struct wire_refused */
	WIRE_RESULT,  /* struct wire_result, data or text */
	WIRE_LOST,    /* struct wire_lost */
	WIRE_CLOSED,  /* nothing: the rendezvous ends in good order */
	WIRE_TELL,    /* struct wire_tell, text */
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
	uint32_t timeout_ms; /* its time-out, for the text */
	uint32_t blob_len;
	uint32_t report_ms; /* a round that lasts for this long says who is missing; 0: never */
};

struct wire_table {
	int32_t n_pes;
	int32_t n_procs;
	int32_t n_nodes;
	int32_t host_proc; /* the one that hosts the rendezvous, -1 for none */
	uint32_t blob_len;
	uint32_t zero;
	uint8_t nonce
		[MAC_BYTES]; /* its hash, with the id's secret as the key, is the job's secret */
};

struct wire_entry {
	struct wire_proc proc;
	int32_t node;
	int32_t zero;
};

struct wire_refused {
	int32_t rank; /* -1: all of this connection */
	int32_t status;
	char text[WIRE_TEXT];
};

struct wire_no_fds {
	int32_t from, to; /* processes */
	uint32_t tag;
	int32_t status; /* why they do not come */
	char text[WIRE_TEXT];
};

struct wire_lost {
	int32_t proc;
	int32_t exited; /* 1: it has said WIRE_EXIT */
};

/* About waits; see boot.h. */
struct wire_tell {
	uint32_t what; /* enum boot_what */
	uint32_t flags;
	uint64_t number;
};

enum wire_kind { WIRE_BARRIER, WIRE_ALLGATHER, WIRE_AGREE };

struct wire_coll {
	uint64_t seq;
	uint32_t kind;
	uint32_t n;	     /* PEs whose inputs the message holds */
	uint64_t len;	     /* bytes of each input */
	int32_t ask;	     /* 1: timed out, end it now */
	int32_t bad;	     /* agree: lowest of these ranks that failed, -1 for none */
	int32_t status;	     /* agree: its status */
	uint32_t timeout_ms; /* for the text */
};

struct wire_result {
	uint64_t seq;
	int32_t failed; /* 1: the collective itself; a text follows */
	int32_t status;
	int32_t bad; /* agree: the rank that failed, -1 for none */
	int32_t zero;
};

uint32_t wire_ms(double timeout_s); /* for a message */

/* A frame while it is received. Zero it first. */
struct wire_in {
	struct wire_head head;
	size_t have; /* bytes of head and body so far */
	uint8_t *body;
};

/*
 * Reads what is there without waiting. 1: a whole frame is in @in (take @body, which the caller
 * must free, then wire_in_next()); 0: not yet; -errno, -ECONNRESET at the end of the stream.
 */
int wire_in_read(struct wire_in *in, int fd);
void wire_in_next(struct wire_in *in);
void wire_in_free(struct wire_in *in);

uint64_t wire_hash(uint64_t seed, const void *data, size_t len);
/* 16 bytes that distinguish strings; not for secrets. */
void wire_digest(const char *text, uint8_t out[16]);
void wire_copy_text(char *dst, size_t size, const char *src);

/* "1, 4-7": every i of 0 .. n - 1 with set[i] != 0, truncated with "...". Returns how many. */
int text_ranks(char *buf, size_t size, const uint8_t *set, int n);
/* "PEs 1, 4-7 (process 4711 on host a)"; returns how many. */
int text_who(char *buf, size_t size, const uint8_t *set, int n, const struct wire_proc *proc);

#endif
