// SPDX-License-Identifier: MIT
/*
 * Access to memory of peers that load and store do not reach: the network of a world, one per
 * process, and which memory of a PE is which region of it.
 */
#ifndef MORI_CORE_REMOTE_H
#define MORI_CORE_REMOTE_H

#include "abi/state.h"
#include "core/waits.h"
#include "net/net.h"
#include "util/backoff.h"

#include <stdbool.h>

struct boot;
struct dev_req;
struct pe;
struct world;

/* Regions of a PE; all PEs number them alike. */
enum remote_region {
	REGION_HEAP = 0,	 /* offsets from its heap's first byte */
	REGION_COLL = 1,	 /* the block of its node */
	REGION_AREA = 2,	 /* what kernels' barriers and teams have there */
	REGION_QPS = 3,		 /* what it offers of its NIC's queues, while they are set up */
	REGION_WINDOW = 16,	 /* and the id of the window */
	REGION_BUFFER = 1 << 30, /* registered buffers: not for other PEs */
};

/* Whether load and store do not reach between some pair of PEs of the job; the same on every PE. */
bool remote_needed(const struct boot *boot);
/*
 * Whether atomics by load and store may not be atomic between some PEs of the node: GPUs over PCIe,
 * or ones that are not visible to each other, so that it is unknown. The same on every PE.
 */
bool remote_amo_by_queue(const struct boot *boot, int node);
/*
 * Open the network: every PE of the world calls remote_open(), and when all know that it
 * went well remote_join(); with its heap open it lets others reach it, before they try.
 */
int remote_open(struct pe *pe);
int remote_join(struct pe *pe, double timeout_s);
int remote_serve(struct pe *pe); /* nothing where there is no network */
/* The network of a world; NULL: none is open. */
struct net *remote_net(const struct world *w);
/* Ends the access of peers to this PE's memory. */
void remote_leave(struct pe *pe);
/* When no PE of this process is in the world any more. */
void remote_close(struct world *w);
/* Under world->lock: no more waiting for @rank. */
void remote_lost(struct world *w, int rank);

/* Gives peers access to the first @len bytes of the heap; less than before changes nothing. */
int remote_heap(struct pe *pe, uint64_t len);
int remote_window_add(struct pe *pe, uint64_t id, void *ptr, uint64_t len);
void remote_window_remove(struct pe *pe, uint64_t id);
/* A buffer that a link may use directly; *id is for its removal. */
int remote_buffer_add(struct pe *pe, void *ptr, uint64_t len, uint32_t *id);
void remote_buffer_remove(struct pe *pe, uint32_t id);

/*
 * One step of a wait for the network: makes progress, or else spins or yields. If it returns more
 * than 0, the caller sleeps for that many ns by net_wait_event().
 */
int64_t remote_poll(struct net *net, struct backoff *wait);

/*
 * remote_wait.c: a call that may wait for the network, on its stack. A wait that lasts is then one
 * that others see.
 */
struct remote_wait {
	struct pe *pe;
	const char *name; /* of the call; NULL: @act and @r describe it */
	const struct dev_req *r;
	int act;
	int peer; /* it waits for now */
	struct waits_entry shown;
};

/* This thread's call begins and ends. */
void remote_wait_begin(struct remote_wait *w, struct pe *pe, const char *name, int act,
		       const struct dev_req *r);
void remote_wait_end(struct remote_wait *w);
/* For struct net_config. */
void remote_wait_slept(int pe);

/*
 * From what dev_addr_resolve() gave for DEV_SLOT_QUEUE, the distance of a symmetric address from this PE's
 * heap: its region and offset there. MORI_SHMEM_EINVAL: it is in no region.
 */
int remote_find(const struct dev_state *st, uint64_t off, uint64_t len, struct net_at *out);

#endif
