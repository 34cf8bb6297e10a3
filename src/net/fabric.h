// SPDX-License-Identifier: MIT
/*
 * The link over libfabric, for NICs with RDMA. Two kinds of endpoint carry the same
 * messages: connected ones (verbs, tcp), and one without connections for providers that
 * have no others (EFA, CXI, PSM3), where every message proves its sender.
 *
 * fabric_lib.c finds library and provider, fabric.c opens and polls, fabric_conn.c
 * connects, fabric_post.c posts messages and RMAs.
 */
#ifndef MORI_NET_FABRIC_H
#define MORI_NET_FABRIC_H

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "net/engine.h"

#define BUF_BYTES  (64u << 10) /* of a message with its data */
#define BUF_DATA   (BUF_BYTES - sizeof(struct net_msg))
#define BUF_RX	   32u
#define BUF_TX	   32u
#define BUF_KEEP   8u	      /* transmit buffers reserved for responses */
#define BUF_SHARE  8u	      /* transmit buffers that one connection may hold */
#define RMA_BYTES  (4u << 20) /* of one RMA, so that a peer at work is seen to be */
#define RMA_WINDOW 64u	      /* RMAs under way to one process */

/* The functions of libfabric that are not inline. */
struct fabric_lib {
	uint32_t (*version)(void);
	int (*getinfo)(uint32_t version, const char *node, const char *service, uint64_t flags,
		       const struct fi_info *hints, struct fi_info **info);
	void (*freeinfo)(struct fi_info *info);
	struct fi_info *(*dupinfo)(const struct fi_info *info);
	int (*fabric)(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context);
	const char *(*strerror)(int errnum);
};

enum fabric_op_kind { OP_FREE, OP_RECV, OP_SEND, OP_RMA };

/* An operation that was posted to libfabric and has not completed. */
struct fabric_op {
	struct fi_context2 ctx; /* first: a completion points at it */
	enum fabric_op_kind kind;
	struct fabric_conn *fc;	       /* NULL: a receive, or the connection has ended */
	struct fabric_op *prev, *next; /* of the connection */
	struct fabric_op *all;	       /* RMA: the list of all */
	struct net_batch *batch;       /* RMA: counts it */
};

/* A registered buffer, and the operation that posts it. */
struct fabric_buf {
	struct fabric_op op;
	struct fabric_buf *next; /* free, or held back */
	size_t len;		 /* received */
	void *desc;
	uint8_t *data;
};

/* The link's part of a connection. */
struct fabric_conn {
	struct net_conn *c;
	struct fid_ep *ep; /* its own, or the shared one */
	fi_addr_t addr;
	uint64_t nonce;
	bool connecting;
	uint32_t n_tx, n_rma;
	struct fabric_op *ops;
	/* Connectionless: large messages complete after small ones that were sent later. */
	uint64_t seq_out, seq_in; /* of messages sent, and received */
	struct fabric_buf *held;  /* arrived too early */
};

struct fabric {
	struct fabric_lib lib;
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_cq *cq;
	struct fid_eq *eq;
	struct fid_pep *pep;
	struct fid_ep *srx; /* receives for all connections */
	struct fid_av *av;
	struct fid_ep *ep; /* connectionless */
	bool connected;	   /* the endpoints are connected */
	bool local_mr;	   /* local memory must be registered */
	bool offsets;	   /* remote addresses count from the start of the region */
	int cq_fd, eq_fd, wake;
	uint32_t n_connecting, ticks;
	struct fabric_buf *bufs;
	uint32_t n_bufs, n_tx_free;
	uint8_t *buf_memory;
	struct fid_mr *buf_mr;
	struct fabric_buf *tx_free;
	struct fabric_op *rma_free, *rma_all;
	uint64_t next_key;
};

static inline struct fabric *fabric_of(const struct net *e)
{
	return e->state;
}

/* For a failed call of libfabric: sets the text, @what and the reason, and returns @status. */
int fabric_fail(struct fabric *f, int status, const char *what, long err);

/* fabric_lib.c */
int fabric_lib_load(struct fabric_lib *lib);
/* The provider to use, in f->info. ENOTSUP: none is better than a socket. */
int fabric_lib_choose(struct net *e);

/* fabric_conn.c */
int fabric_listen(struct net *e);
int fabric_connect(struct net *e, struct net_conn *c);
void fabric_disconnect(struct net *e, struct net_conn *c);
/* Handles events of the connection manager; how many. */
int fabric_events(struct net *e);
/* The connection of a message; NULL: its sender is not of the job. */
struct net_conn *fabric_sender(struct net *e, const struct net_msg *m);

/* fabric_post.c */
int fabric_bufs_open(struct net *e);
void fabric_bufs_close(struct fabric *f);
int fabric_send(struct net *e, struct net_conn *c, const struct net_msg *m,
		const struct net_buf *p);
bool fabric_rma_local(struct net *e, const void *ptr, size_t len, void **desc);
size_t fabric_rma_max(const struct net *e);
int fabric_rma(struct net *e, struct net_conn *c, const struct net_rma *r);
void fabric_bufs_release(struct fabric *f, struct fabric_buf *held);
/* @op has completed, with an error of libfabric or (a receive) @len bytes. */
void fabric_done(struct net *e, struct fabric_op *op, size_t len, int err);

#endif
