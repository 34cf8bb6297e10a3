// SPDX-License-Identifier: MIT
/*
 * The engine: what all links share. One lock protects all of it, and the thread that holds
 * the lock may make progress. A process has one connection for its requests to each process
 * it has requested something of, and one for serving each process that has requested
 * something of it; the two of a pair may share one socket.
 *
 * A link carries messages between processes, in order: sock.c over plain sockets, fabric.c
 * over libfabric. A request is one message with its data; libfabric moves large data by RMA
 * where the memory allows it. The stream is in order, so one flush, answered by the owner,
 * proves that everything before it is in the owner's memory.
 *
 * engine.c opens and closes, engine_poll.c makes progress and waits, engine_conn.c connects,
 * engine_req.c carries out requests, engine_ops.c waits for them, engine_serve.c serves those
 * of peers, engine_mem.c keeps the regions.
 */
#ifndef MORI_NET_ENGINE_H
#define MORI_NET_ENGINE_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "net/net.h"
#include "util/backoff.h"
#include "util/clock.h"
#include "stream/greet.h"

enum net_msg_type {
	MSG_PUT = 1, /* data follows; then perhaps a signal */
	MSG_GET,
	MSG_AMO,
	MSG_FLUSH,    /* answered when everything that came before is done */
	MSG_REGION,   /* asks what the owner knows of a region */
	MSG_RESPONSE, /* to one of these; data of a get follows */
	MSG_DONE,     /* this many requests without a response, counted by id, are done */
};

enum net_msg_flags {
	MSG_SIGNAL = 1, /* put: off2, region2, op and value are a signal's */
	MSG_FETCH = 2,	/* amo: the old value is wanted */
	MSG_DIRECT = 4, /* region: RMA reaches it; value is its key, off its address */
	MSG_ACK = 8,	/* put, amo: a MSG_DONE is wanted */
};

struct net_msg {
	uint8_t type, op, width, flags;
	int32_t src; /* the process that sends it */
	int32_t pe;
	uint32_t region, region2;
	int32_t status; /* of a response */
	uint64_t off, off2, value, compare;
	uint64_t len; /* put, response: of the data that follows; get: wanted */
	uint64_t id;  /* of the request that a response belongs to */
	/* Links without connections: */
	uint64_t token; /* proves that the sender knows the secret */
	uint64_t seq;	/* counts the messages of a stream */
};

#define EAGER_BYTES  (8u << 10)	 /* up to here data is copied and the call returns */
#define COPIED_BYTES (32u << 10) /* of a put, by its link, at most: the kernel stores the rest */

struct net_conn;

/* Data of a message. */
struct net_buf {
	const void *data;
	size_t len;
	bool device;
	bool stable; /* memory of a region: it stays until region_gone() */
	struct net_batch
		*batch; /* NULL: copy it; else it stays until the batch counts it as done */
};

struct net_region;
struct net_rma;

/* What a link does; the engine's lock is held unless said otherwise. Errors are -errno. */
struct net_link {
	const char *name;
	size_t data_max; /* of one message */
	/* Returns when others can connect: MORI_SHMEM_E* with the text. Fills e->address. */
	int (*open)(struct net *e);
	void (*close)(struct net *e); /* also of what is half open */
	const char *(*provider)(const struct net *e);
	/* Starts to connect; net_conn_up() or net_conn_end() is called later, or before it returns. */
	int (*connect)(struct net *e, struct net_conn *c);
	/* From here on the link accesses no memory for @c, and sends nothing more. */
	void (*disconnect)(struct net *e, struct net_conn *c);
	/* -EAGAIN: no room, try again after some progress. */
	int (*send)(struct net *e, struct net_conn *c, const struct net_msg *m,
		    const struct net_buf *p);
	/* Serves what has arrived and sends what waits; how many things it did. */
	int (*progress)(struct net *e);
	/* Whether the thread may sleep; then, without the lock, until there is something: true. */
	bool (*may_sleep)(struct net *e);
	bool (*sleep)(struct net *e, int64_t timeout_ns);
	void (*wake)(struct net *e); /* without the lock */
	/* Arrivals do not end the thread's sleep, or do so again; NULL: they always do. */
	void (*mute)(struct net *e, bool on);
	/* A region comes and goes; the first sets key, addr and link where RMA reaches it. */
	void (*region_new)(struct net *e, struct net_region *r);
	void (*region_gone)(struct net *e, struct net_region *r);
	/* RMA; all NULL where there is none. local: whether the buffer may be used, and how. */
	bool (*rma_local)(struct net *e, const void *ptr, size_t len, void **desc);
	size_t (*rma_max)(const struct net *e);
	int (*rma)(struct net *e, struct net_conn *c, const struct net_rma *r);
};

/* One RMA. */
struct net_rma {
	bool write;
	void *local, *desc;
	size_t len;
	uint64_t addr, key;
	struct net_batch *batch;
};

/* A message that waits for its response. */
struct net_pending {
	struct net_pending *next; /* of the connection, or free */
	uint64_t id;
	struct net_batch *batch;
	void *dst; /* of a get */
	size_t len;
	bool device;
	struct net_req *req;	/* NULL: its call has returned */
	uint64_t posted, n_rma; /* of the connection when it was sent */
};

/* What is known of a peer's region. */
struct net_remote {
	struct net_remote *next;
	int pe;
	uint32_t id;
	bool direct;
	uint64_t addr, key, len;
};

struct net_req_list {
	struct net_req *first, *last;
};

enum net_conn_state { CONN_NEW, CONN_CONNECTING, CONN_UP, CONN_DEAD };

/* To a process (requesting) or from one (serving). */
struct net_conn {
	struct net_conn *next;
	void *link; /* the link's own */
	int proc;
	bool serves;
	enum net_conn_state state;
	int status; /* of a dead one */
	char text[160];
	bool news; /* the link: something was sent or has arrived since the deadline was checked */

	/* Requesting: */
	uint64_t posted, flushed;    /* requests without a response: sent, known to be done */
	uint64_t acked;		     /* posted, up to the last that wants a MSG_DONE */
	uint64_t fenced;	     /* posted at the last fence */
	uint64_t n_rma, rma_flushed; /* puts by RMA: sent, known to be done */
	struct net_batch nbi;	     /* what no call waits for before its quiet */
	struct net_req_list queued, unacked; /* by their state */
	struct net_pending *pending;
	uint32_t n_pending;
	uint32_t n_awaited; /* requests that somebody waits for */
	int64_t heard;	    /* the first of them was submitted, or when there was news */
	struct net_remote *remotes;

	/* Serving: */
	uint64_t served;		     /* requests without a response, done */
	bool ack;			     /* a MSG_DONE is due */
	int32_t bad;			     /* the first error of these requests */
	struct net_resp *resps, **resps_end; /* responses for which there was no room */
};

struct net_resp {
	struct net_resp *next;
	struct net_msg msg;
	const uint8_t *data; /* of a get */
	bool device;
};

/* Memory of this process that peers reach. */
#define REGION_HASHES 512u

struct net_region {
	struct net_region *next;
	struct net_region *same; /* with the same hash; engine_mem.c */
	int pe;
	uint32_t id;
	enum net_memory kind;
	uint8_t *base;
	uint64_t len;
	bool grown; /* another replaces it; only its key is still valid */
	void *link; /* the link's own; NULL: reached by messages only */
	uint64_t key, addr;
};

/* Where a process is reached, as a link writes it. */
struct net_addr {
	uint32_t zero; /* so that bytes[] is aligned as an address */
	uint32_t len;
	uint8_t bytes[NET_ADDRESS_BYTES - 8];
};

struct net {
	const struct net_link *link;
	void *state;		  /* the link's own */
	struct net_config config; /* pointers in it are ours */
	int32_t *proc_of;
	unsigned char secret[NET_SECRET_BYTES];
	struct net_addr address;
	struct net_addr *addresses; /* by process */

	pthread_mutex_t lock;
	pthread_cond_t change; /* something completed while there were sleepers */
	int sleepers;
	int wanted;	      /* atomic: threads that want the lock */
	int pollers;	      /* atomic: threads that poll: they make progress while they wait */
	int64_t polled;	      /* atomic: when a thread last ended to poll, or polled once */
	uint32_t consecutive; /* waits that followed the one before at once */
	struct backoff_learned learned;

	struct net_conn **to;	/* [n_procs] requesting; NULL before the first use */
	struct net_conn **from; /* [n_procs] serving, or ended: no process connects twice */
	struct net_conn *conns; /* all */
	bool *gone;		/* [n_procs], atomic: lost, and their connections not yet ended */
	bool *left;		/* [n_pes] of this process, that have finalized */
	struct net_region *regions;
	struct net_region *hashed[REGION_HASHES]; /* the same, to find one */
	struct net_pending *pending_free;
	uint64_t next_id;
	uint32_t n_resps;	      /* that wait for room */
	uint32_t n_queued, n_awaited; /* of all connections */
	unsigned n_settling;	      /* requests of net_settle() under way */
	int64_t now;		      /* in net_req_progress() */
	int64_t checked;	      /* when deadlines last were */

	pthread_t thread;
	int stop; /* atomic */
	bool has_thread;
	bool ordered;	/* a message comes after the RMAs before it */
	bool parked;	/* atomic: see engine_poll.c */
	bool any_gone;	/* atomic: some of gone[] are set */
	bool done_late; /* a MSG_DONE waits for room */
};

/* engine_poll.c */
void engine_enter(struct net *e);
void engine_leave(struct net *e);
/* One step; how many things it did. */
int engine_progress(struct net *e);
/* For PE @pe, until @ready(@what), with the lock held, which is released meanwhile. */
void engine_wait(struct net *e, int pe, bool (*ready)(void *what), void *what);
/* Something happened: wake those who sleep for it. */
void engine_changed(struct net *e);
/* With the lock: end the connections to the processes of net_lost(). */
void engine_end_lost(struct net *e);
int engine_thread_start(struct net *e);
void engine_thread_stop(struct net *e);

/* engine_conn.c */
int net_greet_make(const struct net *e, struct greeting *h, int to, uint64_t nonce,
		   enum greet_kind kind);
bool net_greet_check(const struct net *e, const struct greeting *h, size_t len,
		     enum greet_kind kind);
uint64_t net_conn_token(const struct net *e, int from, int to);
/* To the process of @pe. It may not be up yet, or dead. NULL: out of memory. */
struct net_conn *net_conn_start(struct net *e, int pe);
struct net_conn *net_conn_new(struct net *e, int proc, bool serves);
void net_conn_up(struct net *e, struct net_conn *c);
/* Everything under way on it fails with @status. */
void net_conn_end(struct net *e, struct net_conn *c, int status, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int net_conn_error(const struct net_conn *c, int pe);
void net_conn_free(struct net *e, struct net_conn *c);

/* engine_req.c */
/*
 * Appends @r to @c's queue and sends as much of the queue as there is room for. @c NULL: no memory.
 */
void net_req_submit(struct net *e, struct net_conn *c, struct net_req *r);
/* Nothing of a request that was submitted without done() is under way any more. */
bool net_req_ready(void *r);
void net_req_wait(struct net *e, struct net_req *r);
/* Sends what is queued and checks deadlines; how many things it did. */
int net_req_progress(struct net *e);
/* Up to c->flushed everything is done; @status: the error of some of it. */
void net_req_acked(struct net *e, struct net_conn *c, int status);
/* A connection has ended: so have all its requests. */
void net_req_end_all(struct net *e, struct net_conn *c);
struct net_pending *net_pending_find(struct net_conn *c, uint64_t id);
/* Its response has arrived. */
void net_pending_done(struct net *e, struct net_conn *c, const struct net_msg *m, int status);
/* What is known of the region that @at names; NULL: nothing. */
struct net_remote *net_remote_find(struct net_conn *c, const struct net_at *at);
void net_remote_forget(struct net *e, uint32_t id);

/*
 * engine_serve.c: a message has arrived. First where its data goes: NULL for nowhere,
 * *device for device memory. Then, when the data is there or was dropped (@status),
 * everything else the message asks for.
 */
uint8_t *net_serve_sink(struct net *e, struct net_conn *c, const struct net_msg *m, bool *device,
			int *status);
void net_serve_msg(struct net *e, struct net_conn *c, const struct net_msg *m, int status);
/* No further message is at hand: send the acknowledgement of all that came. */
void net_serve_idle(struct net *e, struct net_conn *c);
void net_serve_resps(struct net *e, struct net_conn *c);
void net_serve_forget(struct net *e, struct net_conn *c);
void net_serve_region_gone(struct net *e, const struct net_region *r);

/* engine_mem.c */
struct net_region *net_mem_find(struct net *e, int pe, uint32_t id);
void net_mem_close(struct net *e);
/* Up to here an aligned word is read and written as one, and never in parts. */
#define WORD_BYTES 8u
/* Loads and stores words that somebody may poll or write meanwhile as such. */
int net_mem_copy(struct net *e, bool device, void *dst, const void *src, size_t len);
/* The kernel may be asked about more than that. */
#define MEM_TRIED 4096u
/* Whether this process may access @len bytes (at least MEM_TRIED) at @ptr, by both ends. */
bool net_mem_usable(const void *ptr, size_t len, bool write);
/* The same for any number of bytes, by each page. */
bool net_mem_mapped(const void *ptr, size_t len, bool write);

/* amo.c: on a word this process may store to; the old value. @op was checked. */
bool amo_known(int op, int width);
uint64_t amo_apply(void *at, int width, int op, uint64_t value, uint64_t compare);

extern const struct net_link net_link_sock, net_link_fabric;

#endif
