// SPDX-License-Identifier: MIT
/*
 * bnxt entries, tables and doorbells against bytes worked out by hand from rdma-core's
 * providers/bnxt_re: struct bnxt_re_bsqe, bnxt_re_rdma, bnxt_re_atomic, bnxt_re_sge,
 * bnxt_re_psns_ext and bnxt_re_msns with their masks in bnxt_re-abi.h, how verbs.c fills
 * them in bnxt_re_post_send(), and the doorbells of db.c. Completions are made of struct
 * bnxt_re_req_cqe and bnxt_re_bcqe in the same way. The opcode beside a packet's number is the
 * entry's own, as Linux fills it in bnxt_qplib_fill_psn_search(). All numbers are low byte first.
 */
#include "unit_nic.h"

#define LOCAL  0x1122334455667788u
#define REMOTE 0x99aabbccddeeff00u
#define LKEY   0xa1b2c3d4u
#define RKEY   0x0badcafeu

struct vector {
	const char *name;
	struct nic_op op;
	uint32_t len; /* of what the NIC reads */
	uint8_t bytes[64];
};

static const struct vector vectors[] = {
	{ "write, signalled",
	  { .kind = NIC_WRITE,
	    .signal = true,
	    .local = LOCAL,
	    .lkey = LKEY,
	    .remote = REMOTE,
	    .rkey = RKEY,
	    .len = 0x12345 },
	  48,
	  { /* opcode, flags, units, 0; no key; length */
	    0x04, 0x01, 0x03, 0x00, 0, 0, 0, 0, 0x45, 0x23, 0x01, 0, 0, 0, 0, 0,
	    /* remote address and key */
	    0x00, 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99, 0xfe, 0xca, 0xad, 0x0b, 0, 0, 0, 0,
	    /* local address, key, length */
	    0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xd4, 0xc3, 0xb2, 0xa1, 0x45, 0x23,
	    0x01, 0x00 } },
	{ "read",
	  { .kind = NIC_READ,
	    .local = LOCAL,
	    .lkey = LKEY,
	    .remote = REMOTE,
	    .rkey = RKEY,
	    .len = 7 },
	  48,
	  { 0x06, 0x00, 0x03, 0x00, 0,	  0,	0,    0,    0x07, 0,	0,    0,
	    0,	  0,	0,    0,    0x00, 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99,
	    0xfe, 0xca, 0xad, 0x0b, 0,	  0,	0,    0,    0x88, 0x77, 0x66, 0x55,
	    0x44, 0x33, 0x22, 0x11, 0xd4, 0xc3, 0xb2, 0xa1, 0x07, 0x00, 0,    0 } },
	{ "inline, 20 bytes: two units of data",
	  { .kind = NIC_INLINE,
	    .signal = true,
	    .remote = REMOTE,
	    .rkey = RKEY,
	    .len = 20,
	    .data = { 0x0807060504030201u, 0x100f0e0d0c0b0a09u, 0x14131211u } },
	  64,
	  { 0x04, 0x11, 0x04, 0x00, 0,	  0,	0,    0,    0x14, 0,	0,    0,    0,
	    0,	  0,	0,    0x00, 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99, 0xfe, 0xca,
	    0xad, 0x0b, 0,    0,    0,	  0,	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
	    0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14 } },
	{ "add: the key is in the header",
	  { .kind = NIC_ADD,
	    .signal = true,
	    .local = LOCAL,
	    .lkey = LKEY,
	    .remote = REMOTE,
	    .rkey = RKEY,
	    .len = 8,
	    .value = 0x0102030405060708u },
	  48,
	  { 0x0b, 0x01, 0x03, 0x00, 0xfe, 0xca, 0xad, 0x0b, 0x00, 0xff, 0xee, 0xdd,
	    0xcc, 0xbb, 0xaa, 0x99, 0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01,
	    0,	  0,	0,    0,    0,	  0,	0,    0,    0x88, 0x77, 0x66, 0x55,
	    0x44, 0x33, 0x22, 0x11, 0xd4, 0xc3, 0xb2, 0xa1, 0x08, 0x00, 0,    0 } },
	{ "compare-swap",
	  { .kind = NIC_CAS,
	    .local = LOCAL,
	    .lkey = LKEY,
	    .remote = REMOTE,
	    .rkey = RKEY,
	    .len = 8,
	    .value = 0x0102030405060708u,
	    .compare = 0xf1f2f3f4f5f6f7f8u },
	  48,
	  { 0x08, 0x00, 0x03, 0x00, 0xfe, 0xca, 0xad, 0x0b, 0x00, 0xff, 0xee, 0xdd,
	    0xcc, 0xbb, 0xaa, 0x99, 0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01,
	    0xf8, 0xf7, 0xf6, 0xf5, 0xf4, 0xf3, 0xf2, 0xf1, 0x88, 0x77, 0x66, 0x55,
	    0x44, 0x33, 0x22, 0x11, 0xd4, 0xc3, 0xb2, 0xa1, 0x08, 0x00, 0,    0 } },
};

static const struct rig_kind plain = { "bnxt", NIC_BNXT, 0, 0 };
static const struct rig_kind table = { "bnxt, table of messages", NIC_BNXT, NIC_BNXT_MSN, 0 };
static const struct rig_kind units = { "bnxt, units", NIC_BNXT, NIC_BNXT_MSN, 8 };

static void test_entries(void)
{
	for (size_t i = 0; i < TEST_LEN(vectors); i++) {
		const struct vector *v = &vectors[i];
		uint8_t want[64];
		struct rig r;

		rig_open(&r, &plain, 4, 0);
		nic_write(&r.q, 18, &v->op); /* the third of the ring, in its second round */
		CHECK_MEM(v->name, (uint8_t *)(uintptr_t)r.q.ring + 2 * 128, v->bytes, v->len);
		rig_close(&r);
		/* With indices of units, an entry states that it takes all eight. */
		memcpy(want, v->bytes, sizeof(want));
		want[2] = 8;
		rig_open(&r, &units, 4, 0);
		nic_write(&r.q, 18, &v->op);
		CHECK_MEM(v->name, (uint8_t *)(uintptr_t)r.q.ring + 2 * 128, want, v->len);
		rig_close(&r);
	}
}

/* Packets of 1024 bytes: 3000 bytes are three, an atomic and nothing are one each. */
static void post_three(struct rig *r)
{
	struct nic_op ops[3] = { { .kind = NIC_WRITE, .len = 3000 },
				 { .kind = NIC_ADD, .len = 8 },
				 { .kind = NIC_WRITE, .signal = true } };
	uint64_t end;

	r->q.next_psn = 0xfffffe;
	CHECK(rig_post(r, ops, 3, &end));
	CHECK_EQ("next", r->q.next_psn, 3);
}

static void test_numbers(void)
{
	static const uint8_t ext[48] = {
		0xfe, 0xff, 0xff, 0x04, 0x01, 0x00, 0x00, 0x00, 0x0e, 0, 0, 0, 0, 0, 0, 0, /* 14 */
		0x01, 0x00, 0x00, 0x0b, 0x02, 0x00, 0x00, 0x00, 0x0f, 0, 0, 0, 0, 0, 0, 0, /* 15 */
		0x02, 0x00, 0x00, 0x04, 0x03, 0x00, 0x00, 0x00, 0x00, 0, 0, 0, 0, 0, 0, 0, /* 0 */
	};
	static const uint8_t msn[24] = {
		0xfe, 0xff, 0xff, 0x01, 0x00, 0x00, 0x0e, 0x00, 0x01, 0x00, 0x00, 0x02,
		0x00, 0x00, 0x0f, 0x00, 0x02, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00,
	};
	static const uint8_t msn_units[24] = {
		0xfe, 0xff, 0xff, 0x01, 0x00, 0x00, 0x70, 0x00, 0x01, 0x00, 0x00, 0x02,
		0x00, 0x00, 0x78, 0x00, 0x02, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00,
	};
	static const struct {
		const struct rig_kind *kind;
		const uint8_t *want;
		size_t size;
	} rows[] = { { &plain, ext, 16 }, { &table, msn, 8 }, { &units, msn_units, 8 } };

	for (size_t i = 0; i < TEST_LEN(rows); i++) {
		const uint8_t *got;
		size_t size = rows[i].size;
		struct rig r;

		rig_open(&r, rows[i].kind, 4, 14);
		got = (const uint8_t *)(uintptr_t)r.q.psn;
		post_three(&r);
		CHECK_MEM(rows[i].kind->name, got + 14 * size, rows[i].want, 2 * size);
		CHECK_MEM(rows[i].kind->name, got, rows[i].want + 2 * size, size);
		rig_close(&r);
	}
}

/* The index, the round in bit 24, and above: queue number, valid (bit 26), type (bit 28). */
static void test_doorbells(void)
{
	static const uint8_t first[8] = { 0x01, 0, 0, 0x00, 0xcd, 0x12, 0x0b, 0x04 };
	static const uint8_t second[8] = { 0x02, 0, 0, 0x01, 0xcd, 0x12, 0x0b, 0x04 };
	static const uint8_t in_units[8] = { 0x10, 0, 0, 0x01, 0xcd, 0x12, 0x0b, 0x04 };
	static const uint8_t seen[8] = { 0x01, 0, 0, 0x00, 0x45, 0x23, 0x01, 0x44 };
	struct nic_op op = { .kind = NIC_WRITE, .signal = true };
	struct nic_job job;
	uint64_t end;
	struct rig r;

	rig_open(&r, &plain, 4, 0);
	CHECK(rig_post(&r, &op, 1, &end));
	CHECK_MEM("first round", &r.doorbell, first, 8);
	CHECK_EQ("job", nic_serve_next(&r.s, &job), 1);
	nic_serve_complete(&r.s, &job, 0);
	nic_poll(&r.q);
	CHECK_MEM("completions", &r.cq_doorbell, seen, 8);
	rig_close(&r);
	rig_open(&r, &plain, 4, 17);
	CHECK(rig_post(&r, &op, 1, &end));
	CHECK_MEM("second round", &r.doorbell, second, 8);
	rig_close(&r);
	rig_open(&r, &units, 4, 17);
	CHECK(rig_post(&r, &op, 1, &end));
	CHECK_MEM("units", &r.doorbell, in_units, 8);
	rig_close(&r);
}

/* 32 bytes: handle, index of the next entry, nothing; phase, type << 1, status << 8. */
static void cqe(struct rig *r, uint32_t at, uint16_t next, uint32_t type, uint32_t status)
{
	uint8_t c[32] = { 0 };
	uint32_t flags = (~(at / 16) & 1) | type << 1 | status << 8;

	memset(c, 0x77, 8);
	memcpy(c + 8, &next, 2);
	memcpy(c + 24, &flags, 4);
	memcpy((uint8_t *)(uintptr_t)r->q.cq + at % 16 * 32, c, 32);
}

static void test_completions(void)
{
	struct nic_op op = { .kind = NIC_WRITE, .signal = true };
	uint64_t end = 0;
	struct rig r;

	rig_open(&r, &plain, 4, 0);
	for (uint32_t i = 0; i < 40; i++) { /* through both phases */
		CHECK(rig_post(&r, &op, 1, &end));
		nic_poll(&r.q);
		CHECK_EQ("not done", r.q.done, i);
		cqe(&r, i, (uint16_t)((i + 1) % 16), 0, 0);
		nic_poll(&r.q);
		CHECK_EQ("done", r.q.done, i + 1);
	}
	CHECK(rig_post(&r, &op, 1, &end));
	cqe(&r, 40, 0, 1, 0); /* one of the receive side: nothing to do with us */
	nic_poll(&r.q);
	CHECK_EQ("others", r.q.done, 40);
	CHECK_EQ("others", r.q.status, 0);
	cqe(&r, 41, 9, 0, 0x07);
	CHECK_EQ("remote access", nic_wait(&r.q, r.p, end), MORI_SHMEM_EIO);
	CHECK_EQ("syndrome", r.q.syndrome, 7);
	rig_close(&r);
	rig_open(&r, &plain, 4, 0);
	CHECK(rig_post(&r, &op, 1, &end));
	cqe(&r, 0, 0, 0x0e, 0); /* the queue was ended */
	CHECK_EQ("ended", nic_wait(&r.q, r.p, end), MORI_SHMEM_EIO);
	rig_close(&r);
}

int main(void)
{
	test_deadline(100);
	test_entries();
	test_numbers();
	test_doorbells();
	test_completions();
	return test_result();
}
