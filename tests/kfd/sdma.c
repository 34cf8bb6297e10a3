// SPDX-License-Identifier: MIT
/* A queue of the copy engine of gfx9, of version 4.4: packets of words, one after the other. */
#include "kfd.h"

#include <string.h>

enum {
	SDMA_NOP = 0,
	SDMA_COPY = 1,
	SDMA_WRITE = 2,
	SDMA_FENCE = 5,
	SDMA_TRAP = 6,
	SDMA_POLL = 8,
	SDMA_ATOMIC = 10,
	SDMA_FILL = 11,
	SDMA_TIMESTAMP = 13,
	SDMA_GCR = 17,
};
enum { ATOMIC_ADD32 = 15, ATOMIC_ADD64 = 47 };
#define COUNT_MASK 0x3fffffffu

/* A packet in the ring. */
struct sdma_packet {
	struct kfd_queue *queue;
	uint64_t at;
};

static uint32_t sdma_word(const struct sdma_packet *p, unsigned k)
{
	uint32_t x;

	memcpy(&x, p->queue->ring + ((p->at + 4 * (uint64_t)k) & (p->queue->size - 1)), 4);
	return x;
}

static uint64_t sdma_word2(const struct sdma_packet *p, unsigned k)
{
	return sdma_word(p, k) | (uint64_t)sdma_word(p, k + 1) << 32;
}

static void *sdma_find(const struct sdma_packet *p, uint64_t addr, size_t len)
{
	void *at = kfd_find(&p->queue->view, addr, len);

	if (!at)
		kfd_queue_fault(p->queue);
	return at;
}

static void sdma_copy(const struct sdma_packet *p)
{
	uint64_t len = (sdma_word(p, 1) & COUNT_MASK) + 1ull, from = sdma_word2(p, 3);
	uint64_t to = sdma_word2(p, 5);

	for (uint64_t n; len; from += n, to += n, len -= n) {
		const void *src;
		void *dst;

		n = len;
		src = kfd_find_some(&p->queue->view, from, &n);
		dst = src ? kfd_find_some(&p->queue->view, to, &n) : NULL;
		if (!dst) {
			kfd_queue_fault(p->queue);
			return;
		}
		memmove(dst, src, n);
	}
}

static void sdma_fill(const struct sdma_packet *p)
{
	bool words = sdma_word(p, 0) >> 30 == 2;
	uint64_t to = sdma_word2(p, 1), len = (sdma_word(p, 4) & COUNT_MASK) + 1ull;
	uint32_t x = sdma_word(p, 3);

	for (uint64_t n; len; to += n, len -= n) {
		char *dst;

		n = len;
		dst = kfd_find_some(&p->queue->view, to, &n);
		if (!dst) {
			kfd_queue_fault(p->queue);
			return;
		}
		if (words)
			for (uint64_t k = 0; k + 4 <= n; k += 4)
				memcpy(dst + k, &x, 4);
		else
			memset(dst, (int)(x & 0xff), n);
	}
}

static void sdma_write(const struct sdma_packet *p, uint32_t words)
{
	char *dst = sdma_find(p, sdma_word2(p, 1), 4 * (size_t)words);

	for (uint32_t k = 0; dst && k < words; k++) {
		uint32_t x = sdma_word(p, 4 + k);

		memcpy(dst + 4 * (size_t)k, &x, 4);
	}
}

static bool sdma_compare(unsigned how, uint32_t x, uint32_t with)
{
	switch (how) {
	case 1:
		return x < with;
	case 2:
		return x <= with;
	case 3:
		return x == with;
	case 4:
		return x != with;
	case 5:
		return x >= with;
	case 6:
		return x > with;
	default:
		return true;
	}
}

/* Without the uppermost bit it flushes the bus and names no address. */
static void sdma_poll(const struct sdma_packet *p)
{
	uint32_t h = sdma_word(p, 0), *at, mask = sdma_word(p, 4);
	unsigned n = 0;

	if (!(h >> 31))
		return;
	at = sdma_find(p, sdma_word2(p, 1), 4);
	while (at && !__atomic_load_n(&p->queue->stop, __ATOMIC_ACQUIRE) &&
	       !sdma_compare(h >> 28 & 7, __atomic_load_n(at, __ATOMIC_ACQUIRE) & mask,
			     sdma_word(p, 3)))
		kfd_pause(&n);
}

static void sdma_atomic(const struct sdma_packet *p)
{
	unsigned op = sdma_word(p, 0) >> 25;
	void *at = sdma_find(p, sdma_word2(p, 1), op == ATOMIC_ADD64 ? 8 : 4);

	if (!at)
		return;
	if (op == ATOMIC_ADD64)
		__atomic_fetch_add((uint64_t *)at, sdma_word2(p, 3), __ATOMIC_SEQ_CST);
	else if (op == ATOMIC_ADD32)
		__atomic_fetch_add((uint32_t *)at, sdma_word(p, 3), __ATOMIC_SEQ_CST);
	else
		kfd_die("GPU %u: SDMA atomic %u", p->queue->gpu, op);
}

static void sdma_store(const struct sdma_packet *p, uint64_t x, size_t len)
{
	void *at = sdma_find(p, sdma_word2(p, 1), len);

	if (at && len == 8)
		__atomic_store_n((uint64_t *)at, x, __ATOMIC_RELEASE);
	else if (at)
		__atomic_store_n((uint32_t *)at, (uint32_t)x, __ATOMIC_RELEASE);
}

/* How many words it had. */
static uint32_t sdma_run(const struct sdma_packet *p)
{
	uint32_t h = sdma_word(p, 0), op = h & 0xff, sub = h >> 8 & 0xff;

	switch (op) {
	case SDMA_NOP:
		return 1 + (h >> 16 & 0x3fff);
	case SDMA_COPY:
		if (sub)
			break;
		sdma_copy(p);
		return 7;
	case SDMA_WRITE:
		if (sub)
			break;
		sdma_write(p, (sdma_word(p, 3) & 0xfffff) + 1);
		return 5 + (sdma_word(p, 3) & 0xfffff);
	case SDMA_FENCE:
		sdma_store(p, sdma_word(p, 3), 4);
		return 4;
	case SDMA_TRAP:
		kfd_event_set(sdma_word(p, 1) & 0x0fffffff, true);
		return 2;
	case SDMA_POLL:
		if (sub)
			break;
		sdma_poll(p);
		return 6;
	case SDMA_ATOMIC:
		sdma_atomic(p);
		return 8;
	case SDMA_FILL:
		sdma_fill(p);
		return 5;
	case SDMA_TIMESTAMP:
		sdma_store(p, kfd_clock(), 8);
		return 3;
	case SDMA_GCR:
		return 5;
	default:
		break;
	}
	kfd_die("GPU %u: SDMA packet %u/%u", p->queue->gpu, op, sub);
}

bool kfd_sdma_serve(struct kfd_queue *q, uint64_t end)
{
	struct sdma_packet p = { q, __atomic_load_n(q->read_at, __ATOMIC_RELAXED) };

	while (p.at < end && !__atomic_load_n(&q->stop, __ATOMIC_ACQUIRE)) {
		p.at += 4 * (uint64_t)sdma_run(&p);
		if (q->hung)
			break;
		__atomic_store_n(q->read_at, p.at, __ATOMIC_RELEASE);
	}
	return true;
}
