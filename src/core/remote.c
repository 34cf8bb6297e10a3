// SPDX-License-Identifier: MIT
/*
 * What host threads do to memory that load and store do not reach: each act of a request,
 * over the world's network.
 */
#include "core/fail.h"
#include "core/pe.h"
#include "core/route.h"
#include "dev/path.h"

#include <string.h>

/* What is done, where, and from or to what. */
struct remote {
	const struct dev_state *st;
	struct net *net;
	struct dev_req *r;
	struct net_at at;
	unsigned flags; /* enum net_flags */
};

/* Where @off and @len bytes on are; a window may have gone since dev_reach(). */
static int remote_find(struct remote *m, uint64_t off, uint64_t len)
{
	m->at.pe = m->r->pe;
	if (!len || !route_find(m->st, off, len, &m->at))
		return 0;
	return tgt_fail(m->st, MORI_SHMEM_EINVAL, m->r->pe, m->st->heap_base + off, len);
}

/* What the network says of it has a text already. */
static int remote_said(const struct remote *m, int err)
{
	if (err)
		fail_told(m->r->pe);
	return err;
}

static int remote_put(struct remote *m, const struct net_signal *signal)
{
	struct dev_req *r = m->r;
	int err = remote_find(m, r->off, r->len);

	if (!err)
		err = remote_said(m, net_put(m->net, &m->at, r->local, r->len, signal, m->flags));
	return err;
}

static int remote_put_signal(struct remote *m)
{
	struct dev_req *r = m->r;
	struct net_signal signal = { .value = r->value, .op = r->op };
	int err = remote_find(m, r->sig, 8);

	signal.region = m->at.region;
	signal.off = m->at.off;
	return err ? err : remote_put(m, &signal);
}

static int remote_get(struct remote *m, void *dst)
{
	struct dev_req *r = m->r;
	int err = remote_find(m, r->off, r->len);

	return err ? err : remote_said(m, net_get(m->net, &m->at, dst, r->len, m->flags));
}

static int remote_amo(struct remote *m, bool wide, int op, uint64_t value)
{
	struct dev_req *r = m->r;
	int width = wide ? 8 : 4;
	int err = remote_find(m, r->off, (uint64_t)width);

	if (!err)
		err = remote_said(m, net_amo(m->net, &m->at, width, op, value, r->compare,
					     r->gives ? &r->result : NULL));
	return err;
}

/* The bits of what is added. */
static uint64_t remote_real(const struct dev_req *r)
{
	float half = (float)r->add;
	uint64_t bits = 0;

	memcpy(&bits, r->wide ? (const void *)&r->add : &half, r->wide ? 8 : 4);
	return bits;
}

/* A window may be out of reach where the heap is not: then a fence has two paths to keep in order. */
static int remote_order(struct remote *m, enum dev_act act)
{
	int pe = m->r->pe == DEV_ALL ? NET_ALL : m->r->pe;

	tgt_fence_full(m->st);
	if (act == DEV_ACT_FENCE && dev_one_way(m->st, m->r->pe))
		return remote_said(m, net_fence(m->net, pe));
	return remote_said(m, net_quiet(m->net, pe));
}

static int remote_act(struct remote *m, enum dev_act act)
{
	struct dev_req *r = m->r;

	switch (act) {
	case DEV_ACT_PUT:
	case DEV_ACT_P:
		return remote_put(m, NULL);
	case DEV_ACT_PUT_SIGNAL:
		return remote_put_signal(m);
	case DEV_ACT_GET:
		return remote_get(m, r->local);
	case DEV_ACT_G:
		return remote_get(m, &r->result);
	case DEV_ACT_SIGNAL:
		return remote_amo(m, true, r->op, r->value);
	case DEV_ACT_AMO:
		return remote_amo(m, r->wide, r->op, r->value);
	case DEV_ACT_ADD_REAL:
		return remote_amo(m, r->wide, NET_AMO_ADD_REAL, remote_real(r));
	case DEV_ACT_QUIET:
	case DEV_ACT_FENCE:
		break;
	}
	return remote_order(m, act);
}

int tgt_queue(const struct dev_state *st, enum dev_act act, struct dev_req *r)
{
	const struct pe *pe = st->host;
	struct remote m = { .st = st, .net = route_net(pe->world), .r = r };

	if (r->nbi)
		m.flags |= NET_NBI;
	if (pe_far(pe) && r->len && r->local && accel_holds(&pe->accel, r->local))
		m.flags |= NET_DEVICE;
	return remote_act(&m, act);
}
