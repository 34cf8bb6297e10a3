// SPDX-License-Identifier: MIT
/*
 * The barrier of nodes over the network; the first PE of each node acts for it. In round k it
 * notifies the node 2^k further on and waits for the node 2^k before; after log2(n) rounds every
 * node has been notified, directly or not, by every other. Notifications carry the least and the
 * largest hash of a record, which are equal if all records are.
 *
 * When a barrier takes long, every node reports to all others which of its PEs are missing, so that
 * each can name them.
 */
#include "core/coll_priv.h"

#include "boot/boot.h"
#include "core/pe.h"
#include "core/remote.h"
#include "util/clock.h"
#include "util/err.h"

#include <stdio.h>
#include <stdlib.h>

#define UNSENT_NS 1000000000u /* within which a loss, or that a PE has left, must be known */
#define LEAVE_NS  2000000000u /* for the notification of other nodes that this PE leaves */
#define LOOK_NS	  20000000u   /* between two checks of either, unless the network wakes */
#define LATE_NS	  1000000000u /* after that time a barrier takes long, */
#define LATE_PART 4u	      /* or after this part of its time-out */

size_t nodes_late_size(int nodes)
{
	return ((size_t)nodes * sizeof(uint64_t) + 63) & ~(size_t)63;
}

static int nodes_send(struct pe *pe, int node, int round, uint32_t epoch,
		      const struct coll_inbox *mine)
{
	size_t at = offsetof(struct coll_block, inbox) +
		    ((epoch & 1) * COLL_ROUNDS + (size_t)round) * sizeof(struct coll_inbox);
	struct net_at to = { .pe = pe->world->leaders[node], .region = REGION_COLL, .off = at };
	struct net_signal signal = {
		.region = REGION_COLL,
		.off = at + offsetof(struct coll_inbox, epoch),
		.value = epoch,
		.op = MORI_SHMEM_SIGNAL_SET,
	};

	return net_put(remote_net(pe->world), &to, mine, offsetof(struct coll_inbox, epoch),
		       &signal, NET_LOOSE);
}

static bool nodes_arrived(const struct coll_inbox *in, uint32_t epoch)
{
	/* Acquire: pairs with the release of the engine's signal. */
	return __atomic_load_n(&in->epoch, __ATOMIC_ACQUIRE) == epoch;
}

static int nodes_wait(struct pe *pe, const struct coll_inbox *in, uint32_t epoch)
{
	struct backoff wait = backoff_start(BACKOFF_NET, &pe->learned[BACKOFF_NET]);
	struct net *net = remote_net(pe->world);
	struct coll_limits clock;
	int64_t ns;
	int err = 0;

	if (nodes_arrived(in, epoch))
		return 0;
	coll_limits_start(&clock);
	net_poll_begin(net);
	while (!err && !nodes_arrived(in, epoch)) {
		ns = remote_poll(net, &wait);
		if (!ns)
			continue;
		net_poll_end(net);
		err = coll_check_limits(pe, epoch, &clock);
		if (!err && net_wait_event(net, (uint64_t)ns))
			backoff_reset(&wait);
		net_poll_begin(net);
	}
	net_poll_end(net);
	waits_end(&clock.wait);
	return nodes_arrived(in, epoch) ? 0 : err;
}

/* Why a node cannot be notified: it is gone, which all PEs will learn soon, or its network is. */
static int nodes_send_failed(struct pe *pe, int err)
{
	int64_t end = clock_after(clock_now(), UNSENT_NS);
	char text[512];
	int doomed;

	snprintf(text, sizeof(text), "%s", err_text());
	do {
		doomed = coll_failed_before(pe);
		if (doomed && doomed != MORI_SHMEM_ESTATE)
			return doomed;
		net_wait_event(remote_net(pe->world), LOOK_NS);
	} while (!doomed && clock_now() < end);
	coll_break(pe); /* the others of this node wait for this PE */
	return doomed ? err_set(err, "%s; %s", text, err_text()) : err_set(err, "%s", text);
}

int nodes_barrier(struct pe *pe, uint32_t epoch, uint64_t hash)
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
		err = err ? nodes_send_failed(pe, err) : nodes_wait(pe, in, epoch);
		if (in->low < mine.low)
			mine.low = in->low;
		if (in->high > mine.high)
			mine.high = in->high;
	}
	if (!err) { /* that one of them has given up may be behind what it had sent */
		net_drain(remote_net(w));
		if (__atomic_load_n(&b->broken, __ATOMIC_ACQUIRE))
			err = coll_failed_before(pe);
	}
	if (!err && mine.low != mine.high)
		__atomic_store_n(&b->bad[epoch & 1], epoch, __ATOMIC_RELAXED);
	return err;
}

/* A word on its way to another node. */
struct nodes_notice {
	struct net_req post;
	struct world *w;
	uint64_t word;
};

static void nodes_notified(struct net_req *p)
{
	struct nodes_notice *n =
		(struct nodes_notice *)((char *)p - offsetof(struct nodes_notice, post));

	__atomic_sub_fetch(&n->w->notices, 1, __ATOMIC_RELAXED);
	free(n);
}

static void nodes_notify_pe(struct pe *pe, int rank, size_t off, uint64_t word, size_t len)
{
	struct nodes_notice *n = calloc(1, sizeof(*n));

	if (!n) /* without memory they are not notified */
		return;
	n->w = pe->world;
	n->word = word;
	n->post = (struct net_req){
		.kind = NET_REQ_PUT,
		.at = { .pe = rank, .region = REGION_COLL, .off = off },
		.local = &n->word,
		.len = len,
		.done = nodes_notified,
	};
	__atomic_add_fetch(&n->w->notices, 1, __ATOMIC_RELAXED);
	net_submit(remote_net(n->w), &n->post);
}

/*
 * To every process of other nodes, because any of them may not answer; this PE waits for none of
 * them.
 */
static void nodes_notify(struct pe *pe, size_t off, uint64_t word, size_t len)
{
	const struct world *w = pe->world;
	int last = -1;

	for (int i = 0; i < w->n_pes; i++) {
		const struct boot_peer *p = boot_peer(w->boot, i);

		if (p->proc <= last) /* in the order of their lowest rank: each once */
			continue;
		last = p->proc;
		if (p->node != w->my_node && !__atomic_load_n(&w->gone[i], __ATOMIC_RELAXED))
			nodes_notify_pe(pe, i, off, word, len);
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
		nodes_notify(pe,
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
		nodes_notify(pe, offsetof(struct coll_block, broken), who, sizeof(who));
}

void nodes_leave(struct pe *pe)
{
	struct world *w = pe->world;
	int64_t end = clock_after(clock_now(), LEAVE_NS);

	if (w->n_nodes == 1)
		return;
	nodes_notify(pe, offsetof(struct coll_block, left), (uint32_t)pe->rank + 1,
		     sizeof(uint32_t));
	while (__atomic_load_n(&w->notices, __ATOMIC_RELAXED) && clock_now() < end)
		net_wait_event(remote_net(w), LOOK_NS);
}
