// SPDX-License-Identifier: MIT
/* libfabric's objects: opening, closing and polling them. */
#include "net/fabric.h"
#include "stream/socket.h"
#include "util/err.h"
#include "util/log.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#define ENTRIES	     16
#define EVENTS_EVERY 64 /* steps between two polls of the connection manager */

int fabric_fail(struct fabric *f, int status, const char *what, long err)
{
	return err_set(status, "libfabric (%s): %s: %s",
		       f->info ? f->info->fabric_attr->prov_name : "no provider", what,
		       f->lib.strerror((int)(err < 0 ? -err : err)));
}

static void fabric_close(struct net *e)
{
	struct fabric *f = fabric_of(e);

	if (!f)
		return;
	if (f->ep)
		fi_close(&f->ep->fid);
	if (f->pep)
		fi_close(&f->pep->fid);
	if (f->srx)
		fi_close(&f->srx->fid);
	if (f->av)
		fi_close(&f->av->fid);
	fabric_bufs_close(f);
	if (f->cq)
		fi_close(&f->cq->fid);
	if (f->domain)
		fi_close(&f->domain->fid);
	if (f->eq)
		fi_close(&f->eq->fid);
	if (f->fabric)
		fi_close(&f->fabric->fid);
	if (f->info)
		f->lib.freeinfo(f->info);
	socket_close(f->wake);
	free(f);
}

static int fabric_open_objects(struct fabric *f)
{
	struct fi_eq_attr eq = { .wait_obj = FI_WAIT_FD };
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_MSG, .wait_obj = FI_WAIT_FD, .size = 4096 };
	int err = f->lib.fabric(f->info->fabric_attr, &f->fabric, NULL);

	if (!err && f->connected)
		err = fi_eq_open(f->fabric, &eq, &f->eq, NULL);
	if (!err)
		err = fi_domain(f->fabric, f->info, &f->domain, NULL);
	if (!err)
		err = fi_cq_open(f->domain, &cq, &f->cq, NULL);
	if (!err)
		err = fi_control(&f->cq->fid, FI_GETWAIT, &f->cq_fd);
	if (!err && f->eq)
		err = fi_control(&f->eq->fid, FI_GETWAIT, &f->eq_fd);
	f->local_mr = f->info->domain_attr->mr_mode & FI_MR_LOCAL;
	f->offsets = !(f->info->domain_attr->mr_mode & FI_MR_VIRT_ADDR);
	f->wake = socket_adopt(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (!err && f->wake < 0)
		err = -errno;
	return err ? fabric_fail(f, MORI_SHMEM_EIO, "cannot open the network", err) : 0;
}

static int fabric_open(struct net *e)
{
	struct fabric *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for the network");
	f->cq_fd = f->eq_fd = f->wake = -1;
	e->state = f;
	err = fabric_lib_load(&f->lib);
	if (!err)
		err = fabric_lib_choose(e);
	if (!err)
		err = fabric_open_objects(f);
	if (!err)
		err = fabric_listen(e);
	return err ? err : fabric_bufs_open(e);
}

static const char *fabric_provider(const struct net *e)
{
	return fabric_of(e)->info->fabric_attr->prov_name;
}

static void fabric_progress_error(struct net *e)
{
	struct fabric *f = fabric_of(e);
	struct fi_cq_err_entry entry;

	memset(&entry, 0, sizeof(entry));
	if (fi_cq_readerr(f->cq, &entry, 0) != 1)
		return;
	if (!entry.op_context)
		log_debug("network: an error without its operation: %s",
			  f->lib.strerror(entry.err));
	else
		fabric_done(e, entry.op_context, 0, entry.err ? entry.err : FI_EIO);
}

static int fabric_progress(struct net *e)
{
	struct fabric *f = fabric_of(e);
	struct fi_cq_msg_entry entries[ENTRIES];
	ssize_t got;
	int n = 0;

	while ((got = fi_cq_read(f->cq, entries, ENTRIES)) > 0 || got == -FI_EAVAIL) {
		if (got < 0) {
			fabric_progress_error(e);
			n++;
			continue;
		}
		for (ssize_t i = 0; i < got; i++)
			fabric_done(e, entries[i].op_context, entries[i].len, 0);
		n += (int)got;
		if (got < ENTRIES || n >= 4 * ENTRIES)
			break;
	}
	if (f->eq && (f->n_connecting || ++f->ticks % EVENTS_EVERY == 0))
		n += fabric_events(e);
	return n;
}

static bool fabric_may_sleep(struct net *e)
{
	struct fabric *f = fabric_of(e);
	struct fid *fids[2] = { &f->cq->fid, f->eq ? &f->eq->fid : NULL };

	if (f->eq && fabric_events(e))
		return false;
	return fi_trywait(f->fabric, fids, f->eq ? 2 : 1) == 0;
}

static bool fabric_sleep(struct net *e, int64_t timeout_ns)
{
	struct fabric *f = fabric_of(e);
	struct pollfd fds[3] = { { .fd = f->wake, .events = POLLIN },
				 { .fd = f->cq_fd, .events = POLLIN },
				 { .fd = f->eq_fd, .events = POLLIN } };

	return poll(fds, f->eq ? 3 : 2, (int)(timeout_ns / 1000000)) > 0;
}

static void fabric_wake(struct net *e)
{
	uint64_t one = 1;

	if (write(fabric_of(e)->wake, &one, sizeof(one)) < 0)
		log_debug("network: the thread could not be woken");
}

/* Where we choose the keys they are random: no process outside the job can guess one. */
static uint64_t fabric_region_key(struct fabric *f)
{
	uint64_t key = 0;

	if (f->info->domain_attr->mr_key_size < 8 || getrandom(&key, sizeof(key), 0) != sizeof(key))
		key = ++f->next_key;
	return key;
}

/* Memory that cannot be registered is served by messages. */
static void fabric_region_new(struct net *e, struct net_region *r)
{
	struct fabric *f = fabric_of(e);
	uint64_t access = FI_READ | FI_WRITE;
	struct fid_mr *mr = NULL;
	int err;

	if (r->kind == NET_DEV || !r->len || (r->kind == NET_LOCAL && !f->local_mr))
		return;
	if (r->kind == NET_HOST || r->kind == NET_USER)
		access |= FI_REMOTE_READ | FI_REMOTE_WRITE;
	err = fi_mr_reg(f->domain, r->base, r->len, access, 0, fabric_region_key(f), 0, &mr, NULL);
	if (!err && f->ep && (f->info->domain_attr->mr_mode & FI_MR_ENDPOINT)) {
		err = fi_mr_bind(mr, &f->ep->fid, 0);
		if (!err)
			err = fi_mr_enable(mr);
		if (err)
			fi_close(&mr->fid);
	}
	if (err) {
		log_warn("network: %llu bytes of PE %d could not be registered (%s); they are "
			 "served by messages",
			 (unsigned long long)r->len, r->pe, f->lib.strerror(-err));
		return;
	}
	r->link = mr;
	r->key = fi_mr_key(mr);
	r->addr = f->offsets ? 0 : (uint64_t)(uintptr_t)r->base;
}

static void fabric_region_gone(struct net *e, struct net_region *r)
{
	struct fid_mr *mr = r->link;

	(void)e;
	if (mr)
		fi_close(&mr->fid);
}

const struct net_link net_link_fabric = {
	.name = "libfabric",
	.data_max = BUF_DATA,
	.open = fabric_open,
	.close = fabric_close,
	.provider = fabric_provider,
	.connect = fabric_connect,
	.disconnect = fabric_disconnect,
	.send = fabric_send,
	.progress = fabric_progress,
	.may_sleep = fabric_may_sleep,
	.sleep = fabric_sleep,
	.wake = fabric_wake,
	.region_new = fabric_region_new,
	.region_gone = fabric_region_gone,
	.rma_local = fabric_rma_local,
	.rma_max = fabric_rma_max,
	.rma = fabric_rma,
};
