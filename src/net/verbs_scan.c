// SPDX-License-Identifier: MIT
/*
 * The NICs of this machine and their ports: driver, state of the link, address, and
 * affinity to a device.
 */
#include "net/verbs_lib.h"
#include "util/err.h"
#include "util/log.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct verbs_scanner {
	const struct verbs_config *c;
	const char *sysfs;
	char device[PATH_MAX]; /* the path in sysfs of the device of the affinity; "": none */
	struct verbs_port *ports;
	size_t n;
};

static bool verbs_path_of(char out[PATH_MAX], const char *sysfs, const char *part, const char *name,
			  const char *rest)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/%s%s", sysfs, part, name, rest);
	return realpath(path, out) != NULL;
}

/* As the kernel writes it: drivers of GPUs use upper case and longer domains. */
static void verbs_scan_device(struct verbs_scanner *s)
{
	char name[64];
	size_t skip = 0;

	s->device[0] = '\0';
	if (!s->c->affinity)
		return;
	if (strcspn(s->c->affinity, ":") == 8)
		skip = strspn(s->c->affinity, "0") < 4 ? 0 : 4;
	snprintf(name, sizeof(name), "%s", s->c->affinity + skip);
	for (char *p = name; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	if (!verbs_path_of(s->device, s->sysfs, "bus/pci/devices", name, "")) {
		s->device[0] = '\0';
		log_warn("%s is not in %s/bus/pci/devices: all NICs count as equally near", name,
			 s->sysfs);
	}
}

/* The number of leading components that two paths share. */
static int verbs_shared_steps(const char *a, const char *b, const char *sysfs)
{
	char root[PATH_MAX];
	size_t at = realpath(sysfs, root) ? strlen(root) : 0;
	int n = 0;

	if (strncmp(a, b, at) != 0)
		return 0;
	for (at += strspn(a + at, "/");; n++) {
		size_t len = strcspn(a + at, "/");

		if (!len || len != strcspn(b + at, "/") || strncmp(a + at, b + at, len) != 0)
			return n;
		at += len + (a[at + len] == '/' && b[at + len] == '/');
	}
}

static int verbs_numa_of(const char *path)
{
	char file[PATH_MAX + 16];
	int node = -1;
	FILE *f;

	snprintf(file, sizeof(file), "%s/numa_node", path);
	f = fopen(file, "re");
	if (f && fscanf(f, "%d", &node) != 1)
		node = -1;
	if (f)
		fclose(f);
	return node;
}

/* The driver of the NIC: that of the closest parent device that has one. */
static void verbs_driver_of(const char *path, const char *sysfs, char *out, size_t size)
{
	char at[PATH_MAX], file[PATH_MAX + 16], to[PATH_MAX];
	ssize_t n = -1;
	char *slash;

	snprintf(out, size, "unknown");
	snprintf(at, sizeof(at), "%s", path);
	while (strlen(at) > strlen(sysfs) && n < 0) {
		snprintf(file, sizeof(file), "%s/driver", at);
		n = readlink(file, to, sizeof(to) - 1);
		slash = strrchr(at, '/');
		if (!slash)
			return;
		*slash = '\0';
	}
	if (n < 0)
		return;
	to[n] = '\0';
	slash = strrchr(to, '/');
	snprintf(out, size, "%.*s", (int)size - 1, slash ? slash + 1 : to);
}

static uint32_t verbs_format_of(const char *driver)
{
	for (uint32_t f = 0; f < NIC_FORMATS; f++) {
		const struct verbs_vendor *m = verbs_vendor_of(f);

		if (m && !strncmp(driver, m->driver, strlen(m->driver)))
			return f;
	}
	return NIC_FORMATS;
}

static struct verbs_port *verbs_port_add(struct verbs_scanner *s, const struct verbs_port *like)
{
	struct verbs_port *more = realloc(s->ports, (s->n + 1) * sizeof(*more));

	if (!more)
		return NULL;
	s->ports = more;
	more[s->n] = *like;
	return &more[s->n++];
}

static uint64_t verbs_speed_of(const struct ibv_port_attr *a)
{
	/* Mbit/s per lane by the bit of the speed, and lanes by the bit of the width. */
	static const uint32_t speeds[] = { 2500, 5000, 10000, 10000, 14000, 25000, 50000, 100000 };
	static const uint8_t lanes[] = { 1, 4, 8, 12, 2 };
	uint64_t speed = 0, width = 1;

	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++)
		if (a->active_speed & 1u << i)
			speed = speeds[i];
	for (size_t i = 0; i < sizeof(lanes); i++)
		if (a->active_width & 1u << i)
			width = lanes[i];
	return speed * width;
}

static bool verbs_gid_get(struct ibv_context *ctx, int port, int index, struct ibv_gid_entry *out)
{
	memset(out, 0, sizeof(*out));
	return !verbs_calls.ibv_get_gid(ctx, (uint32_t)port, (uint32_t)index, out, 0, sizeof(*out));
}

/* The requested one, or the best. */
static void verbs_find_gid(struct verbs_scanner *s, struct ibv_context *ctx,
			   const struct ibv_port_attr *a, struct verbs_port *p)
{
	int first = s->c->gid_index < 0 ? 0 : s->c->gid_index;
	int end = s->c->gid_index < 0 ? a->gid_tbl_len : first + 1;
	enum verbs_gid best = VERBS_NO_GID, kind;
	struct ibv_gid_entry e;

	for (int i = first; i < end; i++) {
		if (i >= a->gid_tbl_len || !verbs_gid_get(ctx, p->port, i, &e))
			continue;
		kind = verbs_gid_kind(e.gid.raw, e.gid_type == IBV_GID_TYPE_ROCE_V2);
		if (kind <= best || (!p->ethernet && best))
			continue;
		best = kind;
		p->gid_index = i;
		p->v2 = e.gid_type == IBV_GID_TYPE_ROCE_V2;
		memcpy(p->gid, e.gid.raw, sizeof(p->gid));
	}
	if (best)
		return;
	if (s->c->gid_index >= 0)
		snprintf(p->why_not, sizeof(p->why_not),
			 "there is no GID at index %d (MORI_IB_GID_INDEX)", s->c->gid_index);
	else if (p->ethernet || !p->lid)
		snprintf(p->why_not, sizeof(p->why_not),
			 "it has no GID: give its interface an address");
}

static void verbs_query_port(struct verbs_scanner *s, struct ibv_context *ctx, struct verbs_port *p)
{
	struct ibv_port_attr a;
	int code;

	/* The exported call fills less than the whole struct. */
	memset(&a, 0, sizeof(a));
	code = verbs_calls.ibv_get_port(ctx, (uint8_t)p->port, (struct _compat_ibv_port_attr *)&a);
	if (code) {
		snprintf(p->why_not, sizeof(p->why_not), "ibv_query_port: %s", strerror(code));
		return;
	}
	p->ethernet = a.link_layer == IBV_LINK_LAYER_ETHERNET;
	p->lid = a.lid;
	p->mtu = a.active_mtu;
	p->mbps = verbs_speed_of(&a);
	p->max_len = a.max_msg_sz;
	if (a.state != IBV_PORT_ACTIVE)
		snprintf(p->why_not, sizeof(p->why_not), "its link is %s",
			 a.state == IBV_PORT_DOWN ? "down" : "not up yet");
	else
		verbs_find_gid(s, ctx, &a, p);
}

static int verbs_query_ports(struct verbs_scanner *s, struct ibv_device *d, struct verbs_port *like)
{
	struct ibv_context *ctx = verbs_calls.ibv_open(d);
	struct ibv_device_attr attr;
	int err = 0, code = errno;

	memset(&attr, 0, sizeof(attr));
	if (!ctx)
		snprintf(like->why_not, sizeof(like->why_not), "it cannot be opened: %s%s",
			 strerror(code),
			 code == EACCES || code == EPERM ?
				 " (may this user open /dev/infiniband?)" :
				 "");
	else if ((code = verbs_calls.ibv_get_device(ctx, &attr)))
		snprintf(like->why_not, sizeof(like->why_not), "ibv_query_device: %s",
			 strerror(code));
	if (*like->why_not)
		err = verbs_port_add(s, like) ? 0 : MORI_SHMEM_ENOMEM;
	for (int port = 1; !*like->why_not && port <= attr.phys_port_cnt && !err; port++) {
		struct verbs_port *p = verbs_port_add(s, like);

		if (!p) {
			err = MORI_SHMEM_ENOMEM;
			break;
		}
		p->port = port;
		verbs_query_port(s, ctx, p);
	}
	if (ctx)
		verbs_calls.ibv_close(ctx);
	return err;
}

static int verbs_query_device(struct verbs_scanner *s, struct ibv_device *d)
{
	struct verbs_port like = { .port = 1, .gid_index = -1, .format = NIC_FORMATS };
	char path[PATH_MAX], driver[64] = "unknown";

	snprintf(like.name, sizeof(like.name), "%s", d->name);
	if (verbs_path_of(path, s->sysfs, "class/infiniband", d->name, "/device")) {
		verbs_driver_of(path, s->sysfs, driver, sizeof(driver));
		like.format = verbs_format_of(driver);
		if (*s->device) {
			int node = verbs_numa_of(path);

			like.shared = verbs_shared_steps(path, s->device, s->sysfs);
			like.same_numa = node >= 0 && node == verbs_numa_of(s->device);
		}
	}
	if (like.format == NIC_FORMATS)
		snprintf(like.why_not, sizeof(like.why_not),
			 "kernels cannot drive it (its driver: %s)", driver);
	else if (verbs_load(verbs_vendor_of(like.format)->library))
		snprintf(like.why_not, sizeof(like.why_not), "%s", err_text());
	else if (s->c->device && verbs_vendor_of(like.format)->host_rings)
		snprintf(like.why_not, sizeof(like.why_not), VERBS_OVERTAKES);
	if (*like.why_not)
		return verbs_port_add(s, &like) ? 0 : MORI_SHMEM_ENOMEM;
	return verbs_query_ports(s, d, &like);
}

static int verbs_by_name(const void *a, const void *b)
{
	const struct verbs_port *p = a, *q = b;
	int order = strverscmp(p->name, q->name);

	return order ? order : p->port - q->port;
}

int verbs_scan(const struct verbs_config *c, struct verbs_port **out, size_t *n)
{
	struct verbs_scanner s = { .c = c, .sysfs = c->sysfs ? c->sysfs : verbs_sysfs_path() };
	struct ibv_device **list;
	int count = 0, err = verbs_load(VERBS_IBV);

	if (err)
		return err;
	errno = 0;
	list = verbs_calls.ibv_device_list(&count);
	if (!list)
		return err_set(MORI_SHMEM_ENOTSUP,
			       "ibv_get_device_list: %s; are the RDMA modules "
			       "of the kernel loaded (ib_uverbs)?",
			       strerror(errno ? errno : ENODEV));
	verbs_scan_device(&s);
	for (int i = 0; i < count && !err; i++)
		err = verbs_query_device(&s, list[i]);
	verbs_calls.ibv_free_list(list);
	if (err) {
		free(s.ports);
		return err_set(err, "out of memory for a list of NICs");
	}
	if (s.n)
		qsort(s.ports, s.n, sizeof(*s.ports), verbs_by_name);
	err = verbs_filter(c->devices, s.ports, s.n);
	if (err) {
		free(s.ports);
		return err;
	}
	*out = s.ports;
	*n = s.n;
	return 0;
}

struct ibv_device *verbs_find(struct ibv_device **list, const char *name)
{
	for (; *list; list++)
		if (!strcmp((*list)->name, name))
			return *list;
	return NULL;
}
