// SPDX-License-Identifier: MIT
/*
 * The way to memory of peers that load and store do not reach: the network of a world,
 * one a process, and which memory of a PE is which region of it.
 */
#ifndef MORI_CORE_ROUTE_H
#define MORI_CORE_ROUTE_H

#include "abi/state.h"
#include "net/net.h"

#include <stdbool.h>

struct boot;
struct pe;
struct world;

/* Regions of a PE; all PEs number them alike. */
enum route_region {
	ROUTE_HEAP = 0,	       /* offsets from its heap's first byte */
	ROUTE_MEET = 1,	       /* the block of its node */
	ROUTE_FLAGS = 2,       /* flags of kernels' barriers, its own */
	ROUTE_QPS = 3,	       /* what it tells of its NIC's queues, while they are set up */
	ROUTE_WINDOW = 16,     /* and the id of the window */
	ROUTE_LOCAL = 1 << 30, /* registered buffers: nobody else's business */
};

/* Whether load and store leave some pair of PEs of the job apart; every PE says the same. */
bool route_needed(const struct boot *boot);
/*
 * Whether atomics by load and store may not be atomic between some PEs of the node: GPUs over PCIe,
 * or such as do not see each other, so that nobody can tell. Every PE says the same.
 */
bool route_amo_apart(const struct boot *boot, int node);
/*
 * Open the network: every PE of the world calls route_make(), and when all know that it
 * went well route_join(); with its heap open it lets others reach it, before they try.
 */
int route_make(struct pe *pe);
int route_join(struct pe *pe, double timeout_s);
int route_serve(struct pe *pe); /* nothing where there is no network */
/* The network of a world; NULL: none is open. */
struct net *route_net(const struct world *w);
/* Peers do not reach this PE's memory any more. */
void route_leave(struct pe *pe);
/* When no PE of this process is in the world any more. */
void route_close(struct world *w);
/* Under world->lock: no more waiting for @rank. */
void route_lost(struct world *w, int rank);

/* Peers may reach the first @len bytes of the heap; less than before changes nothing. */
int route_heap(struct pe *pe, uint64_t len);
int route_window(struct pe *pe, uint64_t id, void *ptr, uint64_t len);
void route_window_gone(struct pe *pe, uint64_t id);
/* A buffer that a link may use as it is; *id is for the way back. */
int route_local(struct pe *pe, void *ptr, uint64_t len, uint32_t *id);
void route_local_gone(struct pe *pe, uint32_t id);

/* A wait for what the network brings: all 0 at first, but for @drives. */
struct route_wait {
	uint32_t turn;	 /* since something came, or since the start */
	uint32_t drives; /* turns that keep the core, at most */
	bool waited;	 /* some turn brought nothing */
	bool yielded;
};

#define ROUTE_DRIVES 50u  /* of the network, before a waiting thread yields its core, at most */
#define ROUTE_YIELDS 200u /* turns before it sleeps */

/*
 * One turn: drive the network, with the core or giving it away. false: it is time to sleep, by
 * net_nap(); if that says that something came turn is to be 0 again.
 */
bool route_turn(const struct world *w, struct route_wait *wait);
/*
 * How many turns the next wait keeps its core: whoever is waited for may need that very core,
 * so that one that kept it in vain makes the next one keep it for less.
 */
static inline uint32_t route_learn(const struct route_wait *wait)
{
	uint32_t more = wait->drives * 2 < ROUTE_DRIVES ? wait->drives * 2 : ROUTE_DRIVES;
	uint32_t less = wait->drives > 2 ? wait->drives / 2 : 1;

	return wait->yielded ? less : wait->waited ? more : wait->drives;
}

/*
 * From what dev_reach() gave for DEV_SLOT_QUEUE, the distance of a symmetric address from
 * this PE's heap, to a region and a place in it. MORI_SHMEM_EINVAL: it is in none.
 */
int route_find(const struct dev_state *st, uint64_t off, uint64_t len, struct net_at *out);

#endif
