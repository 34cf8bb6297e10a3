// SPDX-License-Identifier: MIT
/*
 * ionic entries and doorbells against bytes worked out by hand from rdma-core's
 * providers/ionic: struct ionic_v1_wqe with its bodies, ionic_sge and the opcodes and
 * flags of ionic_fw_types.h, how ionic_verbs.c fills them (ionic_v1_prep_base() and
 * others), and the doorbells of ionic_queue.h. Completions are made of struct
 * ionic_v1_cqe in the same way. Numbers are high byte first, the index of an entry and
 * doorbells are not.
 */
#include "unit_nic.h"

#define LOCAL  0x1122334455667788u
#define REMOTE 0x99aabbccddeeff00u
#define LKEY   0xa1b2c3d4u
#define RKEY   0x0badcafeu

struct vector {
	const char *name;
	uint32_t flags; /* of the queue */
	uint64_t slot;
	struct nic_op op;
	uint8_t bytes[64];
};

static const struct vector vectors[] = {
	{ "write, signalled, first round",
	  0,
	  2,
	  { .kind = NIC_WRITE,
	    .signal = true,
	    .local = LOCAL,
	    .lkey = LKEY,
	    .remote = REMOTE,
	    .rkey = RKEY,
	    .len = 0x12345 },
	  {
		  /* index; opcode, parts, flags (colour 0x10, signal 0x08); no immediate data */
		  0x02,
		  0,
		  0,
		  0,
		  0,
		  0,
		  0,
		  0,
		  0x21,
		  0x01,
		  0x00,
		  0x18,
		  0,
		  0,
		  0,
		  0,
		  /* remote address and key; length */
		  0x99,
		  0xaa,
		  0xbb,
		  0xcc,
		  0xdd,
		  0xee,
		  0xff,
		  0x00,
		  0x0b,
		  0xad,
		  0xca,
		  0xfe,
		  0x00,
		  0x01,
		  0x23,
		  0x45,
		  /* local address, length, key */
		  0x11,
		  0x22,
		  0x33,
		  0x44,
		  0x55,
		  0x66,
		  0x77,
		  0x88,
		  0x00,
		  0x01,
		  0x23,
		  0x45,
		  0xa1,
		  0xb2,
		  0xc3,
		  0xd4,
	  } },
	{ "write of version 1",
	  NIC_IONIC_V1,
	  2,
	  { .kind = NIC_WRITE,
	    .local = LOCAL,
	    .lkey = LKEY,
	    .remote = REMOTE,
	    .rkey = RKEY,
	    .len = 1 },
	  { 0x02, 0,	0,    0,    0,	  0,	0,    0,    0x04, 0x01, 0x00, 0x10,
	    0,	  0,	0,    0,    0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00,
	    0x0b, 0xad, 0xca, 0xfe, 0,	  0,	0,    1,    0x11, 0x22, 0x33, 0x44,
	    0x55, 0x66, 0x77, 0x88, 0,	  0,	0,    1,    0xa1, 0xb2, 0xc3, 0xd4 } },
	{ "read, second round",
	  0,
	  18,
	  { .kind = NIC_READ,
	    .local = LOCAL,
	    .lkey = LKEY,
	    .remote = REMOTE,
	    .rkey = RKEY,
	    .len = 7 },
	  { 0x02, 0,	0,    0,    0,	  0,	0,    0,    0x02, 0x01, 0x00, 0x00,
	    0,	  0,	0,    0,    0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00,
	    0x0b, 0xad, 0xca, 0xfe, 0,	  0,	0,    7,    0x11, 0x22, 0x33, 0x44,
	    0x55, 0x66, 0x77, 0x88, 0,	  0,	0,    7,    0xa1, 0xb2, 0xc3, 0xd4 } },
	{ "read of version 1",
	  NIC_IONIC_V1,
	  18,
	  { .kind = NIC_READ,
	    .local = LOCAL,
	    .lkey = LKEY,
	    .remote = REMOTE,
	    .rkey = RKEY,
	    .len = 7 },
	  { 0x02, 0,	0,    0,    0,	  0,	0,    0,    0x03, 0x01, 0x00, 0x00,
	    0,	  0,	0,    0,    0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00,
	    0x0b, 0xad, 0xca, 0xfe, 0,	  0,	0,    7,    0x11, 0x22, 0x33, 0x44,
	    0x55, 0x66, 0x77, 0x88, 0,	  0,	0,    7,    0xa1, 0xb2, 0xc3, 0xd4 } },
	{ "inline, 20 bytes",
	  0,
	  2,
	  { .kind = NIC_INLINE,
	    .signal = true,
	    .remote = REMOTE,
	    .rkey = RKEY,
	    .len = 20,
	    .data = { 0x0807060504030201u, 0x100f0e0d0c0b0a09u, 0x14131211u } },
	  { 0x02, 0,	0,    0,    0,	  0,	0,    0,    0x21, 0x00, 0x00, 0x1c, 0,
	    0,	  0,	0,    0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x0b, 0xad,
	    0xca, 0xfe, 0,    0,    0,	  20,	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
	    0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14 } },
	{ "add",
	  0,
	  2,
	  { .kind = NIC_ADD,
	    .signal = true,
	    .local = LOCAL,
	    .lkey = LKEY,
	    .remote = REMOTE,
	    .rkey = RKEY,
	    .len = 8,
	    .value = 0x0102030405060708u },
	  { 0x02, 0,	0,    0,    0,	  0,	0,    0,    0x05, 0x01, 0x00, 0x18, 0,	  0,
	    0,	  0,	0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x0b, 0xad, 0xca, 0xfe,
	    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0,	  0,	0,    0,    0,	  0,
	    0,	  0,	0xa1, 0xb2, 0xc3, 0xd4, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 } },
	{ "compare-swap",
	  0,
	  2,
	  { .kind = NIC_CAS,
	    .local = LOCAL,
	    .lkey = LKEY,
	    .remote = REMOTE,
	    .rkey = RKEY,
	    .len = 8,
	    .value = 0x0102030405060708u,
	    .compare = 0xf1f2f3f4f5f6f7f8u },
	  { 0x02, 0,	0,    0,    0,	  0,	0,    0,    0x04, 0x01, 0x00, 0x10, 0,	  0,
	    0,	  0,	0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x0b, 0xad, 0xca, 0xfe,
	    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6,
	    0xf7, 0xf8, 0xa1, 0xb2, 0xc3, 0xd4, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 } },
	{ "compare-swap of version 1",
	  NIC_IONIC_V1,
	  2,
	  { .kind = NIC_CAS,
	    .local = LOCAL,
	    .lkey = LKEY,
	    .remote = REMOTE,
	    .rkey = RKEY,
	    .len = 8,
	    .value = 0x0102030405060708u,
	    .compare = 0xf1f2f3f4f5f6f7f8u },
	  { 0x02, 0,	0,    0,    0,	  0,	0,    0,    0x06, 0x01, 0x00, 0x10, 0,
	    0,	  0,	0,    0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x0b, 0xad,
	    0xca, 0xfe, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0xf1, 0xf2, 0xf3,
	    0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0,	0,    0,    0,	  0x11, 0x22, 0x33, 0x44,
	    0x55, 0x66, 0x77, 0x88, 0,	  0,	0,    8,    0xa1, 0xb2, 0xc3, 0xd4 } },
	{ "add of version 1",
	  NIC_IONIC_V1,
	  2,
	  { .kind = NIC_ADD,
	    .local = LOCAL,
	    .lkey = LKEY,
	    .remote = REMOTE,
	    .rkey = RKEY,
	    .len = 8,
	    .value = 0x0102030405060708u },
	  { 0x02, 0,	0,    0,    0,	  0,	0,    0,    0x07, 0x01, 0x00, 0x10, 0,
	    0,	  0,	0,    0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x0b, 0xad,
	    0xca, 0xfe, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0,    0,    0,
	    0,	  0,	0,    0,    0,	  0,	0,    0,    0,	  0x11, 0x22, 0x33, 0x44,
	    0x55, 0x66, 0x77, 0x88, 0,	  0,	0,    8,    0xa1, 0xb2, 0xc3, 0xd4 } },
};

static const struct rig_kind plain = { "ionic", NIC_IONIC, 0, 0 };

static void test_entries(void)
{
	for (size_t i = 0; i < TEST_LEN(vectors); i++) {
		const struct vector *v = &vectors[i];
		struct rig_kind kind = { "ionic", NIC_IONIC, v->flags, 0 };
		struct rig r;

		rig_open(&r, &kind, 4, 0);
		nic_write(&r.q, v->slot, &v->op);
		CHECK_MEM(v->name, (uint8_t *)(uintptr_t)r.q.ring + 2 * 64, v->bytes, 64);
		rig_close(&r);
	}
}

/* Index, and what the library wants beside it: the queue's number from bit 24 on, and more. */
static void test_doorbells(void)
{
	static const uint8_t first[8] = { 0x03, 0, 0x05, 0xcd, 0x12, 0xab, 0x00, 0x80 };
	static const uint8_t seen[8] = { 0x01, 0, 0x06, 0x45, 0x23, 0x01, 0x40, 0x00 };
	struct nic_op op = { .kind = NIC_WRITE, .signal = true };
	struct nic_job job;
	uint64_t end;
	struct rig r;

	rig_open(&r, &plain, 4, 32);
	r.q.bell |= 0x8000000000050000u;
	r.q.cq_bell |= 0x0040000000060000u;
	for (int i = 0; i < 3; i++)
		CHECK(rig_post(&r, &op, 1, &end));
	CHECK_MEM("entries", &r.doorbell, first, 8);
	CHECK_EQ("job", nic_serve_next(&r.s, &job), 1);
	nic_serve_complete(&r.s, &job, 0);
	nic_poll(&r.q);
	CHECK_MEM("completions", &r.cq_doorbell, seen, 8);
	rig_close(&r);
}

/* 32 bytes: at 4 the messages so far, at 16 an index, at 24 a status, at 28 queue and flags. */
static void cqe(struct rig *r, uint32_t at, uint32_t messages, uint32_t type, uint32_t status)
{
	uint32_t w[8] = { 0 };

	memset(w, 0x77, 16);
	w[1] = __builtin_bswap32(messages);
	w[4] = messages - 1;
	w[6] = __builtin_bswap32(status);
	w[7] = __builtin_bswap32(RIG_QPN << 8 | type << 5 | (status ? 2 : 0) | (~(at / 16) & 1));
	memcpy((uint8_t *)(uintptr_t)r->q.cq + at % 16 * 32, w, 32);
}

static void test_completions(void)
{
	struct nic_op op = { .kind = NIC_WRITE, .signal = true };
	uint64_t end = 0;
	struct rig r;

	rig_open(&r, &plain, 4, 0);
	for (uint32_t i = 0; i < 40; i++) { /* through both colours */
		CHECK(rig_post(&r, &op, 1, &end));
		nic_poll(&r.q);
		CHECK_EQ("not done", r.q.done, i);
		cqe(&r, i, i + 1, 2, 0);
		nic_poll(&r.q);
		CHECK_EQ("done", r.q.done, i + 1);
	}
	CHECK(rig_post(&r, &op, 1, &end));
	cqe(&r, 40, 41, 3, 0); /* a local one, of a kind that we never post */
	nic_poll(&r.q);
	CHECK_EQ("local", r.q.done, 40);
	CHECK_EQ("local", r.q.status, 0);
	cqe(&r, 41, 41, 2, 11);
	CHECK_EQ("retries", nic_wait(&r.q, r.p, end), MORI_SHMEM_EPEER);
	CHECK_EQ("syndrome", r.q.syndrome, 11);
	CHECK_EQ("bad", r.q.bad, 40);
	rig_close(&r);
	rig_open(&r, &plain, 4, 0);
	CHECK(rig_post(&r, &op, 1, &end));
	cqe(&r, 0, 1, 3, 4); /* flushed */
	CHECK_EQ("flushed", nic_wait(&r.q, r.p, end), MORI_SHMEM_EIO);
	CHECK_EQ("bad", r.q.bad, 0);
	rig_close(&r);
}

int main(void)
{
	test_deadline(100);
	test_entries();
	test_doorbells();
	test_completions();
	return test_result();
}
