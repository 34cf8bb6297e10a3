// SPDX-License-Identifier: MIT
/*
 * Who waits for what, for the launcher: every process of a world is asked over its connection, and
 * its boot thread answers, whatever its other threads do.
 */
#include "boot/rdv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"

void rdv_ask(struct rdv *r, double timeout_s)
{
	struct rdv_msg *m = rdv_still_msg(BOOT_ASK, 0, ++r->question, NULL);

	r->answer_by = clock_deadline(timeout_s);
	for (struct rdv_conn *c = r->conns; c; c = c->next) {
		free(c->answer);
		c->answer = NULL;
		if (c->world && c->world->formed)
			rdv_conn_send(c, m);
	}
	rdv_msg_put(m);
}

void rdv_ask_hear(struct rdv_conn *c, uint64_t number, const char *text)
{
	if (number == c->rdv->question && !c->answer)
		c->answer = strdup(text);
}

int rdv_ask_over(const struct rdv *r, int64_t now)
{
	for (const struct rdv_conn *c = r->conns; c && now < r->answer_by; c = c->next) {
		if (c->world && c->world->formed && !c->answer)
			return 0;
	}
	return 1;
}

/* Of a world that has formed: what each process has answered. */
static void rdv_ask_world(const struct rdv_world *w, FILE *out)
{
	uint8_t *set = calloc((size_t)w->nranks, 1);
	char who[256];

	for (int i = 0; set && i < w->n_procs; i++) {
		if (!w->conns[i])
			continue;
		if (w->conns[i]->answer) {
			fputs(w->conns[i]->answer, out);
			continue;
		}
		for (int k = 0; k < w->nranks; k++)
			set[k] = w->proc_of[k] == i;
		text_who(who, sizeof(who), set, w->nranks, &w->procs[i]);
		fprintf(out, "%s: no answer; is the process stopped?\n", who);
	}
	free(set);
}

char *rdv_ask_text(struct rdv *r)
{
	char *text = NULL, round[500];
	size_t len;
	FILE *out = open_memstream(&text, &len);

	r->answer_by = 0;
	if (!out)
		return NULL;
	for (const struct rdv_world *w = r->worlds; w; w = w->next)
		rdv_ask_world(w, out);
	if (r->forming) {
		rdv_round_text(r->forming, clock_now(), round, sizeof(round));
		fprintf(out, "%s\n", round);
	}
	if (fflush(out) == 0 && len)
		rdv_ended_text(r, out);
	return fclose(out) ? NULL : text;
}
