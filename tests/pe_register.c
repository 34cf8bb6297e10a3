// SPDX-License-Identifier: MIT
/*
 * Memory that the heap did not give out: local buffers, and windows that peers
 * address as they do the heap: by load and store in shared mappings, in the heap, and
 * anywhere if all PEs are in one process, otherwise over the network.
 */
#include "pes.h"

#include <sys/mman.h>

#define LEN 12288

static void check_object(const void *at, uint64_t kind, const void *addr, size_t size)
{
	mori_shmem_memobj_t obj = { 0, 0, 0 };

	CHECK_OK(mori_shmem_query_memobj(at, &obj));
	CHECK_EQ("kind", obj.kind, kind);
	CHECK_EQ("addr", obj.addr, (uintptr_t)addr);
	CHECK_EQ("size", obj.size, size);
}

static void check_no_object(const void *at)
{
	mori_shmem_memobj_t obj = { 7, 7, 7 };

	CHECK_EQ("query", mori_shmem_query_memobj(at, &obj), MORI_SHMEM_ENOENT);
	CHECK_EQ("left alone", obj.addr + obj.size + obj.kind, 21);
}

static void buffers(void)
{
	unsigned char *b = pes_private(LEN), *heap = pes_malloc(1024), got[64];

#define REFUSED(want, call) CHECK_EQ(#call, mori_shmem_##call, MORI_SHMEM_##want)
	REFUSED(EINVAL, buffer_register(NULL, 10));
	REFUSED(EINVAL, buffer_register(b, 0));
	REFUSED(EINVAL, buffer_register(b, SIZE_MAX));
	CHECK_OK(mori_shmem_buffer_register(b + 100, 1000));
	REFUSED(EINVAL, buffer_register(b + 100, 1000));
	REFUSED(EINVAL, buffer_register(b, 101));
	REFUSED(EINVAL, buffer_register(b + 1099, 1));
	REFUSED(EINVAL, buffer_register(b, LEN));
	REFUSED(EINVAL, buffer_register(b + 500, 10));
	CHECK_OK(mori_shmem_buffer_register(b, 100)); /* neighbours do not overlap */
	CHECK_OK(mori_shmem_buffer_register(b + 1100, 100));
	check_object(b + 100, MORI_SHMEM_MEMOBJ_BUFFER, b + 100, 1000);
	check_object(b + 1099, MORI_SHMEM_MEMOBJ_BUFFER, b + 100, 1000);
	check_object(b + 99, MORI_SHMEM_MEMOBJ_BUFFER, b, 100);
	check_object(heap + 1023, MORI_SHMEM_MEMOBJ_HEAP, heap, 1024);
	check_no_object(b + 1200);
	check_no_object(NULL);
	REFUSED(EINVAL, query_memobj(b, NULL));
	fill(b + 100, me, 64);
	CHECK_OK(mori_shmem_putmem_thread(heap, b + 100, 64, me, 0));
	CHECK_OK(mori_shmem_getmem_thread(got, heap, 64, me, 0));
	CHECK_EQ("by way of a buffer", differs(got, me, 64), 64);
	REFUSED(EINVAL, putmem_thread(b + 100, heap, 64, me, 0)); /* no peer knows it */
	REFUSED(ENOENT, buffer_deregister(b + 100, 999));
	REFUSED(ENOENT, buffer_deregister(b + 101, 999));
	CHECK_OK(mori_shmem_buffer_deregister(b + 100, 1000));
	REFUSED(ENOENT, buffer_deregister(b + 100, 1000));
	check_no_object(b + 100);
	CHECK_OK(mori_shmem_buffer_deregister(b, 100));
	CHECK_OK(mori_shmem_buffer_deregister(b + 1100, 100));
	BARRIER();
	MUST(mori_shmem_free(heap));
	check_no_object(heap);
	free(b);
}

/* Put, get, value, atomic and signal on every PE's part of a window of LEN bytes. */
static void use_window(unsigned char *w)
{
	uint64_t *sig = (uint64_t *)(w + 64 * (size_t)n_pes + 64), *sum = sig + 1;
	unsigned char data[64], got[64];

	memset(w, POISON, LEN);
	*sig = *sum = 0;
	BARRIER();
	for (int pe = 0; pe < n_pes; pe++) {
		fill(data, me * 100 + pe, 64);
		CHECK_OK(mori_shmem_putmem_thread(w + 64 * me, data, 64, pe, 0));
		CHECK_OK(mori_shmem_quiet_thread());
		CHECK_OK(mori_shmem_getmem_thread(got, w + 64 * me, 64, pe, 0));
		CHECK_MEM("get", got, data, 64);
		CHECK_EQ("g", mori_shmem_uint8_g(w + 64 * me, pe, 0), data[0]);
		CHECK_OK(mori_shmem_uint64_atomic_add_thread(sum, (uint64_t)me + 1, pe, 0));
		CHECK_OK(mori_shmem_signal_op_thread(sig, 1, MORI_SHMEM_SIGNAL_ADD, pe, 0));
	}
	AWAIT(sig, (uint64_t)n_pes);
	for (int pe = 0; pe < n_pes; pe++)
		CHECK_EQ("put", differs(w + 64 * pe, pe * 100 + me, 64), 64);
	CHECK_EQ("sum", *sum, n_pes * (n_pes + 1) / 2);
	CHECK_EQ("rest", not_poison((unsigned char *)(sum + 1), 1024), 1024);
	BARRIER();
}

#define NOBODY	 (-1)
#define EVERYONE (-2)

/*
 * Whether load and store lead from PE to PE, this one and @pe, into @owner's part, one of the two.
 * The parts of @bare are memory of their process alone.
 */
static int mapped(int pe, int owner, int bare)
{
	int here = pes_here(), alone = bare == EVERYONE || bare == owner;

	return pes_p2p(pe) && (!alone || pe / here == me / here);
}

/* What is in the window and what is not, and a pointer into a peer's part. */
static void window_edges(unsigned char *w, int bare)
{
	int next = (me + 1) % n_pes, prev = (me + n_pes - 1) % n_pes;
	uint64_t there = mori_shmem_ptr((uintptr_t)(w + 100), next);
	unsigned char data[16] = { 1 };

	check_object(w, MORI_SHMEM_MEMOBJ_WINDOW, w, LEN);
	check_object(w + LEN - 1, MORI_SHMEM_MEMOBJ_WINDOW, w, LEN);
	CHECK_EQ("own", mori_shmem_ptr((uintptr_t)w, me), (uintptr_t)w);
	CHECK_EQ("mapped", there != 0, mapped(next, next, bare));
	if (there)
		*(unsigned char *)(uintptr_t)there = (unsigned char)(0x40 + me);
	BARRIER();
	if (mapped(prev, me, bare))
		CHECK_EQ("stored by the peer", w[100], 0x40 + prev);
	if (there)
		CHECK_EQ("back", mori_shmem_ptr_p2p(there, next, me), (uintptr_t)(w + 100));
	REFUSED(EINVAL, putmem_thread(w + LEN - 15, data, 16, next, 0));
	REFUSED(EINVAL, putmem_thread(w + LEN, data, 1, next, 0));
	REFUSED(EINVAL, getmem_thread(data, w - 1, 2, next, 0));
	CHECK_OK(mori_shmem_putmem_thread(w + LEN - 16, data, 16, next, 0));
	BARRIER();
}

static void window(unsigned char *w, int in_heap, int bare)
{
	if (!CHECK_OK(mori_shmem_symmetric_register(w, LEN)))
		return;
	use_window(w);
	if (!in_heap)
		window_edges(w, bare);
	REFUSED(ENOENT, symmetric_deregister(w, LEN - 1));
	CHECK_OK(mori_shmem_symmetric_deregister(w, LEN));
	REFUSED(ENOENT, symmetric_deregister(w, LEN));
	if (!in_heap) {
		REFUSED(EINVAL, putmem_thread(w, "x", 1, me, 0));
		CHECK_EQ("gone", mori_shmem_ptr((uintptr_t)w, me), 0);
		check_no_object(w);
	}
}

/* A shared mapping of a file without a name, at another place in each PE. */
static unsigned char *map_shared(int *fd)
{
	size_t skip = 4096 * (size_t)(me + 1);
	void *p;

	*fd = memfd_create("window", MFD_CLOEXEC);
	if (*fd < 0 || ftruncate(*fd, (off_t)(skip + LEN + 4096))) {
		perror("memfd");
		exit(1);
	}
	p = mmap(NULL, skip + LEN + 4096, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (p == MAP_FAILED)
		exit(1);
	return (unsigned char *)p + skip;
}

static void unmap_shared(unsigned char *w, int fd)
{
	size_t skip = 4096 * (size_t)(me + 1);

	munmap(w - skip, skip + LEN + 4096);
	close(fd);
}

static void shared_mappings(void)
{
	unsigned char *w, *w2;
	int fd, fd2;

	w = map_shared(&fd);
	w2 = map_shared(&fd2);
	for (int i = 0; i < 5; i++)
		window(w, 0, NOBODY);
	CHECK_OK(mori_shmem_symmetric_register(w, LEN));
	window(w2, 0, NOBODY); /* two at once, the first stays */
	use_window(w);
	CHECK_OK(mori_shmem_symmetric_deregister(w, LEN));
	unmap_shared(w2, fd2);
	unmap_shared(w, fd);
}

static void private_memory(void)
{
	unsigned char *w = pes_private(LEN);

	for (int i = 0; i < 3; i++)
		window(w, 0, EVERYONE);
	free(w);
}

/* One PE passes something else: no PE has a window afterwards. */
static void disagreement(void)
{
	int fd, last = me == n_pes - 1;
	unsigned char *w = map_shared(&fd), *own = pes_private(LEN);

	if (n_pes > 1) {
		REFUSED(EMISMATCH, symmetric_register(w, last ? 4096 : LEN));
		CHECK_EQ("no window", mori_shmem_ptr((uintptr_t)w, me), 0);
	}
	window(last ? own : w, 0, n_pes - 1); /* mapped by some, served by one */
	REFUSED(EINVAL, symmetric_register(w, 0));
	REFUSED(EINVAL, symmetric_register(NULL, LEN));
#undef REFUSED
	unmap_shared(w, fd);
	free(own);
}

static int test_pe(void)
{
	unsigned char *heap = pes_malloc(LEN + 512);

	buffers();
	test_at("shared mappings");
	shared_mappings();
	test_at("private memory");
	private_memory();
	test_at("in the heap");
	window(heap + 256, 1, NOBODY);
	test_at("disagreement");
	disagreement();
	MUST(mori_shmem_free(heap));
	return 0;
}
