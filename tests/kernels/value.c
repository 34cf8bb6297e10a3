// SPDX-License-Identifier: MIT
/*
 * One value to or from a PE. Arguments: the address, the bits of the value (for
 * put_size_imm: where they are), how many bytes, PE, queue. The result of a get is
 * its bits.
 */
#include "caller.h"

#define VALUE(name, type, sfx)                                                                     \
	case CALL_##name##_p##sfx: {                                                               \
		type v;                                                                            \
		__builtin_memcpy(&v, &c->arg[1], sizeof(v));                                       \
		return (uint64_t)CALL(name##_p##sfx, PTR(0), v, INT(3), INT(4));                   \
	}                                                                                          \
	case CALL_##name##_g##sfx: {                                                               \
		type v = CALL(name##_g##sfx, PTR(0), INT(3), INT(4));                              \
		return call_bits(&v, sizeof(v));                                                   \
	}
#define IMM(name, ...) CALL_CASE(name, PTR(0), PTR(1), ARG(2), INT(3), INT(4))

static inline uint64_t call_bits(const void *v, uint64_t size)
{
	uint64_t bits = 0;

	for (uint64_t i = 0; i < size; i++)
		bits |= (uint64_t)((const unsigned char *)v)[i] << 8 * i;
	return bits;
}

CALL_SWITCH(value, thread, MORI_EACH_VALUE_TYPE(VALUE, ) MORI_OPS_IMM(IMM))
CALL_SWITCH(value, block, MORI_EACH_VALUE_TYPE(VALUE, _block))

MORI_KERNEL void value_thread(const void *calls, uint64_t rounds, uint64_t ctx,
			      uint64_t *out){ CALL_ROUNDS(value, thread) }

MORI_KERNEL void value_block(const void *calls, uint64_t rounds, uint64_t ctx, uint64_t *out)
{
	CALL_ROUNDS(value, block)
}
