// SPDX-License-Identifier: MIT
/*
 * Internals of the set-up of real NICs: the libraries' calls (verbs_calls.def), the few
 * structs of vendors whose headers no distribution has, and the state of a NIC and a queue
 * pair. A vendor's library creates queue pairs and knows where their parts are.
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
	uint64_t comp_mask; /* 1: dmabuf_fd is valid */
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

/* The calls of each library. */
enum verbs_library { VERBS_IBV, VERBS_MLX5, VERBS_BNXT, VERBS_IONIC, VERBS_LIBRARIES };

#define VERBS_CALL(table, name, symbol, type, params)	  type(*table##_##name) params;
#define VERBS_CALL_MAY(table, name, symbol, type, params) type(*table##_##name) params;
struct verbs_calls {
#include "net/verbs_calls.def"
};
#undef VERBS_CALL
#undef VERBS_CALL_MAY

extern struct verbs_calls verbs_calls;

/* Loads a library, once per process; ENOTSUP with the reason. */
int verbs_load(enum verbs_library which);

/* Host pages that kernels may access; queues may share pages. */
struct verbs_shown {
	struct verbs_shown *next;
	uintptr_t page;
	uint64_t len;
	uint64_t users;
	void *out; /* the kernels' address */
};

/* Memory of our own for queues: of the device if it provides some, else of the host. */
struct verbs_part {
	void *whole; /* what was allocated */
	void *at;    /* its first whole page */
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
 * PCIe does not order a NIC's writes to the host with its writes to a device: a kernel may
 * see the completion of a get before its data.
 */
#define VERBS_OVERTAKES "its completions are in host memory and may overtake data for a device"

#define VERBS_ACCESS                                                                               \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |               \
	 IBV_ACCESS_REMOTE_ATOMIC)

struct verbs_vendor;

/* The NIC of a PE. */
struct verbs {
	struct verbs_config config;
	struct verbs_port port;
	const struct verbs_vendor *vendor;
	struct ibv_context *ctx;
	struct ibv_device_attr attr;
	bool devx; /* mlx5: it was opened for our own commands */
	struct ibv_pd *pd;
	struct verbs_region *heap;
	uint64_t heap_at;
	struct verbs_shown *shown;
	char why[192];
};

#define VERBS_SHOWN 6

struct verbs_qp {
	struct nic_queue q; /* addresses of this process until verbs_show(), then of kernels */
	struct verbs *nic;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct verbs_region *own_mr; /* of own */
	void *made;		     /* the vendor's */
	struct verbs_part own;	     /* marks and result slots */
	struct verbs_part rings;     /* if the vendor's library lets us choose their place */
	struct verbs_shown *shown[VERBS_SHOWN];
	int n_shown;
	uint32_t qpn; /* for the peer */
	uint32_t psn;
};

/* What differs from vendor to vendor. */
struct verbs_vendor {
	uint32_t format;
	enum verbs_library library;
	const char *driver; /* the start of the name of its kernel driver */
	bool host_rings;    /* its completions are always in host memory */
	/* NULL: ibv_open_device(). Returns NULL and sets errno if it fails. */
	struct ibv_context *(*open)(struct verbs *v, struct ibv_device *d);
	/* A queue pair in its first state; fills q->q, with this process's addresses, and q->qpn. */
	int (*make)(struct verbs_qp *q);
	void (*unmake)(struct verbs_qp *q); /* also after make() has failed half way */
	/* Changes its state; 0 or an errno. */
	int (*modify)(struct verbs_qp *q, struct ibv_qp_attr *attr, int mask);
	/* It is ready to send: finds out what is known only now. NULL: nothing. */
	int (*ready)(struct verbs_qp *q);
};

extern const struct verbs_vendor verbs_mlx5, verbs_bnxt, verbs_ionic;
/* The vendor of a format; NULL: none. */
const struct verbs_vendor *verbs_vendor_of(uint32_t format);

/* verbs_scan.c: the device of that name in @list; NULL: it is gone. */
struct ibv_device *verbs_find(struct ibv_device **list, const char *name);

/* verbs_scan.c, verbs_qp.c: calls of struct verbs_ops. */
int verbs_scan(const struct verbs_config *c, struct verbs_port **out, size_t *n);
int verbs_qp_open(struct verbs *v, int pe, int qp, struct verbs_qp **out);
void verbs_qp_record(const struct verbs_qp *q, struct verbs_record *out);
int verbs_qp_connect(struct verbs_qp *q, const struct verbs_record *peer, struct nic_queue *out);
void verbs_qp_close(struct verbs_qp *q);

/* verbs.c */
void verbs_region_remove(struct verbs_region *r);
/* For a failed call of a library: sets the text (which NIC, @what, why, @todo). */
int verbs_fail(const struct verbs_port *p, int err_no, const char *what, const char *todo);
/* @image, all 0, is to become its contents by verbs_part_fill(), which frees it. */
int verbs_part_open(struct verbs *v, uint64_t len, struct verbs_part *out, uint8_t **image);
void verbs_part_close(struct verbs *v, struct verbs_part *p);
int verbs_part_fill(struct verbs *v, const struct verbs_part *p, uint8_t *image);
/* A descriptor of device memory; -1: the device has none. */
int verbs_part_fd(struct verbs *v, const void *at, uint64_t len, uint64_t *off);
int verbs_part_reg(struct verbs *v, const struct verbs_part *p, struct verbs_region **out);
/* Lets kernels access the pages around *addr, which becomes the kernels' address. */
int verbs_show(struct verbs *v, uint64_t *addr, uint64_t len, bool io, struct verbs_shown **out);
void verbs_hide(struct verbs *v, struct verbs_shown *s);

/* verbs_qp.c: make() and unmake() of NICs whose library places the rings. */
int verbs_make_plain(struct verbs_qp *q, int (*query)(struct verbs_qp *q));
void verbs_unmake_plain(struct verbs_qp *q);
int verbs_modify_plain(struct verbs_qp *q, struct ibv_qp_attr *attr, int mask);
/* Of a queue pair of ours with room for @entries. */
struct ibv_qp_init_attr verbs_qp_attr(const struct verbs_qp *q, uint32_t entries);
/* Memory for the rings of @q, all 0 but its completion ring, which begins at @cq_at. */
int verbs_rings_open(struct verbs_qp *q, uint64_t len, uint64_t cq_at);
/* The path to @peer. */
void verbs_qp_path(const struct verbs_qp *q, const struct verbs_record *peer,
		   struct ibv_ah_attr *out);

#endif
