// SPDX-License-Identifier: MIT
/*
 * Worlds that have formed: the table of their PEs, their collectives, and reports of processes that
 * leave. PEs take part in collectives in the same order, so that one is over before the next can
 * be, and a counter shows which are over.
 */
#include "boot/rdv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const rdv_coll_names[] = { "a barrier", "an allgather", "an agreement" };

static void rdv_coll_free(struct rdv_coll *k)
{
	free(k->came);
	free(k->text);
	rdv_msg_put(k->gathered);
	free(k);
}

void rdv_world_free(struct rdv_world *w)
{
	while (w->colls) {
		struct rdv_coll *k = w->colls;

		w->colls = k->next;
		rdv_coll_free(k);
	}
	free(w->by_rank);
	free(w->blobs);
	free(w->procs);
	free(w->conns);
	free(w->proc_of);
	free(w);
}

void rdv_world_send(struct rdv_world *w, struct rdv_msg *m)
{
	for (int i = 0; i < w->n_procs; i++) {
		if (!w->conns[i])
			continue;
		rdv_conn_send(w->conns[i], m);
	}
}

/* Number processes by their lowest rank. */
static void rdv_world_number(struct rdv_world *w)
{
	for (int i = 0; i < w->nranks; i++)
		w->by_rank[i]->proc_index = -1;
	for (int i = 0; i < w->nranks; i++) {
		struct rdv_conn *c = w->by_rank[i];

		if (c->proc_index < 0) {
			c->proc_index = w->n_procs++;
			w->procs[c->proc_index] = c->proc;
			w->conns[c->proc_index] = c;
		}
		w->proc_of[i] = c->proc_index;
	}
	w->n_conns = w->n_procs;
}

static int rdv_world_node(const struct wire_entry *entries, int n, const uint8_t *node)
{
	for (int i = n - 1; i >= 0; i--) {
		if (!memcmp(entries[i].proc.node, node, sizeof(entries[i].proc.node)))
			return entries[i].node;
	}
	return -1;
}

static struct rdv_msg *rdv_world_table(const struct rdv_world *w)
{
	struct wire_table t = {
		.n_pes = w->nranks, .n_procs = w->n_procs, .host_proc = -1, .blob_len = w->blob_len
	};
	size_t entries = (size_t)w->n_procs * sizeof(struct wire_entry);
	size_t ranks = (size_t)w->nranks * sizeof(int32_t);
	size_t blobs = (size_t)w->nranks * w->blob_len;
	struct rdv_msg *m = rdv_msg_new(WIRE_TABLE, sizeof(t) + entries + ranks + blobs);
	struct wire_entry *list = calloc((size_t)w->n_procs, sizeof(*list));

	if (!m || !list || mac_random(t.nonce, sizeof(t.nonce))) {
		rdv_msg_put(m);
		free(list);
		return NULL;
	}
	for (int i = 0; i < w->n_procs; i++) {
		int node = rdv_world_node(list, i, w->procs[i].node);

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

int rdv_world_form(struct rdv_world *w)
{
	struct rdv_msg *m = NULL;

	w->procs = calloc((size_t)w->nranks, sizeof(*w->procs));
	w->conns = calloc((size_t)w->nranks, sizeof(*w->conns));
	w->proc_of = calloc((size_t)w->nranks, sizeof(*w->proc_of));
	if (w->procs && w->conns && w->proc_of) {
		rdv_world_number(w);
		m = rdv_world_table(w);
	}
	if (!m)
		return MORI_SHMEM_ENOMEM; /* rdv_world_free() frees what there is */
	free(w->by_rank);
	free(w->blobs);
	w->by_rank = NULL;
	w->blobs = NULL;
	w->formed = 1;
	rdv_world_send(w, m);
	rdv_msg_put(m);
	return 0;
}

/* Takes @k off the list; all collectives up to it are over. */
static void rdv_coll_over(struct rdv_world *w, struct rdv_coll *k)
{
	struct rdv_coll **p = &w->colls;

	while (*p != k)
		p = &(*p)->next;
	*p = k->next;
	if (k->seq >= w->n_done)
		w->n_done = k->seq + 1;
	rdv_coll_free(k);
}

static void rdv_coll_fail(struct rdv_world *w, struct rdv_coll *k, int status, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void rdv_coll_fail(struct rdv_world *w, struct rdv_coll *k, int status, const char *fmt, ...)
{
	struct wire_result res = { .seq = k->seq, .failed = 1, .status = status, .bad = -1 };
	char text[WIRE_TEXT];
	struct rdv_msg *m;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	m = rdv_msg_new(WIRE_RESULT, sizeof(res) + strlen(text) + 1);
	if (m) {
		memcpy(m->body, &res, sizeof(res));
		memcpy(m->body + sizeof(res), text, strlen(text) + 1);
	}
	rdv_world_send(w, m);
	rdv_msg_put(m);
	rdv_coll_over(w, k);
}

static void rdv_coll_complete(struct rdv_world *w, struct rdv_coll *k)
{
	struct wire_result res = { .seq = k->seq, .status = k->status, .bad = k->bad };
	struct rdv_msg *m = k->gathered;

	if (k->kind != WIRE_ALLGATHER) {
		size_t len = k->text ? strlen(k->text) + 1 : 0;

		m = rdv_msg_new(WIRE_RESULT, sizeof(res) + len);
		if (m && k->text)
			memcpy(m->body + sizeof(res), k->text, len);
	}
	if (m)
		memcpy(m->body, &res, sizeof(res));
	rdv_world_send(w, m);
	if (m != k->gathered)
		rdv_msg_put(m);
	rdv_coll_over(w, k);
}

static struct rdv_coll *rdv_coll_open(struct rdv_world *w, const struct wire_coll *h)
{
	struct rdv_coll *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->seq = h->seq;
	k->kind = (enum wire_kind)h->kind;
	k->len = h->len;
	k->bad = -1;
	k->first = -1;
	k->came = calloc((size_t)w->nranks, 1);
	if (k->kind == WIRE_ALLGATHER)
		k->gathered = rdv_msg_new(WIRE_RESULT, sizeof(struct wire_result) +
							       (size_t)w->nranks * (size_t)k->len);
	if (!k->came || (k->kind == WIRE_ALLGATHER && !k->gathered)) {
		rdv_coll_free(k);
		return NULL;
	}
	k->next = w->colls;
	w->colls = k;
	return k;
}

static struct rdv_coll *rdv_coll_get(struct rdv_world *w, const struct wire_coll *h)
{
	for (struct rdv_coll *k = w->colls; k; k = k->next) {
		if (k->seq == h->seq)
			return k;
	}
	return rdv_coll_open(w, h);
}

/* Names the PEs that did not call it. */
static void rdv_coll_time_out(struct rdv_world *w, struct rdv_coll *k, uint32_t timeout_ms)
{
	uint8_t *set = calloc((size_t)w->nranks, 1);
	char ranks[300] = "some";
	int n = w->nranks - k->n_came;

	for (int i = 0; set && i < w->nranks; i++)
		set[i] = !k->came[i];
	if (set)
		text_ranks(ranks, sizeof(ranks), set, w->nranks);
	free(set);
	rdv_coll_fail(w, k, MORI_SHMEM_ETIMEDOUT, "PE%s %s of %d did not come to %s within %g s",
		      n == 1 ? "" : "s", ranks, w->nranks, rdv_coll_names[k->kind],
		      timeout_ms / 1e3);
}

/* A PE whose process has said goodbye does not call it any more. */
static int rdv_coll_fail_if_left(struct rdv_world *w, struct rdv_coll *k)
{
	for (int i = 0; w->n_left > 0 && i < w->nranks; i++) {
		const struct wire_proc *p = &w->procs[w->proc_of[i]];

		if (k->came[i] || w->conns[w->proc_of[i]])
			continue;
		rdv_coll_fail(w, k, MORI_SHMEM_EPEER,
			      "PE %d (process %d on host %s) has finalized while others are in %s",
			      i, p->pid, p->host, rdv_coll_names[k->kind]);
		return 1;
	}
	return 0;
}

/* 0, or -1 for a malformed message. */
static int rdv_coll_add(struct rdv_conn *c, struct rdv_coll *k, const struct wire_coll *h,
			const uint8_t *ranks, const uint8_t *data)
{
	struct rdv_world *w = c->world;

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

/* 0 if the lengths in the header add up to the body. */
static int rdv_coll_parse(const uint8_t *body, size_t len, const struct rdv_world *w,
			  struct wire_coll *h, const uint8_t **data)
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

void rdv_world_coll(struct rdv_conn *c, const uint8_t *body, size_t len)
{
	struct rdv_world *w = c->world;
	struct wire_coll h;
	const uint8_t *data;
	struct rdv_coll *k;

	if (rdv_coll_parse(body, len, w, &h, &data)) {
		rdv_conn_break(c);
		return;
	}
	/* Over for all PEs, or about to be: the response is on its way. */
	if (h.seq < w->n_done || w->lost)
		return;
	k = rdv_coll_get(w, &h);
	if (!k) {
		rdv_conn_break(c);
		return;
	}
	if (k->kind != h.kind || k->len != h.len) {
		uint32_t rank = 0;

		if (h.n)
			memcpy(&rank, body + sizeof(h), sizeof(rank));
		rdv_coll_fail(w, k, MORI_SHMEM_EMISMATCH,
			      "PE %d is in %s of %llu bytes, PE %u in %s of %llu bytes", k->first,
			      rdv_coll_names[k->kind], (unsigned long long)k->len, rank,
			      rdv_coll_names[h.kind], (unsigned long long)h.len);
		return;
	}
	if (rdv_coll_add(c, k, &h, body + sizeof(h), data))
		rdv_conn_break(c);
	else if (k->n_came == w->nranks)
		rdv_coll_complete(w, k);
	else if (!rdv_coll_fail_if_left(w, k) && h.ask)
		rdv_coll_time_out(w, k, h.timeout_ms);
}

static void rdv_world_lost(struct rdv_world *w, int proc, int exited)
{
	struct wire_lost lost = { .proc = proc, .exited = exited };
	struct rdv_msg *m = rdv_msg_new(WIRE_LOST, sizeof(lost));

	if (m)
		memcpy(m->body, &lost, sizeof(lost));
	rdv_world_send(w, m);
	rdv_msg_put(m);
	w->lost = 1;
	while (w->colls)
		rdv_coll_over(w, w->colls);
}

/* A PE ends the job: the others are notified of the reason. */
void rdv_world_end(struct rdv_conn *c, const uint8_t *text, size_t len)
{
	struct rdv_world *w = c->world;
	struct rdv_msg *m = rdv_msg_new(WIRE_ABORT, len);

	if (m)
		memcpy(m->body, text, len);
	for (int i = 0; i < w->n_procs; i++) {
		if (w->conns[i] && w->conns[i] != c)
			rdv_conn_send(w->conns[i], m);
	}
	rdv_msg_put(m);
	w->lost = 1;
	while (w->colls)
		rdv_coll_over(w, w->colls);
}

/* A process that waits for descriptors does not get them. */
void rdv_world_no_fds(struct rdv_conn *c, const uint8_t *body)
{
	struct rdv_world *w = c->world;
	struct rdv_msg *m = rdv_msg_new(WIRE_NO_FDS, sizeof(struct wire_no_fds));
	struct wire_no_fds none;

	memcpy(&none, body, sizeof(none));
	none.from = c->proc_index;
	if (m)
		memcpy(m->body, &none, sizeof(none));
	if (none.to >= 0 && none.to < w->n_procs && w->conns[none.to])
		rdv_conn_send(w->conns[none.to], m);
	rdv_msg_put(m);
}

void rdv_world_gone(struct rdv_conn *c)
{
	struct rdv_world *w = c->world;
	struct rdv *r = c->rdv;

	c->world = NULL;
	w->conns[c->proc_index] = NULL;
	w->n_conns--;
	if (c->bye)
		w->n_left++;
	else
		rdv_world_lost(w, c->proc_index, c->exits);
	for (int i = 0; !c->bye && i < w->nranks; i++) {
		if (w->proc_of[i] == c->proc_index)
			rdv_rank_lost(r, i);
	}
	for (struct rdv_coll *k = w->colls, *next; k; k = next) {
		next = k->next;
		rdv_coll_fail_if_left(w, k);
	}
	rdv_still_left(w);
	if (w->n_conns > 0)
		return;
	if (w->prev)
		w->prev->next = w->next;
	else
		r->worlds = w->next;
	if (w->next)
		w->next->prev = w->prev;
	rdv_world_free(w);
}
