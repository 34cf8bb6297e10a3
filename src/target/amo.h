// SPDX-License-Identifier: MIT
/*
 * What a read-modify-write leaves behind: the only evaluation of atomics, for every place
 * that makes them of a compare-and-swap or does them for another PE.
 */
#ifndef MORI_TARGET_AMO_H
#define MORI_TARGET_AMO_H

#include <mori/shmem_types.h>

#include <stdbool.h>
#include <stdint.h>

/* Beside enum mori_shmem_amo. */
enum amo_code {
	AMO_ADD_REAL = 32, /* the bits of a float or double are added to one */
	/*
	 * For nic_amo() only, and not an atomic at the other end: a read of 1 to 8 bytes or, on a
	 * queue with bounce buffers, of up to NIC_BOUNCE bytes to the address given as the value.
	 */
	AMO_READ,
};

static inline uint64_t amo_ones(bool wide)
{
	return wide ? UINT64_MAX : UINT32_MAX;
}

/*
 * The read-modify-write behind any code of an atomic or a signal: MORI_SHMEM_AMO_SET, ADD, AND,
 * OR, XOR, FETCH, COMPARE_SWAP or AMO_ADD_REAL; 0 for a code that does not exist. An increment is
 * an ADD of 1: see amo_operand().
 */
static inline int amo_rmw(int op)
{
	switch (op) {
	case MORI_SHMEM_AMO_INC:
	case MORI_SHMEM_AMO_FETCH_INC:
	case MORI_SHMEM_AMO_FETCH_ADD:
	case MORI_SHMEM_SIGNAL_ADD:
		return MORI_SHMEM_AMO_ADD;
	case MORI_SHMEM_AMO_SWAP:
	case MORI_SHMEM_SIGNAL_SET:
		return MORI_SHMEM_AMO_SET;
	case MORI_SHMEM_AMO_FETCH_AND:
		return MORI_SHMEM_AMO_AND;
	case MORI_SHMEM_AMO_FETCH_OR:
		return MORI_SHMEM_AMO_OR;
	case MORI_SHMEM_AMO_FETCH_XOR:
		return MORI_SHMEM_AMO_XOR;
	case MORI_SHMEM_AMO_SET:
	case MORI_SHMEM_AMO_ADD:
	case MORI_SHMEM_AMO_AND:
	case MORI_SHMEM_AMO_OR:
	case MORI_SHMEM_AMO_XOR:
	case MORI_SHMEM_AMO_FETCH:
	case MORI_SHMEM_AMO_COMPARE_SWAP:
	case AMO_ADD_REAL:
		return op;
	default:
		return 0;
	}
}

static inline uint64_t amo_operand(int op, uint64_t value)
{
	return op == MORI_SHMEM_AMO_INC || op == MORI_SHMEM_AMO_FETCH_INC ? 1 : value;
}

/* The bits of @value as a float or (@wide) a double. */
static inline uint64_t amo_real_bits(bool wide, double value)
{
	union {
		double d;
		uint64_t bits;
	} x = { value };
	union {
		float f;
		uint32_t bits;
	} u = { (float)value };

	return wide ? x.bits : u.bits;
}

/* The bits of two floats or (@wide) doubles, added. */
static inline uint64_t amo_add_real(bool wide, uint64_t a, uint64_t b)
{
	union {
		uint64_t bits;
		double d;
	} x = { a }, y = { b };
	union {
		uint32_t bits;
		float f;
	} u = { (uint32_t)a }, v = { (uint32_t)b };

	if (wide)
		return x.d += y.d, x.bits;
	return u.f += v.f, u.bits;
}

/* The value that the read-modify-write @rmw, as returned by amo_rmw(), makes of @was. */
static inline uint64_t amo_eval(int rmw, bool wide, uint64_t was, uint64_t value, uint64_t compare)
{
	uint64_t ones = amo_ones(wide);

	switch (rmw) {
	case AMO_ADD_REAL:
		return amo_add_real(wide, was, value);
	case MORI_SHMEM_AMO_ADD:
		return (was + value) & ones;
	case MORI_SHMEM_AMO_AND:
		return was & value & ones;
	case MORI_SHMEM_AMO_OR:
		return (was | value) & ones;
	case MORI_SHMEM_AMO_XOR:
		return (was ^ value) & ones;
	case MORI_SHMEM_AMO_SET:
		return value & ones;
	case MORI_SHMEM_AMO_COMPARE_SWAP:
		return (was ^ compare) & ones ? was : value & ones;
	default: /* MORI_SHMEM_AMO_FETCH */
		return was;
	}
}

#endif
