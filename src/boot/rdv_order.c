// SPDX-License-Identifier: MIT
/*
 * What the launcher, in whose process the rendezvous lives, tells it. The launcher's thread leaves
 * an order and waits; the rendezvous' thread carries it out once it has read all that had arrived
 * before, so that the last words of a process that has ended are known.
 */
#include "boot/rdv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "boot/launcher.h"
#include "boot/local.h"
#include "util/clock.h"

/* A process that has ended: its PEs never join again. */
struct rdv_ended {
	struct rdv_ended *next;
	int first, n; /* ranks */
	int good;     /* without a failure */
	struct wire_proc proc;
	char how[64];
};

struct rdv_order {
	const struct rdv_ended *ended; /* NULL: the order is to ask who waits for what */
	double timeout_s;
	char *text; /* the answer */
	int asked, done;
};

void rdv_rank_lost(struct rdv *r, int rank)
{
	uint8_t *more = rank < r->lost.n ? r->lost.set : realloc(r->lost.set, (size_t)rank + 1);

	if (!more)
		return;
	if (rank >= r->lost.n)
		memset(more + r->lost.n, 0, (size_t)(rank + 1 - r->lost.n));
	r->lost.set = more;
	r->lost.n = rank < r->lost.n ? r->lost.n : rank + 1;
	r->lost.set[rank] = 1;
}

static const char *rdv_ended_who(const struct rdv_ended *e, char *buf, size_t size)
{
	if (e->n > 1)
		snprintf(buf, size, "PEs %d-%d (process %d)", e->first, e->first + e->n - 1,
			 e->proc.pid);
	else
		snprintf(buf, size, "PE %d (process %d)", e->first, e->proc.pid);
	return buf;
}

/* The first one is the cause, what others do after it a consequence. */
static void rdv_blame(struct rdv *r, const struct rdv_ended *e)
{
	char who[64];

	pthread_mutex_lock(&r->order_lock);
	if (r->blamed < 0) {
		r->blamed = e->first;
		snprintf(r->blamed_text, sizeof(r->blamed_text), "%s %s without mori_shmem_%s()",
			 rdv_ended_who(e, who, sizeof(who)), e->how,
			 e->first < r->lost.n && r->lost.set[e->first] ? "finalize" : "init");
	}
	pthread_mutex_unlock(&r->order_lock);
}

static void rdv_order_ended(struct rdv *r, const struct rdv_ended *e)
{
	struct rdv_ended *keep = malloc(sizeof(*keep));
	int lost = 0;

	if (!keep) /* without memory the others wait for their time-out */
		return;
	*keep = *e;
	memcpy(keep->proc.host, r->host, WIRE_HOST);
	keep->next = r->ended;
	r->ended = keep;
	for (int i = e->first; i < e->first + e->n && i < r->lost.n; i++)
		lost |= r->lost.set[i];
	if (lost && e->good) /* else its end is a failure of its own, or a consequence */
		rdv_blame(r, keep);
	rdv_round_doomed(r);
}

void rdv_order_run(struct rdv *r)
{
	struct rdv_order *o;

	pthread_mutex_lock(&r->order_lock);
	o = r->order;
	pthread_mutex_unlock(&r->order_lock);
	if (!o)
		return;
	if (o->ended) {
		rdv_order_ended(r, o->ended);
	} else {
		if (!o->asked)
			rdv_ask(r, o->timeout_s);
		o->asked = 1;
		if (!rdv_ask_over(r, clock_now()))
			return;
		o->text = rdv_ask_text(r);
	}
	pthread_mutex_lock(&r->order_lock);
	r->order = NULL;
	o->done = 1;
	pthread_cond_broadcast(&r->order_moved);
	pthread_mutex_unlock(&r->order_lock);
}

void rdv_order_open(struct rdv *r)
{
	pthread_mutex_init(&r->order_lock, NULL);
	pthread_cond_init(&r->order_moved, NULL);
	r->blamed = -1;
}

void rdv_order_close(struct rdv *r)
{
	while (r->ended) {
		struct rdv_ended *e = r->ended;

		r->ended = e->next;
		free(e);
	}
	free(r->lost.set);
	pthread_mutex_destroy(&r->order_lock);
	pthread_cond_destroy(&r->order_moved);
}

void rdv_ended_text(const struct rdv *r, FILE *out)
{
	char who[64];

	for (const struct rdv_ended *e = r->ended; e; e = e->next)
		fprintf(out, "%s %s\n", rdv_ended_who(e, who, sizeof(who)), e->how);
}

int rdv_ended_missing(struct rdv *r, const struct rdv_world *w, char *text, size_t size)
{
	for (const struct rdv_ended *e = r->ended; e; e = e->next) {
		uint8_t *set = calloc((size_t)w->nranks, 1);
		char who[256];
		int n = 0;

		for (int i = e->first; set && i < e->first + e->n && i < w->nranks; i++)
			n += set[i] = !w->by_rank[i];
		if (n)
			text_who(who, sizeof(who), set, w->nranks, &e->proc);
		free(set);
		if (!n)
			continue;
		rdv_blame(r, e);
		snprintf(text, size, "%s %s and cannot come to mori_shmem_init()", who, e->how);
		return 1;
	}
	return 0;
}

/* Leaves the order and waits until it is carried out. */
static void rdv_order_give(struct rdv *r, struct rdv_order *o)
{
	pthread_mutex_lock(&r->order_lock);
	r->order = o;
	(void)eventfd_write(r->wake, 1);
	while (!o->done)
		pthread_cond_wait(&r->order_moved, &r->order_lock);
	pthread_mutex_unlock(&r->order_lock);
}

static void launcher_ended(const unsigned char *uid, int first, int n, int pid, const char *how,
			   int good)
{
	struct rdv_ended e = { .first = first, .n = n, .good = good, .proc.pid = pid };
	struct rdv *r = rdv_here(uid);

	wire_copy_text(e.how, sizeof(e.how), how);
	if (r)
		rdv_order_give(r, &(struct rdv_order){ .ended = &e });
}

static char *launcher_ask(const unsigned char *uid, double timeout_s)
{
	struct rdv_order o = { .timeout_s = timeout_s };
	struct rdv *r = rdv_here(uid);

	if (r)
		rdv_order_give(r, &o);
	return o.text;
}

static int launcher_blamed(const unsigned char *uid, char *text, size_t size)
{
	struct rdv *r = rdv_here(uid);
	int first;

	if (!r)
		return -1;
	pthread_mutex_lock(&r->order_lock);
	first = r->blamed;
	snprintf(text, size, "%s", r->blamed_text);
	pthread_mutex_unlock(&r->order_lock);
	return first;
}

const struct boot_launcher *mori_private_launcher(void)
{
	static const struct boot_launcher launcher = { .ended = launcher_ended,
						       .blamed = launcher_blamed,
						       .ask = launcher_ask };

	return &launcher;
}
