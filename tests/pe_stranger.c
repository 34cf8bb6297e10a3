// SPDX-License-Identifier: MIT
/*
 * A stranger who finds a PE's port and uses the network's protocol without the job's secret: a
 * greeting with every field right but the proof, and requests behind it. Nothing is answered,
 * nothing is written, and the job continues.
 */
/* TEST: net=none env=MORI_DISABLE_P2P=1 */
#include "pes.h"
#include "ports.h"

#define WORDS 512

/* As src/net has them. */
struct greeting {
	uint64_t magic;
	uint32_t version;
	int32_t from, to;
	uint32_t answer;
	uint64_t nonce;
	unsigned char proof[16];
};

struct request {
	uint8_t type, op, width, flags;
	int32_t src, pe;
	uint32_t region, region2;
	int32_t status;
	uint64_t off, off2, value, compare, len, id, token, seq;
};

enum { REQUEST_PUT = 1, REQUEST_GET = 2 };

/* Greets as process @from to process @to, then puts to and gets from the heap of @pe. */
static void intrude(const struct ports *p, int door, int from, int to, int pe)
{
	struct timeval limit = { .tv_sec = 8 };
	struct {
		struct greeting hello;
		struct request put;
		uint64_t data[WORDS];
		struct request get;
	} say = {
		.hello = { UINT64_C(0x6d6f72692d6e6574), 2, from, to, 0, 4711, { 0 } },
		.put = { .type = REQUEST_PUT, .src = from, .pe = pe, .len = sizeof(say.data) },
		.get = { .type = REQUEST_GET,
			 .src = from,
			 .pe = pe,
			 .len = sizeof(say.data),
			 .id = 1 },
	};
	int fd = ports_connect(p, door);
	char back[4096];

	if (!CHECK(fd >= 0))
		return;
	memset(say.data, POISON, sizeof(say.data));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	(void)!send(fd, &say, sizeof(say), MSG_NOSIGNAL);
	CHECK(recv(fd, back, sizeof(back), 0) <= 0);
	close(fd);
}

static int test_pe(void)
{
	uint64_t *heap = mori_shmem_calloc(WORDS, sizeof(*heap)); /* at the heap's start */
	struct ports p = { .n = 0 };
	int here = pes_here(), proc = me / here, knocked = 0;

	MUST(heap ? 0 : MORI_SHMEM_ENOMEM);
	for (int i = 0; i < WORDS; i++)
		heap[i] = (uint64_t)me * 1000 + (uint64_t)i + 1;
	BARRIER();
	ports_of((int)getpid(), &p);
	for (int door = 0; door < p.n; door++) {
		if (p.at[door].family == AF_UNIX)
			continue;
		knocked++;
		for (int from = 0; from < n_pes / here; from++)
			intrude(&p, door, from, proc, me);
	}
	CHECK(knocked > 0);
	for (int i = 0; i < WORDS; i++)
		CHECK_EQ("word", heap[i], (uint64_t)me * 1000 + (uint64_t)i + 1);
	BARRIER();
	for (int pe = 0; pe < n_pes; pe++)
		CHECK_EQ("the job goes on", mori_shmem_uint64_g(&heap[7], pe, 0), pe * 1000 + 8);
	BARRIER();
	MUST(mori_shmem_free(heap));
	return 0;
}
