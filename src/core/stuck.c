// SPDX-License-Identifier: MIT
/*
 * Waits that nobody can end. When no PE of this process can go on unless another does, and nothing
 * that the process has issued is under way, the rendezvous is told, and asks back; src/boot/boot.h
 * has the protocol. A PE counts as waiting only if every thread that has ever acted for it waits,
 * and no wait has a limit of its own.
 */
#include "boot/boot.h"
#include "core/pe.h"
#include "core/queues.h"
#include "core/remote.h"
#include "core/waits.h"
#include "util/clock.h"
#include "util/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STUCK_NS   3000000000 /* a wait that has not lasted as long does not count */
#define STUCK_EACH 250000000  /* between two checks of a world */
#define STUCK_LINE 900	      /* bytes for one wait */

/* With both locks held: whether @pe cannot go on by itself; adds what it does to *flags. */
static bool stuck_pe(struct pe *pe, int64_t now, bool looked, unsigned *flags)
{
	unsigned threads = __atomic_load_n(&pe->n_threads, __ATOMIC_RELAXED), n = 0;
	bool coll = false, final = false, kernels = true;

	for (struct waits_entry *e = pe->world->waits.first; e; e = e->next) {
		if (e->pe != pe)
			continue;
		/* Acquire: pairs with the release in waits_look(). */
		if (e->ends || now - e->since < STUCK_NS ||
		    (looked && !__atomic_load_n(&e->looked, __ATOMIC_ACQUIRE)))
			return false;
		coll |= e->kind == WAITS_COLL;
		final |= e->kind == WAITS_COLL && e->final;
		kernels &= e->kind == WAITS_KERNEL;
		n++;
	}
	if (pe_device_mem(pe) || !n || (!final && n < threads) || !queue_idle(pe))
		return false;
	if (final)
		*flags |= BOOT_FINALIZES;
	else if (!coll)
		*flags |= BOOT_WAITS;
	if (!final && !coll && !kernels)
		*flags &= ~(unsigned)BOOT_KERNELS;
	return true;
}

/* With both locks held: what the PEs of this process do, if none can go on by itself; else 0. */
static unsigned stuck_flags(struct world *w, int64_t now, bool looked)
{
	unsigned flags = BOOT_KERNELS | BOOT_YES;

	for (struct pe *pe = w->members; pe; pe = pe->sibling) {
		if (!stuck_pe(pe, now, looked, &flags))
			return 0;
	}
	return flags;
}

static void stuck_lock(struct world *w)
{
	pthread_mutex_lock(&w->lock);
	pthread_mutex_lock(&w->waits.lock);
}

static void stuck_unlock(struct world *w)
{
	pthread_mutex_unlock(&w->waits.lock);
	pthread_mutex_unlock(&w->lock);
}

/* With both locks held: the text of BOOT_STILL, to be freed; NULL: no memory. */
static char *stuck_text(const struct world *w, int64_t now)
{
	size_t room = 16, at = 0, n = 0;
	char *text;

	for (const struct waits_entry *e = w->waits.first; e; e = e->next)
		room += STUCK_LINE;
	text = malloc(room);
	if (!text)
		return NULL;
	for (const struct waits_entry *e = w->waits.first; e; e = e->next) {
		if (e->kind == WAITS_COLL && e->final)
			at += (size_t)snprintf(text + at, room - at, "%s%d", n++ ? ", " : "",
					       e->pe->rank);
	}
	text[at++] = '\n';
	for (const struct waits_entry *e = w->waits.first; e; e = e->next) {
		waits_describe(e, now, text + at, STUCK_LINE - 32);
		at += strlen(text + at);
		text[at++] = '\n';
	}
	text[at] = '\0';
	return text;
}

/* With the lock of the waits held: those for words and in kernels end, if they are to. */
static void stuck_end(struct world *w, unsigned flags, const char *who)
{
	bool gone = flags & BOOT_SOME_GONE;

	if (gone)
		snprintf(w->waits.verdict, sizeof(w->waits.verdict),
			 "no PE is left that could end this wait (%s%s)", who,
			 w->n_pes > 2 ? "; the others wait, too" : "");
	else
		snprintf(w->waits.verdict, sizeof(w->waits.verdict),
			 "all PEs wait for each other%s",
			 flags & BOOT_KERNELS ? "" : " (MORI_SHMEM_DEADLOCK=error)");
	for (struct waits_entry *e = w->waits.first; e; e = e->next) {
		bool ends = gone || flags & BOOT_KERNELS ||
			    e->pe->options.deadlock == OPTION_DEADLOCK_ERROR;

		/* Release: pairs with the acquire in waits_look(). */
		if (ends && e->kind != WAITS_COLL)
			__atomic_store_n(&e->status, gone ? MORI_SHMEM_EPEER : MORI_SHMEM_ETIMEDOUT,
					 __ATOMIC_RELEASE);
	}
}

/* A job of one PE: there is no rendezvous to ask, and nobody who could have left. */
static void stuck_alone(struct world *w, unsigned flags, const char *text)
{
	const char *line = strchr(text, '\n') + 1;

	log_warn("the only PE of this job waits, and no other can end that "
		 "(MORI_SHMEM_DEADLOCK=error ends such waits): %.*s",
		 (int)strcspn(line, "\n"), line);
	stuck_end(w, flags & BOOT_KERNELS, "");
}

/* The threads wait, and have for long enough: whether something is under way is not known yet. */
static bool stuck_new(struct world *w, int64_t now)
{
	bool is;

	stuck_lock(w);
	is = w->waits.told != w->waits.moves && stuck_flags(w, now, false);
	stuck_unlock(w);
	return is;
}

void stuck_check(struct world *w, int64_t now)
{
	int64_t at = __atomic_load_n(&w->waits.check_at, __ATOMIC_RELAXED);
	char *text = NULL;
	unsigned flags;

	if (now < at || !__atomic_compare_exchange_n(&w->waits.check_at, &at, now + STUCK_EACH,
						     false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	if (!stuck_new(w, now) || (remote_net(w) && !net_settle(remote_net(w))))
		return;
	stuck_lock(w);
	flags = w->waits.told != w->waits.moves ? stuck_flags(w, now, false) : 0;
	if (flags)
		text = stuck_text(w, now);
	if (text)
		w->waits.told = w->waits.moves;
	if (text && w->n_pes == 1 && flags & BOOT_WAITS)
		stuck_alone(w, flags, text);
	stuck_unlock(w);
	if (text && w->n_pes > 1)
		(void)boot_say(w->boot, BOOT_STILL, flags, 0, text);
	free(text);
}

/* What the rendezvous asks, or has found. */
static void stuck_asked(struct world *w, enum boot_what what, unsigned flags, uint64_t number,
			const char *text)
{
	bool again = what == BOOT_CONFIRM && flags & BOOT_AGAIN, same;

	stuck_lock(w);
	same = w->waits.told && w->waits.told == w->waits.moves &&
	       stuck_flags(w, clock_now(), again);
	if (!same)
		w->waits.told = 0;
	/* From now on it counts who has looked. */
	for (struct waits_entry *e = w->waits.first; e && !again; e = e->next)
		__atomic_store_n(&e->looked, 0, __ATOMIC_RELAXED);
	if (same && what == BOOT_STUCK)
		stuck_end(w, flags, text);
	stuck_unlock(w);
	if (what == BOOT_CONFIRM)
		(void)boot_say(w->boot, BOOT_CONFIRMED, same ? BOOT_YES : 0, number, NULL);
}

/* From boot's thread. */
static void stuck_hear(void *arg, enum boot_what what, unsigned flags, uint64_t number,
		       const char *text)
{
	char *answer;

	if (what != BOOT_ASK) {
		stuck_asked(arg, what, flags, number, text);
		return;
	}
	answer = waits_answer(arg);
	if (answer)
		(void)boot_say(((struct world *)arg)->boot, BOOT_ANSWER, 0, number, answer);
	free(answer);
}

void stuck_open(struct world *w)
{
	boot_listen(w->boot, stuck_hear, w);
}
