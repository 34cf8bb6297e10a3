// SPDX-License-Identifier: MIT
/*
 * The soft NIC: what stands behind queues where no hardware does. It reads the entries
 * that kernels post, in whatever format the queue has, and carries them out over the
 * network of the process. Completions are written in order by whoever drives the network.
 *
 * A kernel on the CPU calls soft_rang() after it has rung, and its own thread sends. Nobody
 * tells of the doorbells of a GPU: a thread looks at them, with bounded sleeps.
 */
#ifndef MORI_NET_SOFTNIC_H
#define MORI_NET_SOFTNIC_H

#include "net/net.h"
#include "nic/serve.h"
#include "nic/setup.h"

struct softnic;	  /* of one process in one world */
struct soft_port; /* the queues of one PE */

/*
 * The queues of a PE to all PEs, num_qp each, in two pieces of memory: @shared with the soft
 * NIC, and the poster's own. Both are 0 before they are filled.
 */
struct soft_layout {
	uint32_t n;	/* queues */
	int32_t num_qp; /* fewer than asked for, where that were too much memory */
	uint64_t shared_len, own_len;
	struct nic_queue first; /* what all have alike */
	struct nic_sizes sizes;
};

/* softnic_layout.c; MORI_SHMEM_EINVAL: there is no such format. */
int soft_layout(struct soft_layout *l, uint32_t format, int n_pes, int num_qp, uint64_t heap);
/*
 * @image [n] becomes the queues, with their parts in the two pieces, which begin with room for
 * the queues (@own), and what of @shared is not 0. Of @own nothing is touched.
 */
void soft_layout_fill(const struct soft_layout *l, void *shared, void *own,
		      struct nic_queue *image);

int softnic_open(struct net *net, struct softnic **out);
/* When no port is left; NULL will do. */
void softnic_close(struct softnic *nic);

struct soft_port_config {
	/* The region and offset of the remote address of an entry; MORI_SHMEM_EFAULT for none. */
	int (*find)(void *arg, uint64_t addr, uint64_t len, struct net_at *at);
	/* Whether a local address is memory of a device; NULL: none is. */
	bool (*device)(void *arg, const void *local);
	void *arg;
	uint32_t n;   /* queues */
	bool watched; /* a thread looks at the doorbells */
};

/*
 * Queue @i of a port is @q(@i), with addresses of this process, before its first post. An
 * entry with slots 0 is none.
 */
int soft_port_open(struct softnic *nic, const struct soft_port_config *config,
		   const struct nic_queue *queues, struct soft_port **out);
/* What is under way ends first, or with its PE, or with @timeout_s; 0: no limit. */
void soft_port_close(struct soft_port *port, double timeout_s);

/* What nic_queue.rang is, and rang_arg for queue @i. */
void soft_rang(void *arg);
void *soft_rang_arg(struct soft_port *port, uint32_t i);

/*
 * Until everything that was rung is done, of all queues or of those to @pe (not -1): 0,
 * MORI_SHMEM_EPEER or what else it met with, or MORI_SHMEM_ETIMEDOUT.
 */
int soft_port_drain(struct soft_port *port, int pe, double timeout_s);

#endif
