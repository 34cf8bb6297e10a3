// SPDX-License-Identifier: MIT
/*
 * Posting to a queue and waiting for it, once for every format; a format adds only
 * leaves, each behind one switch.
 *
 * Any number of threads post at once and no one waits for another that posts: a
 * thread takes slots by a compare-and-swap (only where they are free, so that one
 * that gives up leaves nothing behind), writes its entry, and marks it as written.
 * The first thread that requests a ring then rings for every entry marked so far, in the order
 * of the slots, and repeats for requests that arrived meanwhile. One thread at a time takes
 * completions, and only as many as are there. Waits are the caller's, bounded by its
 * deadline and by what ends a wait of the target.
 *
 * Entries of a queue complete in order: a completion also finishes all entries before it.
 */
#ifndef MORI_NIC_POST_H
#define MORI_NIC_POST_H

#include "nic/bnxt.h"
#include "nic/ionic.h"
#include "nic/mlx5.h"
#include "nic/soft.h"

#define NIC_POLL_MOST 64u /* completions taken at once */

/* After a thread has rung @q; a test may have defined its own. */
#ifndef NIC_NOTIFY
#ifdef MORI_CPU_KERNEL
#define NIC_NOTIFY(q) nic_notify(q)
/* Nobody watches the doorbells of kernels on the CPU: they call the soft NIC themselves. */
DEV_INLINE void nic_notify(const struct nic_queue *q)
{
	if (q->notify)
		mori_cpu_grid->ops->call((void (*)(void *))(uintptr_t)q->notify,
					 (void *)(uintptr_t)q->notify_arg);
}
#else
#define NIC_NOTIFY(q) ((void)(q))
#endif
#endif

/* The leaf of the queue's format: a branch, since calls by address cost a kernel its registers. */
#define NIC_DISPATCH(q, leaf, ...)                                                                 \
	((q)->format == NIC_MLX5  ? mlx5_##leaf(__VA_ARGS__) :                                     \
	 (q)->format == NIC_BNXT  ? bnxt_##leaf(__VA_ARGS__) :                                     \
	 (q)->format == NIC_IONIC ? ionic_##leaf(__VA_ARGS__) :                                    \
				    soft_##leaf(__VA_ARGS__))

/* The state whose lost PEs end a wait, and how long one may take; see tgt_wait_start(). */
struct nic_deadline {
	const struct dev_state *st;
	uint64_t ns;
};

/*
 * tgt_wait_step() of a wait for @q: the loss of another PE than the one it leads to does
 * not end it, the deadline still does.
 */
DEV_INLINE int nic_wait_step(const struct nic_queue *q, struct nic_deadline p, struct tgt_wait *w)
{
	int err = tgt_wait_step(w, p.st);

	if (err != MORI_SHMEM_EPEER || !p.st->gone || nic_load_32(&p.st->gone[q->pe]))
		return err;
	if (w->ns == DEV_NS_DEFAULT)
		return 0;
	return tgt_wait_over(tgt_now_ns(), w->ns, &w->end) ? MORI_SHMEM_ETIMEDOUT : 0;
}

/* Slots that an entry takes. */
DEV_INLINE uint32_t nic_slots(const struct nic_queue *q, const struct nic_op *op)
{
	return q->format == NIC_MLX5 ? mlx5_slots(op) : 1;
}

/* Takes @n slots if they are free. */
DEV_INLINE bool nic_take(struct nic_queue *q, uint32_t n, uint64_t *slot)
{
	/* Acquire: pairs with the release in nic_poll(); the NIC has done with the slots. */
	uint64_t done = nic_load_acquire_64(&q->done), at = nic_load_64(&q->taken), seen;

	for (;;) {
		if ((int64_t)(at + n - done) > (int64_t)q->capacity) {
			done = nic_load_acquire_64(&q->done);
			if ((int64_t)(at + n - done) > (int64_t)q->capacity)
				return false;
		}
		seen = nic_count_64(&q->taken, at, at + n);
		if (seen == at) {
			*slot = at;
			return true;
		}
		at = seen;
	}
}

DEV_INLINE void nic_write(const struct nic_queue *q, uint64_t slot, const struct nic_op *op)
{
	NIC_DISPATCH(q, write, q, slot, op);
}

/* The entry of @n slots is written. Release: pairs with the acquire in nic_marked(). */
DEV_INLINE void nic_publish(const struct nic_queue *q, uint64_t slot, uint32_t n)
{
	for (uint32_t i = n; i-- > 1;)
		nic_store_64(nic_mark(q, slot + i), (slot + i + 1) << 8);
	nic_store_release_64(nic_mark(q, slot), (slot + 1) << 8 | n);
}

/* The entries from slot @from to @end; @last is the last one's. */
DEV_INLINE void nic_show(struct nic_queue *q, uint64_t from, uint64_t last, uint64_t end)
{
	NIC_DISPATCH(q, ring, q, from, last, end);
}

DEV_INLINE bool nic_show_marked(struct nic_queue *q)
{
	uint64_t from = q->ready, last = from, end = from;

	for (uint32_t n; (n = nic_marked(q, end)); end += n)
		last = end;
	if (end == from)
		return false;
	nic_store_64(&q->ready, end);
	nic_show(q, from, last, end);
	nic_store_64(&q->rings, q->rings + 1);
	return true;
}

/*
 * Every entry published before this call is shown to the NIC, by this thread or by
 * another one; gives whether this one rang.
 */
DEV_OUTLINE bool nic_ring(struct nic_queue *q)
{
	/* A later request leaves the ring to the first, which sees its mark: both read-modify-writes. */
	uint32_t asked = nic_add_32(&q->ringers, 1) + 1, before;
	bool rang = false;

	if (asked != 1)
		return false;
	do {
		if (nic_show_marked(q)) {
			rang = true;
			NIC_NOTIFY(q);
		}
		before = asked;
		asked = nic_cas_32(&q->ringers, before, 0);
	} while (asked != before);
	return rang;
}

DEV_INLINE bool nic_poll_one(const struct nic_queue *q, uint64_t at, struct nic_completion *c)
{
	return NIC_DISPATCH(q, poll, q, at, c);
}

/* Reports to the NIC that completions below @seen may be overwritten. */
DEV_INLINE void nic_ack(const struct nic_queue *q, uint64_t seen)
{
	NIC_DISPATCH(q, seen, q, seen);
}

/* Whether the error means that the peer no longer responds; every other error is local. */
DEV_INLINE bool nic_peer_gone(const struct nic_queue *q, uint32_t syndrome)
{
	return NIC_DISPATCH(q, peer_gone, syndrome);
}

/* The first error is kept; entries behind it are lost. */
DEV_INLINE void nic_fail(struct nic_queue *q, const struct nic_completion *c)
{
	if (q->status)
		return;
	q->syndrome = c->syndrome;
	q->bad = c->bad;
	nic_store_release_32(
		&q->status,
		(uint32_t)(nic_peer_gone(q, c->syndrome) ? MORI_SHMEM_EPEER : MORI_SHMEM_EIO));
}

/*
 * Takes the available completions, unless another thread is taking them. The NIC may overwrite
 * them before anybody posts into the slots they free: else it could have more completions to
 * write than the ring holds.
 */
DEV_OUTLINE void nic_poll(struct nic_queue *q)
{
	struct nic_completion c;
	uint64_t at, done;

	if (nic_load_32(&q->poller) || nic_cas_32(&q->poller, 0, 1))
		return;
	at = q->seen;
	done = q->done;
	for (uint32_t n = 0; n < NIC_POLL_MOST && nic_poll_one(q, at, &c); n++, at++) {
		if (c.end > nic_load_64(&q->ready)) /* never posted: the NIC or memory is faulty */
			c.syndrome = UINT32_MAX;
		if (c.bad < done)
			c.bad = done;
		if (c.syndrome)
			nic_fail(q, &c);
		else if (!q->status && c.end > done)
			done = c.end;
	}
	if (at != q->seen) {
		q->seen = at;
		nic_ack(q, at);
		/* Release: pairs with the acquire in nic_take() and nic_wait(). */
		nic_store_release_64(&q->done, done);
	}
	nic_store_release_32(&q->poller, 0);
}

DEV_INLINE int nic_status(const struct nic_queue *q)
{
	return (int)nic_load_32(&q->status);
}

/* Waits until the NIC has finished the slots below @end. */
DEV_OUTLINE int nic_wait(struct nic_queue *q, struct nic_deadline p, uint64_t end)
{
	struct tgt_wait w;
	int err = 0;

	tgt_wait_start(&w, p.st, p.ns, &q->done, MORI_SHMEM_CMP_GE, end);
	for (;;) {
		if (nic_load_acquire_64(&q->done) >= end)
			return 0;
		if (nic_status(q) || err)
			return nic_status(q) ? nic_status(q) : err;
		nic_poll(q);
		if (nic_load_acquire_64(&q->done) < end && !nic_status(q))
			err = nic_wait_step(q, p, &w);
	}
}

/* Every entry taken before this call. */
DEV_INLINE int nic_quiet(struct nic_queue *q, struct nic_deadline p)
{
	return nic_wait(q, p, nic_load_64(&q->taken));
}

/* Posts @op if there is room now; *end is what to wait for. Does not ring. */
DEV_INLINE bool nic_post_now(struct nic_queue *q, const struct nic_op *op, uint64_t *end)
{
	uint32_t slots = nic_slots(q, op);
	uint64_t slot;

	if (!nic_take(q, slots, &slot))
		return false;
	nic_write(q, slot, op);
	nic_publish(q, slot, slots);
	*end = slot + slots;
	return true;
}

/*
 * The same, and waits for room; rings unless @hold. The whole post is inside the loop:
 * lanes of a warp that run in step must not wait for room while one of them holds slots.
 */
DEV_INLINE int nic_post(struct nic_queue *q, struct nic_deadline p, const struct nic_op *op,
			bool hold, uint64_t *end)
{
	struct tgt_wait w;
	bool posted = false;
	int status = 0, err = 0;

	tgt_wait_start(&w, p.st, p.ns, &q->done, MORI_SHMEM_CMP_GT, nic_load_64(&q->done));
	for (;;) {
		status = nic_status(q);
		if (!status)
			posted = nic_post_now(q, op, end);
		if (!posted || !hold) /* the entries held back may be what fills the queue */
			nic_ring(q);
		nic_in_step();
		if (posted || status || err)
			return posted ? 0 : status ? status : err;
		nic_poll(q);
		err = nic_wait_step(q, p, &w);
	}
}

enum nic_how {
	NIC_HOLD = 1, /* another post to the queue follows, which rings for both */
	NIC_DONE = 2, /* not before the NIC has finished it */
};

/* nic_post() as one copy for all; gives what to wait for, or a status. */
DEV_OUTLINE int64_t nic_issue(struct nic_queue *q, struct nic_deadline p, const struct nic_op *op,
			      bool hold)
{
	uint64_t end = 0;
	int err = nic_post(q, p, op, hold, &end);

	return err ? err : (int64_t)end;
}

/* The end of an operation whose last entry is @issued. */
DEV_INLINE int nic_finish(struct nic_queue *q, struct nic_deadline p, uint32_t how, int64_t issued)
{
	if (issued < 0)
		return (int)issued;
	return how & NIC_DONE ? nic_wait(q, p, (uint64_t)issued) : 0;
}

#endif
