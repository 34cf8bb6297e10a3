// SPDX-License-Identifier: MIT
/*
 * How a lane passes a value to its block on AMD. LDS belongs to the kernel, whose compiler has laid
 * it out and counted it, and the barrier carries no data. So the value goes through slots of global
 * memory that the module has for this purpose: a block takes one, under a mark that no other
 * running block has, and returns it when all lanes have read it.
 *
 * Slots are read and written at device scope, past the caches of a compute unit. Every wave waits
 * for its own accesses before it synchronises with the others (mori_block_sync()).
 */
#ifndef MORI_TARGET_SHARE_AMDGCN_H
#define MORI_TARGET_SHARE_AMDGCN_H

#include "target/target_amdgcn.h"

#define TGT_SLOTS 256u
#define TGT_DEV	  __MEMORY_SCOPE_DEVICE

struct tgt_slot {
	uint64_t owner; /* the mark of the block that owns it; 0: free */
	uint64_t value;
};

static __attribute__((address_space(1), aligned(16))) struct tgt_slot tgt_slots[TGT_SLOTS];
static __attribute__((
	address_space(1))) uint32_t tgt_raised; /* blocks that tgt_any_block() is true for */

/*
 * The two kinds of marks: a lane may search for one kind while another lane frees a slot of the
 * other.
 */
enum tgt_mark { TGT_MARK_VALUE, TGT_MARK_RAISED };

/*
 * The address of a launch's arguments identifies it for as long as it runs. A pass of some versions
 * of LLVM gives up where that pointer is used as a number; it does not see through the empty
 * statement.
 */
DEV_INLINE uint64_t tgt_launch(void)
{
	const __attribute__((address_space(4))) void *args = __builtin_amdgcn_implicitarg_ptr();

	__asm__("" : "+s"(args));
	return (uint64_t)args;
}

DEV_INLINE uint64_t tgt_block_mark(enum tgt_mark what)
{
	uint64_t block =
		mori_block_id() +
		(uint64_t)mori_grid_size() *
			(mori_block_id_y() + (uint64_t)mori_grid_size_y() * mori_block_id_z());
	uint64_t mark = (tgt_launch() * 0x9e3779b97f4a7c15u + block) << 1 | (uint64_t)what;

	return mark ? mark : 2;
}

DEV_INLINE struct tgt_slot *tgt_slot_at(uint64_t i)
{
	return (struct tgt_slot *)&tgt_slots[i & (TGT_SLOTS - 1)];
}

/*
 * Takes a slot for @mark, or finds the one that another lane of this block took: *taken is then
 * false.
 */
DEV_INLINE struct tgt_slot *tgt_slot_take(uint64_t mark, bool *taken)
{
	for (uint64_t i = mark >> 1;; i++) {
		struct tgt_slot *s = tgt_slot_at(i);
		uint64_t was = 0;

		*taken = __scoped_atomic_compare_exchange_n(
			&s->owner, &was, mark, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED, TGT_DEV);
		if (*taken || was == mark)
			return s;
	}
}

/* The slot with @mark; NULL: none. */
DEV_INLINE struct tgt_slot *tgt_slot_find(uint64_t mark)
{
	for (uint32_t i = 0; i < TGT_SLOTS; i++) {
		struct tgt_slot *s = tgt_slot_at((mark >> 1) + i);

		if (__scoped_atomic_load_n(&s->owner, __ATOMIC_RELAXED, TGT_DEV) == mark)
			return s;
	}
	return NULL;
}

DEV_INLINE void tgt_slot_give(struct tgt_slot *s)
{
	__scoped_atomic_store_n(&s->owner, 0, __ATOMIC_RELAXED, TGT_DEV);
}

/* The value of the lane that leads a block; when it returns, the lanes have synchronised. */
DEV_OUTLINE uint64_t tgt_share_block(uint64_t v)
{
	uint64_t mark = tgt_block_mark(TGT_MARK_VALUE);
	bool leads = tgt_thread_rank() == 0, taken;
	struct tgt_slot *s;

	if (leads) {
		s = tgt_slot_take(mark, &taken);
		__scoped_atomic_store_n(&s->value, v, __ATOMIC_RELAXED, TGT_DEV);
	}
	mori_block_sync();
	s = tgt_slot_find(mark);
	v = s ? __scoped_atomic_load_n(&s->value, __ATOMIC_RELAXED, TGT_DEV) : 0;
	mori_block_sync();
	if (leads && s)
		tgt_slot_give(s);
	return v;
}

/* Whether @x holds on any lane of the block. If it holds on none, that costs one load. */
DEV_OUTLINE bool tgt_any_block(bool x)
{
	uint64_t mark = tgt_block_mark(TGT_MARK_RAISED);
	struct tgt_slot *s = NULL;
	bool taken = false, any;

	if (x)
		s = tgt_slot_take(mark, &taken);
	if (taken)
		__scoped_atomic_fetch_add(&tgt_raised, 1, __ATOMIC_RELAXED, TGT_DEV);
	mori_block_sync();
	any = __scoped_atomic_load_n(&tgt_raised, __ATOMIC_RELAXED, TGT_DEV) && tgt_slot_find(mark);
	if (dev_likely(!any))
		return false;
	mori_block_sync(); /* all have checked */
	if (taken) {
		tgt_slot_give(s);
		__scoped_atomic_fetch_add(&tgt_raised, -1u, __ATOMIC_RELAXED, TGT_DEV);
	}
	mori_block_sync(); /* and no lane finds it in its next call */
	return true;
}

/* The value of the lane that leads; when it returns, a block has synchronised. */
DEV_INLINE uint64_t tgt_share_rare(enum dev_scope scope, uint64_t v)
{
	if (scope == DEV_thread)
		return v;
	return scope == DEV_block ? tgt_share_block(v) : tgt_share_warp(v);
}

/* Whether @x holds on any lane; brings the lanes together. */
DEV_INLINE bool tgt_any(enum dev_scope scope, bool x)
{
	if (scope == DEV_warp) {
		tgt_enter(scope);
		return __builtin_amdgcn_ballot_w64(x) != 0;
	}
	return scope == DEV_thread ? x : tgt_any_block(x);
}

/*
 * The same for errors in a request. All lanes of a block find the same error, because they check
 * the same arguments and words that do not change meanwhile: each uses its own result, and
 * dev_req_execute() makes sure that they reach the same number of barriers whatever they find.
 */
DEV_INLINE bool tgt_agree(enum dev_scope scope, bool x)
{
	if (scope != DEV_block)
		return tgt_any(scope, x);
	tgt_enter(scope);
	return x;
}

#endif
