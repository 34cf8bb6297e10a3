// SPDX-License-Identifier: MIT
/*
 * The barrier of all PEs, which every collective call enters with a record of the call. The barrier
 * compares the records, so that PEs in different calls, or in one call with different arguments,
 * all get the same error.
 *
 * PEs of one node synchronise in a block of shared memory. With several nodes, the first PE of each
 * then synchronises with those of the others over the network.
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

/* The call a PE is making: equal on all PEs, or it fails on all. */
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

/*
 * Bytes of a block for @n PEs, in a job of @nodes nodes; one process sets it up before the others
 * see it.
 */
size_t coll_block_size(int n, int nodes);
void coll_block_init(struct coll_block *b, int n, int nodes);
/* Wakes every sleeper of this block, to check what has happened. */
void coll_block_wake(struct coll_block *b);

/*
 * A barrier. @data, if not NULL, is COLL_DATA words that coll_data() of the others returns until
 * this PE's next barrier. EMISMATCH (the text lists who called what), EPEER, ETIMEDOUT (naming who
 * is missing), ESTATE after an earlier time-out.
 */
int coll_barrier(struct pe *pe, const struct coll_call *call, const uint64_t *data);
const uint64_t *coll_data(const struct pe *pe, int rank);

/* Who has not come to barrier @epoch, as far as this PE knows: "PE 1, 4-7". */
void coll_missing_text(struct pe *pe, uint32_t epoch, char *text, size_t size);
/* Whether @pe is the first of its node in that barrier. */
bool coll_reports(struct pe *pe, uint32_t epoch);

/* This PE leaves although the others did not agree to end: their next barrier fails. */
void coll_leave(struct pe *pe);

/* All PEs get the first status that is not 0, by rank, with @what in the text. */
int coll_agree(struct pe *pe, int status, const char *what);

#endif
