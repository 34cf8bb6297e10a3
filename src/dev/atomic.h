// SPDX-License-Identifier: MIT
/*
 * Atomics. One body with a result and one without; every code comes down to one
 * of the seven read-modify-writes of the target.
 */
#ifndef MORI_DEV_ATOMIC_H
#define MORI_DEV_ATOMIC_H

#include "dev/path.h"
#include "target/amo.h"

/* The read-modify-write behind a code without a result, or with one; 0 for any other code. */
DEV_INLINE int dev_amo_post_op(int op)
{
	return op >= MORI_SHMEM_AMO_INC && op <= MORI_SHMEM_AMO_XOR ? amo_rmw(op) : 0;
}

DEV_INLINE int dev_amo_fetch_op(int op)
{
	return op >= MORI_SHMEM_AMO_FETCH && op <= MORI_SHMEM_AMO_COMPARE_SWAP ? amo_rmw(op) : 0;
}

/* Where the word is; EINVAL for an unknown code or a misaligned address. */
DEV_INLINE int dev_amo_resolve(const struct dev_state *st, struct dev_req *r, const void *dest)
{
	size_t size = r->wide ? 8 : 4;

	if (!dev_likely(r->op && tgt_aligned(dest, size)))
		return dev_req_invalid(r, MORI_SHMEM_EINVAL, dest, size);
	return dev_req_resolve_word(st, r, dest, size);
}

DEV_DEFER int dev_amo_post(const struct dev_state *st, enum dev_scope scope, void *dest,
			   enum dev_kind kind, int op, uint64_t value, int pe, int qp)
{
	struct dev_req r = { .pe = pe,
			     .qp = qp,
			     .op = dev_amo_post_op(op),
			     .wide = dev_kind_wide(kind),
			     .value = amo_operand(op, value) };

	return dev_req_execute(st, scope, DEV_ACT_AMO, &r, dev_amo_resolve(st, &r, dest));
}

DEV_DEFER int dev_amo_fetch(const struct dev_state *st, void *out, enum dev_scope scope,
			    const void *dest, enum dev_kind kind, int op, uint64_t value,
			    uint64_t compare, int pe, int qp)
{
	struct dev_req r = { .pe = pe,
			     .qp = qp,
			     .op = dev_amo_fetch_op(op),
			     .wide = dev_kind_wide(kind),
			     .value = amo_operand(op, value),
			     .compare = compare,
			     .gives = true };
	int err = dev_req_execute(st, scope, DEV_ACT_AMO, &r, dev_amo_resolve(st, &r, dest));

	if (dev_likely(!err))
		dev_store_kind(out, kind, r.result);
	return err;
}

/* A word of 4 or 8 bytes, of a type that the caller does not name. */
DEV_DEFER int dev_amo_size(const struct dev_state *st, void *dest, void *value, size_t bytes,
			   int op, int pe, int qp)
{
	if (bytes == 4)
		return dev_amo_post(st, DEV_thread, dest, DEV_KIND_uint32, op, *(uint32_t *)value,
				    pe, qp);
	if (bytes == 8)
		return dev_amo_post(st, DEV_thread, dest, DEV_KIND_uint64, op, *(uint64_t *)value,
				    pe, qp);
	return tgt_fail(st, MORI_SHMEM_EINVAL, pe, (uint64_t)(uintptr_t)dest, bytes);
}

/* Add to a float or (@wide) a double. */
DEV_DEFER int dev_amo_fetch_add_real(const struct dev_state *st, void *out, enum dev_scope scope,
				     void *dest, bool wide, double value, int pe, int qp)
{
	struct dev_req r = { .pe = pe,
			     .qp = qp,
			     .op = MORI_SHMEM_AMO_ADD,
			     .wide = wide,
			     .add = value,
			     .gives = true };
	int err = dev_req_execute(st, scope, DEV_ACT_ADD_REAL, &r, dev_amo_resolve(st, &r, dest));

	if (dev_likely(!err))
		dev_store_kind(out, wide ? DEV_KIND_uint64 : DEV_KIND_uint32, r.result);
	return err;
}

DEV_DEFER int dev_amo_add_real(const struct dev_state *st, enum dev_scope scope, void *dest,
			       bool wide, double value, int pe, int qp)
{
	uint64_t was;

	return dev_amo_fetch_add_real(st, &was, scope, dest, wide, value, pe, qp);
}

#endif
