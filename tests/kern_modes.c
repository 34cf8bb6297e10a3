// SPDX-License-Identifier: MIT
/*
 * Put, get, put with signal and atomics from kernels, in every scope, on every kind of symmetric
 * memory: heap blocks, including grown and freed ones, and registered windows. A range that crosses
 * an edge by one byte is refused, and nothing is written. kern_modes_vmm.c and
 * kern_modes_isolation.c run it in the other modes of the heap.
 */
#ifndef KERN_MODE
/* TEST: pes=3 modes=procs,threads env=MORI_SHMEM_HEAP_SIZE=64M env=MORI_SHMEM_MODE=static net=procs,threads,nodes */
#define KERN_MODE "static"
#endif
#define COVER_LIST(S, V, S0, V0)                                                                   \
	COVER_SCOPE(S, V, thread) COVER_SCOPE(S, V, warp) COVER_SCOPE(S, V, block)
#define COVER_SCOPE(S, V, scope)                                                                   \
	S(putmem_##scope)                                                                          \
	S(getmem_##scope) S(putmem_signal_##scope) V(, , uint64_atomic_fetch_add_##scope)
#include "kern_slots.h"

#include <sys/mman.h>

#define SLOTS	60
#define MODE(m) (!strcmp(KERN_MODE, m))

enum kind { PUT, GET, PUT_SIGNAL, ADD, KINDS };
#define OPS(scope)                                                                                 \
	{ CALL_putmem_##scope, CALL_getmem_##scope, CALL_putmem_signal_##scope,                    \
	  CALL_uint64_atomic_fetch_add_##scope }
static const uint32_t ops[][KINDS] = { OPS(thread), OPS(warp), OPS(block) };
static const char *const kernels[] = { "put", "get", "put_signal", "atomic" };
static const char *const names[] = { "putmem", "getmem", "putmem_signal",
				     "uint64_atomic_fetch_add" };

/* Symmetric memory: an area a sender, then a signal and a sum a sender and call. */
struct memory {
	struct call_module modules[KINDS];
	const struct slots *slots;
	unsigned char *base;
	unsigned char *own; /* of this PE alone: an area */
	size_t size;
};

static size_t memory_size(const struct slots *slots)
{
	return (size_t)n_pes * (slots->size + SLOTS * 16);
}

static uint64_t *word_of(struct memory *m, int from, size_t k, int sum)
{
	return (uint64_t *)(m->base + (size_t)n_pes * m->slots->size) +
	       2 * ((size_t)from * SLOTS + k) + sum;
}

static void set_calls(struct memory *m, struct batch *b, enum kind kind)
{
	for (size_t k = 0; k < SLOTS; k++) {
		struct call *c = batch_call(b, k, ops[b->g->scope][kind]);
		unsigned char *there = m->base + (size_t)me * m->slots->size;

		c->arg[0] = address(kind == GET ? slot_to(m->slots, m->own, k) :
				    kind == ADD ? (unsigned char *)word_of(m, me, k, 1) :
						  slot_to(m->slots, there, k));
		c->arg[1] = address(kind == GET ? slot_from(m->slots, m->base, k) :
						  slot_from(m->slots, m->own, k));
		c->arg[2] = m->slots->slot[k].len;
		c->arg[3] = (uint64_t)target_of(me, k);
		c->arg[5] = address(word_of(m, me, k, 0));
		c->arg[6] = (uint64_t)me + 50;
		c->arg[7] = MORI_SHMEM_SIGNAL_ADD;
		if (kind == ADD)
			c->arg[1] = (uint64_t)me + 70;
	}
}

/* Signals and sums start at 1000 + k; that of @but did not arrive. */
static void check_words(struct memory *m, enum kind kind, size_t but)
{
	size_t wrong = 0;

	for (int from = 0; from < n_pes; from++) {
		for (size_t k = 0; k < SLOTS; k++) {
			int came = target_of(from, k) == me && k != but;
			uint64_t sig = came && kind == PUT_SIGNAL ? (uint64_t)from + 50 : 0;
			uint64_t sum = came && kind == ADD ? (uint64_t)from + 70 : 0;

			wrong += *word_of(m, from, k, 0) != 1000 + k + sig;
			wrong += *word_of(m, from, k, 1) != 1000 + k + sum;
		}
	}
	CHECK_EQ(names[kind], wrong, 0);
}

static void start(struct memory *m, enum kind kind)
{
	poison(m->base, m->size);
	if (kind == GET) {
		poison(m->own, m->slots->size);
		for (size_t k = 0; k < SLOTS; k++)
			fill(slot_from(m->slots, m->base, k), slot_seed(me, 0, k),
			     m->slots->slot[k].len);
	} else {
		slots_fill(m->slots, m->own);
	}
	for (size_t i = 0; i < (size_t)n_pes * SLOTS * 2; i++)
		*(word_of(m, 0, 0, 0) + i) = 1000 + i / 2 % SLOTS;
	BARRIER();
}

static void check(struct memory *m, const struct batch *b, enum kind kind, size_t but)
{
	size_t wrong = 0;

	for (size_t k = 0; k < SLOTS; k++) {
		uint64_t got = batch_result(b, names[kind], k), want = kind == ADD ? 1000 + k : 0;

		wrong += k != but && got != want;
		if (kind == GET)
			wrong += !slot_good(m->slots, m->own, k,
					    k == but ? -1 : slot_seed(target_of(me, k), 0, k));
	}
	CHECK_EQ(names[kind], wrong, 0);
	BARRIER();
	if (kind == PUT || kind == PUT_SIGNAL)
		slots_check(m->slots, names[kind], m->base, but);
	check_words(m, kind, but);
}

static void run_on(struct memory *m, const struct grid *g, enum kind kind)
{
	struct batch b;
	char name[64];

	snprintf(name, sizeof(name), "%s_%s", names[kind], scope_name(g->scope));
	cover(name);
	batch_open(&b, g, SLOTS);
	set_calls(m, &b, kind);
	start(m, kind);
	batch_run(&b, &m->modules[kind], kernels[kind]);
	check(m, &b, kind, SIZE_MAX);
	batch_close(&b);
}

/* One call of each kind on @addr, with @len bytes if it takes some: EINVAL on every lane. */
static void refuse(struct memory *m, unsigned char *addr, size_t len)
{
	for (int i = 0; i < 3 * KINDS; i++) {
		const struct grid *g = grid_first((enum dev_scope)(i / KINDS));
		enum kind kind = (enum kind)(i % KINDS);
		size_t bad = wrong_actor(g);
		struct batch b;

		if (kind == ADD && (address(addr) % 8 || len != 8))
			continue;
		batch_open(&b, g, SLOTS);
		set_calls(m, &b, kind);
		b.calls[bad].arg[kind == GET] = address(addr);
		if (kind != ADD)
			b.calls[bad].arg[2] = len;
		start(m, kind);
		batch_run(&b, &m->modules[kind], kernels[kind]);
		CHECK_EQ(names[kind], batch_result(&b, names[kind], bad),
			 kind == ADD ? 0 : MORI_SHMEM_EINVAL);
		CHECK_EQ(names[kind], mori_shmem_check(NULL), MORI_SHMEM_EINVAL);
		check(m, &b, kind, bad);
		batch_close(&b);
	}
}

static void use(struct memory *m)
{
	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		for (size_t i = 0; i < TEST_LEN(grids); i++) {
			for (int kind = 0; kind < KINDS; kind++)
				run_on(m, &grids[i], (enum kind)kind);
		}
	}
	use_ctx = 0;
}

/* Blocks one after another; freed memory is refused if the mode can detect it. */
static void blocks(struct memory *m)
{
	unsigned char *first = pes_malloc(m->size), *big;

	m->base = first;
	use(m);
	big = pes_malloc(20 << 20); /* more chunks than there were */
	m->base = big + (20 << 20) - m->size;
	use(m);
	m->base = first;
	if (MODE("isolation")) {
		refuse(m, first, 20 << 20);	   /* over the end of its block */
		refuse(m, big - 8, 16);		   /* from one into another */
		refuse(m, first + m->size - 7, 8); /* a byte too far, within its pages */
		refuse(m, first + m->size, 8);
	}
	BARRIER();
	MUST(mori_shmem_free(big));
	if (!MODE("static"))
		refuse(m, big + (8 << 20), 8);
	BARRIER();
	MUST(mori_shmem_free(first));
}

/* All of a small heap as one block: a byte after it belongs to no block. */
static void edges(struct memory *m)
{
	mori_shmem_heap_info_t info = { .struct_size = sizeof(info) };
	unsigned char *all, *end;

	MUST(mori_shmem_heap_info(&info));
	all = pes_malloc(info.largest_free);
	end = all + info.largest_free;
	m->base = end - m->size;
	start(m, PUT);
	refuse(m, end, 8);
	refuse(m, end - 7, 8);
	refuse(m, end - 8, 9);
	refuse(m, end, SIZE_MAX);
	refuse(m, all, info.largest_free + 1);
	BARRIER();
	MUST(mori_shmem_free(all));
}

/* Memory of each PE's own, at another place in each, that peers may use for a while. */
static void window(struct memory *m)
{
	size_t skip = 4096 * (size_t)(me + 1), len = skip + m->size + 4096;
	int fd = memfd_create("window", MFD_CLOEXEC);
	unsigned char *map = MAP_FAILED, *heap = pes_malloc(m->size);

	if (fd >= 0 && !ftruncate(fd, (off_t)len))
		map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	MUST(map == MAP_FAILED ? MORI_SHMEM_ENOMEM : 0);
	m->base = map + skip;
	MUST(mori_shmem_symmetric_register(m->base, m->size));
	use(m);
	refuse(m, m->base + m->size, 8);
	refuse(m, m->base + m->size - 7, 8);
	refuse(m, m->base - 8, 8);
	BARRIER();
	MUST(mori_shmem_symmetric_deregister(m->base, m->size));
	m->base = heap;
	refuse(m, map + skip, 8);
	BARRIER();
	munmap(map, len);
	close(fd);
	MUST(mori_shmem_free(heap));
}

static int test_pe(void)
{
	struct slots slots;
	struct memory m = { .slots = &slots };

	m.modules[PUT] = m.modules[GET] = call_kern_load("copy");
	if (!m.modules[PUT].own)
		SKIP(KERN_NONE);
	m.modules[PUT_SIGNAL] = call_kern_load("signal");
	m.modules[ADD] = call_kern_load("atomic");
	slots_open(&slots, SLOTS, 1);
	for (size_t k = 0; k < SLOTS; k++)
		slots.slot[k].len = slots.slot[k].len ? slots.slot[k].len : 16;
	m.size = memory_size(&slots);
	m.own = pes_private(slots.size);
	blocks(&m);
	edges(&m);
	if (!strcmp(mori_shmem_device_name(), "cpu")) /* a GPU's windows are its own memory */
		window(&m);
	cover_all();
	free(m.own);
	slots_close(&slots);
	call_unload(&m.modules[PUT]);
	call_unload(&m.modules[PUT_SIGNAL]);
	call_unload(&m.modules[ADD]);
	return 0;
}
