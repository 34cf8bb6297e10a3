// SPDX-License-Identifier: MIT
/*
 * How bytes cross to a peer that load and store cannot reach. One struct net serves
 * all PEs of a process in one world. Memory is named by its PE, a region of that PE
 * and an offset; the owner checks every access against what it has registered.
 *
 * The owner's progress engine serves what comes, so an operation completes although
 * its target computes. Operations of one process on one PE reach it in the order in
 * which they were issued (gets apart). Any thread may call any of these; one that
 * waits drives the engine meanwhile, then sleeps. Each returns 0 or a MORI_SHMEM_E*
 * with the text by err_set(), naming the PE.
 */
#ifndef MORI_NET_NET_H
#define MORI_NET_NET_H

#include <mori/shmem_types.h>
#include <stdbool.h>

#define NET_ADDRESS_BYTES 128
#define NET_SECRET_BYTES  16
#define NET_ALL		  (-1)

/* Beside enum mori_shmem_amo and enum mori_shmem_signal_op: add to a float or double. */
#define NET_AMO_ADD_REAL 32

enum net_flags {
	NET_NBI = 1,	/* return before @src may be reused or @dst is filled; quiet completes it */
	NET_DEVICE = 2, /* the local buffer is memory of a device */
	NET_LOOSE = 4,	/* a small put that quiet need not wait for */
};

enum net_memory {
	NET_HOST,  /* this process may load and store there */
	NET_DEV,   /* only the copy of the configuration may */
	NET_LOCAL, /* as NET_HOST, for local buffers alone: peers do not reach it */
};

struct net_config {
	int n_pes, n_procs, my_proc;
	const int32_t *proc_of;	     /* [n_pes] which process hosts each PE */
	const unsigned char *secret; /* of the job, NET_SECRET_BYTES */
	const char *provider;	     /* MORI_FABRIC_PROVIDER; NULL: the best that works */
	const char *ifname;	     /* MORI_SOCKET_IFNAME: an interface or the start of its name */
	int loopback;	  /* 1: no peer is on another machine; listen on no other network */
	int crowded;	  /* 1: more PEs than cores here: whoever waits gives its core away */
	double timeout_s; /* a peer silent for so long while asked is lost; 0: no limit */
	/* To and from memory of a device: 0 or a status. May be called with the engine held. */
	int (*copy)(void *arg, void *dst, const void *src, size_t len);
	/* Atomic with what the device does itself; NULL: only those of the engine are with each other. */
	int (*amo)(void *arg, void *at, int width, int op, uint64_t value, uint64_t compare,
		   uint64_t *old);
	void *copy_arg; /* for both */
};

struct net {
	const struct net_ops *ops;
};

/* ENOTSUP: no libfabric here, or no provider of it works; the text says which. */
int net_open(const struct net_config *config, struct net **out);
/* Peers that still wait for this process get EPEER: meet before it. NULL will do. */
void net_close(struct net *n);
const char *net_provider(const struct net *n);

/* Where this process is reached; every process is given all of them, by process. */
void net_address(const struct net *n, unsigned char out[NET_ADDRESS_BYTES]);
int net_peers(struct net *n, const unsigned char (*addresses)[NET_ADDRESS_BYTES]);

/*
 * Let peers reach @len bytes at @base as region @id of PE @pe, which is of this
 * process. A region may be given again, grown; an id whose region was removed must
 * not be used again. After the removal no peer reaches it.
 */
int net_region_add(struct net *n, int pe, uint32_t id, enum net_memory kind, void *base,
		   uint64_t len);
void net_region_remove(struct net *n, int pe, uint32_t id);

/* A place in a peer's memory. */
struct net_at {
	int pe;
	uint32_t region;
	uint64_t off;
};

/* What a put sets off behind its data; op is of enum mori_shmem_signal_op. */
struct net_signal {
	uint32_t region;
	uint64_t off;
	uint64_t value;
	int op;
};

/* @signal may be NULL. @src is the caller's again at return, with NET_NBI after a quiet. */
int net_put(struct net *n, const struct net_at *to, const void *src, size_t len,
	    const struct net_signal *signal, unsigned flags);
int net_get(struct net *n, const struct net_at *from, void *dst, size_t len, unsigned flags);

/* On a word of @width 4 or 8 bytes. @old NULL: no answer is waited for; quiet completes it. */
int net_amo(struct net *n, const struct net_at *at, int width, int op, uint64_t value,
	    uint64_t compare, uint64_t *old);

/* Transfers and gets that somebody waits for together; the engine's. */
struct batch {
	uint32_t left;
	int status;
};

/* NET_POST_NONE does nothing and is told at once, with the status it was given. */
enum net_post_kind { NET_POST_PUT, NET_POST_GET, NET_POST_AMO, NET_POST_NONE };

/* Something that is asked for and told later, for who cannot wait; all but the last part is given. */
struct net_post {
	enum net_post_kind kind;
	unsigned flags; /* NET_DEVICE */
	struct net_at at;
	void *local; /* of a put or a get; stays until done() */
	size_t len;
	int width, op; /* of an atomic */
	bool fetch;
	uint64_t value, compare;
	/* Once, from whatever thread; the engine is held, so it must call nothing of it. */
	void (*done)(struct net_post *p);
	int status;   /* 0, or MORI_SHMEM_E*: it may have been done or not */
	uint64_t old; /* with fetch */

	struct net_post *next; /* the engine's, down to the end */
	size_t sent;
	uint64_t upto;
	struct batch batch;
};

/*
 * Never waits. Posts to the PEs of one process take effect there in the order in which
 * they were posted. A put and an atomic are done when the target's memory has them.
 */
void net_post(struct net *n, struct net_post *p);

/* Puts, signals and atomics to @pe (or NET_ALL) from before come before those from after. */
int net_fence(struct net *n, int pe);
/*
 * What this process has issued to @pe (or NET_ALL) is done: in the target's memory,
 * or in the local buffers. Also says what an operation without an answer met with.
 */
int net_quiet(struct net *n, int pe);

/* Serve what has come, without waiting; how many things it did. For those who poll memory. */
int net_progress(struct net *n);
/*
 * Between the two calls, which come in pairs, the caller calls net_progress() again and again
 * and does nothing that takes long: the engine's thread is not woken by what comes.
 */
void net_hold(struct net *n);
void net_rest(struct net *n);
/* What had come by now is served when it returns, whoever was at it. */
void net_settle(struct net *n);
/*
 * Sleep for @ns, or until something has come: 1. For those who have polled for long enough;
 * after it polling may be worth it again.
 */
int net_nap(struct net *n, uint64_t ns);

/*
 * Liveness says that the process of @pe is gone: whoever waits for it is told, by who drives the
 * network next. This call waits for nobody; after net_settle() it is done.
 */
void net_lost(struct net *n, int pe);
/* 0, or with what the path to @pe has ended. */
int net_error(struct net *n, int pe);

/* What a way to move bytes is made of; all are required. */
struct net_ops {
	const char *name;
	int (*open)(const struct net_config *config, struct net **out);
	void (*close)(struct net *n);
	const char *(*provider)(const struct net *n);
	void (*address)(const struct net *n, unsigned char out[NET_ADDRESS_BYTES]);
	int (*peers)(struct net *n, const unsigned char (*addresses)[NET_ADDRESS_BYTES]);
	int (*region_add)(struct net *n, int pe, uint32_t id, enum net_memory kind, void *base,
			  uint64_t len);
	void (*region_remove)(struct net *n, int pe, uint32_t id);
	int (*put)(struct net *n, const struct net_at *to, const void *src, size_t len,
		   const struct net_signal *signal, unsigned flags);
	int (*get)(struct net *n, const struct net_at *from, void *dst, size_t len, unsigned flags);
	int (*amo)(struct net *n, const struct net_at *at, int width, int op, uint64_t value,
		   uint64_t compare, uint64_t *old);
	void (*post)(struct net *n, struct net_post *p);
	int (*fence)(struct net *n, int pe);
	int (*quiet)(struct net *n, int pe);
	int (*progress)(struct net *n);
	void (*hold)(struct net *n);
	void (*rest)(struct net *n);
	void (*settle)(struct net *n);
	int (*nap)(struct net *n, uint64_t ns);
	void (*lost)(struct net *n, int pe);
	int (*error)(struct net *n, int pe);
};

#endif
