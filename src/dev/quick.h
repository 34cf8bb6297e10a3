// SPDX-License-Identifier: MIT
/*
 * The quick way of one thread to one word, before everything else: where the PE is near, the
 * place is sure and the word aligned, there is one branch and the instruction itself. Each of
 * these says whether it has done the work; if not, nothing was touched, and the body of the
 * operation finds out why. For targets with TGT_QUICK: there a kernel's pointer to its state
 * always leads to one, whose "plain" is 0 unless its PE is open.
 */
#ifndef MORI_DEV_QUICK_H
#define MORI_DEV_QUICK_H

#include "dev/amo.h"
#include "dev/rma.h"

#if TGT_QUICK
/* Which bodies have one: see TRY() in lib.c. */
#define QUICK_p		~, DEV_QUICK
#define QUICK_g		~, DEV_QUICK
#define QUICK_signal	~, DEV_QUICK
#define QUICK_amo_post	~, DEV_QUICK
#define QUICK_amo_fetch ~, DEV_QUICK

/* Where @len bytes at @addr are on @pe, if they are a word that can be reached so. */
DEV_STEP bool dev_quick_at(const struct dev_state *st, const void *addr, uint64_t len, int pe,
			   void **at)
{
	uint64_t off = (uint64_t)(uintptr_t)addr - DEV_FIXED(&st->heap_base);

	*at = tgt_pointer(dev_heap_at(st, pe, off));
	return dev_likely((int)tgt_aligned(addr, len) & dev_plain(st, pe) & dev_sure(st, off, len));
}

DEV_BODY bool dev_quick_p(const struct dev_state *st, enum dev_scope scope, void *dest,
			  const void *value, size_t size, int pe, int qp)
{
	void *at;

	(void)qp;
	if (scope != DEV_thread || size > 8 || !dev_quick_at(st, dest, size, pe, &at))
		return false;
	tgt_store_word(at, tgt_any_bits(value, size), size);
	return true;
}

DEV_BODY bool dev_quick_g(const struct dev_state *st, void *out, enum dev_scope scope,
			  const void *src, size_t size, int pe, int qp)
{
	uint64_t bits;
	void *at;

	(void)qp;
	if (scope != DEV_thread || !dev_quick_at(st, src, size, pe, &at))
		return false;
	bits = tgt_load_word(at, size);
	__builtin_memcpy(out, &bits, size);
	return true;
}

DEV_BODY bool dev_quick_signal(const struct dev_state *st, enum dev_scope scope, uint64_t *sig,
			       uint64_t value, int op, int pe, int qp)
{
	int rmw = dev_signal_op(op);
	void *at;

	(void)qp;
	if (scope != DEV_thread || !rmw || !dev_quick_at(st, sig, 8, pe, &at))
		return false;
	tgt_signal(st, at, rmw, value);
	return true;
}

DEV_BODY bool dev_quick_amo_post(const struct dev_state *st, enum dev_scope scope, void *dest,
				 enum dev_kind kind, int op, uint64_t value, int pe, int qp)
{
	bool wide = dev_kind_wide(kind);
	int rmw = dev_amo_post_op(op);
	void *at;

	(void)qp;
	if (scope != DEV_thread || !rmw || !dev_quick_at(st, dest, wide ? 8 : 4, pe, &at))
		return false;
	(void)tgt_amo(at, wide, rmw, op == MORI_SHMEM_AMO_INC ? 1 : value, 0);
	return true;
}

DEV_BODY bool dev_quick_amo_fetch(const struct dev_state *st, void *out, enum dev_scope scope,
				  const void *dest, enum dev_kind kind, int op, uint64_t value,
				  uint64_t compare, int pe, int qp)
{
	bool wide = dev_kind_wide(kind);
	int rmw = dev_amo_fetch_op(op);
	void *at;

	(void)qp;
	if (scope != DEV_thread || !rmw || !dev_quick_at(st, dest, wide ? 8 : 4, pe, &at))
		return false;
	dev_store_kind(out, kind,
		       tgt_amo(at, wide, rmw, op == MORI_SHMEM_AMO_FETCH_INC ? 1 : value, compare));
	return true;
}
#endif
#endif
