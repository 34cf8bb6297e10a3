// SPDX-License-Identifier: MIT
/*
 * The quick path to one word, tried before anything else: if the layout is uniform, the place is
 * within the committed heap and the word is aligned, there is one branch and the instruction
 * itself. Each function says whether it has done the work; if not, it has touched nothing, and the
 * body of the operation finds out why. For targets with TGT_QUICK: there a kernel's pointer to its
 * state always leads to a state, whose "uniform" is 0 unless its PE is open.
 */
#ifndef MORI_DEV_QUICK_H
#define MORI_DEV_QUICK_H

#include "dev/atomic.h"
#include "dev/rma.h"

#if TGT_QUICK
/* Where the word of a call is, and who acts. */
struct dev_quick {
	void *at;
	bool mine; /* this lane acts for all */
};

/*
 * Whether all lanes agree that @len bytes at @addr on @pe are a word that this path can reach: one
 * lane may have checked before the PE was closed, and another after it. @needs: enum dev_uniform.
 */
DEV_INLINE bool dev_quick_at(const struct dev_state *st, enum dev_scope scope, uint32_t needs,
			     const void *addr, uint64_t len, int pe, struct dev_quick *q)
{
	uint64_t off = (uint64_t)(uintptr_t)addr - DEV_FIXED(st, heap_base);
	/* In a loop over words, this comparison is all that remains in each iteration. */
	uint64_t end = DEV_FIXED(st, heap_committed) & -(uint64_t)dev_is_uniform(st, needs, pe);
	uint64_t at = dev_heap_at(st, pe, off);

	TGT_HIDE(at); /* computed before it is known to be valid */
	q->at = tgt_pointer(at);
	q->mine = tgt_leads(scope);
	/* Heaps begin and end at pages: an aligned word that begins in one ends in it. */
	return dev_likely(!tgt_any(scope, !((int)tgt_aligned(addr, len) & (int)(off < end))));
}

DEV_DEFER bool dev_quick_p(const struct dev_state *st, enum dev_scope scope, void *dest,
			   const void *value, size_t size, int pe, int qp)
{
	struct dev_quick q;

	(void)qp;
	if (size > 8 || !dev_quick_at(st, scope, DEV_UNIFORM, dest, size, pe, &q))
		return false;
	if (q.mine)
		tgt_store_word(q.at, tgt_any_bits(value, size), size);
	tgt_leave(scope);
	return true;
}

DEV_DEFER bool dev_quick_g(const struct dev_state *st, void *out, enum dev_scope scope,
			   const void *src, size_t size, int pe, int qp)
{
	uint64_t mark = tgt_share_mark(scope), bits = 0;
	struct dev_quick q;

	(void)qp;
	if (!dev_quick_at(st, scope, DEV_UNIFORM, src, size, pe, &q))
		return false;
	if (q.mine)
		bits = tgt_load_word(q.at, size);
	bits = tgt_share(scope, mark, bits);
	__builtin_memcpy(out, &bits, size);
	return true;
}

DEV_DEFER bool dev_quick_signal(const struct dev_state *st, enum dev_scope scope, uint64_t *sig,
				uint64_t value, int op, int pe, int qp)
{
	int rmw = dev_signal_op(op);
	struct dev_quick q;

	(void)qp;
	if (!rmw || !dev_quick_at(st, scope, DEV_UNIFORM_SIGNAL, sig, 8, pe, &q))
		return false;
	if (q.mine)
		tgt_signal(st, q.at, rmw, value);
	tgt_leave(scope);
	return true;
}

DEV_DEFER bool dev_quick_amo_post(const struct dev_state *st, enum dev_scope scope, void *dest,
				  enum dev_kind kind, int op, uint64_t value, int pe, int qp)
{
	bool wide = dev_kind_wide(kind);
	int rmw = dev_amo_post_op(op);
	struct dev_quick q;

	(void)qp;
	if (!rmw || !dev_quick_at(st, scope, DEV_UNIFORM_AMO, dest, wide ? 8 : 4, pe, &q))
		return false;
	if (q.mine)
		(void)tgt_amo(q.at, wide, rmw, amo_operand(op, value), 0);
	tgt_leave(scope);
	return true;
}

DEV_DEFER bool dev_quick_amo_fetch(const struct dev_state *st, void *out, enum dev_scope scope,
				   const void *dest, enum dev_kind kind, int op, uint64_t value,
				   uint64_t compare, int pe, int qp)
{
	bool wide = dev_kind_wide(kind);
	int rmw = dev_amo_fetch_op(op);
	uint64_t mark = tgt_share_mark(scope), was = 0;
	struct dev_quick q;

	(void)qp;
	if (!rmw || !dev_quick_at(st, scope, DEV_UNIFORM_AMO, dest, wide ? 8 : 4, pe, &q))
		return false;
	if (q.mine)
		was = tgt_amo(q.at, wide, rmw, amo_operand(op, value), compare);
	dev_store_kind(out, kind, tgt_share(scope, mark, was));
	return true;
}
#endif
#endif
