// SPDX-License-Identifier: MIT
/*
 * The bodies of the operations give a code and leave what it was about with
 * tgt_fail(); the name of the call is known only here, where both become a text.
 */
#include "core/fail.h"

#include "core/faults.h"
#include "core/pe.h"
#include "core/route.h"
#include "dev/dev.h"
#include "util/err.h"
#include "util/interrupt.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define WAIT_SPIN_MIN 50u
#define WAIT_TURNS    8	   /* at the network between two polls of memory */
#define WAIT_YIELDS   200u /* of the core, before a waiting thread sleeps */

static __thread struct fail_about about;
static __thread enum {
	TEXT_NONE,
	TEXT_PATH,
	TEXT_WHOLE
} about_text; /* what err_text() has of it */

static int about_set(int pe, int text)
{
	about = (struct fail_about){ .pe = pe < 0 ? -1 : pe };
	about_text = text;
	return 0;
}

void fail_told(int pe)
{
	about_set(pe, TEXT_PATH);
}

int fail_whole(int err)
{
	about_set(-1, TEXT_WHOLE);
	return err;
}

int tgt_fail(const struct dev_state *st, int code, int pe, uint64_t addr, uint64_t len)
{
	(void)st;
	about = (struct fail_about){ pe, addr, len };
	about_text = TEXT_NONE;
	return code;
}

uint64_t tgt_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/*
 * A plain store to a user's word wakes nobody: after polling, yield for a while, then
 * sleep, from 20 us up to 200 us at a time. What the network brings this thread may bring
 * itself while it has a core, and is woken by later.
 */
static void wait_network(struct pe *pe, struct tgt_wait *w, uint64_t nap_ns)
{
	struct route_wait wait = { .turn = w->naps, .waited = true };
	struct net *net = route_net(pe->world);
	bool more = true;

	if (!w->drives) {
		w->drives = __atomic_load_n(&pe->wait_drives, __ATOMIC_RELAXED);
		wait.drives = w->drives;
		/* More next time, unless this wait finds that it was in vain. */
		__atomic_store_n(&pe->wait_drives, route_learn(&wait), __ATOMIC_RELAXED);
	}
	wait.drives = w->drives;
	/* Several turns at once: to hold the network has its price. */
	net_hold(net);
	for (int i = 0; i < WAIT_TURNS && more; i++)
		more = route_turn(pe->world, &wait) && wait.turn;
	net_rest(net);
	w->drives = wait.drives;
	if (wait.turn >= ROUTE_YIELDS)
		wait.turn = net_nap(net, nap_ns) ? 0 : w->naps + 1;
	if (wait.yielded && w->naps <= wait.drives)
		__atomic_store_n(&pe->wait_drives, route_learn(&wait), __ATOMIC_RELAXED);
	w->naps = wait.turn ? wait.turn : 1;
}

static void wait_pause(const struct dev_state *st, struct tgt_wait *w)
{
	struct pe *pe = st->host;
	long us = w->naps < WAIT_YIELDS + 50 ? 20 : 200;

	if (pe && route_net(pe->world)) /* unit tests have a state alone */
		wait_network(pe, w, (uint64_t)us * 1000);
	else if (w->naps++ < WAIT_YIELDS)
		sched_yield();
	else
		nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
}

int tgt_wait_slow(struct tgt_wait *w, const struct dev_state *st)
{
	uint64_t now;
	uint32_t less = w->budget / 4 > WAIT_SPIN_MIN ? w->budget / 4 : WAIT_SPIN_MIN;

	/* Spun in vain: perhaps others need this core. */
	if (!w->naps && w->budget > less)
		__atomic_store_n((uint32_t *)&st->spin_now, less, __ATOMIC_RELAXED);
	if (interrupt_asked())
		world_abort(st->host, "interrupted");
	/* Acquire: pairs with the release in world_on_lost(). */
	if (__atomic_load_n(&st->lost, __ATOMIC_ACQUIRE))
		return MORI_SHMEM_EPEER;
	if (w->ns != DEV_NS_DEFAULT) {
		now = tgt_now_ns();
		if (!w->end && __builtin_add_overflow(now, w->ns, &w->end))
			w->end = UINT64_MAX;
		if (now >= w->end)
			return MORI_SHMEM_ETIMEDOUT;
	}
	wait_pause(st, w);
	return 0;
}

/* An argument was wrong: which, by looking at it again. */
static void words_invalid(const struct dev_state *st, const char *name, const struct fail_about *a,
			  char *text, size_t size)
{
	unsigned long long addr = a->addr, len = a->len;
	/* Words of waits and tests may lie anywhere: only their alignment can be wrong. */
	bool known = a->pe >= 0 && a->pe < st->n_pes;
	bool at = known && (dev_in_heap(st, a->addr - st->heap_base, a->len) ||
			    dev_window_of(st, a->addr, a->len, st->my_pe) ||
			    strstr(name, "_wait_until") || strstr(name, "_test"));

	if (a->len == UINT64_MAX)
		snprintf(text, size, "the number of elements is more bytes than memory has");
	else if (!known)
		snprintf(text, size, "there is no PE %d, only 0 to %d", a->pe, st->n_pes - 1);
	else if (!a->addr)
		snprintf(text, size, "an address is NULL");
	else if (at && a->len && a->addr % a->len && !(a->len & (a->len - 1)))
		snprintf(text, size, "address 0x%llx is not a multiple of %llu", addr, len);
	else if (at)
		snprintf(text, size,
			 "an operation code, comparison or size is not one of those the call knows "
			 "(address 0x%llx, %llu bytes, PE %d)",
			 addr, len, a->pe);
	else
		snprintf(text, size,
			 "0x%llx + %llu bytes (for PE %d) is not symmetric memory of PE %d: its "
			 "heap is 0x%llx + %llu bytes%s",
			 addr, len, a->pe, st->my_pe, (unsigned long long)st->heap_base,
			 (unsigned long long)st->heap_len,
			 st->owner ? ", and a range may not leave its block" : "");
}

static void words_lost(const struct dev_state *st, const struct fail_about *a, char *text,
		       size_t size)
{
	const struct pe *pe = st->host;
	struct err_was was;

	err_save(&was);
	if (world_lost(pe->world))
		snprintf(text, size, "%s", err_text());
	else if (a->pe < 0) /* a meeting has said who has left it */
		snprintf(text, size, "%s", was.text);
	else
		snprintf(text, size, "PE %d cannot be reached any more", a->pe);
	err_restore(&was);
}

static void words_late(const struct dev_state *st, const char *name, const struct fail_about *a,
		       char *text, size_t size)
{
	double limit = (double)st->sync_ns / 1e9;

	if (a->pe < 0)
		snprintf(text, size, "the word at 0x%llx did not come in time",
			 (unsigned long long)a->addr);
	else
		snprintf(text, size, "PE %d did not %s within %g s (MORI_SHMEM_TIMEOUT)", a->pe,
			 strstr(name, "_all") ? "come" : "answer", limit);
}

/* Load and store do not reach the PE, and the kernel has no code for what does. */
static void words_no_path(const struct dev_state *st, const struct fail_about *a, char *text,
			  size_t size)
{
	const struct pe *pe = st->host;
	bool known = a->pe >= 0 && a->pe < st->n_pes;
	const char *why = !known || pe->world->slot[a->pe] < 0 ? "it is on another node" :
			  st->slot[a->pe] < 0		       ? "MORI_DISABLE_P2P is set" :
								 "that memory cannot be mapped";

	snprintf(text, size,
		 "PE %d is reached by the network alone (%s), and the kernel was compiled without "
		 "its queues: compile it without `mori cc --near`, in Python with "
		 "get_extern_libs(near=False)",
		 a->pe, why);
}

void fail_words(const struct dev_state *st, const char *name, int err, const struct fail_about *a,
		char *text, size_t size)
{
	switch (err) {
	case MORI_SHMEM_EINVAL:
		words_invalid(st, name, a, text, size);
		break;
	case MORI_SHMEM_EPEER:
		words_lost(st, a, text, size);
		break;
	case MORI_SHMEM_ETIMEDOUT:
		words_late(st, name, a, text, size);
		break;
	case MORI_SHMEM_ENOTSUP:
		words_no_path(st, a, text, size);
		break;
	case MORI_SHMEM_EFAULT:
		snprintf(text, size,
			 "the NIC was told of no memory at 0x%llx (for PE %d), or the device could "
			 "not read or write it",
			 (unsigned long long)a->addr, a->pe);
		break;
	case MORI_SHMEM_EIO:
		snprintf(text, size, "the queue to PE %d has failed", a->pe);
		break;
	default:
		snprintf(text, size, "%s", err_name(err));
	}
}

#define OP_NAME(name, params, call)		    [DEV_OP_##name] = #name,
#define OP_NAME_VALUE(ret, bad, name, params, call) [DEV_OP_##name] = #name,
#define OP_NAME0(name, call)			    [DEV_OP_##name] = #name,
#define OP_NAME_VALUE0(ret, bad, name, call)	    [DEV_OP_##name] = #name,
static const char *const op_names[DEV_OP_COUNT] = {
	[DEV_OP_NONE] = "", MORI_DEVICE_OPS(OP_NAME, OP_NAME_VALUE, OP_NAME0, OP_NAME_VALUE0)
};

const char *fail_op(uint32_t op)
{
	return op < DEV_OP_COUNT ? op_names[op] : "";
}

/* The operation of that name, with or without a context; DEV_OP_NONE: there is none. */
static enum dev_op op_find(const char *name)
{
	enum dev_op op = DEV_OP_COUNT;

	for (op--; op > DEV_OP_NONE; op--) {
		if (!strcmp(op_names[op], name) ||
		    (!strncmp(name, "ctx_", 4) && !strcmp(op_names[op], name + 4)))
			break;
	}
	return op;
}

void fail_leave(struct pe *pe, const mori_shmem_fault_t *f)
{
	struct fail_about about_it = { .pe = f->pe, .addr = f->addr };
	struct accel_fault at = { .addr = f->addr };
	char op[sizeof(f->op) + 1];

	snprintf(op, sizeof(op), "%.*s", (int)sizeof(f->op), f->op);
	memcpy(at.block, f->block, sizeof(at.block));
	memcpy(at.thread, f->thread, sizeof(at.thread));
	faults_add(pe, op_find(op), f->code, &about_it, &at, false);
}

/*
 * The path to a PE has ended, or a PE refused something. What was under way to it may be lost,
 * so the status is sticky, whatever call was told.
 */
static int fail_path(const struct dev_state *st, const char *name, int err)
{
	struct pe *pe = st->host;
	char text[512], lost[512] = "";

	snprintf(text, sizeof(text), "%s", err_text());
	if (world_lost(pe->world))
		snprintf(lost, sizeof(lost), "%s", err_text());
	faults_add(pe, op_find(name), err, &about, NULL, true);
	return err_set(err, "mori_shmem_%s: %s%s%s", name, text, lost[0] ? "; " : "", lost);
}

int fail_status(const struct dev_state *st, const char *name, int err)
{
	char text[1024];

	if (!st) {
		snprintf(text, sizeof(text), "%s", err_text());
		return err_set(err, "mori_shmem_%s: %s", name, text);
	}
	if (about_text == TEXT_WHOLE)
		return err;
	if (about_text == TEXT_PATH)
		return fail_path(st, name, err);
	/* Without an address a meeting is late, which has said who is missing. */
	if (err != MORI_SHMEM_EINVAL && err != MORI_SHMEM_EPEER &&
	    (err != MORI_SHMEM_ETIMEDOUT || !about.addr))
		return err;
	fail_words(st, name, err, &about, text, sizeof(text));
	return err_set(err, "mori_shmem_%s: %s", name, text);
}

void fail_value(struct dev_state *st, const char *name, enum dev_op op, int err)
{
	fail_status(st, name, err);
	if (st && st->host)
		faults_add(st->host, op, err, &about, NULL, false);
}
