// SPDX-License-Identifier: MIT
/* The same calls as in coll.c, with a context. */
#define COLL_CTX
#include "coll_calls.h"

MORI_KERNEL void coll_thread(const void *call, uint64_t rounds, int32_t *status){ ROUNDS(thread) }

MORI_KERNEL void coll_warp(const void *call, uint64_t rounds, int32_t *status){ ROUNDS(warp) }

MORI_KERNEL void coll_block(const void *call, uint64_t rounds, int32_t *status)
{
	ROUNDS(block)
}
