// SPDX-License-Identifier: MIT
/*
 * What the host library and the code that moves data share: the state of one PE.
 * It lies where the PE's device can read it, so every pointer in it is one of
 * that device. A change of layout is a change of DEV_ABI.
 */
#ifndef MORI_ABI_STATE_H
#define MORI_ABI_STATE_H

#include "abi/teams.h"

#include <mori/shmem_types.h>

#define DEV_ABI 9u

struct nic_queue;

enum dev_life {
	DEV_LIFE_OPEN = 1,
	DEV_LIFE_FINALIZED = 2, /* the block outlives its PE and says so */
};

/* How bytes reach a peer; dev_path() derives the path from the peer's slot. */
enum dev_path {
	DEV_PATH_P2P,	/* by load and store */
	DEV_PATH_COPY,	/* by a copy engine, where load and store reach too */
	DEV_PATH_QUEUE, /* by the work queue of a NIC */
	DEV_PATH_NONE,	/* there is no such PE, or it is lost */
};

/* Slots of PEs that load and store do not reach. */
enum dev_slot { DEV_SLOT_QUEUE = -1, DEV_SLOT_NONE = -2 };

/* What holds for the addresses of all peers of a PE. */
enum dev_uniform {
	DEV_UNIFORM = 1, /* open, slot_same, no granules, no bases: one comparison resolves one */
	DEV_UNIFORM_AMO = 3,	/* and words there may be changed by load and store */
	DEV_UNIFORM_SIGNAL = 7, /* and no signal has to wait for a queue */
};

/* Where a symmetric window lies on every PE; a window that is gone has len 0. */
struct dev_window {
	uint64_t base; /* of this PE's part, as this PE sees it */
	uint64_t len;
	struct dev_window *next;
	uint64_t id;	 /* the same on all PEs, and no other window's */
	uint64_t device; /* the host's own: the address of the device's copy */
	uint64_t peer[]; /* [n_pes] where this PE sees theirs; 0: not by load and store */
};

/* The windows of a PE in the order of their addresses, for searches; core/windows.c makes it. */
struct dev_window_index {
	uint64_t at; /* struct dev_window_entry [n]; 0: the list alone has them */
	uint32_t n;
	uint32_t turn; /* odd: a change is under way */
};

struct dev_window_entry {
	uint64_t base, len;
	uint64_t window; /* the address of struct dev_window */
};

/* Failures kept until the host collects them; further ones are only counted. */
#define DEV_RECORDS 64u

/* In place of the operation, in the mark of a record whose call is not named yet. */
enum dev_nameless {
	DEV_RECORD_TAKEN = 0xffffffffu,	   /* being written */
	DEV_RECORD_NAMELESS = 0xfffffffeu, /* written, but for the name of the call */
};

/*
 * One failure. A thread claims the record by its mark, from 0, and stores the mark last of all:
 * whoever finds a name in it finds the rest.
 */
struct dev_record {
	uint64_t mark; /* 0: free; else the code below and the operation (enum dev_op) above */
	int32_t pe;
	uint32_t number; /* of this failure among all: fault.count before it */
	uint64_t addr, len;
	int32_t block[3], thread[3]; /* -1: of a call of the host */
	uint32_t seen;		     /* the host's own: reported to the caller */
	uint32_t reserved;
};

/* A summary of the failures. */
struct dev_fault {
	int32_t code;	  /* of the first since the host took it; 0: none */
	uint32_t count;	  /* failures so far; it never goes back */
	uint32_t unnamed; /* records that have no name yet */
	uint32_t late;	  /* calls since the PE has finalized */
};

/* In memory that is cheap for the host to read, wherever the state is. */
struct dev_news {
	uint64_t failed; /* 1: there are failures that the host has not gathered */
	uint64_t late;	 /* fault.late, about */
};

/* What a module declares about itself in its dev_link. */
enum dev_link_flag { DEV_LINK_P2P_ONLY = 1 /* it has no code for queues */ };

/* The symbol globalGpuStates of a module: whose kernels these are. */
struct dev_link {
	uint32_t size, abi; /* sizeof(struct dev_state) and DEV_ABI the module was made with */
	struct dev_state *state;
	uint32_t flags; /* of enum dev_link_flag */
	uint32_t reserved;
};

/* In isolation mode: a part of the heap that belongs to one block, which begins with a granule. */
struct dev_granule {
	uint32_t owner; /* the number of its block; 0: none */
	uint32_t used;	/* bytes of it that the block has */
};

/*
 * What kernels of a GPU may read once and keep (DEV_FIXED) never changes while the PE lives: all
 * but lost, heap_len, windows, index, queues, any_queue, sync_epoch, fault and what the pointers lead
 * to, of which slot, sync_slot and bases do not change either. They see life as it was at the launch,
 * and in waits as it is; uniform as it was at the launch.
 */
struct dev_state {
	uint32_t size, abi; /* sizeof(struct dev_state), DEV_ABI */
	uint32_t life;	    /* enum dev_life */
	uint32_t lost;	    /* PEs lost so far; every wait polls it */
	int32_t my_pe, n_pes;
	uint64_t heap_base;	 /* of this PE's heap, as this PE sees it */
	uint64_t heap_len;	 /* bytes that can be addressed; grows in vmm mode */
	uint64_t heap_committed; /* of these, the bytes that always can be */
	uint64_t window;	 /* peer = window + slot[pe] * stride + offset */
	uint64_t stride;
	const uint64_t *bases; /* [slots] instead, where heaps lie anywhere; else NULL */
	const int32_t *slot;   /* [n_pes]; DEV_SLOT_QUEUE: not reachable by load and store */
	const uint32_t *gone;  /* [n_pes]; 1: lost */
	const struct dev_granule *granules; /* isolation mode, else NULL */
	uint32_t granule;		    /* log2 of the size of one */
	uint32_t reserved;
	uint64_t wait_ns; /* how long a wait on a user's word may take; 0: no limit */
	struct dev_window *windows;
	uint64_t sync; /* flags of kernels' barriers: [n_pes] a slot, sync_stride apart */
	uint64_t sync_stride;
	const int32_t *sync_slot; /* [n_pes] among the PEs of the node; < 0: on another */
	uint64_t sync_epoch;	  /* kernels' barriers so far */
	uint64_t area, area_len;  /* this PE's flags, and teams behind them */
	uint64_t teams;		  /* from there on, DEV_TEAMS slots */
	struct dev_team_layout team;
	uint64_t sync_ns; /* how long one may take; 0: no limit */
	int32_t num_qp;
	uint32_t slot_same;	  /* 1: slot[pe] is pe, for all */
	uint32_t sync_slot_same;  /* the same of sync_slot */
	uint32_t uniform;	  /* enum dev_uniform; 0: nothing holds */
	uint32_t one_device;	  /* 1: all PEs have this PE's device */
	uint32_t copy;		  /* 1: peers with a slot are reached by the copy engine */
	struct nic_queue *queues; /* [n_pes * num_qp]; NULL: none */
	uint32_t any_queue;	  /* 1: some memory of peers is reached by queues alone */
	uint32_t amo_queue;	  /* 1: atomics and signals to other PEs go by queues alone */
	struct dev_fault fault;
	struct dev_record *records; /* [DEV_RECORDS] */
	struct dev_news *news;
	struct dev_window_index index; /* of windows */
	void *host; /* struct pe of the host library; the device never reads it */
};

#endif
