// SPDX-License-Identifier: MIT
/*
 * The asking side: puts, gets, atomics, and the flush that tells when they are done.
 * What needs no answer is counted; what needs one waits in the connection's list.
 */
#include "net/engine.h"
#include "util/err.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GET_BYTES (4u << 20) /* of one request, so that a peer at work is seen to be */

static int ops_refused(int pe, int status)
{
	if (status == MORI_SHMEM_EINVAL)
		return err_set(status,
			       "PE %d refused an access over the network: no such memory, a word "
			       "that is not aligned, or no such operation",
			       pe);
	if (status == MORI_SHMEM_EFAULT)
		return err_set(status,
			       "memory that a put or get names could not be read or written, here "
			       "or at PE %d",
			       pe);
	return err_set(status, "PE %d could not do an access over the network: %s", pe,
		       err_name(status));
}

/* The caller's own memory; what is short is copied by the processor, which knows no status. */
static int ops_local(const void *ptr, size_t len, bool write, unsigned flags)
{
	if (len <= MEM_TRIED || (flags & NET_DEVICE) || mem_usable(ptr, len, write))
		return 0;
	return err_set(MORI_SHMEM_EFAULT, "this process cannot %s the %s, %p + %zu bytes",
		       write ? "write" : "read", write ? "destination" : "source", ptr, len);
}

static bool room_ask(void *what)
{
	return ((struct conn *)what)->n_asks < ASK_WINDOW;
}

static bool batch_done(void *what)
{
	return !((struct batch *)what)->left;
}

/* Something to be given to the link, tried until it takes it. */
struct
try {
	struct engine *e;
	struct conn *c;
	const struct msg *msg;
	const struct piece *piece; /* a message, or */
	const struct rma *rma;
	int result;
};

static bool try_once(void *what)
{
	struct try *t = what;
	const struct link_ops *link = t->e->link;

	if (t->c->state != CONN_UP)
		return false;
	t->result =
		t->rma ? link->rma(t->e, t->c, t->rma) : link->send(t->e, t->c, t->msg, t->piece);
	return t->result != -EAGAIN;
}

static int ops_try(int pe, struct try *t)
{
	int err = engine_wait(t->e, t->c, pe, try_once, t);

	if (!err && t->result == -EFAULT) /* of the caller's memory; nothing was sent */
		return ops_refused(pe, MORI_SHMEM_EFAULT);
	if (!err && t->result) {
		conn_end(t->e, t->c, MORI_SHMEM_EPEER, "%s", strerror(-t->result));
		err = conn_error(t->c, pe);
	}
	return err;
}

/* Send @m with its data, which the message's len counts. */
static int ops_send(struct engine *e, struct conn *c, const struct msg *m, const struct piece *p)
{
	return ops_try(m->pe, &(struct try){ .e = e, .c = c, .msg = m, .piece = p });
}

/*
 * The same for one without an answer. Most ask the owner to say when it is done, so
 * that a quiet need not ask. A signal does not: its sender rarely waits for it, and
 * the owner has better things to do.
 */
static int ops_post(struct engine *e, struct conn *c, struct msg *m, const struct piece *p)
{
	int err;

	m->flags |= m->flags & MSG_SIGNAL ? 0 : MSG_ACK;
	err = ops_send(e, c, m, p);
	if (err)
		return err;
	c->posted++; /* not before: others may have sent theirs meanwhile */
	if (m->flags & MSG_ACK)
		c->acked = c->posted;
	return 0;
}

/* The last one posted is of no interest any more; with something before it under way it is. */
static void ops_forget(struct conn *c)
{
	if (c->flushed + 1 == c->posted)
		c->flushed = c->posted;
}

struct ask *ask_new(struct engine *e, struct conn *c, struct msg *m, const struct ask *what)
{
	struct ask *a = e->ask_free;

	if (a)
		e->ask_free = a->next;
	else
		a = malloc(sizeof(*a));
	if (!a)
		return NULL;
	*a = *what;
	a->id = m->id = ++e->next_id;
	a->next = c->asks;
	c->asks = a;
	c->n_asks++;
	a->batch->left++;
	return a;
}

/* Send @m, whose answer @batch waits for. The rest of @what says what to do with it. */
static int ops_ask(struct engine *e, struct conn *c, struct msg *m, const struct ask *what)
{
	int err = engine_wait(e, c, m->pe, room_ask, c);

	if (err)
		return err;
	if (!ask_new(e, c, m, what))
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a request");
	/* A connection that ends meanwhile ends what is in its list, also this. */
	err = ops_send(e, c, m, &(struct piece){ 0 });
	if (err && c->state != CONN_DEAD)
		conn_end(e, c, err, "a request could not be sent");
	return err;
}

struct ask *ask_find(struct conn *c, uint64_t id)
{
	struct ask *a = c->asks;

	while (a && a->id != id)
		a = a->next;
	return a;
}

void ask_end(struct engine *e, struct conn *c, struct ask *a, int status)
{
	struct ask **at = &c->asks;

	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
	c->n_asks--;
	a->batch->left--;
	if (status && !a->batch->status)
		a->batch->status = status;
	a->next = e->ask_free;
	e->ask_free = a;
	if (a->post)
		post_answered(e, c, a->post);
}

void ask_end_all(struct engine *e, struct conn *c, int status)
{
	while (c->asks)
		ask_end(e, c, c->asks, status);
}

void far_forget(struct engine *e, uint32_t id)
{
	for (struct conn *c = e->conns; c; c = c->next) {
		for (struct far_region **at = &c->far; *at;) {
			struct far_region *r = *at;

			if (r->id != id) {
				at = &r->next;
				continue;
			}
			*at = r->next;
			free(r);
		}
	}
}

/* What is known of the region, asked for where it is not, or not enough. NULL: see *err. */
static struct far_region *far_find(struct engine *e, struct conn *c, const struct net_at *at,
				   uint64_t len, int *err)
{
	struct msg m = { .type = MSG_REGION, .pe = at->pe, .region = at->region }, answer;
	struct batch batch = { 0 };
	struct far_region *r;
	uint64_t end;

	*err = 0;
	if (__builtin_add_overflow(at->off, len, &end))
		end = UINT64_MAX;
	for (r = c->far; r && (r->pe != at->pe || r->id != at->region); r = r->next)
		;
	if (r && end <= r->len)
		return r;
	*err = ops_ask(e, c, &m, &(struct ask){ .batch = &batch, .answer = &answer });
	if (!*err)
		*err = engine_wait(e, c, at->pe, batch_done, &batch);
	if (!*err && batch.status)
		*err = c->state == CONN_DEAD ? conn_error(c, at->pe) :
					       ops_refused(at->pe, batch.status);
	if (!*err && end > answer.off2)
		*err = ops_refused(at->pe, MORI_SHMEM_EINVAL);
	for (r = c->far; r && (r->pe != at->pe || r->id != at->region); r = r->next)
		; /* again: the list may have changed meanwhile */
	if (!*err && !r) {
		r = calloc(1, sizeof(*r));
		if (!r) {
			*err = err_set(MORI_SHMEM_ENOMEM, "out of memory for a region");
			return NULL;
		}
		r->next = c->far;
		c->far = r;
	}
	if (*err)
		return NULL;
	*r = (struct far_region){ .next = r->next,
				  .pe = at->pe,
				  .id = at->region,
				  .direct = answer.flags & MSG_DIRECT,
				  .addr = answer.off,
				  .key = answer.value,
				  .len = answer.off2 };
	return r;
}

/* Move @len bytes by RMA, in pieces that @batch counts. */
static int ops_rma(struct engine *e, struct conn *c, int pe, struct rma *r, size_t len)
{
	size_t most = e->link->rma_max(e);
	int err = 0;

	while (!err && len) {
		r->len = len < most ? len : most;
		err = ops_try(pe, &(struct try){ .e = e, .c = c, .rma = r });
		r->local = (uint8_t *)r->local + r->len;
		r->addr += r->len;
		len -= r->len;
	}
	return err;
}

/* Until what @batch counts is done. After an error nothing of it is under way any more. */
static int ops_finish(struct engine *e, struct conn *c, int pe, struct batch *batch)
{
	int err = engine_wait(e, c, pe, batch_done, batch);

	if (!err && batch->status)
		err = c->state == CONN_DEAD ? conn_error(c, pe) : ops_refused(pe, batch->status);
	return err;
}

/* The same for what one call waits for: it has no business with the batch afterwards. */
static int ops_finish_own(struct engine *e, struct conn *c, int pe, struct batch *mine, int err)
{
	int end = mine->left || mine->status ? ops_finish(e, c, pe, mine) : 0;

	return err ? err : end;
}

/* A flush under way. */
struct flush {
	struct flush *next;
	struct conn *c;
	bool asked;
	uint64_t upto, rma; /* what it will have completed */
	struct batch batch;
};

static bool flush_done(void *what)
{
	struct flush *fl = what;

	return fl->asked ? !fl->batch.left : fl->c->flushed >= fl->upto;
}

static int flush_start(struct engine *e, struct conn *c, int pe, struct flush *fl)
{
	struct msg m = { .type = MSG_FLUSH, .pe = pe };
	int err = 0;

	*fl = (struct flush){ .next = fl->next, .c = c, .upto = c->posted, .rma = c->n_rma };
	if (!e->ordered)
		err = ops_finish(e, c, pe, &c->nbi);
	fl->asked = c->n_rma != c->rma_flushed || c->acked != c->posted;
	if (!err && fl->asked)
		err = ops_ask(e, c, &m, &(struct ask){ .batch = &fl->batch });
	return err;
}

static int flush_end(struct engine *e, int pe, struct flush *fl)
{
	struct conn *c = fl->c;
	int err = engine_wait(e, c, pe, flush_done, fl), nbi;

	if (!err && fl->batch.status)
		err = c->state == CONN_DEAD ? conn_error(c, pe) : ops_refused(pe, fl->batch.status);
	if (c->state == CONN_DEAD) {
		c->flushed = c->posted; /* told once */
		c->rma_flushed = c->n_rma;
		c->nbi.status = 0;
		return err ? err : conn_error(c, pe);
	}
	if (fl->upto > c->flushed)
		c->flushed = fl->upto;
	if (fl->rma > c->rma_flushed)
		c->rma_flushed = fl->rma;
	nbi = ops_finish(e, c, pe, &c->nbi);
	c->nbi.status = 0; /* told once */
	return err ? err : nbi;
}

/* Before an RMA that writes: messages from before a fence must be done, not only received. */
static int flush_fenced(struct engine *e, struct conn *c, int pe)
{
	struct flush fl = { 0 };
	int err, end;

	if (c->fenced <= c->flushed)
		return 0;
	err = flush_start(e, c, pe, &fl);
	end = flush_end(e, pe, &fl);
	return err ? err : end;
}

/* By RMA, if both ends allow it. 1: they do not. */
static int ops_direct(struct engine *e, struct conn *c, const struct net_at *at, uint8_t *local,
		      size_t len, bool write, unsigned flags)
{
	struct batch mine = { 0 };
	struct rma r = { .write = write,
			 .local = local,
			 .batch = flags & NET_NBI ? &c->nbi : &mine };
	const struct far_region *far;
	int err;

	if (!e->link->rma || len <= EAGER_BYTES || (flags & NET_DEVICE) ||
	    !e->link->rma_local(e, local, len, &r.desc))
		return 1;
	far = far_find(e, c, at, len, &err);
	if (!far)
		return err;
	if (!far->direct)
		return 1;
	r.addr = far->addr + at->off;
	r.key = far->key;
	err = write ? flush_fenced(e, c, at->pe) : 0;
	if (err)
		return err;
	err = ops_rma(e, c, at->pe, &r, len);
	return ops_finish_own(e, c, at->pe, &mine, err);
}

static void put_signal(struct msg *m, const struct net_signal *signal)
{
	m->flags = MSG_SIGNAL;
	m->op = (uint8_t)signal->op;
	m->region2 = signal->region;
	m->off2 = signal->off;
	m->value = signal->value;
}

static int put_messages(struct engine *e, struct conn *c, const struct net_at *to,
			const uint8_t *src, size_t len, const struct net_signal *signal,
			unsigned flags)
{
	struct msg m = { .type = MSG_PUT, .pe = to->pe, .region = to->region };
	struct batch mine = { 0 };
	struct piece p = { .device = flags & NET_DEVICE };
	size_t done = 0, most = e->link->data_max;
	int err;

	/* Nothing tells of a loose one later. */
	if (len > EAGER_BYTES || (flags & NET_LOOSE))
		p.batch = flags & NET_NBI ? &c->nbi : &mine;
	do {
		p.data = src + done;
		p.len = len - done < most ? len - done : most;
		m.off = to->off + done;
		m.len = p.len;
		done += p.len;
		if (signal && done == len)
			put_signal(&m, signal);
		err = ops_post(e, c, &m, &p);
	} while (!err && done < len);
	if (!err && flags & NET_LOOSE)
		ops_forget(c);
	return ops_finish_own(e, c, to->pe, &mine, err);
}

int ops_put(struct net *n, const struct net_at *to, const void *src, size_t len,
	    const struct net_signal *signal, unsigned flags)
{
	struct engine *e = engine_of(n);
	struct conn *c;
	int err;

	if (!len && !signal)
		return 0;
	err = ops_local(src, len, false, flags);
	if (err)
		return err;
	engine_enter(e);
	err = conn_to(e, to->pe, &c);
	if (err)
		goto leave;
	/* The source is only read: RMA in either direction takes the same path. */
	err = ops_direct(e, c, to, (uint8_t *)(uintptr_t)src, len, true, flags);
	if (err == 1) {
		err = put_messages(e, c, to, src, len, signal, flags);
	} else if (!err) {
		c->n_rma++;
		if (!e->ordered && signal)
			err = ops_finish(e, c, to->pe, &c->nbi);
		if (!err && signal)
			err = put_messages(e, c, to, src, 0, signal, 0);
	}
leave:
	engine_leave(e);
	return err;
}

static int get_messages(struct engine *e, struct conn *c, const struct net_at *from, uint8_t *dst,
			size_t len, unsigned flags)
{
	struct batch mine = { 0 }, *batch = flags & NET_NBI ? &c->nbi : &mine;
	struct msg m = { .type = MSG_GET, .pe = from->pe, .region = from->region };
	size_t most = e->link->data_max < GET_BYTES ? e->link->data_max : GET_BYTES;
	int err = 0;

	for (size_t done = 0, part; !err && done < len; done += part) {
		part = len - done < most ? len - done : most;
		m.off = from->off + done;
		m.len = part;
		err = ops_ask(e, c, &m,
			      &(struct ask){ .batch = batch,
					     .dst = dst + done,
					     .len = part,
					     .device = flags & NET_DEVICE });
	}
	return ops_finish_own(e, c, from->pe, &mine, err);
}

int ops_get(struct net *n, const struct net_at *from, void *dst, size_t len, unsigned flags)
{
	struct engine *e = engine_of(n);
	struct conn *c;
	int err;

	err = ops_local(dst, len, true, flags);
	if (err || !len)
		return err;
	engine_enter(e);
	err = conn_to(e, from->pe, &c);
	if (!err)
		err = ops_direct(e, c, from, dst, len, false, flags);
	if (err == 1)
		err = get_messages(e, c, from, dst, len, flags);
	engine_leave(e);
	return err;
}

int ops_amo(struct net *n, const struct net_at *at, int width, int op, uint64_t value,
	    uint64_t compare, uint64_t *old)
{
	struct engine *e = engine_of(n);
	struct msg m = { .type = MSG_AMO,
			 .op = (uint8_t)op,
			 .width = (uint8_t)width,
			 .flags = old ? MSG_REPLY : 0,
			 .pe = at->pe,
			 .region = at->region,
			 .off = at->off,
			 .value = value,
			 .compare = compare };
	struct batch batch = { 0 };
	struct msg answer;
	struct conn *c;
	int err;

	if (!amo_known(op, width))
		return err_set(MORI_SHMEM_EINVAL, "there is no atomic operation %d on %d bytes", op,
			       width);
	engine_enter(e);
	err = conn_to(e, at->pe, &c);
	if (!err && !e->ordered)
		err = ops_finish(e, c, at->pe, &c->nbi);
	if (!err && !old) {
		err = ops_post(e, c, &m, &(struct piece){ 0 });
	} else if (!err) {
		err = ops_ask(e, c, &m, &(struct ask){ .batch = &batch, .answer = &answer });
		if (!err)
			err = ops_finish(e, c, at->pe, &batch);
		if (!err)
			*old = answer.value;
	}
	engine_leave(e);
	return err;
}

/* A PE of the process, to name it. */
static int ops_pe_of(const struct engine *e, int proc)
{
	int pe = 0;

	while (e->proc_of[pe] != proc)
		pe++;
	return pe;
}

/* Whether anything may be under way, or was lost when the connection ended. */
static bool conn_busy(const struct conn *c)
{
	return !c->serves && (c->state == CONN_UP || c->state == CONN_DEAD) &&
	       (c->posted != c->flushed || c->n_rma != c->rma_flushed || c->nbi.left ||
		c->nbi.status);
}

static int quiet_all(struct engine *e)
{
	struct flush *list = NULL, *fl;
	int err = 0, end;

	/* A connection made meanwhile comes first in the list: nothing of ours is on it. */
	for (struct conn *c = e->conns; c; c = c->next) {
		int pe = c->proc < 0 ? 0 : ops_pe_of(e, c->proc);

		if (!conn_busy(c))
			continue;
		if (c->state == CONN_DEAD) {
			err = err ? err : conn_error(c, pe);
			c->flushed = c->posted; /* told once */
			c->rma_flushed = c->n_rma;
			c->nbi.status = 0;
			continue;
		}
		fl = malloc(sizeof(*fl));
		if (!fl) {
			err = err_set(MORI_SHMEM_ENOMEM, "out of memory for a quiet");
			break;
		}
		fl->next = list;
		list = fl;
		end = flush_start(e, c, pe, fl);
		err = err ? err : end;
	}
	while (list) {
		fl = list;
		list = fl->next;
		end = flush_end(e, ops_pe_of(e, fl->c->proc), fl);
		err = err ? err : end;
		free(fl);
	}
	return err;
}

int ops_quiet(struct net *n, int pe)
{
	struct engine *e = engine_of(n);
	struct flush fl = { 0 };
	struct conn *c;
	int err = 0, end;

	engine_enter(e);
	if (pe == NET_ALL) {
		err = quiet_all(e);
	} else {
		c = e->to[e->proc_of[pe]];
		if (c && c->state == CONN_DEAD) {
			err = conn_error(c, pe);
		} else if (c && conn_busy(c)) {
			err = flush_start(e, c, pe, &fl);
			end = flush_end(e, pe, &fl);
			err = err ? err : end;
		}
	}
	engine_leave(e);
	return err;
}

/*
 * Messages are in order among each other and behind the RMAs before them. An RMA may
 * overtake a message that the owner has received and not yet done: see flush_fenced().
 */
int ops_fence(struct net *n, int pe)
{
	struct engine *e = engine_of(n);

	if (!e->ordered)
		return ops_quiet(n, pe);
	engine_enter(e);
	for (struct conn *c = e->conns; c; c = c->next) {
		if (!c->serves && (pe == NET_ALL || c->proc == e->proc_of[pe]))
			c->fenced = c->posted;
	}
	engine_leave(e);
	return 0;
}
