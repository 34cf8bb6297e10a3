// SPDX-License-Identifier: MIT
/*
 * The network is opened at init if load and store do not reach all PEs (other nodes,
 * MORI_DISABLE_P2P), or by the first window that cannot be mapped. Each world has one: its engine
 * serves the memory of all PEs of the process, in a thread of its own.
 */
#include "core/remote.h"

#include "boot/boot.h"
#include "core/pe.h"
#include "core/queues.h"
#include "dev/atomic.h"
#include "dev/rma.h"
#include "net/softnic.h"
#include "util/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of devices of a node's PEs. */
static uint32_t remote_devices(const struct boot *boot, int node)
{
	uint32_t n = 0;

	for (int i = 0; i < boot_n_pes(boot); i++) {
		int k = 0;

		if (boot_peer(boot, i)->node != node)
			continue;
		while (k < i &&
		       (boot_peer(boot, k)->node != node ||
			memcmp(pe_blob_of(boot, k)->device_id, pe_blob_of(boot, i)->device_id,
			       sizeof(pe_blob_of(boot, i)->device_id)) != 0))
			k++;
		n += k == i;
	}
	return n;
}

bool remote_amo_by_queue(const struct boot *boot, int node)
{
	uint32_t devices = remote_devices(boot, node);
	bool fabric = true, amo = true;

	for (int i = 0; i < boot_n_pes(boot); i++) {
		const struct pe_blob *b = pe_blob_of(boot, i);

		if (boot_peer(boot, i)->node != node)
			continue;
		fabric = fabric && b->fabric;
		amo = amo && b->amo && b->seen >= devices;
	}
	return devices > 1 && !fabric && !amo;
}

bool remote_needed(const struct boot *boot)
{
	bool apart = boot_n_nodes(boot) > 1;

	for (int i = 0; !apart && i < boot_n_nodes(boot); i++)
		apart = remote_amo_by_queue(boot, i);
	for (int i = 0; !apart && boot_n_pes(boot) > 1 && i < boot_n_pes(boot); i++)
		apart = pe_blob_of(boot, i)->no_p2p;
	return apart;
}

struct net *remote_net(const struct world *w)
{
	/* Acquire: pairs with the release in remote_open_net(). */
	return __atomic_load_n(&w->net, __ATOMIC_ACQUIRE);
}

/*
 * The engine's copies have a stream of their own, so that they wait for no kernel, and no call for
 * them.
 */
static int remote_copy(void *arg, void *dst, const void *src, size_t len)
{
	struct world *w = arg;

	return w->net_accel.mem->copy(w->net_accel.dev, dst, src, len);
}

/* A float or double added to: by compare-and-swap of the bits. */
static int remote_add_real(const struct accel *a, void *at, bool wide, uint64_t value,
			   uint64_t *old)
{
	uint64_t seen = 0;
	int err = a->mem->copy(a->dev, &seen, at, wide ? 8 : 4);

	do {
		*old = seen;
		if (!err)
			err = a->mem->amo(a->dev, at, wide, MORI_SHMEM_AMO_COMPARE_SWAP,
					  amo_add_real(wide, *old, value), *old, &seen);
	} while (!err && seen != *old);
	return err;
}

/* The same for atomics: by the device, whose own kernels and peers may act on the word too. */
static int remote_amo(void *arg, void *at, int width, int op, uint64_t value, uint64_t compare,
		      uint64_t *old)
{
	const struct accel *a = &((struct world *)arg)->net_accel;

	if (op == AMO_ADD_REAL)
		return remote_add_real(a, at, width == 8, value, old);
	return a->mem->amo(a->dev, at, width == 8, amo_rmw(op), amo_operand(op, value), compare,
			   old);
}

/* Under world->lock. */
static int remote_open_net(struct pe *pe)
{
	struct world *w = pe->world;
	int32_t *proc_of = malloc((size_t)w->n_pes * sizeof(*proc_of));
	struct net_config config = {
		.n_pes = w->n_pes,
		.n_procs = boot_n_procs(w->boot),
		.my_proc = boot_my_proc(w->boot),
		.proc_of = proc_of,
		.secret = boot_secret(w->boot),
		.provider = pe->options.fabric_provider,
		.ifname = pe->options.socket_ifname,
		.loopback = boot_n_nodes(w->boot) == 1,
		.crowded = w->crowded,
		.timeout_s = pe->options.timeout,
		.copy = pe_device_mem(pe) ? remote_copy : NULL,
		.amo = pe_device_mem(pe) ? remote_amo : NULL,
		.copy_arg = w,
		.slept = remote_wait_slept,
	};
	struct net *net;
	int err = 0;

	if (!proc_of)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for %d PEs", w->n_pes);
	for (int i = 0; i < w->n_pes; i++)
		proc_of[i] = boot_peer(w->boot, i)->proc;
	if (pe_device_mem(pe))
		err = accel_open(ACCEL_AUTO,
				 &(struct accel_config){ .hint = pe->accel.number,
							 .cached = pe_wants_cache(pe),
							 .helper = true },
				 &w->net_accel);
	if (!err)
		err = net_open(&config, &net);
	free(proc_of);
	if (err)
		return err;
	/* Release: pairs with the acquire in remote_net(). */
	__atomic_store_n(&w->net, net, __ATOMIC_RELEASE);
	for (int i = 0; i < w->n_pes; i++) {
		if (w->gone[i])
			net_lost(net, i);
	}
	return 0;
}

int remote_open(struct pe *pe)
{
	struct world *w = pe->world;
	int err = 0;

	pthread_mutex_lock(&w->lock);
	if (!w->net)
		err = remote_open_net(pe);
	pthread_mutex_unlock(&w->lock);
	return err;
}

/* What a PE publishes about its process: its address on the network, and its link. */
struct remote_address {
	unsigned char address[NET_ADDRESS_BYTES];
	char link[64];
};

/* Every PE must have the same link; all come to the same verdict. */
static int remote_check(const struct remote_address *all, int n)
{
	for (int i = 1; i < n; i++) {
		if (strcmp(all[i].link, all[0].link))
			return err_set(
				MORI_SHMEM_EMISMATCH,
				"PE 0 and PE %d have different links to the network: %s "
				"and %s; set MORI_FABRIC_PROVIDER alike on all PEs (where it is "
				"not set, a PE takes the best its node has)",
				i, all[0].link, all[i].link);
	}
	return 0;
}

static int remote_exchange(struct pe *pe, double timeout_s)
{
	struct world *w = pe->world;
	struct remote_address mine = { 0 }, *all;
	unsigned char(*of)[NET_ADDRESS_BYTES];
	int err = 0;

	all = malloc((size_t)w->n_pes * sizeof(*all));
	of = calloc((size_t)boot_n_procs(w->boot), sizeof(*of));
	net_address(w->net, mine.address);
	snprintf(mine.link, sizeof(mine.link), "%s", net_provider(w->net));
	if (!all || !of)
		err = err_set(MORI_SHMEM_ENOMEM, "out of memory for %d PEs", w->n_pes);
	if (!err)
		err = boot_allgather(pe->boot, pe->rank, &mine, sizeof(mine), all, timeout_s);
	if (!err)
		err = remote_check(all, w->n_pes);
	for (int i = 0; !err && i < w->n_pes; i++)
		memcpy(of[boot_peer(w->boot, i)->proc], all[i].address, sizeof(*of));
	if (!err)
		err = net_peers(w->net, (const unsigned char(*)[NET_ADDRESS_BYTES])of);
	free(all);
	free(of);
	return err;
}

int remote_join(struct pe *pe, double timeout_s)
{
	for (int i = 0; i < pe->world->n_pes; i++) {
		if (pe->state->slot[i] < 0 || pe->state->amo_queue)
			pe->state->any_queue = 1;
	}
	return remote_exchange(pe, timeout_s);
}

int remote_serve(struct pe *pe)
{
	struct world *w = pe->world;
	int err;

	if (!w->net)
		return 0;
	err = remote_heap(pe, pe->heap.chunk ? pe->state->heap_len : pe->heap.max);
	if (!err)
		err = net_region_add(w->net, pe->rank, REGION_COLL, NET_HOST, w->block,
				     w->block_len);
	return err;
}

void remote_leave(struct pe *pe)
{
	struct world *w = pe->world;
	struct net *net = w ? remote_net(w) : NULL;

	if (!net)
		return;
	queue_close(pe);
	net_leave(net, pe->rank);
	net_region_remove(net, pe->rank, REGION_HEAP);
	net_region_remove(net, pe->rank, REGION_COLL);
}

void remote_close(struct world *w)
{
	softnic_close(w->nic);
	net_close(w->net);
	if (w->net_accel.ops)
		accel_close(&w->net_accel);
}

void remote_lost(struct world *w, int rank)
{
	if (w->net)
		net_lost(w->net, rank);
}

/* Of the program's own memory. */
static enum net_memory remote_kind(const struct pe *pe, const void *ptr)
{
	return pe_device_holds(pe, ptr) ? NET_DEV : NET_USER;
}

int remote_heap(struct pe *pe, uint64_t len)
{
	struct net *net = remote_net(pe->world);
	int err;

	if (!net || len <= pe->heap.served)
		return 0;
	err = net_region_add(net, pe->rank, REGION_HEAP, pe_device_mem(pe) ? NET_DEV : NET_HOST,
			     pe->heap.base, len);
	if (!err)
		pe->heap.served = len;
	return err;
}

int remote_window_add(struct pe *pe, uint64_t id, void *ptr, uint64_t len)
{
	struct net *net = remote_net(pe->world);

	return net ? net_region_add(net, pe->rank, REGION_WINDOW + (uint32_t)id,
				    remote_kind(pe, ptr), ptr, len) :
		     0;
}

void remote_window_remove(struct pe *pe, uint64_t id)
{
	struct net *net = remote_net(pe->world);

	if (net)
		net_region_remove(net, pe->rank, REGION_WINDOW + (uint32_t)id);
}

int remote_buffer_add(struct pe *pe, void *ptr, uint64_t len, uint32_t *id)
{
	struct net *net = remote_net(pe->world);

	*id = 0;
	if (!net || remote_kind(pe, ptr) == NET_DEV)
		return 0;
	*id = REGION_BUFFER + pe->reg.next_local++;
	return net_region_add(net, pe->rank, *id, NET_LOCAL, ptr, len);
}

void remote_buffer_remove(struct pe *pe, uint32_t id)
{
	struct net *net = remote_net(pe->world);

	if (net && id)
		net_region_remove(net, pe->rank, id);
}

int remote_find(const struct dev_state *st, uint64_t off, uint64_t len, struct net_at *out)
{
	const struct dev_window *w;
	uint64_t addr = st->heap_base + off;

	if (dev_in_heap(st, off, len)) {
		out->region = REGION_HEAP;
		out->off = off;
		return 0;
	}
	if (addr - st->area < st->area_len && len <= st->area_len - (addr - st->area)) {
		out->region = REGION_AREA;
		out->off = addr - st->area;
		return 0;
	}
	w = dev_window_of(st, addr, len, st->my_pe);
	if (!w)
		return MORI_SHMEM_EINVAL;
	out->region = REGION_WINDOW + (uint32_t)w->id;
	out->off = addr - w->base;
	return 0;
}

int64_t remote_poll(struct net *net, struct backoff *wait)
{
	if (!net_progress(net)) {
		wait->polls = 0; /* these polls take longer than the clock */
		return backoff_pause(wait);
	}
	backoff_reset(wait);
	return 0;
}
