// SPDX-License-Identifier: MIT
/*
 * Whether all PEs of a world wait for each other. A process says that it is still: each of its PEs
 * waits for another, and nothing that it has issued is under way. When all have said so, each is
 * asked whether it has been still ever since. If all have, there was a moment at which all were,
 * and nothing could reach any of them any more. But a thread that the system does not let run may
 * not have seen what had arrived before that moment: so each is asked again, and answers for
 * threads that have looked once more.
 */
#include "boot/rdv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "util/log.h"

#define AGAIN_S	   0.5 /* between the two times: threads that wait look more often */
#define LINES_MAX  64  /* of a report */
#define RANKS_TEXT 200

struct rdv_msg *rdv_still_msg(enum boot_what what, unsigned flags, uint64_t number,
			      const char *text)
{
	struct wire_tell tell = { .what = what, .flags = flags, .number = number };
	size_t len = text ? strlen(text) + 1 : 0;
	struct rdv_msg *m = rdv_msg_new(WIRE_TELL, sizeof(tell) + len);

	if (!m)
		return NULL;
	memcpy(m->body, &tell, sizeof(tell));
	if (len)
		memcpy(m->body + sizeof(tell), text, len);
	return m;
}

static void rdv_still_send(struct rdv_world *w, enum boot_what what, unsigned flags,
			   const char *text)
{
	struct rdv_msg *m = rdv_still_msg(what, flags, w->question, text);

	rdv_world_send(w, m);
	rdv_msg_put(m);
}

/* What all processes that are there have said; 0: one is not still. */
static unsigned rdv_still_all(const struct rdv_world *w, int asked)
{
	unsigned any = 0, all = ~0u;

	for (int i = 0; i < w->n_procs; i++) {
		const struct rdv_conn *c = w->conns[i];

		if (!c)
			continue;
		if (!c->still || (asked && !c->confirmed))
			return 0;
		any |= c->still;
		if (c->still & BOOT_WAITS)
			all &= c->still;
	}
	return (any & ~(unsigned)BOOT_KERNELS) | (all & any & BOOT_KERNELS);
}

static void rdv_still_ask(struct rdv_world *w, int time)
{
	w->asking = time;
	w->ask_at = 0;
	w->question++;
	for (int i = 0; i < w->n_procs; i++) {
		if (w->conns[i])
			w->conns[i]->confirmed = 0;
	}
	rdv_still_send(w, BOOT_CONFIRM, time > 1 ? BOOT_AGAIN : 0, NULL);
}

/* Begins to ask if all have said that they are still, and some wait. */
static void rdv_still_try(struct rdv_world *w)
{
	w->asking = 0;
	w->ask_at = 0;
	if (!w->lost && rdv_still_all(w, 0) & BOOT_WAITS)
		rdv_still_ask(w, 1);
}

/* "ended: PE 0; in mori_shmem_finalize(): PE 2"; "" if all PEs wait. */
static void rdv_still_gone(const struct rdv_world *w, char *text, size_t size)
{
	uint8_t *set = calloc((size_t)w->nranks, 1);
	char ranks[RANKS_TEXT];
	size_t at = 0;
	int n = 0;

	text[0] = '\0';
	for (int i = 0; set && i < w->nranks; i++)
		n += set[i] = !w->conns[w->proc_of[i]];
	if (n) {
		text_ranks(ranks, sizeof(ranks), set, w->nranks);
		at = (size_t)snprintf(text, size, "ended: PE %s", ranks);
	}
	free(set);
	n = 0;
	for (int i = 0; i < w->n_procs && at < size; i++) {
		const char *waits = w->conns[i] ? w->conns[i]->waits : NULL;
		int len = waits ? (int)strcspn(waits, "\n") : 0;

		if (!len)
			continue;
		at += (size_t)snprintf(text + at, size - at, "%s%.*s",
				       n++ ? ", " :
				       at  ? "; in mori_shmem_finalize(): PE " :
					     "in mori_shmem_finalize(): PE ",
				       len, waits);
	}
}

/* One line for each wait, under the heading. */
static void rdv_still_report(const struct rdv_world *w)
{
	int n = 0;

	log_warn("all PEs wait for each other: no PE of this job can go on by itself "
		 "(MORI_SHMEM_DEADLOCK=error ends such waits)");
	for (int i = 0; i < w->n_procs; i++) {
		const char *line = w->conns[i] ? strchr(w->conns[i]->waits, '\n') : NULL;

		/* Each ends in a line break, as does what is before them. */
		while (line && line[1]) {
			int len = (int)strcspn(line + 1, "\n");

			if (n < LINES_MAX)
				log_warn("  %.*s", len, line + 1);
			n++;
			line = strchr(line + 1, '\n');
		}
	}
	if (n > LINES_MAX)
		log_warn("  and %d more", n - LINES_MAX);
}

/* All have confirmed it twice. */
static void rdv_still_proven(struct rdv_world *w, unsigned flags)
{
	char text[WIRE_TEXT];

	rdv_still_gone(w, text, sizeof(text));
	if (!text[0] && !w->reported)
		rdv_still_report(w);
	w->reported |= !text[0];
	rdv_still_send(w, BOOT_STUCK, (flags & BOOT_KERNELS) | (text[0] ? BOOT_SOME_GONE : 0),
		       text);
}

static void rdv_still_confirmed(struct rdv_conn *c, const struct wire_tell *tell)
{
	struct rdv_world *w = c->world;
	unsigned flags;

	if (tell->number != w->question || !w->asking)
		return;
	if (!(tell->flags & BOOT_YES)) {
		c->still = 0;
		w->asking = 0;
		return;
	}
	c->confirmed = 1;
	flags = rdv_still_all(w, 1);
	if (!(flags & BOOT_WAITS))
		return;
	if (w->asking == 1) {
		w->ask_at = clock_deadline(AGAIN_S);
		return;
	}
	w->asking = 0;
	rdv_still_proven(w, flags);
}

int rdv_still_hear(struct rdv_conn *c, const uint8_t *body, size_t len)
{
	struct wire_tell tell;

	if (len < sizeof(tell))
		return -1;
	memcpy(&tell, body, sizeof(tell));
	switch (tell.what) {
	case BOOT_STILL:
		free(c->waits);
		c->waits =
			strdup((const char *)body + sizeof(tell)); /* bodies end in a zero byte */
		c->still = c->waits ? tell.flags | BOOT_YES : 0;
		rdv_still_try(c->world);
		return 0;
	case BOOT_ANSWER:
		rdv_ask_hear(c, tell.number, (const char *)body + sizeof(tell));
		return 0;
	case BOOT_CONFIRMED:
		rdv_still_confirmed(c, &tell);
		return 0;
	default:
		return -1;
	}
}

void rdv_still_left(struct rdv_world *w)
{
	rdv_still_try(w);
}

void rdv_still_turn(struct rdv *r, int64_t now)
{
	for (struct rdv_world *w = r->worlds; w; w = w->next) {
		if (w->ask_at && now >= w->ask_at)
			rdv_still_ask(w, 2);
	}
}

int64_t rdv_still_due(const struct rdv *r)
{
	int64_t next = INT64_MAX;

	for (const struct rdv_world *w = r->worlds; w; w = w->next) {
		if (w->ask_at && w->ask_at < next)
			next = w->ask_at;
	}
	return next;
}
