// SPDX-License-Identifier: MIT
/* Events: what interrupts set and threads of ROCr wait for. */
#include "kfd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EVENTS KFD_SIGNAL_EVENT_LIMIT

static struct {
	bool used, on, auto_reset;
	uint32_t type;
	/*
	 * How often it was set. Who waits says which age was seen last, so that none is missed
	 * although several wait for one event.
	 */
	uint64_t age;
	struct kfd_hsa_memory_exception_data fault;
} events[EVENTS];
static uint64_t n_sets; /* of any event */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A thread that has waited for events: one of ROCr's own, which calls handlers, or the user's. */
struct event_waiter {
	struct event_waiter *next;
	bool waits;
	uint64_t seen; /* of n_sets */
};
static struct event_waiter *waiters;
static pthread_key_t waiter_key;

static void event_forget(void *waiter)
{
	struct event_waiter **at = &waiters;

	pthread_mutex_lock(&lock);
	while (*at != waiter)
		at = &(*at)->next;
	*at = (*at)->next;
	pthread_mutex_unlock(&lock);
	free(waiter);
}

static void event_init(void)
{
	pthread_condattr_t a;

	pthread_key_create(&waiter_key, event_forget);
	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &a);
}

int kfd_event_create(struct kfd_ioctl_create_event_args *a)
{
	uint32_t id = 1; /* 0 means none in a signal */

	pthread_once(&once, event_init);
	pthread_mutex_lock(&lock);
	while (id < EVENTS && events[id].used)
		id++;
	if (id < EVENTS) {
		memset(&events[id], 0, sizeof(events[id]));
		events[id].used = true;
		events[id].age = 1;
		events[id].type = a->event_type;
		events[id].auto_reset = a->auto_reset;
	}
	pthread_mutex_unlock(&lock);
	if (id == EVENTS) {
		errno = ENOSPC;
		return -1;
	}
	a->event_id = a->event_slot_index = a->event_trigger_data = id;
	return 0;
}

static bool event_is(uint32_t id)
{
	return id && id < EVENTS && events[id].used;
}

int kfd_event_destroy(uint32_t id)
{
	bool there;

	pthread_mutex_lock(&lock);
	there = event_is(id);
	if (there)
		events[id].used = false;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	errno = EINVAL;
	return there ? 0 : -1;
}

int kfd_event_set(uint32_t id, bool on)
{
	bool there;

	pthread_mutex_lock(&lock);
	there = event_is(id);
	if (there) {
		events[id].on = on;
		events[id].age += on;
		n_sets++;
		pthread_cond_broadcast(&changed);
	}
	pthread_mutex_unlock(&lock);
	errno = EINVAL;
	return there ? 0 : -1;
}

void kfd_event_fault(unsigned gpu, uint64_t addr)
{
	bool told = false;

	pthread_mutex_lock(&lock);
	for (uint32_t id = 1; id < EVENTS; id++) {
		if (!events[id].used || events[id].type != KFD_IOC_EVENT_MEMORY)
			continue;
		events[id].fault = (struct kfd_hsa_memory_exception_data){
			.failure.NotPresent = 1, .va = addr & ~4095ull, .gpu_id = kfd_gpu_id(gpu)
		};
		events[id].on = true;
		events[id].age++;
		n_sets++;
		told = true;
	}
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	if (!told)
		kfd_die("GPU %u has no memory at %#lx, and nobody waits for such events", gpu,
			addr);
}

static uint64_t *event_seen(struct kfd_event_data *e)
{
	/* signal_event_data.last_event_age, which older headers do not name. */
	return (uint64_t *)(void *)&e->memory_exception_data;
}

static bool event_ready(struct kfd_event_data *e)
{
	uint32_t id = e->event_id;

	if (!event_is(id))
		return false;
	if (events[id].on)
		return true;
	return events[id].type == KFD_IOC_EVENT_SIGNAL && *event_seen(e) &&
	       *event_seen(e) != events[id].age;
}

static void event_deadline(struct timespec *t, uint32_t ms)
{
	clock_gettime(CLOCK_MONOTONIC, t);
	t->tv_sec += ms / 1000;
	t->tv_nsec += (long)(ms % 1000) * 1000000;
	if (t->tv_nsec >= 1000000000) {
		t->tv_nsec -= 1000000000;
		t->tv_sec++;
	}
}

/* With the lock. */
static struct event_waiter *event_waiter(void)
{
	struct event_waiter *w = pthread_getspecific(waiter_key);

	if (w)
		return w;
	w = calloc(1, sizeof(*w));
	if (!w || pthread_setspecific(waiter_key, w))
		kfd_die("out of memory");
	w->next = waiters;
	waiters = w;
	return w;
}

bool kfd_event_settled(void)
{
	struct event_waiter *self = pthread_getspecific(waiter_key);
	bool settled = true;

	pthread_mutex_lock(&lock);
	for (const struct event_waiter *w = waiters; w; w = w->next)
		settled &= w == self || (w->waits && w->seen == n_sets);
	pthread_mutex_unlock(&lock);
	return settled;
}

int kfd_event_wait(struct kfd_ioctl_wait_events_args *a)
{
	struct kfd_event_data *e = (void *)(uintptr_t)a->events_ptr;
	struct event_waiter *w;
	uint32_t ready;
	struct timespec t;
	bool late = false;

	event_deadline(&t, a->timeout);
	pthread_mutex_lock(&lock);
	w = event_waiter();
	w->waits = true;
	for (;;) {
		w->seen = n_sets;
		ready = 0;
		for (uint32_t k = 0; k < a->num_events; k++)
			ready += event_ready(&e[k]);
		if ((ready && !a->wait_for_all) || ready == a->num_events || late)
			break;
		late = pthread_cond_timedwait(&changed, &lock, &t) == ETIMEDOUT;
	}
	w->waits = false;
	for (uint32_t k = 0; k < a->num_events; k++) {
		uint32_t id = e[k].event_id;

		if (!event_ready(&e[k]))
			continue;
		if (events[id].type == KFD_IOC_EVENT_MEMORY)
			e[k].memory_exception_data = events[id].fault;
		else
			*event_seen(&e[k]) = events[id].age;
		if (events[id].auto_reset)
			events[id].on = false;
	}
	pthread_mutex_unlock(&lock);
	a->wait_result = ready ? KFD_IOC_WAIT_RESULT_COMPLETE : KFD_IOC_WAIT_RESULT_TIMEOUT;
	return 0;
}
