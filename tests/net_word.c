// SPDX-License-Identifier: MIT
/* TEST: wrapper=none timeout=60 */
/*
 * A word arrives whole, however the stream was cut: a put or a response of 1, 2, 4 or 8 aligned
 * bytes is one store into host memory, and one copy into device memory. A word for a response is
 * read once, whole, and never again.
 */
#include <sys/socket.h>

#include "net/sock.h"
#include "test.h"

#define OLD UINT64_C(0x1111111111111111)
#define NEW UINT64_C(0x8796a5b4c3d2e1f0)

static uint64_t heap[4] __attribute__((aligned(64)));
static struct {
	int n;	    /* copies of the device */
	size_t len; /* of the last */
} copies;
static struct {
	int n;
	size_t len;
	uint64_t word;
	bool again; /* the link could read the memory again */
} sent;

static int copy(void *arg, void *dst, const void *src, size_t len)
{
	(void)arg;
	copies.n++;
	copies.len = len;
	memcpy(dst, src, len);
	return 0;
}

static int send_one(struct net *e, struct net_conn *c, const struct net_msg *m,
		    const struct net_buf *p)
{
	const uint8_t *data = p->data;

	(void)e, (void)c, (void)m;
	sent.n++;
	sent.len = p->len;
	sent.again = p->stable || p->device || p->batch ||
		     (data >= (const uint8_t *)heap && data < (const uint8_t *)(heap + 4));
	if (p->len <= sizeof(sent.word) && p->len)
		memcpy(&sent.word, data, p->len);
	return 0;
}

static const struct net_link net_link_stub = { .name = "stub",
					       .data_max = SIZE_MAX,
					       .send = send_one };

/* An engine with one region, and a socket of which the test holds the other end. */
struct stand {
	struct net e;
	struct net_region region;
	struct net_conn serving, asking;
	struct net_conn *to[1], *from[1];
	struct sock s;
	int peer;
};

static struct stand *stand_new(bool device)
{
	struct stand *t = calloc(1, sizeof(*t));
	int fds[2];

	if (!t || socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		exit(1);
	t->region = (struct net_region){ .pe = 0,
					 .id = 7,
					 .kind = device ? NET_DEV : NET_HOST,
					 .base = (uint8_t *)heap,
					 .len = sizeof(heap) };
	t->e.link = &net_link_stub;
	t->e.config.copy = copy;
	t->e.regions = &t->region;
	for (size_t i = 0; i < TEST_LEN(t->e.hashed); i++) /* whatever its hash is */
		t->e.hashed[i] = &t->region;
	t->e.to = t->to;
	t->e.from = t->from;
	t->from[0] = &t->serving;
	t->to[0] = &t->asking;
	t->serving = (struct net_conn){ .link = &t->s, .serves = true, .state = CONN_UP };
	t->asking = (struct net_conn){ .link = &t->s, .state = CONN_UP };
	t->s.fd = fds[0];
	t->s.state = SOCK_OPEN;
	t->s.c = &t->serving;
	t->s.back = &t->asking;
	t->s.out_end = &t->s.out;
	t->peer = fds[1];
	memset(&copies, 0, sizeof(copies));
	memset(&sent, 0, sizeof(sent));
	for (size_t i = 0; i < TEST_LEN(heap); i++)
		heap[i] = OLD;
	return t;
}

static void stand_free(struct stand *t)
{
	close(t->s.fd);
	close(t->peer);
	free(t);
}

/*
 * @m followed by @len bytes of NEW, cut after @cut of these; until the rest arrives nothing may be
 * visible.
 */
static void arrive(struct stand *t, const struct net_msg *m, size_t len, size_t cut,
		   const uint64_t *place)
{
	uint64_t value = NEW;
	uint8_t bytes[sizeof(*m) + sizeof(value)];
	size_t first = sizeof(*m) + cut, all = sizeof(*m) + len;

	memcpy(bytes, m, sizeof(*m));
	memcpy(bytes + sizeof(*m), &value, sizeof(value));
	CHECK_EQ("first part", write(t->peer, bytes, first), first);
	sock_read(&t->e, &t->s);
	CHECK_EQ("before all of it is here", *place, OLD);
	CHECK_EQ("copies before", copies.n, 0);
	if (first < all) {
		CHECK_EQ("second part", write(t->peer, bytes + first, all - first), all - first);
		sock_read(&t->e, &t->s);
	}
}

static void check_came(size_t len, const uint64_t *place, bool device)
{
	uint64_t want = OLD, value = NEW;

	memcpy(&want, &value, len);
	CHECK_EQ("word", *place, want);
	CHECK_EQ("copies of the device", copies.n, device);
	if (device)
		CHECK_EQ("in one piece", copies.len, len);
}

static void try_put(size_t len, size_t cut, bool device)
{
	struct stand *t = stand_new(device);
	struct net_msg m = { .type = MSG_PUT, .pe = 0, .region = 7, .off = 8, .len = len };

	arrive(t, &m, len, cut, &heap[1]);
	check_came(len, &heap[1], device);
	CHECK_EQ("beside it", heap[0], OLD);
	CHECK_EQ("beside it", heap[2], OLD);
	CHECK_EQ("served", t->serving.served, 1);
	stand_free(t);
}

static void try_answer(size_t len, size_t cut, bool device)
{
	struct stand *t = stand_new(device);
	struct net_batch batch = { .left = 1 };
	uint64_t place = OLD;
	struct net_pending pending = {
		.id = 5, .batch = &batch, .dst = &place, .len = len, .device = device
	};
	struct net_msg m = { .type = MSG_RESPONSE, .id = 5, .len = len };

	t->asking.pending = &pending;
	t->asking.n_pending = 1;
	arrive(t, &m, len, cut, &place);
	check_came(len, &place, device);
	CHECK_EQ("answered", batch.left, 0);
	stand_free(t);
}

/* What goes into an answer is a copy that was made at once. */
static void try_get(size_t len, bool device)
{
	struct stand *t = stand_new(device);
	struct net_msg m = { .type = MSG_GET, .pe = 0, .region = 7, .off = 16, .len = len };
	uint64_t want = 0;

	heap[2] = NEW;
	memcpy(&want, &heap[2], len);
	net_serve_msg(&t->e, &t->serving, &m, 0);
	CHECK_EQ("answers", sent.n, 1);
	CHECK_EQ("length", sent.len, len);
	CHECK_EQ("value", sent.word, want);
	CHECK(!sent.again);
	CHECK_EQ("copies of the device", copies.n, device);
	stand_free(t);
}

/* More than a word still goes straight to its place, and from there. */
static void try_long(void)
{
	struct stand *t = stand_new(false);
	struct net_msg m = { .type = MSG_PUT, .pe = 0, .region = 7, .off = 8, .len = 16 };
	uint64_t value[2] = { NEW, NEW + 1 };

	CHECK_EQ("head", write(t->peer, &m, sizeof(m)), sizeof(m));
	CHECK_EQ("part", write(t->peer, value, 12), 12);
	sock_read(&t->e, &t->s);
	CHECK_EQ("first word", heap[1], NEW);
	CHECK_EQ("rest", write(t->peer, (uint8_t *)value + 12, 4), 4);
	sock_read(&t->e, &t->s);
	CHECK_EQ("second word", heap[2], NEW + 1);
	CHECK_EQ("served", t->serving.served, 1);
	m = (struct net_msg){ .type = MSG_GET, .pe = 0, .region = 7, .off = 8, .len = 16 };
	net_serve_msg(&t->e, &t->serving, &m, 0);
	CHECK(sent.again);
	stand_free(t);
}

int main(void)
{
	test_deadline(50);
	for (int device = 0; device < 2; device++) {
		for (size_t len = 1; len <= 8; len *= 2) {
			for (size_t cut = 0; cut < len; cut++) {
				try_put(len, cut, device);
				try_answer(len, cut, device);
			}
			try_get(len, device);
		}
	}
	try_long();
	return test_result();
}
