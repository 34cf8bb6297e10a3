// SPDX-License-Identifier: MIT
/*
 * Rounds: PEs join until all are in, then the round becomes a world and the next one may form. A
 * round fails for all its PEs at once; a rank of it that joins later is notified of the same
 * failure, once, so that the k-th join of every rank belongs to the same attempt.
 */
#include "boot/rdv.h"

#include "util/clock.h"
#include "util/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rdv_failure_clear(struct rdv_failure *f)
{
	for (int i = 0; i < 2; i++)
		free(f->told[i]);
	memset(f, 0, sizeof(*f));
}

static void rdv_failure_for(struct rdv_failure *f, int i, int nranks)
{
	f->told[i] = calloc((size_t)nranks, 1);
	f->nranks[i] = f->told[i] ? nranks : 0;
}

/* 1 if @rank of @nranks was not notified yet; from then on it counts as notified. */
static int rdv_failure_tell(struct rdv_failure *f, int rank, int nranks)
{
	for (int i = 0; i < 2; i++) {
		if (nranks != f->nranks[i] || f->told[i][rank])
			continue;
		f->told[i][rank] = 1;
		return 1;
	}
	return 0;
}

static void rdv_conn_refuse(struct rdv_conn *c, int rank, int status, const char *text)
{
	struct rdv_msg *m = rdv_msg_new(WIRE_REFUSED, sizeof(struct wire_refused));

	if (m) {
		struct wire_refused refused = { .rank = rank, .status = status };

		wire_copy_text(refused.text, sizeof(refused.text), text);
		memcpy(m->body, &refused, sizeof(refused));
	}
	rdv_conn_send(c, m);
	rdv_msg_put(m);
}

/* Ends the forming round and remembers why. */
static void rdv_round_end(struct rdv *r, int status, const char *text)
{
	struct rdv_world *w = r->forming;
	struct rdv_failure *f = &r->failure;

	r->forming = NULL;
	rdv_failure_clear(f);
	rdv_failure_for(f, 0, w->nranks);
	f->status = status;
	wire_copy_text(f->text, sizeof(f->text), text);
	for (int i = 0; i < w->nranks; i++) {
		struct rdv_conn *c = w->by_rank[i];

		if (!c)
			continue;
		rdv_failure_tell(f, i, w->nranks);
		if (c->world)
			rdv_conn_refuse(c, -1, status, text);
		c->world = NULL;
		c->refused = 1;
	}
	rdv_world_free(w);
}

void rdv_round_fail(struct rdv *r, int status, const char *fmt, ...)
{
	char text[WIRE_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	rdv_round_end(r, status, text);
}

static struct rdv_world *rdv_round_open(const struct wire_join *join)
{
	struct rdv_world *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->nranks = join->nranks;
	w->blob_len = join->blob_len;
	w->first = join->rank;
	w->deadline = INT64_MAX;
	w->lasting = clock_lasting(0);
	w->by_rank = calloc((size_t)w->nranks, sizeof(struct rdv_conn *));
	w->blobs = calloc((size_t)w->nranks, w->blob_len ? w->blob_len : 1);
	if (!w->by_rank || !w->blobs) {
		rdv_world_free(w);
		return NULL;
	}
	return w;
}

/* The newcomer contradicts the round, which fails for all, the newcomer included. */
static void rdv_round_contradict(struct rdv_conn *c, const struct wire_join *join)
{
	struct rdv *r = c->rdv;
	struct rdv_world *w = r->forming;
	const struct wire_proc *me = &c->proc, *other = &w->by_rank[w->first]->proc;
	char text[WIRE_TEXT];

	if (join->nranks != w->nranks) {
		snprintf(text, sizeof(text),
			 "PEs disagree on their number: PE %d (process %d on host %s) says %d, "
			 "PE %d (process %d on host %s) says %d",
			 w->first, other->pid, other->host, w->nranks, join->rank, me->pid,
			 me->host, join->nranks);
	} else if (join->blob_len != w->blob_len) {
		snprintf(
			text, sizeof(text),
			"PEs disagree on what they exchange, as two versions of the library would: "
			"PE %d (process %d on host %s) sends %u bytes, "
			"PE %d (process %d on host %s) sends %u",
			w->first, other->pid, other->host, w->blob_len, join->rank, me->pid,
			me->host, join->blob_len);
	} else {
		other = &w->by_rank[join->rank]->proc;
		snprintf(text, sizeof(text),
			 "two PEs have rank %d of %d: process %d on host %s and process %d on host "
			 "%s",
			 join->rank, w->nranks, other->pid, other->host, me->pid, me->host);
	}
	/* If its process is in the round through another PE, it is notified with that one. */
	if (c->world != w) {
		rdv_conn_refuse(c, -1, MORI_SHMEM_EMISMATCH, text);
		c->refused = 1;
	}
	rdv_round_end(r, MORI_SHMEM_EMISMATCH, text);
	if (join->nranks != r->failure.nranks[0])
		rdv_failure_for(&r->failure, 1, join->nranks);
	rdv_failure_tell(&r->failure, join->rank, join->nranks);
}

static void rdv_round_complete(struct rdv *r)
{
	struct rdv_world *w = r->forming;

	if (rdv_world_form(w)) {
		rdv_round_fail(r, MORI_SHMEM_ENOMEM,
			       "the rendezvous, process %d on host %s, has no memory for %d PEs",
			       r->pid, r->host, w->nranks);
		return;
	}
	r->forming = NULL;
	w->next = r->worlds;
	if (r->worlds)
		r->worlds->prev = w;
	r->worlds = w;
}

void rdv_round_doomed(struct rdv *r)
{
	char text[WIRE_TEXT];

	if (r->forming && rdv_ended_missing(r, r->forming, text, sizeof(text)))
		rdv_round_end(r, MORI_SHMEM_EPEER, text);
}

static void rdv_round_add(struct rdv_conn *c, const struct wire_join *join, const uint8_t *blob)
{
	struct rdv_world *w = c->rdv->forming;
	int64_t deadline = clock_deadline(join->left_ms / 1e3);

	if (join->nranks != w->nranks || join->blob_len != w->blob_len || w->by_rank[join->rank]) {
		rdv_round_contradict(c, join);
		return;
	}
	w->by_rank[join->rank] = c;
	memcpy(w->blobs + (size_t)join->rank * w->blob_len, blob, w->blob_len);
	if (join->report_ms && w->lasting.report_at == INT64_MAX)
		w->lasting.report_at = clock_lasting(join->report_ms / 1e3).report_at;
	if (deadline < w->deadline) {
		w->deadline = deadline;
		w->timeout_s = join->timeout_ms / 1e3;
	}
	c->world = w;
	c->n_joined++;
	if (++w->n_joined == w->nranks)
		rdv_round_complete(c->rdv);
	else
		rdv_round_doomed(c->rdv);
}

void rdv_round_join(struct rdv_conn *c, const struct wire_join *join, const uint8_t *blob)
{
	struct rdv *r = c->rdv;

	if (r->close_by) {
		rdv_conn_refuse(
			c, -1, MORI_SHMEM_EREACH,
			"the rendezvous is closing: the job that used this unique id has ended");
		return;
	}
	/*
	 * Refused while this message was on its way: the PE was notified with the others of its
	 * process.
	 */
	if (c->refused) {
		rdv_failure_tell(&r->failure, join->rank, join->nranks);
		return;
	}
	/* The world formed without it: the client sees that in the table and joins again. */
	if (c->world && c->world->formed)
		return;
	if (rdv_failure_tell(&r->failure, join->rank, join->nranks)) {
		rdv_conn_refuse(c, join->rank, r->failure.status, r->failure.text);
		return;
	}
	if (!r->forming)
		r->forming = rdv_round_open(join);
	if (!r->forming) {
		rdv_conn_refuse(c, join->rank, MORI_SHMEM_ENOMEM,
				"the rendezvous is out of memory");
		return;
	}
	rdv_round_add(c, join, blob);
}

/* The ranks @c joined with, as a set to be freed; NULL without memory. */
static uint8_t *rdv_round_ranks_of(const struct rdv_world *w, const struct rdv_conn *c)
{
	uint8_t *set = calloc((size_t)w->nranks, 1);

	for (int i = 0; set && i < w->nranks; i++)
		set[i] = w->by_rank[i] == c;
	return set;
}

void rdv_round_gone(struct rdv_conn *c)
{
	struct rdv *r = c->rdv;
	struct rdv_world *w = c->world;
	uint8_t *set = rdv_round_ranks_of(w, c);
	char who[256] = "a PE";
	int n = 1;

	if (set)
		n = text_who(who, sizeof(who), set, w->nranks, &c->proc);
	free(set);
	c->world = NULL; /* it cannot be notified */
	rdv_round_fail(r, MORI_SHMEM_EPEER, "%s %s before all %d PEs had come", who,
		       c->bye ? "left" :
		       n == 1 ? "was lost" :
				"were lost",
		       w->nranks);
}

void rdv_round_text(const struct rdv_world *w, int64_t now, char *text, size_t size)
{
	uint8_t *set = calloc((size_t)w->nranks, 1);
	char here[200] = "some", missing[200] = "others";

	for (int turn = 0; set && turn < 2; turn++) {
		for (int i = 0; i < w->nranks; i++)
			set[i] = (w->by_rank[i] == NULL) == (turn == 1);
		text_ranks(turn ? missing : here, sizeof(here), set, w->nranks);
	}
	snprintf(text, size, "PE %s: mori_shmem_init has waited for %.3g s for PE %s to call it",
		 here, (double)(now - w->lasting.since) / 1e9, missing);
	free(set);
}

int64_t rdv_round_due(const struct rdv *r)
{
	const struct rdv_world *w = r->forming;

	if (!w)
		return INT64_MAX;
	return w->lasting.report_at < w->deadline ? w->lasting.report_at : w->deadline;
}

void rdv_round_turn(struct rdv *r, int64_t now)
{
	struct rdv_world *w = r->forming;
	bool lasts = w && clock_lasts(&w->lasting, now);
	uint8_t *set;
	char ranks[300] = "some", text[500];
	int n;

	if (lasts) {
		rdv_round_text(w, now, text, sizeof(text));
		log_warn("%s", text);
	}
	if (!w || now < w->deadline)
		return;
	n = w->nranks - w->n_joined;
	set = rdv_round_ranks_of(w, NULL);
	if (set)
		text_ranks(ranks, sizeof(ranks), set, w->nranks);
	free(set);
	rdv_round_fail(r, MORI_SHMEM_ETIMEDOUT, "rank%s %s of %d did not come within %g s",
		       n == 1 ? "" : "s", ranks, w->nranks, w->timeout_s);
}
