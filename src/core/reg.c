// SPDX-License-Identifier: MIT
/*
 * Memory outside the heap that peers can address: windows.
 *
 * A window is in the list that operations search while they run, in any thread: it is filled in
 * before it is linked, and a window that is gone stays linked with length 0 until the PE ends or a
 * new window takes its place.
 */
#include "boot/boot.h"
#include "core/p2p_only.h"
#include "core/pe.h"
#include "core/queues.h"
#include "core/rdma.h"
#include "core/remote.h"
#include "core/share.h"
#include "dev/dev.h"
#include "util/err.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct window {
	struct window *next;
	struct dev_window *dev;
	void *device;		/* the copy of that on the device; NULL: none */
	struct share_map *maps; /* [n_pes]; of device memory only base is used */
	bool apart;		/* counted by p2p_only_forbid() */
};

/* How peers reach a PE's part of a window. */
enum window_kind {
	WINDOW_HEAP = 1,
	WINDOW_PROCESS,
	WINDOW_FILE,
	WINDOW_HANDLE,
	WINDOW_NONE,
	WINDOW_HOST
};

/* What a PE offers of its part, as the data of a barrier. */
struct window_offer {
	uint64_t kind, addr;
	struct accel_handle handle; /* its offset also of the heap and of a file */
	uint64_t served;	    /* over the network */
};
_Static_assert(sizeof(struct window_offer) == COLL_DATA * sizeof(uint64_t),
	       "the data of a barrier");

static const struct window_offer *window_offer_of(const struct pe *pe, int rank)
{
	return (const struct window_offer *)coll_data(pe, rank);
}

/* Barriers in which all PEs publish their offers. */
static int window_publish_offer(struct pe *pe, const struct coll_call *call,
				const struct window_offer *offer)
{
	return coll_barrier(pe, call, (const uint64_t *)offer);
}

/* This PE's offer; @file receives a file's descriptor. */
static struct window_offer window_make_offer(struct pe *pe, void *ptr, uint64_t size,
					     struct share *file)
{
	struct window_offer offer = { .kind = WINDOW_NONE,
				      .addr = (uint64_t)(uintptr_t)ptr,
				      .served = pe->heap.served != 0 };
	uint64_t off = (uint64_t)((char *)ptr - pe->heap.base);

	if (!reg_range(ptr, size))
		return offer;
	if (dev_in_heap(pe->state, off, size)) {
		offer.kind = WINDOW_HEAP;
		offer.handle.off = off;
	} else if (pe_device_mem(pe) && !pe_device_holds(pe, ptr)) {
		offer.kind = WINDOW_HOST;
	} else if (boot_n_procs(pe->boot) == 1) {
		offer.kind = WINDOW_PROCESS;
	} else if (pe_device_mem(pe)) {
		if (!pe->accel.mem->handle_get(pe->accel.dev, ptr, size, &offer.handle))
			offer.kind = WINDOW_HANDLE;
	} else if (!share_find(ptr, size, &pe->reg.last_fd, file)) {
		offer.kind = WINDOW_FILE;
		offer.handle.off = file->off;
	}
	return offer;
}

/* All PEs check all offers and come to the same verdict. */
static int window_verdict(struct pe *pe, uint64_t size, bool *unmapped)
{
	*unmapped = false;
	for (int i = 0; i < pe->world->n_pes; i++) {
		const void *at = (const void *)(uintptr_t)window_offer_of(pe, i)->addr;

		if (!reg_range(at, size))
			return err_set(MORI_SHMEM_EINVAL,
				       "symmetric_register: %p + %llu bytes of PE %d is not a "
				       "range of memory",
				       at, (unsigned long long)size, i);
		if (window_offer_of(pe, i)->kind == WINDOW_HOST)
			return err_set(MORI_SHMEM_ENOTSUP,
				       "symmetric_register: %p of PE %d is memory of the host, "
				       "and its PE has a GPU: use memory of that",
				       at, i);
		*unmapped |= window_offer_of(pe, i)->kind == WINDOW_NONE;
	}
	return 0;
}

/*
 * Some part cannot be mapped by others: its owner serves it over the network. If the network must
 * be opened first, all PEs publish their offers again, because they are read later.
 */
static int window_network(struct pe *pe, const struct coll_call *call,
			  const struct window_offer *offer)
{
	bool served = true;
	int err;

	for (int i = 0; i < pe->world->n_pes; i++)
		served &= window_offer_of(pe, i)->served != 0;
	if (served)
		return 0;
	err = coll_agree(pe, remote_open(pe), "symmetric_register");
	if (!err)
		err = remote_join(pe, pe_timeout_s(pe));
	if (!err)
		err = remote_serve(pe);
	if (!err)
		err = queue_open(pe, false, 0);
	err = coll_agree(pe, err, "symmetric_register");
	return err ? err : window_publish_offer(pe, call, offer);
}

/* One tag for each pair of PEs; barriers separate the windows. */
static uint32_t window_tag(const struct pe *pe, int from, int to)
{
	return 16u + (uint32_t)from * (uint32_t)pe->world->n_pes + (uint32_t)to;
}

/* Sends to all, even after a failure: each of them waits for it. */
static int window_send(struct pe *pe, const struct share *file)
{
	int err = 0;

	for (int i = 0; i < pe->world->n_pes; i++) {
		int sent = !pe_other_process(pe, i) || pe->world->slot[i] < 0 ?
				   0 :
				   boot_send_fds(pe->boot, boot_peer(pe->boot, i)->proc,
						 window_tag(pe, pe->rank, i), &file->fd, 1);

		err = err ? err : sent;
	}
	return err;
}

/*
 * Where PE @rank's part is, as this process sees it. Without a window (@win NULL) it only receives
 * what was sent: the next registration must not find it.
 */
static int window_map(struct pe *pe, struct window *win, int rank, uint64_t size)
{
	const struct window_offer *offer = window_offer_of(pe, rank);
	uint64_t kind = offer->kind, at = offer->addr;
	int fd, err = 0;

	if (pe->world->slot[rank] < 0 || (kind == WINDOW_NONE && pe_other_process(pe, rank)))
		return 0;
	if (pe->state->slot[rank] < 0)
		win = NULL;
	if (win && kind == WINDOW_HEAP) {
		at = dev_heap_of(pe->state, pe->state->slot[rank]) + offer->handle.off;
	} else if (kind == WINDOW_HANDLE && pe_other_process(pe, rank)) {
		struct share_map *map = win ? &win->maps[rank] : NULL;

		if (map)
			err = pe->accel.mem->handle_open(pe->accel.dev, &offer->handle, &map->at,
							 &map->base);
		at = map ? (uint64_t)(uintptr_t)map->at : 0;
	} else if (kind == WINDOW_FILE && pe_other_process(pe, rank)) {
		err = boot_recv_fds(pe->boot, boot_peer(pe->boot, rank)->proc,
				    window_tag(pe, rank, pe->rank), &fd, 1, pe_timeout_s(pe));
		if (err)
			return err;
		if (win) {
			err = share_map(fd, offer->handle.off, size, &win->maps[rank]);
			at = (uint64_t)(uintptr_t)win->maps[rank].at;
		}
		close(fd);
	}
	if (win)
		win->dev->peer[rank] = at;
	return err;
}

static void window_unmap(struct pe *pe, struct window *win)
{
	for (int i = 0; win->maps && i < pe->world->n_pes; i++) {
		if (pe_device_mem(pe))
			pe->accel.mem->handle_close(pe->accel.dev, win->maps[i].base);
		else
			share_unmap(&win->maps[i]);
		win->maps[i].base = NULL;
	}
}

static void window_free(struct pe *pe, struct window *win)
{
	window_unmap(pe, win);
	if (win->device)
		pe->accel.mem->free(pe->accel.dev, win->device);
	free(win->maps);
	free(win->dev);
	free(win);
}

static struct window *window_new(struct pe *pe, void *ptr)
{
	size_t n = (size_t)pe->world->n_pes;
	struct window *win = calloc(1, sizeof(*win));

	if (!win)
		return NULL;
	win->dev = calloc(1, sizeof(*win->dev) + n * sizeof(win->dev->peer[0]));
	win->maps = calloc(n, sizeof(*win->maps));
	if (!win->dev || !win->maps) {
		window_free(pe, win);
		return NULL;
	}
	win->dev->base = (uint64_t)(uintptr_t)ptr;
	return win;
}

/* A window of this list that is gone; NULL: none is. */
static struct window *window_spare(struct pe *pe)
{
	struct window *win = pe->reg.windows;

	while (win && win->dev->len)
		win = win->next;
	return win;
}

/*
 * Inserts the window without a length, at the same place in the list on all PEs: in place of one
 * that is gone, if any. Release: pairs with the acquire in dev_window_of().
 */
static struct window *window_insert(struct pe *pe, struct window *win)
{
	struct window *spare;

	pthread_mutex_lock(&pe->reg.lock);
	spare = window_spare(pe);
	if (spare) {
		struct share_map *maps = spare->maps;

		spare->dev->base = win->dev->base;
		spare->dev->id = win->dev->id;
		for (int i = 0; i < pe->world->n_pes; i++)
			spare->dev->peer[i] = win->dev->peer[i];
		spare->apart = win->apart;
		spare->maps = win->maps;
		win->maps = maps;
	} else {
		win->next = pe->reg.windows;
		pe->reg.windows = win;
		win->dev->next = pe->state->windows;
		__atomic_store_n(&pe->state->windows, win->dev, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&pe->reg.lock);
	if (!spare)
		return win;
	window_free(pe, win);
	return spare;
}

/* With a length it exists, with 0 it is gone: on the host even if the copy to the device fails. */
static int window_set_len(struct pe *pe, struct window *win, uint64_t len)
{
	int err;

	pthread_mutex_lock(&pe->reg.lock);
	__atomic_store_n(&win->dev->len, len, __ATOMIC_RELEASE);
	windows_changed(&pe->reg.order, &pe->state->index, pe->state->windows);
	err = mirror_window(pe, win->dev, len, &win->device);
	win->dev->device = (uint64_t)(uintptr_t)win->device;
	if (!err)
		err = mirror_index(pe);
	pthread_mutex_unlock(&pe->reg.lock);
	return err;
}

/* Releases what a window held that nobody uses any more. */
static void window_withdraw(struct pe *pe, struct window *win, void *ptr, uint64_t size)
{
	pthread_mutex_lock(&pe->reg.lock);
	rdma_forget(pe->rdma, ptr, size, true);
	remote_window_remove(pe, win->dev->id);
	window_unmap(pe, win);
	if (win->apart)
		p2p_only_allow(pe);
	pthread_mutex_unlock(&pe->reg.lock);
}

/*
 * If only the network reaches parts of peers, quiet, fence and signals must know, even after the
 * window is gone.
 */
static int window_set_queues(struct pe *pe, const struct window *win)
{
	int i = 0, err;

	while (i < pe->world->n_pes && win->dev->peer[i])
		i++;
	if (i == pe->world->n_pes || pe->state->any_queue)
		return 0;
	__atomic_store_n(&pe->state->any_queue, 1, __ATOMIC_RELAXED);
	pe->state->uniform &= DEV_UNIFORM_AMO;
	err = mirror_field(pe, &pe->state->any_queue, sizeof(pe->state->any_queue));
	if (!err)
		err = mirror_field(pe, &pe->state->uniform, sizeof(pe->state->uniform));
	if (err)
		__atomic_store_n(&pe->state->any_queue, 0, __ATOMIC_RELAXED);
	return err;
}

/* All PEs have their parts: makes the window addressable. */
static int window_publish(struct pe *pe, struct window *win, void *ptr, uint64_t size)
{
	int err, shown;

	win = window_insert(pe, win);
	err = window_set_queues(pe, win);
	shown = window_set_len(pe, win, size);
	err = err ? err : shown;
	if (pe_device_mem(
		    pe)) /* all PEs have the same kind of device, and only one of its own can fail */
		err = coll_agree(pe, err, "symmetric_register");
	if (err) {
		window_set_len(pe, win, 0);
		window_withdraw(pe, win, ptr, size);
	}
	return err;
}

static int window_open(struct pe *pe, void *ptr, uint64_t size, const struct share *file,
		       const struct coll_call *call, bool apart)
{
	struct window *win = window_new(pe, ptr);
	int err = win ? 0 : err_set(MORI_SHMEM_ENOMEM, "symmetric_register: out of memory");
	int queued;

	if (win) {
		win->dev->id = pe->reg.next_window;
		win->apart = apart;
	}
	pe->reg.next_window++;
	if (file->fd >= 0) {
		int sent = window_send(pe, file);

		err = err ? err : sent;
	}
	for (int i = 0; i < pe->world->n_pes; i++) {
		int reached = window_map(pe, err ? NULL : win, i, size);

		err = err ? err : reached;
	}
	if (!err)
		err = remote_window_add(pe, win->dev->id, ptr, size);
	queued = rdma_window(pe->rdma, ptr, size, err, call);
	err = coll_agree(pe, queued, "symmetric_register");
	if (!err)
		return window_publish(pe, win, ptr, size);
	if (win) {
		if (!queued)
			rdma_forget(pe->rdma, ptr, size, true);
		remote_window_remove(pe, win->dev->id);
		window_free(pe, win);
	}
	if (apart)
		p2p_only_allow(pe);
	return err;
}

/*
 * Fails on all PEs if one needs a queue to some part and holds kernels without queues. Otherwise
 * the PEs publish their offers again, because they are read later.
 */
static int window_check_p2p(struct pe *pe, const struct coll_call *call,
			    const struct window_offer *offer, bool *apart)
{
	int unmapped = -1, mine = 0, err;

	for (int i = 0; i < pe->world->n_pes && unmapped < 0; i++) {
		if (window_offer_of(pe, i)->kind == WINDOW_NONE && pe_other_process(pe, i))
			unmapped = i;
	}
	if (unmapped >= 0)
		mine = p2p_only_forbid(pe, unmapped);
	*apart = unmapped >= 0 && !mine;
	err = coll_agree(pe, mine, "symmetric_register");
	for (int i = 0; err == MORI_SHMEM_ENOTSUP && i < pe->world->n_pes; i++) {
		if ((int)(int64_t)coll_data(pe, i)[0] != err)
			continue;
		return err_set(err,
			       "symmetric_register: only a queue reaches this memory from PE %d "
			       "(it cannot be mapped), and PE %d holds kernels that were compiled "
			       "without queues: " P2P_ONLY_ADVICE ", or unload them",
			       i, i, "them");
	}
	return err ? err : window_publish_offer(pe, call, offer);
}

int reg_window_add(struct pe *pe, void *ptr, uint64_t size)
{
	struct coll_call call = { .op = COLL_REGISTER, .size = size };
	struct window_offer offer;
	struct share file = { .fd = -1 };
	bool unmapped = false, apart = false;
	int err;

	err = pe_coll_begin(pe);
	if (err)
		return err;
	offer = window_make_offer(pe, ptr, size, &file);
	err = window_publish_offer(pe, &call, &offer);
	if (!err)
		err = window_verdict(pe, size, &unmapped);
	if (!err && unmapped)
		err = window_check_p2p(pe, &call, &offer, &apart);
	if (!err && unmapped)
		err = window_network(pe, &call, &offer);
	if (!err)
		err = window_open(pe, ptr, size, &file, &call, apart);
	else if (apart)
		p2p_only_allow(pe);
	pe_coll_end(pe);
	if (file.fd >= 0)
		close(file.fd);
	return err;
}

/* Finds a window; its place in the list, from the end, is the same on every PE. */
static struct window *window_find(struct pe *pe, const void *ptr, uint64_t size, uint64_t *place)
{
	struct window *found = NULL;
	uint64_t i = 0;

	for (struct window *win = pe->reg.windows; win; win = win->next, i++) {
		if (!found && win->dev->len == size && size &&
		    win->dev->base == (uint64_t)(uintptr_t)ptr) {
			found = win;
			*place = i;
		}
	}
	if (found)
		*place = i - *place;
	return found;
}

int reg_window_remove(struct pe *pe, void *ptr, uint64_t size)
{
	struct coll_call call = { .op = COLL_DEREGISTER, .size = size, .place = COLL_NO_BLOCK };
	struct window *win;
	int err;

	err = pe_coll_begin(pe);
	if (err)
		return err;
	pthread_mutex_lock(&pe->reg.lock);
	win = window_find(pe, ptr, size, &call.place);
	pthread_mutex_unlock(&pe->reg.lock);
	tgt_fence_full(pe->state);
	err = coll_barrier(pe, &call, NULL);
	if (!err && !win)
		err = err_set(MORI_SHMEM_ENOENT,
			      "symmetric_deregister: no window is registered with address %p and "
			      "%llu bytes",
			      ptr, (unsigned long long)size);
	if (!err) {
		err = window_set_len(pe, win, 0);
		if (pe_device_mem(pe))
			err = coll_agree(pe, err, "symmetric_deregister");
		if (err)
			window_set_len(pe, win, size);
		else
			window_withdraw(pe, win, ptr, size);
	}
	pe_coll_end(pe);
	return err;
}

bool reg_all_mapped(struct pe *pe, int rank)
{
	const struct window *win;

	pthread_mutex_lock(&pe->reg.lock);
	win = pe->reg.windows;
	while (win && (!win->dev->len || win->dev->peer[rank]))
		win = win->next;
	pthread_mutex_unlock(&pe->reg.lock);
	return !win;
}

/* 1 and *out if @addr lies in [base, base + len). */
static bool reg_holds(uint64_t addr, uint64_t base, uint64_t len, uint64_t kind,
		      mori_shmem_memobj_t *out)
{
	if (addr - base >= len)
		return false;
	*out = (mori_shmem_memobj_t){ .addr = base, .size = len, .kind = kind };
	return true;
}

int reg_query(struct pe *pe, const void *ptr, mori_shmem_memobj_t *out)
{
	uint64_t addr = (uint64_t)(uintptr_t)ptr, base = pe->state->heap_base;
	struct alloc_block block;
	bool found;

	lock_take(&pe->heap.lock);
	found = addr - base < pe->state->heap_len &&
		alloc_find(pe->heap.books, addr - base, &block);
	lock_give(&pe->heap.lock);
	if (found)
		return reg_holds(addr, base + block.off, block.len, MORI_SHMEM_MEMOBJ_HEAP, out) ?
			       0 :
			       MORI_SHMEM_ENOENT;
	pthread_mutex_lock(&pe->reg.lock);
	for (struct window *w = pe->reg.windows; w && !found; w = w->next)
		found = reg_holds(addr, w->dev->base, w->dev->len, MORI_SHMEM_MEMOBJ_WINDOW, out);
	for (struct reg_buffer *b = pe->reg.buffers; b && !found; b = b->next)
		found = reg_holds(addr, b->addr, b->len, MORI_SHMEM_MEMOBJ_BUFFER, out);
	pthread_mutex_unlock(&pe->reg.lock);
	if (found)
		return 0;
	return err_set(MORI_SHMEM_ENOENT,
		       "query_memobj: %p is in no symmetric block, window or registered buffer",
		       ptr);
}

void reg_close(struct pe *pe)
{
	reg_buffers_close(pe);
	for (struct window *win; (win = pe->reg.windows);) {
		pe->reg.windows = win->next;
		if (win->dev->len)
			remote_window_remove(pe, win->dev->id);
		window_free(pe, win);
	}
	windows_free(&pe->reg.order);
	pthread_mutex_destroy(&pe->reg.lock);
}
