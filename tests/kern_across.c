// SPDX-License-Identifier: MIT
/*
 * Order across the ways to one PE: puts to a window that load and store do not reach, or on
 * several queues, and behind them a flag that takes another way. Fences and signals, from
 * kernels and from the host. One queue per PE, unless the environment says otherwise.
 */
/* TEST: pes=2 net=procs,nodes timeout=120 */
#include "kern.h"

#include "kernels/across.h"

#define ROOM   (kern_rounds(512ul << 10) & ~4095ul)
#define ROUNDS 12

static _Thread_local struct {
	mori_shmem_module_t *module;
	unsigned char *to, *src;
	uint64_t *flag;
	mori_shmem_memobj_t *obj;
	int32_t *status;
} at;

/* Queues are counted by the environment that the library reads. */
__attribute__((constructor)) static void one_queue(void)
{
	setenv("MORI_NUM_QP_PER_PE", "1", 0);
}

static void see(const char *name, unsigned char value, uint64_t count)
{
	uint64_t bad = UINT64_MAX, *out = &bad, n = ROOM, want = value;

	CHECK_OK(RUN_KERNEL(at.module, "across_see", 1, 1, &out, &at.to, &n, &at.flag, &count,
			    &want));
	CHECK_EQ(name, bad, 0);
}

/* Gives the value of every byte in that round. */
static unsigned char prepare(int round, int how)
{
	unsigned char value = (unsigned char)(1 + (round * ACROSS_HOWS + how) % 250);

	memset(at.src, value, ROOM);
	memset(at.to, 0, ROOM);
	*at.flag = 0;
	BARRIER();
	return value;
}

static void by_kernel(const char *place, int how, int round)
{
	static const char *const hows[ACROSS_HOWS] = {
		[ACROSS_FENCE] = "fence",
		[ACROSS_FENCE_PE] = "fence of a PE",
		[ACROSS_SIGNAL] = "signal",
		[ACROSS_SIGNAL_OBJ] = "signal of an object",
		[ACROSS_SIGNAL_WARP] = "signal of a warp",
		[ACROSS_SIGNAL_BLOCK] = "signal of a block",
		[ACROSS_SIGNAL_OBJ_BLOCK] = "signal of a block, of an object",
		[ACROSS_FENCE_BLOCK] = "fence of a block",
	};
	char name[64];
	int32_t lanes = how < ACROSS_SIGNAL_WARP  ? 1 :
			how == ACROSS_SIGNAL_WARP ? (int32_t)kern_warp() :
						    ACROSS_LANES;
	int32_t pe = 1 - me, qp = round, qp_flag = round + 1;
	uint64_t n = ROOM / (uint64_t)lanes, count = (uint64_t)round + 7;
	unsigned char value = prepare(round, how);

	snprintf(name, sizeof(name), "%s, %s", place, hows[how]);
	if (round % 2 != me) {
		see(name, value, count);
	} else {
		poison(at.status, ACROSS_LANES * sizeof(*at.status));
		CHECK_OK(RUN_KERNEL(at.module, "across_put", 1, (unsigned)lanes, &at.status, &at.to,
				    &at.src, &n, &at.flag, &at.obj, &count, &how, &pe, &qp,
				    &qp_flag));
		for (int i = 0; i < lanes; i++)
			CHECK_EQ(name, at.status[i], 0);
	}
	BARRIER();
}

static void by_host(const char *name, int signal, int round)
{
	unsigned char value = prepare(round, ACROSS_HOWS);
	uint64_t count = (uint64_t)round + 9;

	if (round % 2 != me) {
		size_t wrong = 0;

		AWAIT(at.flag, count);
		for (size_t i = 0; i < ROOM; i++)
			wrong += at.to[i] != value;
		CHECK_EQ(name, wrong, 0);
	} else {
		CHECK_OK(mori_shmem_putmem_nbi_thread(at.to, at.src, ROOM, 1 - me, 0));
		if (signal) {
			CHECK_OK(mori_shmem_signal_op_thread(at.flag, count, MORI_SHMEM_SIGNAL_SET,
							     1 - me, 1));
		} else {
			CHECK_OK(mori_shmem_fence_thread());
			CHECK_OK(mori_shmem_uint64_p(at.flag, count, 1 - me, 1));
		}
	}
	BARRIER();
}

static void area(const char *name, unsigned char *to)
{
	at.to = to;
	for (int round = 0; round < TEST_SCALE(ROUNDS); round++) {
		for (int how = 0; how < ACROSS_HOWS; how++)
			by_kernel(name, how, round);
		by_host(name, 0, round);
		by_host(name, 1, round);
	}
}

static int test_pe(void)
{
	unsigned char *window, *heap;

	at.module = kern_load("across");
	if (!at.module)
		SKIP(KERN_NONE);
	kern_warp();
	window = pes_private(ROOM);
	heap = pes_malloc(ROOM);
	at.src = pes_malloc(ROOM);
	at.flag = pes_malloc(sizeof(*at.flag));
	at.status = pes_private(ACROSS_LANES * sizeof(*at.status));
	at.obj = pes_private(sizeof(*at.obj));
	MUST(mori_shmem_query_memobj(at.flag, at.obj));
	MUST(mori_shmem_symmetric_register(window, ROOM));
	area("to a window", window);
	area("to the heap", heap);
	MUST(mori_shmem_symmetric_deregister(window, ROOM));
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	BARRIER();
	MUST(mori_shmem_free(at.flag));
	MUST(mori_shmem_free(at.src));
	MUST(mori_shmem_free(heap));
	free(at.status);
	free(at.obj);
	free(window);
	MUST(mori_shmem_module_unload(at.module));
	return 0;
}
