// SPDX-License-Identifier: MIT
/*
 * A PE has num_qp queues to each PE. Those that a real NIC serves are created by rdma.c. All others
 * lead to the soft NIC and consist of two buffers: what only the poster accesses is in memory of
 * its device, and what it shares with the soft NIC is in host memory that the device reaches. On
 * the CPU both are host memory. softnic_layout.c defines the layout.
 */
#include "core/queues.h"

#include "core/pe.h"
#include "core/rdma.h"
#include "core/remote.h"
#include "net/softnic.h"
#include "util/err.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct queues {
	struct nic_queue *image; /* [n] as the host wrote them; on the CPU they are used so */
	uint32_t n;
	char *shared, *own; /* the two buffers; own is the device's */
	uint64_t shared_len, own_len;
	struct soft_port *port;
	struct rdma *rdma; /* NULL: the soft NIC serves all */
	bool soft;	   /* the soft NIC serves some that lead to another PE */
};

/* Zero, by page, and small pages: most queues of a large job are never used. NULL: no memory. */
static void *queue_memory(uint64_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	(void)madvise(p, len, MADV_NOHUGEPAGE);
	return p;
}

static void queue_memory_free(void *p, uint64_t len)
{
	if (p)
		munmap(p, len);
}

static int queue_alloc(struct pe *pe, struct queues *qs)
{
	int err = 0;

	qs->image = queue_memory(qs->n * sizeof(*qs->image));
	if (pe_device_mem(pe)) {
		err = pe->accel.mem->host_alloc(pe->accel.dev, qs->shared_len,
						(void **)&qs->shared);
		if (!err)
			err = pe->accel.mem->alloc(pe->accel.dev, qs->own_len, (void **)&qs->own);
	} else {
		qs->shared = queue_memory(qs->shared_len);
		qs->own = queue_memory(qs->own_len);
	}
	if (!err && (!qs->image || !qs->shared || !qs->own))
		err = err_set(MORI_SHMEM_ENOMEM, "out of memory for %u queues", qs->n);
	return err;
}

/*
 * Copies to the device what is in its memory: the queues, and the mark that the first cell of each
 * is never free. Queues of a real NIC have it already.
 */
static int queue_give(struct pe *pe, struct queues *qs)
{
	static const uint64_t never = 1;
	int err = 0;

	for (uint32_t i = 0; i < qs->n && !err; i++) {
		void *users = (void *)(uintptr_t)qs->image[i].slot_owner;

		if (qs->image[i].regions)
			continue;
		if (pe_device_mem(pe))
			err = pe_copy(pe, users, &never, sizeof(never));
		else
			memcpy(users, &never, sizeof(never));
	}
	if (!err && pe_device_mem(pe))
		err = pe_copy(pe, qs->own, qs->image, qs->n * sizeof(*qs->image));
	else if (!err)
		memcpy(qs->own, qs->image, qs->n * sizeof(*qs->image));
	return err;
}

/* A remote address is this PE's own address of the same symmetric memory. */
static int queue_find(void *arg, uint64_t addr, uint64_t len, struct net_at *at)
{
	const struct pe *pe = arg;

	return remote_find(pe->state, addr - pe->state->heap_base, len, at);
}

static bool queue_device(void *arg, const void *local)
{
	const struct pe *pe = arg;

	return pe_device_holds(pe, local);
}

static int queue_serve(struct pe *pe, struct queues *qs)
{
	struct soft_port_config config = {
		.find = queue_find,
		.device = pe_device_mem(pe) ? queue_device : NULL,
		.arg = pe,
		.n = qs->n,
		.watched = (pe_device_mem(pe) || pe->accel.ops->silent) && qs->soft,
	};
	struct world *w = pe->world;
	int err = 0;

	pthread_mutex_lock(&w->lock);
	if (!w->nic)
		err = softnic_open(w->net, &w->nic);
	pthread_mutex_unlock(&w->lock);
	return err ? err : soft_port_open(w->nic, &config, qs->image, &qs->port);
}

/* The soft NIC's queues: those that no real NIC serves have no ring for it. */
static int queue_serve_soft(struct pe *pe, struct queues *qs)
{
	int num_qp = pe->state->num_qp, err;

	for (uint32_t i = 0; i < qs->n; i++) {
		if (qs->rdma && rdma_queue(qs->rdma, (int)i / num_qp, (int)i % num_qp))
			qs->image[i].ring = 0;
		else
			qs->soft |= (int)i / num_qp != pe->rank;
	}
	err = queue_serve(pe, qs);
	for (uint32_t i = 0; !err && !pe_device_mem(pe) && i < qs->n; i++) {
		qs->image[i].notify = (uint64_t)(uintptr_t)soft_rang;
		qs->image[i].notify_arg = (uint64_t)(uintptr_t)soft_rang_arg(qs->port, i);
	}
	for (uint32_t i = 0; !err && qs->rdma && i < qs->n; i++) {
		if (!qs->image[i].ring)
			qs->image[i] = *rdma_queue(qs->rdma, (int)i / num_qp, (int)i % num_qp);
	}
	return err;
}

static int queue_make(struct pe *pe, struct queues *qs)
{
	struct soft_layout layout;
	int err = soft_layout(&layout, (uint32_t)pe->options.nic_format, pe->world->n_pes,
			      qs->rdma ? rdma_num_qp(qs->rdma) : pe->state->num_qp,
			      pe->state->heap_base);

	if (err)
		return err_set(
			err,
			"MORI_NIC_FORMAT=%s: the soft NIC of this library reads entries of the "
			"soft format only; a build for tests reads the others",
			nic_format_name((uint32_t)pe->options.nic_format));
	pe->state->num_qp = layout.num_qp;
	qs->n = layout.n;
	qs->shared_len = layout.shared_len;
	qs->own_len = layout.own_len;
	err = queue_alloc(pe, qs);
	if (err)
		return err;
	soft_layout_fill(&layout, qs->shared, qs->own, qs->image);
	err = queue_serve_soft(pe, qs);
	return err ? err : queue_give(pe, qs);
}

static void queue_free(struct pe *pe, struct queues *qs)
{
	soft_port_close(qs->port, pe->options.timeout);
	if (pe_device_mem(pe)) {
		if (qs->own)
			pe->accel.mem->free(pe->accel.dev, qs->own);
		pe->accel.mem->host_free(pe->accel.dev, qs->shared);
	} else {
		queue_memory_free(qs->own, qs->own_len);
		queue_memory_free(qs->shared, qs->shared_len);
	}
	queue_memory_free(qs->image, qs->n * sizeof(*qs->image));
	rdma_close(qs->rdma);
	free(qs);
}

int queue_open(struct pe *pe, bool nics, int failed)
{
	struct queues *qs = NULL;
	struct rdma *rdma = NULL;
	struct err_was was;
	int err = failed;

	if (pe->queues)
		return failed;
	err_save(&was);
	if (nics)
		err = rdma_open(pe, failed, &rdma);
	if (!err)
		err_restore(&was); /* a missing NIC is not a failure */
	if (!err)
		qs = calloc(1, sizeof(*qs));
	if (!qs) {
		rdma_close(rdma);
		return err ? err : err_set(MORI_SHMEM_ENOMEM, "out of memory for queues");
	}
	qs->rdma = rdma;
	err = net_region_add(pe->world->net, pe->rank, REGION_AREA,
			     pe_device_mem(pe) ? NET_DEV : NET_HOST,
			     (void *)(uintptr_t)pe->state->area, pe->world->sync_len);
	if (!err)
		err = queue_make(pe, qs);
	if (err) {
		queue_free(pe, qs);
		return err;
	}
	pe->queues = qs;
	pe->rdma = rdma;
	/* Release: a kernel that sees them sees them filled in. */
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
	(void)queue_quiet(pe, -1);
	pe->state->queues = NULL;
	queue_free(pe, pe->queues);
	pe->queues = NULL;
	pe->rdma = NULL;
	net_region_remove(pe->world->net, pe->rank, REGION_AREA);
}

int queue_quiet(struct pe *pe, int to)
{
	struct queues *qs = pe->queues;
	int err = qs ? soft_port_drain(qs->port, to, pe->options.timeout) : 0;

	if (!err)
		return qs && qs->rdma ? rdma_drain(qs->rdma, qs->own, to) : 0;
	if (to < 0)
		return err_set(err, "what kernels had posted to the network did not complete: %s",
			       err_name(err));
	return err_set(err,
		       "what kernels had posted to PE %d over the network did not complete: %s", to,
		       err_name(err));
}

bool queue_idle(const struct pe *pe)
{
	const struct queues *qs = pe->queues;
	const struct nic_queue *q = qs ? (const struct nic_queue *)qs->own : NULL;

	if (q && (qs->rdma || pe_device_mem(pe)))
		return false;
	/* Relaxed: the PE waits, and posts nothing. */
	for (uint32_t i = 0; q && i < qs->n; i++) {
		if (__atomic_load_n(&q[i].done, __ATOMIC_RELAXED) <
		    __atomic_load_n(&q[i].taken, __ATOMIC_RELAXED))
			return false;
	}
	return true;
}
