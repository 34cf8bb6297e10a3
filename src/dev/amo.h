// SPDX-License-Identifier: MIT
/*
 * Atomics. One body with a result and one without; every code comes down to one
 * of the seven read-modify-writes of the target.
 */
#ifndef MORI_DEV_AMO_H
#define MORI_DEV_AMO_H

#include "dev/dev.h"

/* The read-modify-write behind a code without a result; 0 for any other code. */
DEV_BODY int dev_amo_post_op(int op)
{
	switch (op) {
	case MORI_SHMEM_AMO_INC:
		return MORI_SHMEM_AMO_ADD;
	case MORI_SHMEM_AMO_SET:
	case MORI_SHMEM_AMO_ADD:
	case MORI_SHMEM_AMO_AND:
	case MORI_SHMEM_AMO_OR:
	case MORI_SHMEM_AMO_XOR:
		return op;
	default:
		return 0;
	}
}

/* The same for a code with a result. */
DEV_BODY int dev_amo_fetch_op(int op)
{
	switch (op) {
	case MORI_SHMEM_AMO_FETCH_INC:
	case MORI_SHMEM_AMO_FETCH_ADD:
		return MORI_SHMEM_AMO_ADD;
	case MORI_SHMEM_AMO_FETCH_AND:
		return MORI_SHMEM_AMO_AND;
	case MORI_SHMEM_AMO_FETCH_OR:
		return MORI_SHMEM_AMO_OR;
	case MORI_SHMEM_AMO_FETCH_XOR:
		return MORI_SHMEM_AMO_XOR;
	case MORI_SHMEM_AMO_SWAP:
		return MORI_SHMEM_AMO_SET;
	case MORI_SHMEM_AMO_FETCH:
	case MORI_SHMEM_AMO_COMPARE_SWAP:
		return op;
	default:
		return 0;
	}
}

/* Where the word is; EINVAL for a code that is none and for an address not its multiple. */
DEV_BODY int dev_amo_reach(const struct dev_state *st, const void *dest, size_t size, int rmw,
			   int pe, void **out)
{
	*out = NULL;
	if (!dev_likely(rmw && tgt_aligned(dest, size)))
		return tgt_fail(st, MORI_SHMEM_EINVAL, pe, (uint64_t)(uintptr_t)dest, size);
	return dev_reach(st, dest, size, pe, out);
}

DEV_BODY int dev_amo_post(const struct dev_state *st, enum dev_scope scope, void *dest,
			  enum dev_kind kind, int op, uint64_t value, int pe, int qp)
{
	bool wide = dev_kind_wide(kind);
	int rmw = dev_amo_post_op(op);
	void *to;
	int err = dev_enter(scope, dev_amo_reach(st, dest, wide ? 8 : 4, rmw, pe, &to));

	(void)qp;
	if (!dev_likely(!err))
		return err;
	if (tgt_leads(scope))
		tgt_amo(to, wide, rmw, op == MORI_SHMEM_AMO_INC ? 1 : value, 0);
	tgt_leave(scope);
	return 0;
}

DEV_BODY int dev_amo_fetch(const struct dev_state *st, void *out, enum dev_scope scope,
			   const void *dest, enum dev_kind kind, int op, uint64_t value,
			   uint64_t compare, int pe, int qp)
{
	bool wide = dev_kind_wide(kind);
	int rmw = dev_amo_fetch_op(op);
	uint64_t old = 0;
	void *to;
	int err = dev_enter(scope, dev_amo_reach(st, dest, wide ? 8 : 4, rmw, pe, &to));

	(void)qp;
	if (!dev_likely(!err))
		return err;
	if (tgt_leads(scope))
		old = tgt_amo(to, wide, rmw, op == MORI_SHMEM_AMO_FETCH_INC ? 1 : value, compare);
	dev_store_kind(out, kind, tgt_share(scope, old));
	tgt_leave(scope);
	return 0;
}

/* A word of 4 or 8 bytes whose type the caller does not name. */
DEV_BODY int dev_amo_size(const struct dev_state *st, void *dest, void *value, size_t bytes, int op,
			  int pe, int qp)
{
	if (bytes == 4)
		return dev_amo_post(st, DEV_thread, dest, DEV_KIND_uint32, op, *(uint32_t *)value,
				    pe, qp);
	if (bytes == 8)
		return dev_amo_post(st, DEV_thread, dest, DEV_KIND_uint64, op, *(uint64_t *)value,
				    pe, qp);
	return tgt_fail(st, MORI_SHMEM_EINVAL, pe, (uint64_t)(uintptr_t)dest, bytes);
}

/* The bits of a real number and @value added; float sums are rounded to float. */
DEV_BODY uint64_t dev_real_add(bool wide, uint64_t bits, double value)
{
	uint32_t half = (uint32_t)bits;
	double d;
	float f;

	if (wide) {
		__builtin_memcpy(&d, &bits, 8);
		d += value;
		__builtin_memcpy(&bits, &d, 8);
		return bits;
	}
	__builtin_memcpy(&f, &half, 4);
	f += (float)value;
	__builtin_memcpy(&half, &f, 4);
	return half;
}

/* Add to a float or (@wide) a double, by compare-and-swap of its bits. */
DEV_BODY int dev_amo_fetch_add_real(const struct dev_state *st, void *out, enum dev_scope scope,
				    void *dest, bool wide, double value, int pe, int qp)
{
	uint64_t was = 0, seen;
	void *to;
	int err = dev_enter(scope,
			    dev_amo_reach(st, dest, wide ? 8 : 4, MORI_SHMEM_AMO_ADD, pe, &to));

	(void)qp;
	if (!dev_likely(!err))
		return err;
	if (tgt_leads(scope)) {
		seen = tgt_amo(to, wide, MORI_SHMEM_AMO_FETCH, 0, 0);
		do {
			was = seen;
			seen = tgt_compare_swap(to, wide, was, dev_real_add(wide, was, value));
		} while (seen != was);
	}
	dev_store_kind(out, wide ? DEV_KIND_uint64 : DEV_KIND_uint32, tgt_share(scope, was));
	tgt_leave(scope);
	return 0;
}

DEV_BODY int dev_amo_add_real(const struct dev_state *st, enum dev_scope scope, void *dest,
			      bool wide, double value, int pe, int qp)
{
	uint64_t was;

	return dev_amo_fetch_add_real(st, &was, scope, dest, wide, value, pe, qp);
}

#endif
