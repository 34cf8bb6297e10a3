// SPDX-License-Identifier: MIT
/*
 * Atomics. Arguments: the word, value (for atomic_size: where it is; of a real
 * number: as the bits of a double), bytes, PE, queue, compare, operation. What is
 * fetched of a real number is its bits.
 */
#include "caller.h"

#define TAIL INT(3), INT(4)

#define BY_CODE(name, type, scope)                                                                 \
	CALL_CASE(atomic_##name##_nonfetch_##scope, PTR(0), (type)ARG(1), INT(6), TAIL)            \
	CALL_CASE(atomic_##name##_fetch_##scope, PTR(0), (type)ARG(1), (type)ARG(5), INT(6), TAIL)
#define PLAIN(name, type, scope)                                                                   \
	CALL_CASE(name##_atomic_inc_##scope, PTR(0), TAIL)                                         \
	CALL_CASE(name##_atomic_fetch_##scope, PTR(0), TAIL)                                       \
	CALL_CASE(name##_atomic_fetch_inc_##scope, PTR(0), TAIL)                                   \
	CALL_CASE(name##_atomic_compare_swap_##scope, PTR(0), (type)ARG(5), (type)ARG(1), TAIL)
#define NAMED(op, CODE, name, type, scope)                                                         \
	CALL_CASE(name##_atomic_##op##_##scope, PTR(0), (type)ARG(1), TAIL)
#define ALL_NAMED(name, type, scope)                                                               \
	MORI_EACH_AMO_POST(NAMED, name, type, scope)                                               \
	MORI_EACH_AMO_FETCH(NAMED, name, type, scope)
#define REAL(name, type, scope)                                                                    \
	CALL_CASE(name##_atomic_add_##scope, PTR(0), (type)call_real(ARG(1)), TAIL)                \
	case CALL_##name##_atomic_fetch_add_##scope: {                                             \
		type v = CALL(name##_atomic_fetch_add_##scope, PTR(0), (type)call_real(ARG(1)),    \
			      TAIL);                                                               \
		uint64_t bits = 0;                                                                 \
		__builtin_memcpy(&bits, &v, sizeof(v));                                            \
		return bits;                                                                       \
	}
#define CASES(scope)                                                                               \
	MORI_EACH_AMO_TYPE(BY_CODE, scope)                                                         \
	MORI_EACH_AMO_TYPE(PLAIN, scope)                                                           \
	MORI_EACH_AMO_TYPE(ALL_NAMED, scope)                                                       \
	MORI_EACH_REAL_TYPE(REAL, scope)
#define SIZE(name, ...) CALL_CASE(name, PTR(0), PTR(1), ARG(2), INT(6), TAIL)

static inline double call_real(uint64_t bits)
{
	double v;

	__builtin_memcpy(&v, &bits, sizeof(v));
	return v;
}

CALL_SWITCH(atomic, thread, CASES(thread) MORI_OPS_AMO_SIZE(SIZE))
CALL_SWITCH(atomic, warp, CASES(warp))
CALL_SWITCH(atomic, block, CASES(block))

MORI_KERNEL void atomic_thread(const void *calls, uint64_t rounds, uint64_t ctx,
			       uint64_t *out){ CALL_ROUNDS(atomic, thread) }

MORI_KERNEL void atomic_warp(const void *calls, uint64_t rounds, uint64_t ctx,
			     uint64_t *out){ CALL_ROUNDS(atomic, warp) }

MORI_KERNEL void atomic_block(const void *calls, uint64_t rounds, uint64_t ctx, uint64_t *out)
{
	CALL_ROUNDS(atomic, block)
}
