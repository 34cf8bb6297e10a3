// SPDX-License-Identifier: MIT
/*
 * The barrier of the PEs of a node, in shared memory: a tree of counters, five PEs or nodes per
 * cache line. Each arrival leaves the hash of its record beside the counter it adds to; the last
 * one compares them there, where the line is its own already, and goes up. The last of all
 * increments the generation, on which the others wait: they spin, yield, then sleep on it as a
 * futex.
 *
 * Records are kept for two barriers in turn: no PE can be two barriers ahead of another, so what a
 * late PE still reads is never overwritten.
 */
#include "core/coll_priv.h"

#include "boot/boot.h"
#include "core/pe.h"
#include "core/queues.h"
#include "core/remote.h"
#include "dev/dev.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/interrupt.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __has_feature
#define COLL_CLANG_TSAN __has_feature(thread_sanitizer)
#else
#define COLL_CLANG_TSAN 0
#endif

#define COLL_GRACE_NS 500000000u

int coll_open(struct pe *pe)
{
	if (pe->world->n_nodes == 1)
		return 0;
	pe->records = calloc((size_t)pe->world->n_pes, sizeof(*pe->records));
	return pe->records ?
		       0 :
		       err_set(MORI_SHMEM_ENOMEM, "out of memory for %d PEs", pe->world->n_pes);
}

void coll_close(struct pe *pe)
{
	free(pe->records);
}

static int coll_tree_size(int n)
{
	int total = 0;

	do {
		n = (n + COLL_RADIX - 1) / COLL_RADIX;
		total += n;
	} while (n > 1);
	return total;
}

size_t coll_block_size(int n, int nodes)
{
	return sizeof(struct coll_block) + nodes_late_size(nodes) +
	       (size_t)coll_tree_size(n) * sizeof(struct coll_node) +
	       2 * (size_t)n * sizeof(struct coll_record);
}

void coll_block_init(struct coll_block *b, int n, int nodes)
{
	struct coll_node *node;

	b->n = n;
	b->n_tree = coll_tree_size(n);
	b->tree_off = (uint32_t)nodes_late_size(nodes);
	node = coll_tree(b);
	do {
		int left = n;

		n = (n + COLL_RADIX - 1) / COLL_RADIX;
		for (int i = 0; i < n; i++, left -= COLL_RADIX)
			(node++)->size = (uint32_t)(left < COLL_RADIX ? left : COLL_RADIX);
	} while (n > 1);
}

static struct coll_record *coll_record(struct coll_block *b, uint32_t epoch, int slot)
{
	struct coll_record *r = (struct coll_record *)&coll_tree(b)[b->n_tree];

	return &r[(size_t)(epoch & 1) * (size_t)b->n + (size_t)slot];
}

static struct coll_gate *coll_gate(struct coll_block *b)
{
	return &coll_tree(b)[b->n_tree - 1].gate;
}

static long coll_futex(uint32_t *word, int op, uint32_t value, const struct timespec *limit)
{
	return syscall(SYS_futex, word, op, value, limit, NULL, 0);
}

void coll_block_wake(struct coll_block *b)
{
	coll_futex(&coll_gate(b)->gen, FUTEX_WAKE, INT_MAX, NULL);
	coll_futex(&b->ready.gen, FUTEX_WAKE, INT_MAX, NULL);
}

/*
 * Pairs with the acquire in coll_gate_passed(). Full, so that either we see a sleeper or the
 * sleeper sees the new generation.
 */
static void coll_gate_open(struct coll_gate *gate, uint32_t epoch)
{
	__atomic_store_n(&gate->gen, epoch, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&gate->sleepers, __ATOMIC_SEQ_CST))
		coll_futex(&gate->gen, FUTEX_WAKE, INT_MAX, NULL);
}

static uint64_t coll_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ (h >> 29);
}

static uint64_t coll_hash(const struct coll_call *c)
{
	uint64_t h = coll_mix(c->op, c->flags);

	h = coll_mix(h, c->size);
	h = coll_mix(h, c->align);
	return coll_mix(h, c->place);
}

/*
 * Counts this PE in; true if it was the last of the node. The counter's release and acquire make
 * everything before the arrival of each PE visible to all after the barrier.
 */
static bool coll_arrive(struct coll_block *b, int slot, uint32_t epoch, uint64_t hash)
{
	struct coll_node *level = coll_tree(b), *root = level + b->n_tree - 1;
	int width = (b->n + COLL_RADIX - 1) / COLL_RADIX;

	for (;;) {
		struct coll_node *node = level + slot / COLL_RADIX;

		__atomic_store_n(&node->hash[slot % COLL_RADIX], hash, __ATOMIC_RELAXED);
		if ((uint32_t)__atomic_add_fetch(&node->count, 1, __ATOMIC_ACQ_REL) !=
		    node->size * epoch)
			return false;
		for (uint32_t i = 0; i < node->size; i++) {
			if (__atomic_load_n(&node->hash[i], __ATOMIC_RELAXED) != hash)
				__atomic_store_n(&b->bad[epoch & 1], epoch, __ATOMIC_RELAXED);
		}
		if (node == root)
			return true;
		level += width;
		width = (width + COLL_RADIX - 1) / COLL_RADIX;
		slot /= COLL_RADIX;
	}
}

static bool coll_gate_passed(const struct coll_gate *gate, uint32_t epoch)
{
	return (int32_t)(__atomic_load_n(&gate->gen, __ATOMIC_ACQUIRE) - epoch) >= 0;
}

static void coll_sleep(struct coll_gate *gate, uint32_t epoch, int64_t ns)
{
	struct timespec limit = clock_timespec(ns);

	__atomic_fetch_add(&gate->sleepers, 1, __ATOMIC_SEQ_CST);
	if (!coll_gate_passed(gate, epoch))
		coll_futex(&gate->gen, FUTEX_WAIT, epoch - 1, &limit);
	__atomic_fetch_sub(&gate->sleepers, 1, __ATOMIC_RELAXED);
}

static const char *const coll_op_names[] = {
	[COLL_BARRIER] = "mori_shmem_barrier_all",
	[COLL_SYNC] = "mori_shmem_sync_all",
	[COLL_MALLOC] = "mori_shmem_malloc",
	[COLL_FREE] = "mori_shmem_free",
	[COLL_REGISTER] = "mori_shmem_symmetric_register",
	[COLL_DEREGISTER] = "mori_shmem_symmetric_deregister",
	[COLL_AGREE] = "the end of mori_shmem_symmetric_register",
	[COLL_FINALIZE] = "mori_shmem_finalize",
};

static void coll_describe(const struct coll_call *c, char *out, size_t len)
{
	const char *name = coll_op_names[c->op];

	if (c->op == COLL_MALLOC)
		snprintf(out, len, "%s(size %llu, alignment %llu, flags %u)", name,
			 (unsigned long long)c->size, (unsigned long long)c->align, c->flags);
	else if (c->op == COLL_FREE && c->place >= COLL_NULL)
		snprintf(out, len, "%s(%s)", name,
			 c->place == COLL_NULL ? "NULL" : "no block of the heap");
	else if (c->op == COLL_FREE)
		snprintf(out, len, "%s(block at offset %llu)", name, (unsigned long long)c->place);
	else if (c->op == COLL_DEREGISTER && c->place == COLL_NO_BLOCK)
		snprintf(out, len, "%s(no window, size %llu)", name, (unsigned long long)c->size);
	else if (c->op == COLL_DEREGISTER)
		snprintf(out, len, "%s(window %llu, size %llu)", name, (unsigned long long)c->place,
			 (unsigned long long)c->size);
	else if (c->op == COLL_REGISTER)
		snprintf(out, len, "%s(size %llu)", name, (unsigned long long)c->size);
	else
		snprintf(out, len, "%s", name);
}

int coll_missing_here(struct pe *pe, uint32_t epoch, bool *missing)
{
	struct world *w = pe->world;
	int first = -1;

	for (int i = w->n_node - 1; i >= 0; i--) {
		if (__atomic_load_n(&coll_record(w->block, epoch, i)->epoch, __ATOMIC_ACQUIRE) ==
		    epoch)
			continue;
		first = w->node_ranks[i];
		if (missing)
			missing[first] = true;
	}
	return first;
}

bool coll_reports(struct pe *pe, uint32_t epoch)
{
	struct coll_block *b = pe->world->block;
	int mine = pe->world->slot[pe->rank], i = 0;

	while (i < mine &&
	       __atomic_load_n(&coll_record(b, epoch, i)->epoch, __ATOMIC_ACQUIRE) != epoch)
		i++;
	return i == mine;
}

/* Ranks that have not arrived, as text: "PE 1, 4-7". PE @broke - 1 was the first to give up. */
static void coll_name_missing(struct pe *pe, uint32_t epoch, uint32_t broke, char *text, size_t len)
{
	int n = pe->world->n_pes;
	bool *missing = calloc((size_t)n, sizeof(*missing));
	size_t at = 0;

	text[0] = '\0';
	if (!missing)
		return;
	coll_missing_here(pe, epoch, missing);
	nodes_missing(pe, epoch, missing);
	if (broke)
		missing[broke - 1] = false;
	for (int i = 0; i < n && at < len; i++) {
		int from = i;

		if (!missing[i])
			continue;
		while (i + 1 < n && missing[i + 1])
			i++;
		at += (size_t)snprintf(text + at, len - at, i > from ? "%s%d-%d" : "%s%d",
				       at ? ", " : "PE ", from, i);
	}
	free(missing);
}

void coll_missing_text(struct pe *pe, uint32_t epoch, char *text, size_t size)
{
	coll_name_missing(pe, epoch, 0, text, size);
	if (!text[0])
		snprintf(text, size, "all have come");
}

void coll_break(struct pe *pe)
{
	struct coll_block *b = pe->world->block;
	uint32_t first = 0, mine = (uint32_t)pe->rank + 1;

	/* Release and acquire: pairs with other PEs that break it or check it. */
	if (__atomic_compare_exchange_n(&b->broken, &first, mine, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		first = mine;
	coll_block_wake(b);
	nodes_break(pe, first);
}

/* A PE that arrived later than the first to give up has not waited as long. */
static int coll_timed_out(struct pe *pe, uint32_t epoch)
{
	uint32_t first = __atomic_load_n(&pe->world->block->broken, __ATOMIC_ACQUIRE);
	char missing[256], when[80];

	if (first)
		snprintf(when, sizeof(when), "that timed out on PE %u", first - 1);
	else
		snprintf(when, sizeof(when), "within MORI_SHMEM_TIMEOUT=%g s", pe->options.timeout);
	coll_name_missing(pe, epoch, first, missing, sizeof(missing));
	coll_break(pe);
	return err_set(MORI_SHMEM_ETIMEDOUT,
		       "%s did not come to a collective call %s; "
		       "the job can only be finalized now",
		       missing[0] ? missing : "another PE", when);
}

/*
 * PE @first has given up a barrier because another PE was lost, and this process has not been
 * notified of that loss yet. This PE must not complete the barrier: wait for the notification.
 */
static int coll_await_loss(struct pe *pe, int first)
{
	for (int i = 0; i < 500; i++) {
		if (__atomic_load_n(&pe->state->lost, __ATOMIC_ACQUIRE))
			return world_lost(pe->world);
		clock_sleep(10000000);
	}
	return err_set(MORI_SHMEM_EPEER, "PE %d has left a collective call: a PE was lost", first);
}

int coll_failed_before(struct pe *pe)
{
	uint32_t broken = __atomic_load_n(&pe->world->block->broken, __ATOMIC_ACQUIRE);
	uint32_t left = __atomic_load_n(&pe->world->block->left, __ATOMIC_ACQUIRE);
	uint32_t given_up = __atomic_load_n(&pe->world->block->given_up, __ATOMIC_ACQUIRE);

	if (__atomic_load_n(&pe->state->lost, __ATOMIC_ACQUIRE))
		return world_lost(pe->world);
	if (broken)
		return err_set(
			MORI_SHMEM_ESTATE,
			"a collective call timed out earlier on PE %u; finalize and init again",
			broken - 1);
	if (left)
		return err_set(MORI_SHMEM_EPEER,
			       "PE %u has finalized while others go on: no collective call can "
			       "complete any more",
			       left - 1);
	return given_up ? coll_await_loss(pe, (int)given_up - 1) : 0;
}

void coll_leave(struct pe *pe)
{
	struct coll_block *b = pe->world->block;

	__atomic_store_n(&b->left, (uint32_t)pe->rank + 1, __ATOMIC_RELEASE);
	coll_block_wake(b);
	nodes_leave(pe);
}

/* The second look, after a sleep, shows the wait to others; later ones report it. */
static void coll_show(struct pe *pe, uint32_t epoch, struct waits_entry *e, int64_t now)
{
	const struct coll_call *call =
		&coll_record(pe->world->block, epoch, pe->world->slot[pe->rank])->call;

	if (!e->since) {
		e->since = now;
	} else if (e->pe) {
		(void)waits_look(e, now); /* MORI_SHMEM_TIMEOUT ends it */
	} else {
		e->kind = WAITS_COLL;
		e->ends = false;
		e->epoch = epoch;
		e->final = call->op == COLL_FINALIZE;
		coll_describe(call, e->call, sizeof(e->call));
		waits_begin(e, pe);
	}
}

int coll_check_limits(struct pe *pe, uint32_t epoch, struct coll_limits *clock)
{
	uint64_t limit = (uint64_t)(pe->options.timeout * 1e9), now = tgt_now_ns();
	int err;

	if (!clock->end)
		clock->end = now + limit;
	coll_show(pe, epoch, &clock->wait, (int64_t)now);
	if (interrupt_asked())
		world_abort(pe, "interrupted");
	err = coll_failed_before(pe);
	/* ESTATE: another PE in this barrier was the first to give up. */
	if (err == MORI_SHMEM_ESTATE || (!err && limit && now >= clock->end))
		return coll_timed_out(pe, epoch);
	/* A PE that is gone may have arrived: what it sent to other nodes is on its way. */
	if (err && pe->world->n_nodes > 1 && !clock->grace)
		clock->grace = now + COLL_GRACE_NS;
	if (err && now < clock->grace)
		return 0;
	if (err && __atomic_load_n(&pe->state->lost, __ATOMIC_ACQUIRE))
		__atomic_store_n(&pe->world->block->given_up, (uint32_t)pe->rank + 1,
				 __ATOMIC_RELEASE);
	if (!err)
		nodes_late(pe, epoch, limit ? clock->end - now : UINT64_MAX);
	return err;
}

static int coll_wait(struct pe *pe, struct coll_gate *gate, uint32_t epoch)
{
	struct backoff_learned *learned = &pe->learned[BACKOFF_BARRIER];
	struct backoff wait = backoff_start(BACKOFF_BARRIER, learned);
	struct coll_limits clock;
	int err = 0;

	coll_limits_start(&clock);
	for (uint32_t i = 0; i < BACKOFF_EAGER && !learned->crowded; i++) {
		if (coll_gate_passed(gate, epoch))
			return 0;
	}
	while (!err && !coll_gate_passed(gate, epoch)) {
		int64_t ns = backoff_pause(&wait);

		if (!ns)
			continue;
		err = coll_check_limits(pe, epoch, &clock);
		if (!err)
			coll_sleep(gate, epoch, ns);
	}
	waits_end(&clock.wait);
	return coll_gate_passed(gate, epoch) ? 0 : err;
}

static const struct coll_record *coll_record_of(const struct pe *pe, int rank)
{
	struct world *w = pe->world;

	return pe->records ? &pe->records[rank] :
			     coll_record(w->block, pe->coll_epoch, w->slot[rank]);
}

/* Lists who called what, in groups of equal neighbours. */
static int coll_mismatch(struct pe *pe)
{
	int n = pe->world->n_pes;
	char text[768], what[160];
	size_t at = 0;

	for (int from = 0; from < n && at < sizeof(text) - 200;) {
		const struct coll_record *r = coll_record_of(pe, from);
		uint64_t hash = coll_hash(&r->call);
		int to = from;

		while (to + 1 < n && coll_hash(&coll_record_of(pe, to + 1)->call) == hash)
			to++;
		coll_describe(&r->call, what, sizeof(what));
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%sPE %d", at ? "; " : "",
				       from);
		if (to > from)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "-%d", to);
		at += (size_t)snprintf(text + at, sizeof(text) - at, ": %s", what);
		from = to + 1;
	}
	return err_set(MORI_SHMEM_EMISMATCH, "the PEs do not make the same collective call: %s",
		       text);
}

/* A world of several nodes: the records of all PEs, through boot. */
static int coll_gather(struct pe *pe, const struct coll_record *mine)
{
	int err = boot_allgather(pe->boot, pe->rank, mine, sizeof(*mine), pe->records,
				 pe_timeout_s(pe));

	if (err && interrupt_was_asked())
		world_abort(pe, "interrupted");
	return err;
}

/*
 * TSan sees only its own process: where the last PE to arrive is in another, it cannot know that
 * the barrier orders the threads of this one.
 */
static void coll_order_tsan(void)
{
#if defined(__SANITIZE_THREAD__) || COLL_CLANG_TSAN
	static uint32_t met;

	__atomic_fetch_add(&met, 1, __ATOMIC_ACQ_REL);
#endif
}

/*
 * This PE is counted in, as the @last of its node or not. The first PE of each node then enters the
 * barrier of nodes on behalf of all; the other PEs wait for it.
 */
static int coll_join(struct pe *pe, uint32_t epoch, uint64_t hash, bool last)
{
	struct world *w = pe->world;
	struct coll_block *b = w->block;
	bool leads = w->n_nodes > 1 ? pe->rank == w->node_ranks[0] : last;
	int err = 0;

	if (w->n_nodes > 1 && last && !leads)
		coll_gate_open(&b->ready, epoch);
	if (!leads)
		return coll_wait(pe, coll_gate(b), epoch);
	if (w->n_nodes > 1 && !last)
		err = coll_wait(pe, &b->ready, epoch);
	if (!err && w->n_nodes > 1)
		err = nodes_barrier(pe, epoch, hash);
	if (!err)
		coll_gate_open(coll_gate(b), epoch);
	return err;
}

static int coll_barrier_node(struct pe *pe, const struct coll_call *call, const uint64_t *data)
{
	int slot = pe->world->slot[pe->rank];
	uint32_t epoch = pe->coll_epoch;
	uint64_t hash = coll_hash(call);
	struct coll_block *b = pe->world->block;
	struct coll_record *r = coll_record(b, epoch, slot);
	bool bad;
	int err = coll_failed_before(pe);

	if (err)
		return err;
	r->call = *call;
	for (int i = 0; data && i < COLL_DATA; i++)
		r->data[i] = data[i];
	/* Release: pairs with the acquire of coll_missing_here(); the counter covers the rest. */
	__atomic_store_n(&r->epoch, epoch, __ATOMIC_RELEASE);
	coll_order_tsan();
	err = coll_join(pe, epoch, hash, coll_arrive(b, slot, epoch, hash));
	coll_order_tsan();
	if (err)
		return err;
	bad = __atomic_load_n(&b->bad[epoch & 1], __ATOMIC_RELAXED) == epoch;
	if (pe->records && (bad || data)) /* all PEs do that, or none */
		err = coll_gather(pe, r);
	if (err || !bad)
		return err;
	err = world_lost(pe->world); /* who knew of it first may have gone to finalize */
	return err ? err : coll_mismatch(pe);
}

/* What this process has in flight completes before other PEs see its arrival. */
static int coll_quiet(struct pe *pe, const struct coll_call *call)
{
	bool orders = call->op != COLL_SYNC && call->op != COLL_AGREE;
	struct net *net = orders ? remote_net(pe->world) : NULL;
	struct remote_wait wait;
	int err, posted;

	if (!net)
		return 0;
	remote_wait_begin(&wait, pe, coll_op_names[call->op], 0, NULL);
	err = net_quiet(net, NET_ALL);
	remote_wait_end(&wait);
	posted = queue_quiet(pe, -1);
	if (!err)
		err = posted;
	return err == MORI_SHMEM_EINVAL ? MORI_SHMEM_EFAULT :
					  err; /* not about this call's arguments */
}

/* A PE whose network failed enters the barrier nevertheless: the others would wait for it. */
int coll_barrier(struct pe *pe, const struct coll_call *call, const uint64_t *data)
{
	int quiet, err = coll_failed_before(pe);
	char text[512];

	pe->coll_epoch++;
	if (err)
		return err;
	quiet = coll_quiet(pe, call);
	if (quiet)
		snprintf(text, sizeof(text), "%s", err_text());
	err = coll_barrier_node(pe, call, data);
	if (!quiet || (err && err != MORI_SHMEM_ESTATE))
		return err;
	err = world_await_loss(pe);
	if (err)
		return err;
	return err_set(quiet, "%s",
		       text); /* rather than that others, which do not know of it, gave up */
}

const uint64_t *coll_data(const struct pe *pe, int rank)
{
	return coll_record_of(pe, rank)->data;
}

int coll_agree(struct pe *pe, int status, const char *what)
{
	uint64_t data[COLL_DATA] = { (uint64_t)(int64_t)status };
	int err = coll_barrier(pe, &(struct coll_call){ .op = COLL_AGREE }, data);

	for (int i = 0; !err && i < pe->world->n_pes; i++) {
		int theirs = (int)(int64_t)coll_data(pe, i)[0];

		if (theirs && i == pe->rank)
			err = theirs; /* this PE has the text */
		else if (theirs)
			err = err_set(theirs, "%s failed on PE %d: %s", what, i, err_name(theirs));
	}
	return err;
}
