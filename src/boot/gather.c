// SPDX-License-Identifier: MIT
/*
 * Collectives. The PEs of a process combine their inputs and the last to arrive sends them in one
 * message; the rendezvous responds to each process once, and every PE takes the result from the
 * response. A PE whose time-out expires sends the inputs there are and requests the end, which all
 * PEs then receive.
 *
 * A gather lives until every PE of the process has taken its result. The input of a PE never
 * changes, so it is sent without the lock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/boot_priv.h"
#include "boot/local.h"
#include "util/clock.h"
#include "util/err.h"

struct gather_input {
	enum wire_kind kind;
	int rank;
	const void *in;
	size_t len;
	int status;
	const char *text;
	double timeout_s;
};

static void gather_free(struct boot_gather *g)
{
	free(g->ranks);
	free(g->parts);
	free(g->text);
	free(g->body);
	free(g);
}

void gather_free_all(struct boot *b)
{
	while (b->gathers) {
		struct boot_gather *g = b->gathers;

		b->gathers = g->next;
		gather_free(g);
	}
}

/* Gathers that are not done end with the status that broke the world. */
void gather_end_all(struct boot *b)
{
	for (struct boot_gather *g = b->gathers; g; g = g->next) {
		if (g->done)
			continue;
		g->done = 1;
		g->result.failed = 1;
		g->result.status = b->status;
	}
}

static struct boot_gather *gather_get(struct boot *b, uint64_t seq, enum wire_kind kind, size_t len)
{
	struct boot_gather *g;
	size_t n = (size_t)b->n_in;

	for (g = b->gathers; g; g = g->next) {
		if (g->seq == seq)
			return g;
	}
	g = calloc(1, sizeof(*g));
	if (!g)
		return NULL;
	g->seq = seq;
	g->kind = kind;
	g->len = len;
	g->bad = -1;
	g->ranks = calloc(n, sizeof(*g->ranks));
	g->parts = calloc(n, len ? len : 1);
	if (!g->ranks || !g->parts) {
		gather_free(g);
		return NULL;
	}
	g->next = b->gathers;
	b->gathers = g;
	return g;
}

void gather_result(struct boot *b, uint8_t *body, size_t len)
{
	struct wire_result result;
	struct boot_gather *g;

	if (len < sizeof(result)) {
		free(body);
		return;
	}
	memcpy(&result, body, sizeof(result));
	pthread_mutex_lock(&b->lock);
	/* It may have failed before a PE of this process called it. */
	g = gather_get(b, result.seq, WIRE_BARRIER, 0);
	if (!g || g->done) {
		free(body);
	} else {
		g->done = 1;
		g->result = result;
		g->body = body;
		g->data = body + sizeof(result);
		g->data_len = len - sizeof(result);
	}
	pthread_cond_broadcast(&b->cond);
	pthread_mutex_unlock(&b->lock);
}

/*
 * With the lock held, which it releases while it sends: sends the inputs that have not been sent
 * yet; with @ask also requests the end. Another PE may be sending the inputs: a message without any
 * would name no rank.
 */
static int gather_send(struct boot *b, struct boot_gather *g, const struct gather_input *p, int ask)
{
	struct wire_coll head = { .seq = g->seq,
				  .kind = g->kind,
				  .len = g->len,
				  .ask = ask,
				  .bad = g->bad,
				  .status = g->status,
				  .timeout_ms = wire_ms(p->timeout_s) };
	size_t first = (size_t)g->n_sent;
	char text[WIRE_TEXT] = "";
	struct iovec iov[3] = { { &head, sizeof(head) } };
	int err;

	head.n = (uint32_t)(g->n_parts - g->n_sent);
	if (!head.n && !ask)
		return 0;
	g->n_sent = g->n_parts;
	iov[1] = (struct iovec){ g->ranks + first, head.n * sizeof(*g->ranks) };
	iov[2] = (struct iovec){ g->parts + first * g->len, head.n * g->len };
	if (g->kind == WIRE_AGREE) {
		wire_copy_text(text, sizeof(text), g->text ? g->text : "");
		iov[2] = (struct iovec){ text, strlen(text) + 1 };
	}
	pthread_mutex_unlock(&b->lock);
	err = boot_send(b, WIRE_COLL, iov, 3, clock_deadline(p->timeout_s + LINK_GRACE_S));
	pthread_mutex_lock(&b->lock);
	return err;
}

/* A PE of this process is in another collective: the rendezvous sees both and reports it. */
static int gather_contradict(struct boot *b, struct boot_gather *g, const struct gather_input *p)
{
	struct wire_coll head = { .seq = g->seq,
				  .kind = p->kind,
				  .len = p->len,
				  .n = 1,
				  .bad = -1,
				  .timeout_ms = wire_ms(p->timeout_s) };
	uint32_t rank = (uint32_t)p->rank;
	struct iovec iov[3] = { { &head, sizeof(head) },
				{ &rank, sizeof(rank) },
				{ (void *)p->in, p->len } };
	int err = gather_send(b, g, p, 0);

	pthread_mutex_unlock(&b->lock);
	if (!err)
		err = boot_send(b, WIRE_COLL, iov, 3, clock_deadline(p->timeout_s + LINK_GRACE_S));
	pthread_mutex_lock(&b->lock);
	return err;
}

static int gather_add(struct boot *b, struct boot_gather *g, const struct gather_input *p)
{
	if (g->done)
		return 0;
	if (g->kind != p->kind || g->len != p->len)
		return gather_contradict(b, g, p);
	g->ranks[g->n_parts] = (uint32_t)p->rank;
	if (p->len)
		memcpy(g->parts + (size_t)g->n_parts * p->len, p->in, p->len);
	if (p->status && (g->bad < 0 || p->rank < g->bad)) {
		free(g->text);
		g->text = strdup(p->text ? p->text : "");
		g->bad = p->rank;
		g->status = p->status;
	}
	g->n_parts++;
	return g->n_parts == b->n_in ? gather_send(b, g, p, 0) : 0;
}

static void gather_wait(struct boot *b, struct boot_gather *g, const struct gather_input *p)
{
	int64_t deadline = clock_deadline(p->timeout_s);
	char text[WIRE_TEXT];
	int over = 0;

	while (!g->done && !over)
		over = boot_cond_wait(b, deadline);
	if (g->done)
		return;
	if (!g->asked) {
		g->asked = 1;
		gather_send(b, g, p, 1);
	}
	deadline = clock_deadline(LINK_GRACE_S);
	for (over = 0; !g->done && !over;)
		over = boot_cond_wait(b, deadline);
	if (g->done)
		return;
	snprintf(text, sizeof(text),
		 "the rendezvous (process %d on host %s) does not answer after %g s", b->server.pid,
		 b->server.host, p->timeout_s);
	boot_break(b, MORI_SHMEM_ETIMEDOUT, text);
}

/* With the lock held, or while the gather cannot be freed: this PE's status. */
static int gather_take(struct boot *b, const struct boot_gather *g, const struct gather_input *p,
		       void *out)
{
	size_t want = (size_t)b->info.n_pes * p->len;

	if (g->result.failed)
		return err_set(g->result.status, "%s", g->data ? (const char *)g->data : b->text);
	if (p->kind == WIRE_AGREE && g->result.bad >= 0)
		return err_set(g->result.status, "PE %d: %s", g->result.bad, (const char *)g->data);
	if (p->kind == WIRE_ALLGATHER && g->data_len != want)
		return err_set(MORI_SHMEM_EIO, "the rendezvous sent %zu bytes instead of %zu",
			       g->data_len, want);
	if (p->kind == WIRE_ALLGATHER && out && want)
		memcpy(out, g->data, want);
	return 0;
}

static void gather_leave(struct boot *b, struct boot_gather *g)
{
	struct boot_gather **at = &b->gathers;

	if (++g->left < b->n_in)
		return;
	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	gather_free(g);
}

static int gather_alone(const struct gather_input *p, void *out)
{
	if (p->kind == WIRE_ALLGATHER && p->len)
		memcpy(out, p->in, p->len);
	if (p->status) {
		char text[WIRE_TEXT];

		wire_copy_text(text, sizeof(text), p->text ? p->text : "");
		return err_set(p->status, "PE 0: %s", text);
	}
	return 0;
}

static int gather_run(struct boot *b, const struct gather_input *p, void *out)
{
	struct boot_member *m =
		p->rank >= 0 && p->rank < b->info.n_pes ? b->by_rank[p->rank] : NULL;
	struct boot_gather *g;
	int err;

	if (!m)
		return err_set(MORI_SHMEM_EINVAL, "PE %d is not in this process", p->rank);
	if (b->pid != boot_local_pid())
		return err_set(MORI_SHMEM_ESTATE, "this process is a fork of the PE's process");
	if (b->alone)
		return gather_alone(p, out);
	pthread_mutex_lock(&b->lock);
	if (b->status) {
		err = err_set(b->status, "%s", b->text);
		pthread_mutex_unlock(&b->lock);
		return err;
	}
	g = gather_get(b, m->seq++, p->kind, p->len);
	err = g ? gather_add(b, g, p) :
		  err_set(MORI_SHMEM_ENOMEM, "out of memory for a collective");
	if (!err)
		gather_wait(b, g, p);
	pthread_mutex_unlock(&b->lock);
	if (!g)
		return err;
	/* This PE has not left yet: the gather stays, and does not change once it is done. */
	if (!err)
		err = gather_take(b, g, p, out);
	pthread_mutex_lock(&b->lock);
	gather_leave(b, g);
	pthread_mutex_unlock(&b->lock);
	return err;
}

int boot_allgather(struct boot *b, int rank, const void *in, size_t len, void *out,
		   double timeout_s)
{
	struct gather_input p = {
		.kind = WIRE_ALLGATHER, .rank = rank, .in = in, .len = len, .timeout_s = timeout_s
	};

	if (len > (WIRE_BODY_MAX - 4096) / ((size_t)b->info.n_pes + 1))
		return err_set(MORI_SHMEM_EINVAL, "%zu bytes from each of %d PEs are too many", len,
			       b->info.n_pes);
	return gather_run(b, &p, out);
}

int boot_barrier(struct boot *b, int rank, double timeout_s)
{
	struct gather_input p = { .kind = WIRE_BARRIER, .rank = rank, .timeout_s = timeout_s };

	return gather_run(b, &p, NULL);
}

int boot_agree(struct boot *b, int rank, int status, const char *text, double timeout_s)
{
	struct gather_input p = { .kind = WIRE_AGREE,
				  .rank = rank,
				  .status = status,
				  .text = text,
				  .timeout_s = timeout_s };

	return gather_run(b, &p, NULL);
}
