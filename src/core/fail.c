// SPDX-License-Identifier: MIT
/*
 * The bodies of the operations give a code and leave what it was about with
 * tgt_fail(); the name of the call is known only here, where both become a text.
 */
#include "core/fail.h"

#include "core/pe.h"
#include "core/route.h"
#include "dev/dev.h"
#include "util/err.h"
#include "util/interrupt.h"
#include "util/log.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define WAIT_SPIN_MIN 50u
#define WAIT_TURNS    8	   /* at the network between two polls of memory */
#define WAIT_YIELDS   200u /* of the core, before a waiting thread sleeps */

static __thread struct {
	int pe;
	uint64_t addr, len;
	bool told; /* the text is there, and names the PE */
} about;

void fail_told(int pe)
{
	about.pe = pe < 0 ? -1 : pe;
	about.addr = about.len = 0;
	about.told = true;
}

int tgt_fail(const struct dev_state *st, int code, int pe, uint64_t addr, uint64_t len)
{
	(void)st;
	about.pe = pe;
	about.addr = addr;
	about.len = len;
	about.told = false;
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
static int fail_invalid(const struct dev_state *st, const char *name)
{
	const struct pe *pe = st->host;
	bool at;

	if (about.len == UINT64_MAX)
		return err_set(
			MORI_SHMEM_EINVAL,
			"mori_shmem_%s: the number of elements is more bytes than memory has",
			name);
	if (about.pe < 0 || about.pe >= st->n_pes)
		return err_set(MORI_SHMEM_EINVAL, "mori_shmem_%s: there is no PE %d, only 0 to %d",
			       name, about.pe, st->n_pes - 1);
	if (!about.addr)
		return err_set(MORI_SHMEM_EINVAL, "mori_shmem_%s: an address is NULL", name);
	/* Words of waits and tests may lie anywhere: only their alignment can be wrong. */
	at = dev_in_heap(st, about.addr - st->heap_base, about.len) ||
	     dev_window_of(st, about.addr, about.len, st->my_pe) || strstr(name, "_wait_until") ||
	     strstr(name, "_test");
	if (at && about.len && about.addr % about.len && !(about.len & (about.len - 1)))
		return err_set(MORI_SHMEM_EINVAL,
			       "mori_shmem_%s: address 0x%llx is not a multiple of %llu", name,
			       (unsigned long long)about.addr, (unsigned long long)about.len);
	if (at)
		return err_set(MORI_SHMEM_EINVAL,
			       "mori_shmem_%s: an operation code, comparison or size is not one of "
			       "those the call knows (address 0x%llx, %llu bytes, PE %d)",
			       name, (unsigned long long)about.addr, (unsigned long long)about.len,
			       about.pe);
	return err_set(
		MORI_SHMEM_EINVAL,
		"mori_shmem_%s: 0x%llx + %llu bytes (for PE %d) is not symmetric memory of PE "
		"%d: its heap is 0x%llx + %llu bytes%s",
		name, (unsigned long long)about.addr, (unsigned long long)about.len, about.pe,
		pe->rank, (unsigned long long)st->heap_base, (unsigned long long)st->heap_len,
		st->owner ? ", and a range may not leave its block" : "");
}

static int fail_lost(const struct dev_state *st, const char *name)
{
	const struct pe *pe = st->host;
	char text[512];

	world_lost(pe->world);
	snprintf(text, sizeof(text), "%s", err_text());
	return err_set(MORI_SHMEM_EPEER, "mori_shmem_%s: %s", name, text);
}

#define OP_NAME(name, params, call)		    [DEV_OP_##name] = #name,
#define OP_NAME_VALUE(ret, bad, name, params, call) [DEV_OP_##name] = #name,
#define OP_NAME0(name, call)			    [DEV_OP_##name] = #name,
#define OP_NAME_VALUE0(ret, bad, name, call)	    [DEV_OP_##name] = #name,
static const char *const op_names[DEV_OP_COUNT] = {
	[DEV_OP_NONE] = "", MORI_DEVICE_OPS(OP_NAME, OP_NAME_VALUE, OP_NAME0, OP_NAME_VALUE0)
};

static void fail_stick(struct dev_state *st, enum dev_op op, int err)
{
	int32_t none = 0;

	if (!__atomic_compare_exchange_n(&st->fault.code, &none, err, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		return;
	st->fault.pe = about.pe;
	st->fault.addr = about.addr;
	st->fault.op = op;
	for (int i = 0; i < 3; i++)
		st->fault.block[i] = st->fault.thread[i] = -1;
	if (st->host)
		mirror_stick(st->host);
}

int fail_code(const struct dev_state *st)
{
	int code = __atomic_load_n(&st->fault.code, __ATOMIC_ACQUIRE);

	return code || !st->host ? code : mirror_code(st->host);
}

/*
 * The path to a PE has ended, or a PE refused something. What was under way to it may be lost,
 * so the status is sticky, whatever call was told.
 */
static int fail_path(const struct dev_state *st, const char *name, int err)
{
	const struct pe *pe = st->host;
	enum dev_op op = DEV_OP_COUNT;
	char text[512], lost[512] = "";

	snprintf(text, sizeof(text), "%s", err_text());
	if (world_lost(pe->world))
		snprintf(lost, sizeof(lost), "%s", err_text());
	for (op--; op > DEV_OP_NONE; op--) {
		if (!strcmp(op_names[op], name) ||
		    (!strncmp(name, "ctx_", 4) && !strcmp(op_names[op], name + 4)))
			break;
	}
	fail_stick((struct dev_state *)st, op, err);
	return err_set(err, "mori_shmem_%s: %s%s%s", name, text, lost[0] ? "; " : "", lost);
}

int fail_status(const struct dev_state *st, const char *name, int err)
{
	char text[512];

	if (!st) {
		snprintf(text, sizeof(text), "%s", err_text());
		return err_set(err, "mori_shmem_%s: %s", name, text);
	}
	if (about.told)
		return fail_path(st, name, err);
	switch (err) {
	case MORI_SHMEM_EINVAL:
		return fail_invalid(st, name);
	case MORI_SHMEM_EPEER:
		return fail_lost(st, name);
	case MORI_SHMEM_ETIMEDOUT:
		if (!about.addr) /* a meeting, which has said who is missing */
			return err;
		return err_set(err, "mori_shmem_%s: the word at 0x%llx did not come in time", name,
			       (unsigned long long)about.addr);
	default:
		return err;
	}
}

void fail_value(struct dev_state *st, const char *name, enum dev_op op, int err)
{
	fail_status(st, name, err);
	if (st)
		fail_stick(st, op, err);
}

/* As it is now; a kernel in another thread may be writing it. */
static struct dev_fault fail_read(const struct dev_state *st)
{
	const struct dev_fault *f = &st->fault;
	struct dev_fault out = { .code = __atomic_load_n(&f->code, __ATOMIC_ACQUIRE) };

	out.pe = __atomic_load_n(&f->pe, __ATOMIC_RELAXED);
	out.addr = __atomic_load_n(&f->addr, __ATOMIC_RELAXED);
	out.op = __atomic_load_n(&f->op, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++) {
		out.block[i] = __atomic_load_n(&f->block[i], __ATOMIC_RELAXED);
		out.thread[i] = __atomic_load_n(&f->thread[i], __ATOMIC_RELAXED);
	}
	return out;
}

void fail_late(const struct dev_state *st, const char *kernel)
{
	const struct dev_fault now = fail_read(st), *f = &now;

	if (f->code == MORI_SHMEM_ETIMEDOUT && f->pe >= 0 && f->op < DEV_OP_COUNT)
		log_error("kernel %s on PE %d, block (%d, %d, %d), thread (%d, %d, %d): %s: PE %d "
			  "did not come within %g s (MORI_SHMEM_TIMEOUT)",
			  kernel, st->my_pe, f->block[0], f->block[1], f->block[2], f->thread[0],
			  f->thread[1], f->thread[2], op_names[f->op], f->pe,
			  (double)st->sync_ns / 1e9);
}

/* Load and store do not reach the PE, and the kernel has no code for what does. */
static void fail_no_path(const struct dev_state *st, const struct dev_fault *f)
{
	const struct pe *pe = st->host;
	bool known = f->pe >= 0 && f->pe < st->n_pes;
	const char *why = !known || pe->world->slot[f->pe] < 0 ? "it is on another node" :
			  st->slot[f->pe] < 0		       ? "MORI_DISABLE_P2P is set" :
								 "that memory cannot be mapped";

	err_set(f->code,
		"mori_shmem_%s in a kernel: PE %d is reached by the network alone (%s), and the "
		"kernel was compiled without its queues: compile it without `mori cc --near`, in "
		"Python with get_extern_libs(near=False)",
		f->op < DEV_OP_COUNT ? op_names[f->op] : "", f->pe, why);
}

int fail_take(struct dev_state *st, mori_shmem_fault_t *out)
{
	struct pe *pe = st->host;
	struct dev_fault f = fail_read(st), of_kernels;

	if (f.code) { /* the code last: then it is another's to write */
		__atomic_store_n(&st->fault.op, DEV_OP_NONE, __ATOMIC_RELAXED);
		__atomic_store_n(&st->fault.code, 0, __ATOMIC_RELEASE);
	}
	mirror_fault(pe, &of_kernels);
	if (!f.code)
		f = of_kernels;
	if (f.code == MORI_SHMEM_ENOTSUP)
		fail_no_path(st, &f);
	if (!out)
		return f.code;
	*out = (mori_shmem_fault_t){ .code = f.code, .pe = f.code ? f.pe : -1, .addr = f.addr };
	snprintf(out->op, sizeof(out->op), "%s", f.op < DEV_OP_COUNT ? op_names[f.op] : "");
	if (f.code && f.op == DEV_OP_NONE) /* no call of the library, but the kernel itself */
		snprintf(out->op, sizeof(out->op), "%s", pe->kernel_fault.kernel);
	for (int i = 0; i < 3; i++) {
		out->block[i] = f.code ? f.block[i] : -1;
		out->thread[i] = f.code ? f.thread[i] : -1;
	}
	return f.code;
}
