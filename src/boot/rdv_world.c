// SPDX-License-Identifier: MIT
/*
 * Worlds that have formed: the table of their PEs, their collectives, and word of
 * processes that go. PEs take part in collectives in the same order, so a
 * collective is over before the next can be, and a count tells which are.
 */
#include "boot/rdv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = { "a barrier", "an allgather", "an agreement" };

static void coll_free(struct coll *k)
{
	free(k->came);
	free(k->text);
	msg_put(k->gathered);
	free(k);
}

void world_free(struct world *w)
{
	while (w->colls) {
		struct coll *k = w->colls;

		w->colls = k->next;
		coll_free(k);
	}
	free(w->by_rank);
	free(w->blobs);
	free(w->procs);
	free(w->conns);
	free(w->proc_of);
	free(w);
}

static void world_send(struct world *w, struct msg *m)
{
	for (int i = 0; i < w->n_procs; i++) {
		if (!w->conns[i])
			continue;
		conn_send(w->conns[i], m);
	}
}

/* Number processes by their lowest rank. */
static void world_number(struct world *w)
{
	for (int i = 0; i < w->nranks; i++)
		w->by_rank[i]->proc_index = -1;
	for (int i = 0; i < w->nranks; i++) {
		struct conn *c = w->by_rank[i];

		if (c->proc_index < 0) {
			c->proc_index = w->n_procs++;
			w->procs[c->proc_index] = c->proc;
			w->conns[c->proc_index] = c;
		}
		w->proc_of[i] = c->proc_index;
	}
	w->n_conns = w->n_procs;
}

static int world_node(const struct wire_entry *entries, int n, const uint8_t *node)
{
	for (int i = n - 1; i >= 0; i--) {
		if (!memcmp(entries[i].proc.node, node, sizeof(entries[i].proc.node)))
			return entries[i].node;
	}
	return -1;
}

static struct msg *world_table(const struct world *w)
{
	struct wire_table t = {
		.n_pes = w->nranks, .n_procs = w->n_procs, .host_proc = -1, .blob_len = w->blob_len
	};
	size_t entries = (size_t)w->n_procs * sizeof(struct wire_entry);
	size_t ranks = (size_t)w->nranks * sizeof(int32_t);
	size_t blobs = (size_t)w->nranks * w->blob_len;
	struct msg *m = msg_new(WIRE_TABLE, sizeof(t) + entries + ranks + blobs);
	struct wire_entry *list = calloc((size_t)w->n_procs, sizeof(*list));

	if (!m || !list || wire_random(t.secret, WIRE_SECRET)) {
		msg_put(m);
		free(list);
		return NULL;
	}
	for (int i = 0; i < w->n_procs; i++) {
		int node = world_node(list, i, w->procs[i].node);

		list[i].proc = w->procs[i];
		list[i].node = node < 0 ? t.n_nodes++ : node;
		if (w->procs[i].hosts)
			t.host_proc = i;
	}
	memcpy(m->body, &t, sizeof(t));
	memcpy(m->body + sizeof(t), list, entries);
	memcpy(m->body + sizeof(t) + entries, w->proc_of, ranks);
	if (blobs)
		memcpy(m->body + sizeof(t) + entries + ranks, w->blobs, blobs);
	free(list);
	return m;
}

int world_form(struct world *w)
{
	struct msg *m = NULL;

	w->procs = calloc((size_t)w->nranks, sizeof(*w->procs));
	w->conns = calloc((size_t)w->nranks, sizeof(*w->conns));
	w->proc_of = calloc((size_t)w->nranks, sizeof(*w->proc_of));
	if (w->procs && w->conns && w->proc_of) {
		world_number(w);
		m = world_table(w);
	}
	if (!m)
		return MORI_SHMEM_ENOMEM; /* world_free() takes back what there is */
	free(w->by_rank);
	free(w->blobs);
	w->by_rank = NULL;
	w->blobs = NULL;
	w->formed = 1;
	world_send(w, m);
	msg_put(m);
	return 0;
}

/* Take @k off the list; everything up to it is over. */
static void coll_over(struct world *w, struct coll *k)
{
	struct coll **p = &w->colls;

	while (*p != k)
		p = &(*p)->next;
	*p = k->next;
	if (k->seq >= w->n_done)
		w->n_done = k->seq + 1;
	coll_free(k);
}

static void coll_fail(struct world *w, struct coll *k, int status, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void coll_fail(struct world *w, struct coll *k, int status, const char *fmt, ...)
{
	struct wire_result res = { .seq = k->seq, .failed = 1, .status = status, .bad = -1 };
	char text[WIRE_TEXT];
	struct msg *m;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	m = msg_new(WIRE_RESULT, sizeof(res) + strlen(text) + 1);
	if (m) {
		memcpy(m->body, &res, sizeof(res));
		memcpy(m->body + sizeof(res), text, strlen(text) + 1);
	}
	world_send(w, m);
	msg_put(m);
	coll_over(w, k);
}

static void coll_complete(struct world *w, struct coll *k)
{
	struct wire_result res = { .seq = k->seq, .status = k->status, .bad = k->bad };
	struct msg *m = k->gathered;

	if (k->kind != WIRE_ALLGATHER) {
		size_t len = k->text ? strlen(k->text) + 1 : 0;

		m = msg_new(WIRE_RESULT, sizeof(res) + len);
		if (m && k->text)
			memcpy(m->body + sizeof(res), k->text, len);
	}
	if (m)
		memcpy(m->body, &res, sizeof(res));
	world_send(w, m);
	if (m != k->gathered)
		msg_put(m);
	coll_over(w, k);
}

static struct coll *coll_open(struct world *w, const struct wire_coll *h)
{
	struct coll *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->seq = h->seq;
	k->kind = (enum wire_kind)h->kind;
	k->len = h->len;
	k->bad = -1;
	k->first = -1;
	k->came = calloc((size_t)w->nranks, 1);
	if (k->kind == WIRE_ALLGATHER)
		k->gathered = msg_new(WIRE_RESULT, sizeof(struct wire_result) +
							   (size_t)w->nranks * (size_t)k->len);
	if (!k->came || (k->kind == WIRE_ALLGATHER && !k->gathered)) {
		coll_free(k);
		return NULL;
	}
	k->next = w->colls;
	w->colls = k;
	return k;
}

static struct coll *coll_get(struct world *w, const struct wire_coll *h)
{
	for (struct coll *k = w->colls; k; k = k->next) {
		if (k->seq == h->seq)
			return k;
	}
	return coll_open(w, h);
}

/* Name who has not come. */
static void coll_time_out(struct world *w, struct coll *k, uint32_t timeout_ms)
{
	uint8_t *set = calloc((size_t)w->nranks, 1);
	char ranks[300] = "some";
	int n = w->nranks - k->n_came;

	for (int i = 0; set && i < w->nranks; i++)
		set[i] = !k->came[i];
	if (set)
		text_ranks(ranks, sizeof(ranks), set, w->nranks);
	free(set);
	coll_fail(w, k, MORI_SHMEM_ETIMEDOUT, "PE%s %s of %d did not come to %s within %g s",
		  n == 1 ? "" : "s", ranks, w->nranks, kind_names[k->kind], timeout_ms / 1e3);
}

/* A PE whose process has said goodbye will not come any more. */
static int coll_fail_if_left(struct world *w, struct coll *k)
{
	for (int i = 0; w->n_left > 0 && i < w->nranks; i++) {
		const struct wire_proc *p = &w->procs[w->proc_of[i]];

		if (k->came[i] || w->conns[w->proc_of[i]])
			continue;
		coll_fail(w, k, MORI_SHMEM_EPEER,
			  "PE %d (process %d on host %s) has finalized while others are in %s", i,
			  p->pid, p->host, kind_names[k->kind]);
		return 1;
	}
	return 0;
}

/* 0, or -1 where the message is nonsense. */
static int coll_add(struct conn *c, struct coll *k, const struct wire_coll *h, const uint8_t *ranks,
		    const uint8_t *data)
{
	struct world *w = c->world;

	for (uint32_t i = 0; i < h->n; i++) {
		uint32_t rank;

		memcpy(&rank, ranks + i * sizeof(rank), sizeof(rank));
		if (rank >= (uint32_t)w->nranks || w->proc_of[rank] != c->proc_index ||
		    k->came[rank])
			return -1;
		if (k->first < 0)
			k->first = (int)rank;
		k->came[rank] = 1;
		k->n_came++;
		if (k->gathered && k->len)
			memcpy(k->gathered->body + sizeof(struct wire_result) + rank * k->len,
			       data + i * k->len, k->len);
	}
	if (k->kind == WIRE_AGREE && h->bad >= 0 && (k->bad < 0 || h->bad < k->bad)) {
		free(k->text);
		k->text = strdup((const char *)data); /* bodies end in a zero byte */
		k->bad = h->bad;
		k->status = h->status;
	}
	return 0;
}

/* The sizes of the parts; 0 if they add up to the body. */
static int coll_parse(const uint8_t *body, size_t len, const struct world *w, struct wire_coll *h,
		      const uint8_t **data)
{
	uint64_t rest;

	if (len < sizeof(*h))
		return -1;
	memcpy(h, body, sizeof(*h));
	rest = len - sizeof(*h);
	if (h->kind > WIRE_AGREE || h->n > (uint32_t)w->nranks || h->len > WIRE_BODY_MAX ||
	    (h->kind != WIRE_ALLGATHER && h->len) || rest < h->n * sizeof(uint32_t))
		return -1;
	rest -= h->n * sizeof(uint32_t);
	*data = body + (len - rest);
	return h->kind == WIRE_ALLGATHER && rest != h->n * h->len ? -1 : 0;
}

void world_coll(struct conn *c, const uint8_t *body, size_t len)
{
	struct world *w = c->world;
	struct wire_coll h;
	const uint8_t *data;
	struct coll *k;

	if (coll_parse(body, len, w, &h, &data)) {
		conn_break(c);
		return;
	}
	/* Over for everybody, or about to be: the answer is on its way. */
	if (h.seq < w->n_done || w->lost)
		return;
	k = coll_get(w, &h);
	if (!k) {
		conn_break(c);
		return;
	}
	if (k->kind != h.kind || k->len != h.len) {
		uint32_t rank = 0;

		if (h.n)
			memcpy(&rank, body + sizeof(h), sizeof(rank));
		coll_fail(w, k, MORI_SHMEM_EMISMATCH,
			  "PE %d is in %s of %llu bytes, PE %u in %s of %llu bytes", k->first,
			  kind_names[k->kind], (unsigned long long)k->len, rank, kind_names[h.kind],
			  (unsigned long long)h.len);
		return;
	}
	if (coll_add(c, k, &h, body + sizeof(h), data))
		conn_break(c);
	else if (k->n_came == w->nranks)
		coll_complete(w, k);
	else if (!coll_fail_if_left(w, k) && h.ask)
		coll_time_out(w, k, h.timeout_ms);
}

static void world_lost(struct world *w, int proc)
{
	struct msg *m = msg_new(WIRE_LOST, sizeof(int32_t));
	int32_t index = proc;

	if (m)
		memcpy(m->body, &index, sizeof(index));
	world_send(w, m);
	msg_put(m);
	w->lost = 1;
	while (w->colls)
		coll_over(w, w->colls);
}

/* A PE wants the job to end: the others hear why. */
void world_end(struct conn *c, const uint8_t *text, size_t len)
{
	struct world *w = c->world;
	struct msg *m = msg_new(WIRE_ABORT, len);

	if (m)
		memcpy(m->body, text, len);
	for (int i = 0; i < w->n_procs; i++) {
		if (w->conns[i] && w->conns[i] != c)
			conn_send(w->conns[i], m);
	}
	msg_put(m);
	w->lost = 1;
	while (w->colls)
		coll_over(w, w->colls);
}

void world_gone(struct conn *c)
{
	struct world *w = c->world;
	struct rdv *r = c->rdv;

	c->world = NULL;
	w->conns[c->proc_index] = NULL;
	w->n_conns--;
	if (c->bye)
		w->n_left++;
	else
		world_lost(w, c->proc_index);
	for (struct coll *k = w->colls, *next; k; k = next) {
		next = k->next;
		coll_fail_if_left(w, k);
	}
	if (w->n_conns > 0)
		return;
	if (w->prev)
		w->prev->next = w->next;
	else
		r->worlds = w->next;
	if (w->next)
		w->next->prev = w->prev;
	world_free(w);
}
