// SPDX-License-Identifier: MIT
/*
 * Teams, as host and kernels see them. Each PE has memory of the library's own that its peers reach
 * as they reach its heap: first the flags of kernels' barriers, then a slot for each team. A team
 * has the same slot on all of its members; teams without a common PE may share one.
 *
 * A slot holds a struct dev_team, tables of this PE's own, words that the other members store to,
 * and memory that they put data into. There are two sets of the last two, which collectives of a team take in turn: a PE begins
 * a collective only when all members have begun the one before, so that nobody is more than one
 * ahead.
 */
#ifndef MORI_ABI_TEAMS_H
#define MORI_ABI_TEAMS_H

#include <stdint.h>

#define DEV_TEAMS 16u /* slots */

/* What a member's word says, each kind in an array by member. */
enum dev_team_word {
	DEV_TEAM_ENTER,	 /* it has come, to which call; the data of a small one are here, too */
	DEV_TEAM_DATA,	 /* its data of a step have arrived */
	DEV_TEAM_RESULT, /* the same of results */
	DEV_TEAM_WORDS,
};

/* A word: the number of the call above, and below a hash of the call or the step. */
#define DEV_TEAM_LOW 24u

/* Only collectives change @calls; all else changes when the team is made and when it ends. */
struct dev_team {
	uint64_t calls;	  /* collectives so far */
	int32_t n, me;	  /* members, 0: there is no such team; and which of them this PE is */
	uint32_t all_p2p; /* 1: every member reaches each other by load and store */
	uint32_t reserved[11];
	int32_t pe[]; /* [n] */
};

/* Where what lies in a slot, in a job of a number of PEs. */
struct dev_team_layout {
	uint32_t tables, words, stage; /* offsets in a slot */
	uint32_t part;		       /* bytes of the stage for each member */
	uint64_t slot;		       /* the size of one */
};

#define DEV_TEAM_STAGE 262144u /* bytes of a stage, except in jobs of very many PEs */
#define DEV_TEAM_PART  256u    /* what a member has of it at least */

static inline struct dev_team_layout dev_team_layout(uint64_t n)
{
	uint64_t tables = (sizeof(struct dev_team) + n * 4 + 255) & ~(uint64_t)255;
	uint64_t words = (tables + 2 * n * 8 + 255) & ~(uint64_t)255;
	uint64_t stage = (words + 2 * DEV_TEAM_WORDS * n * 8 + 255) & ~(uint64_t)255;
	uint64_t part = DEV_TEAM_STAGE / n & ~(uint64_t)(DEV_TEAM_PART - 1);

	if (part < DEV_TEAM_PART)
		part = DEV_TEAM_PART;
	return (struct dev_team_layout){ (uint32_t)tables, (uint32_t)words, (uint32_t)stage,
					 (uint32_t)part, stage + 2 * n * part };
}

#endif
