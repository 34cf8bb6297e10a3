// SPDX-License-Identifier: MIT
/*
 * What coll.c, the barrier of a node's PEs, and coll_nodes.c, the barrier of nodes, share: the
 * block in the memory of a node.
 */
#ifndef MORI_CORE_COLL_PRIV_H
#define MORI_CORE_COLL_PRIV_H

#include "core/coll.h"
#include "core/waits.h"

#define COLL_RADIX  5
#define COLL_ROUNDS 32 /* the nodes of a job are fewer than 2 to that */

/* A generation that PEs wait for. */
struct coll_gate {
	uint32_t gen;	   /* barriers completed so far; the futex */
	uint32_t sleepers; /* PEs asleep on it */
};

struct coll_node {
	uint64_t count;	       /* arrivals, ever */
	struct coll_gate gate; /* root: barriers that are over */
	uint32_t size;	       /* arrivals per barrier */
	uint64_t hash[COLL_RADIX];
} __attribute__((aligned(64)));

/* What one PE brought to a barrier. */
struct coll_record {
	uint32_t epoch;
	struct coll_call call;
	uint64_t data[COLL_DATA];
} __attribute__((aligned(64)));

/* What another node has sent for a round of a barrier: the least and largest hash so far. */
struct coll_inbox {
	uint64_t low, high;
	uint64_t epoch; /* written last */
};

/*
 * Other nodes write into it over the network: what they do lies in front, where it is at the
 * same place in the block of every node.
 */
struct coll_block {
	uint32_t broken; /* a barrier timed out: 1 + the rank of the PE it did on */
	uint32_t left;	 /* a PE finalized alone: 1 + its rank */
	int n;		 /* PEs */
	int n_tree;	 /* nodes of the tree; the root is the last */
	uint32_t tree_off;
	uint32_t given_up; /* a PE left a barrier because another was lost: 1 + its rank */
	/*
	 * The last barriers whose records differed, even and odd: a leaf may detect that in the next
	 * barrier while a late PE still checks this one.
	 */
	uint32_t bad[2];
	struct coll_gate ready __attribute__((aligned(64))); /* all PEs of this node have arrived */
	struct coll_inbox inbox[2][COLL_ROUNDS] __attribute__((aligned(64)));
	/*
	 * By node, what is known of a barrier that takes long: its number in the high half, and in
	 * the low one 1 + the first rank that is missing there. Then the tree, leaves first, and
	 * struct coll_record [2][n].
	 */
	uint64_t late[] __attribute__((aligned(64)));
};

static inline struct coll_node *coll_tree(struct coll_block *b)
{
	return (struct coll_node *)((char *)b->late + b->tree_off);
}

/* coll.c */
/* 0 while the barrier can still complete. */
int coll_failed_before(struct pe *pe);
/* When a wait ends, and what others see of it. */
struct coll_limits {
	uint64_t end, grace;
	struct waits_entry wait;
};

static inline void coll_limits_start(struct coll_limits *clock)
{
	clock->end = clock->grace = 0;
	clock->wait.pe = NULL;
	clock->wait.since = 0;
}

/*
 * For a wait that is about to sleep: 0, or the status that ends it. After the wait,
 * waits_end(&clock->wait).
 */
int coll_check_limits(struct pe *pe, uint32_t epoch, struct coll_limits *clock);
/* No further barrier can complete. */
void coll_break(struct pe *pe);
/* The first rank of this node that has not arrived, -1: none; marks all such ranks in @missing. */
int coll_missing_here(struct pe *pe, uint32_t epoch, bool *missing);

/* coll_nodes.c */
size_t nodes_late_size(int nodes);
/* Called by the first PE of this node once all of its PEs have arrived. */
int nodes_barrier(struct pe *pe, uint32_t epoch, uint64_t hash);
/* The barrier takes long and has @left ns left: reports to other nodes who is missing here. */
void nodes_late(struct pe *pe, uint32_t epoch, uint64_t left);
void nodes_missing(struct pe *pe, uint32_t epoch, bool *missing);
void nodes_break(struct pe *pe, uint32_t who); /* @who: 1 + the first PE to give up */
void nodes_leave(struct pe *pe);	       /* waits a little for its delivery */

#endif
