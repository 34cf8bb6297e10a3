// SPDX-License-Identifier: MIT
/*
 * Queues of every format: entries come back from the decoder as they went in, full
 * queues, the ends of all counters, errors, and doorbells that are rung for many.
 */
#include "unit_nic.h"

#define ROUNDS 300

static bool format_has(uint32_t format, uint32_t kind)
{
	if (format == NIC_SOFT)
		return !nic_is_atomic(kind) || kind == NIC_RMW;
	return kind < NIC_MASKED_ADD || (kind < NIC_RMW && format == NIC_MLX5);
}

static struct nic_op random_op(uint64_t *seed, uint32_t format)
{
	struct nic_op op = { .signal = rig_random(seed) & 1 };
	uint64_t ones;

	do
		op.kind = NIC_WRITE + rig_random(seed) % NIC_RMW;
	while (!format_has(format, op.kind));
	op.rkey = (uint32_t)rig_random(seed);
	op.remote = rig_random(seed);
	op.len = op.kind == NIC_INLINE ? 1 + rig_random(seed) % NIC_INLINE_MAX :
					 1 + rig_random(seed) % (1u << 30);
	if (op.kind == NIC_INLINE) {
		for (size_t i = 0; i < op.len; i++)
			((uint8_t *)op.data)[i] = (uint8_t)rig_random(seed);
		return op;
	}
	op.lkey = (uint32_t)rig_random(seed);
	op.local = rig_random(seed);
	if (!nic_is_atomic(op.kind))
		return op;
	op.len = op.kind >= NIC_MASKED_ADD && rig_random(seed) & 1 ? 4 : 8;
	ones = op.len == 8 ? UINT64_MAX : UINT32_MAX;
	op.value = rig_random(seed) & ones;
	op.compare = op.kind == NIC_CAS || op.kind >= NIC_MASKED_CAS ? rig_random(seed) & ones : 0;
	if (op.kind == NIC_RMW) {
		op.rmw = (uint32_t)rig_random(seed) & 0xffff;
		return op;
	}
	op.value_mask = op.kind >= NIC_MASKED_ADD ? rig_random(seed) & ones : 0;
	op.compare_mask = op.kind == NIC_MASKED_CAS ? rig_random(seed) & ones : 0;
	return op;
}

static void check_same(const char *name, const struct nic_op *got, const struct nic_op *want)
{
	CHECK_EQ(name, got->kind, want->kind);
	CHECK_EQ(name, got->signal, want->signal);
	CHECK_EQ(name, got->len, want->len);
	CHECK_EQ(name, got->local, want->local);
	CHECK_EQ(name, got->lkey, want->lkey);
	CHECK_EQ(name, got->remote, want->remote);
	CHECK_EQ(name, got->rkey, want->rkey);
	CHECK_EQ(name, got->rmw, want->rmw);
	CHECK_MEM(name, got->data, want->data, sizeof(want->data));
}

/* Random entries go round a small ring, from where the counters of the NICs end. */
static void test_round_trip(const struct rig_kind *kind, uint64_t start)
{
	uint64_t seed = start, end, want_end = start;
	struct nic_op want[8];
	struct nic_job job;
	struct rig r;

	rig_open(&r, kind, 4, start);
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t n = 1 + (uint32_t)(rig_random(&seed) % 7);

		for (uint32_t k = 0; k < n; k++) {
			want[k] = random_op(&seed, kind->format);
			want[k].signal |= k == n - 1;
			want_end += nic_slots(&r.q, &want[k]);
		}
		if (!CHECK(rig_post(&r, want, n, &end)))
			break;
		CHECK_EQ(kind->name, end, want_end);
		CHECK_EQ(kind->name, nic_serve_rung(&r.s), end);
		for (uint32_t k = 0; k < n; k++) {
			if (!CHECK_EQ(kind->name, nic_serve_next(&r.s, &job), 1))
				return;
			check_same(kind->name, &job.op, &want[k]);
			nic_serve_complete(&r.s, &job, 0);
		}
		CHECK_EQ(kind->name, nic_serve_next(&r.s, &job), 0);
		CHECK_EQ(kind->name, nic_wait(&r.q, r.p, end), 0);
		CHECK_EQ(kind->name, r.q.done, end);
	}
	CHECK_EQ(kind->name, r.q.rings, ROUNDS);
	rig_close(&r);
}

/* Every byte of an entry that is not of the format is found out, or does not matter. */
static void test_garbage(const struct rig_kind *kind)
{
	struct nic_op op = { .kind = NIC_WRITE, .len = 100, .signal = true };
	struct nic_job job;
	uint64_t end;
	struct rig r;

	rig_open(&r, kind, 4, 0);
	CHECK(rig_post(&r, &op, 1, &end));
	memset((void *)(uintptr_t)r.q.ring, 0xff, 16);
	CHECK_EQ(kind->name, nic_serve_next(&r.s, &job), MORI_SHMEM_EINVAL);
	CHECK_EQ(kind->name, job.slot, 0);
	nic_serve_complete(&r.s, &job, MORI_SHMEM_EINVAL);
	CHECK_EQ(kind->name, nic_wait(&r.q, r.p, end), MORI_SHMEM_EIO);
	rig_close(&r);
}

/* A full queue: no room, then a time-out that leaves nothing behind, then room again. */
static void test_full(const struct rig_kind *kind, uint64_t start)
{
	struct nic_op op = { .kind = NIC_WRITE, .len = 1, .signal = true };
	uint8_t from[64], to[64] = { 0 };
	uint64_t end = 0, taken;
	struct rig r;

	rig_open(&r, kind, 4, start);
	for (uint32_t i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)(i + 1);
	for (uint32_t i = 0; i < r.q.capacity; i++) {
		op.local = (uint64_t)(uintptr_t)&from[i];
		op.remote = (uint64_t)(uintptr_t)&to[i];
		CHECK(rig_post(&r, &op, 1, &end));
	}
	taken = r.q.taken;
	CHECK_EQ(kind->name, taken - start, r.q.capacity);
	CHECK(!rig_post(&r, &op, 1, &end));
	r.p.ns = 1000000;
	CHECK_EQ(kind->name, nic_post(&r.q, r.p, &op, false, &end), MORI_SHMEM_ETIMEDOUT);
	CHECK_EQ(kind->name, nic_quiet(&r.q, r.p), MORI_SHMEM_ETIMEDOUT);
	CHECK_EQ(kind->name, r.q.taken, taken);
	CHECK_EQ(kind->name, r.q.status, 0);
	CHECK_EQ(kind->name, rig_serve(&r), r.q.capacity);
	op.local = (uint64_t)(uintptr_t)&from[20];
	op.remote = (uint64_t)(uintptr_t)&to[20];
	CHECK_EQ(kind->name, nic_post(&r.q, r.p, &op, false, &end), 0);
	CHECK_EQ(kind->name, rig_serve(&r), 1);
	CHECK_EQ(kind->name, nic_quiet(&r.q, r.p), 0);
	for (uint32_t i = 0; i < sizeof(to); i++)
		CHECK_EQ(kind->name, to[i], i < r.q.capacity || i == 20 ? i + 1 : 0);
	rig_close(&r);
}

/* Only the last entry of a post has a completion, which finishes all before it. */
static void test_moderation(const struct rig_kind *kind)
{
	struct nic_op ops[5] = { 0 };
	uint64_t end = 0;
	struct rig r;

	rig_open(&r, kind, 4, 0);
	for (int i = 0; i < 5; i++)
		ops[i].kind = NIC_WRITE;
	ops[4].signal = true;
	for (int round = 0; round < 50; round++) {
		CHECK(rig_post(&r, ops, 5, &end));
		CHECK_EQ(kind->name, rig_serve(&r), 5);
		CHECK_EQ(kind->name, nic_wait(&r.q, r.p, end), 0);
		CHECK_EQ(kind->name, r.q.seen, round + 1);
		CHECK_EQ(kind->name, r.q.done, 5 * (round + 1));
	}
	rig_close(&r);
}

/* Errors stay, have words, and end every call at once. */
static void test_error(const struct rig_kind *kind, int error, int want)
{
	struct nic_op op = { .kind = NIC_WRITE, .signal = true };
	uint64_t end, first;
	struct nic_job job;
	struct rig r;

	rig_open(&r, kind, 4, 40);
	CHECK(rig_post(&r, &op, 1, &first));
	op.signal = false; /* an error is reported all the same */
	CHECK(rig_post(&r, &op, 1, &end));
	CHECK_EQ(kind->name, nic_serve_next(&r.s, &job), 1);
	nic_serve_complete(&r.s, &job, 0);
	CHECK_EQ(kind->name, nic_serve_next(&r.s, &job), 1);
	nic_serve_complete(&r.s, &job, error);
	CHECK_EQ(kind->name, nic_wait(&r.q, r.p, end), want);
	CHECK_EQ(kind->name, nic_wait(&r.q, r.p, first), 0);
	CHECK_EQ(kind->name, r.q.bad, end - 1);
	CHECK_EQ(kind->name, nic_post(&r.q, r.p, &op, false, &end), want);
	CHECK_EQ(kind->name, nic_quiet(&r.q, r.p), want);
	CHECK_EQ(kind->name, r.q.status, want);
	CHECK(strcmp(nic_syndrome_text(kind->format, r.q.syndrome), "an error without a name"));
	if (want == MORI_SHMEM_EPEER)
		CHECK_TEXT(nic_syndrome_text(kind->format, r.q.syndrome), "does not answer");
	/* The queue fails once: a later error changes nothing. */
	nic_serve_complete(&r.s, &job, MORI_SHMEM_EIO);
	nic_poll(&r.q);
	CHECK_EQ(kind->name, r.q.status, want);
	rig_close(&r);
}

/* A completion of something that was never posted is an error, not a success. */
static void test_false_completion(const struct rig_kind *kind)
{
	struct nic_job job = { .op = { .signal = true }, .slot = 5, .slots = 1 };
	struct nic_op op = { .kind = NIC_WRITE, .signal = true };
	uint64_t end;
	struct rig r;

	rig_open(&r, kind, 4, 0);
	CHECK(rig_post(&r, &op, 1, &end));
	nic_serve_complete(&r.s, &job, 0);
	/*
	 * mlx5 has no entry there whose length could be added; the counter alone would be too high.
	 */
	if (kind->format == NIC_MLX5)
		nic_publish(&r.q, 5, 1);
	CHECK_EQ(kind->name, nic_wait(&r.q, r.p, end), MORI_SHMEM_EIO);
	CHECK_TEXT(nic_syndrome_text(kind->format, r.q.syndrome), "never posted");
	rig_close(&r);
}

/* The loss of the peer ends a wait, that of another does not; the queue still works. */
static void test_lost(const struct rig_kind *kind)
{
	struct nic_op op = { .kind = NIC_WRITE, .signal = true };
	uint32_t gone[4] = { 0, 1, 0, 0 };
	uint64_t end;
	struct rig r;

	rig_open(&r, kind, 4, 0);
	r.st.gone = gone;
	CHECK(rig_post(&r, &op, 1, &end));
	r.st.lost = 1;
	r.p.ns = 1000000;
	CHECK_EQ(kind->name, nic_wait(&r.q, r.p, end), MORI_SHMEM_ETIMEDOUT);
	gone[3] = 1;
	CHECK_EQ(kind->name, nic_wait(&r.q, r.p, end), MORI_SHMEM_EPEER);
	CHECK_EQ(kind->name, rig_serve(&r), 1);
	CHECK_EQ(kind->name, nic_wait(&r.q, r.p, end), 0);
	rig_close(&r);
}

/* Entries are shown in the order of their slots, whichever is written first; one rings for all. */
static void test_doorbells(const struct rig_kind *kind)
{
	struct nic_op op = { .kind = NIC_WRITE, .len = 1, .signal = true };
	uint64_t slot[4], end;
	struct rig r;

	rig_open(&r, kind, 4, 100);
	rig_rang = 0;
	for (int i = 0; i < 4; i++)
		CHECK(nic_take(&r.q, 1, &slot[i]));
	for (int i = 3; i > 0; i--) {
		nic_write(&r.q, slot[i], &op);
		nic_publish(&r.q, slot[i], 1);
		CHECK(!nic_ring(&r.q));
		CHECK_EQ(kind->name, nic_serve_rung(&r.s), 100);
	}
	nic_write(&r.q, slot[0], &op);
	nic_publish(&r.q, slot[0], 1);
	CHECK(nic_ring(&r.q));
	CHECK_EQ(kind->name, r.q.rings, 1);
	CHECK_EQ(kind->name, nic_serve_rung(&r.s), 104);
	CHECK(!nic_ring(&r.q)); /* nothing new */

	/* While somebody rings, others leave it to that one. */
	r.q.ringers = 1;
	for (int i = 0; i < 6; i++)
		CHECK(rig_post(&r, &op, 1, &end));
	CHECK_EQ(kind->name, r.q.ringers, 7);
	CHECK_EQ(kind->name, r.q.rings, 1);
	r.q.ringers = 0;
	CHECK(nic_ring(&r.q));
	CHECK_EQ(kind->name, r.q.rings, 2);
	CHECK_EQ(kind->name, rig_rang, 2);
	CHECK_EQ(kind->name, nic_serve_rung(&r.s), 110);
	rig_close(&r);
}

static void test_names(void)
{
	struct nic_queue q = { .log_slots = 4, .log_cq = 4, .result_slots = 2 };
	struct nic_sizes sizes;

	for (uint32_t f = 0; f < NIC_FORMATS; f++)
		CHECK(nic_format_name(f));
	CHECK(!nic_format_name(NIC_FORMATS));
	CHECK_EQ("sizes", nic_queue_sizes(&q, &sizes), 0);
	CHECK_EQ("ring", sizes.ring, 1024);
	q.log_cq = 3;
	CHECK_EQ("few completions", nic_queue_sizes(&q, &sizes), MORI_SHMEM_EINVAL);
	q.log_slots = q.log_cq = 16;
	CHECK_EQ("long ring", nic_queue_sizes(&q, &sizes), MORI_SHMEM_EINVAL);
	q.log_slots = q.log_cq = 4;
	q.format = NIC_FORMATS;
	CHECK_EQ("no format", nic_queue_sizes(&q, &sizes), MORI_SHMEM_EINVAL);
	CHECK_TEXT(nic_syndrome_text(NIC_FORMATS, 1), "unknown NIC");
	CHECK_TEXT(nic_syndrome_text(NIC_MLX5, 0x77), "without a name");
}

int main(void)
{
	/* The start, the ends of a ring's rounds, and of counters of 16, 24 and 32 bits. */
	static const uint64_t starts[] = { 0,
					   13,
					   31,
					   (1u << 16) - 7,
					   (1u << 24) - 7,
					   ((uint64_t)1 << 32) - 7,
					   ((uint64_t)1 << 40) + 5 };

	test_deadline(100);
	test_names();
	for (size_t k = 0; k < TEST_LEN(rig_kinds); k++) {
		const struct rig_kind *kind = &rig_kinds[k];

		test_at(kind->name);
		for (size_t i = 0; i < TEST_LEN(starts); i++) {
			test_round_trip(kind, starts[i]);
			test_full(kind, starts[i]);
		}
		test_garbage(kind);
		test_moderation(kind);
		test_error(kind, MORI_SHMEM_EPEER, MORI_SHMEM_EPEER);
		test_error(kind, MORI_SHMEM_EFAULT, MORI_SHMEM_EIO);
		test_false_completion(kind);
		test_lost(kind);
		test_doorbells(kind);
	}
	return test_result();
}
