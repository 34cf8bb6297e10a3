// SPDX-License-Identifier: MIT
/*
 * Rounds: PEs join until all have come, then the round becomes a world and the
 * next one may form. A round that fails fails for everybody in it at once; those
 * of its ranks who come later are told the same, once, so that the k-th join of
 * every rank belongs to the same attempt.
 */
#include "boot/rdv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void failure_clear(struct failure *f)
{
	for (int i = 0; i < 2; i++)
		free(f->told[i]);
	memset(f, 0, sizeof(*f));
}

static void failure_for(struct failure *f, int i, int nranks)
{
	f->told[i] = calloc((size_t)nranks, 1);
	f->nranks[i] = f->told[i] ? nranks : 0;
}

/* 1 if @rank of @nranks still has to hear of it; it is taken to have heard then. */
static int failure_tell(struct failure *f, int rank, int nranks)
{
	for (int i = 0; i < 2; i++) {
		if (nranks != f->nranks[i] || f->told[i][rank])
			continue;
		f->told[i][rank] = 1;
		return 1;
	}
	return 0;
}

static void conn_refuse(struct conn *c, int rank, int status, const char *text)
{
	struct msg *m = msg_new(WIRE_REFUSED, sizeof(struct wire_refused));

	if (m) {
		struct wire_refused refused = { .rank = rank, .status = status };

		wire_copy_text(refused.text, sizeof(refused.text), text);
		memcpy(m->body, &refused, sizeof(refused));
	}
	conn_send(c, m);
	msg_put(m);
}

/* End the forming round and remember why. */
static void round_end(struct rdv *r, int status, const char *text)
{
	struct world *w = r->forming;
	struct failure *f = &r->failure;

	r->forming = NULL;
	failure_clear(f);
	failure_for(f, 0, w->nranks);
	f->status = status;
	wire_copy_text(f->text, sizeof(f->text), text);
	for (int i = 0; i < w->nranks; i++) {
		struct conn *c = w->by_rank[i];

		if (!c)
			continue;
		failure_tell(f, i, w->nranks);
		if (c->world)
			conn_refuse(c, -1, status, text);
		c->world = NULL;
		c->refused = 1;
	}
	world_free(w);
}

void round_fail(struct rdv *r, int status, const char *fmt, ...)
{
	char text[WIRE_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	round_end(r, status, text);
}

static struct world *round_open(const struct wire_join *join)
{
	struct world *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->nranks = join->nranks;
	w->blob_len = join->blob_len;
	w->first = join->rank;
	w->deadline = INT64_MAX;
	w->by_rank = calloc((size_t)w->nranks, sizeof(struct conn *));
	w->blobs = calloc((size_t)w->nranks, w->blob_len ? w->blob_len : 1);
	if (!w->by_rank || !w->blobs) {
		world_free(w);
		return NULL;
	}
	return w;
}

/* The newcomer contradicts the round: it fails, for the newcomer too. */
static void round_contradict(struct conn *c, const struct wire_join *join)
{
	struct rdv *r = c->rdv;
	struct world *w = r->forming;
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
	/* In the round already through another of its PEs: told with it. */
	if (c->world != w) {
		conn_refuse(c, -1, MORI_SHMEM_EMISMATCH, text);
		c->refused = 1;
	}
	round_end(r, MORI_SHMEM_EMISMATCH, text);
	if (join->nranks != r->failure.nranks[0])
		failure_for(&r->failure, 1, join->nranks);
	failure_tell(&r->failure, join->rank, join->nranks);
}

static void round_complete(struct rdv *r)
{
	struct world *w = r->forming;

	if (world_form(w)) {
		round_fail(r, MORI_SHMEM_ENOMEM,
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

static void round_add(struct conn *c, const struct wire_join *join, const uint8_t *blob)
{
	struct world *w = c->rdv->forming;
	int64_t deadline = wire_deadline(join->left_ms / 1e3);

	if (join->nranks != w->nranks || join->blob_len != w->blob_len || w->by_rank[join->rank]) {
		round_contradict(c, join);
		return;
	}
	w->by_rank[join->rank] = c;
	memcpy(w->blobs + (size_t)join->rank * w->blob_len, blob, w->blob_len);
	if (deadline < w->deadline) {
		w->deadline = deadline;
		w->timeout_s = join->timeout_ms / 1e3;
	}
	c->world = w;
	c->n_joined++;
	if (++w->n_joined == w->nranks)
		round_complete(c->rdv);
}

void round_join(struct conn *c, const struct wire_join *join, const uint8_t *blob)
{
	struct rdv *r = c->rdv;

	if (r->close_by) {
		conn_refuse(
			c, -1, MORI_SHMEM_EREACH,
			"the rendezvous is closing: the job that used this unique id has ended");
		return;
	}
	/* Refused while this was on its way: its PE has heard with the others of its process. */
	if (c->refused) {
		failure_tell(&r->failure, join->rank, join->nranks);
		return;
	}
	/* The world formed without it: the client sees that in the table and comes again. */
	if (c->world && c->world->formed)
		return;
	if (failure_tell(&r->failure, join->rank, join->nranks)) {
		conn_refuse(c, join->rank, r->failure.status, r->failure.text);
		return;
	}
	if (!r->forming)
		r->forming = round_open(join);
	if (!r->forming) {
		conn_refuse(c, join->rank, MORI_SHMEM_ENOMEM, "the rendezvous is out of memory");
		return;
	}
	round_add(c, join, blob);
}

/* The ranks @c joined with, as a set to be freed; NULL without memory. */
static uint8_t *round_ranks_of(const struct world *w, const struct conn *c)
{
	uint8_t *set = calloc((size_t)w->nranks, 1);

	for (int i = 0; set && i < w->nranks; i++)
		set[i] = w->by_rank[i] == c;
	return set;
}

void round_gone(struct conn *c)
{
	struct rdv *r = c->rdv;
	struct world *w = c->world;
	uint8_t *set = round_ranks_of(w, c);
	char who[256] = "a PE";
	int n = 1;

	if (set)
		n = text_who(who, sizeof(who), set, w->nranks, &c->proc);
	free(set);
	c->world = NULL; /* it cannot be told */
	round_fail(r, MORI_SHMEM_EPEER, "%s %s before all %d PEs had come", who,
		   c->bye ? "left" :
		   n == 1 ? "was lost" :
			    "were lost",
		   w->nranks);
}

void round_expire(struct rdv *r, int64_t now)
{
	struct world *w = r->forming;
	uint8_t *set;
	char ranks[300] = "some";
	int n;

	if (!w || now < w->deadline)
		return;
	n = w->nranks - w->n_joined;
	set = round_ranks_of(w, NULL);
	if (set)
		text_ranks(ranks, sizeof(ranks), set, w->nranks);
	free(set);
	round_fail(r, MORI_SHMEM_ETIMEDOUT, "rank%s %s of %d did not come within %g s",
		   n == 1 ? "" : "s", ranks, w->nranks, w->timeout_s);
}
