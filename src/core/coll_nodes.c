// SPDX-License-Identifier: MIT
/*
 * Meeting over the network: the first PE of each node speaks for it. In round k it tells
 * the node 2^k further on what it has heard of so far and hears from the node 2^k before;
 * after log2(n) rounds every node has heard of every other. They hear the least and the
 * largest hash of a record, which are equal if all records are.
 *
 * A meeting that takes long is not the fast case: then every node tells all others who
 * is missing on it, so that each can say who was.
 */
#include "core/coll_priv.h"

#include "boot/boot.h"
#include "core/pe.h"
#include "core/route.h"
#include "dev/dev.h"
#include "util/err.h"

#include <stdio.h>
#include <stdlib.h>

#define NODES_NAP_NS 20000000u
#define UNSENT_NS    1000000000u /* in which a loss, or that a PE has left, must be known */
#define LEAVE_NS     2000000000u /* for other nodes to hear that this PE leaves */
#define LATE_NS	     1000000000u /* after that long a meeting takes long, */
#define LATE_PART    4u		 /* or after this part of the time there is */

size_t nodes_late_size(int nodes)
{
	return ((size_t)nodes * sizeof(uint64_t) + 63) & ~(size_t)63;
}

static int nodes_send(struct pe *pe, int node, int round, uint32_t epoch,
		      const struct coll_inbox *mine)
{
	size_t at = offsetof(struct coll_block, inbox) +
		    ((epoch & 1) * COLL_ROUNDS + (size_t)round) * sizeof(struct coll_inbox);
	struct net_at to = { .pe = pe->world->leaders[node], .region = ROUTE_MEET, .off = at };
	struct net_signal signal = {
		.region = ROUTE_MEET,
		.off = at + offsetof(struct coll_inbox, epoch),
		.value = epoch,
		.op = MORI_SHMEM_SIGNAL_SET,
	};

	return net_put(route_net(pe->world), &to, mine, offsetof(struct coll_inbox, epoch), &signal,
		       NET_LOOSE);
}

static bool nodes_came(const struct coll_inbox *in, uint32_t epoch)
{
	/* Acquire: pairs with the release of the engine's signal. */
	return __atomic_load_n(&in->epoch, __ATOMIC_ACQUIRE) == epoch;
}

static int nodes_wait(struct pe *pe, const struct coll_inbox *in, uint32_t epoch)
{
	struct route_wait wait = { .drives = pe->coll_drives };
	struct net *net = route_net(pe->world);
	struct coll_clock clock = { 0 };
	int err;

	if (nodes_came(in, epoch))
		return 0;
	net_hold(net);
	while (!nodes_came(in, epoch)) {
		if (route_turn(pe->world, &wait))
			continue;
		net_rest(net);
		err = coll_patience(pe, epoch, &clock);
		if (err)
			return nodes_came(in, epoch) ? 0 : err;
		if (net_nap(net, NODES_NAP_NS))
			wait.turn = 0;
		net_hold(net);
	}
	net_rest(net);
	pe->coll_drives = route_learn(&wait);
	return 0;
}

/* Why a node cannot be told: it has gone, which all will hear of soon, or its network has. */
static int nodes_unsent(struct pe *pe, int err)
{
	uint64_t end = tgt_now_ns() + UNSENT_NS;
	char text[512];
	int doomed;

	snprintf(text, sizeof(text), "%s", err_text());
	do {
		doomed = coll_doomed(pe);
		if (doomed && doomed != MORI_SHMEM_ESTATE)
			return doomed;
		net_nap(route_net(pe->world), NODES_NAP_NS);
	} while (!doomed && tgt_now_ns() < end);
	coll_break(pe); /* the others of this node wait for this PE */
	return doomed ? err_set(err, "%s; %s", text, err_text()) : err_set(err, "%s", text);
}

int nodes_meet(struct pe *pe, uint32_t epoch, uint64_t hash)
{
	struct world *w = pe->world;
	struct coll_block *b = w->block;
	struct coll_inbox mine = { .low = hash, .high = hash };
	int err = 0;

	if (__atomic_load_n(&b->bad[epoch & 1], __ATOMIC_RELAXED) == epoch) {
		mine.low = 0;
		mine.high = UINT64_MAX;
	}
	for (int round = 0; !err && 1 << round < w->n_nodes; round++) {
		struct coll_inbox *in = &b->inbox[epoch & 1][round];

		err = nodes_send(pe, (w->my_node + (1 << round)) % w->n_nodes, round, epoch, &mine);
		err = err ? nodes_unsent(pe, err) : nodes_wait(pe, in, epoch);
		if (in->low < mine.low)
			mine.low = in->low;
		if (in->high > mine.high)
			mine.high = in->high;
	}
	if (!err) { /* that one of them has given up may be behind what it had sent */
		net_settle(route_net(w));
		if (__atomic_load_n(&b->broken, __ATOMIC_ACQUIRE))
			err = coll_doomed(pe);
	}
	if (!err && mine.low != mine.high)
		__atomic_store_n(&b->bad[epoch & 1], epoch, __ATOMIC_RELAXED);
	return err;
}

/* A word on its way. */
struct nodes_word {
	struct net_post post;
	struct world *w;
	uint64_t word;
};

static void nodes_told(struct net_post *p)
{
	struct nodes_word *n = (struct nodes_word *)((char *)p - offsetof(struct nodes_word, post));

	__atomic_sub_fetch(&n->w->tells, 1, __ATOMIC_RELAXED);
	free(n);
}

static void nodes_tell_pe(struct pe *pe, int rank, size_t off, uint64_t word, size_t len)
{
	struct nodes_word *n = calloc(1, sizeof(*n));

	if (!n) /* without memory they do not hear of it */
		return;
	n->w = pe->world;
	n->word = word;
	n->post = (struct net_post){
		.kind = NET_POST_PUT,
		.at = { .pe = rank, .region = ROUTE_MEET, .off = off },
		.local = &n->word,
		.len = len,
		.done = nodes_told,
	};
	__atomic_add_fetch(&n->w->tells, 1, __ATOMIC_RELAXED);
	net_post(route_net(n->w), &n->post);
}

/*
 * To every process of other nodes, because any of them may not answer; nobody waits here
 * for one that does not.
 */
static void nodes_tell(struct pe *pe, size_t off, uint64_t word, size_t len)
{
	const struct world *w = pe->world;
	int last = -1;

	for (int i = 0; i < w->n_pes; i++) {
		const struct boot_peer *p = boot_peer(w->boot, i);

		if (p->proc <= last) /* in the order of their lowest rank: each once */
			continue;
		last = p->proc;
		if (p->node != w->my_node && !__atomic_load_n(&w->gone[i], __ATOMIC_RELAXED))
			nodes_tell_pe(pe, i, off, word, len);
	}
}

void nodes_late(struct pe *pe, uint32_t epoch, uint64_t left)
{
	struct world *w = pe->world;
	uint64_t limit = (uint64_t)(pe->options.timeout * 1e9), word, seen = 0;
	uint64_t early = limit && limit / LATE_PART < LATE_NS ? limit / LATE_PART : LATE_NS;

	for (int i = 0; i < w->n_nodes && !seen; i++)
		seen = __atomic_load_n(&w->block->late[i], __ATOMIC_RELAXED) >> 32 == epoch;
	if (w->n_nodes == 1 || !limit || (!seen && limit - left < early))
		return;
	word = (uint64_t)epoch << 32 | (uint32_t)(coll_missing_here(pe, epoch, NULL) + 1);
	if (__atomic_exchange_n(&w->block->late[w->my_node], word, __ATOMIC_RELAXED) != word)
		nodes_tell(pe,
			   offsetof(struct coll_block, late) + (size_t)w->my_node * sizeof(word),
			   word, sizeof(word));
}

void nodes_missing(struct pe *pe, uint32_t epoch, bool *missing)
{
	const struct world *w = pe->world;

	for (int i = 0; i < w->n_pes; i++) {
		int node = boot_peer(w->boot, i)->node;
		uint64_t word = __atomic_load_n(&w->block->late[node], __ATOMIC_RELAXED);
		bool known = word >> 32 == epoch;

		if (node != w->my_node && (!known || (uint32_t)word == (uint32_t)i + 1))
			missing[i] = true;
	}
}

void nodes_break(struct pe *pe, uint32_t who)
{
	if (pe->world->n_nodes > 1)
		nodes_tell(pe, offsetof(struct coll_block, broken), who, sizeof(who));
}

void nodes_leave(struct pe *pe)
{
	struct world *w = pe->world;
	uint64_t end = tgt_now_ns() + LEAVE_NS;

	if (w->n_nodes == 1)
		return;
	nodes_tell(pe, offsetof(struct coll_block, left), (uint32_t)pe->rank + 1, sizeof(uint32_t));
	while (__atomic_load_n(&w->tells, __ATOMIC_RELAXED) && tgt_now_ns() < end)
		net_nap(route_net(w), NODES_NAP_NS);
}
