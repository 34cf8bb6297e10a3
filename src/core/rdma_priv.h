// SPDX-License-Identifier: MIT
/* What the files of rdma share: the NIC of a PE and what it may access. */
#ifndef MORI_CORE_RDMA_PRIV_H
#define MORI_CORE_RDMA_PRIV_H

#include "core/pe.h"
#include "core/rdma.h"

/* What a PE offers of a queue pair, and of its flags of kernels' barriers. */
struct rdma_qp_offer {
	struct verbs_record record;
	struct nic_place flags;
};

/* Memory that the NIC may access, as kernels see it. */
struct rdma_region {
	struct rdma_region *next;
	struct verbs_region *mr; /* NULL: the heap's or the flags', or it is gone */
	struct nic_region *image;
	void *device; /* the copy of that on the device; NULL: none */
	bool shared, used;
};

struct rdma {
	struct pe *pe;
	struct verbs_config config; /* verbs->open() keeps it, and */
	struct verbs_memory memory; /* this */
	char pci[32];
	struct verbs *nic;
	struct verbs_region *flags; /* of kernels' barriers */
	uint64_t area, area_len;
	int num_qp;
	uint32_t n;	       /* [n_pes * num_qp] of each of these: */
	struct verbs_qp **qps; /* NULL: none to that PE */
	struct rdma_qp_offer *offers;
	struct nic_queue *queues;
	struct nic_place *heap_of, *flags_of; /* [n_pes] */
	pthread_mutex_t lock;		      /* of what follows, and of calls of verbs.h */
	struct rdma_region *regions;	      /* the heap's is the last */
};

/* rdma_memory.c */
struct rdma *rdma_new(struct pe *pe);
/* The device's memory for the NIC; NULL: the CPU needs nothing. */
const struct verbs_memory *rdma_memory(struct rdma *r);
/* The device's PCI address; NULL: none. */
const char *rdma_pci(const struct pe *pe, char *text, size_t size);
/* The heap and the flags, once their places on the other PEs are known. */
int rdma_regions_open(struct rdma *r);
void rdma_regions_close(struct rdma *r);
/* The address of the first for kernels. */
uint64_t rdma_regions_first(const struct rdma *r);

#endif
