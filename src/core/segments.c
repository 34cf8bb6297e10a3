// SPDX-License-Identifier: MIT
/*
 * Heaps in device memory. Each PE creates its own, in segments, and sends a descriptor of each to
 * every other process of the node, or a handle of the fabric to all where the drivers support that.
 * The PE with the lowest rank of a process imports the segments of others, once for all PEs of that
 * process. All segments are mapped in one range of addresses, one stride per PE; behind each heap
 * are the flags of kernels' barriers.
 *
 * With MORI_SHMEM_SHARE=ipc, or where a device is safer so, a heap is one allocation, which others
 * open by a handle, at any address.
 */
#include "boot/boot.h"
#include "core/pe.h"
#include "util/err.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SEGMENTS_TAG ((uint32_t)1 << 30) /* of descriptors: and the rank that made them */
#define SEGMENTS_FDS 200		 /* in a message */

struct segment {
	struct segment *next;
	int rank; /* whose */
	uint64_t off, len;
	void *at;
	void *handle; /* ipc: to be closed; or, for this process's own, the allocation */
};

/* Segments to be shared: @n of them, the first at @first if that has a length. */
struct seg_exchange {
	struct {
		uint64_t off, len;
	} first;
	uint64_t off, len, each;
	int n;
	struct accel_shareable *shareables; /* [n] of this PE's own; fd -1: none */
};

static struct seg_exchange seg_exchange_of(uint64_t off, uint64_t len, uint64_t each)
{
	struct seg_exchange b = { .off = off, .len = len, .each = each };

	b.n = (int)((len + each - 1) / each);
	return b;
}

static void seg_exchange_range(const struct seg_exchange *b, int i, uint64_t *off, uint64_t *len)
{
	uint64_t from = (uint64_t)(i - (b->first.len != 0)) * b->each;

	if (!i && b->first.len) {
		*off = b->first.off;
		*len = b->first.len;
		return;
	}
	*off = b->off + from;
	*len = b->len - from < b->each ? b->len - from : b->each;
}

static void *segment_address(const struct world *w, int rank, uint64_t off)
{
	return (char *)w->window + (uint64_t)w->slot[rank] * w->stride + off;
}

static int segment_note(struct world *w, int rank, uint64_t off, uint64_t len, void *handle)
{
	struct segment *p = malloc(sizeof(*p));

	if (!p)
		return err_set(MORI_SHMEM_ENOMEM,
			       "out of memory for the heap's allocation records");
	pthread_mutex_lock(&w->lock);
	*p = (struct segment){
		w->map->segments, rank, off, len, segment_address(w, rank, off), handle
	};
	w->map->segments = p;
	pthread_mutex_unlock(&w->lock);
	return 0;
}

/* Unlinks a segment in the range: one of this PE, or, for the leader, of another process. */
static struct segment *segment_unlink(struct world *w, const struct pe *pe, uint64_t off,
				      uint64_t len)
{
	struct segment *found = NULL;

	pthread_mutex_lock(&w->lock);
	for (struct segment **p = &w->map->segments; *p; p = &(*p)->next) {
		bool mine = (*p)->rank == pe->rank;
		bool taken = pe->rank == w->segments.leader && pe_other_process(pe, (*p)->rank);

		if ((mine || taken) && (*p)->off >= off && (*p)->off - off < len) {
			found = *p;
			*p = found->next;
			break;
		}
	}
	pthread_mutex_unlock(&w->lock);
	return found;
}

/* Creates a segment of this PE, or imports one of another process by *shareable, and maps it. */
static int segment_open(struct pe *pe, int rank, uint64_t off, uint64_t len,
			struct accel_shareable *shareable)
{
	const struct accel_mem *mem = pe->accel.mem;
	struct world *w = pe->world;
	void *at = segment_address(w, rank, off);
	int err = rank == pe->rank ? mem->segment_make(pe->accel.dev, at, len, w->segments.devs,
						       w->segments.n_devs, shareable) :
				     mem->segment_take(pe->accel.dev, shareable, at, len,
						       w->segments.devs, w->segments.n_devs);

	if (err)
		return err;
	err = segment_note(w, rank, off, len, NULL);
	if (err)
		mem->segment_drop(at, len);
	return err;
}

static void seg_exchange_close(struct seg_exchange *b)
{
	for (int i = 0; b->shareables && i < b->n; i++) {
		if (b->shareables[i].fd >= 0)
			close(b->shareables[i].fd);
	}
	free(b->shareables);
	b->shareables = NULL;
}

static int seg_exchange_create(struct pe *pe, struct seg_exchange *b)
{
	bool alone = boot_n_procs(pe->boot) == 1;
	int err = 0;

	b->shareables = calloc((size_t)b->n + 1, sizeof(*b->shareables));
	if (!b->shareables)
		return err_set(MORI_SHMEM_ENOMEM,
			       "out of memory for the heap's allocation records");
	for (int i = 0; i < b->n; i++)
		b->shareables[i] = (struct accel_shareable){
			.way = pe->world->segments.fabric ? ACCEL_FABRIC : ACCEL_FD, .fd = -1
		};
	for (int i = 0; i < b->n && !err; i++) {
		uint64_t off, len;

		seg_exchange_range(b, i, &off, &len);
		err = segment_open(pe, pe->rank, off, len, alone ? NULL : &b->shareables[i]);
	}
	return err;
}

static int seg_exchange_send(struct pe *pe, const struct seg_exchange *b, int proc)
{
	int fds[SEGMENTS_FDS], err = 0;

	for (int i = 0; b->shareables && i < b->n && !err; i += SEGMENTS_FDS) {
		int n = b->n - i < SEGMENTS_FDS ? b->n - i : SEGMENTS_FDS;

		for (int k = 0; k < n; k++)
			fds[k] = b->shareables[i + k].fd;
		err = boot_send_fds(pe->boot, proc, SEGMENTS_TAG + (uint32_t)pe->rank, fds, n);
	}
	return err;
}

/*
 * Receives everything that PE @rank sent, even after an error: the next exchange must not find it.
 */
static int seg_exchange_receive(struct pe *pe, const struct seg_exchange *b, int rank)
{
	int proc = boot_peer(pe->boot, rank)->proc, fds[SEGMENTS_FDS], err = 0;

	for (int i = 0; i < b->n; i += SEGMENTS_FDS) {
		int n = b->n - i < SEGMENTS_FDS ? b->n - i : SEGMENTS_FDS;
		int came = boot_recv_fds(pe->boot, proc, SEGMENTS_TAG + (uint32_t)rank, fds, n,
					 pe->options.bootstrap_timeout);

		if (came)
			return came;
		for (int k = 0; k < n; k++) {
			uint64_t off, len;

			seg_exchange_range(b, i + k, &off, &len);
			if (!err)
				err = segment_open(pe, rank, off, len,
						   &(struct accel_shareable){ .fd = fds[k] });
			close(fds[k]);
		}
	}
	return err;
}

/* The same by handles of the fabric: every PE gets those of all. */
static int seg_exchange_gather(struct pe *pe, const struct seg_exchange *b)
{
	struct world *w = pe->world;
	size_t each = (size_t)b->n * sizeof(*b->shareables);
	struct accel_shareable *all = malloc((size_t)w->n_pes * each);
	int err;

	if (!all)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for %d PEs", w->n_pes);
	err = boot_allgather(pe->boot, pe->rank, b->shareables, each, all,
			     pe->options.bootstrap_timeout);
	for (int i = 0; !err && pe->rank == w->segments.leader && i < w->n_node; i++) {
		int rank = w->node_ranks[i];

		for (int k = 0; !err && pe_other_process(pe, rank) && k < b->n; k++) {
			uint64_t off, len;

			seg_exchange_range(b, k, &off, &len);
			err = segment_open(pe, rank, off, len, &all[rank * b->n + k]);
		}
	}
	free(all);
	return err;
}

/* All PEs have created their segments: sends them, and imports those of others. */
static int seg_exchange_run(struct pe *pe, const struct seg_exchange *b)
{
	struct world *w = pe->world;
	int last = -1, err = 0;

	if (w->segments.fabric)
		return boot_n_procs(pe->boot) == 1 ? 0 : seg_exchange_gather(pe, b);
	for (int i = 0; i < w->n_node; i++) {
		int proc = boot_peer(pe->boot, w->node_ranks[i])->proc;

		if (proc > last && proc != boot_my_proc(pe->boot)) { /* by lowest rank: each once */
			int sent = seg_exchange_send(pe, b, proc);

			err = err ? err : sent;
		}
		last = proc > last ? proc : last;
	}
	for (int i = 0; pe->rank == w->segments.leader && i < w->n_node; i++) {
		int rank = w->node_ranks[i];
		int came = pe_other_process(pe, rank) ? seg_exchange_receive(pe, b, rank) : 0;

		err = err ? err : came;
	}
	return err;
}

void segments_shrink(struct pe *pe, uint64_t off, uint64_t len)
{
	struct world *w = pe->world;

	for (struct segment *p; (p = segment_unlink(w, pe, off, len));) {
		pe->accel.mem->segment_drop(p->at, p->len);
		free(p);
	}
}

int segments_grow(struct pe *pe, uint64_t off, uint64_t len, uint64_t each)
{
	struct seg_exchange b = seg_exchange_of(off, len, each);
	int err = coll_agree(pe, seg_exchange_create(pe, &b), "malloc");

	if (!err)
		err = coll_agree(pe, seg_exchange_run(pe, &b), "malloc");
	seg_exchange_close(&b);
	if (err)
		segments_shrink(pe, off, len);
	return err;
}

/* One allocation per PE, which the others open. */
static int segments_open_ipc(struct pe *pe, int failed)
{
	struct world *w = pe->world;
	struct segments_ipc {
		struct accel_handle handle;
		uint64_t addr;
	} mine = { 0 }, *all = calloc((size_t)w->n_pes, sizeof(*all));
	uint64_t len = w->sync_off + w->sync_len;
	void *at = NULL, *base = NULL;
	int err = failed;

	if (!err)
		err = all ? pe->accel.mem->alloc(pe->accel.dev, len + SEGMENTS_ALIGN, &base) :
			    err_set(MORI_SHMEM_ENOMEM, "out of memory for %d PEs", w->n_pes);
	if (!err)
		err = segment_note(w, pe->rank, 0, len, base);
	at = (void *)(((uintptr_t)base + SEGMENTS_ALIGN - 1) / SEGMENTS_ALIGN * SEGMENTS_ALIGN);
	if (!err && boot_n_procs(pe->boot) > 1)
		err = pe->accel.mem->handle_get(pe->accel.dev, at, len, &mine.handle);
	mine.addr = (uint64_t)(uintptr_t)at;
	err = pe_agree(pe, err);
	if (!err)
		err = boot_allgather(pe->boot, pe->rank, &mine, sizeof(mine), all,
				     pe->options.bootstrap_timeout);
	for (int i = 0; !err && i < w->n_node; i++) {
		int rank = w->node_ranks[i];

		if (rank == pe->rank)
			w->segments.bases[i] = mine.addr;
		if (pe->rank != w->segments.leader || !pe_other_process(pe, rank))
			continue;
		err = pe->accel.mem->handle_open(pe->accel.dev, &all[rank].handle, &at, &base);
		if (!err) {
			w->segments.bases[i] = (uint64_t)(uintptr_t)at;
			err = segment_note(w, rank, 0, len, base);
		}
	}
	free(all);
	return pe_agree(pe, err); /* others of the process have filled in some of the bases */
}

int segments_open(struct pe *pe, uint64_t len, int failed)
{
	struct world *w = pe->world;
	struct seg_exchange b = seg_exchange_of(0, len,
						pe->heap.chunk ? pe->heap.chunk :
						len	       ? len :
								 1);
	int err = failed;

	if (w->segments.bases)
		return segments_open_ipc(pe, failed);
	b.first.off = w->sync_off;
	b.first.len = w->sync_len;
	b.n++;
	if (!err)
		err = seg_exchange_create(pe, &b);
	if (!err)
		err = pe->accel.ops->mem_zero(
			pe->accel.dev, segment_address(w, pe->rank, w->sync_off), w->sync_len);
	err = pe_agree(pe, err);
	if (!err)
		err = seg_exchange_run(pe, &b);
	seg_exchange_close(&b);
	return err;
}

/* Segments stay as long as the mapping, which others may hold; handles need this PE's device. */
void segments_close(struct pe *pe)
{
	struct world *w = pe->world;
	struct segment **p, *gone;

	if (!w || !w->map || !w->segments.bases)
		return;
	pthread_mutex_lock(&w->lock);
	for (p = &w->map->segments; *p;) {
		gone = *p;
		if (gone->rank != pe->rank &&
		    !(pe_other_process(pe, gone->rank) && pe->rank == w->segments.leader)) {
			p = &gone->next;
			continue;
		}
		*p = gone->next;
		if (gone->rank == pe->rank)
			pe->accel.mem->free(pe->accel.dev, gone->handle);
		else
			pe->accel.mem->handle_close(pe->accel.dev, gone->handle);
		free(gone);
	}
	pthread_mutex_unlock(&w->lock);
}

void segments_leave(struct world_map *map)
{
	for (struct segment *p; (p = map->segments);) {
		map->segments = p->next;
		if (!p->handle)
			map->mem->segment_drop(p->at, p->len);
		free(p);
	}
	if (map->base)
		map->mem->unreserve(map->base);
}

/* The devices of this process's PEs, each once, and the PE that imports segments. */
static int segments_owners(struct pe *pe)
{
	struct heap_segments *p = &pe->world->segments;

	p->devs = calloc((size_t)pe->world->n_pes, sizeof(*p->devs));
	if (!p->devs)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for %d PEs", pe->world->n_pes);
	p->leader = -1;
	for (int i = 0; i < pe->world->n_pes; i++) {
		const struct pe_blob *b = pe_blob_of(pe->boot, i);
		int k = 0;

		if (pe_other_process(pe, i))
			continue;
		if (p->leader < 0)
			p->leader = i;
		while (k < p->n_devs && p->devs[k] != b->device_number)
			k++;
		if (k == p->n_devs)
			p->devs[p->n_devs++] = b->device_number;
	}
	return 0;
}

/* By handles of the fabric, if all PEs support them and no other kind was requested. */
static int segments_choose_kind(struct world *w, uint32_t share)
{
	w->segments.fabric = share == OPTION_SHARE_AUTO || share == OPTION_SHARE_FABRIC;
	for (int i = 0; i < w->n_pes && w->segments.fabric; i++) {
		const struct pe_blob *b = pe_blob_of(w->boot, i);

		w->segments.fabric = b->fabric;
		if (!b->fabric && share == OPTION_SHARE_FABRIC)
			return err_set(
				MORI_SHMEM_ENOTSUP,
				"MORI_SHMEM_SHARE=fabric: the driver of PE %d gives no handles of "
				"the fabric (they need GPUs on one and an IMEX channel); set "
				"MORI_SHMEM_SHARE=fd",
				i);
	}
	return 0;
}

/* The same in every PE. */
static bool segments_by_handles(const struct world *w, const struct pe_blob *blob)
{
	bool wanted = false;

	for (int i = 0; i < w->n_pes; i++)
		wanted = wanted || pe_blob_of(w->boot, i)->by_handles;
	return blob->share == OPTION_SHARE_IPC ||
	       (blob->share == OPTION_SHARE_AUTO && blob->mode == OPTION_MODE_STATIC && wanted);
}

int segments_enter(struct pe *pe, const struct pe_blob *blob)
{
	struct world *w = pe->world;
	int err = segments_owners(pe);

	if (!err)
		err = segments_choose_kind(w, blob->share);
	if (err || !segments_by_handles(w, blob))
		return err ? err :
			     pe->accel.mem->reserve(pe->accel.dev, w->window_len, w->align,
						    &w->window);
	if (blob->mode != OPTION_MODE_STATIC)
		return err_set(MORI_SHMEM_ENOTSUP,
			       "MORI_SHMEM_SHARE=ipc is for static heaps: set "
			       "MORI_SHMEM_MODE=static, or MORI_SHMEM_SHARE=fd");
	w->segments.bases = calloc((size_t)w->n_node, sizeof(*w->segments.bases));
	return w->segments.bases ? 0 :
				   err_set(MORI_SHMEM_ENOMEM, "out of memory for %d PEs", w->n_pes);
}

/* PEs share the memory of a device; the least free memory any of them saw counts. */
int segments_room(const struct world *w, const struct pe_blob *blob)
{
	uint64_t each = blob->mode == OPTION_MODE_STATIC ? w->sync_off : 0;

	if (blob->mode == OPTION_MODE_VMM)
		each = blob->chunk_size < w->sync_off ? blob->chunk_size : w->sync_off;
	each += w->sync_len;
	for (int i = 0; i < w->n_pes; i++) {
		const struct pe_blob *b = pe_blob_of(w->boot, i);
		uint64_t room = b->device_free, n = 0;

		for (int k = 0; k < w->n_pes; k++) {
			const struct pe_blob *other = pe_blob_of(w->boot, k);

			if (memcmp(other->device_id, b->device_id, sizeof(b->device_id)) != 0)
				continue;
			n++;
			room = other->device_free < room ? other->device_free : room;
		}
		if (n && each > room / n)
			return err_set(
				MORI_SHMEM_ENOMEM,
				"no room for the heaps: %llu bytes each for the %llu PE(s) on the "
				"GPU of PE %d, of which %llu bytes are free; lower "
				"MORI_SHMEM_HEAP_SIZE",
				(unsigned long long)each, (unsigned long long)n, i,
				(unsigned long long)room);
	}
	return 0;
}
