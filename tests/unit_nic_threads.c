// SPDX-License-Identifier: MIT
// TEST: timeout=120
/*
 * Many threads post to one small queue of each format at once, copies and atomics with
 * and without waiting, while another thread is the NIC: it takes some entries, carries
 * them out, and completes them late. Every byte and every count is checked.
 */
#define RIG_PAUSE 1
#include "unit_nic.h"

#include <pthread.h>
#include <sched.h>

#define POSTERS 6
#define PARTS	16 /* places of a poster, each written many times */

struct shared {
	struct rig r;
	int stop;
	int jobs;
	uint64_t fetched[POSTERS]; /* sums of what came back */
	uint64_t counter;
	uint32_t halves[2];
	uint8_t window[POSTERS][PARTS][40];
	int done; /* posters that are */
};

struct poster {
	struct shared *s;
	int me, rounds;
	pthread_t thread;
};

/* Up to 4 entries are under way at once; they are completed in order. */
static void *nic_main(void *arg)
{
	struct shared *s = arg;
	struct nic_job jobs[4];
	uint64_t seed = 7;

	while (!__atomic_load_n(&s->stop, __ATOMIC_ACQUIRE)) {
		int n = 0, most = 1 + (int)(rig_random(&seed) % 4), got = 0;

		while (n < most && (got = nic_serve_next(&s->r.s, &jobs[n])) > 0)
			rig_do(&s->r, &jobs[n++]);
		if (!CHECK(got >= 0))
			nic_serve_complete(&s->r.s, &jobs[n], got);
		if (got < 0)
			return NULL;
		if (!n || rig_random(&seed) % 8 == 0)
			sched_yield();
		for (int i = 0; i < n; i++)
			nic_serve_complete(&s->r.s, &jobs[i], 0);
		s->jobs += n;
	}
	return NULL;
}

static struct nic_remote remote(void *p)
{
	return (struct nic_remote){ (uint64_t)(uintptr_t)p, 1 };
}

static struct nic_local local(void *p)
{
	return (struct nic_local){ (uint64_t)(uintptr_t)p, 1 };
}

/* One poster's round: a write, a small write, a read back, and atomics on shared words. */
static int poster_round(struct poster *p, int i, uint8_t *buf, uint64_t *sum)
{
	struct nic_queue *q = &p->s->r.q;
	struct nic_deadline w = p->s->r.p;
	uint8_t *place = p->s->window[p->me][i % PARTS], back[40] = { 0 };
	struct nic_fetched f = { 0 };
	int err;

	memset(buf, p->me * 16 + i % 16, 40);
	err = nic_put(q, w, i & 1 ? NIC_HOLD : 0, local(buf), remote(place), 20);
	if (!err)
		err = rig_put_inline(q, w, 0, buf + 20, remote(place + 20), 20);
	if (!err) /* the queue is in order: the read has seen both writes */
		err = rig_get(q, w, NIC_DONE, local(back), remote(place), 40);
	CHECK_MEM("read back", back, buf, 40);
	if (!err)
		err = nic_amo(q, w, MORI_SHMEM_AMO_ADD, 8, remote(&p->s->counter), 1, 0, false).err;
	if (!err)
		f = nic_amo(q, w, MORI_SHMEM_AMO_ADD, 8, remote(&p->s->counter), 2, 0, true);
	*sum += f.old;
	if (!err && !f.err)
		f = nic_amo(q, w, MORI_SHMEM_AMO_ADD, 4, remote(&p->s->halves[p->me & 1]), 1, 0,
			    true);
	return err ? err : f.err;
}

static void *poster_main(void *arg)
{
	struct poster *p = arg;
	uint8_t buf[40];

	for (int i = 0; i < p->rounds; i++)
		if (!CHECK_EQ("round", poster_round(p, i, buf, &p->s->fetched[p->me]), 0))
			break;
	CHECK_EQ("quiet", nic_quiet(&p->s->r.q, p->s->r.p), 0);
	__atomic_add_fetch(&p->s->done, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void test_kind(const struct rig_kind *kind, uint64_t start, int rounds)
{
	static struct shared s;
	struct poster posters[POSTERS];
	pthread_t nic;

	memset(&s, 0, sizeof(s));
	rig_open(&s.r, kind, 3, start);
	CHECK_EQ("thread", pthread_create(&nic, NULL, nic_main, &s), 0);
	for (int i = 0; i < POSTERS; i++) {
		posters[i] = (struct poster){ .s = &s, .me = i, .rounds = rounds };
		CHECK_EQ("thread",
			 pthread_create(&posters[i].thread, NULL, poster_main, &posters[i]), 0);
	}
	for (int i = 0; i < POSTERS; i++)
		pthread_join(posters[i].thread, NULL);
	__atomic_store_n(&s.stop, 1, __ATOMIC_RELEASE);
	pthread_join(nic, NULL);
	CHECK_EQ(kind->name, s.counter, 3 * POSTERS * rounds);
	CHECK_EQ(kind->name, s.halves[0], POSTERS / 2 * rounds);
	CHECK_EQ(kind->name, s.halves[1], POSTERS / 2 * rounds);
	for (int i = 0; i < POSTERS; i++)
		for (int k = 0; k < PARTS && k < rounds; k++) {
			int last = (rounds - 1 - k) / PARTS * PARTS + k;

			for (int b = 0; b < 40; b++)
				CHECK_EQ(kind->name, s.window[i][k][b], i * 16 + last % 16);
		}
	CHECK_EQ(kind->name, s.r.q.done, s.r.q.taken);
	CHECK_EQ(kind->name, s.r.q.ready, s.r.q.taken);
	CHECK_EQ(kind->name, s.r.q.status, 0);
	CHECK(s.r.q.rings <= (uint64_t)s.jobs);
	printf("%s: %d entries, %llu doorbells\n", kind->name, s.jobs,
	       (unsigned long long)s.r.q.rings);
	rig_close(&s.r);
}

/* One poster that never waits, of entries of one slot. */
static void *stream_main(void *arg)
{
	struct poster *p = arg;
	uint8_t byte = 1;

	for (int i = 0; i < p->rounds; i++)
		if (!CHECK_EQ("post",
			      rig_put_inline(&p->s->r.q, p->s->r.p, 0, &byte, remote(p->s->window),
					     1),
			      0))
			break;
	CHECK_EQ("quiet", nic_quiet(&p->s->r.q, p->s->r.p), 0);
	__atomic_store_n(&p->s->done, 1, __ATOMIC_RELEASE);
	return NULL;
}

/*
 * A thread that sees free slots finds that the NIC was notified earlier of the completions
 * that freed them: it may then complete what is posted there. Of mlx5, whose record says it
 * in memory.
 */
static void test_told(const struct rig_kind *kind, int rounds)
{
	static struct shared s;
	struct poster p = { .s = &s, .rounds = rounds };
	pthread_t nic;
	long late = 0;

	memset(&s, 0, sizeof(s));
	rig_open(&s.r, kind, 3, 0);
	CHECK_EQ("thread", pthread_create(&nic, NULL, nic_main, &s), 0);
	CHECK_EQ("thread", pthread_create(&p.thread, NULL, stream_main, &p), 0);
	while (!__atomic_load_n(&s.done, __ATOMIC_ACQUIRE)) {
		uint64_t done = nic_load_acquire_64(&s.r.q.done);
		uint32_t told = nic_be_32(nic_load_32(tgt_pointer(s.r.q.cq_record)));

		late += ((told - (uint32_t)done) & 0xffffff) > 0x7fffff;
	}
	CHECK_EQ("slots that were free too early", late, 0);
	pthread_join(p.thread, NULL);
	__atomic_store_n(&s.stop, 1, __ATOMIC_RELEASE);
	pthread_join(nic, NULL);
	rig_close(&s.r);
}

int main(void)
{
	test_deadline(110 * (TEST_TSAN || TEST_ASAN ? 3 : 1));
	for (size_t k = 0; k < TEST_LEN(rig_kinds); k++) {
		test_at(rig_kinds[k].name);
		test_kind(&rig_kinds[k], 65000, TEST_SCALE(400));
		if (rig_kinds[k].format == NIC_MLX5)
			test_told(&rig_kinds[k], TEST_SCALE(60000));
	}
	return test_result();
}
