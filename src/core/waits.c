// SPDX-License-Identifier: MIT
#include "core/waits.h"

#include "core/coll.h"
#include "core/pe.h"
#include "util/log.h"

#include <stdio.h>

void waits_begin(struct waits_entry *e, struct pe *pe)
{
	struct waits *w = &pe->world->waits;
	double every = pe->options.wait_report;

	e->report_at = every > 0 ? e->since + (int64_t)(every * 1e9) : INT64_MAX;
	pthread_mutex_lock(&w->lock);
	e->pe = pe;
	e->next = w->first;
	w->first = e;
	pthread_mutex_unlock(&w->lock);
}

void waits_end(struct waits_entry *e)
{
	struct waits *w = e->pe ? &e->pe->world->waits : NULL;

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	for (struct waits_entry **p = &w->first; *p; p = &(*p)->next) {
		if (*p == e) {
			*p = e->next;
			break;
		}
	}
	e->pe = NULL;
	pthread_mutex_unlock(&w->lock);
}

void waits_kernel_text(struct waits_entry *e, const char *text, bool ends)
{
	struct waits *w = &e->pe->world->waits;

	pthread_mutex_lock(&w->lock);
	snprintf(e->text, sizeof(e->text), "%s", text);
	e->ends = ends;
	pthread_mutex_unlock(&w->lock);
}

/* What @e waits for, by any thread while it is in the list. */
static void waits_text(const struct waits_entry *e, char *text, size_t size)
{
	uint64_t seen;

	switch (e->kind) {
	case WAITS_WORD:
		if (!pe_device_mem(e->pe))
			seen = wait_text_seen(&e->word);
		wait_text(e->pe->state, &e->word, pe_device_mem(e->pe) ? NULL : &seen, text, size);
		break;
	case WAITS_COLL:
		coll_missing_text(e->pe, e->epoch, text, size);
		break;
	default:
		snprintf(text, size, "%s", e->text);
	}
}

void waits_look(struct waits_entry *e, int64_t now)
{
	int64_t lasts = now - e->since;
	char text[512];

	if (now < e->report_at)
		return;
	e->report_at = e->since + 2 * lasts;
	/* In a collective call one PE of the node reports for all that wait for the same. */
	if (e->kind == WAITS_COLL && !coll_reports(e->pe, e->epoch))
		return;
	waits_text(e, text, sizeof(text));
	log_warn("PE %d: %s has waited for %.3g s%s: %s", e->pe->rank, e->call, (double)lasts / 1e9,
		 e->kind == WAITS_COLL ? " for other PEs" : "", text);
}
