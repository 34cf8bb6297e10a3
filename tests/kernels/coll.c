// SPDX-License-Identifier: MIT
/* Collectives in each scope: one call of any kind, and reductions whose type is constant. */
#include "coll_calls.h"

MORI_KERNEL void coll_thread(const void *call, uint64_t rounds, int32_t *status){ ROUNDS(thread) }

MORI_KERNEL void coll_warp(const void *call, uint64_t rounds, int32_t *status){ ROUNDS(warp) }

MORI_KERNEL void coll_block(const void *call, uint64_t rounds, int32_t *status){ ROUNDS(block) }

/* What can be asked of teams, with and without a context. */
MORI_KERNEL void coll_ask(uint64_t ctx, int32_t team, int32_t to, int32_t *out)
{
	out[0] = mori_shmem_team_my_pe(team);
	out[1] = mori_shmem_team_n_pes(team);
	out[2] = mori_shmem_team_translate_pe(team, 0, to);
	out[3] = mori_shmem_ctx_team_my_pe(ctx, team);
	out[4] = mori_shmem_ctx_team_n_pes(ctx, team);
	out[5] = mori_shmem_ctx_team_translate_pe(ctx, team, 0, to);
}

/* The types that models have, as a compiler sees them that knows them. */
MORI_KERNEL void coll_known(const void *call, uint64_t rounds, int32_t *status)
{
	const struct coll_call *c = call;
	int err = 0, got;

	for (uint64_t i = 0; i < rounds; i++) {
		if (c->dtype == MORI_SHMEM_BFLOAT16)
			got = mori_shmem_reduce_block(c->team, c->dest, c->src, c->count,
						      MORI_SHMEM_BFLOAT16, MORI_SHMEM_SUM);
		else if (c->dtype == MORI_SHMEM_FLOAT16)
			got = mori_shmem_reduce_block(c->team, c->dest, c->src, c->count,
						      MORI_SHMEM_FLOAT16, MORI_SHMEM_SUM);
		else
			got = mori_shmem_reduce_block(c->team, c->dest, c->src, c->count,
						      MORI_SHMEM_FLOAT32, MORI_SHMEM_SUM);
		err = err ? err : got;
	}
	status[mori_thread_id()] = err;
}
