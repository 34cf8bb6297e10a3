// SPDX-License-Identifier: MIT
/* What rdma.c and rdma_memory.c share: the NIC of a PE and what it may reach. */
#ifndef MORI_CORE_RDMA_PRIV_H
#define MORI_CORE_RDMA_PRIV_H

#include "core/pe.h"
#include "core/rdma.h"

/* What a PE tells of a queue pair, and of its flags of kernels' barriers. */
struct rdma_word {
	struct verbs_record record;
	struct nic_place flags;
};

/* Memory that the NIC may reach, as kernels find it. */
struct rdma_area {
	struct rdma_area *next;
	struct verbs_region *mr; /* NULL: the heap's or the flags', or it is gone */
	struct nic_region *image;
	void *far; /* the copy of that on the device; NULL: none */
	bool shared, used;
};

struct rdma {
	struct pe *pe;
	struct verbs_config config; /* verbs_open() keeps it */
	char near[32];
	struct verbs *nic;
	struct verbs_region *flags; /* of kernels' barriers */
	uint64_t flags_at, flags_len;
	int num_qp;
	uint32_t n;	       /* [n_pes * num_qp] of each of these: */
	struct verbs_qp **qps; /* NULL: none to that PE */
	struct rdma_word *words;
	struct nic_queue *queues;
	struct nic_place *heap_of, *flags_of; /* [n_pes] */
	pthread_mutex_t lock;		      /* of what follows, and of calls of verbs.h */
	struct rdma_area *areas;	      /* the heap's comes last */
};

/* rdma_memory.c */
struct rdma *rdma_new(struct pe *pe);
/* How the NIC and the device come together; NULL: on the CPU they need nothing. */
const struct verbs_memory *rdma_memory(const struct pe *pe);
/* Where the device is on the PCI bus; NULL: nowhere. */
const char *rdma_near(const struct pe *pe, char *text, size_t size);
/* The heap and the flags, when it is known where they are at the others. */
int rdma_areas_open(struct rdma *r);
void rdma_areas_close(struct rdma *r);
/* The address of the first for kernels. */
uint64_t rdma_areas_first(const struct rdma *r);

#endif
