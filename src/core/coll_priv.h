// SPDX-License-Identifier: MIT
/*
 * What coll.c, where the PEs of a node meet, and coll_nodes.c, where nodes do, share: the
 * block in the memory of a node.
 */
#ifndef MORI_CORE_COLL_PRIV_H
#define MORI_CORE_COLL_PRIV_H

#include "core/coll.h"

#define COLL_RADIX  5
#define COLL_ROUNDS 32 /* the nodes of a job are fewer than 2 to that */

/* What PEs wait for. */
struct coll_gate {
	uint32_t gen;	   /* meetings that have come so far; the futex */
	uint32_t sleepers; /* PEs asleep on it */
};

struct coll_node {
	uint64_t count;	       /* arrivals, ever */
	struct coll_gate gate; /* root: meetings that are over */
	uint32_t size;	       /* arrivals a meeting */
	uint64_t hash[COLL_RADIX];
} __attribute__((aligned(64)));

/* What one PE brought to a meeting. */
struct coll_record {
	uint32_t epoch;
	struct coll_call call;
	uint64_t data[COLL_DATA];
} __attribute__((aligned(64)));

/* What another node has sent for a round of a meeting: the least and largest hash so far. */
struct coll_inbox {
	uint64_t low, high;
	uint64_t epoch; /* written last */
};

/*
 * Other nodes write into it over the network: what they do lies in front, where it is at the
 * same place in the block of every node.
 */
struct coll_block {
	uint32_t broken; /* a meeting timed out: 1 + the PE whose did */
	uint32_t left;	 /* a PE finalized alone: 1 + its rank */
	int n;		 /* PEs */
	int n_tree;	 /* nodes of the tree; the root is the last */
	uint32_t tree_off;
	uint32_t given_up; /* a PE left a meeting because another was lost: 1 + its rank */
	/*
	 * The last meetings whose records differed, even and odd: a leaf may find
	 * that out in the next meeting while a late PE still looks at this one.
	 */
	uint32_t bad[2];
	struct coll_gate ready __attribute__((aligned(64))); /* all PEs of this node have come */
	struct coll_inbox inbox[2][COLL_ROUNDS] __attribute__((aligned(64)));
	/*
	 * By node: what is known of a meeting that takes long: its number in the high half, in the
	 * low one 1 + the first rank that is missing there. Then the tree, leaves first, and
	 * struct coll_record [2][n].
	 */
	uint64_t late[] __attribute__((aligned(64)));
};

static inline struct coll_node *coll_tree(struct coll_block *b)
{
	return (struct coll_node *)((char *)b->late + b->tree_off);
}

/* coll.c */
/* 0 while the meeting may still come about. */
int coll_doomed(struct pe *pe);
/* When a wait ends; all 0 at first. */
struct coll_clock {
	uint64_t end, grace;
};

/* For a wait that has lasted, before it sleeps: 0, or why it ends. */
int coll_patience(struct pe *pe, uint32_t epoch, struct coll_clock *clock);
/* Nobody can meet any more. */
void coll_break(struct pe *pe);
/* The first rank of this node that is not in the meeting, -1: none; marks all in @missing. */
int coll_missing_here(struct pe *pe, uint32_t epoch, bool *missing);

/* coll_nodes.c */
size_t nodes_late_size(int nodes);
/* The first PE of this node, once its node has come: meet those of the others. */
int nodes_meet(struct pe *pe, uint32_t epoch, uint64_t hash);
/* The meeting takes long, and has so many ns left: tell other nodes who is missing here. */
void nodes_late(struct pe *pe, uint32_t epoch, uint64_t left);
void nodes_missing(struct pe *pe, uint32_t epoch, bool *missing);
void nodes_break(struct pe *pe, uint32_t who); /* 1 + the PE that was the first to give up */
void nodes_leave(struct pe *pe);	       /* waits a little for them to hear of it */

#endif
