// SPDX-License-Identifier: MIT
/*
 * Memory that the heap did not give out and that peers can address: windows.
 *
 * A window is in the list that operations search while they run, in any thread:
 * it is filled in before it is linked, and a window that is gone stays linked
 * with length 0 until the PE ends or a new window takes its place.
 */
#include "boot/boot.h"
#include "core/near.h"
#include "core/pe.h"
#include "core/queue.h"
#include "core/route.h"
#include "core/share.h"
#include "dev/dev.h"
#include "util/err.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct window {
	struct window *next;
	struct dev_window *dev;
	void *far;		/* the copy of that on the device; NULL: none */
	struct share_map *maps; /* [n_pes]; of far memory only base is used */
	bool apart;		/* counted by near_apart() */
};

/* How peers get at this PE's part of a window. */
enum { WINDOW_HEAP = 1, WINDOW_PROCESS, WINDOW_FILE, WINDOW_HANDLE, WINDOW_NONE, WINDOW_HOST };
enum { SAY_HOW, SAY_ADDR, SAY_OFF, SAY_HANDLE, SAY_SERVED = COLL_DATA - 1 };

/* What this PE can say of its part; a file's descriptor goes to @file. */
static void window_offer(struct pe *pe, void *ptr, uint64_t size, struct share *file, uint64_t *say)
{
	uint64_t off = (uint64_t)((char *)ptr - pe->heap.base);

	say[SAY_HOW] = WINDOW_NONE;
	say[SAY_ADDR] = (uint64_t)(uintptr_t)ptr;
	say[SAY_SERVED] = pe->heap.served != 0;
	if (!reg_range(ptr, size))
		return;
	if (dev_in_heap(pe->state, off, size)) {
		say[SAY_HOW] = WINDOW_HEAP;
		say[SAY_OFF] = off;
	} else if (pe_far(pe) && !accel_holds(&pe->accel, ptr)) {
		say[SAY_HOW] = WINDOW_HOST;
	} else if (boot_n_procs(pe->boot) == 1) {
		say[SAY_HOW] = WINDOW_PROCESS;
	} else if (pe_far(pe)) {
		struct accel_handle h;

		if (accel_handle_get(&pe->accel, ptr, size, &h))
			return;
		say[SAY_HOW] = WINDOW_HANDLE;
		say[SAY_OFF] = h.off;
		memcpy(say + SAY_HANDLE, h.word, sizeof(h.word));
	} else if (!share_find(ptr, size, file)) {
		say[SAY_HOW] = WINDOW_FILE;
		say[SAY_OFF] = file->off;
	}
}

/* All PEs have read all offers and come to the same verdict. */
static int window_verdict(struct pe *pe, uint64_t size, bool *unmapped)
{
	*unmapped = false;
	for (int i = 0; i < pe->world->n_pes; i++) {
		const void *at = (const void *)(uintptr_t)coll_data(pe, i)[SAY_ADDR];

		if (!reg_range(at, size))
			return err_set(MORI_SHMEM_EINVAL,
				       "symmetric_register: %p + %llu bytes of PE %d is no memory",
				       at, (unsigned long long)size, i);
		if (coll_data(pe, i)[SAY_HOW] == WINDOW_HOST)
			return err_set(MORI_SHMEM_ENOTSUP,
				       "symmetric_register: %p of PE %d is memory of the host, "
				       "and its PE has a GPU: use memory of that",
				       at, i);
		*unmapped |= coll_data(pe, i)[SAY_HOW] == WINDOW_NONE;
	}
	return 0;
}

/*
 * Some part cannot be mapped by others: its owner serves it over the network. If that has to
 * be opened first all PEs show their offers again, for those who read them later.
 */
static int window_network(struct pe *pe, const struct coll_call *call, const uint64_t *say)
{
	bool served = true;
	int err;

	for (int i = 0; i < pe->world->n_pes; i++)
		served &= coll_data(pe, i)[SAY_SERVED] != 0;
	if (served)
		return 0;
	err = coll_agree(pe, route_make(pe), "symmetric_register");
	if (!err)
		err = route_join(pe, pe_patience(pe));
	if (!err)
		err = route_serve(pe);
	if (!err)
		err = queue_open(pe, false, 0);
	err = coll_agree(pe, err, "symmetric_register");
	return err ? err : coll_meet(pe, call, say);
}

/* One tag for each pair of PEs; the meetings around keep two windows apart. */
static uint32_t window_tag(const struct pe *pe, int from, int to)
{
	return 16u + (uint32_t)from * (uint32_t)pe->world->n_pes + (uint32_t)to;
}

static bool other_process(const struct pe *pe, int rank)
{
	return boot_peer(pe->boot, rank)->proc != boot_my_proc(pe->boot);
}

/* To all, whatever comes of it: each of them waits for it. */
static int window_send(struct pe *pe, const struct share *file)
{
	int err = 0;

	for (int i = 0; i < pe->world->n_pes; i++) {
		int sent = !other_process(pe, i) || pe->world->slot[i] < 0 ?
				   0 :
				   boot_send_fds(pe->boot, boot_peer(pe->boot, i)->proc,
						 window_tag(pe, pe->rank, i), &file->fd, 1);

		err = err ? err : sent;
	}
	return err;
}

static int window_reach_handle(struct pe *pe, struct share_map *map, int rank)
{
	const uint64_t *said = coll_data(pe, rank);
	struct accel_handle h = { .off = said[SAY_OFF] };

	memcpy(h.word, said + SAY_HANDLE, sizeof(h.word));
	return accel_handle_open(&pe->accel, &h, &map->at, &map->base);
}

/*
 * Where PE @rank's part is, as this process sees it. Without a window only what
 * was sent is taken: the next registration must not find it.
 */
static int window_reach(struct pe *pe, struct window *win, int rank, uint64_t size)
{
	uint64_t how = coll_data(pe, rank)[SAY_HOW], off = coll_data(pe, rank)[SAY_OFF];
	uint64_t at = coll_data(pe, rank)[SAY_ADDR];
	int fd, err = 0;

	if (pe->world->slot[rank] < 0 || (how == WINDOW_NONE && other_process(pe, rank)))
		return 0;
	if (pe->state->slot[rank] < 0)
		win = NULL;
	if (win && how == WINDOW_HEAP) {
		at = dev_heap_of(pe->state, pe->state->slot[rank]) + off;
	} else if (how == WINDOW_HANDLE && other_process(pe, rank)) {
		err = win ? window_reach_handle(pe, &win->maps[rank], rank) : 0;
		at = win ? (uint64_t)(uintptr_t)win->maps[rank].at : 0;
	} else if (how == WINDOW_FILE && other_process(pe, rank)) {
		err = boot_recv_fds(pe->boot, boot_peer(pe->boot, rank)->proc,
				    window_tag(pe, rank, pe->rank), &fd, 1, pe_patience(pe));
		if (err)
			return err;
		if (win) {
			err = share_map(fd, off, size, &win->maps[rank]);
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
		if (pe_far(pe))
			accel_handle_close(&pe->accel, win->maps[i].base);
		else
			share_unmap(&win->maps[i]);
		win->maps[i].base = NULL;
	}
}

static void window_free(struct pe *pe, struct window *win)
{
	window_unmap(pe, win);
	if (win->far)
		accel_free(&pe->accel, win->far);
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

/* A window of this list that is gone lends its place in it; NULL: none is. */
static struct window *window_spare(struct pe *pe)
{
	struct window *win = pe->reg.windows;

	while (win && win->dev->len)
		win = win->next;
	return win;
}

/*
 * A place in the list, which is the same on all PEs, and no length yet: a window that is gone
 * gives its own. Release: pairs with the acquire in dev_window_of().
 */
static struct window *window_seat(struct pe *pe, struct window *win)
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

/* With a length it is there, with 0 it is gone: here, whatever comes of the copy on the device. */
static int window_set_len(struct pe *pe, struct window *win, uint64_t len)
{
	int err;

	pthread_mutex_lock(&pe->reg.lock);
	__atomic_store_n(&win->dev->len, len, __ATOMIC_RELEASE);
	err = mirror_window(pe, win->dev, len, &win->far);
	pthread_mutex_unlock(&pe->reg.lock);
	return err;
}

/* What is gone is given back: nobody counts on it any more. */
static void window_shut(struct pe *pe, struct window *win, void *ptr, uint64_t size)
{
	pthread_mutex_lock(&pe->reg.lock);
	queue_window_gone(pe, ptr, size);
	route_window_gone(pe, win->dev->id);
	window_unmap(pe, win);
	if (win->apart)
		near_joined(pe);
	pthread_mutex_unlock(&pe->reg.lock);
}

/*
 * Parts of peers that only the network reaches: quiet, fence and signals must know. They still do when
 * the window is gone.
 */
static int window_apart(struct pe *pe, const struct window *win)
{
	int i = 0, err;

	while (i < pe->world->n_pes && win->dev->peer[i])
		i++;
	if (i == pe->world->n_pes || pe->state->any_queue)
		return 0;
	__atomic_store_n(&pe->state->any_queue, 1, __ATOMIC_RELAXED);
	pe->state->plain &= DEV_PLAIN_AMO;
	err = mirror_field(pe, &pe->state->any_queue, sizeof(pe->state->any_queue));
	if (!err)
		err = mirror_field(pe, &pe->state->plain, sizeof(pe->state->plain));
	if (err)
		__atomic_store_n(&pe->state->any_queue, 0, __ATOMIC_RELAXED);
	return err;
}

/* All PEs have their parts: let it be addressed. */
static int window_publish(struct pe *pe, struct window *win, void *ptr, uint64_t size)
{
	int err, shown;

	win = window_seat(pe, win);
	err = window_apart(pe, win);
	shown = window_set_len(pe, win, size);
	err = err ? err : shown;
	if (pe_far(pe)) /* all PEs have the same kind of device, and only one of its own can fail */
		err = coll_agree(pe, err, "symmetric_register");
	if (err) {
		window_set_len(pe, win, 0);
		window_shut(pe, win, ptr, size);
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
		int reached = window_reach(pe, err ? NULL : win, i, size);

		err = err ? err : reached;
	}
	if (!err)
		err = route_window(pe, win->dev->id, ptr, size);
	queued = queue_window(pe, ptr, size, err, call);
	err = coll_agree(pe, queued, "symmetric_register");
	if (!err)
		return window_publish(pe, win, ptr, size);
	if (win) {
		if (!queued)
			queue_window_gone(pe, ptr, size);
		route_window_gone(pe, win->dev->id);
		window_free(pe, win);
	}
	if (apart)
		near_joined(pe);
	return err;
}

/*
 * A PE that needs a queue to some part and holds kernels without is told, and so are all. Else
 * the PEs show their offers again, for those who read them later.
 */
static int window_claim(struct pe *pe, const struct coll_call *call, const uint64_t *say,
			bool *apart)
{
	int far = -1, mine = 0, err;

	for (int i = 0; i < pe->world->n_pes && far < 0; i++) {
		if (coll_data(pe, i)[SAY_HOW] == WINDOW_NONE && other_process(pe, i))
			far = i;
	}
	if (far >= 0)
		mine = near_apart(pe, far);
	*apart = far >= 0 && !mine;
	err = coll_agree(pe, mine, "symmetric_register");
	for (int i = 0; err == MORI_SHMEM_ENOTSUP && i < pe->world->n_pes; i++) {
		if ((int)(int64_t)coll_data(pe, i)[0] != err)
			continue;
		return err_set(err,
			       "symmetric_register: only a queue reaches this memory from PE %d "
			       "(it cannot be mapped), and PE %d holds kernels that were compiled "
			       "without queues: " NEAR_ADVICE ", or unload them",
			       i, i, "them");
	}
	return err ? err : coll_meet(pe, call, say);
}

int reg_window_add(struct pe *pe, void *ptr, uint64_t size)
{
	struct coll_call call = { .op = COLL_REGISTER, .size = size };
	uint64_t say[COLL_DATA] = { 0 };
	struct share file = { .fd = -1 };
	bool unmapped = false, apart = false;
	int err;

	lock_take(&pe->coll_lock);
	window_offer(pe, ptr, size, &file, say);
	err = coll_meet(pe, &call, say);
	if (!err)
		err = window_verdict(pe, size, &unmapped);
	if (!err && unmapped)
		err = window_claim(pe, &call, say, &apart);
	if (!err && unmapped)
		err = window_network(pe, &call, say);
	if (!err)
		err = window_open(pe, ptr, size, &file, &call, apart);
	else if (apart)
		near_joined(pe);
	lock_give(&pe->coll_lock);
	if (file.fd >= 0)
		close(file.fd);
	return err;
}

/* The place of a window in the list, from its end: the same on every PE. */
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

	lock_take(&pe->coll_lock);
	pthread_mutex_lock(&pe->reg.lock);
	win = window_find(pe, ptr, size, &call.place);
	pthread_mutex_unlock(&pe->reg.lock);
	tgt_fence_full(pe->state);
	err = coll_meet(pe, &call, NULL);
	if (!err && !win)
		err = err_set(MORI_SHMEM_ENOENT,
			      "symmetric_deregister: %p + %llu bytes was not registered so", ptr,
			      (unsigned long long)size);
	if (!err) {
		err = window_set_len(pe, win, 0);
		if (pe_far(pe))
			err = coll_agree(pe, err, "symmetric_deregister");
		if (err)
			window_set_len(pe, win, size);
		else
			window_shut(pe, win, ptr, size);
	}
	lock_give(&pe->coll_lock);
	return err;
}

bool reg_reaches(struct pe *pe, int rank)
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
	for (struct buffer *b = pe->reg.buffers; b && !found; b = b->next)
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
			route_window_gone(pe, win->dev->id);
		window_free(pe, win);
	}
	pthread_mutex_destroy(&pe->reg.lock);
}
