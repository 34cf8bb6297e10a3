// SPDX-License-Identifier: MIT
/*
 * A PE has num_qp queues to each PE, all in two pieces of memory: what the poster alone
 * touches is memory of its device, and what it shares with the soft NIC memory of the host
 * that the device reaches. On the CPU that is the same. softnic_layout.c says what is where.
 */
#include "core/queue.h"

#include "core/pe.h"
#include "core/route.h"
#include "net/softnic.h"
#include "util/err.h"

#include <stdlib.h>
#include <string.h>

struct queues {
	struct nic_queue *image; /* [n] as the host wrote them; on the CPU they are used so */
	uint32_t n;
	char *shared, *own; /* the two pieces; own is the device's */
	uint64_t shared_len, own_len;
	bool pinned;
	struct soft_port *port;
};

static void *queue_memory(uint64_t len)
{
	void *p = NULL;

	if (posix_memalign(&p, 4096, len))
		return NULL;
	memset(p, 0, len);
	return p;
}

static int queue_alloc(struct pe *pe, struct queues *qs)
{
	int err = 0;

	qs->image = queue_memory(qs->n * sizeof(*qs->image));
	qs->shared = queue_memory(qs->shared_len);
	if (!pe_far(pe))
		qs->own = queue_memory(qs->own_len);
	else if (qs->shared)
		err = accel_pin(&pe->accel, qs->shared, qs->shared_len, &qs->pinned);
	if (!err && pe_far(pe))
		err = accel_alloc(&pe->accel, qs->own_len, (void **)&qs->own);
	if (!err && (!qs->image || !qs->shared || !qs->own))
		err = err_set(MORI_SHMEM_ENOMEM, "out of memory for %u queues", qs->n);
	return err;
}

/* What is the device's comes to it: the queues, and of each that its first cell is never free. */
static int queue_give(struct pe *pe, struct queues *qs)
{
	static const uint64_t never = 1;
	int err = 0;

	for (uint32_t i = 0; i < qs->n && !err; i++) {
		void *users = (void *)(uintptr_t)qs->image[i].cell_users;

		if (pe_far(pe))
			err = accel_copy(&pe->accel, users, &never, sizeof(never));
		else
			memcpy(users, &never, sizeof(never));
	}
	if (!err && pe_far(pe))
		err = accel_copy(&pe->accel, qs->own, qs->image, qs->n * sizeof(*qs->image));
	else if (!err)
		memcpy(qs->own, qs->image, qs->n * sizeof(*qs->image));
	return err;
}

/* Where this PE's flags of kernels' barriers are. */
static uint64_t queue_flags(const struct pe *pe)
{
	const struct dev_state *st = pe->state;
	uint64_t slot = (uint64_t)pe->world->slot[pe->rank];

	return st->bases ? st->bases[slot] + (st->sync - st->window) :
			   st->sync + slot * st->sync_stride;
}

static uint64_t queue_flags_len(const struct pe *pe)
{
	return (uint64_t)pe->world->n_pes * sizeof(uint64_t);
}

/* A remote address is this PE's own for the same symmetric memory. */
static int queue_find(void *arg, uint64_t addr, uint64_t len, struct net_at *at)
{
	const struct pe *pe = arg;
	uint64_t flag = addr - queue_flags(pe);

	if (flag < queue_flags_len(pe) && len <= queue_flags_len(pe) - flag) {
		at->region = ROUTE_FLAGS;
		at->off = flag;
		return 0;
	}
	return route_find(pe->state, addr - pe->state->heap_base, len, at);
}

static bool queue_device(void *arg, const void *local)
{
	const struct pe *pe = arg;

	return accel_holds(&pe->accel, local);
}

static int queue_serve(struct pe *pe, struct queues *qs)
{
	struct soft_port_config config = {
		.find = queue_find,
		.device = pe_far(pe) ? queue_device : NULL,
		.arg = pe,
		.n = qs->n,
		.watched = pe_far(pe),
	};
	struct world *w = pe->world;
	int err = 0;

	pthread_mutex_lock(&w->lock);
	if (!w->nic)
		err = softnic_open(w->net, &w->nic);
	pthread_mutex_unlock(&w->lock);
	return err ? err : soft_port_open(w->nic, &config, qs->image, &qs->port);
}

static int queue_make(struct pe *pe, struct queues *qs)
{
	struct soft_layout layout;
	int err = soft_layout(&layout, (uint32_t)pe->options.nic_format, pe->world->n_pes,
			      pe->state->num_qp, pe->state->heap_base);

	if (err)
		return err_set(err, "no queues of format %d", pe->options.nic_format);
	pe->state->num_qp = layout.num_qp;
	qs->n = layout.n;
	qs->shared_len = layout.shared_len;
	qs->own_len = layout.own_len;
	err = queue_alloc(pe, qs);
	if (err)
		return err;
	soft_layout_fill(&layout, qs->shared, qs->own, qs->image);
	err = queue_serve(pe, qs);
	for (uint32_t i = 0; !err && !pe_far(pe) && i < qs->n; i++) {
		qs->image[i].rang = (uint64_t)(uintptr_t)soft_rang;
		qs->image[i].rang_arg = (uint64_t)(uintptr_t)soft_rang_arg(qs->port, i);
	}
	return err ? err : queue_give(pe, qs);
}

static void queue_free(struct pe *pe, struct queues *qs)
{
	soft_port_close(qs->port, pe->options.timeout);
	if (pe_far(pe)) {
		if (qs->own)
			accel_free(&pe->accel, qs->own);
		if (qs->pinned)
			accel_unpin(&pe->accel, qs->shared);
	} else {
		free(qs->own);
	}
	free(qs->shared);
	free(qs->image);
	free(qs);
}

int queue_open(struct pe *pe)
{
	struct queues *qs;
	int err;

	if (pe->queues)
		return 0;
	qs = calloc(1, sizeof(*qs));
	if (!qs)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for queues");
	err = net_region_add(pe->world->net, pe->rank, ROUTE_FLAGS, pe_far(pe) ? NET_DEV : NET_HOST,
			     (void *)(uintptr_t)queue_flags(pe), queue_flags_len(pe));
	if (!err)
		err = queue_make(pe, qs);
	if (err) {
		queue_free(pe, qs);
		return err;
	}
	pe->queues = qs;
	/* Release: a kernel that finds them finds them filled in. */
	__atomic_store_n(&pe->state->queues, (struct nic_queue *)qs->own, __ATOMIC_RELEASE);
	err = mirror_field(pe, &pe->state->num_qp, sizeof(pe->state->num_qp));
	if (!err)
		err = mirror_field(pe, &pe->state->queues, sizeof(void *));
	return err;
}

void queue_close(struct pe *pe)
{
	if (!pe->queues)
		return;
	pe->state->queues = NULL;
	queue_free(pe, pe->queues);
	pe->queues = NULL;
	net_region_remove(pe->world->net, pe->rank, ROUTE_FLAGS);
}

int queue_quiet(struct pe *pe, int to)
{
	int err = pe->queues ? soft_port_drain(pe->queues->port, to, pe->options.timeout) : 0;

	if (!err)
		return 0;
	if (to < 0)
		return err_set(err, "what kernels had posted to the network was not done: %s",
			       err_name(err));
	return err_set(err, "what kernels had posted to PE %d over the network was not done: %s",
		       to, err_name(err));
}
