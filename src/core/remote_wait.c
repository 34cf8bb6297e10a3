// SPDX-License-Identifier: MIT
/*
 * A call that waits for the network, as others see it. It is in flight at all times, so it says
 * nothing about whether the job goes on, and MORI_SHMEM_TIMEOUT ends it.
 */
#include "core/pe.h"
#include "core/remote.h"
#include "core/waits.h"
#include "dev/req.h"
#include "util/clock.h"

#include <stdio.h>

static __thread struct remote_wait *remote_wait_now; /* NULL: this thread is in no such call */

void remote_wait_begin(struct remote_wait *w, struct pe *pe, const char *name, int act,
		       const struct dev_req *r)
{
	w->pe = pe;
	w->name = name;
	w->act = act;
	w->r = r;
	w->shown.pe = NULL;
	w->shown.since = 0;
	remote_wait_now = w;
}

void remote_wait_end(struct remote_wait *w)
{
	remote_wait_now = NULL;
	waits_end(&w->shown);
}

static void remote_wait_name(const struct remote_wait *w, char *text, size_t size)
{
	static const char *const acts[] = {
		[DEV_ACT_PUT] = "a put",	  [DEV_ACT_PUT_SIGNAL] = "a put with signal",
		[DEV_ACT_GET] = "a get",	  [DEV_ACT_P] = "a put of a value",
		[DEV_ACT_G] = "a get of a value", [DEV_ACT_SIGNAL] = "a signal",
		[DEV_ACT_AMO] = "an atomic",	  [DEV_ACT_ADD_REAL] = "an atomic",
		[DEV_ACT_QUIET] = "a quiet",	  [DEV_ACT_FENCE] = "a fence",
	};

	snprintf(text, size, "%s", w->name ? w->name : acts[w->act]);
}

/* For which PE, and what of its memory. */
static void remote_wait_text(const struct remote_wait *w, char *text, size_t size)
{
	const struct dev_req *r = w->r;
	const struct dev_state *st = w->pe->state;
	unsigned long long off = r ? r->off : 0;
	char where[100] = "";

	if (r && w->act < DEV_ACT_QUIET && off < st->heap_len)
		snprintf(where, sizeof(where), "heap + 0x%llx", off);
	else if (r && w->act < DEV_ACT_QUIET)
		snprintf(where, sizeof(where), "0x%llx", st->heap_base + off);
	if (where[0] && r->len)
		snprintf(text, size, "PE %d has not answered over the network (%s, %llu bytes)",
			 w->peer, where, (unsigned long long)r->len);
	else
		snprintf(text, size, "PE %d has not answered over the network%s%s%s", w->peer,
			 where[0] ? " (" : "", where, where[0] ? ")" : "");
}

/* It has lasted: others see it from now on. */
static void remote_wait_show(struct remote_wait *w)
{
	struct waits_entry *e = &w->shown;

	e->kind = WAITS_NET;
	e->ends = true; /* it is under way */
	remote_wait_name(w, e->call, sizeof(e->call));
	remote_wait_text(w, e->text, sizeof(e->text));
	waits_begin(e, w->pe);
}

void remote_wait_slept(int pe)
{
	struct remote_wait *w = remote_wait_now;
	struct waits_entry *e = w ? &w->shown : NULL;
	int64_t now = clock_now();
	char text[sizeof(e->text)];

	if (!w)
		return;
	if (e->pe && w->peer != pe) {
		w->peer = pe;
		remote_wait_text(w, text, sizeof(text));
		waits_set_text(e, text, true);
	}
	w->peer = pe;
	if (!e->since)
		e->since = now;
	else if (e->pe)
		(void)waits_look(e, now); /* MORI_SHMEM_TIMEOUT ends it */
	else if (now - e->since >= WAITS_SOON_NS)
		remote_wait_show(w);
}
