// SPDX-License-Identifier: MIT
/*
 * Operations of host threads on memory that load and store do not reach: each act of a request,
 * over the world's network.
 */
#include "core/fail.h"
#include "core/pe.h"
#include "core/remote.h"
#include "dev/path.h"

#include <string.h>

/* What is done, where, and from or to what. */
struct remote_op {
	const struct dev_state *st;
	struct net *net;
	struct dev_req *r;
	struct net_at at;
	unsigned flags; /* enum net_flags */
};

/* Where @off and @len bytes on are; a window may have gone since dev_addr_resolve(). */
static int remote_op_find(struct remote_op *m, uint64_t off, uint64_t len)
{
	m->at.pe = m->r->pe;
	if (!len || !remote_find(m->st, off, len, &m->at))
		return 0;
	return tgt_fail(m->st, MORI_SHMEM_EINVAL, m->r->pe, m->st->heap_base + off, len);
}

/* The network has set a text already. */
static int remote_op_status(const struct remote_op *m, int err)
{
	if (err)
		fail_has_text(m->r->pe);
	return err;
}

static int remote_op_put(struct remote_op *m, const struct net_signal *signal)
{
	struct dev_req *r = m->r;
	int err = remote_op_find(m, r->off, r->len);

	if (!err)
		err = remote_op_status(m,
				       net_put(m->net, &m->at, r->local, r->len, signal, m->flags));
	return err;
}

static int remote_op_put_signal(struct remote_op *m)
{
	struct dev_req *r = m->r;
	struct net_signal signal = { .value = r->value, .op = r->op };
	int err = remote_op_find(m, r->sig, 8);

	signal.region = m->at.region;
	signal.off = m->at.off;
	return err ? err : remote_op_put(m, &signal);
}

static int remote_op_get(struct remote_op *m, void *dst)
{
	struct dev_req *r = m->r;
	int err = remote_op_find(m, r->off, r->len);

	return err ? err : remote_op_status(m, net_get(m->net, &m->at, dst, r->len, m->flags));
}

static int remote_op_amo(struct remote_op *m, bool wide, int op, uint64_t value)
{
	struct dev_req *r = m->r;
	int width = wide ? 8 : 4;
	int err = remote_op_find(m, r->off, (uint64_t)width);

	if (!err)
		err = remote_op_status(m, net_amo(m->net, &m->at, width, op, value, r->compare,
						  r->gives ? &r->result : NULL));
	return err;
}

/* A window may be out of reach where the heap is not: then a fence has two paths to keep in order. */
static int remote_op_order(struct remote_op *m, enum dev_act act)
{
	int pe = m->r->pe == DEV_ALL ? NET_ALL : m->r->pe;

	tgt_fence_full(m->st);
	if (act == DEV_ACT_FENCE && dev_one_path(m->st, m->r->pe))
		return remote_op_status(m, net_fence(m->net, pe));
	return remote_op_status(m, net_quiet(m->net, pe));
}

static int remote_op_act(struct remote_op *m, enum dev_act act)
{
	struct dev_req *r = m->r;

	switch (act) {
	case DEV_ACT_PUT:
	case DEV_ACT_P:
		return remote_op_put(m, NULL);
	case DEV_ACT_PUT_SIGNAL:
		return remote_op_put_signal(m);
	case DEV_ACT_GET:
		return remote_op_get(m, r->local);
	case DEV_ACT_G:
		return remote_op_get(m, &r->result);
	case DEV_ACT_SIGNAL:
		return remote_op_amo(m, true, r->op, r->value);
	case DEV_ACT_AMO:
		return remote_op_amo(m, r->wide, r->op, r->value);
	case DEV_ACT_ADD_REAL:
		return remote_op_amo(m, r->wide, AMO_ADD_REAL, amo_real_bits(r->wide, r->add));
	case DEV_ACT_QUIET:
	case DEV_ACT_FENCE:
		break;
	}
	return remote_op_order(m, act);
}

int tgt_queue(const struct dev_state *st, enum dev_act act, struct dev_req *r)
{
	struct pe *pe = st->host;
	struct remote_op m = { .st = st, .net = remote_net(pe->world), .r = r };
	struct remote_wait wait;
	int err;

	if (r->nbi)
		m.flags |= NET_NBI;
	if (pe_device_mem(pe) && r->len && r->local && pe_device_holds(pe, r->local))
		m.flags |= NET_DEVICE;
	remote_wait_begin(&wait, pe, NULL, (int)act, r);
	err = remote_op_act(&m, act);
	remote_wait_end(&wait);
	return err;
}
