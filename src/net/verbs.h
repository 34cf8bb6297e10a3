// SPDX-License-Identifier: MIT
/*
 * Real NICs: queue pairs that a kernel drives by itself, set up by libibverbs and the
 * direct verbs of the NIC's maker, which are opened at run time. One struct verbs is
 * the NIC of a PE; each of its queues leads to one peer:
 *
 *	verbs_open() -> verbs_heap() -> for each peer and queue: verbs_qp_open(),
 *	verbs_qp_record() -> (the records change hands) -> verbs_qp_connect()
 *
 * after which kernels post to a copy of the struct nic_queue. Calls of one struct verbs
 * are made by one thread at a time. Each gives 0 or a MORI_SHMEM_E* with its text by
 * err_set(), which names NIC and port; a call that fails leaves nothing behind.
 */
#ifndef MORI_NET_VERBS_H
#define MORI_NET_VERBS_H

#include "abi/queue.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * How the NIC and kernels of a device come together; each may be NULL, and all are for
 * the CPU. 0 or a status.
 */
struct verbs_memory {
	/* Memory of the device for queues; NULL: they are in the host's. */
	int (*alloc)(void *arg, uint64_t len, void **out);
	void (*free)(void *arg, void *at);
	/* From the host to memory of alloc(). */
	int (*copy)(void *arg, void *dst, const void *src, uint64_t len);
	/* A file descriptor of @len bytes at @at, and where in it they begin; we close it. */
	int (*dmabuf)(void *arg, const void *at, uint64_t len, int *fd, uint64_t *off);
	/* Kernels may use whole pages of the host, or (@io) of registers, from now on. */
	int (*show)(void *arg, void *at, uint64_t len, bool io, void **out);
	void (*hide)(void *arg, void *at);
};

struct verbs_config {
	const char *devices; /* MORI_RDMA_DEVICES; NULL: all */
	const char *near;    /* PCI address of the device, 0000:17:00.0; NULL: no matter */
	bool in_turn;	     /* MORI_DISABLE_TOPO: whatever is near what */
	int turn;	     /* of this PE among those of its node */
	int gid_index;	     /* MORI_IB_GID_INDEX; -1: found */
	int sl, tc;	     /* MORI_RDMA_SL, MORI_RDMA_TC; -1: 0 */
	uint32_t log_slots;  /* of a queue; 0: 10 */
	const char *sysfs;   /* NULL: SYSFS_PATH, as libibverbs reads it, else /sys */
	bool device; /* what is moved is the device's: so must be the completions that tell of it */
	const struct verbs_memory *memory; /* NULL: all is the host's */
	void *arg;			   /* of those */
};

/* How well a GID serves, the best last. */
enum verbs_gid { VERBS_NO_GID, VERBS_ROCE1, VERBS_LINK_LOCAL, VERBS_IP6, VERBS_IP4, VERBS_ASKED };

/* A port of a NIC, and whether it can be used. */
struct verbs_port {
	char name[64]; /* of the NIC */
	int port;
	uint32_t format; /* enum nic_format; NIC_FORMATS: kernels cannot drive it */
	bool ethernet;	 /* else InfiniBand */
	bool v2;	 /* the GID is of RoCE v2 */
	uint32_t mtu;	 /* as verbs counts them: 1 is 256 bytes, 5 is 4096 */
	uint16_t lid;
	int gid_index;
	uint8_t gid[16];
	uint64_t mbps;
	uint64_t max_len;  /* bytes of a message */
	int shared;	   /* how many steps of its PCI path are the device's, too */
	bool same_numa;	   /* as the device's; false where either is unknown */
	char why_not[128]; /* "" if it can be used */
};

/* Parses @list and marks in why_not what it leaves out. EINVAL: a mistake in it, or no such NIC. */
int verbs_filter(const char *list, struct verbs_port *ports, size_t n);

/*
 * Which of the ports that can be used the PE takes: the nearest, of those the fastest, of
 * those in turn. Its place, and into @why a sentence; or ENOENT with the reasons of all.
 */
int verbs_choose(const struct verbs_config *c, const struct verbs_port *ports, size_t n, char *why,
		 size_t size);

/* How a GID is seen: of what kind its bytes are. */
enum verbs_gid verbs_gid_kind(const uint8_t gid[16], bool v2);

/* Whether this machine has NICs at all, without opening anything. */
bool verbs_any(void);

/* All ports of this machine in the order of their names, filtered; free() the array. */
int verbs_scan(const struct verbs_config *c, struct verbs_port **out, size_t *n);

struct verbs;
struct verbs_qp;
struct verbs_region;

/* Opens the NIC that suits @c best; what @c points to must stay. */
int verbs_open(const struct verbs_config *c, struct verbs **out);
/* After its queues and regions. NULL will do. */
void verbs_close(struct verbs *v);
const struct verbs_port *verbs_port(const struct verbs *v);
/* A sentence: which NIC, and why. */
const char *verbs_why(const struct verbs *v);

/*
 * Let the NIC reach @len bytes at @at: of the device, by dma-buf or else by the driver's
 * own way (nvidia-peermem), or of the host. The addresses of entries are those of @at.
 */
int verbs_region_add(struct verbs *v, void *at, uint64_t len, bool device,
		     struct verbs_region **out);
void verbs_region_remove(struct verbs_region *r);
void verbs_region_keys(const struct verbs_region *r, uint32_t *lkey, uint32_t *rkey);

/* The PE's heap, before its first queue; removed by verbs_close(). */
int verbs_heap(struct verbs *v, void *at, uint64_t len, bool device);
void verbs_heap_keys(const struct verbs *v, uint32_t *lkey, uint32_t *rkey);

/* What a peer must know of a queue pair; plain bytes, the same on every machine of a job. */
struct verbs_record {
	uint32_t magic; /* VERBS_RECORD */
	uint32_t qpn, psn, rkey;
	uint64_t heap;
	uint8_t gid[16];
	uint16_t lid;
	uint8_t mtu, ethernet, v2;
	uint8_t reads; /* and atomics of a peer that it has under way, at most */
	uint8_t reserved[2];
	char name[32]; /* of the NIC, for errors */
};

#define VERBS_RECORD 0x31627276u

/* A queue pair to queue @qp of PE @pe, which is to be told of it. */
int verbs_qp_open(struct verbs *v, int pe, int qp, struct verbs_qp **out);
void verbs_qp_record(const struct verbs_qp *q, struct verbs_record *out);
/*
 * Connects it with the peer's, and fills *out: its addresses are those of kernels, its
 * memory is ready for the first post. Copy it to where the kernels are.
 */
int verbs_qp_connect(struct verbs_qp *q, const struct verbs_record *peer, struct nic_queue *out);
/* Kernels do not use it any more. NULL will do. */
void verbs_qp_close(struct verbs_qp *q);

#endif
