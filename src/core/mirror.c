// SPDX-License-Identifier: MIT
/*
 * What kernels see of a PE with device memory: a copy of its state and of the tables it points at,
 * in memory of the device. The host's copy is the original; code that changes a field of it calls
 * here. Blocks that kernels may know are kept, marked as finalized, when their PE is gone; the next
 * PE with that rank on the device gets the same block, so that a kernel which was kept acts in the
 * new world.
 */
#include "core/faults.h"
#include "core/pe.h"
#include "util/err.h"
#include "util/log.h"

#include <stdlib.h>
#include <string.h>

static struct {
	pthread_mutex_t lock;
	struct mirror_kept {
		struct mirror_kept *next;
		void *block;
		struct dev_news *news;
		uint64_t len;
		int rank, device;
	} *first;
} mirror_kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

static uint64_t mirror_align(uint64_t n)
{
	return (n + 255) & ~(uint64_t)255;
}

/* Reuses the block that a PE of this rank has left, and the page for its news. */
static void mirror_reuse(struct pe *pe)
{
	struct mirror *m = &pe->mirror;
	struct mirror_kept *found = NULL;

	pthread_mutex_lock(&mirror_kept.lock);
	for (struct mirror_kept **k = &mirror_kept.first; *k; k = &(*k)->next) {
		if ((*k)->rank == pe->rank && (*k)->device == pe->accel.number &&
		    (*k)->len == m->len) {
			found = *k;
			*k = found->next;
			break;
		}
	}
	pthread_mutex_unlock(&mirror_kept.lock);
	if (!found)
		return;
	m->block = found->block;
	m->news = found->news;
	faults_forget(m->news);
	free(found);
}

/* What kernels store to when something has failed, so that the host need not query the device. */
static void mirror_news_open(struct pe *pe)
{
	struct mirror *m = &pe->mirror;
	struct err_was was;
	void *news;

	if (!m->news) {
		err_save(&was);
		if (!pe->accel.mem->host_alloc(pe->accel.dev, sizeof(*m->news), &news))
			m->news = news;
		else
			err_restore(&was);
	}
	m->polled = !m->news;
	if (m->news) {
		memset(m->news, 0, sizeof(*m->news));
		pe->faults.news = m->news;
	}
}

static void mirror_news_close(struct pe *pe)
{
	pe->accel.mem->host_free(pe->accel.dev, pe->mirror.news);
}

static int mirror_granules_open(struct pe *pe)
{
	uint64_t n = pe->heap.max >> pe->heap.granule;

	return pe->heap.granules ?
		       pe->accel.mem->alloc(pe->accel.dev, n * sizeof(*pe->heap.granules),
					    &pe->mirror.granules) :
		       0;
}

/* The state with pointers of the device, and its tables behind it. */
static void mirror_fill(struct pe *pe, unsigned char *image)
{
	struct mirror *m = &pe->mirror;
	struct dev_state st = *pe->state;
	uint64_t slot = mirror_align(sizeof(st));
	uint64_t bases = m->gone + mirror_align((uint64_t)st.n_pes * sizeof(uint32_t));
	char *block = m->block;

	st.host = NULL;
	st.slot = (int32_t *)(block + slot);
	st.sync_slot = (int32_t *)(block + m->sync_slot);
	st.gone = (uint32_t *)(block + m->gone);
	st.granules = m->granules;
	st.records = (struct dev_record *)(block + m->records);
	st.news = m->news ? m->news : (struct dev_news *)(st.records + DEV_RECORDS);
	memset(&st.fault, 0, sizeof(st.fault));
	st.bases = st.bases ? (uint64_t *)(block + bases) : NULL;
	memcpy(image, &st, sizeof(st));
	memcpy(image + slot, pe->state->slot, (size_t)st.n_pes * sizeof(int32_t));
	memcpy(image + m->sync_slot, pe->state->sync_slot, (size_t)st.n_pes * sizeof(int32_t));
	memcpy(image + m->gone, pe->state->gone, (size_t)st.n_pes * sizeof(uint32_t));
	if (st.bases)
		memcpy(image + bases, pe->state->bases,
		       (size_t)pe->world->n_node * sizeof(uint64_t));
}

int mirror_open(struct pe *pe)
{
	struct mirror *m = &pe->mirror;
	uint64_t n = (uint64_t)pe->world->n_pes;
	unsigned char *image;
	int err = mirror_granules_open(pe);

	if (err)
		return err;
	m->sync_slot = mirror_align(sizeof(struct dev_state)) + mirror_align(n * sizeof(int32_t));
	m->gone = m->sync_slot + mirror_align(n * sizeof(int32_t));
	m->records =
		m->gone + mirror_align(n * sizeof(uint32_t)) + mirror_align(n * sizeof(uint64_t));
	m->len = m->records +
		 mirror_align(DEV_RECORDS * sizeof(struct dev_record) + sizeof(struct dev_news));
	image = calloc(1, m->len);
	if (!image)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a PE's state");
	mirror_reuse(pe);
	if (!m->block)
		err = pe->accel.mem->alloc(pe->accel.dev, m->len, &m->block);
	if (!err)
		mirror_news_open(pe);
	pthread_mutex_lock(&pe->world->lock); /* no loss between the copy and its first reader */
	if (!err) {
		mirror_fill(pe, image);
		err = pe_copy(pe, m->block, image, m->len);
		pe->ctx = (uint64_t)(uintptr_t)m->block;
	}
	pthread_mutex_unlock(&pe->world->lock);
	free(image);
	return err;
}

/* Arrays for the index; a kernel may still search in an older one. */
struct mirror_index {
	struct mirror_index *older;
	void *at;
	uint32_t room;
};

static void mirror_index_close(struct pe *pe)
{
	struct mirror *m = &pe->mirror;

	while (m->indexes) {
		struct mirror_index *x = m->indexes;

		m->indexes = x->older;
		pe->accel.mem->free(pe->accel.dev, x->at);
		free(x);
	}
}

void mirror_close(struct pe *pe)
{
	struct mirror *m = &pe->mirror;
	struct mirror_kept *k;

	if (m->granules)
		pe->accel.mem->free(pe->accel.dev, m->granules);
	mirror_index_close(pe);
	if (!m->block)
		return;
	k = pe->state_known ? malloc(sizeof(*k)) : NULL;
	if (!pe->state_known) {
		pe->accel.mem->free(pe->accel.dev, m->block);
		mirror_news_close(pe);
	}
	if (!k) /* without memory for the list, a block that is known is leaked */
		return;
	pthread_mutex_lock(&mirror_kept.lock);
	*k = (struct mirror_kept){ mirror_kept.first, m->block,	       m->news, m->len,
				   pe->rank,	      pe->accel.number };
	mirror_kept.first = k;
	pthread_mutex_unlock(&mirror_kept.lock);
	if (m->news)
		faults_keep(pe->rank, NULL, m->news);
}

int mirror_field(struct pe *pe, const void *field, size_t len)
{
	uint64_t off = (uint64_t)((const char *)field - (const char *)pe->state);

	if (!pe->mirror.block)
		return 0;
	return pe_copy(pe, (char *)pe->mirror.block + off, field, len);
}

int mirror_granules(struct pe *pe, uint64_t from, uint64_t n)
{
	if (!pe->mirror.granules)
		return 0;
	return pe_copy(pe, (struct dev_granule *)pe->mirror.granules + from,
		       pe->heap.granules + from, n * sizeof(*pe->heap.granules));
}

/* The list of lost PEs is written before their number. */
void mirror_lost(struct pe *pe)
{
	char *block = pe->mirror.block;
	struct dev_state *st = pe->state;
	struct err_was was;
	int err;

	if (!pe->ctx || !block)
		return;
	err_save(&was);
	err = pe->accel.mem->copy_urgent(pe->accel.dev, block + pe->mirror.gone, st->gone,
					 (size_t)st->n_pes * sizeof(uint32_t));
	if (!err)
		err = pe->accel.mem->copy_urgent(pe->accel.dev,
						 block + offsetof(struct dev_state, lost),
						 &st->lost, sizeof(st->lost));
	if (err)
		log_warn("the device of PE %d was not told that a PE is lost: its kernels may wait "
			 "for it until they time out: %s",
			 pe->rank, err_text());
	err_restore(&was);
}

/* Accesses a word of the device's copy, without leaving the text of a failure. */
static int mirror_access(struct pe *pe, uint64_t off, void *word, size_t len, bool store)
{
	char *at = (char *)pe->mirror.block + off;
	struct err_was was;
	int err;

	err_save(&was);
	err = pe_copy(pe, store ? at : word, store ? word : at, len);
	err_restore(&was);
	return err;
}

int mirror_records(struct pe *pe, uint32_t *count, struct dev_record *out)
{
	struct mirror *m = &pe->mirror;
	const char *block = m->block;
	uint64_t none = 0;
	int err;

	if (m->polled)
		mirror_access(pe, m->records + DEV_RECORDS * sizeof(*out), &none, sizeof(none),
			      true);
	/* The count first: failures in between belong to the next call. */
	err = pe_copy(pe, count, block + offsetof(struct dev_state, fault.count), sizeof(*count));
	return err ? err : pe_copy(pe, out, block + m->records, DEV_RECORDS * sizeof(*out));
}

bool mirror_has_news(struct pe *pe)
{
	struct mirror *m = &pe->mirror;
	uint64_t failed = 0;

	return m->polled &&
	       !mirror_access(pe, m->records + DEV_RECORDS * sizeof(struct dev_record), &failed,
			      sizeof(failed), false) &&
	       failed;
}

void mirror_record_free(struct pe *pe, unsigned record)
{
	uint64_t none = 0;

	mirror_access(pe, pe->mirror.records + record * sizeof(struct dev_record), &none,
		      sizeof(none), true);
}

int mirror_code(struct pe *pe, bool take)
{
	uint64_t at = offsetof(struct dev_state, fault.code);
	int32_t code = 0, none = 0;

	if (pe->mirror.block)
		mirror_access(pe, at, &code, sizeof(code), false);
	if (code && take)
		mirror_access(pe, at, &none, sizeof(none), true);
	return code;
}

/* Shows a fault of the host's calls to kernels, unless they have one of their own. */
void mirror_set_code(struct pe *pe)
{
	if (pe->mirror.block && !mirror_code(pe, false))
		mirror_access(pe, offsetof(struct dev_state, fault.code), &pe->state->fault.code,
			      sizeof(pe->state->fault.code), true);
}

/* If the list may begin with it already, it stays there, without a length. */
static void mirror_window_undo(struct pe *pe, void **at, bool tried)
{
	uint64_t none = 0;

	if (tried)
		pe_copy(pe, (char *)*at + offsetof(struct dev_window, len), &none, sizeof(none));
	else if (*at)
		pe->accel.mem->free(pe->accel.dev, *at);
	*at = NULL;
}

/* Its length is written last, and then the pointer to it. */
int mirror_window(struct pe *pe, const struct dev_window *w, uint64_t len, void **at)
{
	size_t size = sizeof(*w) + (size_t)pe->world->n_pes * sizeof(w->peer[0]);
	uint64_t head = offsetof(struct dev_state, windows);
	struct dev_window *image;
	bool made = !*at, tried = false;
	int err = 0;

	if (!pe->mirror.block)
		return 0;
	image = malloc(size);
	if (!image)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a window");
	memcpy(image, w, size);
	image->len = 0;
	if (made)
		err = pe->accel.mem->alloc(pe->accel.dev, size, at);
	if (!err) /* what follows it in the list stays the same */
		err = pe_copy(pe, &image->next,
			      made ? (char *)pe->mirror.block + head :
				     (char *)*at + offsetof(struct dev_window, next),
			      sizeof(void *));
	if (!err)
		err = pe_copy(pe, *at, image, size);
	if (!err)
		err = pe_copy(pe, (char *)*at + offsetof(struct dev_window, len), &len,
			      sizeof(len));
	if (!err && made) {
		err = pe_copy(pe, (char *)pe->mirror.block + head, at, sizeof(*at));
		tried = true;
	}
	free(image);
	if (err && made)
		mirror_window_undo(pe, at, tried);
	return err;
}

/* An array for @n entries at least. */
static int mirror_index_grow(struct pe *pe, uint32_t n)
{
	struct mirror *m = &pe->mirror;
	struct mirror_index *more;
	uint32_t room = m->indexes ? m->indexes->room : 16;
	int err;

	if (m->indexes && n <= room)
		return 0;
	while (room < n)
		room *= 2;
	more = calloc(1, sizeof(*more));
	if (!more)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a window");
	err = pe->accel.mem->alloc(pe->accel.dev, room * sizeof(struct dev_window_entry),
				   &more->at);
	if (err) {
		free(more);
		return err;
	}
	more->room = room;
	more->older = m->indexes;
	m->indexes = more;
	return 0;
}

/* The host's entries, with the windows as the device has them. */
static int mirror_index_fill(struct pe *pe, const struct dev_window_index *x)
{
	const struct dev_window_entry *from = (const void *)(uintptr_t)x->at;
	struct dev_window_entry *image;
	int err = mirror_index_grow(pe, x->n);

	if (err || !x->n)
		return err;
	image = malloc(x->n * sizeof(*image));
	if (!image)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a window");
	for (uint32_t i = 0; i < x->n; i++) {
		const struct dev_window *w = (const void *)(uintptr_t)from[i].window;

		image[i] = (struct dev_window_entry){ from[i].base, from[i].len, w->device };
	}
	err = pe_copy(pe, pe->mirror.indexes->at, image, x->n * sizeof(*image));
	free(image);
	return err;
}

/* In the order in which a search relies on: from the first copy to the last nobody uses it. */
int mirror_index(struct pe *pe)
{
	const struct dev_window_index *x = &pe->state->index;
	struct dev_window_index image = *x;
	char *at = (char *)pe->mirror.block + offsetof(struct dev_state, index);
	uint32_t odd = x->turn - 1;
	int err;

	if (!pe->mirror.block)
		return 0;
	err = pe_copy(pe, at + offsetof(struct dev_window_index, turn), &odd, sizeof(odd));
	if (!err && x->at)
		err = mirror_index_fill(pe, x);
	image.turn = odd;
	if (!err && x->at)
		image.at = (uint64_t)(uintptr_t)pe->mirror.indexes->at;
	if (!err)
		err = pe_copy(pe, at, &image, sizeof(image));
	if (!err)
		err = pe_copy(pe, at + offsetof(struct dev_window_index, turn), &x->turn,
			      sizeof(x->turn));
	return err;
}
