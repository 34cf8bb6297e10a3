// SPDX-License-Identifier: MIT
/*
 * Operations on streams, whatever leads to the peers: behind a wait for a word of the own
 * PE nothing happens before the word is set, and then all of it in order. For peers that
 * a queue leads to: MORI_DISABLE_P2P=1, or other nodes.
 */
#include "gpu.h"

#define BIG 100000
#define PAD 64

static const size_t sizes[] = { 1, 8, 31, 32, 33, 4096, BIG };
#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))
#define AREA	(N_SIZES * (BIG + PAD))

static _Thread_local struct {
	unsigned char *box;	      /* symmetric: what comes from the left */
	unsigned char *src;	      /* memory of the device */
	unsigned char *got;	      /* the same */
	unsigned char *host, *back;   /* memory of the host, pinned: no call waits for its turn */
	uint64_t *gate, *sig, *count; /* symmetric */
} at;

static unsigned char *part(unsigned char *base, size_t i)
{
	return base + i * (BIG + PAD);
}

/*
 * From the device and from the host, the one that is @first and then, with a signal, the
 * other over the same place, by another queue.
 */
static unsigned char *first(size_t i)
{
	return part(i % 2 ? at.src : at.host, i);
}

static unsigned char *second(size_t i)
{
	return part(i % 2 ? at.host : at.src, i);
}

static void enqueue_puts(int next, void *stream)
{
	for (size_t i = 0; i < N_SIZES; i++) {
		CHECK_OK(mori_shmem_putmem_on_stream(part(at.box, i), first(i), sizes[i], next,
						     (int)i, stream));
		CHECK_OK(mori_shmem_getmem_on_stream(part(at.got, i), part(at.box, i), sizes[i],
						     next, 0, stream));
		CHECK_OK(mori_shmem_getmem_on_stream(part(at.back, i), part(at.box, i), sizes[i],
						     next, 1, stream));
		CHECK_OK(mori_shmem_putmem_signal_on_stream(part(at.box, i), second(i), sizes[i],
							    at.sig, 1, MORI_SHMEM_SIGNAL_ADD, next,
							    0, stream));
	}
}

static void enqueue(void *stream)
{
	int next = (me + 1) % n_pes;

	CHECK_OK(mori_shmem_uint64_wait_until_on_stream(at.gate, MORI_SHMEM_CMP_EQ, 1, stream));
	enqueue_puts(next, stream);
	CHECK_OK(
		mori_shmem_uint64_wait_until_on_stream(at.sig, MORI_SHMEM_CMP_EQ, N_SIZES, stream));
	CHECK_OK(mori_shmem_signal_op_on_stream(at.count, 40, MORI_SHMEM_SIGNAL_SET, next, 0,
						stream));
	CHECK_OK(mori_shmem_quiet_on_stream(stream));
	CHECK_OK(mori_shmem_signal_op_on_stream(at.count, 2, MORI_SHMEM_SIGNAL_ADD, next, 1,
						stream));
	CHECK_OK(mori_shmem_barrier_on_stream(stream));
}

static void nothing_yet(void)
{
	unsigned char *data = malloc(AREA);

	heap_get(data, at.box, AREA);
	for (size_t i = 0; i < AREA; i++) {
		if (!CHECK_EQ("before its turn", data[i], 0))
			break;
	}
	CHECK_EQ("a signal before its turn", heap_word(at.sig), 0);
	CHECK_EQ("a signal before its turn", heap_word(at.count), 0);
	CHECK_EQ("a get before its turn", at.back[0], 0xee);
	free(data);
}

static void verify(void)
{
	int left = (me + n_pes - 1) % n_pes;
	unsigned char *data = malloc(AREA), *got = malloc(AREA);

	heap_get(data, at.box, AREA);
	heap_get(got, at.got, AREA);
	for (size_t i = 0; i < N_SIZES; i++) {
		int before = (i % 2 ? 0 : 100) + (int)i, after = (i % 2 ? 100 : 0) + (int)i;
		size_t n = sizes[i];

		CHECK_EQ("put", differs(part(data, i), left + after, n), n);
		CHECK_EQ("behind a put", part(data, i)[n], 0);
		CHECK_EQ("got", differs(part(got, i), me + before, n), n);
		CHECK_EQ("behind a get", part(got, i)[n], 0);
		CHECK_EQ("got by the host", differs(part(at.back, i), me + before, n), n);
		CHECK_EQ("behind a get", part(at.back, i)[n], 0xee);
	}
	CHECK_EQ("signals with data", heap_word(at.sig), N_SIZES);
	CHECK_EQ("signals", heap_word(at.count), 42);
	CHECK_OK(mori_shmem_check(NULL));
	free(data);
	free(got);
}

/* Known at the call, and nothing is left on the stream. */
static void wrong(void *stream)
{
	int next = (me + 1) % n_pes;

	CHECK_EQ("no such PE", mori_shmem_putmem_on_stream(at.box, at.src, 8, n_pes, 0, stream),
		 MORI_SHMEM_EINVAL);
	CHECK_EQ("not symmetric", mori_shmem_getmem_on_stream(at.got, at.back, 8, next, 0, stream),
		 MORI_SHMEM_EINVAL);
	CHECK_EQ("no such signal", mori_shmem_signal_op_on_stream(at.sig, 1, 77, next, 0, stream),
		 MORI_SHMEM_EINVAL);
	CHECK_OK(mori_shmem_putmem_on_stream(at.box, at.src, 0, next, 0, stream));
	GPU(cuStreamSynchronize, stream);
	CHECK_OK(mori_shmem_check(NULL));
}

static int test_pe(void)
{
	void *stream;

	gpu_begin();
	stream = gpu_stream();
	at.box = heap_malloc(AREA);
	at.src = heap_malloc(AREA);
	at.got = heap_malloc(AREA);
	at.gate = heap_malloc(8);
	at.sig = heap_malloc(8);
	at.count = heap_malloc(8);
	GPU(cuMemHostAlloc, (void **)&at.host, (size_t)AREA, 0u);
	GPU(cuMemHostAlloc, (void **)&at.back, (size_t)AREA, 0u);
	memset(at.back, 0xee, AREA);
	for (size_t i = 0; i < N_SIZES; i++) {
		fill(part(at.host, i), me + (int)i, sizes[i]);
		heap_set(part(at.src, i), part(at.host, i), sizes[i]);
		fill(part(at.host, i), me + 100 + (int)i, sizes[i]);
	}
	wrong(stream);
	BARRIER();
	enqueue(stream);
	BARRIER();
	nothing_yet();
	BARRIER();
	heap_set(at.gate, &(uint64_t){ 1 }, 8);
	GPU(cuStreamSynchronize, stream);
	verify();
	BARRIER();
	GPU(cuStreamDestroy_v2, stream);
	GPU(cuMemFreeHost, at.host);
	GPU(cuMemFreeHost, at.back);
	return 0;
}
