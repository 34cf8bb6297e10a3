// SPDX-License-Identifier: MIT
/*
 * Opening and closing a rendezvous from the outside: other threads access only its list entry, its
 * closing flag and its eventfd.
 */
#include "boot/rdv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "boot/local.h"
#include "boot/node.h"
#include "stream/socket.h"
#include "util/err.h"
#include "util/thread.h"

static int rdv_watch(struct rdv *r, int fd, void *ptr)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = ptr };

	return fd < 0 || epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

/* The descriptors of @l become the rendezvous's, whatever is returned. */
static int rdv_add_listeners(struct rdv *r, struct listener_set *l)
{
	int err = 0;

	while (l->n > 0) {
		int e = acceptor_add(&r->acceptor, l->fds[--l->n]);

		err = err ? err : e;
	}
	return err;
}

static int rdv_sockets(struct rdv *r, struct listener_set *own, struct listener_set *extra)
{
	int err = acceptor_open(&r->acceptor, rdv_hear, r);

	if (!err)
		err = rdv_add_listeners(r, own);
	if (!err && extra)
		err = rdv_add_listeners(r, extra);
	if (err)
		return err;
	r->epoll = socket_adopt(epoll_create1(EPOLL_CLOEXEC));
	if (r->epoll < 0)
		return -errno;
	r->wake = socket_adopt(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	err = rdv_watch(r, r->wake, NULL);
	return err ? err : rdv_watch(r, r->acceptor.epoll, &r->acceptor);
}

static int rdv_identify(struct rdv *r, const struct listener_set *l)
{
	int err = mac_random(r->uid.secret, MAC_BYTES);

	r->uid.port = l->port;
	r->uid.loopback = l->loopback;
	r->uid.node = node_real();
	uid_pack(&r->uid, l->addrs, l->n_addrs, r->uid_bytes);
	node_host(r->host);
	return err;
}

static int rdv_start(struct rdv *r)
{
	struct boot_local *reg = boot_local_lock();
	int err;

	r->pid = reg->pid;
	err = thread_create(&r->thread, THREAD_STACK_SMALL, rdv_main, r);
	if (!err) {
		r->next = reg->rdvs;
		reg->rdvs = r;
	}
	boot_local_unlock();
	return err ? err_set(MORI_SHMEM_EIO, "cannot start a thread: %s", strerror(err)) : 0;
}

/* Everything but the thread; after an error rdv_free() frees what there is. */
static int rdv_prepare(struct rdv *r, const struct boot_config *config, struct listener_set *extra)
{
	struct listener_set own = { 0 };
	int err = listen_open(config->ifname, 0, &own);

	if (err)
		return err;
	err = rdv_identify(r, &own);
	if (!err)
		err = rdv_sockets(r, &own, extra);
	listen_close(&own);
	return err ? err_set(MORI_SHMEM_EIO, "cannot open a rendezvous: %s", strerror(-err)) : 0;
}

int rdv_open(const struct boot_config *config, int one_shot, struct listener_set *extra,
	     const uint8_t *key, unsigned char uid[BOOT_UID_BYTES])
{
	struct rdv *r = calloc(1, sizeof(*r));
	unsigned char bytes[BOOT_UID_BYTES];
	int err = MORI_SHMEM_ENOMEM;

	if (r) {
		r->epoll = r->wake = -1;
		rdv_order_open(r);
		r->acceptor = ACCEPTOR_CLOSED;
		r->one_shot = one_shot;
		r->published = extra != NULL;
		if (key)
			memcpy(r->key, key, MAC_BYTES);
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

/* With the list locked: the pointer to it, or NULL. */
static struct rdv **rdv_find(struct boot_local *reg, const unsigned char *uid)
{
	for (struct rdv **p = &reg->rdvs; *p; p = &(*p)->next) {
		if ((*p)->pid == reg->pid && !memcmp((*p)->uid_bytes, uid, BOOT_UID_BYTES))
			return p;
	}
	return NULL;
}

struct rdv *rdv_here(const unsigned char uid[BOOT_UID_BYTES])
{
	struct rdv **p = rdv_find(boot_local_lock(), uid), *r = p ? *p : NULL;

	boot_local_unlock();
	return r;
}

int rdv_is_here(const unsigned char uid[BOOT_UID_BYTES], int *one_shot)
{
	struct rdv **p = rdv_find(boot_local_lock(), uid);
	int here = p != NULL;

	*one_shot = here && (*p)->one_shot;
	boot_local_unlock();
	return here;
}

void boot_close_rdv(const unsigned char uid[BOOT_UID_BYTES])
{
	struct rdv **p = rdv_find(boot_local_lock(), uid);
	struct rdv *r = p ? *p : NULL;

	if (r)
		*p = r->next;
	boot_local_unlock();
	if (!r)
		return;
	__atomic_store_n(&r->closing, 1, __ATOMIC_RELEASE);
	(void)eventfd_write(r->wake, 1);
	pthread_join(r->thread, NULL);
	rdv_free(r);
}

/*
 * A rendezvous stays when its job does not form, so that PEs may try again with its id. Who makes
 * another id has given up: the former ones of this process close.
 */
static void rdv_close_spent(void)
{
	unsigned char uid[BOOT_UID_BYTES];
	int found;

	do {
		struct boot_local *reg = boot_local_lock();
		struct rdv *r = reg->rdvs;

		while (r && (r->pid != reg->pid || !__atomic_load_n(&r->spent, __ATOMIC_RELAXED)))
			r = r->next;
		found = r != NULL;
		if (found)
			memcpy(uid, r->uid_bytes, sizeof(uid));
		boot_local_unlock();
		if (found)
			boot_close_rdv(uid);
	} while (found);
}

int boot_open_rdv(const struct boot_config *config, unsigned char uid[BOOT_UID_BYTES])
{
	rdv_close_spent();
	return rdv_open(config, 0, NULL, NULL, uid);
}
