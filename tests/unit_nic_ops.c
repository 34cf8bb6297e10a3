// SPDX-License-Identifier: MIT
/*
 * Operations over queues of every format, against memory: copies in parts, small
 * values, every read-modify-write of both sizes with and without a result, by the NIC
 * or emulated, and data with a signal. A second thread is the NIC.
 */
#include "unit_nic.h"

#include <pthread.h>
#include <sched.h>

struct nic {
	struct rig r;
	pthread_t thread;
	int stop, jobs, error;
	struct nic_op last[4]; /* the entries before the newest */
};

static void *nic_main(void *arg)
{
	struct nic *n = arg;
	struct nic_job job;
	int got;

	while (!__atomic_load_n(&n->stop, __ATOMIC_ACQUIRE)) {
		got = nic_serve_next(&n->r.s, &job);
		if (got == 1) {
			n->last[n->jobs++ & 3] = job.op;
			rig_do(&n->r, &job);
			nic_serve_complete(&n->r.s, &job, 0);
		} else if (got < 0) {
			n->error = got;
			nic_serve_complete(&n->r.s, &job, got);
			break;
		} else {
			sched_yield();
		}
	}
	return NULL;
}

static void nic_start(struct nic *n, const struct rig_kind *kind, uint64_t start)
{
	memset(n, 0, sizeof(*n));
	rig_open(&n->r, kind, 3, start);
	n->r.q.max_len = 100;
	CHECK_EQ("thread", pthread_create(&n->thread, NULL, nic_main, n), 0);
}

static void nic_stop(struct nic *n)
{
	__atomic_store_n(&n->stop, 1, __ATOMIC_RELEASE);
	pthread_join(n->thread, NULL);
	CHECK_EQ("format", n->error, 0);
	rig_close(&n->r);
}

static struct nic_remote remote(void *p, uint32_t key)
{
	return (struct nic_remote){ (uint64_t)(uintptr_t)p, key };
}

static struct nic_local local(void *p)
{
	return (struct nic_local){ (uint64_t)(uintptr_t)p, 0x10ca1 };
}

static void test_copies(const struct rig_kind *kind)
{
	static const uint64_t lens[] = { 0, 1, 99, 100, 101, 1000, 3456 };
	uint8_t a[4000], b[4000];
	struct nic n;

	nic_start(&n, kind, 60000);
	for (size_t i = 0; i < TEST_LEN(lens); i++) {
		for (size_t k = 0; k < sizeof(a); k++)
			a[k] = (uint8_t)(k * 7 + i);
		memset(b, 0xee, sizeof(b));
		CHECK_EQ(kind->name,
			 nic_put(&n.r.q, n.r.p, NIC_DONE, local(a + 3), remote(b + 5, 1), lens[i]),
			 0);
		for (size_t k = 0; k < sizeof(b); k++)
			CHECK_EQ("put", b[k], k - 5 < lens[i] ? a[k - 2] : 0xee);
		memset(b, 0xee, sizeof(b));
		CHECK_EQ(kind->name,
			 rig_get(&n.r.q, n.r.p, NIC_DONE, local(b + 9), remote(a, 1), lens[i]), 0);
		for (size_t k = 0; k < sizeof(b); k++)
			CHECK_EQ("get", b[k], k - 9 < lens[i] ? a[k - 9] : 0xee);
	}
	nic_stop(&n);
}

/* The source changes as soon as the call is back. */
static void test_inline(const struct rig_kind *kind)
{
	uint8_t a[NIC_INLINE_MAX], b[NIC_INLINE_MAX + 16];
	struct nic n;

	nic_start(&n, kind, 0);
	for (uint32_t len = 1; len <= NIC_INLINE_MAX; len++) {
		for (uint32_t k = 0; k < sizeof(a); k++)
			a[k] = (uint8_t)(k * 3 + len);
		memset(b, 0xee, sizeof(b));
		CHECK_EQ(kind->name, rig_put_inline(&n.r.q, n.r.p, 0, a, remote(b + 7, 1), len), 0);
		memset(a, 0x11, sizeof(a));
		CHECK_EQ(kind->name, nic_quiet(&n.r.q, n.r.p), 0);
		for (uint32_t k = 0; k < sizeof(b); k++)
			CHECK_EQ("inline", b[k], k - 7 < len ? (uint8_t)((k - 7) * 3 + len) : 0xee);
	}
	nic_stop(&n);
}

static const struct {
	int rmw;
	const char *name;
} amos[] = {
	{ MORI_SHMEM_AMO_ADD, "add" },	   { MORI_SHMEM_AMO_AND, "and" },
	{ MORI_SHMEM_AMO_OR, "or" },	   { MORI_SHMEM_AMO_XOR, "xor" },
	{ MORI_SHMEM_AMO_SET, "set" },	   { MORI_SHMEM_AMO_COMPARE_SWAP, "compare-swap" },
	{ MORI_SHMEM_AMO_FETCH, "fetch" },
};

/* The same on memory, written down once more. */
static uint64_t model(int rmw, uint64_t old, uint64_t v, uint64_t compare)
{
	return rmw == MORI_SHMEM_AMO_ADD			    ? old + v :
	       rmw == MORI_SHMEM_AMO_AND			    ? old & v :
	       rmw == MORI_SHMEM_AMO_OR				    ? old | v :
	       rmw == MORI_SHMEM_AMO_XOR			    ? old ^ v :
	       rmw == MORI_SHMEM_AMO_SET			    ? v :
	       rmw == MORI_SHMEM_AMO_COMPARE_SWAP && old == compare ? v :
								      old;
}

/* Word 1 or, of 4 bytes, word 2 or 3 of @m; the words around it must stay. */
static void try_amo(struct nic *n, size_t which, uint32_t size, int place, uint64_t *seed)
{
	uint64_t m[3], want[3], old = 0, v = rig_random(seed), c = rig_random(seed);
	uint8_t *at = (uint8_t *)&m[1] + (size == 4 ? 4 * place : 0);
	uint8_t *want_at = (uint8_t *)&want[1] + (size == 4 ? 4 * place : 0);
	bool fetch = amos[which].rmw == MORI_SHMEM_AMO_FETCH || rig_random(seed) & 1;
	struct nic_fetched got;
	uint64_t result;

	for (int i = 0; i < 3; i++)
		m[i] = want[i] = rig_random(seed);
	memcpy(&old, at, size);
	if (rig_random(seed) & 1)
		c = old;
	if (size == 4)
		c = (uint32_t)c;
	result = model(amos[which].rmw, old, v, c);
	memcpy(want_at, &result, size);
	got = nic_amo(&n->r.q, n->r.p, amos[which].rmw, size, remote(at, 0xbeef), v, c, fetch);
	CHECK_EQ(amos[which].name, got.err, 0);
	CHECK_EQ(amos[which].name, nic_quiet(&n->r.q, n->r.p), 0);
	if (fetch)
		CHECK_EQ(amos[which].name, got.old, old);
	CHECK_MEM(amos[which].name, m, want, sizeof(m));
}

static void test_amos(const struct rig_kind *kind)
{
	uint64_t seed = 42;
	struct nic n;

	nic_start(&n, kind, 65530);
	for (int i = 0; i < TEST_SCALE(60); i++)
		for (size_t k = 0; k < TEST_LEN(amos); k++)
			for (int place = 0; place < 3; place++)
				try_amo(&n, k, place == 2 ? 8 : 4, place & 1, &seed);
	nic_stop(&n);
}

/* The entries that the NIC gets: one where it has the atomic, at least three where not. */
static void test_native(const struct rig_kind *kind)
{
	bool masked = kind->format == NIC_SOFT ||
		      (kind->format == NIC_MLX5 && !(kind->flags & NIC_NO_MASKED));
	struct nic_fetched f;
	uint64_t word = 5;
	struct nic n;

	nic_start(&n, kind, 0);
	f = nic_amo(&n.r.q, n.r.p, MORI_SHMEM_AMO_ADD, 8, remote(&word, 1), 3, 0, true);
	CHECK_EQ(kind->name, f.err, 0);
	CHECK_EQ(kind->name, __atomic_load_n(&n.jobs, __ATOMIC_RELAXED), 1);
	CHECK_EQ(kind->name, n.last[0].kind, kind->format == NIC_SOFT ? NIC_RMW : NIC_ADD);
	CHECK_EQ(kind->name, n.last[0].lkey, 0xce11);
	f = nic_amo(&n.r.q, n.r.p, MORI_SHMEM_AMO_SET, 8, remote(&word, 1), 3, 0, true);
	CHECK_EQ(kind->name, f.err, 0);
	CHECK_EQ(kind->name, f.old, 8);
	CHECK_EQ(kind->name, __atomic_load_n(&n.jobs, __ATOMIC_RELAXED), masked ? 2 : 3);
	CHECK_EQ(kind->name, n.last[(n.jobs - 1) & 3].kind,
		 kind->format == NIC_SOFT ? NIC_RMW :
		 masked			  ? NIC_MASKED_CAS :
					    NIC_CAS);
	nic_stop(&n);
}

static void test_put_signal(const struct rig_kind *kind)
{
	static const uint64_t lens[] = { 0, 8, 100, 250 };
	uint8_t a[300], b[300];
	uint64_t sig;
	struct nic n;

	nic_start(&n, kind, 0);
	for (size_t i = 0; i < 2 * TEST_LEN(lens); i++) {
		int rmw = i & 1 ? MORI_SHMEM_AMO_ADD : MORI_SHMEM_AMO_SET;
		uint64_t len = lens[i / 2], want = i & 1 ? 107 : 7, rings = n.r.q.rings;

		memset(a, (int)i + 1, sizeof(a));
		memset(b, 0xee, sizeof(b));
		sig = 100;
		CHECK_EQ(kind->name,
			 rig_put_signal(&n.r.q, n.r.p, local(a), remote(b, 1), len, remote(&sig, 2),
					rmw, 7),
			 0);
		/* An add, which every NIC has: the last part and the signal share a doorbell. */
		if (i & 1)
			CHECK_EQ("doorbells", n.r.q.rings - rings, len ? (len + 99) / 100 : 1);
		/* Acquire: pairs with the atomic of the server. */
		while (__atomic_load_n(&sig, __ATOMIC_ACQUIRE) != want)
			sched_yield();
		for (size_t k = 0; k < sizeof(b); k++)
			CHECK_EQ(kind->name, b[k], k < len ? i + 1 : 0xee);
		CHECK_EQ(kind->name, nic_quiet(&n.r.q, n.r.p), 0);
	}
	nic_stop(&n);
}

/* All result slots are in use; one left to its entry comes back when that has ended. */
static void test_cells(const struct rig_kind *kind)
{
	uint64_t word = 1;
	uint32_t cell[4];
	struct rig r;

	rig_open(&r, kind, 3, 0);
	for (int i = 0; i < 4; i++)
		CHECK((cell[i] = nic_result_take(&r.q, 2, 4)) != 0);
	CHECK_EQ(kind->name, cell[0] + cell[1] + cell[2] + cell[3], 1 + 2 + 3 + 4);
	CHECK_EQ(kind->name, nic_result_take(&r.q, 2, 4), 0);
	r.p.ns = 1000000;
	CHECK_EQ(kind->name,
		 nic_amo(&r.q, r.p, MORI_SHMEM_AMO_ADD, 8, remote(&word, 1), 1, 0, true).err,
		 MORI_SHMEM_ETIMEDOUT);
	CHECK_EQ(kind->name, r.q.taken, 0);
	*nic_slot_owner(&r.q, 2) = 0;
	CHECK_EQ(kind->name,
		 nic_amo(&r.q, r.p, MORI_SHMEM_AMO_ADD, 8, remote(&word, 1), 1, 0, true).err,
		 MORI_SHMEM_ETIMEDOUT);
	CHECK_EQ(kind->name, r.q.taken, 1);
	CHECK_EQ(kind->name, nic_result_take(&r.q, 2, 4), 0);
	CHECK_EQ(kind->name, rig_serve(&r), 1);
	CHECK_EQ(kind->name, nic_quiet(&r.q, r.p), 0);
	CHECK_EQ(kind->name, nic_result_take(&r.q, 2, 4), 2);
	rig_close(&r);
}

int main(void)
{
	test_deadline(100);
	for (size_t k = 0; k < TEST_LEN(rig_kinds); k++) {
		test_at(rig_kinds[k].name);
		test_copies(&rig_kinds[k]);
		test_inline(&rig_kinds[k]);
		test_amos(&rig_kinds[k]);
		test_native(&rig_kinds[k]);
		test_put_signal(&rig_kinds[k]);
		test_cells(&rig_kinds[k]);
	}
	return test_result();
}
