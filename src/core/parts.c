// SPDX-License-Identifier: MIT
/*
 * Heaps of memory that is far. Each PE makes its own, in parts, and sends a descriptor
 * of each to every other process of the node, or tells all a handle of the fabric where
 * the drivers give them; the PE with the lowest rank of a process
 * takes what comes from others, once for all PEs of that process. All parts lie in one
 * range of addresses, a stride a PE; behind each heap are the flags of kernels' barriers.
 *
 * Where that cannot be (MORI_SHMEM_SHARE=ipc) a heap is one allocation, which others
 * open by a handle, wherever it then lies.
 */
#include "boot/boot.h"
#include "core/pe.h"
#include "util/err.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PARTS_TAG ((uint32_t)1 << 30) /* of descriptors: and the rank that made them */
#define PARTS_FDS 200		      /* in a message */

struct part {
	struct part *next;
	int rank; /* whose */
	uint64_t off, len;
	void *at;
	void *handle; /* ipc: to be closed; or, for this process's own, the allocation */
};

/* What is to be shared: @n parts, the first at @first if that has a length. */
struct batch {
	struct {
		uint64_t off, len;
	} first;
	uint64_t off, len, each;
	int n;
	struct accel_ticket *tickets; /* [n] of this PE's own; fd -1: none */
};

static struct batch batch_of(uint64_t off, uint64_t len, uint64_t each)
{
	struct batch b = { .off = off, .len = len, .each = each };

	b.n = (int)((len + each - 1) / each);
	return b;
}

static void batch_part(const struct batch *b, int i, uint64_t *off, uint64_t *len)
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

static void *part_at(const struct world *w, int rank, uint64_t off)
{
	return (char *)w->window + (uint64_t)w->slot[rank] * w->stride + off;
}

static bool other_process(const struct pe *pe, int rank)
{
	return boot_peer(pe->boot, rank)->proc != boot_my_proc(pe->boot);
}

static int part_note(struct world *w, int rank, uint64_t off, uint64_t len, void *handle)
{
	struct part *p = malloc(sizeof(*p));

	if (!p)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for the books of the heap");
	pthread_mutex_lock(&w->lock);
	*p = (struct part){ w->map->parts, rank, off, len, part_at(w, rank, off), handle };
	w->map->parts = p;
	pthread_mutex_unlock(&w->lock);
	return 0;
}

/* Take a part out of the books: one of @rank's (or of any rank not of this process) in range. */
static struct part *part_find(struct world *w, const struct pe *pe, uint64_t off, uint64_t len)
{
	struct part *found = NULL;

	pthread_mutex_lock(&w->lock);
	for (struct part **p = &w->map->parts; *p; p = &(*p)->next) {
		bool mine = (*p)->rank == pe->rank;
		bool taken = pe->rank == w->parts.leader && other_process(pe, (*p)->rank);

		if ((mine || taken) && (*p)->off >= off && (*p)->off - off < len) {
			found = *p;
			*p = found->next;
			break;
		}
	}
	pthread_mutex_unlock(&w->lock);
	return found;
}

static int part_own(struct pe *pe, uint64_t off, uint64_t len, struct accel_ticket *ticket)
{
	struct world *w = pe->world;
	void *at = part_at(w, pe->rank, off);
	int err = accel_part_make(&pe->accel, at, len, w->parts.devs, w->parts.n_devs, ticket);

	if (err)
		return err;
	err = part_note(w, pe->rank, off, len, NULL);
	if (err)
		accel_part_drop(&pe->accel, at, len);
	return err;
}

static int part_foreign(struct pe *pe, int rank, uint64_t off, uint64_t len,
			const struct accel_ticket *ticket)
{
	struct world *w = pe->world;
	void *at = part_at(w, rank, off);
	int err = accel_part_take(&pe->accel, ticket, at, len, w->parts.devs, w->parts.n_devs);

	if (err)
		return err;
	err = part_note(w, rank, off, len, NULL);
	if (err)
		accel_part_drop(&pe->accel, at, len);
	return err;
}

static void batch_close(struct batch *b)
{
	for (int i = 0; b->tickets && i < b->n; i++) {
		if (b->tickets[i].fd >= 0)
			close(b->tickets[i].fd);
	}
	free(b->tickets);
	b->tickets = NULL;
}

static int batch_make(struct pe *pe, struct batch *b)
{
	bool alone = boot_n_procs(pe->boot) == 1;
	int err = 0;

	b->tickets = calloc((size_t)b->n + 1, sizeof(*b->tickets));
	if (!b->tickets)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for the books of the heap");
	for (int i = 0; i < b->n; i++)
		b->tickets[i] = (struct accel_ticket){
			.way = pe->world->parts.fabric ? ACCEL_FABRIC : ACCEL_FD, .fd = -1
		};
	for (int i = 0; i < b->n && !err; i++) {
		uint64_t off, len;

		batch_part(b, i, &off, &len);
		err = part_own(pe, off, len, alone ? NULL : &b->tickets[i]);
	}
	return err;
}

static int batch_send(struct pe *pe, const struct batch *b, int proc)
{
	int fds[PARTS_FDS], err = 0;

	for (int i = 0; b->tickets && i < b->n && !err; i += PARTS_FDS) {
		int n = b->n - i < PARTS_FDS ? b->n - i : PARTS_FDS;

		for (int k = 0; k < n; k++)
			fds[k] = b->tickets[i + k].fd;
		err = boot_send_fds(pe->boot, proc, PARTS_TAG + (uint32_t)pe->rank, fds, n);
	}
	return err;
}

/* All that PE @rank sent is taken, also after an error: the next batch must not find it. */
static int batch_receive(struct pe *pe, const struct batch *b, int rank)
{
	int proc = boot_peer(pe->boot, rank)->proc, fds[PARTS_FDS], err = 0;

	for (int i = 0; i < b->n; i += PARTS_FDS) {
		int n = b->n - i < PARTS_FDS ? b->n - i : PARTS_FDS;
		int came = boot_recv_fds(pe->boot, proc, PARTS_TAG + (uint32_t)rank, fds, n,
					 pe->options.bootstrap_timeout);

		if (came)
			return came;
		for (int k = 0; k < n; k++) {
			uint64_t off, len;

			batch_part(b, i + k, &off, &len);
			if (!err)
				err = part_foreign(pe, rank, off, len,
						   &(struct accel_ticket){ .fd = fds[k] });
			close(fds[k]);
		}
	}
	return err;
}

/* The same by handles of the fabric: every PE gets everybody's. */
static int batch_tell(struct pe *pe, const struct batch *b)
{
	struct world *w = pe->world;
	size_t each = (size_t)b->n * sizeof(*b->tickets);
	struct accel_ticket *all = malloc((size_t)w->n_pes * each);
	int err;

	if (!all)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for %d PEs", w->n_pes);
	err = boot_allgather(pe->boot, pe->rank, b->tickets, each, all,
			     pe->options.bootstrap_timeout);
	for (int i = 0; !err && pe->rank == w->parts.leader && i < w->n_node; i++) {
		int rank = w->node_ranks[i];

		for (int k = 0; !err && other_process(pe, rank) && k < b->n; k++) {
			uint64_t off, len;

			batch_part(b, k, &off, &len);
			err = part_foreign(pe, rank, off, len, &all[rank * b->n + k]);
		}
	}
	free(all);
	return err;
}

/* Everybody has made its parts: hand them out, and take those of others. */
static int batch_trade(struct pe *pe, const struct batch *b)
{
	struct world *w = pe->world;
	int last = -1, err = 0;

	if (w->parts.fabric)
		return boot_n_procs(pe->boot) == 1 ? 0 : batch_tell(pe, b);
	for (int i = 0; i < w->n_node; i++) {
		int proc = boot_peer(pe->boot, w->node_ranks[i])->proc;

		if (proc > last && proc != boot_my_proc(pe->boot)) { /* by lowest rank: each once */
			int sent = batch_send(pe, b, proc);

			err = err ? err : sent;
		}
		last = proc > last ? proc : last;
	}
	for (int i = 0; pe->rank == w->parts.leader && i < w->n_node; i++) {
		int rank = w->node_ranks[i];
		int came = other_process(pe, rank) ? batch_receive(pe, b, rank) : 0;

		err = err ? err : came;
	}
	return err;
}

void parts_shrink(struct pe *pe, uint64_t off, uint64_t len)
{
	struct world *w = pe->world;

	for (struct part *p; (p = part_find(w, pe, off, len));) {
		accel_part_drop(&pe->accel, p->at, p->len);
		free(p);
	}
}

int parts_grow(struct pe *pe, uint64_t off, uint64_t len, uint64_t each)
{
	struct batch b = batch_of(off, len, each);
	int err = coll_agree(pe, batch_make(pe, &b), "malloc");

	if (!err)
		err = coll_agree(pe, batch_trade(pe, &b), "malloc");
	batch_close(&b);
	if (err)
		parts_shrink(pe, off, len);
	return err;
}

/* One allocation a PE, which the others open. */
static int parts_open_ipc(struct pe *pe, int failed)
{
	struct world *w = pe->world;
	struct mine {
		struct accel_handle handle;
		uint64_t addr;
	} mine = { 0 }, *all = calloc((size_t)w->n_pes, sizeof(*all));
	uint64_t len = w->sync_off + w->parts.sync_len;
	void *at = NULL, *base = NULL;
	int err = failed;

	if (!err)
		err = all ? accel_alloc(&pe->accel, len + PARTS_ALIGN, &base) :
			    err_set(MORI_SHMEM_ENOMEM, "out of memory for %d PEs", w->n_pes);
	if (!err)
		err = part_note(w, pe->rank, 0, len, base);
	at = (void *)(((uintptr_t)base + PARTS_ALIGN - 1) / PARTS_ALIGN * PARTS_ALIGN);
	if (!err && boot_n_procs(pe->boot) > 1)
		err = accel_handle_get(&pe->accel, at, len, &mine.handle);
	mine.addr = (uint64_t)(uintptr_t)at;
	err = boot_agree(pe->boot, pe->rank, err, err ? err_text() : "",
			 pe->options.bootstrap_timeout);
	if (!err)
		err = boot_allgather(pe->boot, pe->rank, &mine, sizeof(mine), all,
				     pe->options.bootstrap_timeout);
	for (int i = 0; !err && i < w->n_node; i++) {
		int rank = w->node_ranks[i];

		if (rank == pe->rank)
			w->parts.bases[i] = mine.addr;
		if (pe->rank != w->parts.leader || !other_process(pe, rank))
			continue;
		err = accel_handle_open(&pe->accel, &all[rank].handle, &at, &base);
		if (!err) {
			w->parts.bases[i] = (uint64_t)(uintptr_t)at;
			err = part_note(w, rank, 0, len, base);
		}
	}
	free(all);
	return err;
}

int parts_open(struct pe *pe, uint64_t len, int failed)
{
	struct world *w = pe->world;
	struct batch b = batch_of(0, len, pe->heap.chunk ? pe->heap.chunk : len ? len : 1);
	int err = failed;

	if (w->parts.bases)
		return parts_open_ipc(pe, failed);
	b.first.off = w->sync_off;
	b.first.len = w->parts.sync_len;
	b.n++;
	if (!err)
		err = batch_make(pe, &b);
	if (!err)
		err = accel_mem_zero(&pe->accel, part_at(w, pe->rank, w->sync_off),
				     w->parts.sync_len);
	err = boot_agree(pe->boot, pe->rank, err, err ? err_text() : "",
			 pe->options.bootstrap_timeout);
	if (!err)
		err = batch_trade(pe, &b);
	batch_close(&b);
	return err;
}

/* Parts stay until the mapping ends, for those who hold it; handles need this PE's device. */
void parts_close(struct pe *pe)
{
	struct world *w = pe->world;
	struct part **p, *gone;

	if (!w || !w->map || !w->parts.bases)
		return;
	pthread_mutex_lock(&w->lock);
	for (p = &w->map->parts; *p;) {
		gone = *p;
		if (gone->rank != pe->rank &&
		    !(other_process(pe, gone->rank) && pe->rank == w->parts.leader)) {
			p = &gone->next;
			continue;
		}
		*p = gone->next;
		if (gone->rank == pe->rank)
			accel_free(&pe->accel, gone->handle);
		else
			accel_handle_close(&pe->accel, gone->handle);
		free(gone);
	}
	pthread_mutex_unlock(&w->lock);
}

void parts_leave(struct world_map *map)
{
	for (struct part *p; (p = map->parts);) {
		map->parts = p->next;
		if (!p->handle)
			accel_part_drop(&map->accel, p->at, p->len);
		free(p);
	}
	if (map->base)
		accel_unreserve(&map->accel, map->base);
}

/* The devices of this process's PEs, each once, and who takes what comes. */
static int parts_seat(struct pe *pe)
{
	struct parts *p = &pe->world->parts;

	p->devs = calloc((size_t)pe->world->n_pes, sizeof(*p->devs));
	if (!p->devs)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for %d PEs", pe->world->n_pes);
	p->leader = -1;
	for (int i = 0; i < pe->world->n_pes; i++) {
		const struct pe_blob *b = boot_peer(pe->boot, i)->blob;
		int k = 0;

		if (other_process(pe, i))
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

/* By handles of the fabric if all can, and nobody asked for something else. */
static int parts_way(struct world *w, uint32_t share)
{
	w->parts.fabric = share == OPTION_SHARE_AUTO || share == OPTION_SHARE_FABRIC;
	for (int i = 0; i < w->n_pes && w->parts.fabric; i++) {
		const struct pe_blob *b = boot_peer(w->boot, i)->blob;

		w->parts.fabric = b->fabric;
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

int parts_enter(struct pe *pe, const struct pe_blob *blob)
{
	struct world *w = pe->world;
	int err = parts_seat(pe);

	if (!err)
		err = parts_way(w, blob->share);
	if (err || blob->share != OPTION_SHARE_IPC)
		return err ? err : accel_reserve(&pe->accel, w->window_len, w->align, &w->window);
	if (blob->mode != OPTION_MODE_STATIC)
		return err_set(MORI_SHMEM_ENOTSUP,
			       "MORI_SHMEM_SHARE=ipc is for static heaps: set "
			       "MORI_SHMEM_MODE=static, or MORI_SHMEM_SHARE=fd");
	w->parts.bases = calloc((size_t)w->n_node, sizeof(*w->parts.bases));
	return w->parts.bases ? 0 :
				err_set(MORI_SHMEM_ENOMEM, "out of memory for %d PEs", w->n_pes);
}

/* PEs with one device have its memory together; the least any of them saw counts. */
int parts_room(const struct world *w, const struct pe_blob *blob)
{
	uint64_t each = blob->mode == OPTION_MODE_STATIC ? w->sync_off : 0;

	if (blob->mode == OPTION_MODE_VMM)
		each = blob->chunk_size < w->sync_off ? blob->chunk_size : w->sync_off;
	each += w->parts.sync_len;
	for (int i = 0; i < w->n_pes; i++) {
		const struct pe_blob *b = boot_peer(w->boot, i)->blob;
		uint64_t room = b->device_free, n = 0;

		for (int k = 0; k < w->n_pes; k++) {
			const struct pe_blob *other = boot_peer(w->boot, k)->blob;

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
