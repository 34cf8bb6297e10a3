// SPDX-License-Identifier: MIT
/*
 * Object forms. Arguments: destination, source, bytes, PE, queue, the signal, its
 * value, its operation; each place is an object (where it lies) and, in the upper
 * arguments of the record, an offset.
 */
#include "caller.h"

#define OBJ(i) *(const mori_shmem_memobj_t *)PTR(i)
#define DEST   OBJ(0), c->from
#define SRC    OBJ(1), c->to
#define SIG    OBJ(5), c->len
#define TAIL   INT(3), INT(4)
#define SIGNAL ARG(6), INT(7)

#define COPIES(dir, nbi, scope) CALL_CASE(dir##mem##nbi##_obj_##scope, DEST, SRC, ARG(2), TAIL)
#define SIGNALS(nbi, scope)                                                                        \
	CALL_CASE(putmem##nbi##_signal_obj_##scope, DEST, SRC, ARG(2), SIG, SIGNAL, TAIL)
#define CASES(scope)                                                                               \
	COPIES(put, , scope)                                                                       \
	COPIES(put, _nbi, scope)                                                                   \
	COPIES(get, , scope)                                                                       \
	COPIES(get, _nbi, scope)                                                                   \
	SIGNALS(, scope)                                                                           \
	SIGNALS(_nbi, scope)                                                                       \
	CALL_CASE(signal_op_obj_##scope, SIG, SIGNAL, TAIL)

CALL_SWITCH(object, thread, CASES(thread))
CALL_SWITCH(object, warp, CASES(warp))
CALL_SWITCH(object, block, CASES(block))

MORI_KERNEL void object_thread(const void *calls, uint64_t rounds, uint64_t ctx,
			       uint64_t *out){ CALL_ROUNDS(object, thread) }

MORI_KERNEL void object_warp(const void *calls, uint64_t rounds, uint64_t ctx,
			     uint64_t *out){ CALL_ROUNDS(object, warp) }

MORI_KERNEL void object_block(const void *calls, uint64_t rounds, uint64_t ctx, uint64_t *out)
{
	CALL_ROUNDS(object, block)
}
