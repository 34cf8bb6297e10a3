// SPDX-License-Identifier: MIT
/* Chooses the library, one of its providers, and a network. */
#include "net/fabric.h"
#include "util/err.h"
#include "util/log.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FABRIC_VERSION FI_VERSION(1, 17)

/* In the order of preference. */
static const struct fabric_candidate {
	const char *provider;
	enum fi_ep_type type;
	bool on_request; /* not chosen otherwise: our own sockets are faster */
} candidates[] = {
	{ "verbs", FI_EP_MSG, false }, { "efa", FI_EP_RDM, false }, { "cxi", FI_EP_RDM, false },
	{ "psm3", FI_EP_RDM, false },  { "tcp", FI_EP_MSG, true },
};

#define N_CANDIDATES (sizeof(candidates) / sizeof(candidates[0]))

static void *fabric_lib_symbol(void *library, const char *name)
{
	void *at = dlsym(library, name);

	if (!at)
		err_set(MORI_SHMEM_ENOTSUP, "libfabric.so.1 has no %s: it is too old", name);
	return at;
}

int fabric_lib_load(struct fabric_lib *lib)
{
	/* It keeps threads and exit handlers of its own: never unload it. */
	void *library = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (!library)
		return err_set(MORI_SHMEM_ENOTSUP,
			       "libfabric, which PEs out of reach of load and store need, was not "
			       "found: %s; install libfabric1 (1.17 or later)",
			       dlerror());
	*(void **)&lib->version = fabric_lib_symbol(library, "fi_version");
	*(void **)&lib->getinfo = fabric_lib_symbol(library, "fi_getinfo");
	*(void **)&lib->freeinfo = fabric_lib_symbol(library, "fi_freeinfo");
	*(void **)&lib->dupinfo = fabric_lib_symbol(library, "fi_dupinfo");
	*(void **)&lib->fabric = fabric_lib_symbol(library, "fi_fabric");
	*(void **)&lib->strerror = fabric_lib_symbol(library, "fi_strerror");
	if (!lib->version || !lib->getinfo || !lib->freeinfo || !lib->dupinfo || !lib->fabric ||
	    !lib->strerror)
		return MORI_SHMEM_ENOTSUP;
	if (FI_VERSION_LT(lib->version(), FABRIC_VERSION))
		return err_set(MORI_SHMEM_ENOTSUP,
			       "libfabric %u.%u is too old: 1.17 or later is needed",
			       FI_MAJOR(lib->version()), FI_MINOR(lib->version()));
	return 0;
}

static struct fi_info *fabric_hints_new(struct fabric *f, const char *provider,
					enum fi_ep_type type, bool ordered)
{
	struct fi_info *h = f->lib.dupinfo(NULL);

	if (!h)
		return NULL;
	h->caps = FI_MSG | FI_RMA;
	h->mode = FI_CONTEXT | FI_CONTEXT2;
	h->ep_attr->type = type;
	h->domain_attr->mr_mode =
		FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
	h->domain_attr->threading = FI_THREAD_DOMAIN;
	h->domain_attr->resource_mgmt = FI_RM_ENABLED;
	if (ordered) {
		h->tx_attr->msg_order = FI_ORDER_SAS | FI_ORDER_SAW;
		h->rx_attr->msg_order = FI_ORDER_SAS | FI_ORDER_SAW;
	}
	h->fabric_attr->prov_name = strdup(provider);
	return h;
}

/* How well a network suits, the best highest; < 0: not at all. */
static int fabric_info_suits(const struct net *e, const struct fi_info *i)
{
	const struct sockaddr *sa = i->src_addr;
	const char *name = i->domain_attr->name ? i->domain_attr->name : "";
	const char *want = e->config.ifname;
	bool lo = false;

	if (want && i->addr_format != FI_SOCKADDR_IN && i->addr_format != FI_SOCKADDR_IN6)
		want = NULL; /* its names are not those of interfaces */
	if (want && strncmp(name, want, strlen(want)) != 0)
		return -1;
	if (!sa)
		return 1;
	if (i->addr_format == FI_SOCKADDR_IN) {
		const struct sockaddr_in *in = i->src_addr;

		lo = (ntohl(in->sin_addr.s_addr) >> 24) == 127;
		return want ? 5 : lo != !!e->config.loopback ? (lo ? 1 : 3) : 5;
	}
	if (i->addr_format == FI_SOCKADDR_IN6) {
		const struct sockaddr_in6 *in6 = i->src_addr;

		lo = IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
		if (IN6_IS_ADDR_LINKLOCAL(&in6->sin6_addr))
			return -1; /* means nothing without its interface */
		return want ? 4 : lo != !!e->config.loopback ? (lo ? 0 : 2) : 4;
	}
	return 1;
}

static int fabric_choose_one(struct net *e, const char *provider, enum fi_ep_type type)
{
	struct fabric *f = fabric_of(e);
	int err = -FI_ENODATA, best = -1;

	for (int ordered = 1; ordered >= 0 && best < 0; ordered--) {
		struct fi_info *hints = fabric_hints_new(f, provider, type, ordered), *list = NULL;

		if (!hints)
			return -FI_ENOMEM;
		err = f->lib.getinfo(FABRIC_VERSION, NULL, NULL, 0, hints, &list);
		f->lib.freeinfo(hints);
		for (struct fi_info *i = err ? NULL : list; i; i = i->next) {
			int suits = fabric_info_suits(e, i);

			if (suits <= best)
				continue;
			best = suits;
			if (f->info)
				f->lib.freeinfo(f->info);
			f->info = f->lib.dupinfo(i);
			e->ordered = ordered;
		}
		if (list)
			f->lib.freeinfo(list);
	}
	if (!f->info)
		return err ? err : -FI_ENODATA;
	f->connected = type == FI_EP_MSG;
	return 0;
}

int fabric_lib_choose(struct net *e)
{
	const char *want = e->config.provider, *ifname = e->config.ifname;
	struct fabric *f = fabric_of(e);
	int err = -FI_ENODATA;

	for (size_t i = 0; i < N_CANDIDATES; i++) {
		if (want ? strcmp(want, candidates[i].provider) : candidates[i].on_request)
			continue;
		err = fabric_choose_one(e, candidates[i].provider, candidates[i].type);
		if (!err)
			return 0;
	}
	/* An unknown provider, or layers as in "tcp;ofi_rxm". */
	if (want && (err = fabric_choose_one(e, want, FI_EP_RDM)) == 0)
		return 0;
	if (want)
		return err_set(MORI_SHMEM_ENOTSUP,
			       "MORI_FABRIC_PROVIDER=%s: libfabric has no such provider that works "
			       "here%s%s: %s; fi_info lists its providers",
			       want, ifname ? " on interface " : "", ifname ? ifname : "",
			       f->lib.strerror(-err));
	return err_set(MORI_SHMEM_ENOTSUP,
		       "libfabric has no NIC here that it can drive (tried verbs, efa, cxi and "
		       "psm3): %s",
		       f->lib.strerror(-err));
}
