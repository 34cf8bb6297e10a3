// SPDX-License-Identifier: MIT
/* Operations on streams, one after another and from a graph that is replayed 1000 times. */
#include "gpu.h"

#define N     4096
#define BIG   100000 /* more than a block takes at once */
#define AHEAD 16     /* replays of PEs that are threads: see docs/nvidia.md */

static _Thread_local unsigned char *box, *src, *big;
static _Thread_local uint64_t *sig, *seen;

/* Each replay: a barrier, a put with signal, a wait for the left neighbour's, a get of it back. */
static void enqueue(void *stream)
{
	int next = (me + 1) % n_pes;

	CHECK_OK(mori_shmem_barrier_on_stream(stream));
	CHECK_OK(mori_shmem_putmem_signal_on_stream(box, src, N, sig, 1, MORI_SHMEM_SIGNAL_ADD,
						    next, 0, stream));
	CHECK_OK(mori_shmem_uint64_wait_until_on_stream(sig, MORI_SHMEM_CMP_GT, 0, stream));
	CHECK_OK(mori_shmem_int64_wait_until_on_stream((int64_t *)sig, MORI_SHMEM_CMP_NE, 0,
						       stream));
	CHECK_OK(mori_shmem_uint32_wait_until_on_stream((uint32_t *)sig, MORI_SHMEM_CMP_GE, 1,
							stream));
	CHECK_OK(mori_shmem_int32_wait_until_on_stream((int32_t *)sig, MORI_SHMEM_CMP_GT, 0,
						       stream));
	CHECK_OK(mori_shmem_putmem_signal_on_stream(big, big + BIG, BIG, sig + 1, 1,
						    MORI_SHMEM_SIGNAL_ADD, next, 0, stream));
	CHECK_OK(mori_shmem_quiet_on_stream(stream));
	CHECK_OK(mori_shmem_barrier_on_stream(stream));
	CHECK_OK(mori_shmem_getmem_on_stream(box + N, box, N, next, 0, stream));
	CHECK_OK(mori_shmem_putmem_on_stream(box + 2 * N, src, N, next, 0, stream));
	CHECK_OK(mori_shmem_signal_op_on_stream(seen, 1, MORI_SHMEM_SIGNAL_ADD, next, 0, stream));
	CHECK_OK(mori_shmem_barrier_on_stream(stream));
}

static void verify(int round, uint64_t times)
{
	unsigned char data[3 * N], *much = malloc(BIG);
	int left = (me + n_pes - 1) % n_pes;

	heap_get(data, box, sizeof(data));
	CHECK_EQ("put", differs(data, left + round, N), N);
	CHECK_EQ("got back", differs(data + N, me + round, N), N);
	CHECK_EQ("put again", differs(data + 2 * N, left + round, N), N);
	heap_get(much, big, BIG);
	CHECK_EQ("put much", differs(much, 3 * left + round, BIG), BIG);
	free(much);
	CHECK_EQ("signals", heap_word(sig), times);
	CHECK_EQ("signals with much", heap_word(sig + 1), times);
	CHECK_EQ("signals alone", heap_word(seen), times);
	CHECK_OK(mori_shmem_check(NULL));
}

static void send(int round)
{
	unsigned char *data = malloc(BIG);

	fill(data, me + round, N);
	heap_set(src, data, N);
	fill(data, 3 * me + round, BIG);
	heap_set(big + BIG, data, BIG);
	free(data);
	BARRIER();
}

/* Of the graph: fewer where kernels are interpreted. */
static int replays(void)
{
	const char *n = getenv("GPU_REPLAYS");

	return n ? atoi(n) : 1000;
}

/* PEs that are threads launch one at a time, but none waits long: see docs/nvidia.md. */
static void launch(void *exec, void *stream)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	struct timespec end;
	int held;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += (end.tv_nsec + 2000000) / 1000000000;
	end.tv_nsec = (end.tv_nsec + 2000000) % 1000000000;
	held = !pthread_mutex_clocklock(&one, CLOCK_MONOTONIC, &end);
	GPU(cuGraphLaunch, exec, stream);
	if (held)
		pthread_mutex_unlock(&one);
}

/* A queue that is full would hold up its thread. */
static void keep_step(int i, void *stream)
{
	if (pes_here() > 1 && i % AHEAD == AHEAD - 1)
		GPU(cuStreamSynchronize, stream);
}

static int test_pe(void)
{
	void *stream, *graph = NULL, *exec = NULL;
	uint64_t start;

	gpu_begin();
	stream = gpu_stream();
	box = heap_malloc(3 * N);
	src = heap_malloc(N);
	big = heap_malloc(2 * BIG);
	sig = heap_malloc(16);
	seen = heap_malloc(8);
	test_at("one after another");
	send(0);
	enqueue(stream);
	GPU(cuStreamSynchronize, stream);
	verify(0, 1);
	test_at("a graph");
	send(7);
	GPU(cuStreamBeginCapture_v2, stream, 2);
	enqueue(stream);
	GPU(cuStreamEndCapture, stream, &graph);
	GPU(cuGraphInstantiateWithFlags, &exec, graph, 0ull);
	BARRIER();
	test_at("replays");
	start = mori_clock_ns();
	for (int i = 0; i < replays(); i++) {
		launch(exec, stream);
		keep_step(i, stream);
	}
	GPU(cuStreamSynchronize, stream);
	if (!me)
		printf("a replay of 3 barriers and 9 more, %d PEs: %.1f us\n", n_pes,
		       (double)(mori_clock_ns() - start) / replays() / 1000);
	verify(7, 1 + replays());
	test_at("barriers");
	BARRIER();
	start = mori_clock_ns();
	for (int i = 0; i < replays(); i++) {
		MUST(mori_shmem_barrier_on_stream(stream));
		keep_step(i, stream);
	}
	GPU(cuStreamSynchronize, stream);
	if (!me)
		printf("barrier_on_stream, %d PEs: %.2f us\n", n_pes,
		       (double)(mori_clock_ns() - start) / replays() / 1000);
	start = mori_clock_ns();
	for (int i = 0; i < replays(); i++)
		MUST(mori_shmem_free(mori_shmem_malloc(4096)));
	if (!me)
		printf("malloc and free, %d PEs: %.2f us\n", n_pes,
		       (double)(mori_clock_ns() - start) / replays() / 1000);
	if (pes_here() > 1)
		CHECK_EQ("the default stream", mori_shmem_barrier_on_stream(NULL),
			 MORI_SHMEM_EINVAL);
	GPU(cuGraphExecDestroy, exec);
	GPU(cuGraphDestroy, graph);
	GPU(cuStreamDestroy_v2, stream);
	return 0;
}
