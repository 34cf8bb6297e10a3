// SPDX-License-Identifier: MIT
/*
 * Atomics at the owner: by the processor's own, so that they are atomic with those
 * of its threads. Each is ordered after the data that came before it.
 */
#include "net/engine.h"

bool amo_known(int op, int width)
{
	if (width != 4 && width != 8)
		return false;
	return amo_rmw(op) != 0;
}

uint64_t amo_apply(void *at, int width, int op, uint64_t value, uint64_t compare)
{
	uint64_t *wide = at, was;
	uint32_t *narrow = at, seen;
	int rmw = amo_rmw(op);

	value = amo_operand(op, value);
	/* Release: pairs with the acquire of the thread that waits for the word at the owner. */
	if (width == 8) {
		was = __atomic_load_n(wide, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(wide, &was,
						    amo_eval(rmw, true, was, value, compare), 0,
						    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			;
		return was;
	}
	seen = __atomic_load_n(narrow, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(narrow, &seen,
					    (uint32_t)amo_eval(rmw, false, seen, value, compare), 0,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	return seen;
}
