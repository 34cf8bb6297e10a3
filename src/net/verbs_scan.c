// SPDX-License-Identifier: MIT
/*
 * The NICs of this machine and their ports: what drives them, whether the link is up,
 * under which address they are reached, and how near they are to a device.
 */
#include "net/verbs_lib.h"
#include "util/err.h"
#include "util/log.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct scan {
	const struct verbs_config *c;
	const char *sysfs;
	char near[PATH_MAX]; /* the device's path in sysfs; "" if there is none */
	struct verbs_port *ports;
	size_t n;
};

static const char *sysfs_path(void)
{
	const char *path = secure_getenv("SYSFS_PATH");

	return path && *path ? path : "/sys";
}

bool verbs_any(void)
{
	char path[PATH_MAX];
	struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(path, sizeof(path), "%s/class/infiniband", sysfs_path());
	d = opendir(path);
	while (d && !found && (e = readdir(d)))
		found = e->d_name[0] != '.';
	if (d)
		closedir(d);
	return found;
}

static bool path_of(char out[PATH_MAX], const char *sysfs, const char *part, const char *name,
		    const char *rest)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/%s%s", sysfs, part, name, rest);
	return realpath(path, out) != NULL;
}

/* As the kernel writes it: drivers of GPUs have upper case and longer domains. */
static void find_near(struct scan *s)
{
	char name[64];
	size_t skip = 0;

	s->near[0] = '\0';
	if (!s->c->near)
		return;
	if (strcspn(s->c->near, ":") == 8)
		skip = strspn(s->c->near, "0") < 4 ? 0 : 4;
	snprintf(name, sizeof(name), "%s", s->c->near + skip);
	for (char *p = name; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	if (!path_of(s->near, s->sysfs, "bus/pci/devices", name, "")) {
		s->near[0] = '\0';
		log_warn("%s is not in %s/bus/pci/devices: NICs are taken as if all were as near",
			 name, s->sysfs);
	}
}

/* Steps that two paths have in common. */
static int shared_steps(const char *a, const char *b, const char *sysfs)
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

static int numa_of(const char *path)
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

/* The driver of the NIC, which is that of the first device above that has one. */
static void driver_of(const char *path, const char *sysfs, char *out, size_t size)
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

static uint32_t format_of(const char *driver)
{
	for (uint32_t f = 0; f < NIC_FORMATS; f++) {
		const struct verbs_maker *m = verbs_maker_of(f);

		if (m && !strncmp(driver, m->driver, strlen(m->driver)))
			return f;
	}
	return NIC_FORMATS;
}

static struct verbs_port *port_add(struct scan *s, const struct verbs_port *like)
{
	struct verbs_port *more = realloc(s->ports, (s->n + 1) * sizeof(*more));

	if (!more)
		return NULL;
	s->ports = more;
	more[s->n] = *like;
	return &more[s->n++];
}

static uint64_t speed_of(const struct ibv_port_attr *a)
{
	/* Mbit/s of a lane by the bit of the speed, and lanes by that of the width. */
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

static bool gid_get(struct ibv_context *ctx, int port, int index, struct ibv_gid_entry *out)
{
	memset(out, 0, sizeof(*out));
	return !verbs_calls.ibv_ask_gid(ctx, (uint32_t)port, (uint32_t)index, out, 0, sizeof(*out));
}

/* The one asked for, or the best. */
static void find_gid(struct scan *s, struct ibv_context *ctx, const struct ibv_port_attr *a,
		     struct verbs_port *p)
{
	int first = s->c->gid_index < 0 ? 0 : s->c->gid_index;
	int end = s->c->gid_index < 0 ? a->gid_tbl_len : first + 1;
	enum verbs_gid best = VERBS_NO_GID, kind;
	struct ibv_gid_entry e;

	for (int i = first; i < end; i++) {
		if (i >= a->gid_tbl_len || !gid_get(ctx, p->port, i, &e))
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

static void look_at_port(struct scan *s, struct ibv_context *ctx, struct verbs_port *p)
{
	struct ibv_port_attr a;
	int code;

	/* The exported call fills less than the struct of today. */
	memset(&a, 0, sizeof(a));
	code = verbs_calls.ibv_ask_port(ctx, (uint8_t)p->port, (struct _compat_ibv_port_attr *)&a);
	if (code) {
		snprintf(p->why_not, sizeof(p->why_not), "ibv_query_port: %s", strerror(code));
		return;
	}
	p->ethernet = a.link_layer == IBV_LINK_LAYER_ETHERNET;
	p->lid = a.lid;
	p->mtu = a.active_mtu;
	p->mbps = speed_of(&a);
	p->max_len = a.max_msg_sz;
	if (a.state != IBV_PORT_ACTIVE)
		snprintf(p->why_not, sizeof(p->why_not), "its link is %s",
			 a.state == IBV_PORT_DOWN ? "down" : "not up yet");
	else
		find_gid(s, ctx, &a, p);
}

static int look_at_ports(struct scan *s, struct ibv_device *d, struct verbs_port *like)
{
	struct ibv_context *ctx = verbs_calls.ibv_open(d);
	struct ibv_device_attr attr;
	int err = 0, code = errno;

	memset(&attr, 0, sizeof(attr));
	if (!ctx)
		snprintf(like->why_not, sizeof(like->why_not), "it cannot be opened: %s%s",
			 strerror(code),
			 code == EACCES || code == EPERM ? " (who may use /dev/infiniband?)" : "");
	else if ((code = verbs_calls.ibv_ask_device(ctx, &attr)))
		snprintf(like->why_not, sizeof(like->why_not), "ibv_query_device: %s",
			 strerror(code));
	if (*like->why_not)
		err = port_add(s, like) ? 0 : MORI_SHMEM_ENOMEM;
	for (int port = 1; !*like->why_not && port <= attr.phys_port_cnt && !err; port++) {
		struct verbs_port *p = port_add(s, like);

		if (!p) {
			err = MORI_SHMEM_ENOMEM;
			break;
		}
		p->port = port;
		look_at_port(s, ctx, p);
	}
	if (ctx)
		verbs_calls.ibv_close(ctx);
	return err;
}

static int look_at_device(struct scan *s, struct ibv_device *d)
{
	struct verbs_port like = { .port = 1, .gid_index = -1, .format = NIC_FORMATS };
	char path[PATH_MAX], driver[64] = "unknown";

	snprintf(like.name, sizeof(like.name), "%s", d->name);
	if (path_of(path, s->sysfs, "class/infiniband", d->name, "/device")) {
		driver_of(path, s->sysfs, driver, sizeof(driver));
		like.format = format_of(driver);
		if (*s->near) {
			int node = numa_of(path);

			like.shared = shared_steps(path, s->near, s->sysfs);
			like.same_numa = node >= 0 && node == numa_of(s->near);
		}
	}
	if (like.format == NIC_FORMATS)
		snprintf(like.why_not, sizeof(like.why_not),
			 "kernels cannot drive it (its driver: %s)", driver);
	else if (verbs_load(verbs_maker_of(like.format)->library))
		snprintf(like.why_not, sizeof(like.why_not), "%s", err_text());
	else if (s->c->device && verbs_maker_of(like.format)->host_rings)
		snprintf(like.why_not, sizeof(like.why_not), VERBS_OVERTAKES);
	if (*like.why_not)
		return port_add(s, &like) ? 0 : MORI_SHMEM_ENOMEM;
	return look_at_ports(s, d, &like);
}

static int by_name(const void *a, const void *b)
{
	const struct verbs_port *p = a, *q = b;
	int order = strverscmp(p->name, q->name);

	return order ? order : p->port - q->port;
}

int verbs_scan(const struct verbs_config *c, struct verbs_port **out, size_t *n)
{
	struct scan s = { .c = c, .sysfs = c->sysfs ? c->sysfs : sysfs_path() };
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
	find_near(&s);
	for (int i = 0; i < count && !err; i++)
		err = look_at_device(&s, list[i]);
	verbs_calls.ibv_free_list(list);
	if (err) {
		free(s.ports);
		return err_set(err, "no memory for a list of NICs");
	}
	if (s.n)
		qsort(s.ports, s.n, sizeof(*s.ports), by_name);
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
