// SPDX-License-Identifier: MIT
/* The NIC of a PE: opening it, the memory that it may access, and memory for its queues. */
#include "net/verbs_lib.h"
#include "util/err.h"
#include "util/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int verbs_fail(const struct verbs_port *p, int err_no, const char *what, const char *todo)
{
	int status;

	err_no = err_no < 0 ? -err_no : err_no; /* some calls return it negative */
	status = err_no == ENOMEM			  ? MORI_SHMEM_ENOMEM :
		 err_no == EOPNOTSUPP || err_no == ENOSYS ? MORI_SHMEM_ENOTSUP :
							    MORI_SHMEM_EIO;

	return err_set(status, "%s port %d: %s: %s%s%s", p->name, p->port, what, strerror(err_no),
		       *todo ? "; " : "", todo);
}

static int verbs_open_device(struct verbs *v)
{
	struct ibv_device **list, *d;
	int count, code;

	errno = 0;
	list = verbs_calls.ibv_device_list(&count);
	if (!list)
		return verbs_fail(&v->port, errno ? errno : ENODEV, "ibv_get_device_list", "");
	d = verbs_find(list, v->port.name);
	errno = ENODEV;
	if (d)
		v->ctx = v->vendor->open ? v->vendor->open(v, d) : verbs_calls.ibv_open(d);
	code = errno;
	verbs_calls.ibv_free_list(list);
	if (!v->ctx)
		return verbs_fail(&v->port, code, "ibv_open_device",
				  "may this user open /dev/infiniband?");
	code = verbs_calls.ibv_get_device(v->ctx, &v->attr);
	if (code)
		return verbs_fail(&v->port, code, "ibv_query_device", "");
	if (v->attr.atomic_cap == IBV_ATOMIC_NONE)
		log_warn("%s has no atomics: atomics of kernels on other nodes will fail",
			 v->port.name);
	errno = 0;
	v->pd = verbs_calls.ibv_alloc_pd(v->ctx);
	return v->pd ? 0 : verbs_fail(&v->port, errno, "ibv_alloc_pd", "");
}

static void verbs_close(struct verbs *v)
{
	if (!v)
		return;
	verbs_region_remove(v->heap);
	if (v->pd)
		verbs_calls.ibv_free_pd(v->pd);
	if (v->ctx)
		verbs_calls.ibv_close(v->ctx);
	free(v);
}

static int verbs_open(const struct verbs_config *c, struct verbs **out)
{
	struct verbs *v = calloc(1, sizeof(*v));
	struct verbs_port *ports;
	size_t n;
	int err, which;

	if (!v)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a NIC");
	v->config = *c;
	if (!v->config.log_slots)
		v->config.log_slots = 10;
	err = verbs_scan(c, &ports, &n);
	if (!err) {
		which = verbs_choose(c, ports, n, v->why, sizeof(v->why));
		if (which >= 0)
			v->port = ports[which];
		err = which < 0 ? which : 0;
		free(ports);
	}
	if (!err) {
		v->vendor = verbs_vendor_of(v->port.format);
		err = verbs_open_device(v);
	}
	if (err) {
		verbs_close(v);
		return err;
	}
	log_info("NIC: %s", v->why);
	*out = v;
	return 0;
}

static const struct verbs_port *verbs_port(const struct verbs *v)
{
	return &v->port;
}

static const char *verbs_why(const struct verbs *v)
{
	return v->why;
}

int verbs_part_fd(struct verbs *v, const void *at, uint64_t len, uint64_t *off)
{
	const struct verbs_memory *m = v->config.memory;
	int fd = -1;

	*off = 0;
	if (!m || !m->dmabuf || m->dmabuf(v->config.dev, at, len, &fd, off))
		return -1;
	return fd;
}

/* Device memory by dma-buf; NULL and an errno if that is not possible. */
static struct ibv_mr *verbs_reg_dmabuf(struct verbs *v, void *at, uint64_t len, int *code)
{
	struct ibv_mr *mr = NULL;
	uint64_t off;
	int fd;

	*code = EOPNOTSUPP;
	if (!verbs_calls.ibv_reg_dmabuf)
		return NULL;
	fd = verbs_part_fd(v, at, len, &off);
	if (fd < 0)
		return NULL;
	errno = 0;
	mr = verbs_calls.ibv_reg_dmabuf(v->pd, off, len, (uintptr_t)at, fd, VERBS_ACCESS);
	*code = errno;
	close(fd);
	return mr;
}

/* @at is the address in this process or its device, @addr the one in queue entries. */
static int verbs_region_new(struct verbs *v, void *at, uint64_t addr, uint64_t len, bool device,
			    struct verbs_region **out)
{
	struct verbs_region *r = calloc(1, sizeof(*r));
	int dmabuf = 0, code;
	char todo[160];

	if (!r)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a region");
	r->nic = v;
	if (device)
		r->mr = verbs_reg_dmabuf(v, at, len, &dmabuf);
	errno = 0;
	if (!r->mr)
		r->mr = verbs_calls.ibv_reg(v->pd, at, len, addr, VERBS_ACCESS);
	code = errno;
	if (r->mr) {
		*out = r;
		return 0;
	}
	free(r);
	snprintf(todo, sizeof(todo), "raise the limit of locked memory (ulimit -l)");
	if (device)
		snprintf(todo, sizeof(todo),
			 "nor by dma-buf: %s; load nvidia-peermem, or use a driver and kernel with "
			 "dma-buf",
			 strerror(dmabuf));
	return verbs_fail(&v->port, code,
			  device ? "device memory cannot be registered" :
				   "memory cannot be registered",
			  todo);
}

static int verbs_region_add(struct verbs *v, void *at, uint64_t len, bool device,
			    struct verbs_region **out)
{
	return verbs_region_new(v, at, (uintptr_t)at, len, device, out);
}

void verbs_region_remove(struct verbs_region *r)
{
	if (!r)
		return;
	verbs_calls.ibv_dereg(r->mr);
	free(r);
}

static void verbs_region_keys(const struct verbs_region *r, uint32_t *lkey, uint32_t *rkey)
{
	*lkey = r->mr->lkey;
	*rkey = r->mr->rkey;
}

static int verbs_heap(struct verbs *v, void *at, uint64_t len, bool device)
{
	if (v->heap)
		return err_set(MORI_SHMEM_EINVAL, "%s has its heap already", v->port.name);
	v->heap_at = (uintptr_t)at;
	return verbs_region_add(v, at, len, device, &v->heap);
}

static void verbs_heap_keys(const struct verbs *v, uint32_t *lkey, uint32_t *rkey)
{
	verbs_region_keys(v->heap, lkey, rkey);
}

int verbs_show(struct verbs *v, uint64_t *addr, uint64_t len, bool io, struct verbs_shown **out)
{
	const struct verbs_memory *m = v->config.memory;
	uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE), page = *addr & ~(size - 1);
	uint64_t end = (*addr + len + size - 1) & ~(size - 1);
	struct verbs_shown *s;
	int err;

	*out = NULL;
	if (!m || !m->show)
		return 0;
	for (s = v->shown; s; s = s->next)
		if (s->page == page && s->len == end - page)
			break;
	if (!s) {
		s = calloc(1, sizeof(*s));
		if (!s)
			return err_set(MORI_SHMEM_ENOMEM, "out of memory for a queue");
		err = m->show(v->config.dev, (void *)(uintptr_t)page, end - page, io, &s->out);
		if (err) {
			free(s);
			return err;
		}
		s->page = page;
		s->len = end - page;
		s->next = v->shown;
		v->shown = s;
	}
	s->users++;
	*addr = (uintptr_t)s->out + (*addr - page);
	*out = s;
	return 0;
}

void verbs_hide(struct verbs *v, struct verbs_shown *s)
{
	struct verbs_shown **at = &v->shown;

	if (!s || --s->users)
		return;
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	if (v->config.memory->hide)
		v->config.memory->hide(v->config.dev, (void *)s->page);
	free(s);
}

int verbs_part_open(struct verbs *v, uint64_t len, struct verbs_part *out, uint8_t **image)
{
	const struct verbs_memory *m = v->config.memory;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int err;

	*out = (struct verbs_part){ .len = (len + page - 1) & ~(page - 1),
				    .device = m && m->alloc };
	*image = calloc(1, out->len);
	if (*image && out->device) {
		/* Devices align small blocks to less than a page; NICs want whole pages. */
		err = m->alloc(v->config.dev, out->len + page, &out->whole);
	} else {
		out->whole = *image ? aligned_alloc(page, out->len) : NULL;
		err = out->whole ? 0 :
				   err_set(MORI_SHMEM_ENOMEM, "%s: out of memory for a queue",
					   v->port.name);
	}
	out->addr = ((uintptr_t)out->whole + page - 1) & ~(page - 1);
	out->at = (void *)(uintptr_t)out->addr;
	if (!err && !out->device)
		err = verbs_show(v, &out->addr, out->len, false, &out->shown);
	if (!err)
		return 0;
	if (!out->device)
		free(out->whole);
	free(*image);
	out->at = NULL;
	return err;
}

void verbs_part_close(struct verbs *v, struct verbs_part *p)
{
	if (!p->at)
		return;
	verbs_hide(v, p->shown);
	if (p->device)
		v->config.memory->free(v->config.dev, p->whole);
	else
		free(p->whole);
	p->at = NULL;
}

int verbs_part_fill(struct verbs *v, const struct verbs_part *p, uint8_t *image)
{
	int err = 0;

	if (p->device)
		err = v->config.memory->copy(v->config.dev, p->at, image, p->len);
	else
		memcpy(p->at, image, p->len);
	free(image);
	return err;
}

int verbs_part_reg(struct verbs *v, const struct verbs_part *p, struct verbs_region **out)
{
	return verbs_region_new(v, p->at, p->addr, p->len, p->device, out);
}

static const struct verbs_ops verbs_table = {
	.scan = verbs_scan,
	.open = verbs_open,
	.close = verbs_close,
	.port = verbs_port,
	.why = verbs_why,
	.region_add = verbs_region_add,
	.region_remove = verbs_region_remove,
	.region_keys = verbs_region_keys,
	.heap = verbs_heap,
	.heap_keys = verbs_heap_keys,
	.qp_open = verbs_qp_open,
	.qp_record = verbs_qp_record,
	.qp_connect = verbs_qp_connect,
	.qp_close = verbs_qp_close,
};

const struct verbs_ops *const verbs = &verbs_table;
