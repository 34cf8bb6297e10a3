// SPDX-License-Identifier: MIT
/*
 * Queues: a thread each. Nobody is told of a store to a doorbell; so a thread of the process looks
 * whether the write pointers of sleeping queues have moved, the more rarely the longer none has.
 */
#include "kfd.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define QUEUES	    256
#define LOOK_SOON   20	 /* microseconds between two looks */
#define LOOK_RARELY 1000 /* at last */
#define DOORBELLS   8192 /* bytes of a GPU's */
#define SETTLE	    1000 /* milliseconds */

static struct kfd_queue *queues[QUEUES];
static struct kfd_mem *doorbells[KFD_GPUS];
static uint64_t *doorbell_words[KFD_GPUS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool watched;

/* 100 MHz, as GPUs count. */
uint64_t kfd_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 100000000 + (uint64_t)t.tv_nsec / 10;
}

void kfd_pause(unsigned *n)
{
	++*n;
	if (*n < 50)
		sched_yield();
	else
		usleep(*n < 1000 ? 20 : 200);
}

static uint64_t queue_begin(const struct kfd_queue *q)
{
	return __atomic_load_n(q->read_at, __ATOMIC_ACQUIRE);
}

/*
 * Packets of a kernel's queue are whole once the doorbell has their number: HIP copies those of a
 * graph with their headers.
 */
static uint64_t queue_end(const struct kfd_queue *q)
{
	uint64_t end = __atomic_load_n(q->write_at, __ATOMIC_ACQUIRE), begin, rung;

	if (q->type != KFD_IOC_QUEUE_TYPE_COMPUTE_AQL)
		return end;
	begin = queue_begin(q);
	rung = __atomic_load_n(&doorbell_words[q->gpu][q->id], __ATOMIC_ACQUIRE) + 1;
	return rung > end ? end : rung < begin ? begin : rung;
}

static void *queue_watch(void *arg)
{
	useconds_t pause = LOOK_SOON;

	(void)arg;
	for (;;) {
		bool moved = false;

		pthread_mutex_lock(&lock);
		for (unsigned k = 0; k < QUEUES; k++) {
			struct kfd_queue *q = queues[k];

			if (q && q->asleep && queue_begin(q) != queue_end(q)) {
				q->asleep = false;
				pthread_cond_signal(&q->wake);
				moved = true;
			}
		}
		pthread_mutex_unlock(&lock);
		pause = moved			? LOOK_SOON :
			pause < LOOK_RARELY / 2 ? pause + pause / 8 + 1 :
						  LOOK_RARELY;
		usleep(pause);
	}
	return NULL;
}

static void queue_sleep(struct kfd_queue *q)
{
	pthread_mutex_lock(&lock);
	q->asleep = true;
	while (!q->stop && q->asleep)
		pthread_cond_wait(&q->wake, &lock);
	pthread_mutex_unlock(&lock);
}

static bool queue_stopped(const struct kfd_queue *q)
{
	return __atomic_load_n(&q->stop, __ATOMIC_ACQUIRE) || q->hung;
}

static void *queue_serve(void *arg)
{
	struct kfd_queue *q = arg;
	bool sdma = q->type != KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
	unsigned idle = 0;

	while (!queue_stopped(q)) {
		uint64_t at = queue_begin(q), end = queue_end(q);

		if (at == end && ++idle > 30) {
			queue_sleep(q);
			continue;
		}
		if (at != end && (sdma ? kfd_sdma_serve(q, end) : kfd_aql_serve(q, end)))
			idle = 0;
		else
			usleep(LOOK_SOON); /* the packet is not written yet */
	}
	return NULL;
}

void kfd_queue_fault(struct kfd_queue *q)
{
	kfd_say("GPU %u has no memory at %#lx", q->gpu, q->view.missed);
	q->hung = true;
	kfd_event_fault(q->gpu, q->view.missed);
}

/*
 * HIP's handlers of what has been completed run in threads of ROCr's, and HIP takes down at exit
 * what they use, without waiting for them. On a machine that is busy with software GPUs they would
 * often be late: let them finish first.
 */
static void queue_settle(void)
{
	bool settled = false;

	for (unsigned ms = 0; !settled && ms < SETTLE; ms++) {
		settled = kfd_event_settled();
		pthread_mutex_lock(&lock);
		for (unsigned k = 0; k < QUEUES; k++)
			settled &= !queues[k] || queues[k]->hung ||
				   queue_begin(queues[k]) == queue_end(queues[k]);
		pthread_mutex_unlock(&lock);
		if (!settled)
			usleep(1000);
	}
}

/* With the lock. */
static int queue_start(struct kfd_queue *q)
{
	pthread_t watcher;

	if (!watched) {
		if (pthread_create(&watcher, NULL, queue_watch, NULL))
			return -1;
		pthread_detach(watcher);
		watched = true;
	}
	if (!doorbells[q->gpu])
		doorbells[q->gpu] = kfd_mem_new(kfd_gpu_id(q->gpu), 0, DOORBELLS,
						KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL);
	if (!doorbells[q->gpu])
		return -1;
	if (!doorbell_words[q->gpu]) {
		void *words = kfd_real_mmap(NULL, DOORBELLS, PROT_READ | PROT_WRITE, MAP_SHARED,
					    doorbells[q->gpu]->fd, 0);

		if (words == MAP_FAILED)
			return -1;
		doorbell_words[q->gpu] = words;
	}
	while (q->id < QUEUES && queues[q->id])
		q->id++;
	if (q->id == QUEUES)
		return -1;
	__atomic_store_n(&doorbell_words[q->gpu][q->id], UINT64_MAX, __ATOMIC_RELEASE);
	if (pthread_create(&q->thread, NULL, queue_serve, q))
		return -1;
	queues[q->id] = q;
	/* The last to come is the first to be called, before what HIP has left. */
	return atexit(queue_settle);
}

int kfd_queue_create(struct kfd_ioctl_create_queue_args *a)
{
	struct kfd_queue *q = calloc(1, sizeof(*q));
	int err = -1;

	if (a->queue_type == KFD_IOC_QUEUE_TYPE_COMPUTE)
		kfd_die("a queue of PM4 packets was asked for");
	if (q) {
		q->type = a->queue_type;
		q->gpu = q->view.gpu = kfd_gpu_of(a->gpu_id);
		q->ring = (uint8_t *)(uintptr_t)a->ring_base_address;
		q->size = a->ring_size;
		q->read_at = (uint64_t *)(uintptr_t)a->read_pointer_address;
		q->write_at = (uint64_t *)(uintptr_t)a->write_pointer_address;
		pthread_cond_init(&q->wake, NULL);
		pthread_mutex_lock(&lock);
		err = queue_start(q);
		pthread_mutex_unlock(&lock);
	}
	if (err) {
		free(q);
		errno = ENOMEM;
		return -1;
	}
	a->queue_id = q->id;
	a->doorbell_offset = (doorbells[q->gpu]->id << KFD_OFFSET_SHIFT) + 8 * (uint64_t)q->id;
	if (kfd_setup()->verbose)
		kfd_say("GPU %u: queue %u of type %u, %lu bytes", q->gpu, q->id, q->type, q->size);
	return 0;
}

int kfd_queue_destroy(uint32_t id)
{
	struct kfd_queue *q;

	pthread_mutex_lock(&lock);
	q = id < QUEUES ? queues[id] : NULL;
	if (q) {
		queues[id] = NULL;
		__atomic_store_n(&q->stop, true, __ATOMIC_RELEASE);
		pthread_cond_signal(&q->wake);
	}
	pthread_mutex_unlock(&lock);
	if (!q) {
		errno = EINVAL;
		return -1;
	}
	pthread_join(q->thread, NULL);
	pthread_cond_destroy(&q->wake);
	free(q);
	return 0;
}
