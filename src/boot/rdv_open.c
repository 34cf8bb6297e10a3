// SPDX-License-Identifier: MIT
/*
 * Opening and closing a rendezvous from the outside: other threads only ever
 * touch its place in the registry, its closing flag and its eventfd.
 */
#include "boot/rdv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "boot/registry.h"
#include "util/err.h"

static int rdv_add(struct rdv *r, struct source *s, enum source_kind kind, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = s };

	*s = (struct source){ kind, fd };
	return epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

/* The descriptors of @l become the rendezvous's, whatever is returned. */
static int rdv_add_listeners(struct rdv *r, struct listeners *l)
{
	int err = 0;

	for (int i = 0; i < l->n; i++) {
		int e = rdv_add(r, &r->listeners[r->n_listeners++], SOURCE_LISTENER, l->fds[i]);

		err = err ? err : e;
	}
	l->n = 0;
	return err;
}

static int rdv_sockets(struct rdv *r, struct listeners *own, struct listeners *extra)
{
	int n = own->n + (extra ? extra->n : 0), err;

	r->listeners = calloc((size_t)n, sizeof(*r->listeners));
	if (!r->listeners)
		return -ENOMEM;
	r->epoll = sock_adopt(epoll_create1(EPOLL_CLOEXEC));
	if (r->epoll < 0)
		return -errno;
	err = rdv_add_listeners(r, own);
	if (!err && extra)
		err = rdv_add_listeners(r, extra);
	if (err)
		return err;
	r->wake.fd = sock_adopt(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	return r->wake.fd < 0 ? -errno : rdv_add(r, &r->wake, SOURCE_WAKE, r->wake.fd);
}

static int rdv_identify(struct rdv *r, const struct listeners *l)
{
	int err = wire_random(r->uid.client_secret, WIRE_SECRET);

	if (!err)
		err = wire_random(r->uid.server_secret, WIRE_SECRET);
	r->uid.port = l->port;
	r->uid.loopback = l->loopback;
	r->uid.node = node_real();
	uid_pack(&r->uid, l->addrs, l->n_addrs, r->uid_bytes);
	node_host(r->host);
	return err;
}

static int rdv_start(struct rdv *r)
{
	struct registry *reg = registry_lock();
	int err;

	r->pid = reg->pid;
	err = wire_thread(&r->thread, rdv_main, r);
	if (!err) {
		r->next = reg->rdvs;
		reg->rdvs = r;
	}
	registry_unlock();
	return err ? err_set(MORI_SHMEM_EIO, "cannot start a thread: %s", strerror(-err)) : 0;
}

/* Everything but the thread; what there is after an error is rdv_free()'s. */
static int rdv_prepare(struct rdv *r, const struct boot_config *config, struct listeners *extra)
{
	struct listeners own = { 0 };
	int err = listen_open(config->ifname, 0, &own);

	if (err)
		return err;
	err = rdv_identify(r, &own);
	if (!err)
		err = rdv_sockets(r, &own, extra);
	listen_close(&own);
	return err ? err_set(MORI_SHMEM_EIO, "cannot open a rendezvous: %s", strerror(-err)) : 0;
}

int rdv_open(const struct boot_config *config, int one_shot, struct listeners *extra,
	     const uint8_t *key, unsigned char uid[BOOT_UID_BYTES])
{
	struct rdv *r = calloc(1, sizeof(*r));
	unsigned char bytes[BOOT_UID_BYTES];
	int err = MORI_SHMEM_ENOMEM;

	if (r) {
		r->epoll = r->wake.fd = -1;
		r->one_shot = one_shot;
		r->published = extra != NULL;
		if (key)
			memcpy(r->key, key, WIRE_SECRET);
		err = rdv_prepare(r, config, extra);
	}
	if (extra)
		listen_close(extra);
	if (!err) {
		memcpy(bytes, r->uid_bytes, BOOT_UID_BYTES);
		err = rdv_start(r);
	}
	if (err) {
		if (r)
			rdv_free(r);
		return r ? err : err_set(err, "out of memory for a rendezvous");
	}
	memcpy(uid, bytes, BOOT_UID_BYTES);
	return 0;
}

int boot_open_rdv(const struct boot_config *config, unsigned char uid[BOOT_UID_BYTES])
{
	return rdv_open(config, 0, NULL, NULL, uid);
}

/* With the registry locked: where the link to it is, or NULL. */
static struct rdv **rdv_find(struct registry *reg, const unsigned char *uid)
{
	for (struct rdv **p = &reg->rdvs; *p; p = &(*p)->next) {
		if ((*p)->pid == reg->pid && !memcmp((*p)->uid_bytes, uid, BOOT_UID_BYTES))
			return p;
	}
	return NULL;
}

int rdv_is_here(const unsigned char uid[BOOT_UID_BYTES], int *one_shot)
{
	struct rdv **p = rdv_find(registry_lock(), uid);
	int here = p != NULL;

	*one_shot = here && (*p)->one_shot;
	registry_unlock();
	return here;
}

void boot_close_rdv(const unsigned char uid[BOOT_UID_BYTES])
{
	struct rdv **p = rdv_find(registry_lock(), uid);
	struct rdv *r = p ? *p : NULL;

	if (r)
		*p = r->next;
	registry_unlock();
	if (!r)
		return;
	__atomic_store_n(&r->closing, 1, __ATOMIC_RELEASE);
	(void)eventfd_write(r->wake.fd, 1);
	pthread_join(r->thread, NULL);
	rdv_free(r);
}
