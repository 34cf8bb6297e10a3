// SPDX-License-Identifier: MIT
/*
 * mori_shmem_info(): what this build is and what it found on this machine. It needs no job, changes
 * nothing, and each call checks again.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <mori/shmem.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "abi/state.h"
#include "accel/accel.h"
#include "core/options.h"
#include "core/rdma.h"
#include "net/net.h"
#include "net/verbs.h"
#include "nic/setup.h"
#include "util/err.h"

#ifndef MORI_VERSION
#define MORI_VERSION "unknown" /* the build defines it */
#endif

struct info_sink {
	mori_shmem_info_fn row;
	void *arg;
};

static void info_row(const struct info_sink *o, const char *section, const char *key,
		     const char *value, const char *note)
{
	o->row(o->arg, section, key, value, note);
}

static void info_library(const struct info_sink *o)
{
#ifdef __clang__
	const char *compiler = "clang " __clang_version__;
#else
	const char *compiler = "gcc " __VERSION__;
#endif
	static const char *const features[] = {
		"cpu devices, processes and threads as PEs",
		"cpu and cuda devices, processes and threads as PEs",
		"cpu and hip devices, processes and threads as PEs",
		"cpu, cuda and hip devices, processes and threads as PEs",
	};
	char abi[16];

	snprintf(abi, sizeof(abi), "%u", DEV_ABI);
	info_row(o, "library", "version", MORI_VERSION, NULL);
	info_row(o, "library", "abi", abi, NULL);
	info_row(o, "library", "compiler", compiler, NULL);
	info_row(o, "library", "features",
		 features[2 * accel_built(ACCEL_HIP) + accel_built(ACCEL_CUDA)], NULL);
}

static void info_cpu_name(char *buf, size_t size)
{
	struct utsname u;
	char line[256];
	FILE *f = fopen("/proc/cpuinfo", "re");

	snprintf(buf, size, "%s", uname(&u) ? "unknown" : u.machine);
	while (f && fgets(line, sizeof(line), f)) {
		char *colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) || !colon)
			continue;
		colon[1 + strcspn(colon + 1, "\n")] = '\0';
		snprintf(buf, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
		break;
	}
	if (f)
		fclose(f);
}

/* Cores this thread may run on; the set grows until the kernel's fits. */
static int info_cores(void)
{
	for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
		size_t size = CPU_ALLOC_SIZE(cpus);
		cpu_set_t *set = CPU_ALLOC(cpus);
		int n = -1;

		if (!set)
			return -1;
		if (!sched_getaffinity(0, size, set))
			n = CPU_COUNT_S(size, set);
		else if (errno == EINVAL)
			n = 0;
		CPU_FREE(set);
		if (n)
			return n;
	}
	return -1;
}

/* Never unmapped again: a driver may have left threads or exit handlers behind. */
#define PROBE_FLAGS (RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE)

static void info_gpus(const struct info_sink *o, enum accel_kind kind, const char *name)
{
	char text[256], key[32];
	int err = accel_describe(kind, -1, text, sizeof(text));

	info_row(o, "device", name, err ? "not used" : "used", err ? err_text() : text);
	for (int i = 0; !err && !accel_describe(kind, i, text, sizeof(text)); i++) {
		snprintf(key, sizeof(key), "%s.%d", name, i);
		info_row(o, "device", key, text, NULL);
	}
}

static void info_device(const struct info_sink *o)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	char name[256], value[64], note[64];
	int online = (int)sysconf(_SC_NPROCESSORS_ONLN);

	info_cpu_name(name, sizeof(name));
	info_row(o, "device", "cpu", "used", name);
	snprintf(value, sizeof(value), "%d", info_cores());
	snprintf(note, sizeof(note), "by affinity; %d online", online);
	info_row(o, "device", "cpu.cores", value, note);
	snprintf(value, sizeof(value), "%.1f GiB", (double)pages * (double)page / (1 << 30));
	info_row(o, "device", "cpu.memory", value, NULL);
	info_gpus(o, ACCEL_CUDA, "cuda");
	info_gpus(o, ACCEL_HIP, "hip");
}

struct info_heap_row {
	const struct info_sink *o;
	const char *name, *key;
	const char *def, *def_note; /* where the table has no default */
};

static void info_heap_row(void *arg, const struct option_row *row)
{
	const struct info_heap_row *h = arg;

	if (strcmp(row->name, h->name))
		return;
	if (!*row->value)
		info_row(h->o, "heap", h->key, h->def, h->def_note);
	else
		info_row(h->o, "heap", h->key, row->value, row->error ? row->error : row->source);
}

static void info_heap(const struct info_sink *o)
{
	struct info_heap_row rows[] = {
		{ o, "MORI_SHMEM_HEAP_SIZE", "size", "1G", "default on the CPU" },
		{ o, "MORI_SHMEM_MODE", "mode", "", NULL },
		{ o, "MORI_SHMEM_HEAP_TYPE", "type", "", "uncached on AMD GPUs, else normal" },
		{ o, "MORI_SHMEM_VMM_CHUNK_SIZE", "vmm chunk", "", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		options_each(info_heap_row, &rows[i]);
}

/* What a job here would use: opened for a job of one PE, which nobody can join, and closed. */
static void info_network(const struct info_sink *o)
{
	static const unsigned char secret[NET_SECRET_BYTES];
	static const int32_t proc_of[1];
	struct net_config config = {
		.n_pes = 1, .n_procs = 1, .proc_of = proc_of, .secret = secret, .loopback = 1
	};
	struct options options = { 0 };
	struct net *net = NULL;
	int err = options_load(&options);

	config.provider = options.fabric_provider;
	if (!err)
		err = net_open(&config, &net);
	info_row(o, "transport", "network", err ? "no" : net_provider(net),
		 err ? err_text() :
		       "PEs on other nodes, and with MORI_DISABLE_P2P=1; MORI_FABRIC_PROVIDER");
	net_close(net);
	options_free(&options);
}

/* What serves the queues of kernels, and why; @why: why a NIC was chosen, or why there is none. */
static void info_queue(const struct info_sink *o, const struct options *options,
		       const struct verbs_port *port, const char *why)
{
	const char *format = nic_format_name((uint32_t)options->nic_format);
	char note[512];

	if (options->nic == OPTION_NIC_SOFT)
		why = "MORI_NIC=soft";
	else if (options->nic_format != NIC_SOFT)
		why = "MORI_NIC_FORMAT";
	else if (port)
		format = nic_format_name(port->format);
	snprintf(note, sizeof(note),
		 "kernels to PEs on other nodes, and with MORI_DISABLE_P2P=1; %s", why);
	info_row(o, "transport", "queue", format, note);
}

/* Whether a PE would have memory of a device. */
static bool info_has_device(const struct options *options)
{
	struct err_was was;
	char text[256];
	bool device;

	err_save(&was);
	device = options->device != ACCEL_CPU &&
		 (!accel_describe(ACCEL_CUDA, -1, text, sizeof(text)) ||
		  !accel_describe(ACCEL_HIP, -1, text, sizeof(text)));
	err_restore(&was);
	return device;
}

/* The ports of NICs, and which one the first PE of a node would take without a device. */
static void info_nics(const struct info_sink *o)
{
	struct options options = { 0 };
	struct verbs_port *ports = NULL;
	char why[192], key[80], note[320];
	size_t n = 0;
	int err = options_load(&options), chosen = -1;

	if (!err) {
		struct verbs_config config = rdma_config(&options, NULL);

		config.device = info_has_device(&options);
		err = verbs ? verbs->scan(&config, &ports, &n) : verbs_missing();
		if (!err)
			chosen = verbs_choose(&config, ports, n, why, sizeof(why));
	}
	info_queue(o, &options, chosen < 0 ? NULL : &ports[chosen], chosen < 0 ? err_text() : why);
	if (err || !n)
		info_row(o, "transport", "NIC", "none", err ? err_text() : "libibverbs finds none");
	for (size_t i = 0; i < n; i++) {
		const struct verbs_port *p = &ports[i];

		snprintf(key, sizeof(key), "NIC %s:%d", p->name, p->port);
		snprintf(note, sizeof(note), "%s, %.0f Gbit/s, GID %d%s%s",
			 p->ethernet ? "Ethernet" : "InfiniBand", (double)p->mbps / 1000,
			 p->gid_index, (int)i == chosen ? "; a PE takes " : "",
			 (int)i == chosen ? why : "");
		info_row(o, "transport", key, *p->why_not ? "no" : "yes",
			 *p->why_not ? p->why_not : note);
	}
	free(ports);
	options_free(&options);
}

static void info_transport(const struct info_sink *o)
{
	info_row(o, "transport", "p2p", "yes", "load and store; PEs of one node");
	info_network(o);
	info_nics(o);
	info_row(o, "transport", "copy engine", "no", "not in this build: no device with one");
}

static void info_dependency(const struct info_sink *o, const char *lib, const char *purpose)
{
	void *handle = dlopen(lib, PROBE_FLAGS);
	const char *why = handle ? NULL : dlerror();
	char note[512], *path = NULL;
	struct link_map *map;

	if (!handle) {
		int missing = !why || strstr(why, "No such file");

		snprintf(note, sizeof(note), "%s%s%s", purpose, missing ? "" : "; ",
			 missing ? "" : why);
		info_row(o, "dependency", lib, missing ? "not found" : "not usable", note);
		return;
	}
	if (!dlinfo(handle, RTLD_DI_LINKMAP, &map))
		path = realpath(map->l_name, NULL); /* its name carries the version */
	info_row(o, "dependency", lib, path ? path : "found", purpose);
	free(path);
	dlclose(handle);
}

static void info_dependencies(const struct info_sink *o)
{
	const char *hip = accel_built(ACCEL_HIP) ? "AMD GPUs" : "AMD GPUs; not used by this build";

	info_dependency(o, "libpmix.so.2", "finds the job under mpirun and srun");
	info_dependency(o, "libfabric.so.1", "other nodes, where there is a NIC for it");
	info_dependency(o, "libibverbs.so.1", "RDMA NICs that kernels drive");
	info_dependency(o, "libmlx5.so.1", "NVIDIA NICs");
	info_dependency(o, "libcuda.so.1",
			accel_built(ACCEL_CUDA) ? "NVIDIA GPUs" :
						  "NVIDIA GPUs; not used by this build");
	info_dependency(o, "libamdhip64.so.7", hip);
	info_dependency(o, "libamdhip64.so.6", hip);
}

static void info_env_part(const struct info_sink *o, const char *name, const char *part,
			  const char *value)
{
	char key[320];

	snprintf(key, sizeof(key), "%s.%s", name, part);
	info_row(o, "env", key, value, NULL);
}

/* The variable itself, with an error as its note, then its properties as name.property. */
static void info_env_row(void *arg, const struct option_row *row)
{
	const struct info_sink *o = arg;

	info_row(o, "env", row->name, row->value, row->error);
	info_env_part(o, row->name, "source", row->source);
	if (!row->help)
		return;
	info_env_part(o, row->name, "default", row->def);
	info_env_part(o, row->name, "allowed", row->allowed);
	info_env_part(o, row->name, "help", row->help);
}

int mori_shmem_info(mori_shmem_info_fn row, void *arg)
{
	struct info_sink o = { row, arg };

	if (!row)
		return err_set(MORI_SHMEM_EINVAL, "mori_shmem_info: row is NULL");
	info_library(&o);
	info_device(&o);
	info_heap(&o);
	info_transport(&o);
	info_dependencies(&o);
	options_each(info_env_row, &o);
	return 0;
}
