// SPDX-License-Identifier: MIT
/*
 * The bodies of operations return a code and record its subject by tgt_fail(); the name of the call
 * is known only here, where both become a text. The subject is kept per thread because the bodies,
 * which kernels share, have no place for it.
 */
#include "core/fail.h"

#include "core/device_mem.h"
#include "core/faults.h"
#include "core/pe.h"
#include "core/remote.h"
#include "core/waits.h"
#include "dev/member.h"
#include "ops/shmem_list.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/interrupt.h"

#include <stdio.h>
#include <string.h>

#define WAIT_POLLS 8   /* of the network between two of memory */
#define WAIT_CHECK 64u /* polls of memory between two checks whether the wait is over */

static __thread struct fail_subject last_fault;
static __thread enum {
	TEXT_NONE,
	TEXT_PATH,
	TEXT_WHOLE
} has_text; /* how much of it err_text() has */

/* This thread's wait for a word: what others see of it, and how the last one ended. */
static __thread struct waits_entry wait_shown;
static __thread struct {
	const char *name; /* NULL: no wait resumes */
	int64_t since;
	uint64_t end;
} wait_resumed;
static __thread struct {
	struct wait_word word;
	double limit_s;
	char why[512]; /* it was found that nobody can end it */
} wait_late;

static int fail_set(int pe, int text)
{
	last_fault = (struct fail_subject){ .pe = pe < 0 ? -1 : pe };
	has_text = text;
	return 0;
}

void fail_has_text(int pe)
{
	fail_set(pe, TEXT_PATH);
}

int fail_has_full_text(int err)
{
	fail_set(-1, TEXT_WHOLE);
	return err;
}

int tgt_fail(const struct dev_state *st, int code, int pe, uint64_t addr, uint64_t len)
{
	(void)st;
	last_fault = (struct fail_subject){ pe, addr, len };
	has_text = TEXT_NONE;
	return code;
}

uint64_t tgt_now_ns(void)
{
	return (uint64_t)clock_now();
}

/*
 * A plain store to a user's word wakes nobody. While the waiting thread has a core it makes the
 * network's progress itself; later the network wakes it. Returns for how long to sleep.
 */
static int64_t fail_wait_pause(struct net *net, struct backoff *wait)
{
	int64_t ns;
	int polls = 0;

	if (!net)
		return backoff_pause(wait);
	net_poll_begin(net); /* entering is expensive enough to poll several times */
	do
		ns = remote_poll(net, wait);
	while (!ns && wait->since && ++polls < WAIT_POLLS); /* not since 0: something came */
	net_poll_end(net);
	return ns;
}

/* This thread's wait ends in vain; fail_status() makes the text. */
static int fail_wait_over(const struct tgt_wait *w, int err, bool told)
{
	wait_late.word = (struct wait_word){ w->addr, w->kind, w->cmp, w->value };
	wait_late.limit_s = (double)w->ns / 1e9;
	snprintf(wait_late.why, sizeof(wait_late.why), "%s", told ? err_text() : "");
	return err;
}

/* Before each sleep of a wait for a user's word: from the second on others may see it. */
static int fail_wait_show(struct tgt_wait *w, struct pe *pe)
{
	struct waits_entry *e = &wait_shown;
	int64_t now = clock_now();

	if (!w->since && wait_resumed.name && wait_resumed.since) {
		w->since = wait_resumed.since;
		w->end = wait_resumed.end;
	} else if (!w->since) {
		w->since = now;
	}
	if (w->listed)
		return waits_look(e, now);
	if (now - w->since < WAITS_SOON_NS || e->pe) /* a callback may wait within */
		return 0;
	if (!wait_resumed.name) {
		wait_resumed.since = w->since;
		wait_resumed.end = w->end;
		return FAIL_AGAIN;
	}
	e->kind = WAITS_WORD;
	e->since = w->since;
	e->ends = w->ns != DEV_NS_DEFAULT;
	e->word = (struct wait_word){ w->addr, w->kind, w->cmp, w->value };
	snprintf(e->call, sizeof(e->call), "mori_shmem_%s", wait_resumed.name);
	waits_begin(e, pe);
	w->listed = true;
	return 0;
}

void fail_resume(const char *name)
{
	wait_resumed.name = name;
}

void fail_resume_first(const char *name)
{
	wait_resumed.name = name;
	wait_resumed.since = 0;
}

void tgt_wait_unlist(void)
{
	waits_end(&wait_shown);
}

int tgt_wait_slow(struct tgt_wait *w, const struct dev_state *st)
{
	struct pe *pe = st->host; /* NULL in unit tests */
	struct net *net = pe ? remote_net(pe->world) : NULL;
	int64_t ns;
	int err;

	if (!w->backoff.since || w->backoff.yields || !(w->polls % WAIT_CHECK)) {
		if (interrupt_asked())
			world_abort(pe, "interrupted");
		/* Acquire: pairs with the release in world_on_lost(). */
		if (__atomic_load_n(&st->lost, __ATOMIC_ACQUIRE))
			return fail_wait_over(w, MORI_SHMEM_EPEER, false);
		if (pe && tgt_load_relaxed_32(&st->life) != DEV_LIFE_OPEN)
			return fail_wait_over(w, MORI_SHMEM_ESTATE, false);
		if (w->ns != DEV_NS_DEFAULT && tgt_wait_over(tgt_now_ns(), w->ns, &w->end))
			return fail_wait_over(w, MORI_SHMEM_ETIMEDOUT, false);
	}
	w->backoff.learned = pe ? &pe->learned[BACKOFF_WORD] : NULL;
	ns = fail_wait_pause(net, &w->backoff);
	err = ns && pe && w->kind >= 0 ? fail_wait_show(w, pe) : 0;
	if (err == FAIL_AGAIN)
		return err;
	if (err)
		return fail_wait_over(w, err, true);
	if (ns && net && net_wait_event(net, (uint64_t)ns))
		backoff_reset(&w->backoff);
	else if (ns && !net)
		clock_sleep(ns);
	return 0;
}

/* Which argument was wrong, found by checking them again. */
static void fail_text_invalid(const struct dev_state *st, const char *name,
			      const struct fail_subject *a, char *text, size_t size)
{
	unsigned long long addr = a->addr, len = a->len;
	/* Words of waits and tests may lie anywhere: only their alignment can be wrong. */
	bool known = a->pe >= 0 && a->pe < st->n_pes;
	bool at = known && (dev_in_heap(st, a->addr - st->heap_base, a->len) ||
			    dev_window_of(st, a->addr, a->len, st->my_pe) ||
			    strstr(name, "_wait_until") || strstr(name, "_test"));

	if (a->pe == DEV_FAIL_TEAM)
		snprintf(text, size, "PE %d is in no team %d", st->my_pe, (int)a->addr);
	else if (a->pe == DEV_FAIL_ROOT)
		snprintf(text, size, "the root is PE %d of the team, which has PEs 0 to %d",
			 (int)a->addr, (int)a->len - 1);
	else if (a->pe == DEV_FAIL_TYPE)
		snprintf(text, size,
			 "no elements of type %d, or none for operation %d: see "
			 "<mori/shmem_types.h>; AND, OR and XOR are for integers",
			 (int)a->addr, (int)a->len);
	else if (a->len == UINT64_MAX)
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
			 st->granules ? ", and a range may not leave its block" : "");
}

static void fail_text_lost(const struct dev_state *st, const struct fail_subject *a, char *text,
			   size_t size)
{
	const struct pe *pe = st->host;
	struct err_was was;

	err_save(&was);
	if (world_lost(pe->world))
		snprintf(text, size, "%s", err_text());
	else if (a->pe < 0) /* the barrier's text names the PE */
		snprintf(text, size, "%s", was.text);
	else
		snprintf(text, size, "PE %d cannot be reached any more", a->pe);
	err_restore(&was);
}

/* Whether all PEs of a job or a team make the call. */
static bool fail_collective(const char *name)
{
	static const char *const parts[] = { "_all_",	"team_",    "barrier_", "broadcast",
					     "collect", "alltoall", "reduce" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strstr(name, parts[i]))
			return true;
	}
	return false;
}

static void fail_text_timeout(const struct dev_state *st, const char *name,
			      const struct fail_subject *a, char *text, size_t size)
{
	double limit = (double)st->sync_ns / 1e9;

	if (a->pe < 0)
		snprintf(text, size, "timed out waiting for the word at 0x%llx",
			 (unsigned long long)a->addr);
	else
		snprintf(text, size, "PE %d did not %s within %g s (MORI_SHMEM_TIMEOUT)", a->pe,
			 fail_collective(name) ? "come" : "answer", limit);
}

/* Of a host's wait, about which more is known than of a kernel's. */
static void fail_text_late(const struct dev_state *st, const char *name,
			   const struct fail_subject *a, char *text, size_t size)
{
	struct wait_word w = wait_late.word;
	bool unread;
	uint64_t seen;
	char word[200];

	if (wait_late.why[0]) {
		snprintf(text, size, "%s", wait_late.why);
		wait_late.why[0] = '\0';
		return;
	}
	w.addr = (const void *)(uintptr_t)a->addr; /* of several, the one that is missing */
	device_mem_begin(st);
	seen = dev_load(w.addr, (enum dev_kind)w.kind);
	unread = device_mem_end();
	wait_text(st, &w, unread ? NULL : &seen, word, sizeof(word));
	snprintf(text, size, "waited in vain for %g s%s: %s", wait_late.limit_s,
		 strstr(name, "_for") ? "" : " (MORI_SHMEM_WAIT_TIMEOUT)", word);
}

/* Load and store do not reach the PE, and the kernel has no code for queues. */
static void fail_text_no_path(const struct dev_state *st, const struct fail_subject *a, char *text,
			      size_t size)
{
	const struct pe *pe = st->host;
	bool known = a->pe >= 0 && a->pe < st->n_pes;
	const char *why = !known || pe->world->slot[a->pe] < 0 ? "it is on another node" :
			  st->slot[a->pe] < 0		       ? "MORI_DISABLE_P2P is set" :
								 "that memory cannot be mapped";

	snprintf(text, size,
		 "PE %d is reached by the network alone (%s), and the kernel was compiled without "
		 "its queues: compile it without `mori cc --p2p`, in Python with "
		 "get_extern_libs(p2p=False)",
		 a->pe, why);
}

void fail_text(const struct dev_state *st, const char *name, int err, const struct fail_subject *a,
	       char *text, size_t size)
{
	switch (err) {
	case MORI_SHMEM_EINVAL:
		fail_text_invalid(st, name, a, text, size);
		break;
	case MORI_SHMEM_EPEER:
		fail_text_lost(st, a, text, size);
		break;
	case MORI_SHMEM_ETIMEDOUT:
		fail_text_timeout(st, name, a, text, size);
		break;
	case MORI_SHMEM_ESTATE:
		snprintf(text, size, "another thread has finalized PE %d", st->my_pe);
		break;
	case MORI_SHMEM_ENOTSUP:
		fail_text_no_path(st, a, text, size);
		break;
	case MORI_SHMEM_EFAULT:
		snprintf(text, size,
			 "no memory at 0x%llx is registered with the NIC (for PE %d), or the "
			 "device could "
			 "not read or write it",
			 (unsigned long long)a->addr, a->pe);
		break;
	case MORI_SHMEM_EIO:
		snprintf(text, size, "the queue to PE %d has failed", a->pe);
		break;
	case MORI_SHMEM_EMISMATCH:
		snprintf(text, size,
			 "PE %d made another call of the team, or this one with another type, "
			 "number of elements, operation or root, or was refused there",
			 a->pe);
		break;
	case MORI_SHMEM_EREACH:
		snprintf(text, size, "load and store do not reach 0x%llx at PE %d",
			 (unsigned long long)a->addr, a->pe);
		break;
	default:
		snprintf(text, size, "%s", err_name(err));
	}
}

#define OP_NAME(name, params, call)		    [DEV_OP_##name] = #name,
#define OP_NAME_VALUE(ret, bad, name, params, call) [DEV_OP_##name] = #name,
#define OP_NAME0(name, call)			    [DEV_OP_##name] = #name,
#define OP_NAME_VALUE0(ret, bad, name, call)	    [DEV_OP_##name] = #name,
static const char *const fail_op_names[DEV_OP_COUNT] = {
	[DEV_OP_NONE] = "", MORI_DEVICE_OPS(OP_NAME, OP_NAME_VALUE, OP_NAME0, OP_NAME_VALUE0)
};

const char *fail_op(uint32_t op)
{
	return op < DEV_OP_COUNT && fail_op_names[op] ? fail_op_names[op] : "";
}

/* The operation of that name, with or without a context; DEV_OP_NONE: there is none. */
static enum dev_op fail_find_op(const char *name)
{
	enum dev_op op = DEV_OP_COUNT;

	for (op--; op > DEV_OP_NONE; op--) {
		const char *known = fail_op(op);

		if (!strcmp(known, name) || (!strncmp(name, "ctx_", 4) && !strcmp(known, name + 4)))
			break;
	}
	return op;
}

void fail_record(struct pe *pe, const mori_shmem_fault_t *f)
{
	struct fail_subject subject = { .pe = f->pe, .addr = f->addr };
	struct accel_fault at = { .addr = f->addr };
	char op[sizeof(f->op) + 1];

	snprintf(op, sizeof(op), "%.*s", (int)sizeof(f->op), f->op);
	memcpy(at.block, f->block, sizeof(at.block));
	memcpy(at.thread, f->thread, sizeof(at.thread));
	faults_add(pe, fail_find_op(op), f->code, &subject, &at, false);
}

/* Whether the network may have failed because a PE is gone. */
static bool fail_by_loss(int err)
{
	return err == MORI_SHMEM_EPEER || err == MORI_SHMEM_EREACH || err == MORI_SHMEM_EIO;
}

/*
 * The path to a PE has failed, or a PE refused a request. What was in flight may be lost, so the
 * status is sticky, whichever call returned it.
 */
static int fail_path(const struct dev_state *st, const char *name, int err)
{
	struct pe *pe = st->host;
	char text[512], lost[512] = "";

	snprintf(text, sizeof(text), "%s", err_text());
	if (fail_by_loss(err) ? world_await_loss(pe) : world_lost(pe->world))
		snprintf(lost, sizeof(lost), "%s", err_text());
	if (lost[0] && fail_by_loss(err))
		err = MORI_SHMEM_EPEER;
	faults_add(pe, fail_find_op(name), err, &last_fault, NULL, true);
	return err_set(err, "mori_shmem_%s: %s%s%s", name, text, lost[0] ? "; " : "", lost);
}

int fail_status(const struct dev_state *st, const char *name, int err)
{
	char text[1024];

	if (!st)
		return err_set(err, "mori_shmem_%s: %s", name, err_text());
	if (has_text == TEXT_WHOLE)
		return err;
	if (has_text == TEXT_PATH)
		return fail_path(st, name, err);
	/* Without an address these are a barrier's, whose text says more. */
	if (err != MORI_SHMEM_EINVAL && err != MORI_SHMEM_EPEER &&
	    (err != MORI_SHMEM_EMISMATCH || last_fault.pe < 0) &&
	    ((err != MORI_SHMEM_ETIMEDOUT && err != MORI_SHMEM_ESTATE) || !last_fault.addr))
		return err;
	if (last_fault.pe < 0 && last_fault.addr && wait_late.word.kind >= 0 &&
	    (err == MORI_SHMEM_ETIMEDOUT || (err == MORI_SHMEM_EPEER && wait_late.why[0])))
		fail_text_late(st, name, &last_fault, text, sizeof(text));
	else
		fail_text(st, name, err, &last_fault, text, sizeof(text));
	return err_set(err, "mori_shmem_%s: %s", name, text);
}

void fail_value(struct dev_state *st, const char *name, enum dev_op op, int err)
{
	err = fail_status(st, name, err);
	if (st && st->host)
		faults_add(st->host, op, err, &last_fault, NULL, false);
}
