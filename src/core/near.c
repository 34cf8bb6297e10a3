// SPDX-License-Identifier: MIT
/*
 * Kernels that were compiled without queues belong to PEs that reach all memory of all peers by
 * load and store. Who binds them and who registers memory that only a queue reaches meet here,
 * so that the second of the two is told. A module is known by its handle. Of one that the user
 * loaded and unloads nobody hears: it counts until its handle is bound again or its PE ends.
 */
#include "core/near.h"

#include "core/pe.h"
#include "util/err.h"

#include <stdlib.h>

static struct {
	pthread_mutex_t lock; /* and of reg.apart of every PE */
	struct bound {
		struct bound *next;
		const void *module;
		const struct pe *pe;
	} *first;
} near = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The child has none of its parent's PEs. */
void near_after_fork(void)
{
	pthread_mutex_init(&near.lock, NULL);
	near.first = NULL;
}

/* Under the lock. */
static void bound_remove(const void *module, const struct pe *pe)
{
	for (struct bound **p = &near.first, *gone; (gone = *p);) {
		if (gone->module != module && gone->pe != pe) {
			p = &gone->next;
			continue;
		}
		*p = gone->next;
		free(gone);
	}
}

/* Whose memory load and store do not reach, and why; -1: everybody's is reached. */
static int near_missing(const struct pe *pe, const char **why)
{
	const struct dev_state *st = pe->state;

	for (int i = 0; i < st->n_pes; i++) {
		if (st->slot[i] < 0) {
			*why = pe->world->slot[i] < 0 ? "it is on another node" :
							"MORI_DISABLE_P2P is set";
			return i;
		}
	}
	*why = "the GPUs have no atomics on each other's memory";
	if (st->amo_queue)
		return pe->rank ? 0 : 1;
	*why = "a window of its memory cannot be mapped";
	return pe->reg.apart ? pe->reg.apart_pe : -1;
}

int near_bind(struct pe *pe, const void *module, bool is_near, const char *call)
{
	struct bound *b = is_near ? malloc(sizeof(*b)) : NULL;
	const char *why;
	int missing = -1;

	if (is_near && !b)
		return err_set(MORI_SHMEM_ENOMEM, "mori_shmem_%s: no memory", call);
	pthread_mutex_lock(&near.lock);
	if (is_near)
		missing = near_missing(pe, &why);
	if (missing < 0)
		bound_remove(module, NULL);
	if (missing < 0 && b) {
		*b = (struct bound){ near.first, module, pe };
		near.first = b;
	}
	pthread_mutex_unlock(&near.lock);
	if (missing < 0)
		return 0;
	free(b);
	return err_set(MORI_SHMEM_ENOTSUP,
		       "mori_shmem_%s: the module was compiled without queues, and from PE %d only "
		       "a queue reaches PE %d (%s): " NEAR_ADVICE,
		       call, pe->rank, missing, why, "it");
}

void near_unbind(const void *module)
{
	pthread_mutex_lock(&near.lock);
	bound_remove(module, NULL);
	pthread_mutex_unlock(&near.lock);
}

void near_close(const struct pe *pe)
{
	pthread_mutex_lock(&near.lock);
	bound_remove(NULL, pe);
	pthread_mutex_unlock(&near.lock);
}

int near_apart(struct pe *pe, int rank)
{
	const struct bound *b;

	pthread_mutex_lock(&near.lock);
	for (b = near.first; b && b->pe != pe; b = b->next)
		;
	if (!b) {
		pe->reg.apart++;
		pe->reg.apart_pe = rank;
	}
	pthread_mutex_unlock(&near.lock);
	return b ? MORI_SHMEM_ENOTSUP : 0;
}

void near_joined(struct pe *pe)
{
	pthread_mutex_lock(&near.lock);
	pe->reg.apart--;
	pthread_mutex_unlock(&near.lock);
}
