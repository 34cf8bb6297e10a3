// SPDX-License-Identifier: MIT
/*
 * Atomics at the owner: by the processor's own, so that they are atomic with those
 * of its threads. Each is ordered after the data that came before it.
 */
#include "net/engine.h"

#include <string.h>

bool amo_known(int op, int width)
{
	if (width != 4 && width != 8)
		return false;
	switch (op) {
	case MORI_SHMEM_AMO_INC:
	case MORI_SHMEM_AMO_SET:
	case MORI_SHMEM_AMO_ADD:
	case MORI_SHMEM_AMO_AND:
	case MORI_SHMEM_AMO_OR:
	case MORI_SHMEM_AMO_XOR:
	case MORI_SHMEM_SIGNAL_SET:
	case MORI_SHMEM_SIGNAL_ADD:
	case MORI_SHMEM_AMO_FETCH:
	case MORI_SHMEM_AMO_FETCH_INC:
	case MORI_SHMEM_AMO_FETCH_ADD:
	case MORI_SHMEM_AMO_FETCH_AND:
	case MORI_SHMEM_AMO_FETCH_OR:
	case MORI_SHMEM_AMO_FETCH_XOR:
	case MORI_SHMEM_AMO_SWAP:
	case MORI_SHMEM_AMO_COMPARE_SWAP:
	case NET_AMO_ADD_REAL:
		return true;
	default:
		return false;
	}
}

/* The new value of a word, for the codes that read it. */
static uint64_t amo_next(int width, int op, uint64_t was, uint64_t value, uint64_t compare)
{
	uint32_t half = (uint32_t)was, other = (uint32_t)value;
	double d, e;
	float x, y;

	switch (op) {
	case MORI_SHMEM_AMO_AND:
	case MORI_SHMEM_AMO_FETCH_AND:
		return was & value;
	case MORI_SHMEM_AMO_OR:
	case MORI_SHMEM_AMO_FETCH_OR:
		return was | value;
	case MORI_SHMEM_AMO_XOR:
	case MORI_SHMEM_AMO_FETCH_XOR:
		return was ^ value;
	case MORI_SHMEM_AMO_INC:
	case MORI_SHMEM_AMO_FETCH_INC:
		return was + 1;
	case MORI_SHMEM_AMO_ADD:
	case MORI_SHMEM_AMO_FETCH_ADD:
	case MORI_SHMEM_SIGNAL_ADD:
		return was + value;
	case MORI_SHMEM_AMO_FETCH:
		return was;
	case MORI_SHMEM_AMO_COMPARE_SWAP:
		return was == compare ? value : was;
	case NET_AMO_ADD_REAL:
		if (width == 8) {
			memcpy(&d, &was, 8);
			memcpy(&e, &value, 8);
			d += e;
			memcpy(&was, &d, 8);
			return was;
		}
		memcpy(&x, &half, 4);
		memcpy(&y, &other, 4);
		x += y;
		memcpy(&half, &x, 4);
		return half;
	default: /* set and swap */
		return value;
	}
}

uint64_t amo_apply(void *at, int width, int op, uint64_t value, uint64_t compare)
{
	uint64_t *wide = at, was;
	uint32_t *narrow = at, seen;

	/* Release: pairs with the acquire of whoever waits for the word at the owner. */
	if (width == 8) {
		was = __atomic_load_n(wide, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(wide, &was,
						    amo_next(8, op, was, value, compare), 0,
						    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			;
		return was;
	}
	seen = __atomic_load_n(narrow, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(
		narrow, &seen, (uint32_t)amo_next(4, op, seen, (uint32_t)value, (uint32_t)compare),
		0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	return seen;
}
