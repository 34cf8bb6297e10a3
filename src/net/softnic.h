// SPDX-License-Identifier: MIT
/*
 * The soft NIC: serves queues that no hardware serves. It reads the entries that kernels
 * post, in the format of the queue, and carries them out over the network of the process.
 * The thread that makes the network progress writes the completions, in order.
 *
 * A kernel on the CPU calls soft_rang() after it has rung a doorbell, and its own thread
 * sends. Nothing notifies the host of the doorbells of a GPU: a thread polls them, with
 * bounded sleeps.
 */
#ifndef MORI_NET_SOFTNIC_H
#define MORI_NET_SOFTNIC_H

#include "net/net.h"
#include "nic/serve.h"
#include "nic/setup.h"

struct softnic;	  /* of one process in one world */
struct soft_port; /* the queues of one PE */

/*
 * The queues of a PE to all PEs, num_qp each, in two blocks of memory: one shared with the
 * soft NIC, and the poster's own. Both are zero before they are filled.
 */
struct soft_layout {
	uint32_t n;	/* queues */
	int32_t num_qp; /* fewer than requested if those took too much memory */
	uint64_t shared_len, own_len;
	struct nic_queue first; /* what all queues have in common */
	struct nic_sizes sizes;
};

/* softnic_layout.c; MORI_SHMEM_ENOTSUP: this library reads no such format. */
int soft_layout(struct soft_layout *l, uint32_t format, int n_pes, int num_qp, uint64_t heap);
/*
 * Fills @image [n] with the queues, whose rings and tables are in the two blocks, and the
 * part of @shared that is not zero. @own is not touched; it begins with room for the queues.
 */
void soft_layout_fill(const struct soft_layout *l, void *shared, void *own,
		      struct nic_queue *image);

int softnic_open(struct net *net, struct softnic **out);
/* When no port is left. NULL is allowed. */
void softnic_close(struct softnic *nic);

struct soft_port_config {
	/* The region and offset of the remote address of an entry; MORI_SHMEM_EFAULT: there is none. */
	int (*find)(void *arg, uint64_t addr, uint64_t len, struct net_at *at);
	/* Whether a local address is device memory; NULL: none is. */
	bool (*device)(void *arg, const void *local);
	void *arg;
	uint32_t n;   /* queues */
	bool watched; /* a thread polls the doorbells */
};

/*
 * @queues [config->n] have addresses of this process, and nothing was posted to them yet.
 * One without a ring is no queue.
 */
int soft_port_open(struct softnic *nic, const struct soft_port_config *config,
		   const struct nic_queue *queues, struct soft_port **out);
/* What is under way ends first, or when its PE does, or after @timeout_s; 0: no limit. */
void soft_port_close(struct soft_port *port, double timeout_s);

/* The values of nic_queue.notify, and of notify_arg for queue @i. */
void soft_rang(void *arg);
void *soft_rang_arg(struct soft_port *port, uint32_t i);

/*
 * Waits until all rung entries are done, of all queues (@pe -1) or of those to @pe: 0, the
 * error that ended a queue, or MORI_SHMEM_ETIMEDOUT.
 */
int soft_port_drain(struct soft_port *port, int pe, double timeout_s);

#endif
