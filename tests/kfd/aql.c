// SPDX-License-Identifier: MIT
/* A compute queue: packets of 64 bytes, one after the other. */
#include "kfd.h"

#include "emu/run.h"

#include <string.h>

#define AQL_SIZE 64
#define DEPENDS	 5 /* signals of a barrier packet */

enum { AQL_VENDOR, AQL_INVALID, AQL_KERNEL, AQL_BARRIER_AND, AQL_AGENT, AQL_BARRIER_OR };
/* AMD's own, in the second byte but one. */
enum { VENDOR_PM4 = 1, VENDOR_BARRIER_VALUE = 2 };
enum { WHEN_EQ, WHEN_NE, WHEN_LT, WHEN_GTE };

/* amd_signal_t */
struct aql_signal {
	int64_t kind, value;
	uint64_t mailbox;
	uint32_t event, reserved;
	uint64_t begin, end;
};

struct aql_barrier {
	uint16_t header, reserved[3];
	uint64_t depends[DEPENDS], reserved2, signal;
};

struct aql_barrier_value {
	uint16_t header;
	uint8_t format, reserved[5];
	uint64_t depends;
	int64_t value, mask;
	uint32_t when, reserved2[3];
	uint64_t reserved3, signal;
};

_Static_assert(sizeof(struct aql_barrier) == AQL_SIZE &&
		       sizeof(struct aql_barrier_value) == AQL_SIZE &&
		       sizeof(struct emu_packet) == AQL_SIZE,
	       "packets");

static struct aql_signal *aql_signal(struct kfd_queue *q, uint64_t addr)
{
	struct aql_signal *s = kfd_find(&q->view, addr, sizeof(*s));

	if (!s)
		kfd_queue_fault(q);
	return s;
}

/* As many of the signals have come to 0 as the packet wants. */
static bool aql_depends(struct kfd_queue *q, const struct aql_barrier *p, bool all)
{
	unsigned n = 0, zero = 0;

	for (unsigned k = 0; k < DEPENDS && !q->hung; k++) {
		struct aql_signal *s = p->depends[k] ? aql_signal(q, p->depends[k]) : NULL;

		if (!s)
			continue;
		n++;
		zero += !__atomic_load_n(&s->value, __ATOMIC_SEQ_CST);
	}
	return all ? zero == n : zero || !n;
}

static bool aql_value(struct kfd_queue *q, const struct aql_barrier_value *p)
{
	/* Without a signal it only completes its own. */
	struct aql_signal *s = p->depends ? aql_signal(q, p->depends) : NULL;
	int64_t x = s ? __atomic_load_n(&s->value, __ATOMIC_SEQ_CST) & p->mask : 0;

	if (!p->depends)
		return true;
	switch (p->when) {
	case WHEN_EQ:
		return x == p->value;
	case WHEN_NE:
		return x != p->value;
	case WHEN_LT:
		return x < p->value;
	default:
		return x >= p->value;
	}
}

static bool aql_wait(struct kfd_queue *q, const void *p, int type)
{
	unsigned n = 0;

	while (!q->hung && !__atomic_load_n(&q->stop, __ATOMIC_ACQUIRE)) {
		if (type == AQL_VENDOR ? aql_value(q, p) :
					 aql_depends(q, p, type == AQL_BARRIER_AND))
			return true;
		kfd_pause(&n);
	}
	return false;
}

/* AMD's own packets. */
static bool aql_vendor(struct kfd_queue *q, const struct aql_barrier_value *p)
{
	if (p->format == VENDOR_BARRIER_VALUE)
		return aql_wait(q, p, AQL_VENDOR);
	if (p->format != VENDOR_PM4)
		kfd_die("GPU %u: a packet of format %u", q->gpu, p->format);
	kfd_code_flush(); /* ROCr empties the caches of instructions so */
	return true;
}

static bool aql_run(struct kfd_queue *q, const void *p, int type)
{
	switch (type) {
	case AQL_KERNEL:
		return kfd_code_run(q, p);
	case AQL_BARRIER_AND:
	case AQL_BARRIER_OR:
		return aql_wait(q, p, type);
	case AQL_VENDOR:
		return aql_vendor(q, p);
	default:
		kfd_die("GPU %u: a packet of type %d", q->gpu, type);
	}
}

static void aql_complete(struct kfd_queue *q, uint64_t signal, uint64_t began)
{
	struct aql_signal *s = signal ? aql_signal(q, signal) : NULL;
	uint64_t mailbox;
	uint32_t event;

	if (!s)
		return;
	/* The signal may be gone as soon as its value is there. */
	mailbox = s->mailbox;
	event = s->event;
	s->begin = began;
	s->end = kfd_clock();
	__atomic_fetch_sub(&s->value, 1, __ATOMIC_SEQ_CST);
	if (mailbox)
		__atomic_store_n((uint64_t *)(uintptr_t)mailbox, event, __ATOMIC_SEQ_CST);
	if (event)
		kfd_event_set(event, true);
}

bool kfd_aql_serve(struct kfd_queue *q, uint64_t end)
{
	uint64_t at = __atomic_load_n(q->read_at, __ATOMIC_RELAXED);
	bool some = false;

	while (at != end && !q->hung) {
		void *p = q->ring + at % (q->size / AQL_SIZE) * AQL_SIZE;
		int type = __atomic_load_n((uint16_t *)p, __ATOMIC_ACQUIRE) & 0xff;
		uint64_t began = kfd_clock();

		if (type == AQL_INVALID || !aql_run(q, p, type))
			break;
		aql_complete(q, ((struct aql_barrier *)p)->signal, began);
		__atomic_store_n((uint16_t *)p, AQL_INVALID, __ATOMIC_RELEASE);
		__atomic_store_n(q->read_at, ++at, __ATOMIC_RELEASE);
		some = true;
	}
	return some;
}
