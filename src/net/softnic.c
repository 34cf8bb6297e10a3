// SPDX-License-Identifier: MIT
/*
 * A queue has two sides. Whoever serves it, one at a time under the port's lock, reads
 * entries, gives each a job and posts it to the network. Whoever drives the network ends
 * the job, with the engine held, and tells the poster of all that are done in a row. They
 * share the jobs, a ring: the first side adds at the head, the second takes at the tail.
 */
#include "net/softnic.h"

#include "util/err.h"
#include "util/log.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define WATCH_SPIN_NS 50000	/* after the last work a watcher looks without a pause, */
#define WATCH_NAP_NS  20000	/* then sleeps so long between two looks, */
#define WATCH_IDLE_NS 100000000 /* and after this time */
#define WATCH_LAZY_NS 500000	/* so long */

struct soft_job {
	struct net_post post; /* first: the network gives it back */
	struct soft_queue *queue;
	struct nic_job job;
	bool ended;
};

struct soft_queue {
	struct soft_port *port;
	struct nic_server server;
	int pe;
	uint64_t unwanted; /* where results go that nobody wants */
	uint32_t slots;
	struct soft_job *jobs; /* [slots]; NULL before the first */
	uint64_t head, tail;   /* atomic: jobs begun, and told */
	int status;	       /* atomic: with what it has ended, or 0 */
};

struct soft_port {
	struct soft_port *next;
	struct softnic *nic;
	struct soft_port_config config;
	pthread_mutex_t lock; /* of the serving side */
	struct soft_queue *queues;
};

struct softnic {
	struct net *net;
	pthread_mutex_t lock; /* of the list */
	struct soft_port *ports;
	pthread_t watcher;
	bool watches;
	int stop; /* atomic */
};

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void nap(long ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

/* The jobs at the tail that have ended, in order; the first that failed ends the queue. */
static void queue_tell(struct soft_queue *q)
{
	/* Acquire: pairs with the release in queue_begin(). */
	uint64_t head = __atomic_load_n(&q->head, __ATOMIC_ACQUIRE), tail = q->tail;

	for (; tail < head && q->jobs[tail % q->slots].ended; tail++) {
		struct soft_job *j = &q->jobs[tail % q->slots];

		if (!q->status)
			nic_serve_tell(&q->server, &j->job, j->post.status);
		if (j->post.status && !q->status)
			__atomic_store_n(&q->status, j->post.status, __ATOMIC_RELAXED);
		/* Release: pairs with the acquire of whoever uses the job again, or drains. */
		__atomic_store_n(&q->tail, tail + 1, __ATOMIC_RELEASE);
	}
}

/* From the network, with the engine held. */
static void job_done(struct net_post *post)
{
	struct soft_job *j = (struct soft_job *)post;

	if (!post->status && post->kind == NET_POST_AMO && post->fetch)
		nic_serve_result(&j->queue->server, &j->job, (void *)(uintptr_t)j->job.op.local,
				 post->old);
	j->ended = true;
	queue_tell(j->queue);
}

/* A masked atomic of the queue's format as the read-modify-write it was made of; -1: none. */
static int job_masked(const struct nic_op *op, uint64_t *value)
{
	uint64_t ones = op->len == 8 ? UINT64_MAX : UINT32_MAX;

	*value = op->value & ones;
	if (op->kind == NIC_MASKED_ADD)
		return !op->value_mask	      ? MORI_SHMEM_AMO_ADD :
		       op->value_mask == ones ? MORI_SHMEM_AMO_XOR :
						-1;
	if (op->compare_mask == ones && op->value_mask == ones)
		return MORI_SHMEM_AMO_COMPARE_SWAP;
	if (op->compare_mask)
		return -1;
	if (op->value_mask == ones)
		return MORI_SHMEM_AMO_SET;
	if (op->value == op->value_mask)
		return MORI_SHMEM_AMO_OR;
	*value = ~op->value_mask & ones;
	return op->value ? -1 : MORI_SHMEM_AMO_AND;
}

static int job_atomic(struct soft_job *j)
{
	const struct nic_op *op = &j->job.op;
	struct net_post *p = &j->post;

	p->kind = NET_POST_AMO;
	p->width = (int)op->len;
	p->value = op->value;
	p->compare = op->compare;
	p->fetch = op->local != j->queue->unwanted;
	p->op = op->kind == NIC_ADD	 ? MORI_SHMEM_AMO_ADD :
		op->kind == NIC_CAS	 ? MORI_SHMEM_AMO_COMPARE_SWAP :
		op->kind == NIC_ADD_REAL ? NET_AMO_ADD_REAL :
					   job_masked(op, &p->value);
	return p->op < 0 ? MORI_SHMEM_EINVAL : 0;
}

/* What the network is to do; 0, or why it cannot be. */
static int job_plan(struct soft_job *j)
{
	const struct soft_port_config *config = &j->queue->port->config;
	struct nic_op *op = &j->job.op;
	struct net_post *p = &j->post;

	p->kind = NET_POST_NONE;
	if (!op->len)
		return 0;
	p->at.pe = j->queue->pe;
	if (config->find(config->arg, op->remote, op->len, &p->at))
		return MORI_SHMEM_EFAULT;
	if (nic_is_atomic(op->kind))
		return job_atomic(j);
	p->kind = op->kind == NIC_READ ? NET_POST_GET : NET_POST_PUT;
	p->local = op->kind == NIC_INLINE ? (void *)op->data : (void *)(uintptr_t)op->local;
	p->len = op->len;
	if (op->kind != NIC_INLINE && config->device && config->device(config->arg, p->local))
		p->flags = NET_DEVICE;
	return 0;
}

/* @bad: what was wrong with the entry itself. */
static void queue_begin(struct soft_queue *q, const struct nic_job *job, int bad)
{
	uint64_t head = q->head;
	struct soft_job *j = &q->jobs[head % q->slots];

	*j = (struct soft_job){ .post.done = job_done, .queue = q, .job = *job };
	j->post.at.pe = q->pe;
	if (!bad)
		bad = job_plan(j);
	if (bad) {
		j->post.kind = NET_POST_NONE;
		j->post.status = bad;
	}
	/* Release: pairs with the acquire in queue_tell(). */
	__atomic_store_n(&q->head, head + 1, __ATOMIC_RELEASE);
	net_post(q->port->nic->net, &j->post);
}

/* With the port's lock: everything that was rung; how many entries that were. */
static int queue_serve(struct soft_queue *q)
{
	struct nic_job job;
	int n = 0, got;

	while (!__atomic_load_n(&q->status, __ATOMIC_RELAXED) &&
	       nic_serve_rung(&q->server) != q->server.next) {
		if (!q->jobs)
			q->jobs = calloc(q->slots, sizeof(*q->jobs));
		if (!q->jobs) {
			log_error("the soft NIC has no memory for a queue to PE %d", q->pe);
			break;
		}
		/* Acquire: pairs with the release in queue_tell(); a poster that lies gets nowhere. */
		if (q->head - __atomic_load_n(&q->tail, __ATOMIC_ACQUIRE) >= q->slots)
			break;
		got = nic_serve_next(&q->server, &job);
		if (!got)
			break;
		n++;
		queue_begin(q, &job, got < 0 ? got : 0);
		if (got < 0)
			break;
	}
	return n;
}

void soft_rang(void *arg)
{
	struct soft_queue *q = arg;

	pthread_mutex_lock(&q->port->lock);
	queue_serve(q);
	pthread_mutex_unlock(&q->port->lock);
}

void *soft_rang_arg(struct soft_port *port, uint32_t i)
{
	return &port->queues[i];
}

static int port_serve(struct soft_port *port)
{
	int n = 0;

	pthread_mutex_lock(&port->lock);
	for (uint32_t i = 0; i < port->config.n; i++) {
		if (port->queues[i].slots)
			n += queue_serve(&port->queues[i]);
	}
	pthread_mutex_unlock(&port->lock);
	return n;
}

static void *watch(void *arg)
{
	struct softnic *nic = arg;
	int64_t worked = now_ns();

	pthread_setname_np(pthread_self(), "mori-nic");
	prctl(PR_SET_TIMERSLACK, 1000UL);
	while (!__atomic_load_n(&nic->stop, __ATOMIC_ACQUIRE)) {
		int64_t idle;
		int n = 0;

		pthread_mutex_lock(&nic->lock);
		for (struct soft_port *p = nic->ports; p; p = p->next)
			n += p->config.watched ? port_serve(p) : 0;
		pthread_mutex_unlock(&nic->lock);
		n += net_progress(nic->net);
		if (n)
			worked = now_ns();
		idle = now_ns() - worked;
		if (idle > WATCH_SPIN_NS)
			nap(idle > WATCH_IDLE_NS ? WATCH_LAZY_NS : WATCH_NAP_NS);
		else if (!n)
			sched_yield();
	}
	return NULL;
}

/* Under the lock. */
static int watch_start(struct softnic *nic)
{
	sigset_t all, before;
	int err;

	if (nic->watches)
		return 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&nic->watcher, NULL, watch, nic);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return err_set(MORI_SHMEM_EIO, "no thread for the soft NIC: %s", strerror(err));
	nic->watches = true;
	return 0;
}

int softnic_open(struct net *net, struct softnic **out)
{
	struct softnic *nic = calloc(1, sizeof(*nic));

	if (!nic)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for the soft NIC");
	nic->net = net;
	pthread_mutex_init(&nic->lock, NULL);
	*out = nic;
	return 0;
}

void softnic_close(struct softnic *nic)
{
	if (!nic)
		return;
	/* Release: pairs with the acquire in watch(). */
	__atomic_store_n(&nic->stop, 1, __ATOMIC_RELEASE);
	if (nic->watches)
		pthread_join(nic->watcher, NULL);
	pthread_mutex_destroy(&nic->lock);
	free(nic);
}

int soft_port_open(struct softnic *nic, const struct soft_port_config *config,
		   const struct nic_queue *queues, struct soft_port **out)
{
	struct soft_port *port = calloc(1, sizeof(*port));
	int err = 0;

	if (port)
		port->queues = calloc(config->n, sizeof(*port->queues));
	if (!port || !port->queues) {
		free(port);
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for %u queues", config->n);
	}
	port->nic = nic;
	port->config = *config;
	pthread_mutex_init(&port->lock, NULL);
	for (uint32_t i = 0; i < config->n; i++) {
		struct soft_queue *q = &port->queues[i];

		if (!queues[i].ring)
			continue;
		q->port = port;
		q->pe = queues[i].pe;
		q->unwanted = queues[i].cell_values;
		q->slots = 1u << queues[i].log_slots;
		nic_serve_open(&q->server, &queues[i]);
	}
	pthread_mutex_lock(&nic->lock);
	if (config->watched)
		err = watch_start(nic);
	if (!err) {
		port->next = nic->ports;
		nic->ports = port;
	}
	pthread_mutex_unlock(&nic->lock);
	*out = port;
	return err;
}

/* 1: something is under way; 0: nothing; or with what a queue has ended. */
static int queue_busy(struct soft_queue *q)
{
	int status = __atomic_load_n(&q->status, __ATOMIC_RELAXED);

	/* Acquire: pairs with the release in queue_tell(). */
	if (__atomic_load_n(&q->tail, __ATOMIC_ACQUIRE) != q->head)
		return 1;
	return status ? status : nic_serve_rung(&q->server) != q->server.next;
}

static int port_busy(struct soft_port *port, int pe)
{
	int busy = 0, failed = 0;

	pthread_mutex_lock(&port->lock);
	for (uint32_t i = 0; i < port->config.n; i++) {
		struct soft_queue *q = &port->queues[i];
		int got;

		if (!q->slots || (pe >= 0 && q->pe != pe))
			continue;
		queue_serve(q);
		got = queue_busy(q);
		busy |= got > 0;
		failed = got < 0 && !failed ? got : failed;
	}
	pthread_mutex_unlock(&port->lock);
	return busy ? 1 : failed;
}

int soft_port_drain(struct soft_port *port, int pe, double timeout_s)
{
	int64_t start = now_ns(), worked = start;
	int busy;

	while ((busy = port_busy(port, pe)) > 0) {
		int64_t now;
		int did = net_progress(port->nic->net);

		now = now_ns();
		if (did)
			worked = now;
		if (timeout_s > 0 && (double)(now - start) > timeout_s * 1e9)
			return MORI_SHMEM_ETIMEDOUT;
		if (now - worked > WATCH_SPIN_NS)
			nap(WATCH_NAP_NS);
		else if (!did)
			sched_yield();
	}
	return busy;
}

/* Jobs that the network still has: their PEs are given up, and with them the jobs. */
static void port_give_up(struct soft_port *port)
{
	for (uint32_t i = 0; i < port->config.n; i++) {
		struct soft_queue *q = &port->queues[i];

		if (q->slots && __atomic_load_n(&q->tail, __ATOMIC_ACQUIRE) != q->head)
			net_lost(port->nic->net, q->pe);
	}
	net_settle(port->nic->net);
}

void soft_port_close(struct soft_port *port, double timeout_s)
{
	struct softnic *nic;

	if (!port)
		return;
	nic = port->nic;
	pthread_mutex_lock(&nic->lock);
	for (struct soft_port **p = &nic->ports; *p; p = &(*p)->next) {
		if (*p == port) {
			*p = port->next;
			break;
		}
	}
	pthread_mutex_unlock(&nic->lock);
	if (soft_port_drain(port, -1, timeout_s) == MORI_SHMEM_ETIMEDOUT)
		port_give_up(port);
	for (uint32_t i = 0; i < port->config.n; i++)
		free(port->queues[i].jobs);
	free(port->queues);
	pthread_mutex_destroy(&port->lock);
	free(port);
}
