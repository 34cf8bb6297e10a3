// SPDX-License-Identifier: MIT
/*
 * Inside of the set-up of real NICs: the libraries' calls (verbs_calls.def), the few
 * structs of makers whose headers no distribution has, and what a NIC and a queue pair
 * hold. A maker's library adds how a queue pair is made and where its parts are.
 */
#ifndef MORI_NET_VERBS_LIB_H
#define MORI_NET_VERBS_LIB_H

#include "net/verbs.h"
#include "nic/setup.h"

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

/* Broadcom's libbnxt_re, as its bnxt_re_dv.h has them (not the one in rdma-core). */
struct bnxt_dv_cq {
	uint32_t cqn, cqe_size;
	uint64_t comp_mask;
};

struct bnxt_dv_obj {
	struct {
		void *in, *out;
	} qp, cq, srq, ah, pd;
};

struct bnxt_dv_db {
	uint32_t handle, dpi;
	uint64_t umdbr;
	uint64_t *dbr;
};

struct bnxt_dv_umem {
	void *addr;
	size_t size;
	uint32_t access;
	uint64_t pgsz_bitmap;
	uint64_t comp_mask; /* 1: dmabuf_fd counts */
	int dmabuf_fd;
	void *pa_buf;
	size_t pa_buf_sz;
	uint32_t map_pg_sz;
};

struct bnxt_dv_cq_attr {
	uint32_t ncqe, cqe_size;
};

struct bnxt_dv_cq_init {
	uint64_t cq_handle;
	void *umem;
	uint64_t umem_offset;
	uint32_t ncqe;
	uint64_t comp_mask;
	uint32_t cqid;
};

struct bnxt_dv_qp_mem {
	uint64_t qp_handle, sq_va;
	uint32_t sq_len, sq_slots, sq_wqe_sz, sq_psn_sz, sq_npsn;
	uint64_t rq_va;
	uint32_t rq_len, rq_slots, rq_wqe_sz;
	uint64_t comp_mask;
};

struct bnxt_dv_qp_init {
	enum ibv_qp_type type;
	uint32_t max_send_wr, max_recv_wr, max_send_sge, max_recv_sge, max_inline;
	struct ibv_cq *send_cq, *recv_cq;
	struct ibv_srq *srq;
	uint64_t qp_handle;
	void *dbr, *sq_umem;
	uint64_t sq_umem_offset;
	uint32_t sq_len, sq_slots;
	void *rq_umem;
	uint64_t rq_umem_offset;
	uint32_t sq_wqe_sz, sq_psn_sz, sq_npsn, rq_len, rq_slots, rq_wqe_sz;
	uint64_t comp_mask;
};

/* AMD's libionic, as its ionic_dv.h has them. */
struct ionic_dv_ctx {
	void *db_page;
	uint64_t *db_ptr;
	uint8_t sq_type, rq_type, cq_type;
};

struct ionic_dv_queue {
	void *at;
	size_t size;
	uint64_t db_val;
	uint16_t mask;
	uint8_t log_depth, log_stride;
};

struct ionic_dv_cq {
	struct ionic_dv_queue q;
};

struct ionic_dv_qp {
	struct ionic_dv_queue rq, sq;
};

/* A struct and a variable of each library. */
enum verbs_library { VERBS_IBV, VERBS_MLX5, VERBS_BNXT, VERBS_IONIC, VERBS_LIBRARIES };

#define VERBS_CALL(table, name, symbol, type, params)	  type(*table##_##name) params;
#define VERBS_CALL_MAY(table, name, symbol, type, params) type(*table##_##name) params;
struct verbs_calls {
#include "net/verbs_calls.def"
};
#undef VERBS_CALL
#undef VERBS_CALL_MAY

extern struct verbs_calls verbs_calls;

/* Opens a library, once a process; ENOTSUP with the reason. */
int verbs_load(enum verbs_library which);

/* A range of the host that kernels were shown; pages of several queues may be the same. */
struct verbs_shown {
	struct verbs_shown *next;
	uintptr_t page;
	uint64_t len;
	uint64_t users;
	void *out; /* where kernels find it */
};

/* Memory of our own for queues: of the device where it has any to give, else of the host. */
struct verbs_part {
	void *whole; /* what was allocated */
	void *at;    /* its first page */
	uint64_t len;
	uint64_t addr; /* for kernels */
	struct verbs_shown *shown;
	bool device;
};

struct verbs_region {
	struct verbs *nic;
	struct ibv_mr *mr;
};

/*
 * PCIe keeps no order between what a NIC writes to the host and what it writes to a device: a
 * kernel may see that a get is complete before it sees the data.
 */
#define VERBS_OVERTAKES "its completions are in the host's memory and may overtake data of a device"

struct verbs_maker;

/* The NIC of a PE. */
struct verbs {
	struct verbs_config config;
	struct verbs_port port;
	const struct verbs_maker *maker;
	struct ibv_context *ctx;
	struct ibv_device_attr attr;
	bool devx; /* mlx5: it was opened for commands of our own */
	struct ibv_pd *pd;
	struct verbs_region *heap;
	uint64_t heap_at;
	struct verbs_shown *shown;
	char why[192];
};

#define VERBS_SHOWN 6

struct verbs_qp {
	struct nic_queue q; /* addresses of this process until they are shown, then of kernels */
	struct verbs *nic;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct verbs_region *cells; /* of own */
	void *made;		    /* the maker's */
	struct verbs_part own;	    /* marks and cells */
	struct verbs_part rings;    /* where the maker lets us choose their place */
	struct verbs_shown *shown[VERBS_SHOWN];
	int n_shown;
	uint32_t qpn; /* as the peer names it */
	uint32_t psn;
};

/* What differs from maker to maker. */
struct verbs_maker {
	uint32_t format;
	enum verbs_library library;
	const char *driver; /* how the name of its driver in the kernel begins */
	bool host_rings;    /* its completions are in the host's memory in any case */
	/* NULL: as every NIC. NULL and errno if it fails. */
	struct ibv_context *(*open)(struct verbs *v, struct ibv_device *d);
	/* A queue pair in its first state; fills q->q and q->qpn with this process's addresses. */
	int (*make)(struct verbs_qp *q);
	void (*unmake)(struct verbs_qp *q); /* of what make() has left, perhaps half */
	/* Its next state; 0 or an errno. */
	int (*modify)(struct verbs_qp *q, struct ibv_qp_attr *attr, int mask);
	/* NULL: nothing. It is ready to send: what can be found out of it only now. */
	int (*ready)(struct verbs_qp *q);
};

extern const struct verbs_maker verbs_mlx5, verbs_bnxt, verbs_ionic;
/* The maker of a format; NULL for none. */
const struct verbs_maker *verbs_maker_of(uint32_t format);

/* verbs_scan.c: the name of the device of an opened NIC in @list; NULL if it is gone. */
struct ibv_device *verbs_find(struct ibv_device **list, const char *name);

/* verbs.c */
/* A failed call of a library: which NIC, what it was, what to do. */
int verbs_fail(const struct verbs_port *p, int err_no, const char *what, const char *todo);
int verbs_part_open(struct verbs *v, uint64_t len, struct verbs_part *out);
void verbs_part_close(struct verbs *v, struct verbs_part *p);
/* From the host into it. */
int verbs_part_fill(struct verbs *v, const struct verbs_part *p, const void *from);
/* A descriptor of device memory; -1: the device has none to give. */
int verbs_part_fd(struct verbs *v, const void *at, uint64_t len, uint64_t *off);
int verbs_part_reg(struct verbs *v, const struct verbs_part *p, struct verbs_region **out);
/* Turns *addr of this process into where kernels find it, with the pages around it. */
int verbs_show(struct verbs *v, uint64_t *addr, uint64_t len, bool io, struct verbs_shown **out);
void verbs_hide(struct verbs *v, struct verbs_shown *s);

/* verbs_qp.c: make() and unmake() of NICs whose library places the rings. */
int verbs_make_plain(struct verbs_qp *q, int (*look)(struct verbs_qp *q));
void verbs_unmake_plain(struct verbs_qp *q);
int verbs_modify_plain(struct verbs_qp *q, struct ibv_qp_attr *attr, int mask);
/* The way to @peer. */
void verbs_qp_path(const struct verbs_qp *q, const struct verbs_record *peer,
		   struct ibv_ah_attr *out);

#endif
