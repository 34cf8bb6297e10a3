// SPDX-License-Identifier: MIT
#include "core/waits.h"

#include "core/coll.h"
#include "core/pe.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#include <stdio.h>
#include <stdlib.h>

void waits_begin(struct waits_entry *e, struct pe *pe)
{
	struct waits *w = &pe->world->waits;
	double every = pe->options.wait_report;

	e->report_at = every > 0 ? e->since + (int64_t)(every * 1e9) : INT64_MAX;
	e->status = 0;
	pthread_mutex_lock(&w->lock);
	w->moves++;
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
	w->moves++;
	for (struct waits_entry **p = &w->first; *p; p = &(*p)->next) {
		if (*p == e) {
			*p = e->next;
			break;
		}
	}
	e->pe = NULL;
	pthread_mutex_unlock(&w->lock);
}

void waits_set_text(struct waits_entry *e, const char *text, bool ends)
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

void waits_describe(const struct waits_entry *e, int64_t now, char *text, size_t size)
{
	char what[512];

	waits_text(e, what, sizeof(what));
	snprintf(text, size, "PE %d: %s has waited for %.3g s%s: %s", e->pe->rank, e->call,
		 (double)(now - e->since) / 1e9, e->kind == WAITS_COLL ? " for other PEs" : "",
		 what);
}

/* Nobody can end it. */
static int waits_fail(const struct waits_entry *e, int status)
{
	struct waits *w = &e->pe->world->waits;
	char what[512], why[sizeof(w->verdict)], kernel[200] = "";

	pthread_mutex_lock(&w->lock);
	waits_text(e, what, sizeof(what));
	snprintf(why, sizeof(why), "%s", w->verdict);
	pthread_mutex_unlock(&w->lock);
	if (e->kind == WAITS_KERNEL)
		snprintf(kernel, sizeof(kernel), "%s on PE %d: ", e->call, e->pe->rank);
	return err_set(status, "%s%s: %s", kernel, why, what);
}

int waits_look(struct waits_entry *e, int64_t now)
{
	/* Acquire: pairs with the release in stuck.c; the text is written before it. */
	int status = __atomic_load_n(&e->status, __ATOMIC_ACQUIRE);
	char text[800];

	if (status)
		return waits_fail(e, status);
	/* Release: pairs with stuck.c, which then knows that the check came before. */
	__atomic_store_n(&e->looked, 1, __ATOMIC_RELEASE);
	stuck_check(e->pe->world, now);
	if (now < e->report_at)
		return 0;
	e->report_at = now + (now - e->since);
	/* In a collective call one PE of the node reports for all that wait for the same. */
	if (e->kind == WAITS_COLL && !coll_reports(e->pe, e->epoch))
		return 0;
	waits_describe(e, now, text, sizeof(text));
	log_warn("%s", text);
	return 0;
}

/* With both locks held: the waits of one PE. */
static void waits_answer_pe(const struct pe *pe, int64_t now, FILE *out)
{
	char text[800];
	int n = 0;

	for (const struct waits_entry *e = pe->world->waits.first; e; e = e->next) {
		if (e->pe != pe)
			continue;
		waits_describe(e, now, text, sizeof(text));
		fprintf(out, "%s\n", text);
		n++;
	}
	if (!n)
		fprintf(out, "PE %d: waits in no call of the library\n", pe->rank);
}

static int waits_by_rank(const void *a, const void *b)
{
	const struct pe *const *p = a, *const *q = b;

	return (*p)->rank - (*q)->rank;
}

/* With both locks held: all members, by rank. */
static void waits_answer_all(const struct world *w, FILE *out)
{
	const struct pe **all;
	size_t n = 0;

	for (const struct pe *pe = w->members; pe; pe = pe->sibling)
		n++;
	all = calloc(n + 1, sizeof(*all));
	n = 0;
	for (const struct pe *pe = w->members; pe && all; pe = pe->sibling)
		all[n++] = pe;
	if (all)
		qsort(all, n, sizeof(*all), waits_by_rank);
	for (size_t i = 0; i < n && all; i++)
		waits_answer_pe(all[i], clock_now(), out);
	free(all);
}

char *waits_answer(struct world *w)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	pthread_mutex_lock(&w->lock);
	pthread_mutex_lock(&w->waits.lock);
	waits_answer_all(w, out);
	pthread_mutex_unlock(&w->waits.lock);
	pthread_mutex_unlock(&w->lock);
	return fclose(out) ? NULL : text;
}
