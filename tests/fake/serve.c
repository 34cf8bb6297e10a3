// SPDX-License-Identifier: MIT
/*
 * The fake NIC at work: a thread that carries out what kernels post to queue pairs of this
 * process, under the keys, numbers and states they were set up with. It goes by doorbells and
 * records alone. The environment says what there is, for programs that know nothing of it:
 *
 *	FAKE_NICS	NICs, as "mlx5_0,bnxt_re0"; without it nothing is served
 *	FAKE_FAIL	a call that fails, as "ibv_create_qp" or, from its third time on, "ibv_create_qp:3"
 *	FAKE_BAD	the number of an entry, and of those after it, that a peer does not answer
 *	FAKE_LATE	1: data that is not in the entry itself takes its time, and with it what is behind it
 *			in its queue; other queues go on
 *	FAKE_IONIC	1: NICs of Pensando have the first version of the format, not the second
 *	FAKE_COUNT	a file that gets, at the end, how many entries there were of each kind, and what is left
 */
#include "fake/fake.h"

#include "fake/formats.h"
#include "nic/bnxt_format.h"
#include "nic/mlx5_format.h"

#include <mori/shmem_types.h>

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define AT_ONCE	  64  /* entries of a queue */
#define TURNS	  200 /* without work, before it sleeps */
#define NAP_NS	  50000
#define LATE_NS	  1000000
#define IONIC_REG 11 /* word of the registers: the page begins at 8, and the kind of queue is 3 */

static struct {
	struct fake_nic nics[4];
	char names[256];
	uint64_t jobs, bad, kinds[NIC_RMW + 1];
	bool on, late;
} serve;

static uint64_t load(const uint64_t *at)
{
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static uint32_t log_of(uint32_t n)
{
	return (uint32_t)__builtin_ctz(n);
}

/* It is ready: how its queue is read. What tells of entries is written by this thread. */
void fake_serve_open(struct fake_qp *q)
{
	const char *name = fake_nic_of(q->qp.context)->name;
	bool bnxt = !strncmp(name, "bnxt", 4);
	struct nic_queue n = {
		.format = bnxt			    ? NIC_BNXT :
			  !strncmp(name, "mlx5", 4) ? NIC_MLX5 :
						      NIC_IONIC,
		.flags = (bnxt && fake_has_bnxt_msn() ? NIC_BNXT_MSN : 0) |
			 (fake_ionic_version() == 1 ? NIC_IONIC_V1 : 0),
		.index_by = bnxt && fake_has_bnxt_msn() ? 8 : 1,
		.log_slots = log_of(q->slots),
		.log_cq = log_of((uint32_t)q->qp.send_cq->cqe + 1),
		.qpn = q->qp.qp_num,
		.ring = (uintptr_t)q->ring,
		.cq = (uintptr_t)q->qp.send_cq->cq_context,
		.record = (uintptr_t)q->shadow,
		.doorbell = (uintptr_t)&q->bell,
	};

	nic_serve_open(&q->server, &n);
	q->psn = q->attr.sq_psn;
	q->served = true;
}

/* mlx5: the register has the beginning of the last entry; the record counts. */
static void look_mlx5(struct fake_qp *q)
{
	uint64_t reg = load(q->doorbells);

	if (reg == q->bell || nic_be_32((uint32_t)(reg >> 32)) >> 8 != q->qp.qp_num)
		return;
	q->bell = reg;
	q->shadow[MLX5_SEND_RECORD] =
		__atomic_load_n(&q->record[MLX5_SEND_RECORD], __ATOMIC_ACQUIRE);
}

/*
 * bnxt has one register for entries and completions, of which only the last value can be
 * seen here; but the thread that rings has numbered the packets of its entries before.
 */
static void look_bnxt(struct fake_qp *q)
{
	const struct nic_server *s = &q->server;
	uint32_t msn = s->flags & NIC_BNXT_MSN, round, index;
	uint64_t reg = load(q->doorbells), at = s->next, n, word;

	if (!(reg >> 32 & BNXT_DB_VALID))
		return;
	if (!(reg >> 32 & BNXT_DB_CQ) && (reg >> 32 & BNXT_DB_QPN) != q->qp.qp_num)
		return;
	for (uint32_t psn = q->psn; at - s->next < q->slots; at++) {
		n = at & (q->numbers - 1);
		word = load(&q->psns[msn ? n : 2 * n]);
		if ((word & BNXT_PSN) != psn)
			break;
		psn = (uint32_t)(word >> (msn ? 24 : 32)) & BNXT_PSN;
	}
	index = (uint32_t)(at & (q->slots - 1)) * s->index_by;
	round = (uint32_t)(at >> s->log_slots) & 1;
	q->bell = (uint64_t)BNXT_DB_VALID << 32 | round << BNXT_DB_EPOCH | index;
}

/* The number that follows those of the entry @job. */
static void next_psn(struct fake_qp *q, const struct nic_job *job)
{
	uint64_t len = nic_is_atomic(job->op.kind) ? 8 : job->op.len;

	q->psn = (q->psn + bnxt_packets(len, 128u << q->attr.path_mtu)) & BNXT_PSN;
}

static void look_ionic(struct fake_qp *q)
{
	uint64_t reg = load(q->doorbells + IONIC_REG);

	if ((reg & ~(uint64_t)0xffff) == ((uint64_t)q->qp.qp_num << 24 | FAKE_BELL))
		q->bell = reg;
}

/* Words in one piece: somebody may be looking at them. */
static void copy(void *to, const void *from, uint64_t len)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (len == 8 && !((uintptr_t)to & 7)) {
		uint64_t v;

		memcpy(&v, from, 8);
		__atomic_store_n((uint64_t *)to, v, __ATOMIC_RELEASE);
		return;
	}
	memcpy(to, from, len);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static int carry_out(struct fake_qp *q, const struct nic_job *job)
{
	const struct nic_op *op = &job->op;
	struct fake_qp *peer = fake_qp_find(q->attr.dest_qp_num);
	bool in = op->kind == NIC_INLINE;
	void *remote, *local = NULL;

	if (!peer || !peer->ready || peer->attr.dest_qp_num != q->qp.qp_num ||
	    (serve.bad && ++serve.jobs >= serve.bad))
		return MORI_SHMEM_EPEER;
	remote = fake_reach_by(peer->qp.context, op->rkey, op->remote, op->len, true);
	if (!in)
		local = fake_reach_by(q->qp.context, op->lkey, op->local, op->len, false);
	if (!remote || (!in && !local))
		return MORI_SHMEM_EFAULT;
	serve.kinds[op->kind]++;
	if (op->kind == NIC_WRITE)
		copy(remote, local, op->len);
	else if (op->kind == NIC_READ)
		copy(local, remote, op->len);
	else if (in)
		copy(remote, op->data, op->len);
	else
		nic_serve_result(&q->server, job, local, formats_atomic(op, remote));
	return 0;
}

/* Whether the next entry of @q is a write that is not to be carried out yet. */
static bool is_late(struct fake_qp *q)
{
	struct nic_server look = q->server;
	struct nic_job job;
	struct timespec ts;
	uint64_t now;

	if (!serve.late || nic_serve_next(&look, &job) <= 0 || job.op.kind != NIC_WRITE)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
	if (q->late_slot != job.slot + 1) {
		q->late_slot = job.slot + 1;
		q->late_until = now + LATE_NS;
	}
	return now < q->late_until;
}

static bool serve_one(struct fake_qp *q)
{
	struct nic_job job;
	int did = 0, got = 0, err = 0;

	if (q->server.format == NIC_MLX5)
		look_mlx5(q);
	else if (q->server.format == NIC_BNXT)
		look_bnxt(q);
	else
		look_ionic(q);
	while (!err && did < AT_ONCE && !is_late(q) && (got = nic_serve_next(&q->server, &job))) {
		did++;
		err = got < 0 ? got : carry_out(q, &job);
		if (!err && q->server.format == NIC_BNXT)
			next_psn(q, &job);
		nic_serve_complete(&q->server, &job, err);
	}
	if (err) /* such a queue pair is of no use any more */
		q->served = false;
	return did;
}

static void *serve_main(void *arg)
{
	int turns = 0;

	(void)arg;
	for (;;) {
		turns = fake_each(serve_one) ? 0 : turns + 1;
		if (turns > TURNS)
			nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
		else if (turns)
			sched_yield();
	}
	return NULL;
}

static void serve_start(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, serve_main, NULL) || pthread_detach(thread))
		exit(1);
}

bool fake_serves(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (serve.on)
		pthread_once(&once, serve_start);
	return serve.on;
}

__attribute__((destructor)) static void serve_count(void)
{
	const char *path = getenv("FAKE_COUNT");
	uint64_t all = 0;
	FILE *f;

	for (int i = 0; i <= NIC_RMW; i++)
		all += serve.kinds[i];
	f = path && all ? fopen(path, "w") : NULL; /* a launcher has served nothing */
	if (!f)
		return;
	fprintf(f, "writes %lu reads %lu inline %lu add %lu cas %lu live %d\n",
		(unsigned long)serve.kinds[NIC_WRITE], (unsigned long)serve.kinds[NIC_READ],
		(unsigned long)serve.kinds[NIC_INLINE], (unsigned long)serve.kinds[NIC_ADD],
		(unsigned long)serve.kinds[NIC_CAS], fake_live(true));
	fclose(f);
}

/* A port of RoCE v2 each. */
__attribute__((constructor)) static void serve_setup(void)
{
	const char *names = getenv("FAKE_NICS"), *bad = getenv("FAKE_BAD");
	int n = 0;

	if (!names)
		return;
	snprintf(serve.names, sizeof(serve.names), "%s", names);
	for (char *at = serve.names, *name; n < 4 && (name = strsep(&at, ","));) {
		serve.nics[n++] = (struct fake_nic){
			.name = name,
			.ports = 1,
			.port = { { .state = IBV_PORT_ACTIVE,
				    .speed = 64,
				    .width = 2,
				    .mtu = IBV_MTU_4096,
				    .gids = { { "::ffff:10.0.0.1", true } } } },
		};
	}
	serve.late = getenv("FAKE_LATE") != NULL;
	if (getenv("FAKE_IONIC"))
		fake_ionic(atoi(getenv("FAKE_IONIC")));
	serve.bad = bad ? strtoull(bad, NULL, 10) : 0;
	serve.on = true;
	fake_nics(serve.nics, n);
	fake_fail_call(getenv("FAKE_FAIL"));
}
