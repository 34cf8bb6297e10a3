// SPDX-License-Identifier: MIT
/*
 * A module of the CPU is a shared object. Each load has a file of its own in
 * memory, so that the loader takes it for another object, with globals of its own.
 */
#include "accel/accel.h"
#include "accel/cpu_grid.h"
#include "util/err.h"
#include "util/fsize.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ELF_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define ELF_MACHINE EM_AARCH64
#else
#define ELF_MACHINE EM_NONE
#endif

struct cpu_module {
	void *handle;
	bool ours; /* the handle */
	int fd;	   /* -1: not ours; open as long as the loader knows its name */
	struct dev_link *link;
	struct cpu_grid **grid;
	const struct cpu_kernel *kernels; /* NULL: none are known by name */
	char *shared;
	size_t shared_len;
	struct stacks stacks; /* size 0: not open yet */
};

static struct cpu_module *cpu_module_of(struct accel_module *handle)
{
	return (struct cpu_module *)handle;
}

/* Serialises loads and unloads: an object may be mapped where another thread's has just been. */
static pthread_mutex_t cpu_loader_lock = PTHREAD_MUTEX_INITIALIZER;

static int cpu_image_bad(const char *why)
{
	return err_set(MORI_SHMEM_EINVAL,
		       "this is not a module for the CPU: %s; make one with mori cc --target cpu",
		       why);
}

/* The loader trusts what it reads: every segment must lie in the image. */
static int cpu_image_check(const void *image, size_t len)
{
	Elf64_Ehdr e;

	if (len < sizeof(e) || memcmp(image, ELFMAG, SELFMAG) != 0)
		return cpu_image_bad("it is not an ELF file");
	memcpy(&e, image, sizeof(e));
	if (e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_machine != ELF_MACHINE)
		return cpu_image_bad("it is an ELF file of another machine");
	if (e.e_type != ET_DYN)
		return cpu_image_bad("it is not a shared object");
	if (e.e_phentsize != sizeof(Elf64_Phdr) || e.e_phoff > len ||
	    e.e_phnum > (len - e.e_phoff) / sizeof(Elf64_Phdr))
		return cpu_image_bad("it is cut off");
	for (unsigned i = 0; i < e.e_phnum; i++) {
		Elf64_Phdr p;

		memcpy(&p, (const char *)image + e.e_phoff + i * sizeof(p), sizeof(p));
		if (p.p_offset > len || p.p_filesz > len - p.p_offset)
			return cpu_image_bad("it is cut off");
	}
	return 0;
}

static int cpu_image_file(const void *image, size_t len)
{
	int fd = memfd_create("mori-module", MFD_CLOEXEC);
	struct fsize limit;
	size_t done = 0;
	int why = 0;

	if (fd < 0)
		return err_set(MORI_SHMEM_EIO, "cannot load a module: memfd_create: %s",
			       strerror(errno));
	fsize_begin(&limit);
	while (done < len && !why) {
		ssize_t n = write(fd, (const char *)image + done, len - done);

		if (n > 0)
			done += (size_t)n;
		else if (!n || errno != EINTR)
			why = n ? errno : ENOSPC;
	}
	fsize_end(&limit);
	if (!why)
		return fd;
	close(fd);
	return err_set(MORI_SHMEM_ENOMEM, "no memory for a module of %zu bytes: %s", len,
		       strerror(why));
}

/*
 * The loader identifies objects by name and returns an existing one for the same name, even one
 * that it could not unload. If a name is taken, the file gets another descriptor.
 */
static int cpu_module_open_file(struct cpu_module *m)
{
	char path[48];
	void *old;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", m->fd);
	while ((old = dlopen(path, RTLD_LAZY | RTLD_NOLOAD))) {
		int other = fcntl(m->fd, F_DUPFD_CLOEXEC, m->fd + 1);

		dlclose(old);
		if (other < 0)
			return err_set(MORI_SHMEM_EIO, "cannot load a module: %s", strerror(errno));
		close(m->fd);
		m->fd = other;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", m->fd);
	}
	pthread_mutex_lock(&cpu_loader_lock);
	m->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	pthread_mutex_unlock(&cpu_loader_lock);
	if (!m->handle)
		return err_set(MORI_SHMEM_EINVAL, "cannot load a module: %s", dlerror());
	return 0;
}

static void cpu_module_symbols(struct cpu_module *m)
{
	char *stop = dlsym(m->handle, "__stop_mori_shared");

	m->link = dlsym(m->handle, "globalGpuStates");
	m->grid = dlsym(m->handle, "mori_cpu_grid");
	m->kernels = dlsym(m->handle, "mori_kernels");
	m->shared = dlsym(m->handle, "__start_mori_shared");
	m->shared_len = m->shared && stop > m->shared ? (size_t)(stop - m->shared) : 0;
}

static void cpu_module_unload(struct accel_module *handle)
{
	struct cpu_module *m = cpu_module_of(handle);
	stacks_close(&m->stacks);
	if (m->ours && m->handle) {
		pthread_mutex_lock(&cpu_loader_lock);
		dlclose(m->handle);
		pthread_mutex_unlock(&cpu_loader_lock);
	}
	if (m->fd >= 0)
		close(m->fd);
	free(m);
}

static struct cpu_module *cpu_module_new(void)
{
	struct cpu_module *m = calloc(1, sizeof(*m));

	if (m)
		m->fd = -1;
	else
		err_set(MORI_SHMEM_ENOMEM, "no memory for a module");
	return m;
}

static int cpu_module_load(struct accel_dev *d, const void *image, size_t len,
			   struct accel_module **out)
{
	struct cpu_module *m;
	int err = cpu_image_check(image, len);

	(void)d;
	if (err)
		return err;
	m = cpu_module_new();
	if (!m)
		return MORI_SHMEM_ENOMEM;
	m->ours = true;
	m->fd = cpu_image_file(image, len);
	err = m->fd < 0 ? m->fd : cpu_module_open_file(m);
	if (err) {
		cpu_module_unload((struct accel_module *)m);
		return err;
	}
	cpu_module_symbols(m);
	*out = (struct accel_module *)m;
	return 0;
}

struct cpu_loader_query {
	const struct link_map *first;
	const void *handle;
};

/* The loader's list does not change during this callback. */
static int cpu_loader_search(struct dl_phdr_info *unused, size_t size, void *arg)
{
	struct cpu_loader_query *s = arg;

	(void)unused;
	(void)size;
	while (s->first && s->first != s->handle)
		s->first = s->first->l_next;
	return 1; /* once is enough */
}

/* A handle of dlopen() is one of the objects that the loader knows. */
static bool cpu_loader_knows(const void *handle)
{
	struct cpu_loader_query s = { NULL, handle };
	struct link_map *first = NULL;
	void *program = dlopen(NULL, RTLD_LAZY);

	if (program && !dlinfo(program, RTLD_DI_LINKMAP, &first))
		s.first = first;
	if (program)
		dlclose(program);
	dl_iterate_phdr(cpu_loader_search, &s);
	return s.first != NULL;
}

static int cpu_module_borrow(struct accel_dev *d, void *native, struct accel_module **out)
{
	struct cpu_module *m;

	(void)d;
	if (!cpu_loader_knows(native))
		return err_set(MORI_SHMEM_EINVAL,
			       "%p is not a module: on the CPU a module is what dlopen() returned",
			       native);
	m = cpu_module_new();
	if (!m)
		return MORI_SHMEM_ENOMEM;
	m->handle = native;
	cpu_module_symbols(m);
	*out = (struct accel_module *)m;
	return 0;
}

static int cpu_module_look(struct accel_module *handle, uint32_t *flags)
{
	struct cpu_module *m = cpu_module_of(handle);
	if (!m->link)
		return err_set(MORI_SHMEM_ENOENT,
			       "the module does not use the library: it has no globalGpuStates");
	if (m->link->abi != DEV_ABI || m->link->size != sizeof(struct dev_state))
		return err_set(MORI_SHMEM_EABI,
			       "the module was made for ABI %u (a state of %u bytes), this library "
			       "has ABI %u (%zu bytes): compile it again",
			       m->link->abi, m->link->size, DEV_ABI, sizeof(struct dev_state));
	if (!m->grid)
		return err_set(MORI_SHMEM_ENOENT,
			       "the module has no mori_cpu_grid: it was not made "
			       "for the CPU; use mori cc --target cpu");
	*flags = m->link->flags;
	return 0;
}

static int cpu_module_link(struct accel_module *handle, struct dev_state *state)
{
	struct cpu_module *m = cpu_module_of(handle);
	m->link->state = state;
	*m->grid = &cpu_grid_alone;
	return 0;
}

static const struct cpu_kernel *cpu_kernel_find(const struct cpu_module *m, const char *name)
{
	char list[300] = "";
	size_t used = 0;

	for (const struct cpu_kernel *k = m->kernels; k && k->name; k++) {
		if (!strcmp(k->name, name))
			return k;
		if (used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", k->name);
	}
	err_set(MORI_SHMEM_ENOENT, "the module has no kernel %s; it has %s%s", name,
		list[0] ? list : "none", used >= sizeof(list) ? " ..." : "");
	return NULL;
}

static int cpu_module_kernel(struct accel_module *handle, size_t index, const char **name)
{
	struct cpu_module *m = cpu_module_of(handle);
	const struct cpu_kernel *k = m->kernels;

	while (k && k->name && index--)
		k++;
	if (!k || !k->name)
		return err_set(MORI_SHMEM_ENOENT, "the module has no more kernels");
	*name = k->name;
	return 0;
}

static int cpu_kernel_params(struct accel_module *handle, const char *name,
			     mori_shmem_param_t *params, size_t room)
{
	struct cpu_module *m = cpu_module_of(handle);
	const struct cpu_kernel *k = cpu_kernel_find(m, name);

	if (!k)
		return MORI_SHMEM_ENOENT;
	for (uint32_t i = 0; i < k->n_params && i < room; i++) {
		uint32_t kind = k->params[i].kind;

		params[i].kind = kind < MORI_SHMEM_PARAM_UNKNOWN ? kind : MORI_SHMEM_PARAM_UNKNOWN;
		params[i].size = k->params[i].size;
	}
	return (int)k->n_params;
}

static int cpu_launch_check(const struct accel_launch *l, const struct cpu_kernel *k)
{
	int err;

	if (l->stream)
		return err_set(MORI_SHMEM_EINVAL, "kernel %s: the CPU has no streams; pass NULL",
			       k->name);
	err = accel_launch_check(l);
	if (err)
		return err;
	for (uint32_t i = 0; i < k->n_params; i++) {
		if (!l->args || !l->args[i])
			return err_set(MORI_SHMEM_EINVAL,
				       "kernel %s has %u parameters, and args%s is NULL", k->name,
				       k->n_params, l->args ? "[i] of one" : "");
	}
	return 0;
}

static int cpu_launch(struct accel_module *handle, const struct accel_launch *l,
		      struct accel_fault *fault)
{
	struct cpu_module *m = cpu_module_of(handle);
	const struct cpu_kernel *k = cpu_kernel_find(m, l->kernel);
	int err = k ? cpu_launch_check(l, k) : MORI_SHMEM_ENOENT;
	struct cpu_launch launch = {
		.kernel = k,
		.grid = l->grid,
		.block = l->block,
		.args = l->args,
		.state = l->state,
		.idle_ns = l->idle_ns,
		.idle = l->idle,
		.waits = l->waits,
		.waits_arg = l->waits_arg,
		.learned = l->learned,
		.shared = m->shared,
		.shared_len = m->shared_len,
		.dynamic_len = l->shared,
		.link = m->grid,
	};

	if (err)
		return err;
	if (!m->stacks.size)
		stacks_open(&m->stacks, l->stack);
	return cpu_grid_run(&m->stacks, &launch, fault);
}

const struct accel_module_ops cpu_module_ops = {
	.load = cpu_module_load,
	.borrow = cpu_module_borrow,
	.unload = cpu_module_unload,
	.look = cpu_module_look,
	.link = cpu_module_link,
	.kernel = cpu_module_kernel,
	.params = cpu_kernel_params,
	.launch = cpu_launch,
	.in_kernel = cpu_grid_running,
};
