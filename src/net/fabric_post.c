// SPDX-License-Identifier: MIT
/*
 * What is posted to libfabric: buffers to receive into, messages, RMAs. All buffers are
 * allocated at open and are in one registered block; RMAs take no buffer.
 */
#include "net/fabric.h"
#include "util/err.h"
#include "util/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SMALL 256 /* bytes on the stack for what libfabric copies at once */

static int fabric_buf_post(struct fabric *f, struct fabric_buf *b)
{
	ssize_t err = fi_recv(f->srx ? f->srx : f->ep, b->data, BUF_BYTES, b->desc, FI_ADDR_UNSPEC,
			      &b->op.ctx);

	return err ? fabric_fail(f, MORI_SHMEM_EIO, "cannot post a receive", err) : 0;
}

static void fabric_buf_give(struct fabric *f, struct fabric_buf *b)
{
	b->next = f->tx_free;
	f->tx_free = b;
	f->n_tx_free++;
}

int fabric_bufs_open(struct net *e)
{
	struct fabric *f = fabric_of(e);
	size_t bytes = (size_t)(BUF_RX + BUF_TX) * BUF_BYTES;
	void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int err = 0;

	f->buf_memory = block == MAP_FAILED ? NULL : block;
	f->n_bufs = BUF_RX + BUF_TX;
	f->bufs = calloc(f->n_bufs, sizeof(*f->bufs));
	if (!f->bufs || !f->buf_memory)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for the network's buffers");
	if (f->local_mr)
		err = fi_mr_reg(f->domain, f->buf_memory, bytes, FI_SEND | FI_RECV, 0,
				++f->next_key, 0, &f->buf_mr, NULL);
	if (err)
		return fabric_fail(f, MORI_SHMEM_EIO, "cannot register buffers", err);
	for (uint32_t i = 0; !err && i < f->n_bufs; i++) {
		struct fabric_buf *b = &f->bufs[i];

		b->data = f->buf_memory + (size_t)i * BUF_BYTES;
		b->desc = f->buf_mr ? fi_mr_desc(f->buf_mr) : NULL;
		b->op.kind = i < BUF_RX ? OP_RECV : OP_SEND;
		if (i < BUF_RX)
			err = fabric_buf_post(f, b);
		else
			fabric_buf_give(f, b);
	}
	return err;
}

void fabric_bufs_close(struct fabric *f)
{
	if (f->buf_mr)
		fi_close(&f->buf_mr->fid);
	if (f->buf_memory)
		munmap(f->buf_memory, (size_t)f->n_bufs * BUF_BYTES);
	free(f->bufs);
	while (f->rma_all) {
		struct fabric_op *op = f->rma_all;

		f->rma_all = op->all;
		free(op);
	}
}

static void fabric_op_link(struct fabric_conn *fc, struct fabric_op *op)
{
	op->fc = fc;
	op->prev = NULL;
	op->next = fc->ops;
	if (fc->ops)
		fc->ops->prev = op;
	fc->ops = op;
}

static void fabric_op_unlink(struct fabric_op *op)
{
	if (op->prev)
		op->prev->next = op->next;
	else
		op->fc->ops = op->next;
	if (op->next)
		op->next->prev = op->prev;
	op->prev = op->next = NULL;
	op->fc = NULL;
}

/* A transmit buffer, or NULL; only responses may take the last. */
static struct fabric_buf *fabric_buf_take(struct fabric *f, const struct fabric_conn *fc,
					  bool response)
{
	struct fabric_buf *b = f->tx_free;

	if (!b || (!response && (f->n_tx_free <= BUF_KEEP || fc->n_tx >= BUF_SHARE)))
		return NULL;
	f->tx_free = b->next;
	f->n_tx_free--;
	return b;
}

int fabric_send(struct net *e, struct net_conn *c, const struct net_msg *m, const struct net_buf *p)
{
	struct fabric *f = fabric_of(e);
	struct fabric_conn *fc = c->link;
	size_t len = sizeof(*m) + p->len;
	bool small = !p->device && len <= SMALL && len <= f->info->tx_attr->inject_size;
	uint8_t space[SMALL], *to;
	struct fabric_buf *b = small ? NULL : fabric_buf_take(f, fc, m->type == MSG_RESPONSE);
	struct net_msg *head;
	ssize_t err;

	if (!small && !b)
		return -EAGAIN;
	to = b ? b->data : space;
	memcpy(to, m, sizeof(*m));
	head = (struct net_msg *)to;
	head->src = e->config.my_proc;
	head->seq = fc->seq_out;
	head->token = f->connected ? 0 : net_conn_token(e, e->config.my_proc, c->proc);
	if (p->len && net_mem_copy(e, p->device, to + sizeof(*m), p->data, p->len)) {
		if (b)
			fabric_buf_give(f, b);
		return -EFAULT;
	}
	if (small) {
		err = fi_inject(fc->ep, to, len, fc->addr);
		fc->seq_out += !err;
		return (int)err;
	}
	fabric_op_link(fc, &b->op);
	err = fi_send(fc->ep, to, len, b->desc, fc->addr, &b->op.ctx);
	if (err) {
		fabric_op_unlink(&b->op);
		fabric_buf_give(f, b);
	} else {
		fc->n_tx++;
		fc->seq_out++;
	}
	return (int)err;
}

bool fabric_rma_local(struct net *e, const void *ptr, size_t len, void **desc)
{
	*desc = NULL;
	if (!fabric_of(e)->local_mr)
		return true;
	for (struct net_region *r = e->regions; r; r = r->next) {
		uintptr_t off = (uintptr_t)ptr - (uintptr_t)r->base;

		if (r->link && off <= r->len && len <= r->len - off) {
			*desc = fi_mr_desc(r->link);
			return true;
		}
	}
	return false;
}

size_t fabric_rma_max(const struct net *e)
{
	size_t most = fabric_of(e)->info->ep_attr->max_msg_size;

	return most < RMA_BYTES ? most : RMA_BYTES;
}

static struct fabric_op *fabric_rma_take(struct fabric *f)
{
	struct fabric_op *op = f->rma_free;

	if (op) {
		f->rma_free = op->next;
		return op;
	}
	op = calloc(1, sizeof(*op));
	if (op) {
		op->all = f->rma_all;
		f->rma_all = op;
	}
	return op;
}

static void fabric_rma_give(struct fabric *f, struct fabric_op *op)
{
	if (op->fc) {
		op->fc->n_rma--;
		fabric_op_unlink(op);
	}
	if (op->batch)
		op->batch->left--;
	op->batch = NULL;
	op->kind = OP_FREE;
	op->next = f->rma_free;
	f->rma_free = op;
}

/* Without an order of messages, an RMA counts as done when it is in the target's memory. */
int fabric_rma(struct net *e, struct net_conn *c, const struct net_rma *r)
{
	struct fabric *f = fabric_of(e);
	struct fabric_conn *fc = c->link;
	struct iovec iov = { r->local, r->len };
	void *desc = r->desc;
	struct fi_rma_iov to = { .addr = r->addr, .len = r->len, .key = r->key };
	struct fi_msg_rma msg = { .msg_iov = &iov,
				  .desc = &desc,
				  .iov_count = 1,
				  .addr = fc->addr,
				  .rma_iov = &to,
				  .rma_iov_count = 1 };
	struct fabric_op *op = fc->n_rma < RMA_WINDOW ? fabric_rma_take(f) : NULL;
	ssize_t err;

	if (!op)
		return fc->n_rma < RMA_WINDOW ? -ENOMEM : -EAGAIN;
	op->kind = OP_RMA;
	op->batch = r->batch;
	r->batch->left++;
	fc->n_rma++;
	fabric_op_link(fc, op);
	msg.context = &op->ctx;
	err = r->write ? fi_writemsg(fc->ep, &msg,
				     FI_COMPLETION | (e->ordered ? 0 : FI_DELIVERY_COMPLETE)) :
			 fi_readmsg(fc->ep, &msg, FI_COMPLETION);
	if (err)
		fabric_rma_give(f, op);
	return (int)err;
}

static void fabric_recv_take(struct net *e, struct net_conn *c, const struct fabric_buf *b)
{
	const struct net_msg *m = (const struct net_msg *)b->data;
	size_t len = b->len - sizeof(*m);
	bool device = false;
	uint8_t *sink;
	int status = 0;

	if (len) {
		status = MORI_SHMEM_EINVAL;
		sink = len == m->len ? net_serve_sink(e, c, m, &device, &status) : NULL;
		if (sink)
			status = net_mem_copy(e, device, sink, b->data + sizeof(*m), len);
	}
	net_serve_msg(e, c, m, status);
	if (c->state != CONN_DEAD)
		net_serve_idle(e, c);
}

static void fabric_buf_repost(struct fabric *f, struct fabric_buf *b)
{
	if (fabric_buf_post(f, b))
		log_error("network: %s", err_text());
}

void fabric_bufs_release(struct fabric *f, struct fabric_buf *held)
{
	while (held) {
		struct fabric_buf *b = held;

		held = b->next;
		fabric_buf_repost(f, b);
	}
}

/* Removes the next message in order from those of @fc that were held back. */
static struct fabric_buf *fabric_held_next(struct fabric_conn *fc)
{
	struct fabric_buf **at = &fc->held, *b;

	while (*at && ((const struct net_msg *)(*at)->data)->seq != fc->seq_in)
		at = &(*at)->next;
	b = *at;
	if (b)
		*at = b->next;
	return b;
}

static void fabric_recv_done(struct net *e, struct fabric_buf *b, size_t len, int err)
{
	struct fabric *f = fabric_of(e);
	const struct net_msg *m = (const struct net_msg *)b->data;
	struct net_conn *c = !err && len >= sizeof(*m) ? fabric_sender(e, m) : NULL;
	struct fabric_conn *fc = c ? c->link : NULL;

	if (!fc || c->state == CONN_DEAD) {
		if (err != FI_ECANCELED)
			fabric_buf_repost(f, b);
		return;
	}
	c->news = true;
	b->len = len;
	b->next = fc->held;
	fc->held = b;
	if (f->connected)
		fc->seq_in = m->seq; /* they arrive in order */
	while (c->link && (b = fabric_held_next(c->link))) {
		fc->seq_in++;
		fabric_recv_take(e, c, b);
		fabric_buf_repost(f, b);
	}
}

void fabric_done(struct net *e, struct fabric_op *op, size_t len, int err)
{
	struct fabric *f = fabric_of(e);

	if (op->kind == OP_RECV) {
		fabric_recv_done(e, (struct fabric_buf *)op, len, err);
		return;
	}
	if (op->fc && err)
		net_conn_end(e, op->fc->c, MORI_SHMEM_EPEER, "%s", f->lib.strerror(err));
	if (op->fc)
		op->fc->c->news = true;
	if (op->kind == OP_RMA) {
		fabric_rma_give(f, op);
	} else if (op->kind == OP_SEND) {
		if (op->fc) {
			op->fc->n_tx--;
			fabric_op_unlink(op);
		}
		fabric_buf_give(f, (struct fabric_buf *)op);
	}
}
