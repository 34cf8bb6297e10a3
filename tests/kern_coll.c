// SPDX-License-Identifier: MIT
/*
 * Collectives of kernels against coll.h, in every scope, with blocks of less than a warp, of several
 * and of a part of one. Host and kernels take turns on the same teams.
 */
/* TEST: pes=2,3 timeout=150 net=procs,nodes */
#define COVER_LIST(S, V, S0, V0)                                                                   \
	MORI_OPS_TEAM(V)                                                                           \
	MORI_OPS_COLL(S, thread) MORI_OPS_COLL(S, warp) MORI_OPS_COLL(S, block)
#include "coll.h"

#include "kern.h"

#include "kernels/coll.h"

#define CASES (TEST_SCALE(KERN_SMALL ? 60 : 240) / (pes_rounds(100) < 100 ? 3 : 1))

enum how { HOW_THREAD, HOW_WARP, HOW_BLOCK, HOW_KNOWN, HOWS };

static _Thread_local struct {
	mori_shmem_module_t *module, *with_ctx; /* NULL: this device has no such module */
	struct coll_call *call;
	int *status; /* of each thread */
	enum how how;
	unsigned threads;
} kern;

/* The names that this is about, with the form of the call. */
static void covered(int kind)
{
	static const char *const names[] = {
		"team_sync", "barrier",	 "broadcast", "fcollect",
		"collect",   "alltoall", "reduce",    "reducescatter"
	};
	static const char *const scopes[] = { "thread", "warp", "block", "block" };
	char name[64];

	snprintf(name, sizeof(name), "%s_%s", names[kind], scopes[kern.how]);
	cover(name);
}

static int call(const struct one *o)
{
	static const char *const names[] = { "coll_thread", "coll_warp", "coll_block",
					     "coll_known" };
	uint64_t rounds = o->kind == SYNC ? 3 : 1;
	int kind = o->kind == SYNC ? (int)(o->seed % 2) : (int)o->kind + 1, err;
	int known = kern.how == HOW_KNOWN && o->kind == REDUCE && o->op == MORI_SHMEM_SUM &&
		    (o->dtype == MORI_SHMEM_FLOAT32 || o->dtype == MORI_SHMEM_FLOAT16 ||
		     o->dtype == MORI_SHMEM_BFLOAT16);
	const char *name = names[kern.how == HOW_KNOWN && !known ? HOW_BLOCK : kern.how];

	*kern.call = (struct coll_call){
		.dest = o->dest,
		.src = o->src,
		.count = o->kind == COLLECT ? count_of(o, o->at) : o->count,
		.ctx = ctx,
		.team = o->team,
		.kind = kind,
		.dtype = o->dtype,
		.op = o->op,
		.root = o->root,
	};
	if (kern.how == HOW_KNOWN || !kern.with_ctx)
		use_ctx = 0;
	covered(kind);
	memset(kern.status, 0x55, 256 * sizeof(int));
	err = RUN_KERNEL(use_ctx ? kern.with_ctx : kern.module, name, 1, kern.threads, &kern.call,
			 &rounds, &kern.status);
	for (unsigned i = 0; i < kern.threads && !err; i++)
		CHECK_EQ("every thread", kern.status[i], 0);
	return err;
}

static void scopes(mori_shmem_team_t team, uint64_t seed, int n, unsigned char *dest,
		   unsigned char *src, unsigned char *want)
{
	unsigned warp = kern_warp();
	const unsigned sizes[HOWS][2] = { { 1, 1 },
					  { warp, warp },
					  { warp / 2 + 1, KERN_SMALL ? warp + 3 : 2 * warp },
					  { 2 * warp, warp } };

	for (kern.how = 0; kern.how < HOWS; kern.how++) {
		for (int i = 0; i < 2; i++) {
			kern.threads = sizes[kern.how][i];
			if (!i)
				each(team, dest, src, want);
			cases(team, seed + (uint64_t)kern.how * 40 + (uint64_t)i * 20, n / 8 + 1,
			      dest, src, want);
		}
	}
}

static void questions(mori_shmem_team_t back)
{
	int32_t world = MORI_SHMEM_TEAM_WORLD, *out = kern.status;
	const char *const names[] = { "team_my_pe", "team_n_pes", "team_translate_pe" };

	CHECK_OK(RUN_KERNEL(kern.module, "coll_ask", 1, 1, &ctx, &back, &world, &out));
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		CHECK_EQ("me", out[3 * use_ctx], n_pes - 1 - me);
		CHECK_EQ("PEs", out[3 * use_ctx + 1], n_pes);
		CHECK_EQ("the first", out[3 * use_ctx + 2], n_pes - 1);
		for (int i = 0; i < 3; i++)
			cover(names[i]);
	}
	use_ctx = 0;
}

static int test_pe(void)
{
	unsigned char *dest, *src, *want;
	mori_shmem_team_t back;
	int pes[64];

	kern.module = kern_load("coll");
	if (!kern.module)
		SKIP(KERN_NONE);
	kern.with_ctx = kern_load("coll_ctx");
	kern.call = pes_private(sizeof(*kern.call));
	kern.status = pes_private(256 * sizeof(int));
	dest = pes_malloc(LARGE + GUARD);
	src = pes_malloc(LARGE + GUARD);
	want = pes_private(LARGE + GUARD);
	for (int i = 0; i < n_pes; i++)
		pes[i] = n_pes - 1 - i;
	CHECK_OK(mori_shmem_team_split_list(MORI_SHMEM_TEAM_WORLD, pes, n_pes, &back));
	questions(back);
	scopes(MORI_SHMEM_TEAM_WORLD, 500, CASES, dest, src, want);
	CHECK_OK(mori_shmem_team_sync_thread(back));
	scopes(back, 900, CASES / 2, dest, src, want);
	CHECK_OK(mori_shmem_team_destroy(back));
	CHECK_EQ("check", mori_shmem_check(NULL), 0);
	if (kern.with_ctx) {
		cover_all();
		MUST(mori_shmem_module_unload(kern.with_ctx));
	}
	free(want);
	MUST(mori_shmem_free(src));
	MUST(mori_shmem_free(dest));
	free(kern.status);
	free(kern.call);
	MUST(mori_shmem_module_unload(kern.module));
	return 0;
}
