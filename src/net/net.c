// SPDX-License-Identifier: MIT
/* The calls of net.h, handed to the implementation that was opened. */
#include "net/net.h"

extern const struct net_ops net_engine;

int net_open(const struct net_config *config, struct net **out)
{
	return net_engine.open(config, out);
}

void net_close(struct net *n)
{
	if (n)
		n->ops->close(n);
}

const char *net_provider(const struct net *n)
{
	return n->ops->provider(n);
}

void net_address(const struct net *n, unsigned char out[NET_ADDRESS_BYTES])
{
	n->ops->address(n, out);
}

int net_peers(struct net *n, const unsigned char (*addresses)[NET_ADDRESS_BYTES])
{
	return n->ops->peers(n, addresses);
}

int net_region_add(struct net *n, int pe, uint32_t id, enum net_memory kind, void *base,
		   uint64_t len)
{
	return n->ops->region_add(n, pe, id, kind, base, len);
}

void net_region_remove(struct net *n, int pe, uint32_t id)
{
	n->ops->region_remove(n, pe, id);
}

int net_put(struct net *n, const struct net_at *to, const void *src, size_t len,
	    const struct net_signal *signal, unsigned flags)
{
	return n->ops->put(n, to, src, len, signal, flags);
}

int net_get(struct net *n, const struct net_at *from, void *dst, size_t len, unsigned flags)
{
	return n->ops->get(n, from, dst, len, flags);
}

int net_amo(struct net *n, const struct net_at *at, int width, int op, uint64_t value,
	    uint64_t compare, uint64_t *old)
{
	return n->ops->amo(n, at, width, op, value, compare, old);
}

void net_post(struct net *n, struct net_post *p)
{
	n->ops->post(n, p);
}

int net_fence(struct net *n, int pe)
{
	return n->ops->fence(n, pe);
}

int net_quiet(struct net *n, int pe)
{
	return n->ops->quiet(n, pe);
}

int net_progress(struct net *n)
{
	return n->ops->progress(n);
}

void net_hold(struct net *n)
{
	n->ops->hold(n);
}

void net_rest(struct net *n)
{
	n->ops->rest(n);
}

void net_settle(struct net *n)
{
	n->ops->settle(n);
}

int net_nap(struct net *n, uint64_t ns)
{
	return n->ops->nap(n, ns);
}

void net_lost(struct net *n, int pe)
{
	n->ops->lost(n, pe);
}

int net_error(struct net *n, int pe)
{
	return n->ops->error(n, pe);
}
