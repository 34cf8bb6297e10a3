// SPDX-License-Identifier: MIT
/*
 * A queue has two sides. The serving side, one thread at a time under the port's lock, reads
 * entries, gives each a job and submits it to the network. The thread that makes the network
 * progress completes the job, with the engine's lock held, and reports all jobs that are
 * complete in a row to the poster. The two sides share the jobs, a ring: the first adds at
 * the head, the second removes at the tail.
 */
#include "net/softnic.h"

#include "util/backoff.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

struct soft_job {
	struct net_req req; /* first: soft_job_done() gets it */
	struct soft_queue *queue;
	struct nic_job job;
	bool complete;
};

struct soft_queue {
	struct soft_port *port;
	struct nic_server server;
	int pe;
	uint64_t unwanted; /* address for results that nobody wants */
	uint32_t slots;
	struct soft_job *jobs; /* [slots]; NULL before the first */
	uint64_t head, tail;   /* atomic: jobs begun, and reported */
	int status;	       /* atomic: the error that ended it, or 0 */
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
	bool has_watcher;
	int stop; /* atomic */
};

/* Reports the complete jobs at the tail, in order; the first that failed ends the queue. */
static void soft_queue_report(struct soft_queue *q)
{
	/* Acquire: pairs with the release in soft_queue_begin(). */
	uint64_t head = __atomic_load_n(&q->head, __ATOMIC_ACQUIRE), tail = q->tail;

	for (; tail < head && q->jobs[tail % q->slots].complete; tail++) {
		struct soft_job *j = &q->jobs[tail % q->slots];

		if (!q->status)
			nic_serve_complete(&q->server, &j->job, j->req.status);
		if (j->req.status && !q->status)
			__atomic_store_n(&q->status, j->req.status, __ATOMIC_RELAXED);
		/* Release: pairs with the acquire of the thread that reuses the job, or drains. */
		__atomic_store_n(&q->tail, tail + 1, __ATOMIC_RELEASE);
	}
}

/* Called by the network, with the lock of its engine held. */
static void soft_job_done(struct net_req *r)
{
	struct soft_job *j = (struct soft_job *)r;

	if (!r->status && r->kind == NET_REQ_AMO && r->fetch)
		nic_serve_result(&j->queue->server, &j->job, (void *)(uintptr_t)j->job.op.local,
				 r->old);
	j->complete = true;
	soft_queue_report(j->queue);
}

static int soft_job_atomic(struct soft_job *j)
{
	const struct nic_op *op = &j->job.op;
	struct net_req *p = &j->req;

	p->kind = NET_REQ_AMO;
	p->width = (int)op->len;
	p->compare = op->compare;
	p->fetch = op->local != j->queue->unwanted;
	p->op = nic_serve_rmw(&j->queue->server, op, &p->value);
	return p->op < 0 ? MORI_SHMEM_EINVAL : 0;
}

/* Fills in the request; 0, or why it cannot be done. */
static int soft_job_plan(struct soft_job *j)
{
	const struct soft_port_config *config = &j->queue->port->config;
	struct nic_op *op = &j->job.op;
	struct net_req *p = &j->req;

	p->kind = NET_REQ_NONE;
	if (!op->len)
		return 0;
	p->at.pe = j->queue->pe;
	if (config->find(config->arg, op->remote, op->len, &p->at))
		return MORI_SHMEM_EFAULT;
	if (nic_is_atomic(op->kind))
		return soft_job_atomic(j);
	p->kind = op->kind == NIC_READ ? NET_REQ_GET : NET_REQ_PUT;
	p->local = op->kind == NIC_INLINE ? (void *)op->data : (void *)(uintptr_t)op->local;
	p->len = op->len;
	if (op->kind != NIC_INLINE && config->device && config->device(config->arg, p->local))
		p->flags = NET_DEVICE;
	return 0;
}

/* @bad: what was wrong with the entry itself. */
static void soft_queue_begin(struct soft_queue *q, const struct nic_job *job, int bad)
{
	uint64_t head = q->head;
	struct soft_job *j = &q->jobs[head % q->slots];

	*j = (struct soft_job){ .req.done = soft_job_done, .queue = q, .job = *job };
	j->req.at.pe = q->pe;
	if (!bad)
		bad = soft_job_plan(j);
	if (bad) {
		j->req.kind = NET_REQ_NONE;
		j->req.status = bad;
	}
	/* Release: pairs with the acquire in soft_queue_report(). */
	__atomic_store_n(&q->head, head + 1, __ATOMIC_RELEASE);
	net_submit(q->port->nic->net, &j->req);
}

/* With the port's lock: serves all rung entries; how many those were. */
static int soft_queue_serve(struct soft_queue *q)
{
	struct nic_job job;
	int n = 0, got;

	while (!__atomic_load_n(&q->status, __ATOMIC_RELAXED) &&
	       nic_serve_rung(&q->server) != q->server.next) {
		if (!q->jobs)
			q->jobs = calloc(q->slots, sizeof(*q->jobs));
		if (!q->jobs) {
			log_error("the soft NIC is out of memory for a queue to PE %d", q->pe);
			break;
		}
		/* Acquire: pairs with the release in soft_queue_report(); a wrong doorbell does no harm. */
		if (q->head - __atomic_load_n(&q->tail, __ATOMIC_ACQUIRE) >= q->slots)
			break;
		got = nic_serve_next(&q->server, &job);
		if (!got)
			break;
		n++;
		soft_queue_begin(q, &job, got < 0 ? got : 0);
		if (got < 0)
			break;
	}
	return n;
}

void soft_rang(void *arg)
{
	struct soft_queue *q = arg;

	pthread_mutex_lock(&q->port->lock);
	soft_queue_serve(q);
	pthread_mutex_unlock(&q->port->lock);
}

void *soft_rang_arg(struct soft_port *port, uint32_t i)
{
	return &port->queues[i];
}

static int soft_port_serve(struct soft_port *port)
{
	int n = 0;

	pthread_mutex_lock(&port->lock);
	for (uint32_t i = 0; i < port->config.n; i++) {
		if (port->queues[i].slots)
			n += soft_queue_serve(&port->queues[i]);
	}
	pthread_mutex_unlock(&port->lock);
	return n;
}

static void *soft_watch(void *arg)
{
	struct backoff b = backoff_start(BACKOFF_SERVE, NULL);
	struct softnic *nic = arg;

	pthread_setname_np(pthread_self(), "mori-nic");
	prctl(PR_SET_TIMERSLACK, 1000UL);
	while (!__atomic_load_n(&nic->stop, __ATOMIC_ACQUIRE)) {
		int n = 0;

		pthread_mutex_lock(&nic->lock);
		for (struct soft_port *p = nic->ports; p; p = p->next)
			n += p->config.watched ? soft_port_serve(p) : 0;
		pthread_mutex_unlock(&nic->lock);
		if (n + net_progress(nic->net))
			backoff_reset(&b);
		else
			backoff_wait(&b);
	}
	return NULL;
}

/* Under the lock. */
static int soft_watch_start(struct softnic *nic)
{
	int err;

	if (nic->has_watcher)
		return 0;
	err = thread_create(&nic->watcher, 0, soft_watch, nic);
	if (err)
		return err_set(MORI_SHMEM_EIO, "no thread for the soft NIC: %s", strerror(err));
	nic->has_watcher = true;
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
	/* Release: pairs with the acquire in soft_watch(). */
	__atomic_store_n(&nic->stop, 1, __ATOMIC_RELEASE);
	if (nic->has_watcher)
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
		q->unwanted = queues[i].result_values;
		q->slots = 1u << queues[i].log_slots;
		nic_serve_open(&q->server, &queues[i]);
	}
	pthread_mutex_lock(&nic->lock);
	if (config->watched)
		err = soft_watch_start(nic);
	if (!err) {
		port->next = nic->ports;
		nic->ports = port;
	}
	pthread_mutex_unlock(&nic->lock);
	*out = port;
	return err;
}

/* 1: something is under way; 0: nothing; or the error that ended the queue. */
static int soft_queue_busy(struct soft_queue *q)
{
	int status = __atomic_load_n(&q->status, __ATOMIC_RELAXED);

	/* Acquire: pairs with the release in soft_queue_report(). */
	if (__atomic_load_n(&q->tail, __ATOMIC_ACQUIRE) != q->head)
		return 1;
	return status ? status : nic_serve_rung(&q->server) != q->server.next;
}

static int soft_port_busy(struct soft_port *port, int pe)
{
	int busy = 0, failed = 0;

	pthread_mutex_lock(&port->lock);
	for (uint32_t i = 0; i < port->config.n; i++) {
		struct soft_queue *q = &port->queues[i];
		int got;

		if (!q->slots || (pe >= 0 && q->pe != pe))
			continue;
		soft_queue_serve(q);
		got = soft_queue_busy(q);
		busy |= got > 0;
		failed = got < 0 && !failed ? got : failed;
	}
	pthread_mutex_unlock(&port->lock);
	return busy ? 1 : failed;
}

int soft_port_drain(struct soft_port *port, int pe, double timeout_s)
{
	int64_t end = timeout_s > 0 ? clock_deadline(timeout_s) : INT64_MAX;
	struct backoff b = backoff_start(BACKOFF_SERVE, NULL);
	int busy;

	while ((busy = soft_port_busy(port, pe)) > 0) {
		bool did = net_progress(port->nic->net);

		if (clock_now() > end)
			return MORI_SHMEM_ETIMEDOUT;
		if (did)
			backoff_reset(&b);
		else
			backoff_wait(&b);
	}
	return busy;
}

/* Ends the jobs that are still under way by giving up their PEs. */
static void soft_port_give_up(struct soft_port *port)
{
	for (uint32_t i = 0; i < port->config.n; i++) {
		struct soft_queue *q = &port->queues[i];

		if (q->slots && __atomic_load_n(&q->tail, __ATOMIC_ACQUIRE) != q->head)
			net_lost(port->nic->net, q->pe);
	}
	net_drain(port->nic->net);
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
		soft_port_give_up(port);
	for (uint32_t i = 0; i < port->config.n; i++)
		free(port->queues[i].jobs);
	free(port->queues);
	pthread_mutex_destroy(&port->lock);
	free(port);
}
