// SPDX-License-Identifier: MIT
/* A machine for tests of src/net/verbs: NICs of the fake libraries and a sysfs of its own. */
#ifndef MORI_TESTS_UNIT_VERBS_H
#define MORI_TESTS_UNIT_VERBS_H

#include "fake/fake.h"
#include "net/verbs.h"
#include "test.h"
#include "util/err.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>

#define IP4(last) { "::ffff:10.0.0." last, true }
#define UP_200G	  .state = IBV_PORT_ACTIVE, .speed = 64, .width = 2, .mtu = IBV_MTU_4096
#define ROCE(last)                                                                                 \
	{                                                                                          \
		UP_200G, .gids = { { "fe80::1", true }, IP4(last) }                                \
	}

static char machine_root[] = "/tmp/mori-verbs-XXXXXX";

static inline void machine_link(const char *from, const char *to)
{
	char path[PATH_MAX], target[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", machine_root, from);
	snprintf(target, sizeof(target), "%s/%s", machine_root, to);
	CHECK(!symlink(target, path) || errno == EEXIST);
}

static inline void machine_dir(const char *name)
{
	char path[PATH_MAX];
	size_t len = (size_t)snprintf(path, sizeof(path), "%s/%s", machine_root, name);

	for (size_t i = strlen(machine_root) + 1; i <= len; i++) {
		char c = path[i];

		if (c && c != '/')
			continue;
		path[i] = '\0';
		CHECK(!mkdir(path, 0700) || errno == EEXIST);
		path[i] = c;
	}
}

/* A device at @path below devices/, and the NIC @nic on it unless that is NULL. */
static inline void machine_device(const char *path, const char *driver, int numa, const char *nic)
{
	char at[512], to[128], text[1024];
	FILE *f;

	snprintf(at, sizeof(at), "devices/%s", path);
	machine_dir(at);
	snprintf(text, sizeof(text), "%s/%s/numa_node", machine_root, at);
	f = fopen(text, "w");
	CHECK(f && fprintf(f, "%d\n", numa) > 0);
	if (f)
		fclose(f);
	snprintf(text, sizeof(text), "bus/pci/devices/%s", strrchr(at, '/') + 1);
	machine_link(text, at);
	if (!driver)
		return;
	snprintf(to, sizeof(to), "bus/pci/drivers/%s", driver);
	machine_dir(to);
	snprintf(text, sizeof(text), "%s/driver", at);
	machine_link(text, to);
	if (!nic)
		return;
	snprintf(text, sizeof(text), "class/infiniband/%s", nic);
	machine_dir(text);
	snprintf(text, sizeof(text), "class/infiniband/%s/device", nic);
	machine_link(text, at);
}

static inline int machine_open(void)
{
	if (!CHECK(mkdtemp(machine_root) != NULL))
		return -1;
	machine_dir("bus/pci/devices");
	machine_dir("class/infiniband");
	return 0;
}

static inline int machine_remove(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st, (void)kind, (void)ftw;
	return remove(path);
}

static inline void machine_close(void)
{
	CHECK_EQ("sysfs is removed", nftw(machine_root, machine_remove, 16, FTW_DEPTH | FTW_PHYS),
		 0);
}

/* As init has it where nothing was said. */
static inline struct verbs_config machine_config(void)
{
	return (struct verbs_config){
		.gid_index = -1, .sl = -1, .tc = -1, .log_slots = 4, .sysfs = machine_root
	};
}

#endif
