// SPDX-License-Identifier: MIT
/*
 * What the PEs of one process share in one world: the memory of the node, mapped once, and the
 * notification of lost PEs. The first PE of the process opens it, the others wait for that; the
 * last to leave closes it.
 *
 * The process with the lowest rank of a node creates two objects for it, the block for barriers and
 * the window with all heaps, and sends them to the others. Heaps in device memory are created by
 * each PE: segments.c.
 */
#include "boot/boot.h"
#include "core/dump.h"
#include "core/pe.h"
#include "core/options.h"
#include "core/remote.h"
#include "dev/dev.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORLD_ALIGN_MIN ((uint64_t)2 << 20) /* of a heap: a huge page */
#define WORLD_ALIGN_MAX ((uint64_t)1 << 30)
#define WORLD_TAG	1u /* of the node's descriptors */
#define LOSS_NS		5000000000
#define LOSS_POLL_NS	1000000

static struct {
	pthread_mutex_t lock;
	struct world *first;
} worlds = { .lock = PTHREAD_MUTEX_INITIALIZER };

int world_lost(struct world *w)
{
	int err = 0;

	pthread_mutex_lock(&w->lock);
	if (w->n_lost)
		err = err_set(MORI_SHMEM_EPEER, "%s", w->lost_text);
	pthread_mutex_unlock(&w->lock);
	return err;
}

int world_await_loss(struct pe *pe)
{
	int64_t end = clock_after(clock_now(), LOSS_NS);
	int err = world_lost(pe->world);

	while (!err && !__atomic_load_n(&pe->loss_awaited, __ATOMIC_RELAXED)) {
		clock_sleep(LOSS_POLL_NS);
		if (clock_now() > end)
			__atomic_store_n(&pe->loss_awaited, true, __ATOMIC_RELAXED);
		err = world_lost(pe->world);
	}
	return err;
}

/* From boot's thread: marks the PEs and wakes those who wait for them. */
static void world_on_lost(void *arg, int proc, const char *text)
{
	struct world *w = arg;
	size_t len;

	pthread_mutex_lock(&w->lock);
	for (int i = 0; i < w->n_pes; i++) {
		if (boot_peer(w->boot, i)->proc == proc && !w->gone[i]) {
			__atomic_store_n(&w->gone[i], 1, __ATOMIC_RELAXED);
			w->n_lost++;
			remote_lost(w, i);
		}
	}
	if (!w->n_lost) /* the rendezvous itself: no PE is lost, but no barrier can complete */
		w->n_lost = 1;
	len = strlen(w->lost_text);
	snprintf(w->lost_text + len, sizeof(w->lost_text) - len, "%s%s", len ? "; " : "", text);
	/*
	 * Release: pairs with the acquire of those who poll the word; @gone is written before it.
	 */
	for (struct pe *pe = w->members; pe; pe = pe->sibling)
		__atomic_store_n(&pe->state->lost, w->n_lost, __ATOMIC_RELEASE);
	for (struct pe *pe = w->members; pe; pe = pe->sibling)
		mirror_lost(pe);
	if (w->block)
		coll_block_wake(w->block);
	pthread_mutex_unlock(&w->lock);
	log_error("%s", text);
}

void world_abort(struct pe *pe, const char *why)
{
	char text[400];

	snprintf(text, sizeof(text), "PE %d has ended the job: %s", pe->rank, why);
	boot_abort(pe->world->boot, text);
}

void world_after_fork(void)
{
	pthread_mutex_init(&worlds.lock, NULL);
	worlds.first = NULL;
	dump_after_fork();
}

/* " NAME: this and that", if they differ. */
static void world_differ(char *text, size_t size, const char *name, const char *first,
			 const char *other)
{
	size_t len = strlen(text);

	if (strcmp(first, other) != 0)
		snprintf(text + len, size - len, "%s %s %s and %s", len ? "," : "", name, first,
			 other);
}

static void world_differ_bytes(char *text, size_t size, const char *name, uint64_t first,
			       uint64_t other)
{
	char a[24], b[24];

	snprintf(a, sizeof(a), "%llu", (unsigned long long)first);
	snprintf(b, sizeof(b), "%llu", (unsigned long long)other);
	world_differ(text, size, name, a, b);
}

static void world_differ_choice(char *text, size_t size, const char *name, uint32_t first,
				uint32_t other)
{
	char a[24], b[24];

	world_differ(text, size, name, options_choice(name, (int)first, a, sizeof(a)),
		     options_choice(name, (int)other, b, sizeof(b)));
}

/* Every PE must have sent the same; all processes come to the same verdict. */
static int world_check(const struct boot *boot)
{
	const struct pe_blob *first = pe_blob_of(boot, 0);

	for (int i = 1; i < boot_n_pes(boot); i++) {
		const struct pe_blob *b = pe_blob_of(boot, i);
		char text[320] = "";

		if (b->abi != first->abi)
			return err_set(MORI_SHMEM_EABI,
				       "PE 0 and PE %d run different versions of the library "
				       "(ABI %u and %u)",
				       i, first->abi, b->abi);
		world_differ_bytes(text, sizeof(text), "MORI_SHMEM_HEAP_SIZE", first->heap_size,
				   b->heap_size);
		world_differ_choice(text, sizeof(text), "MORI_SHMEM_MODE", first->mode, b->mode);
		world_differ_bytes(text, sizeof(text), "MORI_SHMEM_VMM_CHUNK_SIZE",
				   first->chunk_size, b->chunk_size);
		world_differ_choice(text, sizeof(text), "MORI_SHMEM_SHARE", first->share, b->share);
		world_differ(text, sizeof(text), "device", first->device, b->device);
		if (text[0])
			return err_set(MORI_SHMEM_EMISMATCH,
				       "PE 0 and PE %d have different heaps:%s; set the "
				       "MORI_SHMEM_* variables alike on all PEs",
				       i, text);
	}
	return 0;
}

/* Which PEs are on this node, and where in the window. */
static int world_places(struct world *w)
{
	int me = boot_my_proc(w->boot), node = -1;

	w->n_pes = boot_n_pes(w->boot);
	w->node_ranks = calloc((size_t)w->n_pes, sizeof(int));
	w->slot = calloc((size_t)w->n_pes, sizeof(*w->slot));
	w->gone = calloc((size_t)w->n_pes, sizeof(*w->gone));
	w->n_nodes = boot_n_nodes(w->boot);
	w->leaders = calloc((size_t)w->n_nodes, sizeof(int));
	if (!w->node_ranks || !w->slot || !w->gone || !w->leaders)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for %d PEs", w->n_pes);
	for (int i = 0; i < w->n_pes; i++) {
		if (boot_peer(w->boot, i)->proc == me)
			node = boot_peer(w->boot, i)->node;
	}
	for (int i = 0; i < w->n_pes; i++) {
		const struct boot_peer *p = boot_peer(w->boot, i);

		w->slot[i] = p->node == node ? w->n_node : -1;
		if (p->node == node)
			w->node_ranks[w->n_node++] = i;
	}
	for (int i = w->n_pes - 1; i >= 0; i--)
		w->leaders[boot_peer(w->boot, i)->node] = i;
	w->my_node = node;
	w->crowded = pe_crowded(w->n_node);
	return 0;
}

/* The largest power of two that a heap of this size is aligned to. */
static uint64_t world_align(uint64_t heap_size)
{
	uint64_t align = WORLD_ALIGN_MIN;

	while (align < WORLD_ALIGN_MAX && align * 2 <= heap_size)
		align *= 2;
	return align;
}

uint64_t world_teams(const struct world *w)
{
	return ((uint64_t)w->n_pes * sizeof(uint64_t) + 255) & ~(uint64_t)255;
}

/*
 * What kernels' barriers and teams need is in the block; for heaps in device memory, behind each
 * heap.
 */
static int world_sizes(struct world *w, const struct pe_blob *blob, bool device)
{
	uint64_t unit = blob->device_granule, room = blob->heap_size;

	w->align = world_align(blob->heap_size);
	w->sync_off = coll_block_size(w->n_node, w->n_nodes);
	w->sync_len = world_teams(w) + DEV_TEAMS * dev_team_layout((uint64_t)w->n_pes).slot;
	w->block_len = w->sync_off + (uint64_t)w->n_node * w->sync_len;
	if (device) {
		w->sync_off = (blob->heap_size + unit - 1) / unit * unit;
		w->block_len = w->sync_off;
		w->sync_off = (blob->heap_size + unit - 1) / unit * unit;
		w->sync_len = (w->sync_len + unit - 1) / unit * unit;
		room = w->sync_off + w->sync_len;
	}
	if (room < blob->heap_size || __builtin_add_overflow(room, w->align - 1, &w->stride))
		w->stride = UINT64_MAX;
	w->stride &= ~(w->align - 1);
	if (__builtin_mul_overflow(w->stride, (uint64_t)w->n_node, &w->window_len))
		return err_set(MORI_SHMEM_ENOMEM,
			       "%d heaps of %llu bytes are more than can be addressed", w->n_node,
			       (unsigned long long)blob->heap_size);
	return 0;
}

/* Boot's thread, which is notified of losses, uses it from now on. */
static void world_set_block(struct world *w, struct coll_block *block)
{
	pthread_mutex_lock(&w->lock);
	w->block = block;
	pthread_mutex_unlock(&w->lock);
}

/* With device memory the window is empty. */
static int world_make(struct world *w, bool device, int fds[2])
{
	void *block;
	int err = host_mem_create("mori-coll", w->block_len, &fds[0]);

	if (!err)
		err = host_mem_map(fds[0], w->block_len, 4096, &block);
	if (err)
		return err;
	coll_block_init(block, w->n_node, w->n_nodes);
	world_set_block(w, block);
	return host_mem_create("mori-heap", device ? 0 : w->window_len, &fds[1]);
}

/*
 * The process that leads the node creates both objects and sends them, or says why there is nothing
 * to send: @err, or what fails here.
 */
static int world_give(struct world *w, bool device, int fds[2], int err)
{
	int last = boot_my_proc(w->boot);

	if (!err)
		err = world_make(w, device, fds);
	for (int i = 0; i < w->n_node; i++) {
		int proc = boot_peer(w->boot, w->node_ranks[i])->proc, sent = 0;

		if (proc <= last) /* in the order of their lowest rank: each once */
			continue;
		last = proc;
		if (err)
			boot_send_no_fds(w->boot, proc, WORLD_TAG, err);
		else
			sent = boot_send_fds(w->boot, proc, WORLD_TAG, fds, 2);
		err = err ? err : sent;
	}
	return err;
}

static int world_take(struct world *w, int leader, double timeout, int fds[2])
{
	void *block;
	int err = boot_recv_fds(w->boot, leader, WORLD_TAG, fds, 2, timeout);

	if (!err)
		err = host_mem_map(fds[0], w->block_len, 4096, &block);
	if (!err)
		world_set_block(w, block);
	return err;
}

/* With device memory, only the range of addresses. */
static int world_map_open(struct world *w, struct pe *pe, const struct pe_blob *blob, int fd)
{
	bool device = pe_device_mem(pe);
	struct world_map *map = calloc(1, sizeof(*map));
	int err;

	if (!map)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a world");
	w->map = map;
	map->refs = 1;
	map->mem = pe->accel.mem;
	err = device ? segments_enter(pe, blob) :
		       host_mem_map(fd, w->window_len, w->align, &w->window);
	map->base = w->window;
	map->len = w->window_len;
	return err;
}

struct world_map *world_map_get(struct world *w)
{
	__atomic_fetch_add(&w->map->refs, 1, __ATOMIC_RELAXED);
	return w->map;
}

void world_map_put(struct world_map *map)
{
	/* Release and acquire: what the others did with the memory happens before its end. */
	if (__atomic_sub_fetch(&map->refs, 1, __ATOMIC_ACQ_REL))
		return;
	if (map->mem)
		segments_leave(map);
	else if (map->base)
		host_mem_unmap(map->base, map->len);
	free(map);
}

static int world_open(struct world *w, struct pe *pe, const struct pe_blob *blob)
{
	int fds[2] = { -1, -1 }, leader;
	bool device = pe_device_mem(pe);
	int err = world_check(w->boot);

	if (!err)
		err = world_places(w);
	if (err)
		return err;
	err = world_sizes(w, blob, device);
	if (!err && device)
		err = segments_room(w, blob);
	boot_watch(w->boot, world_on_lost, w);
	stuck_open(w);
	dump_open(w, pe->options.dump_signal);
	leader = boot_peer(w->boot, w->node_ranks[0])->proc;
	if (leader == boot_my_proc(w->boot))
		err = world_give(w, device, fds, err);
	else if (!err)
		err = world_take(w, leader, pe->options.bootstrap_timeout, fds);
	if (!err)
		err = world_map_open(w, pe, blob, fds[1]);
	for (int i = 0; i < 2; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	return err;
}

static void world_free(struct world *w)
{
	dump_close(w);
	remote_close(w);
	if (w->map)
		world_map_put(w->map);
	free(w->segments.devs);
	free(w->segments.bases);
	if (w->block)
		host_mem_unmap(w->block, w->block_len);
	free(w->node_ranks);
	free(w->leaders);
	free(w->slot);
	free(w->gone);
	pthread_cond_destroy(&w->moved);
	pthread_mutex_destroy(&w->waits.lock);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* The world of this process for @boot, made if need be; NULL: out of memory. */
static struct world *world_get(struct boot *boot)
{
	struct world *w;

	pthread_mutex_lock(&worlds.lock);
	for (w = worlds.first; w && w->boot != boot; w = w->next)
		;
	if (!w) {
		w = calloc(1, sizeof(*w));
		if (w) {
			w->boot = boot;
			pthread_mutex_init(&w->lock, NULL);
			pthread_mutex_init(&w->waits.lock, NULL);
			pthread_cond_init(&w->moved, NULL);
			w->next = worlds.first;
			worlds.first = w;
		}
	}
	if (w)
		w->refs++;
	pthread_mutex_unlock(&worlds.lock);
	return w;
}

static void world_put(struct world *w)
{
	bool last;

	pthread_mutex_lock(&worlds.lock);
	last = --w->refs == 0;
	for (struct world **p = &worlds.first; last && *p; p = &(*p)->next) {
		if (*p == w) {
			*p = w->next;
			break;
		}
	}
	pthread_mutex_unlock(&worlds.lock);
	if (last)
		world_free(w);
}

/* The first PE to come opens; each gets the result. */
static int world_ready(struct world *w, struct pe *pe, const struct pe_blob *blob)
{
	int err = 0;

	pthread_mutex_lock(&w->lock);
	if (w->stage == WORLD_NEW) {
		w->stage = WORLD_OPENING;
		pthread_mutex_unlock(&w->lock);
		err = world_open(w, pe, blob);
		pthread_mutex_lock(&w->lock);
		w->stage = err ? WORLD_FAILED : WORLD_OPEN;
		w->status = err;
		snprintf(w->text, sizeof(w->text), "%s", err ? err_text() : "");
		pthread_cond_broadcast(&w->moved);
	}
	while (w->stage == WORLD_OPENING)
		pthread_cond_wait(&w->moved, &w->lock);
	err = w->status;
	if (err)
		err_set(err, "%s", w->text);
	pthread_mutex_unlock(&w->lock);
	return err;
}

int world_enter(struct pe *pe, const struct pe_blob *blob)
{
	struct world *w = world_get(pe->boot);
	int err;

	if (!w)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a world");
	pe->world = w;
	err = world_ready(w, pe, blob);
	if (err)
		return err;
	pthread_mutex_lock(&w->lock);
	pe->sibling = w->members;
	w->members = pe;
	pe->state->lost = w->n_lost;
	pthread_mutex_unlock(&w->lock);
	return 0;
}

/* After boot_leave() of the last PE boot's thread is gone, and only then the world. */
void world_leave(struct pe *pe)
{
	struct world *w = pe->world;

	if (w) {
		pthread_mutex_lock(&w->lock);
		for (struct pe **p = &w->members; *p; p = &(*p)->sibling) {
			if (*p == pe) {
				*p = pe->sibling;
				break;
			}
		}
		pthread_mutex_unlock(&w->lock);
	}
	if (pe->boot)
		boot_leave(pe->boot, pe->rank);
	if (w)
		world_put(w);
}
