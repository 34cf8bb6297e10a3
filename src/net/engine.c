// SPDX-License-Identifier: MIT
/* The engine as a whole: opened with the best link, and closed. */
#include "net/engine.h"
#include "net/verbs.h"
#include "util/err.h"
#include "util/log.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct net_addr) == NET_ADDRESS_BYTES, "what processes exchange");

void net_close(struct net *e)
{
	if (!e)
		return;
	engine_thread_stop(e);
	while (e->conns) {
		struct net_conn *c = e->conns;

		e->conns = c->next;
		net_conn_free(e, c);
	}
	if (e->link) {
		net_mem_close(e);
		e->link->close(e);
	}
	while (e->pending_free) {
		struct net_pending *p = e->pending_free;

		e->pending_free = p->next;
		free(p);
	}
	pthread_mutex_destroy(&e->lock);
	pthread_cond_destroy(&e->change);
	free(e->to);
	free(e->from);
	free(e->gone);
	free(e->left);
	free(e->addresses);
	free(e->proc_of);
	free((char *)e->config.provider);
	free((char *)e->config.ifname);
	free(e);
}

static int engine_copy_config(struct net *e, const struct net_config *config)
{
	size_t procs = (size_t)config->n_procs;

	e->config = *config;
	e->config.provider = config->provider ? strdup(config->provider) : NULL;
	e->config.ifname = config->ifname ? strdup(config->ifname) : NULL;
	e->proc_of = malloc((size_t)config->n_pes * sizeof(*e->proc_of));
	e->to = calloc(procs, sizeof(struct net_conn *));
	e->from = calloc(procs, sizeof(struct net_conn *));
	e->gone = calloc(procs, sizeof(*e->gone));
	e->left = calloc((size_t)config->n_pes, sizeof(*e->left));
	e->addresses = calloc(procs, sizeof(*e->addresses));
	if (!e->proc_of || !e->to || !e->from || !e->gone || !e->left || !e->addresses ||
	    (config->provider && !e->config.provider) || (config->ifname && !e->config.ifname))
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for %d processes",
			       config->n_procs);
	memcpy(e->proc_of, config->proc_of, (size_t)config->n_pes * sizeof(*e->proc_of));
	memcpy(e->secret, config->secret, sizeof(e->secret));
	e->config.proc_of = e->proc_of;
	e->config.secret = e->secret;
	return 0;
}

static int engine_try_link(struct net *e, const struct net_link *link)
{
	int err;

	e->link = link;
	err = link->open(e);
	if (err) {
		link->close(e);
		e->link = NULL;
		e->state = NULL;
	}
	return err;
}

/*
 * NICs with RDMA come first; libfabric's tcp is used only on request, because plain sockets
 * do the same in half the time (docs/decisions.md).
 */
static int engine_open_link(struct net *e)
{
	const char *want = e->config.provider;
	int err = MORI_SHMEM_ENOTSUP;
	struct err_was was;

	err_save(&was);
	if (want && !strcmp(want, net_link_sock.name))
		return engine_try_link(e, &net_link_sock);
#ifdef MORI_HAVE_FABRIC
	if (want || verbs_has_entry("/sys/class/infiniband") || verbs_has_entry("/sys/class/cxi"))
		err = engine_try_link(e, &net_link_fabric);
#else
	if (want)
		err_set(err,
			"MORI_FABRIC_PROVIDER=%s: this library was built without libfabric's "
			"headers and knows only sockets; build it again with "
			"MORI_WITH_FABRIC=ON where libfabric-dev is installed",
			want);
#endif
	if (err != MORI_SHMEM_ENOTSUP || want)
		return err;
	err_restore(&was);
	return engine_try_link(e, &net_link_sock);
}

int net_open(const struct net_config *config, struct net **out)
{
	struct net *e = calloc(1, sizeof(*e));
	pthread_condattr_t attr;
	int err;

	if (!e)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for the network");
	e->learned.crowded = config->crowded;
	pthread_mutex_init(&e->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&e->change, &attr);
	pthread_condattr_destroy(&attr);
	err = engine_copy_config(e, config);
	if (!err)
		err = engine_open_link(e);
	if (!err)
		err = engine_thread_start(e);
	if (err) {
		net_close(e);
		return err;
	}
	log_info("network: %s", e->link->provider(e));
	*out = e;
	return 0;
}

const char *net_provider(const struct net *e)
{
	return e->link->provider(e);
}

void net_address(const struct net *e, unsigned char out[NET_ADDRESS_BYTES])
{
	memcpy(out, &e->address, NET_ADDRESS_BYTES);
}

int net_peers(struct net *e, const unsigned char (*addresses)[NET_ADDRESS_BYTES])
{
	engine_enter(e);
	memcpy(e->addresses, addresses, (size_t)e->config.n_procs * NET_ADDRESS_BYTES);
	engine_leave(e);
	return 0;
}

void engine_end_lost(struct net *e)
{
	/* Acquire: pairs with the release in net_lost(). */
	if (!__atomic_exchange_n(&e->any_gone, false, __ATOMIC_ACQUIRE))
		return;
	for (int proc = 0; proc < e->config.n_procs; proc++) {
		struct net_conn *c;

		if (!__atomic_exchange_n(&e->gone[proc], false, __ATOMIC_RELAXED))
			continue;
		c = e->to[proc] ? e->to[proc] : net_conn_new(e, proc, false);
		if (c)
			net_conn_end(e, c, MORI_SHMEM_EPEER, "its process was lost");
		if (e->from[proc])
			net_conn_end(e, e->from[proc], MORI_SHMEM_EPEER, "its process was lost");
	}
}

/* The holder of the lock may be copying from a device, which may take long. */
void net_lost(struct net *e, int pe)
{
	__atomic_store_n(&e->gone[e->proc_of[pe]], true, __ATOMIC_RELAXED);
	__atomic_store_n(&e->any_gone, true, __ATOMIC_RELEASE);
	if (pthread_mutex_trylock(&e->lock)) {
		e->link->wake(e); /* the thread, or the one that makes progress now, does it */
		return;
	}
	engine_end_lost(e);
	engine_leave(e);
}
