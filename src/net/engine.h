// SPDX-License-Identifier: MIT
/*
 * The engine: what all ways to move bytes share. One lock holds all of it; whoever
 * has the lock may drive it. A process has a connection for asking to each process it
 * has asked something, and one for serving from each that has asked it; of a pair both
 * may go over one socket.
 *
 * A link carries messages between processes, in order: sock.c over plain sockets,
 * fabric.c over libfabric. A request is one message with its data; libfabric moves
 * large data by its RMA where the memory allows it. The stream is in order, so one
 * flush, answered by the owner, tells that all before it is in the owner's memory.
 *
 * engine.c opens, closes and waits, engine_thread.c drives, engine_conn.c connects,
 * engine_ops.c asks, engine_serve.c answers, engine_mem.c keeps the regions.
 */
#ifndef MORI_NET_ENGINE_H
#define MORI_NET_ENGINE_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

#include "net/net.h"
#include "util/mac.h"

enum msg_type {
	MSG_PUT = 1, /* data follows; then perhaps a signal */
	MSG_GET,
	MSG_AMO,
	MSG_FLUSH,  /* answered when all that came before is done */
	MSG_REGION, /* what is known of a region */
	MSG_ANSWER, /* to one of these; data of a get follows */
	MSG_DONE,   /* so many requests without an answer, counted by id, are done */
};

enum msg_flags {
	MSG_SIGNAL = 1, /* put: off2, region2, op and value are a signal's */
	MSG_REPLY = 2,	/* amo: the old value is asked for */
	MSG_ACK = 8,	/* put, amo: a MSG_DONE is asked for */
	MSG_DIRECT = 4, /* region: RMA reaches it; value is its key, off its address */
};

struct msg {
	uint8_t type, op, width, flags;
	int32_t src; /* the process that sends it */
	int32_t pe;
	uint32_t region, region2;
	int32_t status; /* of an answer */
	uint64_t off, off2, value, compare;
	uint64_t len; /* put: of the data behind it; get: asked for; answer: behind it */
	uint64_t id;  /* of the request an answer belongs to */
	/* Links without connections: */
	uint64_t token; /* proves that the sender knows the secret */
	uint64_t seq;	/* counts the messages of a stream */
};

#define EAGER_BYTES (8u << 10) /* up to here data is copied and the call returns */
#define ASK_WINDOW  64u	       /* requests to one process without their answer */

struct engine;
struct conn;

/* Data of a message. */
struct piece {
	const void *data;
	size_t len;
	bool device;
	bool stable;	     /* memory of a region: it stays until region_gone() */
	struct batch *batch; /* NULL: copy it; else it stays until the batch is told */
};

struct region;
struct rma;

/* What a link does; the engine's lock is held unless said. Errors are -errno. */
struct link_ops {
	const char *name;
	size_t data_max; /* behind one message */
	/* Until others can connect: MORI_SHMEM_E* with the text. Fills e->address. */
	int (*open)(struct engine *e);
	void (*close)(struct engine *e); /* half open will do */
	const char *(*provider)(const struct engine *e);
	/* Start to connect; conn_up() or conn_end() is called later, or before this returns. */
	int (*connect)(struct engine *e, struct conn *c);
	/* From here on nobody's memory is touched for @c, and nothing more is sent. */
	void (*disconnect)(struct engine *e, struct conn *c);
	/* -EAGAIN: no room, try again after some progress. */
	int (*send)(struct engine *e, struct conn *c, const struct msg *m, const struct piece *p);
	/* Serve what has come and send what waits; how many things it did. */
	int (*progress)(struct engine *e);
	/* Whether the thread may sleep; then, without the lock, until there is something: true. */
	bool (*may_sleep)(struct engine *e);
	bool (*sleep)(struct engine *e, int64_t timeout_ns);
	void (*wake)(struct engine *e); /* without the lock */
	/* Let what comes not end the thread's sleep, or let it again; NULL: it always does. */
	void (*hold)(struct engine *e, bool on);
	/* A region comes and goes; the first leaves key, addr and link where RMA reaches it. */
	void (*region_new)(struct engine *e, struct region *r);
	void (*region_gone)(struct engine *e, struct region *r);
	/* RMA; all NULL where there is none. local: whether it may be used, and how. */
	bool (*rma_local)(struct engine *e, const void *ptr, size_t len, void **desc);
	size_t (*rma_max)(const struct engine *e);
	int (*rma)(struct engine *e, struct conn *c, const struct rma *r);
};

/* One RMA. */
struct rma {
	bool write;
	void *local, *desc;
	size_t len;
	uint64_t addr, key;
	struct batch *batch;
};

/* A request that waits for its answer. */
struct ask {
	struct ask *next; /* of the connection, or free */
	uint64_t id;
	struct batch *batch;
	void *dst;
	size_t len;
	bool device;
	struct msg *answer;    /* where to leave it, or NULL */
	struct net_post *post; /* whose it is, or NULL */
};

/* What is known of a peer's region. */
struct far_region {
	struct far_region *next;
	int pe;
	uint32_t id;
	bool direct;
	uint64_t addr, key, len;
};

enum conn_state { CONN_NEW, CONN_CONNECTING, CONN_UP, CONN_DEAD };

/* To a process (asking) or from one (serving). */
struct conn {
	struct conn *next;
	void *link; /* the link's own */
	int proc;
	bool serves;
	enum conn_state state;
	int status; /* of a dead one */
	char text[160];
	uint64_t posted, flushed;    /* requests without an answer: given out, known to be done */
	uint64_t acked;		     /* posted, up to the last that asked for a MSG_DONE */
	uint64_t fenced;	     /* posted at the last fence */
	uint64_t n_rma, rma_flushed; /* RMAs that wrote: given out, known to be done */
	uint64_t served;	     /* serving: the same count, done */
	bool ack;		     /* serving: a MSG_DONE is due */
	struct batch nbi;	     /* what no call waits for before its quiet */
	uint32_t n_asks;
	struct ask *asks;
	struct net_post *posts, **posts_end;   /* that are not all sent yet */
	struct net_post *flying, **flying_end; /* puts and atomics that wait for a MSG_DONE */
	uint32_t n_posts;		       /* these, and those that wait for answers */
	int64_t post_at;		       /* when the first of them came */
	struct far_region *far;
	struct reply *replies, **replies_end; /* answers for which there was no room */
	int32_t bad;   /* serving: what a request without an answer met with */
	bool news;     /* something of it has completed since anybody looked; see conn_heard() */
	int64_t heard; /* when that was last so */
};

struct reply {
	struct reply *next;
	struct msg msg;
	const uint8_t *data; /* of a get */
	bool device;
};

/* Memory of this process that peers reach. */
struct region {
	struct region *next;
	int pe;
	uint32_t id;
	enum net_memory kind;
	uint8_t *base;
	uint64_t len;
	bool grown; /* another stands for it; only its key is still good */
	void *link; /* the link's own; NULL: by messages only */
	uint64_t key, addr;
};

/* Where a process is reached, as a link writes it. */
struct place {
	uint32_t zero; /* so that bytes[] is aligned as an address */
	uint32_t len;
	uint8_t bytes[NET_ADDRESS_BYTES - 8];
};

struct engine {
	struct net net;
	const struct link_ops *link;
	void *state;		  /* the link's own */
	struct net_config config; /* pointers in it are ours */
	int32_t *proc_of;
	unsigned char secret[NET_SECRET_BYTES];
	bool ordered; /* a message comes after the RMAs before it */
	struct place address;
	struct place *addresses; /* by process */

	pthread_mutex_t lock;
	pthread_cond_t change; /* something completed while there were sleepers */
	int sleepers;
	int wanted;	 /* atomic: threads that want the lock */
	int holders;	 /* atomic: threads that drive the engine while they wait */
	int64_t driven;	 /* atomic: when one of them last ended, or one drove it without saying */
	uint32_t streak; /* waits that came soon after the one before */
	bool away; /* atomic: the thread stays away while callers drive; see engine_thread.c */
	int64_t spin_ns; /* how long a wait keeps its core; adapts */
	uint32_t n_waits;

	struct conn **to;   /* [n_procs] asking; NULL before the first use */
	struct conn **from; /* [n_procs] serving, or that has ended: nobody comes twice */
	struct conn *conns; /* all */
	bool *gone;	    /* [n_procs], atomic: lost, and their connections not yet ended */
	struct region *regions;
	struct ask *ask_free;
	uint64_t next_id;
	uint32_t n_replies; /* that wait for room */
	bool late;	    /* so does a MSG_DONE */
	bool any_gone;	    /* atomic: some of gone[] are set */
	uint32_t n_posts;   /* of all connections */
	int64_t post_look;  /* when their deadlines were last looked at */

	pthread_t thread;
	bool has_thread;
	int stop; /* atomic */
};

/* engine.c */
int64_t engine_now(void);
void engine_enter(struct engine *e);
void engine_leave(struct engine *e);
/*
 * With the lock held, which is given up meanwhile: until @ready(@what), or until @c
 * has ended: then its status, with the text naming @pe.
 */
int engine_wait(struct engine *e, struct conn *c, int pe, bool (*ready)(void *what), void *what);
/* The caller drives the engine until engine_rest(): its thread need not. */
void engine_hold(struct engine *e, int64_t now);
void engine_rest(struct engine *e, int64_t now);
/* The thread stays away while callers drive the engine again and again; or it hears what comes. */
void engine_away(struct engine *e, bool on);
/* Something happened: wake those who sleep for it. */
void engine_changed(struct engine *e);
/* With the lock: end the connections of those that engine_lost() was told of. */
void engine_bury(struct engine *e);

/* engine_thread.c */
int engine_progress(struct engine *e);
int thread_start(struct engine *e);
void thread_stop(struct engine *e);

/* engine_conn.c */
#define HELLO_BYTES 48 /* verbs carries 56 */
enum hello_kind { HELLO_ASK, HELLO_ANSWER, HELLO_MINE /* I have begun to ask you: use that */ };
struct hello {
	uint64_t magic;
	uint32_t version;
	int32_t from, to; /* processes */
	uint32_t kind;
	uint64_t nonce; /* of whoever asks */
	uint8_t mac[MAC_BYTES];
};
/* The first bytes in either direction; @nonce 0 makes a new one. 0, or -EIO. */
int hello_make(const struct engine *e, struct hello *h, int to, uint64_t nonce,
	       enum hello_kind kind);
bool hello_good(const struct engine *e, const struct hello *h, size_t len, enum hello_kind kind);
uint64_t conn_token(const struct engine *e, int from, int to);
/* The connection for asking the process of @pe, in use; it may wait. */
int conn_to(struct engine *e, int pe, struct conn **out);
/* The same without waiting: it may not be up yet, or dead. NULL: out of memory. */
struct conn *conn_start(struct engine *e, int pe);
struct conn *conn_new(struct engine *e, int proc, bool serves);
void conn_up(struct engine *e, struct conn *c);
/* Everything under way on it fails with @status. */
void conn_end(struct engine *e, struct conn *c, int status, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int conn_error(const struct conn *c, int pe);
void conn_free(struct engine *e, struct conn *c);
/* When something of it last completed, as far as anybody has looked: each look is @now. */
static inline int64_t conn_heard(struct conn *c, int64_t now)
{
	if (c->news) {
		c->news = false;
		c->heard = now;
	}
	return c->heard;
}

/* engine_ops.c */
void ask_end_all(struct engine *e, struct conn *c, int status);
void far_forget(struct engine *e, uint32_t id);
int ops_put(struct net *n, const struct net_at *to, const void *src, size_t len,
	    const struct net_signal *signal, unsigned flags);
int ops_get(struct net *n, const struct net_at *from, void *dst, size_t len, unsigned flags);
int ops_amo(struct net *n, const struct net_at *at, int width, int op, uint64_t value,
	    uint64_t compare, uint64_t *old);
int ops_fence(struct net *n, int pe);
int ops_quiet(struct net *n, int pe);

/* A request on the list of the connection, which @what describes; NULL: out of memory. */
struct ask *ask_new(struct engine *e, struct conn *c, struct msg *m, const struct ask *what);

/* engine_post.c */
void post_add(struct net *n, struct net_post *p);
int post_progress(struct engine *e);
void post_answered(struct engine *e, struct conn *c, struct net_post *p);
/* Up to c->flushed all is done; @status: what some of it met with. */
void post_flushed(struct engine *e, struct conn *c, int status);
void post_end_all(struct engine *e, struct conn *c, int status);

/*
 * engine_serve.c: a message has come. First where its data goes: NULL for nowhere,
 * *device for memory that only a copy reaches. Then, when the data is there or was
 * dropped (@status), what else it asks for.
 */
uint8_t *msg_sink(struct engine *e, struct conn *c, const struct msg *m, bool *device);
void msg_done(struct engine *e, struct conn *c, const struct msg *m, int status);
/* Call it when no further message is at hand: what is due once for many. */
void msg_pause(struct engine *e, struct conn *c);
void serve_replies(struct engine *e, struct conn *c);
void serve_forget(struct engine *e, struct conn *c);
void serve_region_gone(struct engine *e, const struct region *r);
/* Of engine_ops.c, for it. */
struct ask *ask_find(struct conn *c, uint64_t id);
void ask_end(struct engine *e, struct conn *c, struct ask *a, int status);

/* engine_mem.c */
struct region *mem_find(struct engine *e, int pe, uint32_t id);
int mem_region_add(struct net *n, int pe, uint32_t id, enum net_memory kind, void *base,
		   uint64_t len);
void mem_region_remove(struct net *n, int pe, uint32_t id);
void mem_close(struct engine *e);
#define WORD_BYTES                                                                                 \
	8u /* up to here an aligned word is read and written as one, and never in parts */
/* Words that somebody may poll or write meanwhile are loaded and stored as such. */
int mem_copy(struct engine *e, bool device, void *dst, const void *src, size_t len);
#define MEM_TRIED 4096u /* more than that the kernel may be asked for */
/* Whether this process may read or write @len bytes at @ptr, MEM_TRIED at least: as their ends say. */
bool mem_usable(const void *ptr, size_t len, bool write);

/* amo.c: on a word this process may store to; the old value. @op was checked. */
bool amo_known(int op, int width);
uint64_t amo_apply(void *at, int width, int op, uint64_t value, uint64_t compare);

extern const struct net_ops net_engine;
extern const struct link_ops link_sock, link_fabric;

static inline struct engine *engine_of(struct net *n)
{
	return (struct engine *)n;
}

#endif
