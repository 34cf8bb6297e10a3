// SPDX-License-Identifier: MIT
/* Put and get. Arguments: destination, source, how many, PE, queue. */
#include "caller.h"

#define COPY(name, ...) CALL_CASE(name, PTR(0), PTR(1), ARG(2), INT(3), INT(4))

CALL_SWITCH(put, thread, MORI_OPS_PUT(COPY, thread))
CALL_SWITCH(put, warp, MORI_OPS_PUT(COPY, warp))
CALL_SWITCH(put, block, MORI_OPS_PUT(COPY, block))
CALL_SWITCH(get, thread, MORI_OPS_GET(COPY, thread))
CALL_SWITCH(get, warp, MORI_OPS_GET(COPY, warp))
CALL_SWITCH(get, block, MORI_OPS_GET(COPY, block))

MORI_KERNEL void put_thread(const void *calls, uint64_t rounds, uint64_t ctx,
			    uint64_t *out){ CALL_ROUNDS(put, thread) }

MORI_KERNEL void put_warp(const void *calls, uint64_t rounds, uint64_t ctx,
			  uint64_t *out){ CALL_ROUNDS(put, warp) }

MORI_KERNEL void put_block(const void *calls, uint64_t rounds, uint64_t ctx,
			   uint64_t *out){ CALL_ROUNDS(put, block) }

MORI_KERNEL void get_thread(const void *calls, uint64_t rounds, uint64_t ctx,
			    uint64_t *out){ CALL_ROUNDS(get, thread) }

MORI_KERNEL void get_warp(const void *calls, uint64_t rounds, uint64_t ctx,
			  uint64_t *out){ CALL_ROUNDS(get, warp) }

MORI_KERNEL void get_block(const void *calls, uint64_t rounds, uint64_t ctx, uint64_t *out)
{
	CALL_ROUNDS(get, block)
}
