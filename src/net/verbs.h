// SPDX-License-Identifier: MIT
/*
 * Real NICs: queue pairs that kernels drive by themselves, set up by libibverbs and the
 * vendors' direct verbs, which are loaded at run time. One struct verbs is the NIC of a PE;
 * each of its queues leads to one peer:
 *
 *	open() -> heap() -> for each peer and queue: qp_open(), qp_record() ->
 *	(the PEs exchange the records) -> qp_connect()
 *
 * after which kernels post to a copy of the struct nic_queue. The calls for one NIC are made
 * by one thread at a time. Each returns 0 or a MORI_SHMEM_E* with its text by err_set(),
 * which names NIC and port; a call that fails leaves nothing behind.
 */
#ifndef MORI_NET_VERBS_H
#define MORI_NET_VERBS_H

#include "abi/workq.h"

#include <stdbool.h>
#include <stddef.h>

struct accel_dev; /* a device, which only its backend in src/accel knows */

/*
 * How the NIC accesses memory of a device, and kernels what belongs to the NIC. Each call
 * may be NULL, and all are for the CPU. 0 or a status.
 */
struct verbs_memory {
	/* Device memory for queues; NULL: they are in the host's. */
	int (*alloc)(struct accel_dev *d, uint64_t len, void **out);
	void (*free)(struct accel_dev *d, void *at);
	/* From the host to memory of alloc(). */
	int (*copy)(struct accel_dev *d, void *dst, const void *src, uint64_t len);
	/* A file descriptor for @len bytes at @at, and where in it they begin; we close it. */
	int (*dmabuf)(struct accel_dev *d, const void *at, uint64_t len, int *fd, uint64_t *off);
	/* Kernels may access whole pages of the host, or (@io) registers, from now on. */
	int (*show)(struct accel_dev *d, void *at, uint64_t len, bool io, void **out);
	void (*hide)(struct accel_dev *d, void *at);
};

struct verbs_config {
	const char *devices;  /* MORI_RDMA_DEVICES; NULL: all */
	const char *affinity; /* PCI address of the device, 0000:17:00.0; NULL: any NIC will do */
	bool in_turn;	      /* MORI_DISABLE_TOPO: ignore the affinity */
	int turn;	      /* of this PE among those of its node */
	int gid_index;	      /* MORI_IB_GID_INDEX; -1: found */
	int sl, tc;	      /* MORI_RDMA_SL, MORI_RDMA_TC; -1: 0 */
	uint32_t log_slots;   /* of a queue; 0: 10 */
	const char *sysfs;    /* NULL: SYSFS_PATH, as libibverbs reads it, else /sys */
	bool device;	      /* transfers are to device memory: completions must be there, too */
	const struct verbs_memory *memory; /* NULL: everything is in host memory */
	struct accel_dev *dev;		   /* of its calls */
};

/* How well a GID serves, the best last. */
enum verbs_gid {
	VERBS_NO_GID,
	VERBS_ROCE1,
	VERBS_LINK_LOCAL,
	VERBS_IP6,
	VERBS_IP4,
	VERBS_REQUESTED
};

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
	int shared;	   /* leading components of its PCI path that the device's has, too */
	bool same_numa;	   /* as the device's; false where either is unknown */
	char why_not[128]; /* "" if it can be used */
};

/*
 * Parses @list and marks in why_not the ports that it leaves out. EINVAL: a mistake in it,
 * or no such NIC.
 */
int verbs_filter(const char *list, struct verbs_port *ports, size_t n);

/*
 * Which of the usable ports the PE takes: the nearest, of those the fastest, of those in
 * turn. Returns its index, with a sentence in @why; or ENOENT with the reasons of all.
 */
int verbs_choose(const struct verbs_config *c, const struct verbs_port *ports, size_t n, char *why,
		 size_t size);

/* The kind of a GID, judged by its bytes. */
enum verbs_gid verbs_gid_kind(const uint8_t gid[16], bool v2);

/* Whether a folder, as /sys/class/infiniband, has an entry: libraries take longer to ask. */
bool verbs_has_entry(const char *folder);
const char *verbs_sysfs_path(void);
/* Whether this machine has NICs at all, without opening anything. */
bool verbs_any(void);

/* What a peer must know of a queue pair; plain bytes, the same on every machine of a job. */
struct verbs_record {
	uint32_t magic; /* VERBS_RECORD */
	uint32_t qpn, psn, rkey;
	uint64_t heap;
	uint8_t gid[16];
	uint16_t lid;
	uint8_t mtu, ethernet, v2;
	uint8_t reads; /* reads and atomics of a peer that it serves at once, at most */
	uint8_t reserved[2];
	char name[32]; /* of the NIC, for errors */
};

#define VERBS_RECORD 0x31627276u

struct verbs;
struct verbs_qp;
struct verbs_region;

struct verbs_ops {
	/* All ports of this machine in the order of their names, filtered; free() the array. */
	int (*scan)(const struct verbs_config *c, struct verbs_port **out, size_t *n);
	/* Opens the NIC that suits @c best; what @c points to must stay. */
	int (*open)(const struct verbs_config *c, struct verbs **out);
	/* After its queues and regions. NULL is allowed. */
	void (*close)(struct verbs *v);
	const struct verbs_port *(*port)(const struct verbs *v);
	/* A sentence: which NIC, and why. */
	const char *(*why)(const struct verbs *v);
	/*
	 * Lets the NIC access @len bytes at @at: of the device, by dma-buf or else by the
	 * driver's own way (nvidia-peermem), or of the host. Queue entries name them by
	 * their addresses.
	 */
	int (*region_add)(struct verbs *v, void *at, uint64_t len, bool device,
			  struct verbs_region **out);
	void (*region_remove)(struct verbs_region *r); /* NULL is allowed */
	void (*region_keys)(const struct verbs_region *r, uint32_t *lkey, uint32_t *rkey);
	/* The PE's heap, before its first queue; removed by close(). */
	int (*heap)(struct verbs *v, void *at, uint64_t len, bool device);
	void (*heap_keys)(const struct verbs *v, uint32_t *lkey, uint32_t *rkey);
	/* A queue pair that will lead to queue @qp of PE @pe. */
	int (*qp_open)(struct verbs *v, int pe, int qp, struct verbs_qp **out);
	void (*qp_record)(const struct verbs_qp *q, struct verbs_record *out);
	/*
	 * Connects it with the peer's, and fills *out: its addresses are those of kernels,
	 * its memory is ready for the first post. Copy it to where the kernels are.
	 */
	int (*qp_connect)(struct verbs_qp *q, const struct verbs_record *peer,
			  struct nic_queue *out);
	/* Kernels do not use it any more. NULL is allowed. */
	void (*qp_close)(struct verbs_qp *q);
};

/* NULL in a build without the headers of libibverbs; then verbs_missing() is the error. */
extern const struct verbs_ops *const verbs;
int verbs_missing(void);

#endif
