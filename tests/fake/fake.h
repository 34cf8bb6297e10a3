// SPDX-License-Identifier: MIT
/*
 * Libraries of NICs that are none: libibverbs.so.1 and the vendors', as far as
 * src/net/verbs calls them, over memory of this process. A test says which NICs there
 * are, lets the nth call fail, and counts what was not given back. Queue pairs of one
 * process are connected as real ones are; serve.c is their NIC, if the environment says so.
 */
#ifndef MORI_TESTS_FAKE_H
#define MORI_TESTS_FAKE_H

#include "nic/serve.h"

#include <infiniband/verbs.h>

#include <stdbool.h>
#include <stdint.h>

#define FAKE_EXPORT __attribute__((visibility("default")))
#define FAKE_BELL   ((uint64_t)0x81 << 56 | (uint64_t)5 << 16) /* ionic: of every doorbell */

struct fake_gid {
	const char *text; /* as inet_pton() reads it; NULL: an empty place */
	bool v2;
};

struct fake_port {
	bool infiniband;
	enum ibv_port_state state;
	uint16_t lid;
	uint8_t speed, width; /* as ibv_port_attr has them */
	enum ibv_mtu mtu;
	struct fake_gid gids[6];
};

struct fake_nic {
	const char *name;
	struct fake_port port[2];
	int ports;
	bool closed;	/* opening it fails: EACCES */
	bool no_devx;	/* opening it for DevX fails */
	bool no_dmabuf; /* it takes none */
};

/* The NICs there are from now on; @n 0: none. The array must stay. */
FAKE_EXPORT void fake_nics(const struct fake_nic *nics, int n);
/*
 * The nth call from now on fails, 1 is the next; 0: none. Returns the number of calls since the
 * last time.
 */
FAKE_EXPORT int fake_fail(int nth);
/* The call that failed last; "" for none since fake_fail(). */
FAKE_EXPORT const char *fake_failed(void);
/* Counts everything that was opened and not closed; prints it if @say. */
FAKE_EXPORT int fake_live(bool say);
/* How libbnxt_re makes its queues: with a table of messages, or not. */
FAKE_EXPORT void fake_bnxt_msn(bool on);

/* Which version of the format libionic's NICs have; 0: one that nobody knows. */
FAKE_EXPORT void fake_ionic(int version);
FAKE_EXPORT int fake_ionic_version(void);

/* A queue pair as the NIC has it. */
struct fake_qp {
	struct ibv_qp qp; /* first */
	struct ibv_qp_attr attr;
	uint32_t slots; /* of its ring; CQEs as many as its completion queue has */
	bool devx, ready;
	bool quiet;    /* ionic: what the library posts is not rung */
	void *ring;    /* what the library reports, or was given */
	char *told[4]; /* DevX: ring, record, completions, their record */
	uint32_t record[4], cq_record[4];
	uint64_t *doorbells; /* its registers, which no other queue pair has, but by DevX */
	uint64_t *page;	     /* where they are */
	uint64_t *psns;	     /* bnxt: the numbers of packets, and how many there is room for */
	uint32_t numbers;
	struct fake_qp *next;

	/* serve.c */
	bool served;
	struct nic_server server;
	uint64_t bell;	    /* how far it has been rung, in the words of the format, */
	uint32_t shadow[4]; /* and for mlx5 */
	uint32_t psn;	    /* bnxt: of the next packet */
	uint64_t late_slot,
		late_until; /* the entry that is late, counted from 1, and when it is not */
};

FAKE_EXPORT struct fake_qp *fake_qp_find(uint32_t qpn);
/* The queue pair that this thread made last. */
FAKE_EXPORT struct fake_qp *fake_qp_last(void);
/* Whether @len bytes at @addr may be reached under @key; where they are here. */
FAKE_EXPORT void *fake_reach(uint32_t key, uint64_t addr, uint64_t len, bool remote);
/* The same for queue pairs of @c: nobody else's keys are any good. */
void *fake_reach_by(const struct ibv_context *c, uint32_t key, uint64_t addr, uint64_t len,
		    bool remote);
/* A call of this name fails from its nth time on, as "name:n"; NULL: none does. */
void fake_fail_call(const char *name);

/* serve.c: whether it serves, a queue pair that is ready, and all of them in turn. */
bool fake_serves(void);
void fake_serve_open(struct fake_qp *q);
bool fake_each(bool (*serve)(struct fake_qp *q));

/* For the vendors' libraries. */
enum fake_kind {
	FAKE_CTX,
	FAKE_PD,
	FAKE_MR,
	FAKE_CQ,
	FAKE_QP,
	FAKE_AH,
	FAKE_LIST,
	FAKE_UMEM,
	FAKE_UAR,
	FAKE_OBJ,
	FAKE_KINDS
};
/* True if this call is to fail; errno is set. */
FAKE_EXPORT bool fake_step(const char *call);
FAKE_EXPORT void fake_count(enum fake_kind kind, int by);
FAKE_EXPORT const struct fake_nic *fake_nic_of(const struct ibv_context *c);
FAKE_EXPORT struct ibv_context *fake_open(struct ibv_device *d);
FAKE_EXPORT struct fake_qp *fake_qp_new(struct ibv_pd *pd);
FAKE_EXPORT void fake_qp_free(struct fake_qp *q);
FAKE_EXPORT uint64_t *fake_page(const struct ibv_context *c); /* its registers */
FAKE_EXPORT void *fake_dmabuf(int fd); /* memory behind a dma-buf: a file with its address */
/* Where a state may follow another: 0 or EINVAL. */
FAKE_EXPORT int fake_qp_state(struct fake_qp *q, const struct ibv_qp_attr *attr, int mask);
FAKE_EXPORT bool fake_has_bnxt_msn(void);

#endif
