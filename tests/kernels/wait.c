// SPDX-License-Identifier: MIT
/*
 * Waits and tests. Arguments: the word or words, comparison, value, nanoseconds,
 * how many words, which of them to skip, where the indices go. A call may also set a
 * word of the next PE: @from, to @to, of @len bytes; before it waits if @value is 1.
 */
#include "caller.h"

#define ONE(t, type, sfx)                                                                          \
	CALL_CASE(t##_wait_until##sfx, PTR(0), INT(1), (type)ARG(2))                               \
	CALL_CASE(t##_wait_until_for##sfx, PTR(0), INT(1), (type)ARG(2), ARG(3))                   \
	CALL_CASE(t##_test##sfx, PTR(0), INT(1), (type)ARG(2))                                     \
	CALL_CASE(t##_wait_until_equals##sfx, PTR(0), (type)ARG(2))                                \
	CALL_CASE(t##_wait_until_equals_for##sfx, PTR(0), (type)ARG(2), ARG(3))                    \
	CALL_CASE(t##_wait_until_greater_than##sfx, PTR(0), (type)ARG(2))                          \
	CALL_CASE(t##_wait_until_greater_than_for##sfx, PTR(0), (type)ARG(2), ARG(3))
#define MANY(t, type, sfx)                                                                         \
	CALL_CASE(t##_wait_until_all##sfx, PTR(0), ARG(4), PTR(5), INT(1), (type)ARG(2))           \
	CALL_CASE(t##_wait_until_all_for##sfx, PTR(0), ARG(4), PTR(5), INT(1), (type)ARG(2),       \
		  ARG(3))                                                                          \
	CALL_CASE(t##_wait_until_any##sfx, PTR(0), ARG(4), PTR(5), INT(1), (type)ARG(2))           \
	CALL_CASE(t##_wait_until_any_for##sfx, PTR(0), ARG(4), PTR(5), INT(1), (type)ARG(2), ARG(3))
#define SOME(t, type, sfx)                                                                         \
	CALL_CASE(t##_wait_until_some##sfx, PTR(0), ARG(4), PTR(6), PTR(5), INT(1), (type)ARG(2))  \
	CALL_CASE(t##_wait_until_some_for##sfx, PTR(0), ARG(4), PTR(6), PTR(5), INT(1),            \
		  (type)ARG(2), ARG(3))
#define CASES(sfx)                                                                                 \
	MORI_EACH_AMO_TYPE(ONE, sfx)                                                               \
	MORI_EACH_AMO_TYPE(MANY, sfx)                                                              \
	MORI_EACH_AMO_TYPE(SOME, sfx)

CALL_SWITCH(look, thread, CASES())
CALL_SWITCH(look, block, CASES(_block))

static void poke(const struct call *c, uint64_t ctx, uint64_t first)
{
	int next = (mori_shmem_ctx_my_pe(ctx) + 1) % mori_shmem_ctx_n_pes(ctx);
	uint64_t v = c->to;

	if (c->from && c->value == first)
		(void)mori_shmem_ctx_atomic_size_nonfetch_thread(
			ctx, (void *)(uintptr_t)c->from, &v, c->len, MORI_SHMEM_AMO_SET, next, 0);
}

static uint64_t wait_thread_call(const struct call *c, uint64_t ctx)
{
	uint64_t got;

	poke(c, ctx, 1);
	got = look_thread_call(c, ctx);
	poke(c, ctx, 0);
	return got;
}

static uint64_t wait_block_call(const struct call *c, uint64_t ctx)
{
	uint64_t got;

	if (!call_lane())
		poke(c, ctx, 1);
	got = look_block_call(c, ctx);
	if (!call_lane())
		poke(c, ctx, 0);
	return got;
}

MORI_KERNEL void wait_thread(const void *calls, uint64_t rounds, uint64_t ctx,
			     uint64_t *out){ CALL_ROUNDS(wait, thread) }

MORI_KERNEL void wait_block(const void *calls, uint64_t rounds, uint64_t ctx,
			    uint64_t *out){ CALL_ROUNDS(wait, block) }

/*
 * Block 0 waits, again and again, for a word that block 1 of the PE before raises all
 * the time: every lane must see the same value, and a larger one than before.
 */
MORI_KERNEL void chase(uint64_t *word, uint64_t rounds, uint64_t *out)
{
	int me = mori_shmem_my_pe(), next = (me + 1) % mori_shmem_n_pes();
	uint64_t last = 0;

	for (uint64_t i = 0; mori_block_id() && !call_lane() && i < 64 * rounds; i++)
		(void)mori_shmem_uint64_atomic_add_thread(word, 1, next, 0);
	if (mori_block_id() && !call_lane()) /* the end, whatever was seen */
		(void)mori_shmem_uint64_atomic_or_thread(word, 1ull << 60, next, 0);
	for (uint64_t round = 0; !mori_block_id() && round < rounds; round++) {
		if (last < 1ull << 60)
			last = mori_shmem_uint64_wait_until_greater_than_block(word, last);
		out[round * call_lanes() + call_lane()] = last;
	}
}
