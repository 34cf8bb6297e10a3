// SPDX-License-Identifier: MIT
/*
 * Kernels that were compiled without queues belong to PEs that reach all memory of all peers by
 * load and store (P2P). This file records which PEs have such kernels and which have memory that
 * only a queue reaches, so that whichever comes second fails. A module is identified by its handle.
 * Unloading a module that the user has loaded goes unnoticed: it counts until its handle is bound
 * again or its PE ends.
 */
#include "core/p2p_only.h"

#include "core/pe.h"
#include "util/err.h"

#include <stdlib.h>

static struct {
	pthread_mutex_t lock; /* also of reg.apart of every PE */
	struct p2p_only_binding {
		struct p2p_only_binding *next;
		const void *module;
		const struct pe *pe;
	} *first;
} p2p_only = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The child has none of its parent's PEs. */
void p2p_only_after_fork(void)
{
	pthread_mutex_init(&p2p_only.lock, NULL);
	p2p_only.first = NULL;
}

/* Under the lock. */
static void p2p_only_remove(const void *module, const struct pe *pe)
{
	for (struct p2p_only_binding **p = &p2p_only.first, *gone; (gone = *p);) {
		if (gone->module != module && gone->pe != pe) {
			p = &gone->next;
			continue;
		}
		*p = gone->next;
		free(gone);
	}
}

/* A PE whose memory load and store do not reach, and why; -1: they reach all memory. */
static int p2p_only_unreachable(const struct pe *pe, const char **why)
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

int p2p_only_bind(struct pe *pe, const void *module, bool is_p2p_only, const char *call)
{
	struct p2p_only_binding *b = is_p2p_only ? malloc(sizeof(*b)) : NULL;
	const char *why;
	int missing = -1;

	if (is_p2p_only && !b)
		return err_set(MORI_SHMEM_ENOMEM, "mori_shmem_%s: no memory", call);
	pthread_mutex_lock(&p2p_only.lock);
	if (is_p2p_only)
		missing = p2p_only_unreachable(pe, &why);
	if (missing < 0)
		p2p_only_remove(module, NULL);
	if (missing < 0 && b) {
		*b = (struct p2p_only_binding){ p2p_only.first, module, pe };
		p2p_only.first = b;
	}
	pthread_mutex_unlock(&p2p_only.lock);
	if (missing < 0)
		return 0;
	free(b);
	return err_set(MORI_SHMEM_ENOTSUP,
		       "mori_shmem_%s: the module was compiled without queues, and from PE %d only "
		       "a queue reaches PE %d (%s): " P2P_ONLY_ADVICE,
		       call, pe->rank, missing, why, "it");
}

void p2p_only_unbind(const void *module)
{
	pthread_mutex_lock(&p2p_only.lock);
	p2p_only_remove(module, NULL);
	pthread_mutex_unlock(&p2p_only.lock);
}

void p2p_only_close(const struct pe *pe)
{
	pthread_mutex_lock(&p2p_only.lock);
	p2p_only_remove(NULL, pe);
	pthread_mutex_unlock(&p2p_only.lock);
}

int p2p_only_forbid(struct pe *pe, int rank)
{
	const struct p2p_only_binding *b;

	pthread_mutex_lock(&p2p_only.lock);
	for (b = p2p_only.first; b && b->pe != pe; b = b->next)
		;
	if (!b) {
		pe->reg.apart++;
		pe->reg.apart_pe = rank;
	}
	pthread_mutex_unlock(&p2p_only.lock);
	return b ? MORI_SHMEM_ENOTSUP : 0;
}

void p2p_only_allow(struct pe *pe)
{
	pthread_mutex_lock(&p2p_only.lock);
	pe->reg.apart--;
	pthread_mutex_unlock(&p2p_only.lock);
}
