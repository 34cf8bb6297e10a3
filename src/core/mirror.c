// SPDX-License-Identifier: MIT
/*
 * What kernels see of a PE whose memory is far: a copy of its state and of the tables the
 * state points at, in memory of the device. The host's copy comes first; whoever changes
 * a field of it calls here. Blocks that kernels may know are kept when their PE is gone and
 * say so; the next PE with that rank on the device gets the same block, so a kernel that
 * was kept acts in the new world.
 */
#include "core/pe.h"
#include "util/err.h"

#include <stdlib.h>
#include <string.h>

static struct {
	pthread_mutex_t lock;
	struct kept {
		struct kept *next;
		void *block;
		uint64_t len;
		int rank, device;
	} *first;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

static uint64_t mirror_align(uint64_t n)
{
	return (n + 255) & ~(uint64_t)255;
}

static void *mirror_again(const struct pe *pe, uint64_t len)
{
	struct kept *found = NULL;
	void *block = NULL;

	pthread_mutex_lock(&kept.lock);
	for (struct kept **k = &kept.first; *k; k = &(*k)->next) {
		if ((*k)->rank == pe->rank && (*k)->device == accel_device(&pe->accel) &&
		    (*k)->len == len) {
			found = *k;
			*k = found->next;
			break;
		}
	}
	pthread_mutex_unlock(&kept.lock);
	if (found)
		block = found->block;
	free(found);
	return block;
}

static int mirror_owner_open(struct pe *pe)
{
	uint64_t n = pe->heap.max >> pe->heap.granule;

	return pe->heap.owner ?
		       accel_alloc(&pe->accel, n * sizeof(*pe->heap.owner), &pe->mirror.owner) :
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
	st.owner = m->owner;
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
	int err = mirror_owner_open(pe);

	if (err)
		return err;
	m->sync_slot = mirror_align(sizeof(struct dev_state)) + mirror_align(n * sizeof(int32_t));
	m->gone = m->sync_slot + mirror_align(n * sizeof(int32_t));
	m->len = m->gone + mirror_align(n * sizeof(uint32_t)) + mirror_align(n * sizeof(uint64_t));
	image = calloc(1, m->len);
	if (!image)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a PE's state");
	m->block = mirror_again(pe, m->len);
	if (!m->block)
		err = accel_alloc(&pe->accel, m->len, &m->block);
	pthread_mutex_lock(&pe->world->lock); /* no news between the copy and its first reader */
	if (!err) {
		mirror_fill(pe, image);
		err = accel_copy(&pe->accel, m->block, image, m->len);
		pe->ctx = (uint64_t)(uintptr_t)m->block;
	}
	pthread_mutex_unlock(&pe->world->lock);
	free(image);
	return err;
}

void mirror_close(struct pe *pe)
{
	struct mirror *m = &pe->mirror;
	struct kept *k;

	if (m->owner)
		accel_free(&pe->accel, m->owner);
	if (!m->block)
		return;
	k = pe->state_known ? malloc(sizeof(*k)) : NULL;
	if (!pe->state_known)
		accel_free(&pe->accel, m->block);
	if (!k) /* without memory for the list a block that is known is leaked */
		return;
	pthread_mutex_lock(&kept.lock);
	*k = (struct kept){ kept.first, m->block, m->len, pe->rank, accel_device(&pe->accel) };
	kept.first = k;
	pthread_mutex_unlock(&kept.lock);
}

int mirror_field(struct pe *pe, const void *field, size_t len)
{
	uint64_t off = (uint64_t)((const char *)field - (const char *)pe->state);

	if (!pe->mirror.block)
		return 0;
	return accel_copy(&pe->accel, (char *)pe->mirror.block + off, field, len);
}

int mirror_owner(struct pe *pe, uint64_t from, uint64_t n)
{
	if (!pe->mirror.owner)
		return 0;
	return accel_copy(&pe->accel, (uint32_t *)pe->mirror.owner + from, pe->heap.owner + from,
			  n * sizeof(uint32_t));
}

/* Who is gone comes before that somebody is. */
void mirror_lost(struct pe *pe)
{
	char *block = pe->mirror.block;
	struct dev_state *st = pe->state;

	if (!pe->ctx || !block)
		return;
	accel_copy_urgent(&pe->accel, block + pe->mirror.gone, st->gone,
			  (size_t)st->n_pes * sizeof(uint32_t));
	accel_copy_urgent(&pe->accel, block + offsetof(struct dev_state, lost), &st->lost,
			  sizeof(st->lost));
}

void mirror_fault(struct pe *pe, struct dev_fault *out)
{
	struct dev_fault none = { 0 };
	char *at;

	memset(out, 0, sizeof(*out));
	if (!pe->mirror.block)
		return;
	at = (char *)pe->mirror.block + offsetof(struct dev_state, fault);
	if (accel_copy(&pe->accel, out, at, sizeof(*out)))
		return;
	if (out->code)
		accel_copy(&pe->accel, at, &none, sizeof(none));
}

/* Of the first fault of a kernel; 0: none. */
int mirror_code(struct pe *pe)
{
	int32_t code = 0;

	if (pe->mirror.block)
		accel_copy(&pe->accel, &code,
			   (char *)pe->mirror.block + offsetof(struct dev_state, fault) +
				   offsetof(struct dev_fault, code),
			   sizeof(code));
	return code;
}

/* Kernels see a fault of the host's calls, unless they have one of their own. */
void mirror_stick(struct pe *pe)
{
	if (pe->mirror.block && !mirror_code(pe))
		mirror_field(pe, &pe->state->fault, sizeof(pe->state->fault));
}

/* Its length comes last, and the way to it after that. */
int mirror_window(struct pe *pe, const struct dev_window *w, uint64_t len, void **at)
{
	size_t size = sizeof(*w) + (size_t)pe->world->n_pes * sizeof(w->peer[0]);
	uint64_t head = offsetof(struct dev_state, windows);
	struct dev_window *image;
	bool made = !*at;
	int err = 0;

	if (!pe->mirror.block)
		return 0;
	image = malloc(size);
	if (!image)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a window");
	memcpy(image, w, size);
	image->len = 0;
	if (made)
		err = accel_alloc(&pe->accel, size, at);
	if (!err) /* the list goes on as it did, or with what came before */
		err = accel_copy(&pe->accel, &image->next,
				 made ? (char *)pe->mirror.block + head :
					(char *)*at + offsetof(struct dev_window, next),
				 sizeof(void *));
	if (!err)
		err = accel_copy(&pe->accel, *at, image, size);
	if (!err)
		err = accel_copy(&pe->accel, (char *)*at + offsetof(struct dev_window, len), &len,
				 sizeof(len));
	if (!err && made)
		err = accel_copy(&pe->accel, (char *)pe->mirror.block + head, at, sizeof(*at));
	free(image);
	return err;
}
