// SPDX-License-Identifier: MIT
/*
 * Calls that a host program writes down and a kernel makes: a number for every
 * operation of the list, and a record of one call. Both sides include it.
 *
 * A thread, a warp or a block, as the scope says, is an actor. In every round each
 * actor makes the call that is its own, and each of its lanes writes down the result.
 * The module may be another PE's: what is not under test goes by the context.
 */
#ifndef MORI_TESTS_CALL_H
#define MORI_TESTS_CALL_H

#include <mori/shmem_device.h>

#include "ops/shmem_list.h"

/* As the list spells them in the arguments of the bodies. */
enum dev_scope { DEV_thread, DEV_warp, DEV_block };

#define CALL__STATUS(name, ...)		 CALL_##name,
#define CALL__VALUE(ret, bad, name, ...) CALL_##name,
enum call_op {
	CALL_NONE, /* no call: the others must not notice */
	MORI_DEVICE_OPS(CALL__STATUS, CALL__VALUE, CALL__STATUS, CALL__VALUE)
};

/* The value recorded where there is no result. */
#define CALL_NOT_MADE  0x7777777777777701u
#define CALL_UNKNOWN   0x7777777777777702u /* the kernel has no such operation */
#define CALL_NOT_QUIET 0x7777777777777703u
#define CALL_NOT_SEEN  0x7777777777777704u /* the word did not come */

struct call {
	uint32_t op;	/* enum call_op */
	uint32_t form;	/* 1: the form that takes a context */
	uint64_t quiet; /* complete it, in the same scope */
	uint64_t arg[10];
	uint64_t word, value;	/* then wait until this word of the PE is @value, */
	uint64_t from, to, len; /* and copy what lies at @from then */
};

#endif
