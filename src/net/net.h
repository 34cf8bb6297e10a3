// SPDX-License-Identifier: MIT
/*
 * How bytes reach a peer that load and store cannot reach. One struct net serves all PEs
 * of a process in one world. Memory is named by its PE, a region of that PE and an offset;
 * the owner checks every access against the regions it has registered.
 *
 * The owner's engine serves requests as they arrive, so an operation completes although its
 * target computes. Operations of one process on one PE reach it in the order in which they
 * were issued (gets apart). Any thread may call any of these; a thread that waits makes
 * progress meanwhile, then sleeps. Each call returns 0 or a MORI_SHMEM_E* with the text by
 * err_set(), naming the PE.
 */
#ifndef MORI_NET_NET_H
#define MORI_NET_NET_H

#include "target/amo.h"

#include <mori/shmem_types.h>
#include <stdbool.h>

#define NET_ADDRESS_BYTES 128
#define NET_SECRET_BYTES  16
#define NET_ALL		  (-1)

enum net_flags {
	NET_NBI = 1,	/* return before @src may be reused or @dst is filled; quiet completes it */
	NET_DEVICE = 2, /* the local buffer is device memory */
	NET_LOOSE = 4,	/* a small put that quiet need not wait for */
};

enum net_memory {
	NET_HOST,  /* this process may load and store there */
	NET_DEV,   /* only the copy of the configuration may access it */
	NET_USER,  /* as NET_HOST, but not ours: it may not be mapped, which an access then says */
	NET_LOCAL, /* as NET_HOST, but for local buffers alone: peers cannot access it */
};

struct net_config {
	int n_pes, n_procs, my_proc;
	const int32_t *proc_of;	     /* [n_pes] which process hosts each PE */
	const unsigned char *secret; /* of the job, NET_SECRET_BYTES */
	const char *provider;	     /* MORI_FABRIC_PROVIDER; NULL: the best that works */
	const char *ifname;	     /* MORI_SOCKET_IFNAME: an interface or the start of its name */
	int loopback;	  /* 1: no peer is on another machine; listen on no other network */
	int crowded;	  /* 1: more PEs than cores here: a waiter gives its core away */
	double timeout_s; /* a peer that is silent for this long when waited for is lost; 0: no limit */
	/* To and from device memory: 0 or a status. May be called with the engine's lock held. */
	int (*copy)(void *arg, void *dst, const void *src, size_t len);
	/*
	 * Atomic with what the device does itself. NULL: atomics are atomic with each
	 * other only.
	 */
	int (*amo)(void *arg, void *at, int width, int op, uint64_t value, uint64_t compare,
		   uint64_t *old);
	void *copy_arg; /* for both */
	/* A call that waits for PE @pe, among others, has slept; without any lock. NULL: nothing. */
	void (*slept)(int pe);
};

struct net;

/* ENOTSUP: no libfabric here, or no provider of it works; the text says which. */
int net_open(const struct net_config *config, struct net **out);
/* Peers that still wait for this process get EPEER: have a barrier before it. NULL is allowed. */
void net_close(struct net *e);
const char *net_provider(const struct net *e);

/* Where this process is reached; every process is given the addresses of all, by process. */
void net_address(const struct net *e, unsigned char out[NET_ADDRESS_BYTES]);
int net_peers(struct net *e, const unsigned char (*addresses)[NET_ADDRESS_BYTES]);

/*
 * Let peers access @len bytes at @base as region @id of PE @pe, which this process hosts.
 * A region may be added again, grown; the id of a removed region must not be used again.
 * After the removal no peer accesses it.
 */
int net_region_add(struct net *e, int pe, uint32_t id, enum net_memory kind, void *base,
		   uint64_t len);
void net_region_remove(struct net *e, int pe, uint32_t id);
/* PE @pe of this process finalizes: who asks for its memory from now on gets EPEER, which says so. */
void net_leave(struct net *e, int pe);

/* An address in a peer's memory. */
struct net_at {
	int pe;
	uint32_t region;
	uint64_t off;
};

/* What a put does after its data; op is of enum mori_shmem_signal_op. */
struct net_signal {
	uint32_t region;
	uint64_t off;
	uint64_t value;
	int op;
};

/*
 * @signal may be NULL. The caller may reuse @src after the call, with NET_NBI after a
 * quiet.
 */
int net_put(struct net *e, const struct net_at *to, const void *src, size_t len,
	    const struct net_signal *signal, unsigned flags);
int net_get(struct net *e, const struct net_at *from, void *dst, size_t len, unsigned flags);

/*
 * On a word of @width 4 or 8 bytes. With @old NULL the call does not wait; a quiet
 * completes it.
 */
int net_amo(struct net *e, const struct net_at *at, int width, int op, uint64_t value,
	    uint64_t compare, uint64_t *old);

/* What is under way and refers to somebody's buffers: messages to send, responses to come. */
struct net_batch {
	uint32_t left;
	int status;
};

/* NET_REQ_NONE does nothing and completes at once, with the status it was given. */
enum net_req_kind {
	NET_REQ_NONE,
	NET_REQ_PUT,
	NET_REQ_GET,
	NET_REQ_AMO,
	NET_REQ_FLUSH,	/* the engine's own: everything before it is done */
	NET_REQ_REGION, /* the engine's own: what the owner knows of a region */
};

enum net_req_state {
	NET_REQ_QUEUED,	 /* not all of it is sent */
	NET_REQ_SENT,	 /* waits for its batch */
	NET_REQ_UNACKED, /* waits for the owner to acknowledge what was sent */
	NET_REQ_COMPLETE,
};

/*
 * A request: what to do, then how it ended. The calls above submit one and wait for it;
 * net_submit() is for callers that cannot wait.
 */
struct net_req {
	enum net_req_kind kind;
	unsigned flags; /* NET_DEVICE */
	struct net_at at;
	void *local; /* of a put or a get; stays until the completion */
	size_t len;
	const struct net_signal *signal; /* of a put; NULL: none */
	int width, op;			 /* of an atomic */
	bool fetch;
	uint64_t value, compare;
	/* Once, from any thread; the engine's lock is held, so it must not call the network. */
	void (*done)(struct net_req *r);
	int status;   /* 0, or MORI_SHMEM_E*: it may have been done or not */
	uint64_t old; /* with fetch */

	/* The engine's: */
	struct net_req *next;
	struct net_conn *conn;
	enum net_req_state state;
	size_t sent;	    /* bytes */
	bool direct;	    /* by RMA: */
	uint64_t addr, key; /* of the peer's memory, */
	void *desc;	    /* of the local buffer */
	uint64_t posted;    /* of its connection: what the owner must acknowledge; 0: nothing */
	struct net_batch batch;
};

/*
 * Never waits. Requests to the PEs of one process take effect there in the order in which
 * they were submitted. A put and an atomic complete when the target's memory has them.
 */
void net_submit(struct net *e, struct net_req *r);

/* Puts, signals and atomics to @pe (or NET_ALL) from before come before those from after. */
int net_fence(struct net *e, int pe);
/*
 * What this process has issued to @pe (or NET_ALL) is done: in the target's memory, or in
 * the local buffers. Also returns the error of operations that returned before they ended.
 */
int net_quiet(struct net *e, int pe);

/*
 * Whether nothing that this process has issued is under way. If something is, asks for the
 * acknowledgement, without waiting, so that a later call may know more.
 */
bool net_settle(struct net *e);

/* Serve what has arrived, without waiting; how many things that were. For those who poll memory. */
int net_progress(struct net *e);
/*
 * Between the two calls, which come in pairs, the caller calls net_progress() again and
 * again and does nothing that takes long: arrivals do not wake the engine's thread.
 */
void net_poll_begin(struct net *e);
void net_poll_end(struct net *e);
/* Returns when everything that had arrived before is served, by whichever thread. */
void net_drain(struct net *e);
/*
 * Sleep for @ns, or until something arrives: 1. For those who have polled for long enough;
 * after a 1 polling may pay again.
 */
int net_wait_event(struct net *e, uint64_t ns);

/*
 * Liveness reports that the process of @pe is gone. The thread that makes progress next ends
 * the requests to it; this call waits for nobody. After net_drain() they have ended.
 */
void net_lost(struct net *e, int pe);

#endif
