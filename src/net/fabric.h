// SPDX-License-Identifier: MIT
/*
 * The link over libfabric, for NICs with RDMA. Two kinds of endpoint carry the same
 * messages: connected ones (verbs, tcp), and one without connections for providers
 * that have no others (EFA, CXI, PSM3), where every message proves its sender.
 *
 * fabric_lib.c finds library and provider, fabric.c opens and drives, fabric_conn.c
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
#define BUF_DATA   (BUF_BYTES - sizeof(struct msg))
#define BUF_RX	   32u
#define BUF_TX	   32u
#define BUF_KEEP   8u	      /* transmit buffers that only answers may take */
#define BUF_SHARE  8u	      /* transmit buffers that one connection may hold */
#define RMA_BYTES  (4u << 20) /* of one RMA, so that a peer at work is seen to be */
#define RMA_WINDOW 64u	      /* RMAs under way to one process */

/* What the functions of libfabric that are not inline are called by. */
struct fabric_lib {
	uint32_t (*version)(void);
	int (*getinfo)(uint32_t version, const char *node, const char *service, uint64_t flags,
		       const struct fi_info *hints, struct fi_info **info);
	void (*freeinfo)(struct fi_info *info);
	struct fi_info *(*dupinfo)(const struct fi_info *info);
	int (*fabric)(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context);
	const char *(*strerror)(int errnum);
};

enum op_kind { OP_FREE, OP_RECV, OP_SEND, OP_RMA };

/* Something libfabric has been given and will give back. */
struct op {
	struct fi_context2 ctx; /* first: a completion points at it */
	enum op_kind kind;
	struct fabric_conn *fc; /* NULL: it has ended meanwhile, or a receive */
	struct op *prev, *next; /* of the connection */
	struct op *all;		/* RMA: every one there is */
	struct batch *batch;	/* RMA: who waits for it */
};

/* A registered buffer; its op is what it is posted with. */
struct buf {
	struct op op;
	struct buf *next; /* free ones, or held back */
	size_t len;	  /* of what was received */
	void *desc;
	uint8_t *data;
};

/* What this link keeps of a connection. */
struct fabric_conn {
	struct conn *c;
	struct fid_ep *ep; /* its own, or the one of all */
	fi_addr_t addr;
	uint64_t nonce;
	bool connecting;
	uint32_t n_tx, n_rma;
	struct op *ops;
	/* Connectionless: large messages complete later than small ones behind them. */
	uint64_t seq_out, seq_in; /* messages given out, and taken in */
	struct buf *held;	  /* came before their turn */
};

struct fabric {
	struct fabric_lib lib;
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_cq *cq;
	struct fid_eq *eq;
	struct fid_pep *pep;
	struct fid_ep *srx; /* shared by the connections: who receives */
	struct fid_av *av;
	struct fid_ep *ep; /* connectionless */
	bool connected;	   /* endpoints are */
	bool local_mr;	   /* local memory must be registered */
	bool offsets;	   /* remote addresses count from the start of the region */
	int cq_fd, eq_fd, wake;
	uint32_t n_connecting, ticks;
	struct buf *bufs;
	uint32_t n_bufs, n_tx_free;
	uint8_t *buf_memory;
	struct fid_mr *buf_mr;
	struct buf *tx_free;
	struct op *rma_free, *rma_all;
	uint64_t next_key;
};

static inline struct fabric *fabric_of(const struct engine *e)
{
	return e->state;
}

/* For a call of libfabric: its status, and what it says, after @what. */
int fabric_fail(struct fabric *f, int status, const char *what, long err);

/* fabric_lib.c */
int fabric_lib_load(struct fabric_lib *lib);
/* The provider to use, in f->info. ENOTSUP: there is none that is better than a socket. */
int fabric_lib_choose(struct engine *e);

/* fabric_conn.c */
int fabric_listen(struct engine *e);
int fabric_connect(struct engine *e, struct conn *c);
void fabric_disconnect(struct engine *e, struct conn *c);
/* Events of the connection manager; how many. */
int fabric_events(struct engine *e);
/* The connection a message came by; NULL for a stranger. */
struct conn *fabric_sender(struct engine *e, const struct msg *m);

/* fabric_post.c */
int fabric_bufs_open(struct engine *e);
void fabric_bufs_close(struct fabric *f);
int fabric_send(struct engine *e, struct conn *c, const struct msg *m, const struct piece *p);
bool fabric_rma_local(struct engine *e, const void *ptr, size_t len, void **desc);
size_t fabric_rma_max(const struct engine *e);
int fabric_rma(struct engine *e, struct conn *c, const struct rma *r);
void fabric_bufs_release(struct fabric *f, struct buf *held);
/* libfabric has given @op back, with an error of its own or (a receive) @len bytes. */
void fabric_done(struct engine *e, struct op *op, size_t len, int err);

#endif
