// SPDX-License-Identifier: MIT
/*
 * Queues of NICs end to end, over fake libraries: two PEs of this process open a NIC
 * each, connect a queue pair, and post writes, reads, inline writes and atomics, which a
 * thread executes as the NIC would, under the keys and states it was given. With rings
 * in the host's memory and in the device's; kernels may see them elsewhere. Then every
 * call fails once, and nothing is left over.
 */
#include "unit_nic.h"
#include "unit_verbs.h"
#include "util/log.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#define HEAP	  4096u
#define ELSEWHERE (1ull << 47) /* above every address here: where kernels see what was shown */

static const struct fake_nic nics[] = {
	{ .name = "mlx5_0", .ports = 1, .port = { ROCE("1") } },
	{ .name = "mlx5_1",
	  .ports = 1,
	  .port = { { .infiniband = true, .lid = 3, UP_200G, .gids = { { "fe80::1", false } } } } },
	{ .name = "mlx5_2",
	  .ports = 1,
	  .port = { { .state = IBV_PORT_ACTIVE,
		      .speed = 64,
		      .width = 2,
		      .mtu = IBV_MTU_1024,
		      .gids = { { "fe80::1", false } } } },
	  .no_devx = true,
	  .no_dmabuf = true },
	{ .name = "bnxt_re0", .ports = 1, .port = { ROCE("2") } },
	{ .name = "ionic_0", .ports = 1, .port = { ROCE("3") } },
};

/* Memory of a device and what kernels were shown, counted. */
static int device_parts, device_shown;

static int device_alloc(struct accel_dev *d, uint64_t len, void **out)
{
	(void)d;
	if (fake_step(__func__))
		return err_set(MORI_SHMEM_ENOMEM, "the device has no memory");
	*out = aligned_alloc(4096, len);
	memset(*out, 0xdd, len);
	device_parts++;
	return 0;
}

static void device_free(struct accel_dev *d, void *at)
{
	(void)d;
	free(at);
	device_parts--;
}

static int device_copy(struct accel_dev *d, void *dst, const void *src, uint64_t len)
{
	(void)d;
	if (fake_step(__func__))
		return err_set(MORI_SHMEM_EIO, "the copy failed");
	memcpy(dst, src, len);
	return 0;
}

static int device_dmabuf(struct accel_dev *d, const void *at, uint64_t len, int *fd, uint64_t *off)
{
	/* As a driver that gives out whole allocations. */
	const char *base = (const char *)at - 4096;

	(void)d, (void)len;
	if (fake_step(__func__))
		return MORI_SHMEM_ENOTSUP;
	*fd = memfd_create("dmabuf", MFD_CLOEXEC);
	if (*fd < 0 || write(*fd, &base, sizeof(base)) != sizeof(base))
		return MORI_SHMEM_EIO;
	*off = 4096;
	return 0;
}

static int device_show(struct accel_dev *d, void *at, uint64_t len, bool io, void **out)
{
	(void)d, (void)io;
	if (fake_step(__func__))
		return err_set(MORI_SHMEM_EIO, "nothing can be shown");
	CHECK((uintptr_t)at % 4096 == 0 && len % 4096 == 0 && len);
	*out = (char *)at + ELSEWHERE;
	device_shown++;
	return 0;
}

static void device_hide(struct accel_dev *d, void *at)
{
	(void)d, (void)at;
	device_shown--;
}

static const struct verbs_memory shows = { .show = device_show, .hide = device_hide };
static const struct verbs_memory places = {
	.alloc = device_alloc,
	.free = device_free,
	.copy = device_copy,
	.dmabuf = device_dmabuf,
	.show = device_show,
	.hide = device_hide,
};

static const struct way {
	const char *text, *nic;
	const struct verbs_memory *memory;
	uint32_t flags; /* that the queue must have */
	bool msn;
	int qps; /* per peer; 1 if rings are distinguished by a register alone */
} ways[] = {
	{ "mlx5, RoCE", "mlx5_0", NULL, NIC_NO_MASKED, false, 3 },
	{ "mlx5, RoCE, shown", "mlx5_0", &shows, NIC_NO_MASKED, false, 3 },
	{ "mlx5, RoCE, DevX", "mlx5_0", &places, NIC_NO_MASKED, false, 3 },
	{ "mlx5, InfiniBand", "mlx5_1", NULL, NIC_NO_MASKED, false, 2 },
	{ "mlx5, InfiniBand, DevX", "mlx5_1", &places, NIC_NO_MASKED, false, 2 },
	{ "mlx5, RoCE v1, no DevX, no dma-buf", "mlx5_2", &places, NIC_NO_MASKED, false, 2 },
	{ "bnxt", "bnxt_re0", NULL, 0, false, 1 },
	{ "bnxt, shown", "bnxt_re0", &shows, 0, false, 1 },
	{ "bnxt, table of messages, in the device", "bnxt_re0", &places, NIC_BNXT_MSN, true, 1 },
	{ "ionic", "ionic_0", NULL, 0, false, 1 },
	{ "ionic, shown", "ionic_0", &shows, 0, false, 1 },
	{ "ionic, first version", "ionic_0", &shows, NIC_IONIC_V1, false, 1 },
	{ "ionic, device", "ionic_0", &places, 0, false, 1 },
};

#define QPS 3

/* A PE: its NIC, its heap with guards around it, its queues. */
struct pe {
	struct verbs *nic;
	uint8_t *memory, *heap;
	struct verbs_qp *qp[QPS];
	struct verbs_record record[QPS];
	struct nic_queue q[QPS];
};

static int pe_open(struct pe *p, const struct way *w, int turn)
{
	struct verbs_config c = machine_config();
	int err;

	memset(p, 0, sizeof(*p));
	c.devices = w->nic;
	c.memory = w->memory;
	c.turn = turn;
	c.sl = 3;
	c.tc = 104;
	fake_bnxt_msn(w->msn);
	fake_ionic(w->flags & NIC_IONIC_V1 ? 1 : 2);
	p->memory = aligned_alloc(4096, 3 * HEAP);
	p->heap = p->memory + HEAP;
	memset(p->memory, 0xbb, 3 * HEAP);
	err = verbs->open(&c, &p->nic);
	if (!err)
		err = verbs->heap(p->nic, p->heap, HEAP, w->memory == &places);
	for (int i = 0; i < w->qps && !err; i++) {
		err = verbs->qp_open(p->nic, !turn, i, &p->qp[i]);
		if (!err)
			verbs->qp_record(p->qp[i], &p->record[i]);
	}
	return err;
}

static void pe_close(struct pe *p)
{
	for (int i = 0; i < QPS; i++)
		verbs->qp_close(p->qp[i]);
	verbs->close(p->nic);
	free(p->memory);
}

static int pes_open(struct pe pes[2], const struct way *w)
{
	int err = pe_open(&pes[0], w, 0);

	memset(&pes[1], 0, sizeof(pes[1]));
	if (!err)
		err = pe_open(&pes[1], w, 1);
	for (int k = 0; k < 2 * w->qps && !err; k++)
		err = verbs->qp_connect(pes[k & 1].qp[k >> 1], &pes[!(k & 1)].record[k >> 1],
					&pes[k & 1].q[k >> 1]);
	return err;
}

/* The lowest number that is free: the same again if no file stays open. */
static int free_fd(void)
{
	int fd = dup(2);

	close(fd);
	return fd;
}

static void pes_close(struct pe pes[2], const char *text)
{
	static int first = -1;

	pe_close(&pes[0]);
	pe_close(&pes[1]);
	CHECK_EQ(text, fake_live(true), 0);
	CHECK_EQ("memory of the device", device_parts, 0);
	CHECK_EQ("shown", device_shown, 0);
	if (first < 0)
		first = free_fd();
	CHECK_EQ("open files", free_fd(), first);
}

static uint64_t here(uint64_t addr)
{
	return addr & ~ELSEWHERE;
}

static uint64_t at(const void *p)
{
	return (uintptr_t)p;
}

/* Where the parts are, as the library reported or was given, and what our own begin with. */
static void check_places(const struct way *w, const struct nic_queue *q, const struct fake_qp *f)
{
	const uint64_t *users = (const uint64_t *)(uintptr_t)here(q->slot_owner);
	const uint64_t *marks = (const uint64_t *)(uintptr_t)here(q->marks);
	bool ionic = q->format == NIC_IONIC;

	CHECK_EQ(w->text, here(q->ring), at(f->devx ? f->told[0] : f->ring));
	CHECK_EQ(w->text, here(q->doorbell), at(f->doorbells + (ionic ? 8 + 3 : 0)));
	if (ionic) {
		CHECK_EQ(w->text, here(q->cq_doorbell), at(f->doorbells + 8 + 5));
		CHECK_EQ("as told", q->bell, (uint64_t)q->qpn << 24 | FAKE_BELL);
		CHECK_EQ("as told", q->cq_bell, (uint64_t)q->cqn << 24 | FAKE_BELL);
	}
	if (f->devx) {
		CHECK_EQ(w->text, here(q->record), at(f->told[1]));
		CHECK_EQ(w->text, here(q->cq), at(f->told[2]));
		CHECK_EQ(w->text, here(q->cq_record), at(f->told[3]));
		CHECK(q->record != q->cq_record);
	}
	if (q->format == NIC_BNXT) {
		CHECK_EQ("units", q->index_by, w->msn ? 8 : 1);
		CHECK_EQ("table", q->log_psn, w->msn ? 6 : 4);
		CHECK_EQ("its place", here(q->psn),
			 at(f->ring) + 4096 - (w->msn ? 64 * 8 : 16 * 16));
	}
	CHECK_EQ("the cell of nobody", users[0], 1);
	for (uint32_t i = 1; i < q->result_slots; i++)
		CHECK_EQ("a free cell", users[i], 0);
	for (uint32_t i = 0; i < 1u << q->log_slots; i++)
		CHECK_EQ("a mark", marks[i], 0);
}

/* What a queue pair reports, and how the NIC was configured. */
static void check_queue(const struct way *w, const struct pe *p, const struct pe *peer, int i)
{
	const struct nic_queue *q = &p->q[i];
	const struct verbs_port *port = verbs->port(p->nic);
	const struct fake_qp *f = fake_qp_find(p->record[i].qpn);
	bool ib = !port->ethernet;

	CHECK_EQ(w->text, q->format, port->format);
	CHECK_EQ(w->text, q->flags, w->flags);
	CHECK_EQ(w->text, q->log_slots, 4);
	CHECK(q->log_cq >= q->log_slots);
	CHECK_EQ("mtu", q->mtu, port->mtu == IBV_MTU_1024 ? 1024 : 4096);
	CHECK_EQ("heap", q->heap, (uintptr_t)peer->heap);
	CHECK_EQ("rkey", q->rkey, peer->record[i].rkey);
	CHECK_EQ("qp", q->qp, i);
	CHECK(q->lkey && q->results_key && q->lkey != q->rkey);
	CHECK_EQ("first packet", q->next_psn, p->record[i].psn);
	if (!CHECK(f && f->ready))
		return;
	check_places(w, q, f);
	CHECK_EQ("port", f->attr.port_num, 1);
	CHECK_EQ("peer", f->attr.dest_qp_num, peer->record[i].qpn);
	CHECK_EQ("its packets", f->attr.rq_psn, peer->record[i].psn);
	CHECK_EQ("packets", f->attr.sq_psn, p->record[i].psn);
	CHECK_EQ("reads", f->attr.max_rd_atomic, 8);
	CHECK_EQ("reads of the peer", f->attr.max_dest_rd_atomic, 16);
	CHECK_EQ("MTU", f->attr.path_mtu, port->mtu);
	CHECK_EQ("SL", f->attr.ah_attr.sl, 3);
	CHECK_EQ("GRH", f->attr.ah_attr.is_global, !ib);
	CHECK_EQ("LID", f->attr.ah_attr.dlid, ib ? 3 : 0);
	if (ib)
		return;
	CHECK_EQ("TC", f->attr.ah_attr.grh.traffic_class, 104);
	CHECK_EQ("GID", f->attr.ah_attr.grh.sgid_index, port->gid_index);
	CHECK_MEM("GID", f->attr.ah_attr.grh.dgid.raw, peer->record[i].gid, 16);
}

/* The addresses of kernels as this process has them; a check, too, of what was shown. */
static void near_by(struct nic_queue *q, const struct way *w)
{
	uint64_t *shown[] = { &q->ring,	      &q->cq,		&q->record,	 &q->cq_record,
			      &q->psn,	      &q->doorbell,	&q->cq_doorbell, &q->marks,
			      &q->slot_owner, &q->result_values };

	for (size_t i = 0; i < TEST_LEN(shown); i++) {
		if (w->memory == &shows)
			CHECK(!*shown[i] || *shown[i] > ELSEWHERE);
		*shown[i] = here(*shown[i]);
	}
	/* One register for both rings; the server here polls memory and does not see writes. */
	if (q->format == NIC_BNXT)
		q->cq_doorbell += 8;
}

/* The NIC at one end of a queue pair. */
struct nic {
	struct nic_queue *q;
	struct nic_server s;
	struct fake_qp *f;
	uint64_t cells_off; /* from our address of the cells to the one that kernels have */
	pthread_t thread;
	int stop, jobs, error;
};

static int carry_out(struct nic *n, const struct nic_job *job)
{
	const struct nic_op *op = &job->op;
	bool in = op->kind == NIC_INLINE;
	void *remote = op->len ? fake_reach(op->rkey, op->remote, op->len, true) : NULL;
	uint64_t at = op->local + (op->lkey == n->q->results_key ? n->cells_off : 0);
	void *local = op->len && !in ? fake_reach(op->lkey, at, op->len, false) : NULL;

	if (!op->len)
		return 0;
	if (!n->f->ready || !remote || (!in && !local))
		return MORI_SHMEM_EFAULT;
	if (op->kind == NIC_WRITE)
		memcpy(remote, local, op->len);
	else if (op->kind == NIC_READ)
		memcpy(local, remote, op->len);
	else if (in)
		memcpy(remote, op->data, op->len);
	else
		nic_serve_result(&n->s, job, local, formats_atomic(op, remote));
	return 0;
}

static void *nic_main(void *arg)
{
	struct nic *n = arg;
	struct nic_job job;
	int got;

	while (!__atomic_load_n(&n->stop, __ATOMIC_ACQUIRE)) {
		got = nic_serve_next(&n->s, &job);
		if (got == 1) {
			n->jobs++;
			nic_serve_complete(&n->s, &job, carry_out(n, &job));
		} else if (got < 0) {
			n->error = got;
			nic_serve_complete(&n->s, &job, got);
			break;
		} else {
			sched_yield();
		}
	}
	return NULL;
}

static void nic_start(struct nic *n, struct nic_queue *q, const struct way *w, uint32_t qpn)
{
	memset(n, 0, sizeof(*n));
	n->q = q;
	n->cells_off = q->result_values;
	near_by(q, w);
	n->cells_off -= q->result_values;
	n->f = fake_qp_find(qpn);
	nic_serve_open(&n->s, q);
	CHECK_EQ("thread", pthread_create(&n->thread, NULL, nic_main, n), 0);
}

static void nic_stop(struct nic *n)
{
	__atomic_store_n(&n->stop, 1, __ATOMIC_RELEASE);
	pthread_join(n->thread, NULL);
	CHECK_EQ("format", n->error, 0);
}

static struct nic_remote there(const struct nic_queue *q, uint64_t off)
{
	return (struct nic_remote){ q->heap + off, q->rkey };
}

/* Everything over one queue, round its ring many times; the peer's heap is the oracle. */
static void traffic(const struct way *w, struct pe *me, struct pe *peer, int i)
{
	struct dev_state st = { .life = DEV_LIFE_OPEN };
	struct nic_deadline p = { &st, 60000000000ull };
	struct nic_queue *q = &me->q[i];
	struct nic_local l = { (uintptr_t)me->heap, q->lkey };
	uint64_t sum = 0, *word = (uint64_t *)(peer->heap + 2048);
	struct nic_fetched f;
	struct nic n;

	nic_start(&n, q, w, me->record[i].qpn);
	for (int k = 0; k < 100; k++) {
		uint64_t len = 1 + (uint64_t)k * 19 % 1024;

		for (uint64_t b = 0; b < 1024; b++)
			me->heap[b] = (uint8_t)(b * 3 + (uint64_t)k + (uint64_t)i * 7);
		memset(peer->heap, 0xcc, 1024);
		CHECK_EQ(w->text, nic_put(q, p, NIC_DONE, l, there(q, 0), len), 0);
		CHECK_MEM("put", peer->heap, me->heap, len);
		CHECK_EQ("guard", peer->heap[len], len < 1024 ? 0xcc : peer->heap[len]);
		memset(me->heap, 0xee, 1024);
		CHECK_EQ(w->text, rig_get(q, p, NIC_DONE, l, there(q, 0), len), 0);
		CHECK_MEM("get", me->heap, peer->heap, len);
		CHECK_EQ(w->text,
			 rig_put_inline(q, p, NIC_DONE, &(uint64_t){ (uint64_t)k }, there(q, 1032),
					8),
			 0);
		CHECK_EQ("inline", *(uint64_t *)(peer->heap + 1032), k);
	}
	*word = 40;
	for (uint64_t k = 1; k <= 50; k++) {
		f = nic_amo(q, p, MORI_SHMEM_AMO_ADD, 8, there(q, 2048), k, 0, true);
		CHECK_EQ(w->text, f.err, 0);
		CHECK_EQ("fetched", f.old, 40 + sum);
		sum += k;
	}
	CHECK_EQ("sum", *word, 40 + sum);
	f = nic_amo(q, p, MORI_SHMEM_AMO_SET, 8, there(q, 2048), 5, 0, true);
	CHECK_EQ(w->text, f.err, 0);
	CHECK_EQ("swapped", f.old, 40 + sum);
	CHECK_EQ("set", *word, 5);
	CHECK_EQ("status", q->status, 0);
	CHECK(n.jobs >= 300 + 51);
	/* Beyond the heap the peer's NIC refuses. */
	CHECK_EQ("out of the heap", nic_put(q, p, NIC_DONE, l, there(q, HEAP - 4), 8),
		 MORI_SHMEM_EIO);
	nic_stop(&n);
}

static void check_guards(const struct pe *p)
{
	for (size_t i = 0; i < HEAP; i++)
		if (!CHECK(p->memory[i] == 0xbb && p->memory[2 * HEAP + i] == 0xbb))
			return;
}

static void test_way(const struct way *w)
{
	struct pe pes[2];
	int err;

	test_at(w->text);
	err = pes_open(pes, w);
	if (!CHECK_EQ(w->text, err, 0))
		fprintf(stderr, "%s: %s\n", w->text, err_text());
	for (int i = 0; i < w->qps && !err; i++) {
		check_queue(w, &pes[0], &pes[1], i);
		check_queue(w, &pes[1], &pes[0], i);
		traffic(w, &pes[0], &pes[1], i);
		traffic(w, &pes[1], &pes[0], i);
	}
	check_guards(&pes[0]);
	check_guards(&pes[1]);
	pes_close(pes, w->text);
}

/* A NIC less to choose from, or a second way: only these may fail without harm. */
static bool may_fail(const char *call)
{
	static const char *const calls[] = {
		"ibv_open_device",	   "ibv_query_device",	  "ibv_query_port",
		"_ibv_query_gid_ex",	   "ibv_reg_dmabuf_mr",	  "mlx5dv_open_device",
		"mlx5dv_devx_umem_reg_ex", "bnxt_re_dv_umem_reg", "device_dmabuf",
	};

	for (size_t i = 0; i < TEST_LEN(calls); i++)
		if (!strcmp(call, calls[i]))
			return true;
	return false;
}

/* Every call of a library and of the device fails once, in the whole of a set-up. */
static void test_faults(const struct way *w)
{
	struct pe pes[2];
	int calls;

	test_at(w->text);
	fake_fail(0);
	CHECK_EQ(w->text, pes_open(pes, w), 0);
	calls = fake_fail(0);
	pes_close(pes, w->text);
	for (int nth = 1; nth <= calls; nth++) {
		int err;

		fake_fail(nth);
		err = pes_open(pes, w);
		/* Records may share pages, or not: then there is a call less to fail. */
		if (!CHECK(*fake_failed() ? err < 0 || may_fail(fake_failed()) : !err))
			fprintf(stderr, "%s: %s\n", w->text, fake_failed());
		fake_fail(0);
		CHECK(!err || *err_text());
		pes_close(pes, w->text);
	}
	CHECK(calls > 20);
}

static void test_mismatch(void)
{
	static const struct way eth = { .nic = "mlx5_0", .qps = 1 },
				ib = { .nic = "mlx5_1", .qps = 1 };
	static const struct way v1 = { .nic = "mlx5_2", .qps = 1 };
	struct pe a, b, c;
	struct verbs_record none = { 0 };
	struct verbs_qp *q;

	CHECK_EQ("Ethernet", pe_open(&a, &eth, 0), 0);
	CHECK_EQ("InfiniBand", pe_open(&b, &ib, 1), 0);
	CHECK_EQ("v1", pe_open(&c, &v1, 1), 0);
	CHECK_EQ("links", verbs->qp_connect(a.qp[0], &b.record[0], &a.q[0]), MORI_SHMEM_EREACH);
	CHECK_TEXT(err_text(), "mlx5_0 port 1 and mlx5_1 of PE 1 cannot be connected");
	CHECK_EQ("RoCE", verbs->qp_connect(a.qp[0], &c.record[0], &a.q[0]), MORI_SHMEM_EREACH);
	CHECK_TEXT(err_text(), "RoCE v1");
	CHECK_EQ("nothing", verbs->qp_connect(a.qp[0], &none, &a.q[0]), MORI_SHMEM_EINVAL);
	CHECK_TEXT(err_text(), "PE 1 sent no address of a NIC");
	CHECK_EQ("twice", verbs->qp_connect(b.qp[0], &b.record[0], &b.q[0]), 0);
	CHECK_EQ("twice", verbs->qp_connect(b.qp[0], &b.record[0], &b.q[0]), MORI_SHMEM_EIO);
	CHECK_TEXT(err_text(), "mlx5_1 port 1: no path from GID 0 to fe80::1");
	CHECK_EQ("two heaps", verbs->heap(a.nic, a.heap, HEAP, false), MORI_SHMEM_EINVAL);
	pe_close(&a);
	CHECK_EQ("no heap", pe_open(&a, &(struct way){ .nic = "mlx5_0" }, 0), 0);
	pe_close(&a);
	struct verbs_config config = machine_config();

	CHECK_EQ("open", verbs->open(&config, &a.nic), 0);
	CHECK_EQ("no heap", verbs->qp_open(a.nic, 1, 0, &q), MORI_SHMEM_EINVAL);
	verbs->close(a.nic);
	pe_close(&b);
	pe_close(&c);
	CHECK_EQ("left", fake_live(true), 0);
}

/* Where data is the device's, completions must not overtake it. */
static void test_overtakes(void)
{
	static const struct {
		const char *nic, *text; /* NULL: they do not */
	} cases[] = {
		{ "mlx5_0", NULL },
		{ "mlx5_2", "mlx5_2 port 1: without DevX its completions are in host memory" },
		{ "bnxt_re0", NULL },
		{ "ionic_0", "its completions are in host memory and may overtake data" },
	};

	for (size_t i = 0; i < TEST_LEN(cases); i++) {
		struct verbs_config c = machine_config();
		struct verbs_qp *q = NULL;
		struct verbs *v = NULL;
		uint8_t *heap = aligned_alloc(4096, HEAP);
		int err;

		test_at(cases[i].nic);
		c.devices = cases[i].nic;
		c.memory = &places;
		c.device = true;
		err = verbs->open(&c, &v);
		if (!err)
			err = verbs->heap(v, heap, HEAP, true);
		if (!err)
			err = verbs->qp_open(v, 1, 0, &q);
		CHECK_EQ(cases[i].nic, err != 0, cases[i].text != NULL);
		if (cases[i].text)
			CHECK_TEXT(err_text(), cases[i].text);
		verbs->qp_close(q);
		verbs->close(v);
		free(heap);
		CHECK_EQ("left", fake_live(true), 0);
	}
}

/* An unknown version is refused by name. */
static void test_version(void)
{
	static const struct way way = { .nic = "ionic_0", .qps = 1 };
	struct pe pes[2];

	test_at("version");
	CHECK_EQ("one", pe_open(&pes[0], &way, 0), 0);
	CHECK_EQ("other", pe_open(&pes[1], &way, 1), 0);
	fake_ionic(0);
	CHECK_EQ("version", verbs->qp_connect(pes[0].qp[0], &pes[1].record[0], &pes[0].q[0]),
		 MORI_SHMEM_ENOTSUP);
	CHECK_TEXT(err_text(), "ionic_0 port 1: the version of the NIC's format is unknown");
	fake_ionic(2);
	pes_close(pes, "version");
}

int main(void)
{
	test_deadline(110);
	log_set_level(LOG_ERROR);
	if (machine_open())
		return 1;
	machine_device("pci0000:16/0000:17:00.0", "mlx5_core", 0, "mlx5_0");
	machine_device("pci0000:16/0000:18:00.0", "mlx5_core", 0, "mlx5_1");
	machine_device("pci0000:16/0000:19:00.0", "mlx5_core", 0, "mlx5_2");
	machine_device("pci0000:16/0000:1a:00.0", "bnxt_en", 0, "bnxt_re0");
	machine_device("pci0000:16/0000:1b:00.0", "ionic", 0, "ionic_0");
	fake_nics(nics, TEST_LEN(nics));
	for (size_t i = 0; i < TEST_LEN(ways); i++)
		test_way(&ways[i]);
	for (size_t i = 0; i < TEST_LEN(ways); i++)
		test_faults(&ways[i]);
	test_mismatch();
	test_overtakes();
	test_version();
	machine_close();
	return test_result();
}
