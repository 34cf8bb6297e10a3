// SPDX-License-Identifier: MIT
/*
 * Put with signal, and signals alone. Arguments: destination, source, how many,
 * PE, queue, the signal, its value, its operation.
 */
#include "caller.h"

#define PUT_SIGNAL(name, ...)                                                                      \
	CALL_CASE(name, PTR(0), PTR(1), ARG(2), PTR(5), ARG(6), INT(7), INT(3), INT(4))
#define SIGNAL(name, ...)	   CALL_CASE(name, PTR(5), ARG(6), INT(7), INT(3), INT(4))
#define FETCH(ret, bad, name, ...) CALL_CASE(name, PTR(5))

CALL_SWITCH(put_signal, thread, MORI_OPS_PUT_SIGNAL(PUT_SIGNAL, thread))
CALL_SWITCH(put_signal, warp, MORI_OPS_PUT_SIGNAL(PUT_SIGNAL, warp))
CALL_SWITCH(put_signal, block, MORI_OPS_PUT_SIGNAL(PUT_SIGNAL, block))
CALL_SWITCH(signal, thread, MORI_OPS_SIGNAL(SIGNAL, thread) MORI_OPS_SIGNAL_FETCH(FETCH))
CALL_SWITCH(signal, warp, MORI_OPS_SIGNAL(SIGNAL, warp))
CALL_SWITCH(signal, block, MORI_OPS_SIGNAL(SIGNAL, block))

MORI_KERNEL void put_signal_thread(const void *calls, uint64_t rounds, uint64_t ctx,
				   uint64_t *out){ CALL_ROUNDS(put_signal, thread) }

MORI_KERNEL void put_signal_warp(const void *calls, uint64_t rounds, uint64_t ctx,
				 uint64_t *out){ CALL_ROUNDS(put_signal, warp) }

MORI_KERNEL void put_signal_block(const void *calls, uint64_t rounds, uint64_t ctx,
				  uint64_t *out){ CALL_ROUNDS(put_signal, block) }

MORI_KERNEL void signal_thread(const void *calls, uint64_t rounds, uint64_t ctx,
			       uint64_t *out){ CALL_ROUNDS(signal, thread) }

MORI_KERNEL void signal_warp(const void *calls, uint64_t rounds, uint64_t ctx,
			     uint64_t *out){ CALL_ROUNDS(signal, warp) }

MORI_KERNEL void signal_block(const void *calls, uint64_t rounds, uint64_t ctx, uint64_t *out)
{
	CALL_ROUNDS(signal, block)
}
