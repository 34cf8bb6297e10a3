// SPDX-License-Identifier: MIT
/*
 * Meeting all PEs. Each collective call brings a record of what is being called;
 * the records are compared on the way, so that PEs in different calls, or in one
 * call with different arguments, all get the same error.
 *
 * PEs of one node meet in a block of shared memory. Where there are several nodes the
 * first PE of each then meets those of the others over the network.
 */
#ifndef MORI_CORE_COLL_H
#define MORI_CORE_COLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pe;

enum coll_op {
	COLL_BARRIER = 1,
	COLL_SYNC,
	COLL_MALLOC,
	COLL_FREE,
	COLL_REGISTER,
	COLL_DEREGISTER,
	COLL_AGREE,
	COLL_FINALIZE,
};

/* What a PE is calling: equal on all PEs, or the call fails on all. */
struct coll_call {
	uint32_t op;
	uint32_t flags;
	uint64_t size, align;
	uint64_t place; /* an offset in the heap, or one of these */
};

#define COLL_NO_BLOCK UINT64_MAX
#define COLL_NULL     (UINT64_MAX - 1)

#define COLL_DATA 12 /* words a PE can show to the others */

struct coll_block; /* the shared memory of a node */

/* Bytes of a block for @n PEs, of so many nodes; set up by one process before the others see it. */
size_t coll_block_size(int n, int nodes);
void coll_block_init(struct coll_block *b, int n, int nodes);
/* Wake every sleeper of this block: something happened that it must look at. */
void coll_block_wake(struct coll_block *b);

/*
 * Meet. @data, if not NULL, is COLL_DATA words that coll_data() of the others
 * shows until this PE's next meeting. EMISMATCH (the text says who called what),
 * EPEER, ETIMEDOUT (naming who is missing), ESTATE after an earlier time-out.
 */
int coll_meet(struct pe *pe, const struct coll_call *call, const uint64_t *data);
const uint64_t *coll_data(const struct pe *pe, int rank);

/* This PE goes although the others did not agree to end: their next meeting fails. */
void coll_leave(struct pe *pe);

/* All PEs get the first status that is not 0, by rank, with @what in the text. */
int coll_agree(struct pe *pe, int status, const char *what);

#endif
